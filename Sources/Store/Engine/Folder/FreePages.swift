import CLinux
import Diagnostics
import Execution
import Glibc
import SQLite

/// Gives the blocks of pages that are free back to the file system while the server runs, in idle moments of the writer. The
/// database file keeps its length, with holes in it, and SQLite uses the pages again as before.
///
/// A leaf of SQLite's list of free pages is never read before it is written. That holds for every reader once all of SQLite's log
/// is in the database file: a checkpoint does not pass over pages that an older reader still sees in it.
final class FreePages {
    /// Time between two looks.
    private static let lookMilliseconds: Int64 = 600_000
    /// Most pages that one look gives back; there are more looks.
    private static let mostPages = 1 << 20
    /// Runs of pages that go in one slice.
    private static let sliceRuns = 128
    /// Pages of one run, 16 MiB: a file system takes its time for a large one.
    private static let runPages = 4_096

    /// Pages that are being given back.
    private struct Work {
        var runs: [Range<UInt32>]
        var next = 0
        var pageBytes: Int
        /// Bytes of the file on the disk when it began.
        var allocated: Int64
        /// Rows that the writer had changed, and bytes of SQLite's log: after another commit a page may be in use.
        var changes: Int64
        var logBytes: Int64
    }

    private let path: String
    private let keptBytes: Int64
    private let log: Log
    private let clock: Clock
    /// Open until the writer ends: closing it takes the locks away that SQLite has on the file (POSIX).
    private var descriptor: Int32?
    private var nextLook: Instant
    private var work: Work?
    /// The file system has no holes.
    private var isInVain = false

    /// - Parameter keptBytes: bytes of free pages that stay on the disk for what is written next.
    init(_ path: String, keptBytes: Int64, _ log: Log, _ clock: Clock) {
        self.path = path
        self.keptBytes = keptBytes
        self.log = log
        self.clock = clock
        self.nextLook = clock.now()
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Gives some pages back. Not within a transaction.
    ///
    /// - Returns: whether there is more.
    func slice(_ connection: Connection) throws(StoreError) -> Bool {
        guard !self.isInVain else { return false }
        if var work = self.work {
            self.work = nil
            guard work.changes == connection.totalChanges, work.logBytes == connection.logBytes else { return false }
            guard self.giveBack(&work) else { return false }
            self.work = work
            return true
        }
        let now = self.clock.now()
        guard now >= self.nextLook else { return false }
        self.nextLook = now.advanced(byMilliseconds: Self.lookMilliseconds)
        self.work = try self.look(connection)
        return self.work != nil
    }

    private func look(_ connection: Connection) throws(StoreError) -> Work? {
        let pages = try connection.first("PRAGMA freelist_count") { row throws(StoreError) in row.int64(0) } ?? 0
        let pageBytes = try connection.first("PRAGMA page_size") { row throws(StoreError) in row.int64(0) } ?? 0
        guard pages * pageBytes >= 2 * self.keptBytes, try connection.checkpoint(truncating: false) else { return nil }
        guard let descriptor = self.opened(), let (length, allocated) = Self.size(descriptor) else { return nil }
        // Free pages that are on the disk, as far as the blocks of the file tell.
        guard allocated - (length - pages * pageBytes) >= 2 * self.keptBytes else { return nil }
        let list = FreeList(mostLeaves: Self.mostPages) { offset, count in
            var bytes = [UInt8](repeating: 0, count: count)
            return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
        }
        // One that contradicts itself is told by verify.
        guard let list, Int64(list.count) == pages, Int64(list.pageBytes) == pageBytes else { return nil }
        let runs = Self.runs(list.leaves.dropFirst(Int(self.keptBytes / pageBytes)))
        guard !runs.isEmpty else { return nil }
        return Work(
            runs: runs, pageBytes: list.pageBytes, allocated: allocated, changes: connection.totalChanges,
            logBytes: connection.logBytes)
    }

    /// Pages that follow each other, together.
    private static func runs(_ pages: ArraySlice<UInt32>) -> [Range<UInt32>] {
        var runs: [Range<UInt32>] = []
        for page in pages {
            if let last = runs.last, last.upperBound == page, last.count < Self.runPages {
                runs[runs.count - 1] = last.lowerBound..<page + 1
            } else {
                runs.append(page..<page + 1)
            }
        }
        return runs
    }

    /// - Returns: whether there is more.
    private func giveBack(_ work: inout Work) -> Bool {
        guard let descriptor = self.descriptor else { return false }
        let end = min(work.next + Self.sliceRuns, work.runs.count)
        for run in work.runs[work.next..<end] {
            let offset = Int64(run.lowerBound - 1) * Int64(work.pageBytes)
            guard clinux_punch_hole(descriptor, offset, Int64(run.count) * Int64(work.pageBytes)) == 0 else {
                self.isInVain = errno == EOPNOTSUPP || errno == ENOSYS
                self.log.warning("free_pages_not_given_back", ["reason": .text(String(cString: strerror(errno)))])
                return false
            }
        }
        work.next = end
        guard work.next == work.runs.count else { return true }
        let allocated = Self.size(descriptor)?.allocated ?? work.allocated
        self.log.info("free_pages_given_back", ["bytes": .bytes(max(0, work.allocated - allocated))])
        return false
    }

    private func opened() -> Int32? {
        if let descriptor { return descriptor }
        let descriptor = clinux_open(self.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        return descriptor
    }

    private static func size(_ descriptor: Int32) -> (length: Int64, allocated: Int64)? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return (Int64(status.st_size), Int64(status.st_blocks) * 512)
    }
}
