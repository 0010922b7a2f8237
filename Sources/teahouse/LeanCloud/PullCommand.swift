import ByteCodec
import CLinux
import CommandLineKit
import Execution
import Glibc
import HTTPClient
import LeanCloudPull

/// `teahouse leancloud`
let leanCloudCommand = Command(
    group: "leancloud", summary: "command.leancloud",
    examples: [
        "teahouse leancloud pull --from https://api.example.com --app-id 9Gx1tXo4uY2aQk3L-gzGzoHsz --into saved"
    ],
    subcommands: [pullCommand])

/// `teahouse leancloud pull`
///
/// The report goes to standard output, everything else to standard error.
private let pullCommand = Command(
    "pull", summary: "command.leancloud.pull",
    options: [
        CommandOption("from", .value("URL"), help: "option.pullFrom", isRequired: true),
        CommandOption("app-id", .value("ID"), help: "option.pullApp", isRequired: true),
        CommandOption("into", .value("DIR"), help: "option.pullInto", isRequired: true),
        CommandOption("key-file", .value("FILE"), help: "option.pullKeyFile"),
        CommandOption("users", .value("FILE"), help: "option.pullUsers"),
        CommandOption("class", .value("NAME"), help: "option.pullClass", isRepeated: true),
        CommandOption("all-classes", .flag, help: "option.pullAllClasses"),
        CommandOption("since", .value("DATE"), help: "option.pullSince"),
        CommandOption("no-files", .flag, help: "option.pullNoFiles"),
        CommandOption("no-messages", .flag, help: "option.pullNoMessages"),
        CommandOption("every-conversation", .flag, help: "option.pullEveryConversation"),
        CommandOption("follow", .flag, help: "option.pullFollow"),
        CommandOption("every", .number(1, 3_600), help: "option.pullEvery"),
        CommandOption("overlap", .number(0, 4_320), help: "option.pullOverlap"),
        CommandOption("rate", .number(1, 1_000), help: "option.pullRate"),
        CommandOption("private-files", .flag, help: "option.pullPrivateFiles"),
        CommandOption("ca-file", .value("FILE"), help: "option.pullCAFile"),
        CommandOption("dry-run", .flag, help: "option.pullDryRun"),
        SharedOption.json,
    ],
    examples: [
        "teahouse leancloud pull --from https://api.example.com --app-id 9Gx1tXo4uY2aQk3L-gzGzoHsz --into saved --dry-run",
        """
        teahouse leancloud pull --from https://api.example.com --app-id 9Gx1tXo4uY2aQk3L-gzGzoHsz --into saved \
        --key-file master.key --users export.tar.gz
        """,
        """
        teahouse leancloud pull --from https://api.example.com --app-id 9Gx1tXo4uY2aQk3L-gzGzoHsz --into saved \
        --key-file master.key --follow
        """,
    ]
) { invocation, terminal throws(CommandFailure) in
    let options = try PullRequest(invocation, terminal).options()
    let watch = SignalWatch(follows: options.follow)
    let isDryRun = invocation.has("dry-run")
    let wantsJSON = invocation.has("json")
    let outcome = watch.run { () throws(PullError) -> PullOutcome in
        let board = PullBoard(terminal)
        let tell: (PullEvent) -> Void = { board.show($0) }
        defer { board.end() }
        if isDryRun { return .preview(try PullPreview(options, watch.cancellation, tell: tell)) }
        let puller = try Puller(options, watch.cancellation, tell: tell)
        let report = try puller.run()
        guard options.follow else { return .report(report) }
        board.end()
        terminal.complain(PullText(terminal).lines(of: report) + terminal.text("ctl.pull.following") + "\n")
        return .report(try puller.follow(until: watch.wish))
    }
    let text = PullText(terminal)
    switch outcome {
    case .failure(let error): throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    case .success(.preview(let preview)): try terminal.print(text.lines(of: preview, options))
    case .success(.report(let report)):
        if wantsJSON {
            try terminal.print(DisplayText.escapedJSON(String(decoding: report.json, as: UTF8.self)) + "\n")
        } else {
            try terminal.print(text.lines(of: report))
            try terminal.print(
                terminal.text(report.isWhole ? "ctl.pull.whole" : "ctl.pull.lacks", ["path": options.folder]) + "\n")
        }
        guard report.isWhole else { throw CommandFailure(.refused, "") }
    }
}

private enum PullOutcome: Sendable {
    case preview(PullPreview)
    case report(PullReport)
}

extension PullError {
    /// Exit code of the process.
    var exitCode: ExitCode {
        switch self {
        case .wrongKey, .notLeanCloud, .wrongToken, .notWuKong, .gaveUp, .refused, .plainKey, .otherSource, .notEmpty,
            .stopped:
            .refused
        case .newerFolder: .configuration
        case .alreadyRunning: .alreadyRunning
        case .disk: .inputOutput
        case .input: .noInput
        }
    }
}

/// Runs work on a thread of its own and lets signals end it: the first one ends a pull, whose folder goes on later, and
/// asks one that follows to finish; the second one ends that too.
final class SignalWatch: Sendable {
    let cancellation = HTTPCancellation()
    /// To finish and stop.
    let wish = HTTPCancellation()
    private let follows: Bool

    init(follows: Bool) { self.follows = follows }

    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(PullError) -> Outcome
    ) -> Result<Outcome, PullError> {
        let signals = clinux_signal_descriptor()
        defer { if signals >= 0 { close(signals) } }
        let results = Mailbox<Result<Outcome, PullError>>()
        let thread = Thread(name: "pull") {
            do throws(PullError) { results.post(.success(try body())) } catch { results.post(.failure(error)) }
        }
        var waiting = [
            pollfd(fd: results.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waiting, 2, -1) < 0 || waiting[0].revents == 0 {
            guard waiting[1].revents != 0, clinux_next_signal(signals) != 0 else { continue }
            if self.follows, !self.wish.isCancelled { self.wish.cancel() } else { self.cancellation.cancel() }
        }
        thread.join()
        var batch: [Result<Outcome, PullError>] = []
        results.takeMessages(into: &batch)
        return batch[0]
    }
}

/// Options of a pull, from the command line.
private struct PullRequest {
    private let invocation: Invocation
    private let terminal: Terminal

    init(_ invocation: Invocation, _ terminal: Terminal) {
        self.invocation = invocation
        self.terminal = terminal
    }

    func options() throws(CommandFailure) -> PullOptions {
        let app = self.invocation.value("app-id") ?? ""
        guard Self.isVisible(app) else { throw self.wrong("ctl.pull.badApp") }
        let names = self.invocation.values("class")
        for name in names where !PullOptions.isClass(name) { throw self.wrong("ctl.pull.badClass", ["name": name]) }
        var folder = self.invocation.value("into") ?? ""
        while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        guard !folder.isEmpty else { throw self.wrong("ctl.pull.noFolder") }
        var options = PullOptions(
            source: Self.source(self.invocation.value("from") ?? ""), app: app, masterKey: try self.key(app),
            folder: folder)
        options.classes = names
        options.allClasses = self.invocation.has("all-classes")
        options.users = self.invocation.value("users")
        options.files = !self.invocation.has("no-files")
        options.messages = !self.invocation.has("no-messages")
        options.everyConversation = self.invocation.has("every-conversation")
        options.follow = self.invocation.has("follow") && !self.invocation.has("dry-run")
        options.followSeconds = self.invocation.number("every") ?? options.followSeconds
        options.overlapHours = self.invocation.number("overlap") ?? options.overlapHours
        options.rate = self.invocation.number("rate") ?? options.rate
        options.privateFiles = self.invocation.has("private-files")
        options.caFile = self.invocation.value("ca-file")
        if let text = self.invocation.value("since") {
            guard let time = Dates.milliseconds(text.utf8.count == 10 ? text + "T00:00:00" : text) else {
                throw self.wrong("ctl.pull.badDate", ["date": text])
            }
            options.since = time
        }
        return options
    }

    private func wrong(_ key: String, _ values: [String: String] = [:]) -> CommandFailure {
        CommandFailure(.usage, self.terminal.text(key, values.mapValues { DisplayText.escaped($0) }))
    }

    private static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// An address as people copy it from the console: without its scheme, with a slash or a version behind.
    private static func source(_ text: String) -> String {
        var source = text.contains(run: "://") ? text : "https://" + text
        while source.hasSuffix("/") { source.removeLast() }
        for version in ["/1.1", "/1.2"] where source.hasSuffix(version) { source.removeLast(version.utf8.count) }
        return source
    }

    // MARK: The key

    /// The master key: from a file, from standard input, or typed unseen. It stands in no argument, which others could see.
    private func key(_ app: String) throws(CommandFailure) -> String {
        let text: String?
        switch self.invocation.value("key-file") {
        case .some("-"): text = self.terminal.nextLine()
        case .some(let path): text = try self.terminal.text(inFile: path)
        case nil: text = self.terminal.secret(prompt: self.terminal.text("ctl.pull.askKey", ["app": app]))
        }
        let key = text.map { line in String(line.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }) } ?? ""
        guard Self.isVisible(key) else { throw self.wrong("ctl.pull.noKey") }
        // As headers and some programs have it.
        return key.hasSuffix(",master") ? String(key.dropLast(7)) : key
    }
}

extension Terminal {
    /// Bytes of a file with a key.
    private static var maximumKeyBytes: Int { 1_024 }

    /// The text of a file that holds a key, with a warning where others can read it.
    func text(inFile path: String) throws(CommandFailure) -> String {
        let descriptor = clinux_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(clinux_errno()))
            throw CommandFailure(.noInput, DisplayText.escaped("\(path): \(reason)"))
        }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 {
            self.complain(self.text("ctl.pull.openKeyFile", ["path": DisplayText.escaped(path)]) + "\n")
        }
        var bytes = [UInt8](repeating: 0, count: Self.maximumKeyBytes)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
