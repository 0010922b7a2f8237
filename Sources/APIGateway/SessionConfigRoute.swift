package import APIKit
import ByteCodec
import ChatModel
import Store

/// Route for the facts that an app needs before it shows a conversation: how long a text may be, the entries of its
/// menus, and whether its person may write there at all.
package struct SessionConfigRoute: Sendable {
    private static let kinds: [String: ConversationKind] = [
        "direct": .direct, "group": .group, "room": .room, "community": .community,
    ]

    package init() {}

    /// The route `GET session-config`, for a signed-in caller.
    package var routes: [Route] { [Route("GET", "\(APIPaths.prefix)/session-config", .caller, self.look)] }

    /// `?conversation=verona&kind=group`: a group's name, or with `kind=direct` the other person's.
    @Sendable private func look(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        let person = try request.person()
        let id = try request.queryText("conversation")
        let word = request.query["kind"] ?? "group"
        guard let kind = Self.kinds[word] else { throw .bad("kind is none of direct, group, room, community") }
        let address: ConversationAddress
        if kind == .direct {
            guard let name = UserName(id) else { throw .bad("conversation is no name") }
            address = .direct(name)
        } else {
            guard let name = ChannelName(id) else { throw .bad("conversation is no name") }
            address = .channel(kind, name)
        }
        let now = services.clock.wallMilliseconds()
        services.read(reply, for: request.asker) { store throws(StoreError) in
            try Self.view(of: kind, address, for: person.user, at: now, store)
        } answer: { view throws(APIFailure) in
            guard let view else { throw APIFailure(404, "there is no such conversation") }
            return .json(view.json(kind: word, id: id))
        }
    }

    /// - Returns: `nil` for a conversation that the person is not in.
    private static func view(
        of kind: ConversationKind, _ address: ConversationAddress, for user: UserID, at now: Int64,
        _ store: ReadTransaction
    ) throws(StoreError) -> View? {
        let conversation = try store.conversations.one(address, seenBy: user)
        let member = try conversation.flatMap { (found) throws(StoreError) in
            try store.conversations.member(user, in: found.id)
        }
        // Two people may write to each other before there is anything between them; in rooms nobody is a member.
        guard kind == .direct || conversation != nil && (kind == .room || member != nil) else { return nil }
        let role = member?.role ?? .member
        let settings =
            if let conversation {
                try store.sessionSettings.sessionSettings(in: conversation.id)
            } else {
                try store.sessionSettings.sessionSettings()
            }
        var facts = PublishFacts(authority: .user, kind: kind, flags: conversation?.flags ?? [])
        let account = try store.people.user(user)
        facts.senderIsSendBanned = account?.isSendBanned ?? false
        facts.senderIsMember = true
        facts.senderIsManager = role != .member
        facts.senderIsMuted = (member?.mutedUntilMilliseconds ?? 0) > now
        facts.inputIsDisabled = settings.isReadOnly(kind, role)
        return View(role: role, refusal: publishRefusal(facts), settings: settings.effective(kind, role))
    }
}

/// View of one person on one conversation.
private struct View: Sendable {
    var role: MemberRole
    var refusal: PublishRefusal?
    var settings: [SessionSettings.Effective]

    func json(kind: String, id: String) -> JSONValue {
        .object([
            JSONValue.Member(
                "conversation",
                .object([JSONValue.Member("kind", .string(kind)), JSONValue.Member("id", .string(id))])),
            JSONValue.Member("role", .string(self.roleWord)),
            JSONValue.Member("may_write", .boolean(self.refusal == nil)),
            JSONValue.Member("reason", self.refusal.map { .string(Self.word($0)) } ?? .null),
            JSONValue.Member("settings", .object(self.members)),
        ])
    }

    private var roleWord: String {
        switch self.role {
        case .member: "member"
        case .manager: "manager"
        case .owner: "owner"
        }
    }

    /// Word for the reason why the user may not send, which an app translates.
    private static func word(_ refusal: PublishRefusal) -> String {
        switch refusal {
        case .inputDisabled: "input_disabled"
        case .muted: "muted"
        case .membersMuted: "members_muted"
        case .conversationBanned: "banned"
        case .conversationSendBanned: "conversation_send_banned"
        case .conversationDisbanded: "disbanded"
        case .senderSendBanned: "send_banned"
        case .senderDisabled, .noSuchConversation, .noSuchUser, .blocked, .notAllowlisted, .notMember, .tokenConflict,
            .bodyTooLarge, .textTooLong, .contentNotAllowed, .kindNotServed, .noSuchFile, .fileIncomplete,
            .commandNotAllowed, .wordNotAllowed, .byHook:
            "may_not_send"
        }
    }

    /// By name; placeholders by language, and of the menu what is not hidden.
    private var members: [JSONValue.Member] {
        var hidden: [String] = []
        for effective in self.settings where effective.setting.name == "menu_hidden" {
            if case .words(let words) = effective.value { hidden = words }
        }
        let placeholder = "placeholder."
        var members: [JSONValue.Member] = []
        var placeholders: [JSONValue.Member] = []
        for effective in self.settings {
            let name = effective.setting.name
            if name.hasPrefix(placeholder) {
                placeholders.append(JSONValue.Member(String(name.dropFirst(placeholder.count)), effective.value.json()))
            } else if name == "menu_items" {
                members.append(JSONValue.Member(name, effective.value.json(without: hidden)))
            } else if name != "menu_hidden" {
                members.append(JSONValue.Member(name, effective.value.json()))
            }
        }
        return members + [JSONValue.Member("placeholder", .object(placeholders))]
    }
}

extension SessionSettingValue {
    fileprivate func json(without hidden: [String] = []) -> JSONValue {
        switch self {
        case .number(let number): .integer(number)
        case .flag(let isOn): .boolean(isOn)
        case .text(let text): .string(text)
        case .words(let words): .array(words.filter { !hidden.contains($0) }.map { .string($0) })
        }
    }
}
