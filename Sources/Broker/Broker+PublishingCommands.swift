package import ChatModel
package import Store

extension Broker {
    /// Makes a command in the store and shows it to those of its receivers who are online. `then` runs on the store's
    /// writer, on the caller's thread when the store refuses at once.
    ///
    /// - Parameter make: adds the command to the log, or passes it without.
    package func publishCommand(
        _ make: @escaping @Sendable (WriteTransaction) throws(StoreError) -> CommandAdded,
        then: @escaping @Sendable (Result<StoredCommand, StoreError>) -> Void
    ) {
        self.store.write(make) { result in
            switch result {
            case .success(let added):
                self.show(added)
                then(.success(added.command))
            case .failure(let error): then(.failure(error))
            }
        }
    }

    /// Hands a command to the sessions of its receivers. Those who are away find it in the log, when it is there.
    private func show(_ added: CommandAdded) {
        let command = added.command
        let message = Message(
            conversation: command.conversation ?? ConversationID(rawValue: 0), sequence: command.sequence,
            id: command.id, sender: command.sender, senderName: command.senderName,
            sentAtMilliseconds: command.sentAtMilliseconds, clientToken: command.clientToken, content: command.content)
        let delivery = Delivery(
            message: message, kind: command.kind, channel: ChannelName(command.channel), peerName: nil, origin: 0,
            isCommand: true)
        self.ask { core in core.route(delivery, to: added.receivers) }
    }
}
