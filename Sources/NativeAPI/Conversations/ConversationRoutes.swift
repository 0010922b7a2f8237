import APIKit
import Broker
import ByteCodec
import ChatModel
import Store

/// A person's list of conversations, making them, and what the person sets about each.
enum ConversationRoutes {
    private static let value = Shape.reference("Conversation")

    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/conversations", "conversations", "The person's conversations: pinned first, then the newest.",
            query: [.cursor, .limit], answer: .snapshot(.page(of: Self.value)), problems: [.unusableField], Self.list),
        NativeRoute(
            "POST", "/conversations", "makeConversation",
            "The conversation with a person, or a new group of the person who asks and those who are named.",
            forms: [
                [.required("kind", .constant("direct")), .required("with", NativeID.person)],
                [
                    .required("kind", .constant("group")),
                    .required("title", .text(1...ConversationBounds.titleScalars, .plain)),
                    .required("members", .list(NativeID.person, 0...NativeBounds.members)),
                    .optional(
                        "clientToken", .text(1...64, .plain), "Repeated, it names the group made the first time."),
                ],
            ], answer: .made(Self.value), problems: [.noSuchUser, .notApplicable, .exists, .tooMany], Self.make),
        NativeRoute(
            "GET", "/conversations/{conversation}", "conversation", "One conversation.", path: [.conversation],
            answer: .snapshot(Self.value), problems: [.noSuchConversation], Self.one),
        NativeRoute(
            "GET", "/conversations/{conversation}/configuration", "configuration",
            "The settings of conversations as they hold for the person in this one.", path: [.conversation],
            answer: .ok(.object([.required("configuration", SessionConfiguration.shape)])),
            problems: [.noSuchConversation], Self.configuration),
        NativeRoute(
            "PATCH", "/conversations/{conversation}", "changeConversation",
            "Changes rows of the card, by their words; all of them or none.", path: [.conversation],
            body: [
                .optional("title", .text(1...ConversationBounds.titleScalars, .plain)),
                .optional("announcement", .text(0...1_000), "Empty removes it."),
                .optional("introduction", .text(0...TeamBounds.introductionScalars), "Empty removes it."),
                .optional("picture", .text(0...64, .plain), "Key of an uploaded file; empty removes it."),
                .optional(
                    "nickname", .text(0...ConversationBounds.nicknameScalars, .plain), "One's own; empty removes it."),
                .optional("join", .choice(TeamJoinMode.allCases.map(\.word))),
                .optional("invite", .choice(TeamInviteMode.allCases.map(\.word))),
                .optional("beInvited", .choice(TeamBeInvitedMode.allCases.map(\.word))),
                .optional("updateInfo", .choice(TeamUpdateMode.allCases.map(\.word))),
                .optional("muteAll", .choice(TeamMuteMode.allCases.map(\.word))),
                .optional(
                    "notify", .choice(TeamAlerts.allCases.map(\.rawValue)),
                    "One's own; managers (their messages only) in advanced teams."),
                .optional("pin", .flag, "One's own."),
            ], answer: .ok(Self.value),
            problems: [
                .noSuchConversation, .notManager, .notOwner, .notMember, .notApplicable, .disbanded, .noSuchFile,
            ], Self.change),
        NativeRoute(
            "PATCH", "/conversations/{conversation}/settings", "changeSettings", "Changes what the person alone sees.",
            path: [.conversation],
            body: [
                .optional("isPinned", .flag), .optional("isMuted", .flag),
                .optional("remark", .text(0...ConversationBounds.remarkScalars, .plain), "Empty removes it."),
            ], answer: .ok(Self.value), problems: [.noSuchConversation], Self.changeSettings),
        NativeRoute(
            "DELETE", "/conversations/{conversation}", "hideConversation",
            "Takes the conversation off the person's list until its next message.", path: [.conversation],
            answer: .done, problems: [.noSuchConversation], Self.hide),
        NativeRoute(
            "PUT", "/conversations/{conversation}/draft", "setDraft", "Keeps what is not sent yet; empty removes it.",
            path: [.conversation], body: [.required("text", .text(0...ConversationBounds.draftBytes / 4))],
            answer: .done, problems: [.noSuchConversation], Self.setDraft),
        NativeRoute(
            "PUT", "/conversations/{conversation}/read", "markRead", "Notes that everything up to a message is read.",
            path: [.conversation], body: [.required("sequence", .count)], answer: .ok(Self.value),
            problems: [.noSuchConversation], Self.markRead),
        NativeRoute(
            "POST", "/conversations/{conversation}/typing", "typing",
            "Shows the others in the conversation who are online that the person is writing; nothing is kept of it.",
            path: [.conversation], answer: .done, problems: [.noSuchConversation], Self.showTyping),
        NativeRoute(
            "POST", "/conversations/{conversation}/leave", "leave", "Leaves a group.", path: [.conversation],
            answer: .done, problems: [.noSuchConversation, .notMember, .notApplicable, .ownerMustTransfer], Self.leave),
    ]

    // MARK: The list

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        let (limit, user, reader, words) = (call.limit, call.user, call.reader, call.words)
        var mark: RecentMark?
        if let text = call.input.text("cursor") {
            mark = RecentMark(text)
            if mark == nil { throw Problem(.unusableField, "cursor is none of this request", field: "cursor") }
        }
        let after = mark
        call.read { store throws(StoreError) in
            let kinds = MessageKinds(try store.moderation.messageKinds())
            let found = try store.inbox.recent(of: user, limit: limit + 1, after: after)
            var values: [NativeConversation] = []
            for recent in found.prefix(limit) { values.append(try reader.conversation(recent, kinds, in: store)) }
            let next = found.count > limit ? values.last.map { RecentMark($0.recent).text } : nil
            return (values: values, next: next, cursor: try NativeServices.cursor(of: store))
        } then: { found in
            call.meet(found.values.compactMap(\.peer)) {
                call.reply(
                    .native(cursor: found.cursor) { writer in
                        writer.page(next: found.next) { writer in
                            for value in found.values { value.write(to: &writer, words) }
                        }
                    })
            }
        }
    }

    @Sendable private static func one(_ call: NativeCall) throws(Problem) {
        let (id, reader, words) = (call.conversation, call.reader, call.words)
        call.read { store throws(StoreError) in
            (value: try reader.knownConversation(id, in: store), cursor: try NativeServices.cursor(of: store))
        } then: { found in
            call.meet([found.value.peer].compactMap { $0 }) {
                call.reply(.native(cursor: found.cursor) { found.value.write(to: &$0, words) })
            }
        }
    }

    @Sendable private static func configuration(_ call: NativeCall) throws(Problem) {
        let (id, user) = (call.conversation, call.user)
        call.read { store throws(StoreError) in
            guard let conversation = try store.conversations.one(id),
                let member = try store.conversations.member(user, in: id)
            else {
                throw .refused(.noSuchConversation)
            }
            return try store.sessionSettings.sessionSettings(in: id).effective(conversation.kind, member.role)
        } answer: { settings in
            .native { writer in
                writer.beginObject()
                writer.key("configuration")
                SessionConfiguration.write(settings, to: &writer)
                writer.endObject()
            }
        }
    }

    // MARK: Making

    @Sendable private static func make(_ call: NativeCall) throws(Problem) {
        if call.input.known("kind") == "direct" { return try self.makeDirect(call) }
        let (user, reader, words) = (call.user, call.reader, call.words)
        let names = (call.input.texts("members") ?? []).compactMap(UserName.init)
        let title = call.input.known("title")
        let channel = self.name(of: user, call.input.text("clientToken"))
        call.write { store throws(StoreError) in
            if let known = try store.reading.conversations.one(.channel(.group, channel), seenBy: user) {
                guard known.creator == user else { throw .exists("the group") }
                return try reader.knownConversation(known.id, in: store.reading)
            }
            var members: [UserID] = []
            for name in names {
                guard let person = try store.reading.people.user(named: name) else { throw .refused(.noSuchUser) }
                // Who has blocked the person is not brought into a group by them.
                let isBlocked = try store.reading.people.isListed(user, by: person.id, on: .blocked)
                if isBlocked || person.id == user { continue }
                members.append(person.id)
            }
            // As the groups of other protocols: members bring others, managers change the card, nobody comes unasked.
            let id = try store.conversations.createChannel(
                .group, channel, title: title, creator: user, members: members, settings: .open, asTeam: true)
            return try reader.knownConversation(id, in: store.reading)
        } answer: { value in
            .native(201) { value.write(to: &$0, words) }
        }
    }

    /// Name of a group for other protocols: the same for the same token of the same person, else random.
    private static func name(of user: UserID, _ token: String?) -> ChannelName {
        let mark =
            token.map { StableHash.xxh64($0, seed: UInt64(bitPattern: user.rawValue)) } ?? .random(in: 0...UInt64.max)
        let text = "n\(String(user.rawValue, radix: 36))x\(String(mark, radix: 36))"
        guard let name = ChannelName(text) else { preconditionFailure("letters and digits are a name") }
        return name
    }

    @Sendable private static func makeDirect(_ call: NativeCall) throws(Problem) {
        guard let name = UserName(call.input.known("with")), name != systemUserName else {
            throw Problem(.noSuchUser, "there is no such person")
        }
        let (user, reader, words) = (call.user, call.reader, call.words)
        call.write { store throws(StoreError) in
            guard let other = try store.reading.people.user(named: name), other.deletedAtMilliseconds == nil else {
                throw .refused(.noSuchUser)
            }
            let id = try store.conversations.ensureDirect(user, other.id)
            try store.inbox.showConversation(user, id)
            return try reader.knownConversation(id, in: store.reading)
        } answer: { value in
            .native(201) { value.write(to: &$0, words) }
        }
    }

    // MARK: Changing

    /// Changes something about a conversation that the person is in, and answers with what it is then.
    private static func change(
        _ call: NativeCall, _ body: @escaping @Sendable (WriteTransaction, ConversationID) throws(StoreError) -> Void
    ) {
        let (id, reader, words) = (call.conversation, call.reader, call.words)
        call.write { store throws(StoreError) in
            _ = try reader.knownConversation(id, in: store.reading)
            try body(store, id)
            return try reader.knownConversation(id, in: store.reading)
        } answer: { value in
            .native { value.write(to: &$0, words) }
        }
    }

    /// The same without an answer.
    private static func changeSilently(
        _ call: NativeCall, _ body: @escaping @Sendable (WriteTransaction, ConversationID) throws(StoreError) -> Void
    ) {
        let (id, user) = (call.conversation, call.user)
        call.write { store throws(StoreError) in
            guard try store.reading.conversations.member(user, in: id) != nil else {
                throw .refused(.noSuchConversation)
            }
            try body(store, id)
        } answer: {
            .done
        }
    }

    @Sendable private static func change(_ call: NativeCall) throws(Problem) {
        let patch = try CardPatch(call.input)
        let (user, reader, words) = (call.user, call.reader, call.words)
        call.changeTeam(patch.actions) { store, id throws(StoreError) in
            try patch.apply(to: id, by: user, store)
            return try reader.knownConversation(id, in: store.reading)
        } then: { value in
            call.answer { value.write(to: &$0, words) }
        }
    }

    @Sendable private static func changeSettings(_ call: NativeCall) throws(Problem) {
        var patch = PreferencePatch()
        patch.isPinned = call.input.flag("isPinned")
        patch.isSilenced = call.input.flag("isMuted")
        patch.remark = call.input.text("remark")
        let (wanted, user) = (patch, call.user)
        self.change(call) { store, id throws(StoreError) in try store.inbox.setPreference(user, in: id, wanted) }
    }

    @Sendable private static func setDraft(_ call: NativeCall) throws(Problem) {
        var patch = PreferencePatch()
        patch.draft = call.input.known("text")
        let (wanted, user) = (patch, call.user)
        self.changeSilently(call) { store, id throws(StoreError) in try store.inbox.setPreference(user, in: id, wanted)
        }
    }

    @Sendable private static func showTyping(_ call: NativeCall) throws(Problem) {
        let (id, person) = (call.conversation, call.person)
        call.read { store throws(StoreError) in
            guard try store.conversations.member(person.user, in: id) != nil else {
                throw .refused(.noSuchConversation)
            }
        } then: {
            call.services.broker.publishTyping(in: id, by: person.user, person.name)
            call.done()
        }
    }

    @Sendable private static func hide(_ call: NativeCall) throws(Problem) {
        let user = call.user
        self.changeSilently(call) { store, id throws(StoreError) in try store.inbox.hideConversation(user, id) }
    }

    @Sendable private static func leave(_ call: NativeCall) throws(Problem) {
        let user = call.user
        self.changeSilently(call) { store, id throws(StoreError) in try store.conversations.leave(id, user) }
    }

    @Sendable private static func markRead(_ call: NativeCall) throws(Problem) {
        let (user, wanted) = (call.user, call.input.integer("sequence") ?? 0)
        self.change(call) { store, id throws(StoreError) in
            try store.messages.reportRead(user, in: id, upTo: wanted)
        }
    }
}

extension NativeReader {
    /// A conversation that the person is in.
    ///
    /// - Throws: `refused(.noSuchConversation)` for any other.
    func knownConversation(_ id: ConversationID, in store: ReadTransaction) throws(StoreError) -> NativeConversation {
        guard let found = try self.conversation(id, in: store) else { throw .refused(.noSuchConversation) }
        return found
    }
}

extension RecentMark {
    /// Reads the text of a cursor; `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "0" || parts[0] == "1", let moment = Int64(parts[1], radix: 36),
            let id = Int64(parts[2], radix: 36)
        else { return nil }
        self.init(isPinned: parts[0] == "1", activeAtMilliseconds: moment, id: ConversationID(rawValue: id))
    }

    /// Text of the cursor.
    var text: String {
        let moment = String(self.activeAtMilliseconds, radix: 36)
        return "\(self.isPinned ? 1 : 0)-\(moment)-\(String(self.id.rawValue, radix: 36))"
    }
}
