/// One block of AES, a key of AES-128 or an initialisation vector: 16 bytes in the order of memory.
struct CipherBlock {
    static let bytes = 16

    private var halves: (UInt64, UInt64)

    /// - Parameter bytes: exactly 16.
    init(_ bytes: some Collection<UInt8>) {
        precondition(bytes.count == Self.bytes, "a block of \(bytes.count) bytes")
        self.halves = (0, 0)
        withUnsafeMutableBytes(of: &self.halves) { $0.copyBytes(from: bytes) }
    }

    init(at start: UnsafeRawPointer) {
        self.halves = (
            start.loadUnaligned(as: UInt64.self), start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
    }

    func store(at start: UnsafeMutableRawPointer) {
        start.storeBytes(of: self.halves.0, as: UInt64.self)
        start.storeBytes(of: self.halves.1, toByteOffset: 8, as: UInt64.self)
    }

    var array: [UInt8] { withUnsafeBytes(of: self.halves) { Array($0) } }

    static func ^ (left: CipherBlock, right: CipherBlock) -> CipherBlock {
        var result = left
        result.halves.0 ^= right.halves.0
        result.halves.1 ^= right.halves.1
        return result
    }
}
