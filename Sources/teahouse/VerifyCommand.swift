import ByteCodec
import ChatModel
import CLinux
import CommandLineKit
import Configuration
import Execution
import Glibc
import Store

/// `teahouse verify`
let verifyCommand = Command(
    "verify", summary: "command.verify",
    options: [
        SharedOption.data, SharedOption.config, SharedOption.json, CommandOption("quick", .flag, help: "option.quick"),
    ],
    examples: [
        "teahouse verify --data /srv/teahouse", "teahouse verify --data /srv/teahouse --quick",
        "teahouse verify --data /backup/teahouse --json",
    ]
) { invocation, terminal throws(CommandFailure) in
    let settings = try checkedSettings(invocation, terminal)
    let folder = settings.dataFolder
    var options = VerifyOptions()
    options.tokenDays = Int(settings[Keys.tokenDays])
    let report: VerifyReport
    var contents = ContentVerifier(settings, isQuick: invocation.has("quick"))
    let line = invocation.has("json") ? nil : LiveLine(terminal)
    contents.progress = { done, all in
        try? line?.draw { _ in
            let values = ["bytes": shownBytes(done), "all": shownBytes(all)]
            return ProgressBar.text(done: done, of: all, width: 30) + " " + terminal.text("verify.reading", values)
        }
    }
    do throws(StoreError) {
        report = try verifyFolder(folder, options) { rows, note throws(StoreError) in
            try contents.run(rows) { note(.content, $0) }
        }
        try? line?.erase()
    } catch {
        try? line?.erase()
        throw CommandFailure(exitCode(for: error), DisplayText.escaped(error.description))
    }
    if invocation.has("json") {
        let text = String(decoding: json(of: report, contents), as: UTF8.self)
        try terminal.print(DisplayText.escapedJSON(text) + "\n")
    } else {
        try terminal.print(words(of: report, contents, terminal))
    }
    guard report.isClean else { throw CommandFailure(.refused, "") }
    LastVerify.note(in: folder, milliseconds: Clock.system.wallMilliseconds())
}

private func exitCode(for error: StoreError) -> ExitCode {
    switch error {
    case .alreadyRunning: .alreadyRunning
    case .schemaTooNew: .configuration
    case .full, .fatal: .inputOutput
    case .busy, .unavailable, .notFound, .exists, .invalid, .refused: .refused
    }
}

private func words(of report: VerifyReport, _ contents: ContentVerifier, _ terminal: Terminal) -> String {
    var text = report.findings.map { DisplayText.escaped($0.description) + "\n" }.joined()
    let count = report.findings.count + report.moreFindings
    let values = [
        "messages": String(report.messages), "conversations": String(report.conversations), "count": String(count),
    ]
    if contents.objects > 0 {
        let read = ["count": String(contents.objects), "bytes": shownBytes(contents.bytes)]
        text += terminal.text(contents.isQuick ? "verify.contentsThere" : "verify.contentsRead", read) + "\n"
    }
    text += terminal.text(report.isClean ? "verify.good" : "verify.bad", values) + "\n"
    return text
}

private func json(of report: VerifyReport, _ contents: ContentVerifier) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("clean")
    json.boolean(report.isClean)
    json.key("findings")
    json.beginArray()
    for finding in report.findings {
        json.beginObject()
        json.key("kind")
        json.string("\(finding.kind)")
        json.key("text")
        json.string(finding.description)
        json.endObject()
    }
    json.endArray()
    let counts: [(StaticString, Int64)] = [
        ("moreFindings", Int64(report.moreFindings)), ("schemaVersion", Int64(report.schemaVersion)),
        ("users", report.users), ("conversations", report.conversations), ("members", report.members),
        ("messages", report.messages), ("clientTokens", report.clientTokens),
        ("contents", contents.objects), ("contentBytes", contents.bytes),
    ]
    for (name, count) in counts {
        json.key(name)
        json.integer(count)
    }
    json.endObject()
    return json.bytes
}

/// When a folder was last found in order: a file with the UTC milliseconds, for the doctor. It is a hint, so a folder
/// that cannot be written to simply has none.
enum LastVerify {
    private static func path(in folder: String) -> String { "\(folder)/last-verify" }

    static func note(in folder: String, milliseconds: Int64) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let descriptor = clinux_open(Self.path(in: folder), flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let line = Array("\(milliseconds)\n".utf8)
        _ = write(descriptor, line, line.count)
    }

    static func milliseconds(in folder: String) -> Int64? {
        let descriptor = clinux_open(Self.path(in: folder), O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return Int64(String(decoding: bytes[..<count].prefix { $0 > 0x20 }, as: UTF8.self))
    }
}
