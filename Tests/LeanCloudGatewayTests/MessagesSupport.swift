import ChatModel
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

extension TestServer {
    /// The name of the conversation of two people, who are added when missing.
    func directID(_ one: String, _ other: String) throws -> String {
        try self.add([one, other])
        let (first, second) = (try self.id(one), try self.id(other))
        return try self.write { transaction throws(StoreError) in
            let id = try transaction.conversations.ensureDirect(first, second)
            return try transaction.reading.conversations.one(id)?.objectID.text ?? ""
        }
    }

    func groupID(_ channel: String, _ names: [String]) throws -> String {
        let id = try self.group(channel, names)
        return try self.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.one(id)?.objectID.text ?? ""
        }
    }
}

/// The content of a text message, as the SDKs write it.
func typed(_ text: String) -> String { TypedMessage(.text, text: text).content }

extension LeanCloudClient {
    /// Sends a message and waits for its acknowledgement.
    @discardableResult
    func say(
        _ content: String, in cid: String, priority: Int32? = nil, _ fill: (inout DirectCommand) -> Void = { _ in }
    ) throws -> AckCommand {
        let answer = try self.request(.direct) { command in
            command.priority = priority
            var direct = DirectCommand()
            direct.cid = cid
            direct.msg = content
            fill(&direct)
            command.directMessage = direct
        }
        guard answer.cmd == .ack, let ack = answer.ackMessage else {
            throw TestClientError(description: "no acknowledgement: \(answer)")
        }
        return ack
    }

    func nextMessage() throws -> DirectCommand {
        guard let message = try self.wait(.direct).directMessage else {
            throw TestClientError(description: "a direct command without a message")
        }
        return message
    }

    /// Says that messages arrived; nobody answers that.
    func acknowledge(_ fill: (inout AckCommand) -> Void) throws {
        var command = GenericCommand()
        command.cmd = .ack
        command.peerId = self.peer
        var ack = AckCommand()
        fill(&ack)
        command.ackMessage = ack
        try self.send(command)
    }

    func read(_ cid: String, mid: String? = nil, timestamp: Int64? = nil, number: Int32? = nil) throws {
        var command = GenericCommand()
        command.cmd = .read
        command.peerId = self.peer
        command.i = number
        var tuple = ReadTuple()
        tuple.cid = cid
        tuple.mid = mid
        tuple.timestamp = timestamp
        var read = ReadCommand()
        read.convs = [tuple]
        command.readMessage = read
        try self.send(command)
    }

    func history(_ cid: String, _ fill: (inout LogsCommand) -> Void = { _ in }) throws -> [LogItem] {
        let answer = try self.request(.logs) { command in
            var logs = LogsCommand()
            logs.cid = cid
            fill(&logs)
            command.logsMessage = logs
        }
        guard let logs = answer.logsMessage else { throw TestClientError(description: "no history: \(answer)") }
        return logs.logs
    }

    func change(_ cid: String, _ mid: String?, at time: Int64?, _ fill: (inout PatchItem) -> Void) throws
        -> GenericCommand
    {
        try self.request(.patch, .modify) { command in
            var item = PatchItem()
            item.cid = cid
            item.mid = mid
            item.timestamp = time
            fill(&item)
            var patch = PatchCommand()
            patch.patches = [item]
            command.patchMessage = patch
        }
    }

    func nextPatch() throws -> PatchItem {
        let command = try self.wait("a patch") { $0.cmd == .patch && $0.op == .modify }
        return try #require(command.patchMessage?.patches.first)
    }

    /// Messages that have arrived and were not taken.
    func messagesWaiting() throws -> [DirectCommand] {
        try self.settle()
        return self.waiting.compactMap(\.directMessage)
    }
}

extension TestServer {
    /// Waits until the store has that a person got a conversation's messages.
    func waitForAcknowledged(_ name: String, in cid: String, upTo sequence: Int64) throws {
        let user = try self.id(name)
        let address = ConversationAddress.object(try #require(ObjectID(cid)))
        // Acknowledgements have no answer: one that changes nothing is written behind them.
        while try self.server.store.writeAndWait({ transaction throws(StoreError) -> Bool in
            guard let conversation = try transaction.reading.conversations.one(address, seenBy: user) else {
                return false
            }
            return try transaction.reading.inbox.backlog(of: user, perConversation: 1, limit: 1).contains {
                $0.conversation.id == conversation.id
            }
        }) {}
    }
}
