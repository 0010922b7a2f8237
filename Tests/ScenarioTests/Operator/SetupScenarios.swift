import CommandLineKit
import Execution
import Glibc
import Localization
import TeahouseTesting
import Testing

@testable import teahouse

/// A guided first run: what it asks, what it leaves behind, and what a second one changes.
struct SetupScenarios {
    /// Small, and on a free port of this machine.
    static let small = """
        # kept
        listen = ["127.0.0.1:0"]
        [store]
        ballast_bytes = 0 # none
        stop_writing_free_bytes = 0

        """

    struct Outcome {
        var code: ExitCode
        var output: String
        var error: String
    }

    /// - Parameters:
    ///   - lines: lines that a person types; `nil` where nobody is there.
    ///   - input: standard input of a script.
    func setup(
        _ folder: TemporaryFolder, _ words: [String] = [], lines: [String]? = nil, passwords: [String] = [],
        input: [String] = [], language: Language = .english
    ) -> Outcome {
        let written = Lock((output: "", error: ""))
        let typed = Lock(lines ?? input)
        let secrets = Lock(passwords)
        let texts = Texts(embedded: language)
        let readSecret: @Sendable () -> String? = { secrets.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        let terminal = Terminal(
            texts: { texts($0, $1) }, environment: ["USER": "ming"],
            write: { stream, text in
                written.withLock { if stream == .output { $0.output += text } else { $0.error += text } }
                return true
            },
            readLine: { typed.withLock { $0.isEmpty ? nil : $0.removeFirst() } },
            readSecret: lines == nil ? nil : readSecret)
        let all = ["setup", "--config", folder.path + "/teahouse.toml"] + words
        let code = runCommandLine(all, root: teahouseCommand, terminal: terminal)
        return written.withLock { Outcome(code: code, output: $0.output, error: $0.error) }
    }

    static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    static func read(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test(
        "a person answers, and has a configuration, a folder, an administrator and an invitation",
        arguments: Language.allCases)
    func answered(_ language: Language) throws {
        let folder = TemporaryFolder()
        try Self.write(Self.small, to: folder.path + "/teahouse.toml")
        chmod(folder.path + "/teahouse.toml", 0o640)
        let data = folder.path + "/data"
        let run = self.setup(
            folder, lines: ["茶馆", "", data, language == .chinese ? "否" : "no", "", ""],
            passwords: ["a cup of longjing", "another cup", "a cup of longjing", "a cup of longjing"],
            language: language)
        #expect(run.code == .done, "\(run.error)")
        let link = run.output.split(separator: "\n").last.map(String.init) ?? ""
        #expect(link.hasPrefix("http://127.0.0.1:") && link.contains("/join/"))
        #expect(run.error.contains("ming") && run.error.contains("teahouse serve --config"))
        #expect(!run.error.contains("setup.") && !run.error.contains("longjing"))
        let text = try Self.read(folder.path + "/teahouse.toml")
        #expect(text.contains("# kept\nlisten = [\"127.0.0.1:0\"]\n"))
        #expect(
            text.contains("data = \"\(data)\"") && text.contains("name = \"茶馆\"") && text.contains("enabled = false"))
        #expect(text.contains("ballast_bytes = 0 # none"))
        #expect(Self.mode(folder.path + "/teahouse.toml") == 0o640 && Self.mode(data) == 0o700)

        // A second run says what is there, and changes nothing that nobody asked for.
        let again = self.setup(folder, ["--yes"], language: language)
        #expect(again.code == .done && again.output.isEmpty, "\(again.error)")
        #expect(try Self.read(folder.path + "/teahouse.toml") == text)
        let invited = self.setup(folder, ["--yes", "--invite", "--address", "https://chat.lan:7677"])
        #expect(invited.output.contains("https://chat.lan:7677/join/"), "\(invited.error)")
    }

    @Test("a script answers with options; a new file has every key, readable for its owner alone")
    func script() throws {
        let folder = TemporaryFolder()
        let words = [
            "--yes", "--name", "茶馆", "--listen", "127.0.0.1:0", "--data", folder.path + "/data", "--admin", "lady",
            "--password-stdin",
        ]
        let run = self.setup(folder, words, input: ["a cup of longjing"])
        #expect(run.code == .done, "\(run.error)")
        #expect(run.error.contains("lady is the first administrator") && run.output.contains("/join/"))
        let text = try Self.read(folder.path + "/teahouse.toml")
        #expect(text.contains("# connections = 10000") && text.contains("\nname = \"茶馆\"\n"))
        #expect(Self.mode(folder.path + "/teahouse.toml") == 0o600)
        #expect(access(folder.path + "/data/setup-token", F_OK) != 0)
    }

    @Test("who gives up leaves nothing behind", arguments: [[], ["茶馆"], ["", "data", "yes", "", "no"]])
    func cancelled(_ lines: [String]) throws {
        let folder = TemporaryFolder()
        let run = self.setup(
            folder, ["--listen", "127.0.0.1:0"], lines: lines.map { $0 == "data" ? folder.path + "/data" : $0 },
            passwords: ["a cup of longjing", "a cup of longjing"])
        #expect(run.code == .refused, "\(run.error)")
        #expect(access(folder.path + "/teahouse.toml", F_OK) != 0 && access(folder.path + "/data", F_OK) != 0)
    }

    @Test(
        "nonsense is refused with a word, and nothing is written",
        arguments: [
            (["--listen", "nowhere"], "no address to listen on"), (["--name", " "], "printable characters"),
            (["--name", "tea\u{202E}"], "printable characters"), (["--data", "FOLDER/file"], "is not a folder"),
            (["--data", "FOLDER"], "has other things in it"), (["--data", ""], "no path of a folder"),
            (["--admin", ""], "name"),
        ])
    func refused(_ words: [String], _ reason: String) throws {
        let folder = TemporaryFolder()
        try Self.write("", to: folder.path + "/file")
        let data = words.contains("--data") ? [] : ["--data", folder.path + "/data"]
        let usual = ["--yes", "--listen", "127.0.0.1:0", "--password-stdin"] + data
        let given = words.map { $0.hasPrefix("FOLDER") ? folder.path + $0.dropFirst(6) : $0 }
        let run = self.setup(folder, usual + given, input: ["a cup of longjing"])
        #expect(run.code == .usage && run.error.contains(reason), "\(run.error)")
        #expect(access(folder.path + "/teahouse.toml", F_OK) != 0 && access(folder.path + "/data", F_OK) != 0)
    }

    @Test("a taken port, a short password, a broken file and nobody to ask are told before anything is written")
    func obstacles() throws {
        let server = try TestServer()
        let folder = TemporaryFolder()
        let usual = ["--yes", "--data", folder.path + "/data", "--password-stdin"]
        let taken = self.setup(folder, usual + ["--listen", "127.0.0.1:\(server.port)"], input: ["a cup of longjing"])
        #expect(taken.code == .refused && taken.error.contains("in use"), "\(taken.error)")
        let short = self.setup(folder, usual + ["--listen", "127.0.0.1:0"], input: ["tea"])
        #expect(short.code == .usage && short.error.contains("at least"), "\(short.error)")
        #expect(self.setup(folder, ["--listen", "127.0.0.1:0"]).code == .usage)
        #expect(access(folder.path + "/teahouse.toml", F_OK) != 0 && access(folder.path + "/data", F_OK) != 0)
        try Self.write("nonsense = 1\n", to: folder.path + "/teahouse.toml")
        #expect(self.setup(folder, usual).code == .configuration)
        #expect(try Self.read(folder.path + "/teahouse.toml") == "nonsense = 1\n")
    }

    @Test("a server that runs is talked to, and its port is not a taken one")
    func running() throws {
        let server = try TestServer()
        let folder = TemporaryFolder()
        // All questions come before the first change, also where the package has started a server already.
        let place = ["--data", server.folder.path, "--listen", "127.0.0.1:\(server.port)"]
        let given = self.setup(folder, place, lines: ["茶馆", "yes", "lady"])
        #expect(given.code == .refused && given.error.contains("administrator"), "\(given.error)")
        #expect(access(folder.path + "/teahouse.toml", F_OK) != 0)
        let words = [
            "--yes", "--data", server.folder.path, "--listen", "127.0.0.1:\(server.port)", "--admin", "lady",
            "--password-stdin",
        ]
        let run = self.setup(folder, words, input: ["a cup of longjing"])
        #expect(run.code == .done && run.error.contains("lady is the first administrator"), "\(run.error)")
        #expect(run.error.contains("old settings"))
        _ = try server.id("lady")
    }
}
