package import ByteCodec
package import ChatModel
import Profiles
import Store

/// A conversation as one person sees it: the one place that writes the value `Conversation`.
package struct NativeConversation: Sendable {
    struct Newest: Sendable {
        var sketch: MessageSketch
        var sender: UserName
        var time: Int64
        var sequence: Int64
    }

    let recent: RecentConversation
    let logo: String?
    let newest: Newest?
    let isMentioned: Bool
    let sendRefusal: PublishRefusal?
    let inviteRefusal: TeamRefusal?
    let updateRefusal: TeamRefusal?
    let recallsOthers: Bool

    /// Identifier of the conversation.
    package var id: ConversationID { self.recent.conversation.id }

    /// The other one of two people; `nil` in any other conversation.
    package var peer: UserName? { self.recent.peerName }

    /// Names of the kinds.
    static let kinds = ["direct", "group", "room", "service", "temporary"]

    /// Shape of the value.
    static let shape = Shape.object([
        .required("id", NativeID.conversation), .required("kind", .choice(Self.kinds)), .required("title", .anyText),
        .optional("avatar", .anyText), .optional("with", .reference("User"), "The other one of two people."),
        .required("memberCount", .count), .required("role", .choice(["owner", "manager", "member"])),
        .optional(
            "digest",
            .object([
                .required("text", .anyText), .optional("sender", .anyText), .required("time", .count),
                .required("sequence", .count),
            ]), "The newest message in one line."),
        .required("unread", .count), .required("mentioned", .flag), .optional("draft", .anyText),
        .required("isPinned", .flag), .required("isMuted", .flag), .optional("remark", .anyText),
        .required("headSequence", .count), .required("readSequence", .count), .required("revision", .count),
        .required(
            "rights",
            .object([
                .required("send", Self.right), .required("invite", Self.right), .required("update", Self.right),
                .required("recallOthers", .flag),
            ])), .required("lastActivity", .count),
    ])

    private static let right = Shape.either([
        .flag, .object([.required("no", .anyText), .optional("setting", .anyText)]),
    ])

    /// Writes the value.
    package func write(to writer: inout JSONWriter, _ words: NativeWords) {
        let (conversation, preference) = (self.recent.conversation, self.recent.preference)
        let peer = self.recent.peerName.map { words.person($0) }
        writer.beginObject()
        writer.text("id", NativeID.text(conversation.id))
        writer.text("kind", Self.word(conversation.kind))
        writer.text(
            "title", preference.remark ?? peer?.shownName ?? conversation.title ?? conversation.channel?.text ?? "")
        writer.text("avatar", peer.map { $0.picture.small ?? $0.picture.full } ?? self.logo)
        if let peer {
            writer.key("with")
            NativeUser(peer).write(to: &writer)
        }
        writer.number("memberCount", Int64(conversation.memberCount))
        writer.text("role", Self.word(self.recent.member.role))
        self.writeDigest(to: &writer, words)
        writer.number("unread", max(self.recent.unread, preference.markedUnread))
        writer.flag("mentioned", self.isMentioned)
        writer.text("draft", preference.draft)
        writer.flag("isPinned", preference.isPinned)
        writer.flag("isMuted", preference.isSilenced)
        writer.text("remark", preference.remark)
        writer.number("headSequence", conversation.head)
        writer.number("readSequence", self.recent.member.readSequence)
        writer.number("revision", conversation.revision)
        self.writeRights(to: &writer)
        writer.number("lastActivity", conversation.activeAtMilliseconds)
        writer.endObject()
    }

    private func writeDigest(to writer: inout JSONWriter, _ words: NativeWords) {
        guard let newest else { return }
        writer.key("digest")
        writer.beginObject()
        writer.text("text", words.digest.line(newest.sketch))
        writer.text("sender", newest.sender.text)
        writer.number("time", newest.time)
        writer.number("sequence", newest.sequence)
        writer.endObject()
    }

    private func writeRights(to writer: inout JSONWriter) {
        let send = self.sendRefusal.map { Problem($0) }
        writer.key("rights")
        writer.beginObject()
        Self.write("send", no: send?.code.rawValue, setting: send?.setting, to: &writer)
        writer.right("invite", self.inviteRefusal)
        writer.right("update", self.updateRefusal)
        writer.flag("recallOthers", self.recallsOthers)
        writer.endObject()
    }

    private static func write(_ name: StaticString, no: String?, setting: String?, to writer: inout JSONWriter) {
        writer.key(name)
        guard let no else { return writer.boolean(true) }
        writer.beginObject()
        writer.text("no", no)
        writer.text("setting", setting)
        writer.endObject()
    }

    static func word(_ kind: ConversationKind) -> String {
        switch kind {
        case .direct, .agent: "direct"
        case .group, .customerService, .community, .communityTopic, .visitors, .agentGroup: "group"
        case .room, .data: "room"
        case .service: "service"
        case .temporary: "temporary"
        }
    }

    static func word(_ role: MemberRole) -> String {
        switch role {
        case .member: "member"
        case .manager: "manager"
        case .owner: "owner"
        }
    }
}

extension TeamRefusal {
    /// Setting of the team that says no, as every gateway spells it; `nil` where none does.
    var setting: String? {
        switch self {
        case .inviteMode, .joinMode, .updateInfoMode, .updateAttributesMode: self.word
        case .kind, .form, .disbanded, .notMember, .alreadyMember, .role, .outranked, .ownerRole, .ownerMustTransfer,
            .full, .operatorOnly:
            nil
        }
    }
}
