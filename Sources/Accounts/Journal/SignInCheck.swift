import ChatModel

/// Result of a check of the journal's chain.
package struct SignInCheck: Hashable, Sendable {
    /// Number of the first entry that is kept; 0 for an empty journal.
    package var first: Int64 = 0
    /// Number of the newest entry.
    package var last: Int64 = 0
    /// Hash of the newest entry, in hexadecimal.
    package var hash = SignInLine.start
    /// Entries that say that the end of a file was set aside.
    package var mended: Int64 = 0
    /// Sentences about what is wrong, at most 100.
    package var problems: [String] = []

    package init() {}
}

/// Goes over the chain of the journal, a file at a time. Blocks.
package struct SignInChecker {
    private let path: String
    private var names: ArraySlice<String>
    /// Removal that the chain has to name: the number and hash of the last entry that is not there.
    private var missing: (through: Int64, hash: String)?
    /// Result so far.
    package private(set) var result = SignInCheck()

    /// - Parameter path: the folder of the journal.
    init(in path: String) {
        self.path = path
        self.names = SignInFiles.names(in: path)[...]
    }

    /// Checks the journal of a data folder that no server uses; `nil` where there is none.
    package static func check(dataFolder folder: String) -> SignInCheck? {
        var checker = SignInChecker(in: "\(folder)/\(SignInFiles.folderName)")
        guard !checker.names.isEmpty else { return nil }
        while checker.next() {}
        return checker.result
    }

    /// Checks the next file.
    ///
    /// - Returns: false when there was none.
    package mutating func next() -> Bool {
        guard let name = self.names.popFirst() else {
            if self.missing != nil {
                self.note(
                    "The journal of sign-ins begins with \(self.result.first), and no entry says that those before were "
                        + "removed. Somebody changed the files: ask who may.")
                self.missing = nil
            }
            return false
        }
        guard let bytes = SignInFiles.read("\(self.path)/\(name)") else {
            self.note("The file \(name) of the journal of sign-ins cannot be read.")
            return true
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropLast() { guard self.take(line, of: name) else { return true } }
        // What is being written, or what a power cut left: a start sets it aside.
        if let rest = lines.last, !rest.isEmpty, !self.names.isEmpty {
            self.note("The file \(name) of the journal of sign-ins does not end with a whole entry.")
        }
        return true
    }

    private mutating func take(_ line: ArraySlice<UInt8>, of name: String) -> Bool {
        guard let (entry, object, hash) = SignInLine.read(line) else {
            // At the end of the newest file a power cut can leave anything; a start sets it aside and says so.
            if self.names.isEmpty { return false }
            self.note("The file \(name) has a line that is no entry after \(self.result.last).")
            return false
        }
        if self.result.last == 0 {
            self.result.first = entry.number
            let previous = entry.previous ?? ""
            if entry.number != 1 {
                self.missing = (entry.number - 1, previous)
            } else if previous != SignInLine.start {
                self.note("The journal of sign-ins does not begin with its first entry.")
            }
            self.result.hash = previous
        } else if entry.number != self.result.last + 1 {
            self.note(
                "Entry \(entry.number) of the journal of sign-ins follows \(self.result.last). "
                    + "Somebody changed the files: ask who may.")
        }
        if SignInLine.hash(object, after: self.result.hash) != hash {
            self.note(
                "Entry \(entry.number) of the journal of sign-ins is not as it was written, or the one before it is not. "
                    + "Somebody changed the files: ask who may.")
        }
        if entry.kind == .mended { self.result.mended += 1 }
        if entry.kind == .removed, let missing = self.missing, entry.through == missing.through,
            entry.previous == missing.hash
        {
            self.missing = nil
        }
        self.result.last = entry.number
        self.result.hash = hash
        return true
    }

    private mutating func note(_ problem: String) {
        if self.result.problems.count < 100 { self.result.problems.append(problem) }
    }
}
