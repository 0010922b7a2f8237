import Accounts
import Backup
import ByteCodec
import ChatModel
import CommandLineKit
import Configuration
import Execution
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
    var contents = ContentVerifier(
        folder, directory: settings[Keys.filesDirectory], isQuick: invocation.has("quick"))
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
            for problem in SignInChecker.check(dataFolder: folder)?.problems ?? [] { note(.audit, problem) }
        }
        try? line?.erase()
    } catch {
        try? line?.erase()
        throw CommandFailure(exitCode(for: error), DisplayText.escaped(error.description))
    }
    let last = LastVerify(
        atMilliseconds: Clock.system.wallMilliseconds(), findings: Int64(report.findings.count + report.moreFindings),
        isQuick: contents.isQuick)
    last.write(in: folder)
    if invocation.has("json") {
        let text = String(decoding: json(of: report, contents), as: UTF8.self)
        try terminal.print(DisplayText.escapedJSON(text) + "\n")
    } else {
        try terminal.print(words(of: report, contents, terminal))
    }
    guard report.isClean else { throw CommandFailure(.refused, "") }
}

/// Exit code of a command that cannot use a stopped server's folder.
func exitCode(for error: StoreError) -> ExitCode {
    switch error {
    case .alreadyRunning: .alreadyRunning
    case .schemaTooNew, .invalid: .configuration
    case .full, .fatal, .unreadableEvent: .inputOutput
    case .busy, .unavailable, .notFound, .exists, .refused: .refused
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
    if report.unprovenBodies > 0 {
        text += terminal.text("verify.unproven", ["count": String(report.unprovenBodies)]) + "\n"
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
        ("messages", report.messages), ("logged", report.logged), ("unprovenBodies", report.unprovenBodies),
        ("clientTokens", report.clientTokens),
        ("contents", contents.objects), ("contentBytes", contents.bytes),
    ]
    for (name, count) in counts {
        json.key(name)
        json.integer(count)
    }
    json.endObject()
    return json.bytes
}
