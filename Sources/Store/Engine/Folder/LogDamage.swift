import CLinux
import Glibc

/// Damage in the write-ahead log that is no torn end.
///
/// SQLite takes the log up to the first frame whose checksum does not hold, because a power cut leaves such a frame behind.
/// A flipped bit looks the same, and would silently take everything with it that was acknowledged after it. The two can be
/// told apart: a commit is synced before the next one begins, so that only the newest transaction can be torn. A bad frame
/// with a whole later transaction behind it is damage.
///
/// Source: SQLite's file format, "The Write-Ahead Log": a header of 32 bytes (magic, version, page size, checkpoint number,
/// two salts, two checksums), frames of 24 bytes (page, size of the database after a commit or 0, the salts, two checksums)
/// and a page each; checksums run on from frame to frame.
struct LogDamage: Hashable {
    /// The first frame that does not hold, from 0; 0 also when the header does not hold.
    var frame: Int
    /// Transactions that begin at that frame or later.
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
        scan.begin(header)
        var frame = [UInt8](repeating: 0, count: Self.frameHeaderBytes + Self.pageBytes)
        while fread(&frame, 1, frame.count, file) == frame.count { scan.take(frame) }
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
    let isBigEndian: Bool
    private var salts: (UInt32, UInt32) = (0, 0)
    private var sums: (UInt32, UInt32) = (0, 0)
    private var number = 0
    private var firstBad: Int?
    /// Commits from the first bad frame on, and whether a frame of a younger transaction follows the newest of them.
    private var commits = 0
    private var followsCommit = false
    private var isProven = false

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// A header that does not hold loses the whole log; then the first frame says which salts are in force.
    mutating func begin(_ header: [UInt8]) {
        self.salts = (LogDamage.word(header, 16), LogDamage.word(header, 20))
        self.add(header, 0..<24)
        guard self.sums != (LogDamage.word(header, 24), LogDamage.word(header, 28)) else { return }
        self.firstBad = 0
    }

    mutating func take(_ frame: [UInt8]) {
        defer { self.number += 1 }
        let salts = (LogDamage.word(frame, 8), LogDamage.word(frame, 12))
        if self.number == 0 && self.firstBad == 0 { self.salts = salts }
        if self.firstBad == nil {
            self.add(frame, 0..<8)
            self.add(frame, 24..<frame.count)
            let holds = salts == self.salts && self.sums == (LogDamage.word(frame, 16), LogDamage.word(frame, 20))
            if holds { return }
            self.firstBad = self.number
        }
        // The frame whose salts were hit is passed over; what a former log left behind has other salts.
        guard salts == self.salts else { return }
        if self.followsCommit { self.isProven = true }
        guard LogDamage.word(frame, 4) != 0 else { return }
        self.commits += 1
        self.followsCommit = true
    }

    var damage: LogDamage? {
        guard let firstBad, self.isProven else { return nil }
        return LogDamage(frame: firstBad, lostTransactions: self.commits)
    }

    private mutating func add(_ bytes: [UInt8], _ range: Range<Int>) {
        bytes.withUnsafeBytes { bytes in
            for at in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let (first, second) = (self.number(bytes, at), self.number(bytes, at + 4))
                self.sums.0 = self.sums.0 &+ first &+ self.sums.1
                self.sums.1 = self.sums.1 &+ second &+ self.sums.0
            }
        }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
        let value = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
        return self.isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
    }
}

extension DataFolder {
    var logPath: String { "\(self.databasePath)-wal" }

    /// Damage of the log, in words for the operator; `nil` when there is none.
    func logDamage() throws(StoreError) -> String? {
        guard let damage = try LogDamage.find(in: self.logPath) else { return nil }
        return """
            the write-ahead log \(self.logPath) is damaged at frame \(damage.frame): at least \(damage.lostTransactions) \
            acknowledged changes come after it and cannot be read
            """
    }
}
