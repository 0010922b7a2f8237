package import ChatModel

extension WriteTransaction {
    /// A command for people that is not kept: id and time, no place in the log, no trace.
    ///
    /// - Throws: `notFound`; `invalid` for nobody, too many people, or a body above the largest of a message.
    package func passCommand(_ new: NewCommand, to people: [UserID]) throws(StoreError) -> CommandAdded {
        let sender = try self.knownUser(new.sender)
        let receivers = Self.withoutRepeats(people)
        guard (1...ConversationBounds.commandReceivers).contains(receivers.count) else {
            throw .invalid(
                "a command is for 1 to \(ConversationBounds.commandReceivers) people, not \(receivers.count)")
        }
        guard new.content.body.count <= Appender.maximumBodyBytes else { throw .invalid("the command is too long") }
        let command = StoredCommand(
            sequence: 0, id: self.nextMessageID(), conversation: nil, sender: new.sender, senderName: sender.name,
            channel: new.channel, kind: new.kind, sentAtMilliseconds: self.wallMilliseconds,
            clientToken: new.clientToken, content: new.content)
        return CommandAdded(command: command, receivers: receivers)
    }
}
