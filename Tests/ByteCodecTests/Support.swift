import ByteCodec

/// Runs a read over bytes that live as long as the closure does.
@discardableResult
func reading<Result>(_ bytes: [UInt8], _ body: (inout JSONReader) throws -> Result) throws -> Result {
    try bytes.withUnsafeBytes { bytes in
        var reader = JSONReader(bytes)
        return try body(&reader)
    }
}

@discardableResult
func reading<Result>(_ text: String, _ body: (inout JSONReader) throws -> Result) throws -> Result {
    try reading([UInt8](text.utf8), body)
}

/// What writing gives, as text.
func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// The same numbers in every run (xorshift64*), so that a failure can be repeated from its seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        self.state ^= self.state >> 12
        self.state ^= self.state << 25
        self.state ^= self.state >> 27
        return self.state &* 0x2545_F491_4F6C_DD1D
    }
}
