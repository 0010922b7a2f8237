import CLinux
import ChatModel
import Glibc

/// The files of the journal, in the folder `sign-ins` of the data folder.
///
/// A file is named by the number of its first entry and the day of it, `000000000017-20261123.log`, so that the order of the
/// files is the order of their entries whatever the clock said. Only the newest file grows; the others never change and go as
/// wholes. Confined to one thread at a time; blocks.
final class SignInFiles {
    /// Name of the folder.
    static let folderName = "sign-ins"
    /// Bytes of a file after which a new one is begun. A whole file is read at once.
    static let fileBytes = 4 << 20

    /// End of the chain.
    struct Head: Equatable {
        /// Number of the newest entry; 0 for none.
        var number: Int64 = 0
        /// Its hash.
        var hash = SignInLine.start
    }

    let path: String
    private(set) var head = Head()
    /// Names of the files, the oldest first.
    private(set) var names: [String] = []
    /// The newest file, open to be written.
    private var descriptor: Int32 = -1
    private var bytes: Int64 = 0

    /// - Parameter folder: the data folder.
    init(in folder: String) { self.path = "\(folder)/\(Self.folderName)" }

    deinit { self.close() }

    /// Why a file cannot be used.
    struct Failure: Error, CustomStringConvertible {
        var description: String

        init(_ action: String, _ reason: Int32 = clinux_errno()) {
            self.description = "cannot \(action): \(String(cString: strerror(reason)))"
        }
    }

    // MARK: Names

    static func name(first: Int64, at milliseconds: Int64) -> String {
        var (seconds, parts) = (time_t(milliseconds / 1000), tm())
        gmtime_r(&seconds, &parts)
        let day = (Int64(parts.tm_year) + 1900) * 10_000 + (Int64(parts.tm_mon) + 1) * 100 + Int64(parts.tm_mday)
        return "\(Self.padded(first, 12))-\(Self.padded(day, 8)).log"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Number of the first entry of a file; `nil` for another file.
    static func first(of name: String) -> Int64? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count >= 12, parts[1].hasSuffix(".log"),
            Int64(parts[1].dropLast(4)) != nil
        else { return nil }
        return Int64(parts[0]).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Names of the files of a folder in the order of their entries; none when there is no folder.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: [(first: Int64, name: String)] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let first = Self.first(of: name) { found.append((first, name)) }
        }
        return found.sorted { ($0.first, $0.name) < ($1.first, $1.name) }.map(\.name)
    }

    /// Bytes of a file; `nil` when it cannot be read. A file is not much longer than `fileBytes`: what is longer is none of
    /// ours, and its rest is not read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = clinux_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let room = min(Int(status.st_size), 2 * Self.fileBytes)
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            while filled < room {
                // SAFETY: `pread` writes at most what is left of the buffer behind what is filled.
                let got = pread(descriptor, buffer.baseAddress! + filled, room - filled, off_t(filled))
                if got < 0, clinux_errno() == EINTR { continue }
                failed = got < 0
                guard got > 0 else { return }
                filled += got
            }
        }
        return failed ? nil : bytes
    }

    // MARK: Opening

    /// Opens the journal: finds the end of the chain, and sets aside what a power cut left behind it.
    ///
    /// - Returns: number of bytes set aside.
    func open() throws(Failure) -> Int64 {
        guard mkdir(self.path, 0o700) == 0 || clinux_errno() == EEXIST else { throw Failure("make \(self.path)") }
        var cut: Int64 = 0
        self.names = Self.names(in: self.path)
        while let name = self.names.last {
            let place = "\(self.path)/\(name)"
            guard let bytes = Self.read(place) else { throw Failure("read \(place)") }
            let end = Self.end(of: bytes)
            if end.bytes < bytes.count { cut += try self.setAside(bytes[end.bytes...], of: name) }
            if end.bytes > 0 {
                self.head = end.head
                try self.openLast(name, bytes: Int64(end.bytes))
                return cut
            }
            // Not even its first entry is whole.
            guard unlink(place) == 0 else { throw Failure("remove \(place)") }
            self.names.removeLast()
        }
        return cut
    }

    /// End of the entries of a file that follow each other as they were written.
    private static func end(of bytes: [UInt8]) -> (head: Head, bytes: Int) {
        var (head, end, previous) = (Head(), 0, String?.none)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            guard let read = SignInLine.read(line) else { break }
            let before = previous ?? read.entry.previous ?? ""
            guard SignInLine.hash(read.object, after: before) == read.hash,
                previous == nil ? read.entry.kind == .begin : read.entry.number == head.number + 1
            else { break }
            head = Head(number: read.entry.number, hash: read.hash)
            previous = read.hash
            end = line.endIndex + 1
        }
        return (head, end)
    }

    /// Keeps bytes that are no entries beside the file.
    private func setAside(_ bytes: ArraySlice<UInt8>, of name: String) throws(Failure) -> Int64 {
        let place = "\(self.path)/\(name).cut"
        let descriptor = clinux_open(place, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("make \(place)") }
        defer { Glibc.close(descriptor) }
        try Self.write(bytes, to: descriptor, place)
        guard fsync(descriptor) == 0 else { throw Failure("sync \(place)") }
        return Int64(bytes.count)
    }

    private func openLast(_ name: String, bytes: Int64) throws(Failure) {
        let place = "\(self.path)/\(name)"
        let descriptor = clinux_open(place, O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Failure("open \(place)") }
        guard ftruncate(descriptor, off_t(bytes)) == 0, fsync(descriptor) == 0,
            lseek(descriptor, off_t(bytes), SEEK_SET) == off_t(bytes)
        else {
            let reason = clinux_errno()
            Glibc.close(descriptor)
            throw Failure("write \(place)", reason)
        }
        self.descriptor = descriptor
        self.bytes = bytes
    }

    // MARK: Writing

    /// Adds entries to the end of the chain; they get their numbers here. All of them are written, or none.
    ///
    /// A file is begun when there is none, when the newest is full, and when the day is another one.
    func append(_ entries: [SignInEntry], at milliseconds: Int64) throws(Failure) {
        guard !entries.isEmpty else { return }
        let begun = self.descriptor < 0 ? nil : self.names.last
        let isNewDay = begun.map { $0.suffix(12) != Self.name(first: 1, at: milliseconds).suffix(12) } ?? true
        var (written, head) = ([UInt8](), self.head)
        let begins = isNewDay || self.bytes >= Int64(Self.fileBytes)
        var all = entries
        if begins {
            var entry = SignInEntry(.begin, at: milliseconds)
            entry.previous = head.hash
            all.insert(entry, at: 0)
        }
        for var entry in all {
            entry.number = head.number + 1
            let line = SignInLine.line(of: entry, after: head.hash)
            written += line.bytes
            head = Head(number: entry.number, hash: line.hash)
        }
        if begins { try self.begin(Self.name(first: self.head.number + 1, at: milliseconds)) }
        do throws(Failure) {
            try Self.write(written[...], to: self.descriptor, self.path)
        } catch {
            self.takeBack(isBegun: begins)
            throw error
        }
        self.bytes += Int64(written.count)
        self.head = head
    }

    private func begin(_ name: String) throws(Failure) {
        let place = "\(self.path)/\(name)"
        try self.sync()
        let descriptor = clinux_open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("make \(place)") }
        self.close()
        self.descriptor = descriptor
        self.bytes = 0
        self.names.append(name)
        self.syncFolder()
    }

    /// Removes what a write that failed has left.
    private func takeBack(isBegun: Bool) {
        if !isBegun, ftruncate(self.descriptor, off_t(self.bytes)) == 0,
            lseek(self.descriptor, off_t(self.bytes), SEEK_SET) == off_t(self.bytes)
        {
            return
        }
        // The next entries begin a file; one without its first entry is none.
        if isBegun, let name = self.names.last {
            unlink("\(self.path)/\(name)")
            self.names.removeLast()
        }
        self.close()
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ place: String) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, clinux_errno() == EINTR { continue }
            guard count > 0 else { throw Failure("write \(place)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes what was written durable.
    func sync() throws(Failure) {
        guard self.descriptor >= 0 else { return }
        guard fdatasync(self.descriptor) == 0 else { throw Failure("sync \(self.path)") }
    }

    private func syncFolder() {
        let folder = clinux_open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard folder >= 0 else { return }
        fsync(folder)
        Glibc.close(folder)
    }

    /// Closes the newest file. The next entry then begins a file.
    func close() {
        if self.descriptor >= 0 { Glibc.close(self.descriptor) }
        self.descriptor = -1
    }

    // MARK: Removing

    /// Files that are to go: the oldest ones, so that what is left is a chain. The newest stays.
    ///
    /// The time of a file is that of its newest entry, or of any later file where that is earlier: what a clock wrote that
    /// was days ahead does not stay for years.
    ///
    /// - Parameter before: files older than that go, UTC milliseconds; `nil` while the clock is in doubt.
    func expired(before: Int64?, maximumBytes: Int64) -> ArraySlice<String> {
        let sizes = self.names.map { name -> Int64 in
            var status = stat()
            return stat("\(self.path)/\(name)", &status) == 0 ? Int64(status.st_size) : 0
        }
        var (left, count) = (sizes.reduce(0, +), 0)
        while count < self.names.count - 1, left > maximumBytes {
            left -= sizes[count]
            count += 1
        }
        guard let before else { return self.names[..<count] }
        // The day of a file is in its name; the day after it ends is when its newest entry is older at the latest.
        let limit = Self.name(first: 1, at: before).suffix(12)
        var earliest: [Substring] = []
        for name in self.names.reversed() {
            let day = name.suffix(12)
            earliest.append(min(day, earliest.last ?? day))
        }
        earliest.reverse()
        while count < self.names.count - 1, earliest[count] < limit { count += 1 }
        return self.names[..<count]
    }

    /// The entry that says in the chain that files were removed; `nil` when the last of them cannot be read.
    func removal(of names: ArraySlice<String>, at milliseconds: Int64) -> SignInEntry? {
        guard let name = names.last, let bytes = Self.read("\(self.path)/\(name)") else { return nil }
        let end = Self.end(of: bytes)
        guard end.bytes > 0 else { return nil }
        var entry = SignInEntry(.removed, at: milliseconds)
        entry.count = Int64(names.count)
        entry.through = end.head.number
        entry.previous = end.head.hash
        return entry
    }

    /// Removes files whose removal is in the chain and on the disk.
    func remove(_ names: ArraySlice<String>) {
        for name in names {
            unlink("\(self.path)/\(name)")
            unlink("\(self.path)/\(name).cut")
        }
        self.names.removeFirst(names.count)
        self.syncFolder()
    }
}
