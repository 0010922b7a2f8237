package import ChatModel
package import Store

/// Commands: what an app's devices are to do, told to those who are online and kept for the others when asked to.
extension Broker {
    /// Sends a command by the right of the server. What is kept is on the disk before anybody gets it, and commands
    /// keep the order in which they were given.
    ///
    /// - Parameters:
    ///   - person: whose doing it is. What one person has kept has a rate, so that nobody can push the commands of
    ///     others out of the log; above it a command reaches who is online, as one that is not kept. `nil`: the server,
    ///     its operator or a business server, without a rate.
    ///   - then: runs on the writer's thread, or on the one that finds the writer too busy.
    package func publishCommand(
        _ command: NewCommand, isKept: Bool, causedBy person: UserID? = nil,
        then: @escaping @Sendable (Result<StoredCommand, StoreError>) -> Void
    ) {
        self.ask { core in
            let isWithinRate = person.map { isKept && core.mayKeepCommand(of: $0) } ?? isKept
            self.writeCommand(command, isKept: isWithinRate, then: then)
        }
    }

    private func writeCommand(
        _ command: NewCommand, isKept: Bool, then: @escaping @Sendable (Result<StoredCommand, StoreError>) -> Void
    ) {
        var command = command
        if isKept {
            command.content.flags.insert(.syncOnce)
            command.content.flags.remove(.transient)
        } else {
            command.content.flags.insert(.transient)
        }
        let new = command
        self.store.write { transaction throws(StoreError) in
            let added = isKept ? try transaction.commands.add(new) : try transaction.commands.pass(new)
            return (added, try Self.peerName(of: added.command, transaction.reading))
        } then: { result in
            if case .success(let (added, peerName)) = result {
                let delivery = Self.delivery(added.command, peerName: peerName)
                self.ask { core in core.route(delivery, to: added.receivers) }
            }
            then(result.map(\.0.command))
        }
    }

    /// In a direct conversation, the name of the one who is not the sender.
    private static func peerName(
        of command: StoredCommand, _ transaction: ReadTransaction
    ) throws(StoreError) -> UserName? {
        guard let conversation = command.conversation,
            let pair = try transaction.conversations.directPair(of: conversation)
        else {
            return nil
        }
        return try transaction.people.user(pair.low == command.sender ? pair.high : pair.low)?.name
    }

    private static func delivery(_ command: StoredCommand, peerName: UserName?) -> Delivery {
        let message = Message(
            conversation: command.conversation ?? ConversationID(rawValue: 0), sequence: command.sequence,
            id: command.id, sender: command.sender, senderName: command.senderName,
            sentAtMilliseconds: command.sentAtMilliseconds, clientToken: command.clientToken,
            content: command.content)
        return Delivery(
            message: message, kind: command.kind, channel: ChannelName(command.channel), peerName: peerName, origin: 0,
            isCommand: true)
    }

    /// Notes that a person's devices have acted on commands: on all up to `sequence`, or on this `single` one.
    package func acknowledgeCommand(
        user: UserID, sequence: Int64, single: Bool,
        then: @escaping @Sendable (Result<Int64, StoreError>) -> Void = { _ in }
    ) {
        self.store.write(
            { transaction throws(StoreError) in
                try transaction.commands.acknowledge(user, upTo: sequence, single: single)
            }, then: then)
    }

    /// A session's device has acted on one command. It counts for its person when the device is a primary one, or when
    /// the person has no primary one online. Source: WuKongIM server, which takes it from master devices only.
    package func acknowledgeCommand(from session: SessionID, sequence: Int64) {
        self.ask { core in
            guard let user = core.speaksForPerson(session) else { return }
            self.acknowledgeCommand(user: user, sequence: sequence, single: true)
        }
    }
}
