import CLinux
import Glibc

/// Resources that a process has used so far, from `/proc`.
package struct ProcessMetrics: Equatable, Sendable {
    /// User and system time of all its threads.
    package var cpuNanoseconds: Int64
    /// Resident memory (VmRSS).
    package var residentKibibytes: Int64

    package init(cpuNanoseconds: Int64, residentKibibytes: Int64) {
        self.cpuNanoseconds = cpuNanoseconds
        self.residentKibibytes = residentKibibytes
    }

    /// Throws when there is no such process, or it belongs to somebody else and hides its metrics.
    package init(process: Int32) throws(BenchError) {
        let stat = try readFile("/proc/\(process)/stat")
        let status = try readFile("/proc/\(process)/status")
        guard let ticks = Self.cpuTicks(stat: stat), let resident = Self.residentKibibytes(status: status) else {
            throw .server("/proc/\(process) shows no processor time or memory: the process has ended")
        }
        let nanosecondsPerTick = 1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))
        self.init(cpuNanoseconds: ticks * nanosecondsPerTick, residentKibibytes: resident)
    }

    /// Fields 14 and 15 of `/proc/PID/stat`, counted after the name, which is in brackets and may hold anything.
    package static func cpuTicks(stat: String) -> Int64? {
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[nameEnd...].split(separator: " ")
        guard fields.count > 13, let user = Int64(fields[12]), let system = Int64(fields[13]) else { return nil }
        return user + system
    }

    /// Resident memory in KiB, from the text of `/proc/PID/status`.
    package static func residentKibibytes(status: String) -> Int64? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }) else { return nil }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }
    }
}

/// Processor time of this process so far.
func ownCPUNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The whole of a small file.
func readFile(_ path: String) throws(BenchError) -> String {
    let descriptor = clinux_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { throw .failed("open \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        guard count >= 0 else { throw .failed("read \(path)") }
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += chunk.prefix(count)
    }
}

/// Writes a small file that only this user can read.
func writeFile(_ path: String, _ text: String) throws(BenchError) {
    let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw .failed("create \(path)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw .failed("write \(path)") }
}
