package import ChatModel

extension WriteTransaction {
    /// Changes of commands for clients.
    package var commands: CommandWrites { CommandWrites(transaction: self) }
}

/// Changes of commands for clients. Valid as long as its transaction.
package struct CommandWrites {
    let transaction: WriteTransaction
}

/// A command that was added to the log.
package struct CommandAdded: Sendable {
    /// The command as it is in the log, with its id and sequence.
    package var command: StoredCommand
    /// Everyone it is for.
    package var receivers: [UserID]
}

// The log of commands: what clients are to do, for those who are away.
extension CommandWrites {
    /// Adds a command for everyone in a conversation, or for some people.
    ///
    /// - Throws: `notFound`; `invalid` for nobody, too many people, or a body above the largest of a message.
    @discardableResult
    package func add(_ new: NewCommand) throws(StoreError) -> CommandAdded {
        let sender = try self.transaction.knownUser(new.sender)
        guard new.content.body.count <= Appender.maximumBodyBytes else { throw .invalid("the command is too long") }
        let receivers = try self.receivers(of: new.target)
        let (conversation, audience) = try self.audience(of: new.target)
        let id = self.transaction.nextMessageID()
        if new.replacesEqual, let conversation, let audience {
            try self.removeEqual(new, in: conversation, audience)
        }
        try self.insert(new, id: id, conversation, audience)
        let sequence = self.transaction.connection.lastInsertedID
        if case .people = new.target {
            for receiver in receivers {
                try self.transaction.connection.run(
                    "INSERT INTO command_receiver (user_id, sequence) VALUES (?, ?)", receiver, sequence)
            }
        }
        let command = StoredCommand(
            sequence: sequence, id: id, conversation: conversation, sender: new.sender, senderName: sender.name,
            channel: new.channel, kind: new.kind, sentAtMilliseconds: self.transaction.wallMilliseconds,
            clientToken: new.clientToken, content: new.content)
        return CommandAdded(command: command, receivers: receivers)
    }

    /// A command for those who are online, without a trace: its sequence is 0.
    ///
    /// - Throws: as `add`.
    package func pass(_ new: NewCommand) throws(StoreError) -> CommandAdded {
        let sender = try self.transaction.knownUser(new.sender)
        guard new.content.body.count <= Appender.maximumBodyBytes else { throw .invalid("the command is too long") }
        let receivers = try self.receivers(of: new.target)
        let (conversation, _) = try self.audience(of: new.target)
        let command = StoredCommand(
            sequence: 0, id: self.transaction.nextMessageID(), conversation: conversation, sender: new.sender,
            senderName: sender.name, channel: new.channel, kind: new.kind,
            sentAtMilliseconds: self.transaction.wallMilliseconds,
            clientToken: new.clientToken, content: new.content)
        return CommandAdded(command: command, receivers: receivers)
    }

    /// The newest commands of a conversation among which an equal one is looked for.
    private static let equalCommands = 64

    private func removeEqual(
        _ new: NewCommand, in conversation: ConversationID, _ audience: ConversationID
    ) throws(StoreError) {
        try self.transaction.connection.run(
            """
            DELETE FROM command WHERE sequence IN (
                SELECT sequence FROM command WHERE audience_id = ? ORDER BY sequence DESC LIMIT ?)
                AND conversation_id = ? AND client_token IS NULL AND channel = ? AND body = ?
            """, audience, Self.equalCommands, conversation, new.channel, new.content.body)
    }

    private func insert(
        _ new: NewCommand, id: MessageID, _ conversation: ConversationID?, _ audience: ConversationID?
    ) throws(StoreError) {
        let content = new.content
        try self.transaction.connection.run(
            """
            INSERT INTO command (id, conversation_id, audience_id, sender_id, sent_at, channel, kind, content_kind, flags,
                wire, expire, client_token, topic, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, id.rawValue, conversation, audience, new.sender, self.transaction.wallMilliseconds, new.channel,
            new.kind.rawValue, Int64(content.kind.rawValue), content.flags.rawValue, content.wire.rawValue,
            Int64(content.expireSeconds), new.clientToken?.bytes, content.topic, content.body)
    }

    private func receivers(of target: CommandTarget) throws(StoreError) -> [UserID] {
        switch target {
        case .conversation(let id):
            return try self.transaction.memory.receivers(of: try self.transaction.knownConversation(id))
        case .people(let users):
            let people = WriteTransaction.withoutRepeats(users)
            guard (1...ConversationBounds.commandReceivers).contains(people.count) else {
                throw .invalid(
                    "a command is for 1 to \(ConversationBounds.commandReceivers) people, not \(people.count)")
            }
            for user in people { _ = try self.transaction.knownUser(user) }
            return people
        }
    }

    private func audience(
        of target: CommandTarget
    ) throws(StoreError) -> (conversation: ConversationID?, audience: ConversationID?) {
        guard case .conversation(let id) = target else { return (nil, nil) }
        return (id, try self.transaction.memory.home(of: try self.transaction.knownConversation(id)).id)
    }

    /// Notes how far a person has acknowledged commands. The position only rises, and ends at the newest command.
    ///
    /// - Parameter single: only the command `sequence` is acknowledged, so that the position stays while an earlier one
    ///   of this person's is not.
    /// - Returns: the position afterwards.
    /// - Throws: `notFound`.
    @discardableResult
    package func acknowledge(
        _ user: UserID, upTo sequence: Int64, single: Bool
    ) throws(StoreError) -> Int64 {
        _ = try self.transaction.knownUser(user)
        let position = try self.transaction.reading.commands.position(user)
        let target = min(sequence, try self.transaction.reading.commands.newest())
        guard target > position else { return position }
        if single {
            let next = try self.transaction.reading.commands.page(for: user, after: position, limit: 1).first
            guard let next, next.sequence >= target else { return position }
        }
        try self.transaction.connection.run(
            "INSERT OR REPLACE INTO command_position (user_id, sequence) VALUES (?, ?)", user, target)
        return target
    }
}
