import AdminAPI
import ChatModel
import Store

extension AdminHandler {
    func listConversations(after: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let rows = AdminProtocol.pageRows
            let found = try transaction.conversations.all(after: ConversationID(rawValue: after ?? 0), limit: rows)
            var conversations: [AdminConversation] = []
            for conversation in found {
                conversations.append(try Self.shown(conversation, transaction))
            }
            return .conversations(conversations, next: found.count == rows ? found.last?.id.rawValue : nil)
        }
    }

    func show(_ conversation: String, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            .conversation(try Self.detail(try Self.find(conversation, transaction).id, transaction))
        }
    }

    func listMessages(_ conversation: String, before: Int64?, limit: Int64, _ then: @escaping Answer) {
        let limit = Int(max(1, min(limit, Int64(AdminProtocol.pageMessages))))
        self.read(then) { transaction throws(StoreError) in
            let conversation = try Self.find(conversation, transaction)
            let messages = try transaction.messages.page(
                in: conversation.id, before: before ?? .max, limit: limit, as: .unrestricted)
            return .messages(try Self.current(messages, in: conversation, self.moderation.kinds, transaction))
        }
    }

    /// Messages as people see them now.
    static func current(
        _ messages: [Message], in conversation: Conversation, _ kinds: MessageKinds, _ transaction: ReadTransaction
    ) throws(StoreError) -> [AdminMessage] {
        try Self.current(messages, in: try Self.shown(conversation, transaction), kinds, transaction)
    }

    /// The same of a conversation whose names are known.
    static func current(
        _ messages: [Message], in shown: AdminConversation, _ kinds: MessageKinds, _ transaction: ReadTransaction
    ) throws(StoreError) -> [AdminMessage] {
        let extras = try transaction.messages.extras(
            of: messages.map(\.sequence), in: ConversationID(rawValue: shown.number), for: nil)
        let names = try transaction.shownNames(of: messages.map(\.senderName))
        return messages.map { message in
            AdminMessage(message, extras[message.sequence], conversationName: shown.name, kinds: kinds)
                .named(names[message.senderName], in: shown)
        }
    }

    /// The number of the conversation that somebody wants to follow; `nil` for all.
    func resolve(_ conversation: String?, then: @escaping @Sendable (Result<Int64?, AdminError>) -> Void) {
        guard let conversation else { return then(.success(nil)) }
        self.store.read(
            for: .operator,
            { transaction throws(StoreError) -> Int64? in
                try Self.find(conversation, transaction).id.rawValue
            }
        ) { then($0.mapError { AdminError($0) }) }
    }
}

// MARK: Looking up

extension AdminHandler {
    static func users(_ names: [UserName], _ transaction: WriteTransaction) throws(StoreError) -> [UserID] {
        var ids: [UserID] = []
        for name in names { ids.append(try transaction.reading.existingUser(name).id) }
        return ids
    }

    /// Finds the conversation that an operator means: a group's name, two people's names, `id:` and a number, a room's
    /// name, or the object id that LeanCloud's apps have for it, tried in this order.
    static func find(_ text: String, _ transaction: ReadTransaction) throws(StoreError) -> Conversation {
        if let name = ChannelName(text),
            let group = try transaction.conversations.one(.channel(.group, name), seenBy: .system)
        {
            return group
        }
        // A name may hold commas itself: every place to cut is tried.
        for comma in text.indices where text[comma] == "," {
            guard let one = UserName(String(text[..<comma])),
                let other = UserName(String(text[text.index(after: comma)...])),
                let asker = try transaction.people.user(named: one)
            else { continue }
            if let direct = try transaction.conversations.one(.direct(other), seenBy: asker.id) { return direct }
        }
        if text.hasPrefix("id:"), let number = Int64(text.dropFirst(3)),
            let found = try transaction.conversations.one(ConversationID(rawValue: number))
        {
            return found
        }
        if let name = ChannelName(text),
            let room = try transaction.conversations.one(.channel(.room, name), seenBy: .system)
        {
            return room
        }
        if let object = ObjectID(text), let found = try transaction.conversations.one(.object(object), seenBy: .system)
        {
            return found
        }
        throw .notFound("conversation \(text)")
    }

    static func detail(
        _ id: ConversationID, _ transaction: ReadTransaction
    ) throws(StoreError) -> AdminConversationDetail {
        guard let conversation = try transaction.conversations.one(id) else { throw .notFound("the conversation") }
        let members = try transaction.conversations.members(of: id).prefix(AdminProtocol.pageRows)
        let card = try transaction.conversations.card(of: id)
        var detail = AdminConversationDetail(
            conversation: try Self.shown(conversation, transaction),
            notice: card?.notice,
            members: try Self.shown(members, conversation, transaction),
            listenerCount: Int64(try transaction.conversations.listenerCount(of: id)),
            attributes: card?.attributes.map { String(decoding: $0, as: UTF8.self) })
        detail.objectID = conversation.objectID.text
        if let row = try transaction.apps.objectRows([id], seenBy: .system).first {
            detail.isUnique = row.uniqueID != nil
            detail.expiresAtMilliseconds = row.expiresAtMilliseconds
            detail.ownFields = row.fields.map { String(decoding: $0, as: UTF8.self) }
        }
        return detail
    }

    /// A conversation with its name, and a direct one with the names shown for its two users.
    static func shown(
        _ conversation: Conversation, _ transaction: ReadTransaction
    ) throws(StoreError) -> AdminConversation {
        if let channel = conversation.channel { return AdminConversation(conversation, name: channel.text) }
        guard let pair = try transaction.conversations.directPair(of: conversation.id) else {
            return AdminConversation(conversation, name: "")
        }
        var users: [User] = []
        for id in [pair.low, pair.high] {
            if let user = try transaction.people.user(id) { users.append(user) }
        }
        // In the order of the name.
        users.sort { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
        let names = users.map(\.name.text)
        var shown = AdminConversation(conversation, name: directName(names.first ?? "", names.dropFirst().first ?? ""))
        shown.isSystem = pair.low == .system || pair.high == .system
        if users.contains(where: { $0.displayName != nil }) {
            shown.people = users.map { $0.displayName ?? $0.name.text }
        }
        return shown
    }

    static func name(
        of conversation: Conversation, _ transaction: ReadTransaction
    ) throws(StoreError) -> String {
        try Self.shown(conversation, transaction).name
    }

    /// Members with the names that people see.
    static func shown(
        _ members: some Sequence<Member>, _ conversation: Conversation, _ transaction: ReadTransaction
    ) throws(StoreError) -> [AdminMember] {
        var shown: [AdminMember] = []
        for member in members {
            let displayName = try transaction.people.user(member.user)?.displayName
            shown.append(
                AdminMember(member, displayName: displayName, headCountable: conversation.headCountable))
        }
        return shown
    }
}

extension AdminConversation {
    /// Title, or the names shown for the two users; `nil` for none.
    var shortTitle: String? { self.people.isEmpty ? self.title : self.people.joined(separator: ", ") }
}

extension AdminMessage {
    /// The same with the names that people see.
    func named(_ sender: String?, in conversation: AdminConversation) -> AdminMessage {
        var message = self
        message.senderName = sender
        message.conversationTitle = conversation.shortTitle
        return message
    }
}

extension ReadTransaction {
    /// Names that people see, by the names of their accounts; an account without one is left out.
    func shownNames(of names: some Sequence<UserName>) throws(StoreError) -> [UserName: String] {
        var shown: [UserName: String] = [:]
        for name in Set(names) { shown[name] = try self.people.user(named: name)?.displayName }
        return shown
    }
}
