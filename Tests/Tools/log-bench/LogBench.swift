import CLinux
import ChatModel
import Execution
import Glibc
import MessageLog

/// Measures the log alone: the processor time of its records, and how long a group takes until it is on the disk, beside
/// other ways to write the same bytes.
@main
struct LogBench {
    static let bodyBytes = 100
    static let conversations: Int64 = 100

    static func main() {
        let arguments = CommandLine.arguments
        guard (2...3).contains(arguments.count), let groups = arguments.count == 3 ? Int(arguments[2]) : 2_000,
            groups > 0
        else {
            print("usage: log-bench FOLDER [groups]")
            exit(64)
        }
        do throws(LogError) {
            try self.measureRecords()
            try self.measureGroups(arguments[1], groups)
            self.measureOtherWays(arguments[1], groups)
            try self.measureThread(arguments[1], groups)
            try self.measureStart(arguments[1])
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    private static func message(_ number: Int64) -> LoggedMessage {
        let sequence = number / self.conversations + 1
        var message = LoggedMessage(
            conversation: ConversationID(rawValue: number % self.conversations + 1), sequence: sequence,
            id: MessageID(rawValue: 900_000_000_000_000_000 + number),
            sender: UserID(rawValue: number % self.conversations * 2 + 1),
            sentAtMilliseconds: 1_800_000_000_000 + number / 50, messageKind: .text,
            flags: [.countsAsUnread, .bodyIsJSONObject], countable: sequence, wire: .native,
            body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: self.bodyBytes), bodyHash: number &* 77,
            wallMilliseconds: 1_800_000_000_000 + number / 50)
        message.clientToken = ClientToken([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 24))
        message.isOfMember = true
        return message
    }

    private static func batch(_ numbers: Range<Int64>) throws(LogError) -> LogBatch {
        var batch = LogBatch()
        for number in numbers { try batch.add(self.message(number)) }
        return batch
    }

    // MARK: Records

    private static func measureRecords() throws(LogError) {
        let count = 200_000
        let messages = (0..<Int64(count)).map { self.message($0) }
        let instruction = CRC32C.hasInstruction ? "by instruction" : "by table"
        print("\(count) messages of \(self.bodyBytes) bytes, ns of processor time each; CRC-32C \(instruction)")

        var batches: [LogBatch] = []
        let writing = self.nanoseconds(per: count) { () throws(LogError) in
            for start in stride(from: 0, to: count, by: 1_000) {
                var batch = LogBatch(capacity: 300_000)
                for message in messages[start..<start + 1_000] { try batch.add(message) }
                batches.append(batch)
            }
        }
        let bytes = batches.reduce(0) { $0 + $1.loggedBytes } / count
        print("  write the payload: \(try writing.get()) (\(bytes) bytes in the log)")

        let disk = MemoryDisk()
        let sizes = SegmentedLog.Sizes(segmentBytes: LogFormat.segmentBytes, segments: 64)
        let owner = LogOwner(storeID: 1, epoch: 1, run: 1)
        let log = try SegmentedLog(disk, owner: owner, applied: 0, sizes: sizes)
        // The segments are made before the clock runs.
        try log.beginRun(2, after: 0)
        for batch in batches { try log.append([batch]) }
        try log.beginRun(3, after: 0)
        let completing = self.nanoseconds(per: count) { () throws(LogError) in
            for batch in batches { try log.append([batch]) }
        }
        print("  complete, checksum, copy: \(try completing.get())")

        var found: RecoveredLog?
        let reading = self.nanoseconds(per: count) { () throws(LogError) in
            found = try SegmentedLog(
                disk, owner: LogOwner(storeID: 1, epoch: 1, run: 3), applied: 0, sizes: sizes
            ).recovered
        }
        print("  read and check: \(try reading.get())")
        let records = found?.records ?? []
        precondition(records.count == count)
        let understanding = self.nanoseconds(per: count) { () throws(LogError) in
            for record in records { _ = try LogEntry(record) }
        }
        print("  understand: \(try understanding.get())")

        var bounds = LogTail.Bounds()
        bounds.bytes = .max / 2
        let tail = LogTail(applied: 0, bounds: bounds)
        let entries = messages.map { LogEntry.message($0) }
        let pinning = self.nanoseconds(per: count) { () throws(LogError) in
            for start in stride(from: 0, to: count, by: 16_000) {
                let end = min(start + 16_000, count)
                for part in stride(from: start, to: end, by: 20) {
                    tail.add(Array(entries[part..<min(part + 20, end)]), at: UInt64(part + 1), bytes: 8_192)
                }
                tail.noteSynced(through: UInt64(end))
                for layer in tail.beginApplying() { _ = layer.sortedRuns }
                tail.finishApplying()
            }
        }
        print("  keep in the tail, sort, let go: \(try pinning.get())")
    }

    private static func nanoseconds(
        per count: Int, _ body: () throws(LogError) -> Void
    ) -> Result<Int, LogError> {
        let start = self.processorNanoseconds()
        do throws(LogError) { try body() } catch { return .failure(error) }
        return .success((self.processorNanoseconds() - start) / count)
    }

    private static func processorNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    // MARK: Groups

    private static func measureGroups(_ folder: String, _ groups: Int) throws(LogError) {
        print("\(groups) groups on the disk one after the other, µs each: p50, p99; bytes of the device for a message")
        for size in [1, 20, 200] {
            let log = try SegmentedLog(
                try FolderDisk(folder + "/log"), owner: LogOwner(storeID: 1, epoch: 1, run: 1), applied: 0,
                acceptsDamage: true)
            try log.beginRun(2, after: 0)
            var times: [Int64] = []
            // The segments exist before the clock runs.
            for number in 0..<100 as Range<Int64> { try log.append([try self.batch(number..<number + 1)]) }
            let before = self.deviceBytes(of: folder)
            for group in 0..<groups {
                let batch = try self.batch(Int64(group * size)..<Int64((group + 1) * size))
                let start = Clock.system.now().nanoseconds
                try log.append([batch])
                times.append(Clock.system.now().nanoseconds - start)
                log.release(through: log.synced)
            }
            let bytes = before.flatMap { before in self.deviceBytes(of: folder).map { $0 - before } }
            let each = bytes.map { "\($0 / Int64(groups * size))" } ?? "unknown"
            print("  \(size) messages: \(self.summary(times)); \(each)")
            self.empty(folder + "/log")
        }
    }

    private static func empty(_ path: String) {
        for number in 0..<64 { unlink("\(path)/segment-\(number)") }
        rmdir(path)
    }

    private static func summary(_ times: [Int64]) -> String {
        let sorted = times.sorted()
        return "\(sorted[sorted.count / 2] / 1_000), \(sorted[sorted.count * 99 / 100] / 1_000)"
    }

    /// Bytes that the device of a folder was given to write; `nil` where the system does not tell. Writes of others count.
    private static func deviceBytes(of folder: String) -> Int64? {
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        let device = status.st_dev
        let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00)
        guard let file = fopen("/sys/dev/block/\(major):\(minor)/stat", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        // Source: kernel, Documentation/block/stat: the seventh number is sectors of 512 bytes written.
        return words.count > 6 ? Int64(words[6]).map { $0 * 512 } : nil
    }

    // MARK: Other ways

    private enum Way: String, CaseIterable {
        case growing = "a file that grows"
        case allocated = "a file that is only allocated"
        case filled = "a file that was filled with zeros"
        case filledUnaligned = "the same, not from the start of a page on"
    }

    /// Times of writes like those of 20 messages without the log, so that the difference can be seen.
    private static func measureOtherWays(_ folder: String, _ groups: Int) {
        print("pwrite and fdatasync of 8,192 bytes, µs: p50, p99")
        for way in Way.allCases {
            let path = folder + "/other-way"
            let descriptor = clinux_open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
            guard descriptor >= 0 else { return print("  cannot make \(path)") }
            defer {
                close(descriptor)
                unlink(path)
            }
            let bytes = [UInt8](repeating: 7, count: 8_192)
            let most = (groups + 1) * bytes.count
            if way == .allocated { posix_fallocate(descriptor, 0, off_t(most)) }
            if way == .filled || way == .filledUnaligned {
                let zeros = [UInt8](repeating: 0, count: bytes.count)
                for index in 0...groups { pwrite(descriptor, zeros, zeros.count, off_t(index * zeros.count)) }
            }
            fsync(descriptor)
            var times: [Int64] = []
            for index in 0..<groups {
                let offset = index * bytes.count + (way == .filledUnaligned ? 1_000 : 0)
                let start = Clock.system.now().nanoseconds
                guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count, fdatasync(descriptor) == 0
                else { return print("  the disk failed") }
                times.append(Clock.system.now().nanoseconds - start)
            }
            print("  \(way.rawValue): \(self.summary(times))")
        }
    }

    // MARK: The thread

    private static func measureThread(_ folder: String, _ groups: Int) throws(LogError) {
        print("one message at a time through the thread of the log, µs until it is told: p50, p99")
        for writesHere in [false, true] {
            let log = try SegmentedLog(
                try FolderDisk(folder + "/log"), owner: LogOwner(storeID: 1, epoch: 1, run: 1), applied: 0,
                acceptsDamage: true)
            try log.beginRun(2, after: 0)
            let thread = LogThread(log)
            let told = ConditionLock(0)
            var times: [Int64] = []
            for number in 0..<groups {
                let batch = try self.batch(Int64(number)..<Int64(number + 1))
                let start = Clock.system.now().nanoseconds
                let positions = thread.submit(batch, writesHere: writesHere) { _ in told.change { $0 += 1 } }
                told.wait(until: { $0 == number + 1 }, then: { _ in })
                times.append(Clock.system.now().nanoseconds - start)
                thread.release(through: positions.lowerBound)
            }
            print("  \(writesHere ? "on the caller's thread" : "on its own thread"): \(self.summary(times))")
            thread.stop()
            self.empty(folder + "/log")
        }
    }

    // MARK: A start

    /// A start on a tail of 16 MiB.
    private static func measureStart(_ folder: String) throws(LogError) {
        let owner = LogOwner(storeID: 1, epoch: 1, run: 1)
        var count: Int64 = 0
        do {
            let log = try SegmentedLog(try FolderDisk(folder + "/log"), owner: owner, applied: 0)
            try log.beginRun(2, after: 0)
            while log.usedBytes < LogTail.Bounds().bytes {
                try log.append([try self.batch(count..<count + 100)])
                count += 100
            }
        }
        let start = Clock.system.now().nanoseconds
        let log = try SegmentedLog(
            try FolderDisk(folder + "/log"), owner: LogOwner(storeID: 1, epoch: 1, run: 2), applied: 0)
        for record in log.recovered.records { _ = try LogEntry(record) }
        let milliseconds = (Clock.system.now().nanoseconds - start) / 1_000_000
        print("read and understand a tail of 16 MiB, \(log.recovered.records.count) messages: \(milliseconds) ms")
        precondition(log.recovered.records.count == Int(count))
        self.empty(folder + "/log")
    }
}

/// Files in memory: for the processor time of everything but the disk.
private final class MemoryDisk: LogDisk {
    private var files: [(name: String, bytes: [UInt8])] = []

    func names() -> [String] { self.files.map(\.name) }
    func open(_ name: String) throws(LogError) -> Int {
        guard let index = self.files.firstIndex(where: { $0.name == name }) else { throw .failed("no \(name)") }
        return index
    }
    func create(_ name: String) -> Int {
        self.files.append((name, []))
        return self.files.count - 1
    }
    func size(_ file: Int) -> Int { self.files[file].bytes.count }
    func read(_ file: Int) -> [UInt8] { self.files[file].bytes }
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int, at offset: Int) {
        let missing = offset + bytes.count - self.files[file].bytes.count
        if missing > 0 { self.files[file].bytes.append(contentsOf: repeatElement(0, count: missing)) }
        self.files[file].bytes.withUnsafeMutableBytes { content in
            content.baseAddress!.advanced(by: offset).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        }
    }
    func sync(_ file: Int) {}
    func rename(_ name: String, to new: String) {
        for index in self.files.indices where self.files[index].name == name { self.files[index].name = new }
    }
    func remove(_ name: String) { self.files.removeAll { $0.name == name } }
    func syncFolder() {}
    func close(_ file: Int) {}
}
