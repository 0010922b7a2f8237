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

    /// The bytes of `peerId` alone, to be put behind a command without one.
    package static func peerField(_ name: String) -> [UInt8] {
        var writer = FieldWriter()
        var name: String? = name
        writer.optional(4, "peerId", &name)
        return writer.bytes
    }

    /// The command's bytes: fields by ascending number, each value in its shortest form.
    package func encoded() -> [UInt8] {
        var writer = FieldWriter()
        var command = self
        command.visit(&writer)
        return writer.bytes
    }
}
