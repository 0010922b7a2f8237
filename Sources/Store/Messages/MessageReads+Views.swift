package import ChatModel

/// Person who reads a history.
struct Viewer: Hashable {
    let user: UserID
    let name: UserName
}

/// Part of a conversation's history that a person sees.
struct HistoryView {
    /// The first sequence that may be shown.
    var start: Int64 = 1
    /// `nil` for who sees everything as it is.
    var viewer: Viewer?
    var kind = ConversationKind.group

    /// Set where what is for others is not even told to be there: a page is filled without it.
    var onlyFor: UserName? { self.kind == .service ? self.viewer?.name : nil }
}

extension MessageReads {
    /// Reads a person's view of a conversation: from the first message or after the part a member has cleared, and
    /// after their joining where the operator has set that.
    ///
    /// - Throws: `notFound` for who is not in it.
    func view(of id: ConversationID, for access: HistoryAccess) throws(StoreError) -> HistoryView {
        let user: UserID
        switch access {
        case .unrestricted: return HistoryView()
        case .onBehalf(let person): return try self.view(of: id, onBehalfOf: person)
        case .member(let person): user = person
        }
        let showsAll = self.transaction.views.showsBeforeJoining
        let viewer = Viewer(user: user, name: try self.transaction.name(of: user))
        let sql: StaticString = """
            SELECT coalesce(p.cleared_through, 0) + 1, m.joined_sequence + 1, c.kind
            FROM member m JOIN conversation c ON c.id = m.conversation_id
            LEFT JOIN preference p ON p.user_id = m.user_id AND p.conversation_id = m.conversation_id
            WHERE m.conversation_id = ? AND m.user_id = ?
            """
        let found = try self.transaction.connection.first(sql, id, user) { row throws(StoreError) in
            HistoryView(
                start: showsAll ? row.int64(0) : max(row.int64(0), row.int64(1)), viewer: viewer,
                kind: try row.conversationKind(2))
        }
        if let found { return found }
        guard try self.transaction.conversations.hears(user, in: id),
            let conversation = try self.transaction.conversations.one(id)
        else {
            throw .notFound("the conversation")
        }
        var view = HistoryView(viewer: viewer, kind: conversation.kind)
        if !showsAll { view.start = try self.startAfterJoining(user, conversation) }
        return view
    }

    private func view(of id: ConversationID, onBehalfOf user: UserID) throws(StoreError) -> HistoryView {
        guard let conversation = try self.transaction.conversations.one(id) else { return HistoryView() }
        let viewer = Viewer(user: user, name: try self.transaction.name(of: user))
        var view = HistoryView(viewer: viewer, kind: conversation.kind)
        if !self.transaction.views.showsBeforeJoining,
            let member = try self.transaction.conversations.member(user, in: id)
        {
            view.start = member.joinedSequence + 1
        }
        return view
    }

    /// For who is in a conversation without a place of their own in it: members of a community in its topics, from when
    /// they became members; listeners from when they came.
    private func startAfterJoining(_ user: UserID, _ conversation: Conversation) throws(StoreError) -> Int64 {
        let sql: StaticString = """
            SELECT min(at) FROM (
                SELECT joined_at AS at FROM member WHERE conversation_id = ?1 AND user_id = ?3
                UNION ALL SELECT added_at FROM listener WHERE conversation_id = ?2 AND user_id = ?3)
            """
        let joinedAt = try self.transaction.connection.first(
            sql, try self.transaction.conversations.home(of: conversation.id), conversation.id, user
        ) {
            row throws(StoreError) in row.optionalInt64(0)
        }
        guard let joinedAt = joinedAt ?? nil else { return conversation.head + 1 }
        return try self.firstSequence(in: conversation.id, atOrAfter: joinedAt)
    }

    /// The message as somebody sees it; `nil` when it is not even told to be there.
    func seen(_ message: Message, _ view: HistoryView) throws(StoreError) -> Message? {
        guard let viewer = view.viewer else { return message }
        guard message.isFor(viewer.name) else { return message.forOthers(in: view.kind) }
        let filter = self.transaction.views.filter
        if filter.isEmpty { return message }
        let rule = filter.verdicts(on: message.content, from: message.sender)?.rule(for: viewer.user)
        return rule.map { message.filtered(by: $0.action) } ?? message
    }

    /// Messages that were read without restriction, as a member or listener sees them: what stands in the place of some is
    /// marked `MessageFlags.standIn`, and what is not even told to be there is left out.
    ///
    /// - Throws: `notFound` for who is not in the conversation.
    package func seen(
        _ messages: [Message], in id: ConversationID, by user: UserID
    ) throws(StoreError) -> [Message] {
        try self.seen(messages, try self.view(of: id, for: .member(user)))
    }

    /// People who are shown a message unchanged: it is for them, and no rule of the operator replaces it. Nobody else
    /// is to be woken for it.
    package func audience(of message: Message, among people: [UserID]) throws(StoreError) -> [UserID] {
        let verdicts = self.transaction.views.filter.verdicts(on: message.content, from: message.sender)
        guard message.isRestricted || verdicts != nil else { return people }
        var audience: [UserID] = []
        for user in people where verdicts?.rule(for: user) == nil {
            if message.isRestricted, try !message.isFor(self.transaction.name(of: user)) { continue }
            audience.append(user)
        }
        return audience
    }

    func seen(_ messages: [Message], _ view: HistoryView) throws(StoreError) -> [Message] {
        if view.viewer == nil { return messages }
        var seen: [Message] = []
        for message in messages { if let shown = try self.seen(message, view) { seen.append(shown) } }
        return seen
    }
}

extension Message {
    /// As its newest edit has it; `nil` without one.
    package func edited(_ extra: MessageExtra) -> Message? {
        guard let body = extra.editedBody else { return nil }
        var content = self.content
        content.body = body
        content.flags.subtract([.bodyIsJSONObject, .binary])
        if extra.editedBodyIsJSONObject { content.flags.insert(.bodyIsJSONObject) }
        if extra.editedBodyIsBinary { content.flags.insert(.binary) }
        if let wire = extra.editedWire { content.wire = wire }
        if let envelope = extra.editedEnvelope { content.envelope = envelope }
        return self.saying(content)
    }

    /// Nothing is shown of it.
    package var isUnseen: Bool { self.content.flags.contains(.unseen) }
    /// Not what was said, but what this reader is shown in its place.
    package var isStandIn: Bool { self.content.flags.contains(.standIn) }
}
