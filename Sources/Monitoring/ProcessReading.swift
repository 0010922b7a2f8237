import CLinux
import Glibc

/// This process, as the kernel sees it at one moment. The names are those of Prometheus' client libraries.
package struct ProcessReading: Hashable, Sendable {
    /// Processor time, user and system, seconds.
    package var cpuSeconds: Double = 0
    /// Memory that is not swapped out.
    package var residentBytes: Int64 = 0
    /// Addresses that are mapped.
    package var virtualBytes: Int64 = 0
    /// Threads now.
    package var threads: Int64 = 0
    /// Time of the start, seconds since 1970.
    package var startSeconds: Double = 0

    /// Makes a reading of zeros.
    package init() {}

    /// Reads `/proc/self/stat`; zeros where that cannot be read.
    package static func now() -> ProcessReading {
        var reading = ProcessReading()
        guard let stat = Self.text(of: "/proc/self/stat") else { return reading }
        reading.take(
            stat, ticksPerSecond: Double(max(1, sysconf(Int32(_SC_CLK_TCK)))),
            pageBytes: Int64(max(1, sysconf(Int32(_SC_PAGESIZE)))), bootSeconds: Self.bootSeconds)
        return reading
    }

    /// Takes what a line of `/proc/PID/stat` says. Source: proc(5).
    mutating func take(_ stat: String, ticksPerSecond: Double, pageBytes: Int64, bootSeconds: Double) {
        // The name of the program, in parentheses, may hold anything.
        guard let end = stat.utf8.lastIndex(of: UInt8(ascii: ")")) else { return }
        let fields = stat[stat.utf8.index(after: end)...].split(whereSeparator: { $0 == " " || $0 == "\n" })
        // The first one after the name is the third of the line.
        func number(_ place: Int) -> Double { place - 3 < fields.count ? Double(fields[place - 3]) ?? 0 : 0 }
        self.cpuSeconds = (number(14) + number(15)) / ticksPerSecond
        self.threads = Int64(number(20))
        self.startSeconds = bootSeconds + number(22) / ticksPerSecond
        self.virtualBytes = Int64(number(23))
        self.residentBytes = Int64(number(24)) * pageBytes
    }

    /// When the machine started, seconds since 1970: read once, so that the start of the process does not move.
    private static let bootSeconds: Double = {
        let lines = Self.text(of: "/proc/stat")?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst(6)) } ?? 0
    }()

    /// Descriptors that are open, and how many may be. May take a millisecond for ten thousand of them.
    package static func descriptors() -> (open: Int64, maximum: Int64)? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        // Without the two names of folders, and the descriptor of this one.
        var open: Int64 = -3
        while readdir(folder) != nil { open += 1 }
        var bounds = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bounds) == 0 else { return nil }
        return (open, Int64(clamping: bounds.rlim_cur))
    }

    /// The beginning of a file of the kernel, at most 64 KiB.
    private static func text(of path: String) -> String? {
        let descriptor = clinux_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + filled, $0.count - filled) }
            if count <= 0 { break }
            filled += count
        }
        return filled > 0 ? String(decoding: bytes[..<filled], as: UTF8.self) : nil
    }
}
