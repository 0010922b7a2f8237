extension GenericCommand {
    /// Reads one command from its bytes.
    ///
    /// - Throws: what is wrong with which field; nothing is read from a frame over `limits.frameBytes`.
    package init(decoding frame: UnsafeRawBufferPointer, limits: WireLimits = WireLimits()) throws(LeanCloudWireError) {
        var reader = try FieldReader(frame, limits: limits)
        self.init()
        try self.visit(&reader)
    }

    /// Reads one command from its bytes.
    ///
    /// - Throws: what is wrong with which field; nothing is read from a frame over `limits.frameBytes`.
    package init(decoding frame: [UInt8], limits: WireLimits = WireLimits()) throws(LeanCloudWireError) {
        self = try frame.withUnsafeBufferPointer { frame throws(LeanCloudWireError) in
            try GenericCommand(decoding: UnsafeRawBufferPointer(frame), limits: limits)
        }
    }

    /// Reads what a frame that is no command tells: whose request it is, so that the caller gets an answer.
    ///
    /// Only `cmd`, `peerId` and `i`, as far as the frame is whole; of a name that is not UTF-8 nothing.
    package init(salvaging frame: UnsafeRawBufferPointer) {
        self.init()
        let limits = WireLimits()
        var scanner = FieldScanner(frame, 0..<frame.count, limits: limits, fieldsLeft: limits.fields)
        while let field = try? scanner.next() {
            switch (field.number, field.wireType) {
            case (1, .varint): self.cmd = CommandType(rawValue: Int32(truncatingIfNeeded: field.value))
            case (4, .delimited): self.peerId = String(validating: frame[field.content], as: UTF8.self)
            case (5, .varint): self.i = Int32(truncatingIfNeeded: field.value)
            default: break
            }
        }
    }

    /// The bytes of `peerId` alone, to be put behind a command without one.
    package static func peerField(_ name: String) -> [UInt8] {
        var writer = FieldWriter(capacity: name.utf8.count + 2)
        var name: String? = name
        writer.optional(4, "peerId", &name)
        return writer.bytes
    }

    /// The bytes of the answer to a message, as `encoded` makes them, without the room that a whole command takes: with the
    /// messages themselves these are most of what a server writes.
    ///
    /// - Parameter peerField: what `peerField` makes of the client.
    package static func encoded(
        _ ack: AckCommand, to request: Int32, peerField: [UInt8], serverMilliseconds: Int64
    ) -> [UInt8] {
        Self.encoded(.ack, 105, ack, peerField: peerField, i: request, serverTs: serverMilliseconds)
    }

    /// The same of a message on its way to somebody, whose `peerField` is to follow.
    package static func encoded(_ direct: DirectCommand) -> [UInt8] { Self.encoded(.direct, 104, direct) }

    private static func encoded(
        _ cmd: CommandType, _ number: Int, _ message: some ProtobufMessage, peerField: [UInt8] = [], i: Int32? = nil,
        serverTs: Int64? = nil
    ) -> [UInt8] {
        var (cmd, i, serverTs, message) = (Optional(cmd), i, serverTs, message)
        var service: Int32? = 2
        var writer = FieldWriter(capacity: Self.usualBytes)
        writer.optional(1, "cmd", &cmd)
        writer.raw(peerField)
        writer.optional(5, "i", &i)
        writer.optional(8, "service", &service)
        writer.optional(9, "serverTs", &serverTs)
        writer.nested(number, &message)
        return writer.bytes
    }

    /// More than most commands have.
    private static let usualBytes = 480

    /// The command's bytes: fields by ascending number, each value in its shortest form.
    package func encoded() -> [UInt8] {
        var writer = FieldWriter(capacity: Self.usualBytes)
        var command = self
        command.visit(&writer)
        return writer.bytes
    }
}
