import ByteCodec

@testable import LeanCloudWire

/// The bytes of hexadecimal digits; blanks between them are for the reader.
func bytes(_ digits: String) -> [UInt8] {
    guard let bytes = Hex.decode(digits.filter { !$0.isWhitespace }) else { fatalError("no digits: \(digits)") }
    return bytes
}

/// Error that decoding throws; `nil` when it throws none.
func failure(_ frame: [UInt8], limits: WireLimits = WireLimits()) -> LeanCloudWireError? {
    do throws(LeanCloudWireError) {
        _ = try GenericCommand(decoding: frame, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// Wide enough for all that tests make.
let wide = WireLimits(frameBytes: 1 << 20, fields: 1 << 20, groupDepth: 16)

/// SplitMix64: the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// Every message of the schema.
let messageTypes: [any ProtobufMessage.Type] = [
    GenericCommand.self, SessionCommand.self, ErrorCommand.self, DirectCommand.self, AckCommand.self,
    UnreadCommand.self, UnreadTuple.self, ReadCommand.self, ReadTuple.self, MaxReadTuple.self, RcpCommand.self,
    LogsCommand.self, LogItem.self, ConvCommand.self, JsonObjectMessage.self, ConvMemberInfo.self, PatchCommand.self,
    PatchItem.self, BlacklistCommand.self, DataCommand.self, PresenceCommand.self, ReportCommand.self,
    RoomCommand.self, PubsubCommand.self, LoginCommand.self, LoggedinCommand.self, SystemInfo.self,
    SemanticVersion.self, AndroidVersion.self,
]

/// Gives every field a value, two to a repeated one, and other values to each.
struct FieldFiller: FieldVisitor {
    typealias Failure = Never

    private var count: Int32 = 0

    mutating func optional<Value: ProtobufValue>(_ number: Int, _ name: String, _ value: inout Value?) {
        value = self.make(Value.self)
    }

    mutating func optional<Message: ProtobufMessage>(_ number: Int, _ name: String, _ box: inout Boxed<Message>) {
        box.wrappedValue = self.make(Message.self)
    }

    mutating func required<Value: ProtobufValue>(_ number: Int, _ name: String, _ value: inout Value) {
        value = self.make(Value.self)
    }

    mutating func repeated<Value: ProtobufValue>(_ number: Int, _ name: String, _ values: inout [Value]) {
        values = [self.make(Value.self), self.make(Value.self)]
    }

    mutating func filled<Message: ProtobufMessage>(_ type: Message.Type) -> Message {
        var message = Message()
        message.visit(&self)
        return message
    }

    private mutating func make<Value: ProtobufValue>(_ type: Value.Type) -> Value {
        self.count += 1
        let value: any ProtobufValue =
            switch type {
            case is Int32.Type: self.count.isMultiple(of: 2) ? self.count : -self.count
            case is Int64.Type: Int64(self.count) << 40
            case is Bool.Type: self.count.isMultiple(of: 2)
            case is String.Type: "text \(self.count) \u{8336}"
            case is [UInt8].Type: [UInt8](repeating: UInt8(truncatingIfNeeded: self.count), count: 3)
            case is ConfigBitmap.Type: ConfigBitmap(rawValue: Int64(self.count))
            case is CommandType.Type: CommandType(rawValue: self.count)
            case is OpType.Type: OpType(rawValue: self.count)
            case is StatusType.Type: StatusType(rawValue: self.count)
            case is DeviceType.Type: DeviceType(rawValue: self.count)
            case is QueryDirection.Type: QueryDirection(rawValue: self.count)
            case let message as any ProtobufMessage.Type: self.filled(message)
            default: fatalError("no value for \(type)")
            }
        guard let value = value as? Value else { fatalError("no \(type): \(value)") }
        return value
    }
}

/// A command with every field of the schema.
let fullCommand: GenericCommand = {
    var filler = FieldFiller()
    return filler.filled(GenericCommand.self)
}()
