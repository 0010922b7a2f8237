/// A stamp as a client message number: in the binary encoding the number is readable where the payload is encrypted, so
/// a delivery is timed and checked without decrypting it.
extension Stamp {
    /// Characters of the form, base64 of 18 bytes; as many as the client message numbers of the JSON encoding.
    static let numberCount = 24
    private static let plainCount = 18

    /// Writes `numberCount` characters. The sender must be below 65,536.
    func writeNumber(to out: UnsafeMutablePointer<UInt8>) {
        withUnsafeTemporaryAllocation(byteCount: Self.plainCount, alignment: 8) { plain in
            plain.storeBytes(of: self.run.bigEndian, as: UInt32.self)
            plain.storeBytes(of: UInt16(self.sender).bigEndian, toByteOffset: 4, as: UInt16.self)
            plain.storeBytes(of: self.counter.bigEndian, toByteOffset: 6, as: UInt32.self)
            plain.storeBytes(of: self.sentAt.bigEndian, toByteOffset: 10, as: Int64.self)
            MessageBody.encodeBase64(
                plain.baseAddress!.assumingMemoryBound(to: UInt8.self), count: Self.plainCount, to: out)
        }
    }

    /// Reads what `writeNumber` wrote; `nil` for a number of another length. Any other text of that length makes
    /// a stamp of another run.
    init?(number: UnsafeRawBufferPointer) {
        guard number.count == Self.numberCount, let text = number.baseAddress else { return nil }
        self = withUnsafeTemporaryAllocation(byteCount: Self.plainCount, alignment: 8) { plain in
            MessageBody.decodeBase64(
                text.assumingMemoryBound(to: UInt8.self), count: Self.numberCount,
                to: plain.baseAddress!.assumingMemoryBound(to: UInt8.self))
            return Stamp(
                run: UInt32(bigEndian: plain.loadUnaligned(as: UInt32.self)),
                sender: UInt32(UInt16(bigEndian: plain.loadUnaligned(fromByteOffset: 4, as: UInt16.self))),
                counter: UInt32(bigEndian: plain.loadUnaligned(fromByteOffset: 6, as: UInt32.self)),
                sentAt: Int64(bigEndian: plain.loadUnaligned(fromByteOffset: 10, as: Int64.self)))
        }
    }
}
