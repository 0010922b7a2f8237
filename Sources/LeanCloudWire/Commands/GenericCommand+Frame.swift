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

    /// The command's bytes: fields by ascending number, each value in its shortest form.
    package func encoded() -> [UInt8] {
        var writer = FieldWriter()
        var command = self
        command.visit(&writer)
        return writer.bytes
    }
}
