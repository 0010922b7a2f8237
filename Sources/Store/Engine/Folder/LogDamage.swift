import CLinux
import Glibc

/// Damage in the write-ahead log that is no torn end.
///
/// SQLite takes the log up to the first frame whose checksum does not hold, because a power cut leaves such a frame behind.
/// A flipped bit looks the same, and would silently take everything with it that was acknowledged after it. The two can be
/// told apart: a commit is synced before the next transaction begins, and a start syncs what a killed server left behind
/// (`DataFolder.syncLog`), so that only the newest transaction can be torn. A bad frame with a commit at it or behind it,
/// and a frame behind the commit whose checksum goes on from there, is damage.
///
/// That the checksum goes on is the proof. Transactions that were torn or killed and then written over leave frames of the
/// same salts behind the newest one, commits among them; but none of those was written as what follows the newest commit.
///
/// Source: SQLite's file format, "The Write-Ahead Log": a header of 32 bytes (magic, version, page size, checkpoint number,
/// two salts, two checksums), frames of 24 bytes (page, size of the database after a commit or 0, the salts, two checksums)
/// and a page each; checksums run on from frame to frame.
struct LogDamage: Hashable {
    /// The first frame that does not hold, from 0; 0 also when the header does not hold.
    var frame: Int
    /// Commits at that frame or later that another transaction was written behind.
    var lostTransactions: Int

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    /// SQLite's default, which every database of ours has; the header's own word for it may be what is damaged.
    private static let pageBytes = 4_096

    /// Looks through the log beside a database. Reads the file once; takes memory for one frame.
    ///
    /// - Returns: `nil` when the log is whole, torn at its end, or not there.
    /// - Throws: `fatal` when it cannot be read.
    static func find(in path: String) throws(StoreError) -> LogDamage? {
        guard let file = fopen(path, "re") else {
            guard clinux_errno() == ENOENT else { throw .fatal("cannot open \(path): errno \(clinux_errno())") }
            return nil
        }
        defer { fclose(file) }
        var header = [UInt8](repeating: 0, count: Self.headerBytes)
        guard fread(&header, 1, header.count, file) == header.count else { return try Self.end(of: file, path) }
        var scan = Scan(isBigEndian: header[3] & 1 == 1)
        scan.beginLog(header)
        var frame = [UInt8](repeating: 0, count: Self.frameHeaderBytes + Self.pageBytes)
        while fread(&frame, 1, frame.count, file) == frame.count { scan.takeFrame(frame) }
        _ = try Self.end(of: file, path)
        return scan.damage
    }

    private static func end(of file: UnsafeMutablePointer<FILE>, _ path: String) throws(StoreError) -> LogDamage? {
        guard ferror(file) == 0 else { throw .fatal("cannot read \(path): errno \(clinux_errno())") }
        return nil
    }

    fileprivate static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The walk over the frames of a log.
private struct Scan {
    private typealias Sums = (UInt32, UInt32)

    /// SQLite writes checksums in the order of the machine, and so does a log whose header is damaged.
    private var isBigEndian: Bool
    private var salts: Sums = (0, 0)
    private var sums: Sums = (0, 0)
    private var number = 0
    private var firstBad: Int?
    /// Checksums that a frame behind the commit just passed may go on from; empty when the last frame was no commit.
    private var commitSums: [Sums] = []
    private var commits = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// A header that does not hold loses the whole log; then the first frame says which salts are in force.
    mutating func beginLog(_ header: [UInt8]) {
        self.salts = (LogDamage.word(header, 16), LogDamage.word(header, 20))
        self.sums = self.sums(header[..<24], after: (0, 0))
        guard self.sums != (LogDamage.word(header, 24), LogDamage.word(header, 28)) else { return }
        self.firstBad = 0
        self.isBigEndian = UInt32(bigEndian: 1) == 1
    }

    mutating func takeFrame(_ frame: [UInt8]) {
        defer { self.number += 1 }
        let salts = (LogDamage.word(frame, 8), LogDamage.word(frame, 12))
        let stored = (LogDamage.word(frame, 16), LogDamage.word(frame, 20))
        let isCommit = LogDamage.word(frame, 4) != 0
        if self.firstBad != nil {
            if self.number == 0 { self.salts = salts }
            let follows = salts == self.salts && self.commitSums.contains { self.sums(of: frame, after: $0) == stored }
            if follows { self.commits += 1 }
            // What a former log left behind has other salts.
            self.commitSums = isCommit && salts == self.salts ? [stored] : []
            return
        }
        self.sums = self.sums(of: frame, after: self.sums)
        if salts == self.salts && self.sums == stored { return }
        self.firstBad = self.number
        // Whether its checksum, its salts or its page was hit, what follows it goes on from one of the two.
        if isCommit { self.commitSums = [stored, self.sums] }
    }

    var damage: LogDamage? {
        guard let firstBad, self.commits > 0 else { return nil }
        return LogDamage(frame: firstBad, lostTransactions: self.commits)
    }

    /// The checksums behind a frame, from those in front of it: of the first 8 bytes of its header, and its page.
    private func sums(of frame: [UInt8], after sums: Sums) -> Sums {
        self.sums(frame[24...], after: self.sums(frame[..<8], after: sums))
    }

    private func sums(_ bytes: ArraySlice<UInt8>, after sums: Sums) -> Sums {
        var sums = sums
        bytes.withUnsafeBytes { bytes in
            for at in stride(from: 0, to: bytes.count, by: 8) {
                let (first, second) = (self.number(bytes, at), self.number(bytes, at + 4))
                sums.0 = sums.0 &+ first &+ sums.1
                sums.1 = sums.1 &+ second &+ sums.0
            }
        }
        return sums
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
        let value = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
        return self.isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
    }
}

extension DataFolder {
    var logPath: String { "\(self.databasePath)-wal" }

    /// Puts what is in the log on the disk. A server that was killed between writing a commit and syncing it leaves one that
    /// the next server reads, shows to people and writes behind, while a power cut may still take it.
    func syncLog() throws(StoreError) {
        let descriptor = open(self.logPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard clinux_errno() == ENOENT else { throw .fatal("cannot open \(self.logPath): errno \(clinux_errno())") }
            return
        }
        defer { close(descriptor) }
        guard fdatasync(descriptor) == 0 else { throw .fatal("cannot sync \(self.logPath): errno \(clinux_errno())") }
    }

    /// Damage of the log, in words for the operator; `nil` when there is none.
    func logDamage() throws(StoreError) -> String? {
        guard let damage = try LogDamage.find(in: self.logPath) else { return nil }
        return """
            the write-ahead log \(self.logPath) is damaged at frame \(damage.frame): at least \(damage.lostTransactions) \
            acknowledged changes come after it and cannot be read
            """
    }
}
