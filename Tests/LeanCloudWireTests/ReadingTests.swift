import ByteCodec
import Testing

@testable import LeanCloudWire

/// Demands of protobuf on a reader beyond fields in their order.
struct ReadingTests {
    /// Fields of number 200 or 1000 in each wire type, which no message has.
    static let unknown = [
        "c00c 8101", "c10c 0102030405060708", "c20c 03 616263", "c50c 01020304", "c23e 00",
        // A group with fields, and a group with a group.
        "c30c 0805 120161 c40c", "c30c cb0c 0805 cc0c c40c", "c30c c40c",
    ]

    @Test("unknown fields are skipped, whatever they hold", arguments: Self.unknown)
    func skips(digits: String) throws {
        let plain = bytes("0802 2807 ca0603 220163")
        let command = try GenericCommand(decoding: plain)
        #expect(command.ackMessage?.cid == "c")
        #expect(try GenericCommand(decoding: bytes(digits) + plain) == command)
        #expect(try GenericCommand(decoding: plain + bytes(digits)) == command)
        let inner = bytes(digits) + bytes("220163")
        let nested = bytes("0802 2807 ca06") + [UInt8(inner.count)] + inner
        #expect(try GenericCommand(decoding: nested) == command)
    }

    @Test("fields come in any order")
    func order() throws {
        let command = try GenericCommand(decoding: bytes("ca0606 320175 220163 2807 0802"))
        #expect(command.cmd == .direct && command.i == 7)
        #expect(command.ackMessage?.cid == "c" && command.ackMessage?.uid == "u")
    }

    @Test("of a field that comes twice the last one counts, also out of order")
    func last() throws {
        #expect(try GenericCommand(decoding: bytes("2807 0802 2808")).i == 8)
        #expect(try GenericCommand(decoding: bytes("220161 0802 220162")).peerId == "b")
    }

    @Test("repeated values keep their order, between other fields too")
    func repeated() throws {
        let command = try GenericCommand(decoding: bytes("f2060b 0a0162 220163 0a00 0a0161"))
        #expect(command.convMessage?.m == ["b", "", "a"])
    }

    @Test("a message in two parts is one message, and its required fields may be in either")
    func merged() throws {
        // errorMessage with the code, then with the reason.
        let command = try GenericCommand(decoding: bytes("ba0602 0805 0802 ba0603 120153"))
        #expect(command.errorMessage?.code == 5 && command.errorMessage?.reason == "S")
        #expect(command.cmd == .direct)
    }

    @Test("a length in more bytes than it needs is read")
    func padded() throws {
        #expect(try GenericCommand(decoding: bytes("22 81808000 61")).peerId == "a")
    }

    @Test("a message of the newest schema is written by ascending number")
    func ascending() throws {
        for type in messageTypes {
            var visitor = SchemaVisitor()
            visitor.visit(type)
            let numbers = visitor.fields.map(\.number)
            #expect(numbers == numbers.sorted(), "\(type)")
            #expect(Set(numbers).count == numbers.count, "\(type)")
        }
    }
}
