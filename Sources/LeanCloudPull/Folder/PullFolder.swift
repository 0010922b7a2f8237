import ByteCodec

/// Where things are in the folder of a pull.
///
///     README.txt  manifest.json  SHA256SUMS  report.json
///     classes/NAME.jsonl         rows by object id
///     classes/NAME.gone.jsonl    rows that were there in an earlier pull and are gone now
///     users/_User.jsonl          the console's export, with password hashes
///     messages/2026-07-15.jsonl  messages of a day (UTC) by time
///     subscribers.jsonl          who listens to which system conversation
///     files.jsonl                what became of each file
///     files/3a/ID-NAME           contents
///     odd/NAME.jsonl             rows that no program could read, in base64
///     .pull/                     how far the pull is; nothing of the app
struct PullFolder: Sendable {
    let path: String

    var work: String { self.path + "/.pull" }
    var statePath: String { self.work + "/state.json" }
    var lockPath: String { self.work + "/lock" }

    func make() throws(PullError) {
        for folder in ["", "/.pull", "/.pull/files", "/classes", "/messages"] {
            try Disk.makeFolder(self.path + folder)
        }
    }

    // MARK: Tables

    private static func objectKey(_ line: [UInt8]) -> [UInt8]? {
        Row(line: line)?.objectID.map { Array($0.utf8) }
    }

    private static func messageKey(_ line: [UInt8]) -> [UInt8]? {
        guard let row = Row(line: line) else { return nil }
        return (try? MessageKey(row))?.bytes
    }

    private static func subscriberKey(_ line: [UInt8]) -> [UInt8]? {
        guard let row = Row(line: line), let conversation = row.string("conv_id"), let name = row.string("subscriber")
        else { return nil }
        return Array(conversation.utf8) + [0] + Array(name.utf8)
    }

    private func table(_ name: String, log: String, _ key: @escaping SortedTable.KeyOf) -> SortedTable {
        SortedTable(path: "\(self.path)/\(name).jsonl", logPath: "\(self.work)/\(log).log", key: key)
    }

    /// - Parameter isChange: for the log of single changes instead of that of the whole class.
    func classTable(_ name: String, isChange: Bool = false) -> SortedTable {
        self.table("classes/\(name)", log: isChange ? "change-\(name)" : "class-\(name)", Self.objectKey)
    }

    func goneTable(_ name: String) -> SortedTable {
        self.table("classes/\(name).gone", log: "gone-\(name)", Self.objectKey)
    }

    func exportTable(_ name: String) -> SortedTable {
        self.table("users/\(name)", log: "users-\(name)", Self.objectKey)
    }

    /// - Parameter day: `2026-07-15`.
    func dayTable(_ day: String) -> SortedTable { self.table("messages/\(day)", log: "day-\(day)", Self.messageKey) }

    /// All messages by time, before they are parted into days. Nothing of it stays.
    var everyMessage: SortedTable {
        SortedTable(path: self.work + "/messages.jsonl", logPath: self.work + "/messages.log", key: Self.messageKey)
    }

    func oddTable(_ name: String) -> SortedTable { self.table("odd/\(name)", log: "odd-\(name)") { $0 } }

    var subscribers: SortedTable { self.table("subscribers", log: "subscribers", Self.subscriberKey) }

    var files: SortedTable { self.table("files", log: "files", Self.objectKey) }

    /// Days with messages, the earliest first.
    var days: [String] {
        Disk.names(in: self.path + "/messages").filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }
    }

    /// Logs that wait to be sorted into tables: `class`, `change`, `day` or `odd`, and the name behind.
    func logs(_ kind: String) -> [String] {
        Disk.names(in: self.work).filter { $0.hasPrefix(kind + "-") && $0.hasSuffix(".log") }
            .map { String($0.dropFirst(kind.utf8.count + 1).dropLast(4)) }
    }
}
