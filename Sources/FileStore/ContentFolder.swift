import CLinux
import ChatModel
import Execution
import Glibc

/// A folder of contents: `objects/ab/cd/<hash>` with `.gz` behind it when it is compressed, `<hash>.idx` beside it, and
/// `tmp/` for what is still coming. Any thread.
final class ContentFolder: Sendable {
    let name: String
    let path: String
    let compresses: Bool
    let coders = CoderPool()
    let faults: FileStoreFaults
    /// Indexes that were made again since the start.
    private let rebuilt = Lock(0)

    /// Name prefix of an index that is being rebuilt, until it is whole.
    private static let rebuiltPrefix = "rebuilt-"

    var temporary: String { self.path + "/tmp" }
    private var objects: String { self.path + "/objects" }

    /// - Throws: `io` for a folder that cannot be made, or that others may write to.
    init(_ path: String, name: String, compresses: Bool, faults: FileStoreFaults) throws(FileStoreError) {
        self.name = name
        self.path = path
        self.compresses = compresses
        self.faults = faults
        try Files.makeFolder(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw Files.failure("look at \(path)") }
        guard status.st_mode & 0o022 == 0 else {
            throw .io(action: "use \(path), to which others may write: run chmod 700 on it", errno: EPERM)
        }
        try Files.makeFolder(self.temporary)
        try Files.makeFolder(self.objects)
        // A start that was killed may have made them and not come to the sync.
        try Files.syncFolder(path)
        try Files.syncFolder(Files.parent(of: path))
        for name in Files.names(in: self.temporary) where name.hasPrefix(Self.rebuiltPrefix) {
            unlink("\(self.temporary)/\(name)")
        }
    }

    // MARK: Names

    func partPath(_ key: TransferKey) -> String { "\(self.temporary)/\(key).part" }
    func statePath(_ key: TransferKey) -> String { "\(self.temporary)/\(key).state" }
    func temporaryIndexPath(_ key: TransferKey) -> String { "\(self.temporary)/\(key).idx" }

    /// The folders above an object, outermost first.
    private func folders(_ hash: ContentHash) -> [String] {
        let hex = hash.hex
        let outer = "\(self.objects)/\(hex.prefix(2))"
        return [outer, "\(outer)/\(hex.dropFirst(2).prefix(2))"]
    }

    func objectPath(_ hash: ContentHash, _ codec: FileCodec) -> String {
        "\(self.folders(hash)[1])/\(hash.hex)\(codec == .gzip ? ".gz" : "")"
    }

    private func indexPath(_ hash: ContentHash) -> String { "\(self.folders(hash)[1])/\(hash.hex).idx" }

    // MARK: Uploads

    func newUpload(_ key: TransferKey) throws(FileStoreError) -> ContentSink {
        self.discardUpload(key)
        try self.faults.before(.openPart)
        guard let part = try OpenFile.open(self.partPath(key), .fresh) else {
            throw .io(action: "make \(self.partPath(key))", errno: ENOENT)
        }
        let sink = ContentSink(self, key, part)
        try sink.sync()
        return sink
    }

    func resumeUpload(_ key: TransferKey) throws(FileStoreError) -> ContentSink? {
        guard let file = try OpenFile.open(self.statePath(key), .reading),
            let saved = UploadState(parsing: try file.read(at: 0, count: Int(try file.size()))),
            Files.facts(self.partPath(key)) != nil, var part = try OpenFile.open(self.partPath(key), .writing)
        else { return nil }
        if try part.hasOtherNames() { part = try self.copied(part, key, bytes: saved.storedLength) }
        let (state, hasher) = try self.recomputed(saved, part)
        try part.truncate(to: state.storedLength)
        return ContentSink(self, key, part, state, hasher)
    }

    /// The server ended, or the disk refused, after the content had got its name: the file is an object now, and others may
    /// have it already. The upload goes on in a file of its own.
    private func copied(_ part: OpenFile, _ key: TransferKey, bytes: Int64) throws(FileStoreError) -> OpenFile {
        let path = self.partPath(key)
        guard let copy = try OpenFile.open(path + ".new", .fresh) else {
            throw .io(action: "make \(path).new", errno: ENOENT)
        }
        var done: Int64 = 0
        while done < bytes {
            let piece = try part.read(at: done, count: min(ContentIndex.pieceBytes, Int(bytes - done)))
            guard !piece.isEmpty else { break }
            try copy.write(piece, at: done)
            done += Int64(piece.count)
        }
        try copy.sync()
        try Files.rename(path + ".new", path)
        try Files.syncFolder(self.temporary)
        guard let own = try OpenFile.open(path, .writing) else { throw .io(action: "open \(path)", errno: ENOENT) }
        return own
    }

    /// Reads the pieces again: what does not check out, and all after it, has not come.
    private func recomputed(
        _ saved: UploadState, _ part: OpenFile
    ) throws(FileStoreError) -> (UploadState, ContentHasher) {
        let hasher = ContentHasher()
        var state = saved
        for (number, piece) in saved.pieces.enumerated() {
            let end = number + 1 < saved.pieces.count ? saved.pieces[number + 1].storedOffset : saved.storedLength
            let stored = try part.read(at: piece.storedOffset, count: Int(end - piece.storedOffset))
            let plain = Checksum.of(stored) == piece.storedCRC ? self.plain(stored, saved.codec) : nil
            guard let plain, Checksum.of(plain) == piece.plainCRC else {
                state.pieces = Array(saved.pieces.prefix(number))
                state.storedLength = number == 0 ? 0 : piece.storedOffset
                state.tail = []
                if number == 0 { state.codec = nil }
                return (state, hasher)
            }
            plain.withUnsafeBytes { hasher.update($0) }
        }
        state.tail.withUnsafeBytes { hasher.update($0) }
        return (state, hasher)
    }

    private func plain(_ stored: [UInt8], _ codec: FileCodec?) -> [UInt8]? {
        guard codec == .gzip else { return stored }
        return stored.withUnsafeBytes { self.coders.inflate($0, count: ContentIndex.pieceBytes) }
    }

    func discardUpload(_ key: TransferKey) {
        for path in [
            self.statePath(key), self.partPath(key), self.temporaryIndexPath(key), self.statePath(key) + ".new",
            self.partPath(key) + ".new",
        ] {
            unlink(path)
        }
    }

    func unfinishedUploads() -> [UnfinishedUpload] {
        var newest: [TransferKey: Int64] = [:]
        for name in Files.names(in: self.temporary) {
            guard let dot = name.firstIndex(of: "."), let key = TransferKey(String(name[..<dot])),
                let facts = Files.facts("\(self.temporary)/\(name)")
            else { continue }
            newest[key] = max(newest[key] ?? 0, facts.modifiedAtMilliseconds)
        }
        return newest.map { UnfinishedUpload(key: $0.key, modifiedAtMilliseconds: $0.value) }
    }

    // MARK: Objects

    /// Gives a finished upload its name. A whole object by that name stays; a damaged one is replaced. What the system is
    /// asked to do is the same in both cases, so that time tells nobody what is there.
    func place(_ index: ContentIndex, part: String, index indexFile: String) throws(FileStoreError) {
        try self.faults.before(.makeFolders)
        for folder in self.folders(index.hash) { try Files.makeFolder(folder) }
        let object = self.objectPath(index.hash, index.codec)
        let isThere = (try? self.open(index.hash, index.codec)) != nil
        try self.faults.before(.nameIndex)
        if !isThere { try Files.rename(indexFile, self.indexPath(index.hash)) }
        try self.faults.before(.nameObject)
        if try !Files.link(part, object), !isThere { try Files.rename(part, object) }
        try self.faults.before(.syncFolders)
        guard !self.faults.unsynced.contains(.syncFolders) else { return }
        let folders = self.folders(index.hash)
        try Files.syncFolder(folders[1])
        try Files.syncFolder(folders[0])
        try Files.syncFolder(self.objects)
    }

    func open(_ object: StoredObject) throws(FileStoreError) -> ContentReader {
        let reader = try self.open(object.hash, object.codec)
        guard reader.index.size == object.size else { throw .damaged(object.hash) }
        return reader
    }

    private func open(_ hash: ContentHash, _ codec: FileCodec) throws(FileStoreError) -> ContentReader {
        for folder in self.folders(hash) { try Files.refuseStranger(folder) }
        guard let file = try OpenFile.open(self.objectPath(hash, codec), .reading) else { throw .missing(hash) }
        let index = try self.index(of: hash, codec, file)
        guard try file.size() == index.storedSize else { throw .damaged(hash) }
        let object = StoredObject(
            hash: hash, size: index.size, storedSize: index.storedSize, codec: codec, provider: self.name)
        return ContentReader(object, index, file, self.coders)
    }

    /// From its file, or made again when that is lost.
    private func index(of hash: ContentHash, _ codec: FileCodec, _ file: OpenFile) throws(FileStoreError)
        -> ContentIndex
    {
        let path = self.indexPath(hash)
        if let stored = try OpenFile.open(path, .reading),
            let index = ContentIndex(parsing: try stored.read(at: 0, count: Int(try stored.size()))),
            index.hash == hash, index.codec == codec
        {
            return index
        }
        let index = try IndexRebuilding(hash, file).index(codec)
        // On a full disk it is made again for the next reader: reading must not need room.
        try? self.keep(index, at: path)
        return index
    }

    private func keep(_ index: ContentIndex, at path: String) throws(FileStoreError) {
        let number = self.rebuilt.withLock { number in
            number += 1
            return number
        }
        let temporary = "\(self.temporary)/\(Self.rebuiltPrefix)\(number)"
        defer { unlink(temporary) }
        guard let fresh = try OpenFile.open(temporary, .fresh) else { return }
        try fresh.write(index.encoded(), at: 0)
        try fresh.sync()
        try Files.rename(temporary, path)
    }

    /// Both forms, whichever there is. An object that is not there is gone already.
    func remove(_ hash: ContentHash) throws(FileStoreError) {
        var removed = false
        for codec in FileCodec.allCases {
            if try Files.remove(self.objectPath(hash, codec)) { removed = true }
        }
        if try Files.remove(self.indexPath(hash)) { removed = true }
        if removed { try Files.syncFolder(self.folders(hash)[1]) }
    }

    /// Every content by its hash and the time of its newest file. An index without an object counts too: a kill between
    /// the two names leaves one.
    func eachContent(_ call: (ContentHash, Int64) -> Void) {
        for outer in Files.names(in: self.objects) {
            for inner in Files.names(in: "\(self.objects)/\(outer)") {
                let folder = "\(self.objects)/\(outer)/\(inner)"
                var newest: [ContentHash: Int64] = [:]
                for name in Files.names(in: folder) {
                    guard let hash = ContentHash(hex: String(name.prefix { $0 != "." })),
                        let facts = Files.facts("\(folder)/\(name)")
                    else { continue }
                    newest[hash] = max(newest[hash] ?? Int64.min, facts.modifiedAtMilliseconds)
                }
                for (hash, time) in newest { call(hash, time) }
            }
        }
    }

    /// By the clock that stamps the files.
    func wallMilliseconds() -> Int64 { clinux_wall_milliseconds() }

    func room() -> DiskRoom? {
        var status = statvfs()
        guard statvfs(self.path, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        let total = Int64(clamping: UInt64(status.f_blocks) &* unit)
        // A file system that counts its files is full too when it has none left; btrfs says 0 of 0.
        if status.f_files > 0 && status.f_favail < 16 { return DiskRoom(freeBytes: 0, totalBytes: total) }
        return DiskRoom(freeBytes: Int64(clamping: UInt64(status.f_bavail) &* unit), totalBytes: total)
    }
}
