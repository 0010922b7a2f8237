/// Cuts a stream of bytes into lines that end in a line feed.
package struct LineSplitter {
    private let maximumBytes: Int
    private var bytes: [UInt8] = []
    /// Index at which the next line begins, and index up to which its end was searched.
    private var start = 0
    private var searched = 0

    /// - Parameter maximumBytes: most bytes of a line, its line feed not counted.
    package init(maximumBytes: Int = AdminProtocol.maximumLineBytes) { self.maximumBytes = maximumBytes }

    /// Adds bytes as they came; `next` gives the lines in them.
    package mutating func append(_ more: some Collection<UInt8>) {
        if self.start > 0 {
            self.bytes.removeFirst(self.start)
            self.searched -= self.start
            self.start = 0
        }
        self.bytes.append(contentsOf: more)
    }

    /// The next whole line, without its line feed; `nil` when it has not all come.
    ///
    /// - Throws: `protocolError` when a line is longer than allowed; nothing more can be read then.
    package mutating func next() throws(AdminError) -> [UInt8]? {
        let end = self.bytes[self.searched...].firstIndex(of: UInt8(ascii: "\n"))
        let length = (end ?? self.bytes.count) - self.start
        guard length <= self.maximumBytes else {
            throw AdminError(.protocolError, "a line of the admin protocol has at most \(self.maximumBytes) bytes")
        }
        guard let end else {
            self.searched = self.bytes.count
            return nil
        }
        let line = Array(self.bytes[self.start..<end])
        self.start = end + 1
        self.searched = self.start
        return line
    }
}
