/// Records that are handed to the log together: those of one batch of the writer. Their positions come when the log takes
/// them.
///
/// The bytes are those of the log, but for what only the log can know (owner, position, place in the group, checksum).
package struct LogBatch: Sendable {
    /// Headers and payloads one behind the other.
    private(set) package var bytes: [UInt8] = []
    /// Where each record begins.
    private(set) var starts: [Int] = []

    private static let emptyHeader = [UInt8](repeating: 0, count: LogFormat.headerBytes)

    /// Makes an empty batch with room for `capacity` bytes.
    package init(capacity: Int = 0) { self.bytes.reserveCapacity(capacity) }

    /// Number of records.
    package var count: Int { self.starts.count }

    /// True when there are no records.
    package var isEmpty: Bool { self.starts.isEmpty }

    /// Most bytes that the batch takes of the log's files when it is synced alone.
    package var loggedBytes: Int { LogFormat.wholePages(self.bytes.count) }

    /// Adds a record.
    ///
    /// - Throws: `tooLarge`; then nothing was added.
    package mutating func add(_ content: some LoggedContent) throws(LogError) {
        let start = self.bytes.count
        self.bytes.append(contentsOf: Self.emptyHeader)
        var fields = FieldWriter(bytes: self.bytes)
        self.bytes = []
        content.write(to: &fields)
        swap(&self.bytes, &fields.bytes)
        let length = self.bytes.count - start - LogFormat.headerBytes
        guard length <= LogFormat.maximumPayloadBytes else {
            self.bytes.removeSubrange(start...)
            throw .tooLarge(bytes: length)
        }
        self.bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt32(length).bigEndian, toByteOffset: start + 4, as: UInt32.self)
            bytes[start + 38] = LogFormat.version
            bytes[start + 39] = content.kind.rawValue
        }
        self.starts.append(start)
    }

    /// Where a record ends.
    func end(of index: Int) -> Int { index + 1 < self.starts.count ? self.starts[index + 1] : self.bytes.count }
}
