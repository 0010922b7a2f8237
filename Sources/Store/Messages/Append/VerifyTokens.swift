import ChatModel

// What points at messages from outside: client tokens, delivery positions, acknowledgements of clients.
extension Verifier {
    /// Every indexed client token leads to a message that was sent with it.
    func checkTokens(_ tokens: TokenIndex) throws(StoreError) {
        let rows = try self.connection.statement(
            """
            SELECT t.key, t.conversation_id, t.sequence, m.sender_id, m.client_token FROM client_token t
            LEFT JOIN message m ON m.conversation_id = t.conversation_id AND m.sequence = t.sequence
            """)
        defer { rows.reset() }
        while try rows.step() {
            self.notes.report.clientTokens += 1
            let row = rows.row
            let token = row.optionalBlob(4).flatMap(ClientToken.init)
            let isRight = token.map { tokens.key($0, row.userID(3), row.conversationID(1)) == row.int64(0) } ?? false
            guard !isRight else { continue }
            let what = row.isNull(3) ? "does not exist" : "was sent with another one"
            self.notes.add(
                .token,
                """
                Conversation number \(row.int64(1)): a client token leads to message \(row.int64(2)), which \(what). \
                Keep the folder and report it.
                """)
        }
    }

    func checkDelivered() throws(StoreError) {
        let rows = try self.connection.query(
            """
            SELECT u.name, d.device_class, d.conversation_id, d.sequence, c.head
            FROM delivered d JOIN conversation c ON c.id = d.conversation_id JOIN user u ON u.id = d.user_id
            WHERE d.sequence > c.head
            """
        ) { row throws(StoreError) in
            "\(row.text(0)) acknowledged message \(row.int64(3)) of conversation number \(row.int64(2)) "
                + "on \(row.text(1)), which has only \(row.int64(4))"
        }
        for row in rows {
            self.notes.add(.delivered, "\(row): they will miss messages. Restore the last backup.")
        }
    }

    // MARK: Acknowledged messages

    func check(_ expectation: VerifyExpectation) throws(StoreError) {
        self.notes.report.expectations += 1
        let what = "Message \(expectation.sequence) of \(expectation.sender) in \(Self.describe(expectation.place))"
        guard let conversation = try self.conversation(at: expectation.place) else {
            return self.notes.add(
                .missing, "\(what) was acknowledged, but the conversation does not exist. Restore the last backup.")
        }
        let found = try self.connection.message(in: conversation, sequence: expectation.sequence) {
            user throws(StoreError) in
            try self.connection.loadUserState(user)?.name ?? systemUserName
        }
        guard let found else {
            return self.notes.add(
                .missing, "\(what) was acknowledged, but is not there. Restore the last backup.")
        }
        var body = found.content.body
        if found.content.flags.contains(.withdrawn) {
            body = try self.originalBody(in: conversation.rawValue, sequence: found.sequence) ?? body
        }
        // Where the server has changed it on its way in, the hash says what was sent.
        if try self.sentHash(in: conversation, sequence: found.sequence) == XXHash.of(expectation.body) {
            body = expectation.body
        }
        let differences = Self.differences(found, body, expectation)
        guard !differences.isEmpty else { return }
        self.notes.add(
            .different,
            "\(what) was acknowledged, but differs in \(differences.joined(separator: ", ")). Keep the folder and report it."
        )
    }

    /// Hash of the body a message was sent with, when that is not the stored one.
    private func sentHash(in id: ConversationID, sequence: Int64) throws(StoreError) -> Int64? {
        let sql: StaticString = "SELECT sent_hash FROM message WHERE conversation_id = ? AND sequence = ?"
        return try self.connection.first(sql, id, sequence) { row throws(StoreError) in row.optionalInt64(0) } ?? nil
    }

    private func conversation(at place: VerifyExpectation.Place) throws(StoreError) -> ConversationID? {
        switch place {
        case .id(let id): return id
        case .channel(let kind, let name):
            return try self.connection.conversationID(of: ChannelKey(kind: kind, name: name))
        case .direct(let one, let other):
            guard let one = try self.connection.userID(of: one), let other = try self.connection.userID(of: other)
            else { return nil }
            return try self.connection.conversationID(of: DirectPair(one, other))
        }
    }

    private static func describe(_ place: VerifyExpectation.Place) -> String {
        switch place {
        case .id(let id): "conversation number \(id.rawValue)"
        case .channel(_, let name): "conversation \(name)"
        case .direct(let one, let other): "the conversation of \(one) and \(other)"
        }
    }

    private static func differences(
        _ found: Message, _ body: [UInt8], _ expected: VerifyExpectation
    ) -> [String] {
        var differences: [String] = []
        if found.id != expected.id { differences.append("its id") }
        if found.senderName != expected.sender { differences.append("its sender") }
        if found.clientToken != expected.clientToken { differences.append("its client token") }
        if body != expected.body { differences.append("its body") }
        return differences
    }
}
