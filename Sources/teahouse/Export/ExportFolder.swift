import Backup
import CLinux
import CommandLineKit
import FileStore
import Glibc

/// The new folder of an export. It is written as `NAME.partial`, and gets its name when all of it is on the disk.
final class ExportFolder {
    /// Name of the list of checksums, as `sha256sum --check` reads it.
    private static let sumsName = "SHA256SUMS"
    /// Folders in it.
    static let folders = ["messages", "pages", "files"]

    /// Path that it gets.
    let path: String
    private let partial: String
    private let text: TextLookup
    private let sums: Int32

    /// Makes the folder.
    ///
    /// - Throws: exit code 74 when the path is taken by anything but an empty folder, when an export that was broken
    ///   off lies beside it, or when it cannot be made.
    init(_ path: String, _ text: @escaping TextLookup) throws(CommandFailure) {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        (self.path, self.partial, self.text) = (path, path + ".partial", text)
        func failure(_ key: String, _ path: String) -> CommandFailure {
            CommandFailure(.inputOutput, text(key, ["path": DisplayText.escaped(path)]))
        }
        var status = stat()
        let isThere = lstat(path, &status) == 0
        guard !isThere || status.st_mode & S_IFMT == S_IFDIR && BackupFiles.names(in: path).isEmpty else {
            throw failure("ctl.export.taken", path)
        }
        guard lstat(self.partial, &status) != 0 else { throw failure("ctl.export.left", self.partial) }
        guard mkdir(self.partial, 0o700) == 0 else { throw failure("ctl.exportNotMade", self.partial) }
        for name in Self.folders { mkdir("\(self.partial)/\(name)", 0o700) }
        self.sums = clinux_open(
            "\(self.partial)/\(Self.sumsName)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard self.sums >= 0 else { throw failure("ctl.exportNotMade", self.partial) }
    }

    deinit { close(self.sums) }

    fileprivate var notWritten: CommandFailure {
        CommandFailure(.inputOutput, self.text("ctl.exportNotWritten", ["path": DisplayText.escaped(self.partial)]))
    }

    /// Begins a new file.
    ///
    /// - Parameter name: path in the folder, made of safe names.
    func newFile(_ name: String) throws(CommandFailure) -> ExportFile {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = clinux_open("\(self.partial)/\(name)", flags, 0o600)
        guard descriptor >= 0 else { throw self.notWritten }
        return ExportFile(name, descriptor, self)
    }

    /// True when the folder has such a file.
    func has(_ name: String) -> Bool { access("\(self.partial)/\(name)", F_OK) == 0 }

    /// Takes a file into the list of checksums.
    fileprivate func add(_ name: String, _ hash: String) throws(CommandFailure) {
        guard Self.write(Array("\(hash)  \(name)\n".utf8), to: self.sums) else { throw self.notWritten }
    }

    fileprivate func remove(_ name: String) { unlink("\(self.partial)/\(name)") }

    /// Gives the folder its name.
    func finish() throws(CommandFailure) {
        guard fsync(self.sums) == 0 else { throw self.notWritten }
        do throws(BackupError) { try BackupFiles.syncFolders(self.partial) } catch { throw self.notWritten }
        // An empty folder by this name is replaced; one that has got something meanwhile is not.
        guard rename(self.partial, self.path) == 0 else {
            throw CommandFailure(
                .inputOutput, self.text("ctl.export.taken", ["path": DisplayText.escaped(self.path)]))
        }
    }

    /// Removes what was written: a part of an export helps nobody, and holds what people wrote.
    func discard() { BackupFiles.removeTree(self.partial) }

    fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && clinux_errno() == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

/// A file of an export while it is written. `finish` or `abandon` ends it.
final class ExportFile {
    /// Bytes that are collected before they are written.
    private static let pieceBytes = 64 * 1024

    /// Path in the folder.
    let name: String
    private let folder: ExportFolder
    private var descriptor: Int32
    private let hasher = ContentHasher()
    private var waiting: [UInt8] = []

    fileprivate init(_ name: String, _ descriptor: Int32, _ folder: ExportFolder) {
        self.name = name
        self.descriptor = descriptor
        self.folder = folder
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        self.waiting += bytes
        if self.waiting.count >= Self.pieceBytes { try self.flush() }
    }

    func write(_ text: String) throws(CommandFailure) { try self.write(Array(text.utf8)) }

    private func flush() throws(CommandFailure) {
        self.waiting.withUnsafeBytes { self.hasher.update($0) }
        guard ExportFolder.write(self.waiting, to: self.descriptor) else { throw self.folder.notWritten }
        self.waiting.removeAll(keepingCapacity: true)
    }

    /// Makes the file durable and takes it into the list of checksums.
    ///
    /// - Parameter expected: SHA-256 that it must have, in hexadecimal; `nil` for any.
    /// - Returns: false when it has another one; then it is removed.
    @discardableResult
    func finish(expecting expected: String? = nil) throws(CommandFailure) -> Bool {
        try self.flush()
        let hash = self.hasher.hash().hex
        guard expected == nil || expected == hash else {
            self.abandon()
            return false
        }
        guard fsync(self.descriptor) == 0 else { throw self.folder.notWritten }
        close(self.descriptor)
        self.descriptor = -1
        try self.folder.add(self.name, hash)
        return true
    }

    /// Removes the file.
    func abandon() {
        close(self.descriptor)
        self.descriptor = -1
        self.folder.remove(self.name)
    }
}

/// Names of people and files as parts of paths.
enum ExportName {
    /// Most characters of a name that are kept.
    private static let maximumScalars = 40
    /// Ends of names that a browser would run or lay out as a page of its own.
    private static let pages: Set<String> = [
        "html", "htm", "xhtml", "xht", "shtml", "svg", "svgz", "xml", "xsl", "xslt", "mht", "mhtml", "hta", "js", "mjs",
    ]

    /// Letters, digits, `-`, `_` and `.` of a text; anything else is `_`. Nothing in it is obeyed by a shell, a browser
    /// or `sha256sum`.
    static func safe(_ text: some StringProtocol) -> String {
        var name = ""
        for scalar in text.unicodeScalars.prefix(Self.maximumScalars) {
            let isKept =
                scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
                || scalar == "-" || scalar == "_" || scalar == "."
            name.unicodeScalars.append(isKept ? scalar : "_")
        }
        while name.hasPrefix(".") { name.removeFirst() }
        return name
    }

    /// Path of a conversation's file without its ending: `messages/0012-茶`.
    static func conversation(_ number: Int, _ title: String) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        let name = Self.safe(title)
        return name.isEmpty ? padded : "\(padded)-\(name)"
    }

    /// Path of a content. The end of the name stays, but one that a browser would take for a page of its own is
    /// followed by `.txt`.
    static func file(_ key: String, _ name: String) -> String {
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
        let stem = ending.isEmpty ? name[...] : name.dropLast(ending.count + 1)
        var safe = Self.safe(stem)
        let end = Self.safe(String(ending.prefix(12)))
        if !end.isEmpty { safe += ".\(end)" }
        if Self.pages.contains(end.lowercased()) { safe += ".txt" }
        return safe.isEmpty ? "files/\(key)" : "files/\(key)-\(safe)"
    }
}
