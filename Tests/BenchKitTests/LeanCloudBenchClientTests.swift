import LeanCloudWire
import Testing

@testable import BenchKit

/// LeanCloud's client, fed with what a server would say, without a socket.
@Suite struct LeanCloudBenchClientTests {
    private static let conversation = "5f1e2d3c4b5a69788796a5b4"
    private static let messageID = "AAAAAAAAAAEx4cU_qn-1Zw"
    private static let upgraded = Array(
        """
        HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\
        Sec-WebSocket-Protocol: lc.protobuf2.3\r\n\r\n
        """.utf8)

    private let benchClient = LeanCloudBenchClient(host: "127.0.0.1:7677", appID: "app")
    private let traffic = Traffic(run: 0xabc, layout: .direct(senderOf: [-1, 0]))
    private let connection = LoadConnection(index: 1, account: Account(user: "b", token: "t"), descriptor: -1)

    private func receive(_ bytes: [UInt8]) throws(BenchError) -> Int {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BenchError) in try self.benchClient.receive(bytes, self.connection, self.traffic) }
        }
        return try result.get()
    }

    /// Hands over one WebSocket message.
    private func receive(command: [UInt8]) throws(BenchError) {
        let count = command.count
        let header = count < 126 ? [0x82, UInt8(count)] : [0x82, 126, UInt8(count >> 8), UInt8(count & 0xff)]
        #expect(try self.receive(header + command) == header.count + count)
    }

    private func receive(
        _ cmd: CommandType, _ op: OpType? = nil, i: Int? = nil, _ fill: (inout GenericCommand) -> Void = { _ in }
    ) throws(BenchError) {
        var command = GenericCommand()
        command.cmd = cmd
        command.op = op
        command.i = i.map { Int32($0) }
        command.peerId = "b"
        command.serverTs = 1_700_000_000_000
        fill(&command)
        try self.receive(command: command.encoded())
    }

    /// Returns the commands that the client wants to send, and empties the buffer.
    private func sent() throws -> [GenericCommand] {
        var bytes = Array(self.connection.unsent.bytes)
        self.connection.unsent.removeAll()
        var commands: [GenericCommand] = []
        while bytes.count >= 6 {
            let isLong = bytes[1] & 0x7f == 126
            let start = isLong ? 8 : 6
            let count = isLong ? Int(bytes[2]) << 8 | Int(bytes[3]) : Int(bytes[1] & 0x7f)
            #expect(bytes[0] == 0x82 && bytes[1] & 0x80 != 0)
            commands.append(try GenericCommand(decoding: Array(bytes[start..<start + count])))
            bytes.removeFirst(start + count)
        }
        #expect(bytes.isEmpty)
        return commands
    }

    private func signIn() throws {
        self.connection.phase = .signingIn
        try self.receive(.session, .opened, i: 1)
    }

    private func found() throws {
        try self.signIn()
        #expect(self.benchClient.seek(.person("bob"), self.connection))
        self.connection.unsent.removeAll()
        try self.receive(.conv, .started, i: 2) { command in
            var body = ConvCommand()
            body.cid = Self.conversation
            command.convMessage = body
        }
    }

    @Test("asks for the upgrade and its subprotocol, then signs in, then is ready")
    func signingIn() throws {
        self.benchClient.greet(self.connection)
        let request = String(decoding: Array(self.connection.unsent.bytes), as: UTF8.self)
        #expect(request.hasPrefix("GET / HTTP/1.1\r\nHost: 127.0.0.1:7677\r\n"))
        #expect(request.contains("\r\nSec-WebSocket-Protocol: lc.protobuf2.3\r\n"))
        self.connection.unsent.removeAll()
        #expect(try self.receive(Array(Self.upgraded.dropLast())) == 0)
        #expect(try self.receive(Self.upgraded) == Self.upgraded.count)
        let command = try #require(try self.sent().first)
        #expect(command.cmd == .session && command.op == .open && command.i == 1)
        #expect(command.appId == "app" && command.peerId == "b")
        #expect(command.sessionMessage?.s == "t" && command.sessionMessage?.configBitmap?.rawValue == 187)
        #expect(self.connection.phase == .signingIn)
        try self.receive(.session, .opened, i: 1)
        #expect(self.connection.phase == .ready)
    }

    @Test("a server that chooses no subprotocol, or another one, is none of LeanCloud's", arguments: ["", "1"])
    func otherSubprotocol(_ version: String) throws {
        self.benchClient.greet(self.connection)
        let answer = String(decoding: Self.upgraded, as: UTF8.self)
        let line = "Sec-WebSocket-Protocol: lc.protobuf2.3\r\n"
        let other = version.isEmpty ? "" : "Sec-WebSocket-Protocol: lc.protobuf2.\(version)\r\n"
        #expect(throws: BenchError.server("the server does not speak lc.protobuf2.3")) {
            try self.receive(Array(answer.replacing(line, with: other).utf8))
        }
    }

    @Test("a refused sign-in ends the run with the server's constant, in either form that servers give it")
    func signInRefused() {
        self.connection.phase = .signingIn
        #expect(throws: BenchError.server("the server does not sign b in: SIGNATURE_FAILED (4102)")) {
            try self.receive(.error, i: 1) { $0.errorMessage = Self.fault("SIGNATURE_FAILED", 4102) }
        }
        #expect(throws: BenchError.server("the server ends the session of b: SESSION_CONFLICT (4111)")) {
            try self.receive(.session, .closed, i: 1) { command in
                var session = SessionCommand()
                session.code = 4111
                session.reason = "SESSION_CONFLICT"
                command.sessionMessage = session
            }
        }
    }

    private static func fault(_ reason: String, _ code: Int32) -> ErrorCommand {
        var fault = ErrorCommand()
        fault.code = code
        fault.reason = reason
        return fault
    }

    @Test("two people have the conversation that the server makes for them")
    func person() throws {
        try self.signIn()
        #expect(self.benchClient.seek(.person("bob"), self.connection))
        #expect(self.connection.phase == .seeking)
        let command = try #require(try self.sent().first)
        #expect(command.cmd == .conv && command.op == .start && command.i == 2)
        #expect(command.convMessage?.m == ["b", "bob"] && command.convMessage?.unique == true)
        // Who is in it is told too, which is no answer.
        try self.receive(.conv, .membersJoined) { $0.convMessage = ConvCommand() }
        #expect(self.connection.phase == .seeking)
        try self.receive(.conv, .started, i: 2) { command in
            var body = ConvCommand()
            body.cid = Self.conversation
            command.convMessage = body
        }
        #expect(self.connection.phase == .ready)
    }

    @Test("a group is found by its name, or is named by its id")
    func group() throws {
        try self.signIn()
        #expect(!self.benchClient.seek(.group(Self.conversation), self.connection))
        #expect(self.connection.phase == .ready)
        #expect(self.benchClient.seek(.group("te\"a"), self.connection))
        let command = try #require(try self.sent().first)
        #expect(command.cmd == .conv && command.op == .query)
        #expect(command.convMessage?.where?.data == #"{"name":"te\"a","m":"b"}"#)
        try self.receive(.conv, .results, i: 2) { command in
            var rows = JsonObjectMessage()
            rows.data = #"[{"name":"te\"a","objectId":"5f1e2d3c4b5a69788796a5b5"}]"#
            var body = ConvCommand()
            body.results = rows
            command.convMessage = body
        }
        #expect(self.connection.phase == .ready)
        for (name, id) in [(Self.conversation, Self.conversation), ("te\"a", "5f1e2d3c4b5a69788796a5b5")] {
            let sender = Sender(
                ordinal: 0, window: 1, template: self.benchClient.template(run: 1, sender: 0, to: .group(name)))
            self.benchClient.write(
                Stamp(run: 1, sender: 0, counter: 0, sentAt: 1), slot: 0, of: sender, to: self.connection)
            #expect(try self.sent().first?.directMessage?.cid == id)
        }
    }

    @Test("a conversation that is not there, or not given, ends the run")
    func noConversation() throws {
        try self.signIn()
        #expect(self.benchClient.seek(.group("tea"), self.connection))
        #expect(throws: BenchError.server("the server gives b no conversation: CONVERSATION_QUERY_FAILED (4307)")) {
            try self.receive(.error, i: 2) { $0.errorMessage = Self.fault("CONVERSATION_QUERY_FAILED", 4307) }
        }
        #expect(throws: BenchError.server("b is in no conversation called tea")) {
            try self.receive(.conv, .results, i: 2) { command in
                var rows = JsonObjectMessage()
                rows.data = "[]"
                var body = ConvCommand()
                body.results = rows
                command.convMessage = body
            }
        }
    }

    @Test("sends messages as a client of its own would write them", arguments: [0, 1, 127, 128, 16_383, 32_767])
    func sending(_ slot: Int) throws {
        try self.found()
        let sender = Sender(
            ordinal: 3, window: 1, template: self.benchClient.template(run: 0xabc, sender: 3, to: .person("bob")))
        let stamp = Stamp(run: 0xabc, sender: 3, counter: 9, sentAt: 77)
        self.benchClient.write(stamp, slot: slot, of: sender, to: self.connection)
        let bytes = Array(self.connection.unsent.bytes.dropFirst(8))
        let command = try #require(try self.sent().first)
        #expect(command.encoded() == bytes)
        #expect(command.cmd == .direct && command.peerId == nil && command.i == Int32(16_384 + slot))
        let direct = try #require(command.directMessage)
        #expect(direct.cid == Self.conversation && direct.dt == "00000abc0000000300000009")
        let text = try #require(direct.msg)
        #expect(text.utf8.count == 127 && text.hasPrefix(#"{"_lctype":-1,"_lctext":"00000abc"#))
        #expect(Array(text.utf8).withUnsafeBytes { LeanCloudBody.stamp(in: $0) } == stamp)
    }

    @Test("takes the answer to a message, whatever it is")
    func answers() throws {
        try self.found()
        let sender = Sender(
            ordinal: 0, window: 3, template: self.benchClient.template(run: 0xabc, sender: 0, to: .person("bob")))
        self.connection.sender = sender
        self.traffic.isSending = true
        self.traffic.now = 5
        self.benchClient.sendAllowed(self.connection, self.traffic)
        #expect(try self.sent().map(\.i) == [16_384, 16_385, 16_386])
        var (yes, no) = (AckCommand(), AckCommand())
        yes.uid = Self.messageID
        yes.t = 1_700_000_000_000
        no.code = 4401
        no.reason = "INVALID_MESSAGING_TARGET"
        try self.receive(.ack, i: 16_384) { $0.ackMessage = yes }
        try self.receive(.ack, i: 16_385) { $0.ackMessage = no }
        try self.receive(.error, i: 16_386) { $0.errorMessage = Self.fault("INTERNAL_ERROR", 4200) }
        #expect(self.traffic.acknowledged == 1 && self.traffic.owed == 1)
        let faults = self.traffic.faults(of: [sender])
        #expect(faults.refused == 2 && faults.refusalReason == 4200 && faults.unanswered == 0)
        for number in [16_384, 3] {
            #expect(throws: BenchError.server("b got an answer to a message that it did not send")) {
                try self.receive(.ack, i: number) { $0.ackMessage = yes }
            }
        }
        #expect(throws: BenchError.server("an ack lacks the number of the message that it answers")) {
            try self.receive(.ack) { $0.ackMessage = yes }
        }
    }

    @Test("an answer without an id and without a code is no yes")
    func emptyAnswer() throws {
        try self.found()
        let sender = Sender(
            ordinal: 0, window: 1, template: self.benchClient.template(run: 0xabc, sender: 0, to: .person("bob")))
        self.connection.sender = sender
        self.traffic.isSending = true
        self.traffic.now = 5
        self.benchClient.sendAllowed(self.connection, self.traffic)
        try self.receive(.ack, i: 16_384) { $0.ackMessage = AckCommand() }
        #expect(self.traffic.acknowledged == 0 && self.traffic.faults(of: [sender]).refused == 1)
    }

    private static func arrival(counter: UInt32, run: UInt32 = 0xabc, content: String? = nil) -> [UInt8] {
        var body = LeanCloudBody.bytes()
        body.withUnsafeMutableBufferPointer {
            Stamp(run: run, sender: 0, counter: counter, sentAt: 5).write(
                to: $0.baseAddress! + LeanCloudBody.prefix.count)
        }
        var direct = DirectCommand()
        direct.msg = content ?? String(decoding: body, as: UTF8.self)
        direct.fromPeerId = "a"
        direct.timestamp = 1_700_000_000_000
        direct.cid = Self.conversation
        direct.id = Self.messageID
        direct.convType = 1
        return GenericCommand.encoded(direct)
    }

    @Test("takes a message, wherever the receiver's name stands, and acknowledges it by its id and conversation")
    func arrivals() throws {
        try self.signIn()
        self.traffic.isMeasuring = true
        self.traffic.now = 1_005
        try self.receive(command: Self.arrival(counter: 0) + GenericCommand.peerField("b"))
        try self.receive(command: GenericCommand.peerField("b") + Self.arrival(counter: 1))
        #expect(self.traffic.ledger.delivered == 2 && self.traffic.ledger.reordered == 0)
        #expect(self.traffic.deliveryLatency.percentile(0.5) >= 1_000)
        var acknowledge = AckCommand()
        acknowledge.mid = Self.messageID
        acknowledge.cid = Self.conversation
        var expected = GenericCommand()
        expected.cmd = .ack
        expected.ackMessage = acknowledge
        #expect(Array(self.connection.unsent.bytes.dropFirst(6).prefix(expected.encoded().count)) == expected.encoded())
        #expect(try self.sent() == [expected, expected])
    }

    @Test("another run's and another program's messages are acknowledged and not counted")
    func foreign() throws {
        try self.signIn()
        try self.receive(command: Self.arrival(counter: 0, run: 0xabd))
        try self.receive(command: Self.arrival(counter: 0, content: #"{"_lctype":-1,"_lctext":"hello"}"#))
        try self.receive(command: Self.arrival(counter: 0, content: ""))
        #expect(self.traffic.stale == 1 && self.traffic.ledger.delivered == 0)
        #expect(try self.sent().count == 3)
    }

    @Test("a message that is cut short anywhere is a fault of the server")
    func cut() throws {
        try self.signIn()
        let whole = Self.arrival(counter: 0)
        for count in 2..<whole.count {
            #expect(throws: BenchError.self) { try self.receive(command: Array(whole.prefix(count))) }
        }
        #expect(self.traffic.ledger.delivered == 0)
    }

    @Test(
        "what no server sends to this client ends the run",
        arguments: [
            [0x81, 2, 0x7b, 0x7d], [0x82, 1, 0x08], [0x82, 2, 0x08, 0x80], [0x82, 1, 0x0b], [0x82, 2, 0x08, 0x02],
        ] as [[UInt8]])
    func nonsense(_ bytes: [UInt8]) throws {
        try self.signIn()
        #expect(throws: BenchError.self) { try self.receive(bytes) }
    }

    @Test("other pushes are passed over, a ping is answered, an error or a close ends the run with its words")
    func others() throws {
        try self.signIn()
        try self.receive(.unread) { $0.unreadMessage = UnreadCommand() }
        try self.receive(.rcp) { $0.rcpMessage = RcpCommand() }
        try self.receive(.goaway)
        #expect(try self.sent().isEmpty)
        #expect(try self.receive([0x89, 2, 0x68, 0x69]) == 4)
        #expect(Array(self.connection.unsent.bytes) == [0x8a, 0x82, 0, 0, 0, 0, 0x68, 0x69])
        #expect(throws: BenchError.server("the server refuses b: READ_TIMEOUT (4107)")) {
            try self.receive(.error) { $0.errorMessage = Self.fault("READ_TIMEOUT", 4107) }
        }
        #expect(throws: BenchError.server("the server closed b with WebSocket code 4107")) {
            try self.receive([0x88, 2, 0x10, 0x0b])
        }
    }

    @Test("finds the app's id in what the command line prints")
    func appID() throws {
        #expect(try Preparation.appID(in: #"{"kind":"app","appId":"x1-gzGzoHsz","appKeyHint":"ab"}"#) == "x1-gzGzoHsz")
        #expect(throws: BenchError.self) { try Preparation.appID(in: #"{"appId":""}"#) }
    }
}
