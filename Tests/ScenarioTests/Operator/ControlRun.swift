import ByteCodec
import CommandLineKit
import Execution
import Glibc
import Localization
import TeahouseTesting
import teahouse

/// How a command of the operator went.
struct ControlRun {
    var code: ExitCode
    /// What standard output and standard error got.
    var output: String
    var error: String

    /// The first line of the output as JSON; `null` when it is none.
    var json: JSONValue {
        (try? JSONValue(parsing: Array(self.output.prefix { $0 != "\n" }.utf8))) ?? .null
    }

    /// Whether nothing in it moves the cursor, colours, rings, or turns the direction of text around.
    var isHarmless: Bool {
        (self.output + self.error).unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x0A: true
            case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }
}

extension TestServer {
    /// Runs `teahouse ctl` against this server, over its admin socket.
    func ctl(_ words: String..., language: Language = .english) -> ControlRun { self.ctl(words, language) }

    func ctl(_ words: [String], _ language: Language = .english) -> ControlRun {
        ControlRun.run(["ctl", "--data", self.folder.path] + words, language)
    }

    /// Writes a file that the operator has at hand; its path.
    func hand(_ bytes: [UInt8], as name: String) throws -> String {
        let path = self.folder.path + "/" + name
        guard let file = fopen(path, "w") else { throw TestClientError(description: "\(path) cannot be written") }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw TestClientError(description: "\(path) was not written")
        }
        return path
    }
}

extension ControlRun {
    /// Runs a whole command line in this process.
    static func run(_ words: [String], _ language: Language = .english) -> ControlRun {
        let written = Lock(ControlRun(code: .done, output: "", error: ""))
        let texts = Texts(embedded: language)
        let terminal = Terminal(
            texts: { texts($0, $1) }, environment: [:],
            write: { stream, text in
                written.withLock { if stream == .output { $0.output += text } else { $0.error += text } }
                return true
            },
            readLine: { nil }, reply: { _ in .agreed })
        let code = runCommandLine(words, root: teahouseCommand, terminal: terminal)
        return written.withLock { written in
            written.code = code
            return written
        }
    }
}

/// `teahouse ctl transfer watch` at work on a thread of its own, writing lines.
final class WatchRun: Sendable {
    private let state: ConditionLock<(output: String, code: ExitCode?)>
    private let thread: Thread

    init(_ server: TestServer, _ words: [String] = []) {
        let state = ConditionLock<(output: String, code: ExitCode?)>(("", nil))
        let folder = server.folder.path
        let texts = Texts(embedded: .english)
        self.state = state
        self.thread = Thread(name: "watch") {
            let terminal = Terminal(
                texts: { texts($0, $1) }, environment: [:],
                write: { stream, text in
                    if stream == .output { state.change { $0.output += text } }
                    return true
                },
                readLine: { nil })
            let code = runCommandLine(
                ["ctl", "--data", folder, "transfer", "watch"] + words, root: teahouseCommand, terminal: terminal)
            state.change { $0.code = code }
        }
    }

    /// Waits for what must be printed; everything that was.
    @discardableResult
    func wait(until isPrinted: (String) -> Bool) -> String {
        self.state.wait(until: { isPrinted($0.output) || $0.code != nil }, then: { $0.output })
    }

    /// Waits for the command to end.
    func end() -> ExitCode? {
        self.thread.join()
        return self.state.read { $0.code }
    }
}
