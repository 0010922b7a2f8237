/// One encoded message that many connections send: it is not copied into their out-buffers when it is large.
package final class SharedBytes: @unchecked Sendable {
    // SAFETY: the memory is written in `init` only and freed in `deinit`; nobody changes it in between.
    private let storage: UnsafeMutableRawBufferPointer

    /// Copies the bytes once, for all that will share them.
    package init(copying bytes: UnsafeRawBufferPointer) {
        self.storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        self.storage.copyMemory(from: bytes)
    }

    /// Copies the bytes once, for all that will share them.
    package init(_ bytes: [UInt8]) {
        self.storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        self.storage.copyBytes(from: bytes)
    }

    deinit { self.storage.deallocate() }

    /// Bytes held.
    package var count: Int { self.storage.count }
    /// Valid as long as this object lives.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(self.storage) }
}
