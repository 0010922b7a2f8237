import Testing

@testable import BenchKit

/// The JSON client, fed with what a server would say, without a socket.
@Suite struct JSONBenchClientTests {
    private let benchClient = JSONBenchClient(host: "127.0.0.1:7677")
    private let traffic = Traffic(run: 0xabc, layout: .direct(senderOf: [-1, 0]))
    private let connection = LoadConnection(index: 1, account: Account(user: "b", token: "t"), descriptor: -1)

    private func receive(_ bytes: [UInt8]) throws(BenchError) -> Int {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BenchError) in try self.benchClient.receive(bytes, self.connection, self.traffic) }
        }
        return try result.get()
    }

    private func receive(text: String) throws(BenchError) {
        let payload = Array(text.utf8)
        let count = payload.count
        let header = count < 126 ? [0x81, UInt8(count)] : [0x81, 126, UInt8(count >> 8), UInt8(count & 0xff)]
        #expect(try self.receive(header + payload) == header.count + count)
    }

    /// Returns the text that the client wants to send, and empties the buffer.
    private func sent() -> String {
        let text = String(decoding: Array(self.connection.unsent.bytes), as: UTF8.self)
        self.connection.unsent.removeAll()
        return text
    }

    /// A stamped body, plain and in base64.
    private func body(counter: UInt32) -> (plain: String, base64: String) {
        var body = MessageBody.bytes()
        body.withUnsafeMutableBufferPointer {
            Stamp(run: 0xabc, sender: 0, counter: counter, sentAt: 1).write(
                to: $0.baseAddress! + MessageBody.prefix.count)
        }
        var base64 = [UInt8](repeating: 0, count: body.count / 3 * 4)
        base64.withUnsafeMutableBufferPointer {
            MessageBody.encodeBase64(body, count: body.count, to: $0.baseAddress!)
        }
        return (String(decoding: body, as: UTF8.self), String(decoding: base64, as: UTF8.self))
    }

    private let upgraded = Array(
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n".utf8)

    @Test("asks for the upgrade, then signs in, then is ready")
    func signIn() throws {
        self.benchClient.greet(self.connection)
        let request = self.sent()
        #expect(request.hasPrefix("GET / HTTP/1.1\r\nHost: 127.0.0.1:7677\r\n"))
        #expect(request.hasSuffix("Sec-WebSocket-Version: 13\r\n\r\n"))
        #expect(try self.receive(Array(self.upgraded.dropLast())) == 0)
        #expect(try self.receive(self.upgraded) == self.upgraded.count)
        #expect(self.sent().contains(#""method":"connect","params":{"uid":"b","token":"t","deviceId":"bench-1""#))
        try self.receive(text: #"{"jsonrpc":"2.0","id":"connect","result":{"serverVersion":5,"reasonCode":1}}"#)
        #expect(self.connection.phase == .ready)
    }

    @Test(
        "a refused upgrade says what the server said",
        arguments: ["HTTP/1.1 421 Misdirected Request\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n"])
    func upgradeRefused(_ answer: String) throws {
        self.benchClient.greet(self.connection)
        let line = answer.prefix { $0 != "\r\n" }
        #expect(throws: BenchError.server("the server did not upgrade to WebSocket: \(line)")) {
            try self.receive(Array(answer.utf8))
        }
    }

    @Test(
        "a refused sign-in ends the run",
        arguments: [
            #"{"jsonrpc":"2.0","id":"connect","error":{"code":2,"message":"auth fail"}}"#,
            #"{"jsonrpc":"2.0","id":"connect","result":{"reasonCode":2}}"#, #"{"id":"connect","result":{}}"#,
        ])
    func signInRefused(_ answer: String) {
        self.connection.phase = .signingIn
        #expect(throws: BenchError.self) { try self.receive(text: answer) }
    }

    @Test("takes a message whose payload is an object or base64 text, whatever the order of the keys")
    func arrivals() throws {
        self.connection.phase = .ready
        let texts = [
            """
            {"jsonrpc":"2.0","method":"recv","params":{"header":{},"messageId":"77","messageSeq":3,\
            "payload":\(self.body(counter: 0).plain)}}
            """,
            """
            {"method":"recv","params":{"payload":"\(self.body(counter: 1).base64)","messageSeq":10,"messageId":"78"}}
            """,
        ]
        for text in texts { try self.receive(text: text) }
        #expect(self.traffic.ledger.delivered == 2)
        #expect(self.traffic.ledger.reordered == 0)
        let sent = self.sent()
        #expect(sent.contains(#"{"method":"recvack","params":{"header":{},"messageId":"77","messageSeq":3}}"#))
        #expect(sent.contains(#"{"method":"recvack","params":{"header":{},"messageId":"78","messageSeq":10}}"#))
    }

    @Test("a sequence that does not rise is a fault")
    func fallingSequence() throws {
        self.connection.phase = .ready
        for (counter, sequence) in [(0, 5), (1, 5)] as [(UInt32, Int)] {
            let payload = self.body(counter: counter).plain
            try self.receive(
                text: #"{"method":"recv","params":{"messageId":"7","messageSeq":\#(sequence),"payload":\#(payload)}}"#)
        }
        #expect(self.traffic.ledger.reordered == 1)
    }

    @Test("another run's and another program's messages are acknowledged and not counted")
    func foreignMessages() throws {
        self.connection.phase = .ready
        var old = self.body(counter: 0).plain
        old.replace("00000abc", with: "00000abd", maxReplacements: 1)
        for payload in [old, #"{"type":1,"content":"hello"}"#, #""aGVsbG8=""#] {
            try self.receive(
                text: #"{"method":"recv","params":{"messageId":"7","messageSeq":1,"payload":\#(payload)}}"#)
        }
        #expect(self.traffic.stale == 1)
        #expect(self.traffic.ledger.delivered == 0)
        #expect(self.sent().parts(at: "recvack") == 4)
    }

    @Test("other notifications are passed over, a ping is answered, a close ends the run with its code")
    func others() throws {
        self.connection.phase = .ready
        try self.receive(text: #"{"method":"event","params":{"type":"x","data":"{}"}}"#)
        #expect(self.sent() == "")
        #expect(try self.receive([0x89, 2, 0x68, 0x69]) == 4)
        #expect(Array(self.connection.unsent.bytes) == [0x8a, 0x82, 0, 0, 0, 0, 0x68, 0x69])
        #expect(throws: BenchError.self) { try self.receive([0x82, 1, 0x80]) }
        #expect(throws: BenchError.server("the server closed b with WebSocket code 1013")) {
            try self.receive([0x88, 2, 0x03, 0xf5])
        }
    }

    @Test("sends a message and takes its answer, whatever it is")
    func sending() throws {
        self.connection.phase = .ready
        let template = self.benchClient.template(run: 0xabc, sender: 0, to: .person("peer"))
        let sender = Sender(ordinal: 0, window: 2, template: template)
        self.connection.sender = sender
        self.traffic.isSending = true
        self.traffic.now = 5
        self.benchClient.sendAllowed(self.connection, self.traffic)
        let sent = self.sent()
        #expect(
            sent.contains(#"{"id":"00000001","method":"send","params":{"channelId":"peer","channelType":1,"#))
        #expect(sent.contains(#""clientMsgNo":"00000abc0000000000000001","payload":"eyJ0eXBlIjoxLCJjb250ZW50Ijoi"#))
        #expect(sent.hasSuffix(#"","header":{"redDot":true}}}"#))

        try self.receive(
            text: #"{"id":"00000000","result":{"messageId":"9","messageSeq":1,"reasonCode":1}}"#)
        try self.receive(text: #"{"id":"00000001","result":{"messageId":"0","messageSeq":0,"reasonCode":22}}"#)
        #expect(self.traffic.acknowledged == 1)
        #expect(self.traffic.owed == 1)
        let faults = self.traffic.faults(of: [sender])
        #expect(faults.refused == 1 && faults.refusalReason == 22 && faults.lost == 1)
        #expect(throws: BenchError.self) {
            try self.receive(text: #"{"id":"00000001","result":{"reasonCode":1}}"#)
        }
    }
}

extension String {
    /// How many parts `separator` makes of the text.
    fileprivate func parts(at separator: String) -> Int {
        self.split(separator: separator, omittingEmptySubsequences: false).count
    }
}
