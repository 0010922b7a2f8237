import CBench
import CLinux
import Glibc

/// A program that runs as a child of this one, and is stopped by its process id.
final class ChildProcess {
    let process: Int32
    private let name: String
    private let output: Int32
    private let errors: String
    private let signals: SignalWatch
    private var text: [UInt8] = []
    private var isRunning = true
    private var exitStatus: Int32 = 0

    /// Starts `path`. Its standard error goes to the file `errors`, whose end is quoted when something fails.
    init(_ path: String, _ arguments: [String], errors: String, signals: SignalWatch) throws(BenchError) {
        self.name = path
        self.errors = errors
        self.signals = signals
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var output: Int32 = -1
        self.process = cbench_spawn(path, words, &output, errors)
        self.output = output
        guard self.process > 0 else { throw .failed("start \(path)") }
    }

    deinit { self.stop() }

    /// The first line of the output that starts with `prefix`, without it.
    func line(after prefix: String, seconds: Double) throws(BenchError) -> String {
        var skipped = 0
        let found = try self.read(seconds: seconds) { text in
            while let end = text[skipped...].firstIndex(of: UInt8(ascii: "\n")) {
                if text[skipped..<end].starts(with: prefix.utf8) { return true }
                skipped = end + 1
            }
            return false
        }
        guard found else { throw .server("\(self.name) ended without saying \"\(prefix)…\"\(self.lastWords)") }
        let line = self.text[skipped...].prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// The whole output of a program that ends by itself with status 0.
    func outputToEnd(seconds: Double) throws(BenchError) -> String {
        _ = try self.read(seconds: seconds) { _ in false }
        self.wait(seconds: seconds)
        guard !self.isRunning, self.exitStatus == 0 else {
            throw .server("\(self.name) ended with wait status \(self.exitStatus)\(self.lastWords)")
        }
        return String(decoding: self.text, as: UTF8.self)
    }

    /// Reads output until `isEnough` (true) or its end (false).
    private func read(seconds: Double, until isEnough: ([UInt8]) -> Bool) throws(BenchError) -> Bool {
        let deadline = clinux_monotonic_nanoseconds() + Int64(seconds * 1e9)
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while !isEnough(self.text) {
            let left = deadline - clinux_monotonic_nanoseconds()
            guard left > 0 else { throw .timeout("\(self.name)\(self.lastWords)", seconds: seconds) }
            guard try self.signals.wait(for: self.output, milliseconds: Int32(left / 1_000_000 + 1)) else { continue }
            let count = Glibc.read(self.output, &chunk, chunk.count)
            guard count > 0 else { return false }
            self.text += chunk.prefix(count)
        }
        return true
    }

    private var lastWords: String {
        guard let text = try? readFile(self.errors), !text.isEmpty else { return "" }
        return "; its last words: " + text.split(separator: "\n").suffix(3).joined(separator: " / ")
    }

    /// Asks the program to end, and kills it when it does not within five seconds. Harmless when it has ended.
    func stop() {
        guard self.isRunning else { return }
        kill(self.process, SIGTERM)
        self.wait(seconds: 5)
        if self.isRunning {
            kill(self.process, SIGKILL)
            waitpid(self.process, &self.exitStatus, 0)
            self.isRunning = false
        }
        close(self.output)
    }

    private func wait(seconds: Double) {
        let deadline = clinux_monotonic_nanoseconds() + Int64(seconds * 1e9)
        while self.isRunning, clinux_monotonic_nanoseconds() < deadline {
            if waitpid(self.process, &self.exitStatus, WNOHANG) == self.process {
                self.isRunning = false
            } else {
                usleep(5_000)
            }
        }
    }
}

/// A folder for one run, removed with everything in it at the end.
final class TemporaryFolder {
    let path: String

    init(in parent: String) throws(BenchError) {
        var template = Array("\(parent)/teahouse-bench-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw .failed("make a folder in \(parent)") }
        self.path = String(cString: made)
    }

    deinit { cbench_remove_folder(self.path) }
}
