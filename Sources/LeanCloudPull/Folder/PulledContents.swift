/// A content of a folder.
package struct PulledContent: Hashable, Sendable {
    /// Path of the file, the folder's own before it.
    package var path: String
    /// Bytes of the file.
    package var bytes: Int64
    /// Remark for the operator where it is not as its row says; `nil` for none.
    package var remark: String?
    /// Hash in hexadecimal.
    var sha256: String

    /// True when the file is what was saved; reads all of it.
    package func isWhole() throws(PullError) -> Bool {
        guard let file = try InputFile(self.path) else { return false }
        let digest = Digest(.sha256)
        while true {
            let piece = try file.read()
            if piece.isEmpty { return digest.finish() == self.sha256 }
            digest.update(piece)
        }
    }
}

/// Contents of a folder that a pull wrote, found beside the rows of `_File`. Holds one line. Confined to one thread.
package final class PulledContents {
    /// Place of a content.
    package enum Finding: Hashable, Sendable {
        case here(PulledContent)
        /// Not in the folder: the reason for the operator.
        case missing(String)
    }

    private let folder: String
    private var reader: LineReader?
    private var entry: FileEntry?
    /// Id that was asked for last; `nil` before the first.
    private var last: String?

    /// - Parameter folder: without a slash behind.
    package init(_ folder: String) { self.folder = folder }

    /// Content of a file; fast when ids are asked for in their order.
    package func find(_ objectID: String) throws(PullError) -> Finding {
        if self.last.map({ objectID.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true {
            self.reader = try LineReader(self.folder + "/files.jsonl")
            try self.advance()
        }
        self.last = objectID
        while let entry, entry.objectID.utf8.lexicographicallyPrecedes(objectID.utf8) { try self.advance() }
        guard let entry, entry.objectID == objectID else { return .missing("files.jsonl does not name it: pull again") }
        guard entry.isHere else {
            return .missing("\(entry.state.rawValue)\(entry.why.isEmpty ? "" : ", " + entry.why)")
        }
        // A folder may have been changed by hand, and nothing outside of it is read.
        guard entry.path.hasPrefix("files/"), !entry.path.split(separator: "/").contains("..") else {
            return .missing("its path is not below files/")
        }
        let path = self.folder + "/" + entry.path
        guard Disk.size(path) == entry.bytes else { return .missing("\(entry.path) is not there, or of another size") }
        let differs = entry.state == .differs
        return .here(
            PulledContent(
                path: path, bytes: entry.bytes,
                remark: differs ? "its content is not as its row says: \(entry.why)" : nil,
                sha256: entry.sha256))
    }

    private func advance() throws(PullError) {
        self.entry = nil
        while let line = try self.reader?.next() {
            if let entry = FileEntry(line: line) {
                self.entry = entry
                return
            }
        }
    }
}
