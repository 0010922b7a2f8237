import LeanCloudWire

@testable import BenchKit

/// A small server of LeanCloud's binary commands. Everyone who is signed in is a member of the one group, `g`; any token
/// is right but "wrong".
final class LeanCloudStub: WebSocketStub<String> {
    /// What goes wrong with every tenth message.
    enum Fault: Sendable {
        case none, lose, twice, refuse, cutCommand
    }

    static let appID = "the-app"
    private static let groupID = "0123456789abcdef01234567"

    private let fault: Fault
    private var messages: Int64 = 0
    /// Their members, by their ids.
    private var conversations: [String: [String]] = [:]

    private init(listener: Int32, stop: Int32, fault: Fault) {
        self.fault = fault
        super.init(listener: listener, stop: stop)
    }

    /// Serves in another thread for as long as `body` takes.
    static func serving<Result>(_ fault: Fault = .none, _ body: (Endpoint) throws -> Result) throws -> Result {
        try self.serving(making: { LeanCloudStub(listener: $0, stop: $1, fault: fault) }, body)
    }

    override var upgradeAnswer: String { super.upgradeAnswer + "Sec-WebSocket-Protocol: lc.protobuf2.3\r\n" }

    override func handle(_ message: UnsafeRawBufferPointer, _ peer: Peer) throws {
        let command = try GenericCommand(decoding: message)
        switch (command.cmd, command.op) {
        case (.session?, .open?): self.signIn(command, peer)
        case (.conv?, .start?): self.start(command, peer)
        case (.conv?, .query?): self.query(command, peer)
        case (.direct?, _): self.publish(command, peer)
        default: break
        }
    }

    private static func answer(_ request: GenericCommand, _ cmd: CommandType, _ op: OpType? = nil) -> GenericCommand {
        var command = GenericCommand()
        command.cmd = cmd
        command.op = op
        command.i = request.i
        command.service = 2
        return command
    }

    private func signIn(_ command: GenericCommand, _ peer: Peer) {
        guard command.appId == Self.appID, command.sessionMessage?.s != "wrong", let name = command.peerId else {
            var answer = Self.answer(command, .error)
            var fault = ErrorCommand()
            fault.code = 4102
            fault.reason = "SIGNATURE_FAILED"
            answer.errorMessage = fault
            return peer.send(answer.encoded())
        }
        peer.name = name
        peer.note = name
        peer.send(Self.answer(command, .session, .opened).encoded())
    }

    private func start(_ command: GenericCommand, _ peer: Peer) {
        let members = (command.convMessage?.m ?? []).sorted()
        let known = self.conversations.first { $0.value == members }?.key
        let digits = String(self.conversations.count, radix: 16)
        let id = known ?? String(repeating: "0", count: 24 - digits.count) + digits
        self.conversations[id] = members
        var answer = Self.answer(command, .conv, .started)
        var body = ConvCommand()
        body.cid = id
        answer.convMessage = body
        peer.send(answer.encoded())
    }

    private func query(_ command: GenericCommand, _ peer: Peer) {
        let isKnown = command.convMessage?.where?.data.contains(#""name":"g""#) == true
        var rows = JsonObjectMessage()
        rows.data = isKnown ? #"[{"objectId":"\#(Self.groupID)","name":"g"}]"# : "[]"
        var answer = Self.answer(command, .conv, .results)
        var body = ConvCommand()
        body.results = rows
        answer.convMessage = body
        peer.send(answer.encoded())
    }

    private func publish(_ command: GenericCommand, _ sender: Peer) {
        guard let direct = command.directMessage, let id = direct.cid else { return }
        self.messages += 1
        let fault = self.messages % 10 == 0 ? self.fault : .none
        var answer = Self.answer(command, .ack)
        var acknowledge = AckCommand()
        if fault == .refuse { acknowledge.code = 4401 } else { acknowledge.uid = self.messageID }
        acknowledge.t = self.messages
        acknowledge.cid = id
        answer.ackMessage = acknowledge
        sender.send(answer.encoded())
        guard fault != .lose, fault != .refuse else { return }
        for peer in self.peers where peer !== sender && peer.note != nil {
            guard id == Self.groupID || self.conversations[id]?.contains(peer.name) == true else { continue }
            var bytes = self.delivery(of: direct, from: sender.name)
            if fault == .cutCommand { bytes.removeLast() }
            for _ in 0..<(fault == .twice ? 2 : 1) { peer.send(bytes) }
        }
    }

    private var messageID: String {
        let digits = String(self.messages)
        return String(repeating: "A", count: 22 - digits.count) + digits
    }

    private func delivery(of direct: DirectCommand, from sender: String) -> [UInt8] {
        var delivered = DirectCommand()
        delivered.msg = direct.msg
        delivered.fromPeerId = sender
        delivered.timestamp = self.messages
        delivered.cid = direct.cid
        delivered.id = self.messageID
        delivered.convType = 1
        return GenericCommand.encoded(delivered)
    }
}
