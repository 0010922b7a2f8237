import Testing

@testable import LeanCloudWire

/// Commands that are read and written most have a way of their own, which must come to the same.
struct ShortWayTests {
    static let cid = "551260efe4b01608686c3e0f"
    static let id = LeanCloudMessageID(high: 0x0123_4567_89AB_CDEF, low: 42)

    static func ack(_ change: (inout GenericCommand) -> Void = { _ in }) -> GenericCommand {
        GenericCommand { command in
            command.cmd = .ack
            command.peerId = "朱丽叶"
            command.ackMessage = AckCommand { ack in
                ack.cid = Self.cid
                ack.mid = Self.id.description
            }
            change(&command)
        }
    }

    static func found(in frame: [UInt8]) -> (peer: String?, conversation: String, message: LeanCloudMessageID)? {
        frame.withUnsafeBytes { frame in
            CompactAcknowledgement(in: frame).map { compact in
                (
                    compact.peer.map { String(decoding: $0, as: UTF8.self) },
                    String(decoding: compact.conversation, as: UTF8.self), compact.message
                )
            }
        }
    }

    @Test("the acknowledgement of one message is found where it stands, with and without a client")
    func compact() throws {
        let named = try #require(Self.found(in: Self.ack().encoded()))
        #expect(named == ("朱丽叶", Self.cid, Self.id))
        let bare = try #require(Self.found(in: Self.ack { $0.peerId = nil }.encoded()))
        #expect(bare == (nil, Self.cid, Self.id))
    }

    @Test("an acknowledgement that says anything else is left to the full reader")
    func other() {
        let others: [(inout GenericCommand) -> Void] = [
            { $0.cmd = .read }, { $0.cmd = nil }, { $0.i = 1 }, { $0.appId = "app" }, { $0.op = .open },
            { $0.ackMessage = nil }, { $0.ackMessage?.t = 1 }, { $0.ackMessage?.tots = 1 },
            { $0.ackMessage?.mid = nil },
            { $0.ackMessage?.cid = nil }, { $0.ackMessage?.mid = "AAAA" }, { $0.ackMessage?.ids = ["a"] },
            { $0.ackMessage?.mid = "+/v7+/v7+/v7+/v7+/v7+w" }, { $0.readMessage = ReadCommand() },
        ]
        for (number, change) in others.enumerated() {
            #expect(Self.found(in: Self.ack(change).encoded()) == nil, "number \(number)")
        }
        let frame = Self.ack().encoded()
        // Once more, which would count instead; and a field of the future.
        #expect(Self.found(in: frame + GenericCommand.peerField("ann")) == nil)
        #expect(Self.found(in: frame + bytes("f80701")) == nil)
    }

    @Test("an acknowledgement that was cut is none")
    func cut() {
        let frame = Self.ack().encoded()
        for count in 0..<frame.count { #expect(Self.found(in: Array(frame[..<count])) == nil, "\(count) bytes") }
    }

    @Test("answers and messages have the bytes that whole commands have")
    func written() {
        let answer = AckCommand { ack in
            ack.cid = Self.cid
            ack.uid = Self.id.description
            ack.t = 1_700_000_000_123
        }
        for number: Int32 in [0, 7, -1] {
            let whole = GenericCommand { command in
                command.cmd = .ack
                command.peerId = "ann"
                command.i = number
                command.service = 2
                command.serverTs = 1_700_000_000_456
                command.ackMessage = answer
            }
            let short = GenericCommand.encoded(
                answer, to: number, peerField: GenericCommand.peerField("ann"), serverMilliseconds: 1_700_000_000_456)
            #expect(short == whole.encoded())
        }
        let direct = DirectCommand { direct in
            direct.cid = Self.cid
            // Long enough for a length of two bytes.
            direct.msg = String(repeating: "说", count: 100)
        }
        let whole = GenericCommand { command in
            command.cmd = .direct
            command.service = 2
            command.directMessage = direct
        }
        #expect(GenericCommand.encoded(direct) == whole.encoded())
    }

    @Test("the kind of a plain message is that of the whole one")
    func plainKind() {
        let plain = [
            #"{"_lctype":-1,"_lctext":"hello"}"#, #" { "_lctext" : "\"_lctype\":5" , "_lctype" : 3 } "#,
            #"{"_\u006cctype":7,"other":1}"#, #"{"_lctype":9223372036854775807}"#,
        ]
        let others = [
            "", "hello", "{}", #"{"_lctext":"no kind"}"#, #"{"_lctype":"-1"}"#, #"{"_lctype":-1.0}"#,
            #"{"_lctype":1e2}"#,
            #"{"_lctype":1,"_lctype":2}"#, #"{"_lctype":-1,"_lcattrs":{"a":1}}"#, #"{"_lctype":1,"a":[1]}"#,
            #"{"_lctype":1,"a":null}"#, #"{"_lctype":1} x"#, #"{"_lctype":1"#, #"{"_lctype":1,"a":"\ud800"}"#,
            #"{"a":{"_lctype":1}}"#, #"[{"_lctype":1}]"#, #"{"_lctype":1,"a":1.5}"#,
        ]
        for content in plain {
            let kind = Array(content.utf8).withUnsafeBytes(TypedMessage.plainKind)
            #expect(kind != nil, "\(content)")
            #expect(kind == TypedMessage(parsing: content)?.kind, "\(content)")
        }
        for content in others {
            #expect(Array(content.utf8).withUnsafeBytes(TypedMessage.plainKind) == nil, "\(content)")
        }
    }
}
