import CLinux
import ChatModel
import FileStore
import Glibc

/// Measures contents on a disk alone, on one thread, beside the programs that do the same: writing beside `gzip -4` and
/// `sha256sum`, reading beside `gzip -d`.
///
/// A rate is plain bytes by the processor time of everything that was needed: the time on the clock has the disk in it.
@main
struct FileBench {
    static let mebibyte = 1024 * 1024
    static let writeBytes = 64 * 1024
    static let rangeBytes = 16 * 1024
    static let rounds = 3

    static func main() {
        let arguments = CommandLine.arguments
        guard (2...3).contains(arguments.count), let size = arguments.count == 3 ? Int(arguments[2]) : 256, size > 0
        else {
            print("usage: file-bench FOLDER [MiB]")
            exit(64)
        }
        do throws(FileStoreError) {
            let folder = try ObjectFolder(arguments[1] + "/contents")
            print("plain MB by second of processor time (of clock time), the best of \(Self.rounds) rounds")
            try Self.run("text", Self.text(size * Self.mebibyte), folder, beside: arguments[1])
            try Self.run("incompressible", Self.noise(size * Self.mebibyte), folder, beside: arguments[1])
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    private static func run(
        _ name: String, _ content: [UInt8], _ folder: ObjectFolder, beside path: String
    ) throws(FileStoreError) {
        let file = "\(path)/content"
        Self.put(content, in: file)
        defer { unlink(file) }
        let gzip = Self.best(content.count) { Self.spawn(["gzip", "-4", "-c", file]) }
        let sha256 = Self.best(content.count) { Self.spawn(["sha256sum", file]) }
        var object: StoredObject?
        let writing = try Self.bestOfOurs(content.count) { () throws(FileStoreError) in
            object = try Self.upload(content, into: folder)
        }
        guard let object else { return }
        let share = 100 * object.storedSize / object.size
        print("\(name): \(object.codec), \(share) % of its size")
        Self.tell("write", writing)
        Self.tell("gzip -4", gzip, ours: writing)
        Self.tell("sha256sum", sha256, ours: writing)
        Self.tell(
            "read", try Self.bestOfOurs(content.count) { () throws(FileStoreError) in try Self.read(object, folder) })
        let ranges = content.count / Self.rangeBytes / 16
        Self.tell(
            "read parts of 16 KiB",
            try Self.bestOfOurs(ranges * Self.rangeBytes) { () throws(FileStoreError) in
                try Self.readRanges(object, folder, count: ranges)
            })
        let stored = try Self.bestOfOurs(Int(object.storedSize)) { () throws(FileStoreError) in
            try Self.readStored(object, folder)
        }
        Self.tell("read as stored (stored MB)", stored)
        Self.tell(
            "check",
            try Self.bestOfOurs(content.count) { () throws(FileStoreError) in
                try folder.check(object) { _ in true }
            })
        try folder.remove(object)
    }

    // MARK: Work

    private static func upload(_ content: [UInt8], into folder: ObjectFolder) throws(FileStoreError) -> StoredObject {
        let sink = try folder.newUpload(TransferKey(random: [UInt8](repeating: 7, count: 26)))
        var problem: FileStoreError?
        content.withUnsafeBytes { bytes in
            do throws(FileStoreError) {
                for start in stride(from: 0, to: bytes.count, by: Self.writeBytes) {
                    let end = min(bytes.count, start + Self.writeBytes)
                    try sink.write(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                }
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        let object = try sink.finish()
        try sink.place()
        sink.cleanUp()
        return object
    }

    private static func read(_ object: StoredObject, _ folder: ObjectFolder) throws(FileStoreError) {
        let reader = try folder.open(object)
        var offset: Int64 = 0
        while true {
            let bytes = try reader.read(at: offset, atMost: Self.writeBytes)
            if bytes.isEmpty { break }
            offset += Int64(bytes.count)
        }
        guard offset == object.size else { fatalError("\(offset) bytes were read of \(object.size)") }
    }

    /// Parts in a sequence that jumps about: each touches another chunk.
    private static func readRanges(
        _ object: StoredObject, _ folder: ObjectFolder, count: Int
    ) throws(FileStoreError) {
        let reader = try folder.open(object)
        var place: UInt64 = 1
        for _ in 0..<count {
            place = place &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let offset = Int64((place >> 20) % UInt64(object.size - Int64(Self.rangeBytes)))
            _ = try reader.read(at: offset, atMost: Self.rangeBytes)
        }
    }

    private static func readStored(_ object: StoredObject, _ folder: ObjectFolder) throws(FileStoreError) {
        let reader = try folder.open(object)
        var offset: Int64 = 0
        while true {
            let bytes = try reader.readStored(at: offset, atMost: Self.writeBytes)
            if bytes.isEmpty { return }
            offset += Int64(bytes.count)
        }
    }

    // MARK: Time

    private struct Rate {
        /// Millions of bytes by second.
        var byProcessor: Double
        var byClock: Double
    }

    private static func best(_ bytes: Int, of who: Int32 = Int32(RUSAGE_CHILDREN.rawValue), _ work: () -> Void) -> Rate
    {
        var best = Rate(byProcessor: 0, byClock: 0)
        for _ in 0..<Self.rounds {
            let before = (processor: Self.processorSeconds(who), clock: clinux_monotonic_nanoseconds())
            work()
            let processor = Self.processorSeconds(who) - before.processor
            let clock = Double(clinux_monotonic_nanoseconds() - before.clock) / 1e9
            best.byProcessor = max(best.byProcessor, Double(bytes) / 1e6 / processor)
            best.byClock = max(best.byClock, Double(bytes) / 1e6 / clock)
        }
        return best
    }

    private static func bestOfOurs(
        _ bytes: Int, _ work: () throws(FileStoreError) -> Void
    ) throws(FileStoreError) -> Rate {
        var problem: FileStoreError?
        let rate = Self.best(bytes, of: Int32(RUSAGE_SELF.rawValue)) {
            do throws(FileStoreError) { try work() } catch { problem = error }
        }
        if let problem { throw problem }
        return rate
    }

    private static func processorSeconds(_ who: Int32) -> Double {
        var usage = rusage()
        getrusage(who, &usage)
        let user = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
        return user + Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) / 1e6
    }

    private static func tell(_ what: String, _ rate: Rate, ours: Rate? = nil) {
        var line = "  \(what): \(Int(rate.byProcessor)) (\(Int(rate.byClock)))"
        if let ours { line += ", writing is \(Int(100 * ours.byProcessor / rate.byProcessor)) % of it" }
        print(line)
    }

    /// Runs a program to its end; what it prints goes nowhere.
    private static func spawn(_ words: [String]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
        guard failure == 0 else { fatalError("cannot run \(words[0]): errno \(failure)") }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else { fatalError("\(words[0]) ended with \(status)") }
    }

    // MARK: Contents

    private static func put(_ content: [UInt8], in path: String) {
        guard let file = fopen(path, "w") else { fatalError("cannot make \(path)") }
        fwrite(content, 1, content.count, file)
        fclose(file)
    }

    /// Sentences of 4,000 made-up words, some far more often than others, as in a language.
    private static func text(_ count: Int) -> [UInt8] {
        var random = Random(state: 1)
        let words = (0..<4_000).map { _ in
            (0..<Int(2 + random.next() % 9)).map { _ in UInt8(ascii: "a") + UInt8(random.next() % 26) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 32)
        while bytes.count < count {
            let place = Double(random.next() % 1_000_000) / 1_000_000
            bytes += words[Int(Double(words.count) * place * place * place)]
            bytes.append(random.next() % 12 == 0 ? UInt8(ascii: "\n") : UInt8(ascii: " "))
        }
        return Array(bytes.prefix(count))
    }

    private static func noise(_ count: Int) -> [UInt8] {
        var random = Random(state: 2)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }

    /// The same numbers in every run (SplitMix64).
    private struct Random {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = self.state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
