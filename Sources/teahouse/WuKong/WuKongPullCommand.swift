import ChatModel
import CommandLineKit
import Glibc
import HTTPClient
import Imports
import LeanCloudPull
import Store
import WuKongPull

/// `teahouse wukongim`
let wuKongSourceCommand = Command(
    group: "wukongim", summary: "command.wukongim",
    examples: ["teahouse wukongim pull --from http://192.168.1.5:5001 --into saved"], subcommands: [wuKongPullCommand])

/// `teahouse wukongim pull`
private let wuKongPullCommand = Command(
    "pull", summary: "command.wukongim.pull",
    options: [
        CommandOption("from", .value("URL"), help: "option.wuKongFrom", isRequired: true),
        CommandOption("into", .value("DIR"), help: "option.pullInto", isRequired: true),
    ] + sourceOptions + [SharedOption.json],
    examples: [
        "teahouse wukongim pull --from http://192.168.1.5:5001 --into saved",
        "teahouse wukongim pull --from https://im.example.com --into saved --token-file token --names people.jsonl",
    ]
) { invocation, terminal throws(CommandFailure) in
    let folder = invocation.value("into") ?? ""
    guard !folder.isEmpty else { throw CommandFailure(.usage, terminal.text("ctl.pull.noFolder")) }
    let report = try pullFromWuKong(into: folder, invocation, terminal)
    if invocation.has("json") {
        try terminal.print(DisplayText.escapedJSON(String(decoding: report.json, as: UTF8.self)) + "\n")
    } else {
        try terminal.print(
            report.lines(terminal)
                + terminal.text(report.isWhole ? "ctl.pull.whole" : "ctl.pull.lacks", ["path": folder]) + "\n")
    }
    guard report.isWhole else { throw CommandFailure(.refused, "") }
}

/// Options of a source, for the pull and for an import that pulls first.
private let sourceOptions = [
    CommandOption("token-file", .value("FILE"), help: "option.wuKongTokenFile"),
    CommandOption("names", .value("FILE"), help: "option.wuKongNames"),
    CommandOption("no-listing", .flag, help: "option.wuKongNoListing"),
    CommandOption("rate", .number(1, 1_000), help: "option.wuKongRate"),
    CommandOption("ca-file", .value("FILE"), help: "option.pullCAFile"),
]

/// `teahouse import wukongim`
let importWuKongCommand = Command(
    "wukongim", summary: "command.import.wukongim",
    arguments: [CommandArgument("DIR", help: "argument.importFolder")],
    options: [CommandOption("from", .value("URL"), help: "option.wuKongImportFrom")] + sourceOptions + [
        CommandOption("dry-run", .flag, help: "option.importFolderDryRun"),
        CommandOption("report", .value("FILE"), help: "option.importReport"), SharedOption.data, SharedOption.config,
        SharedOption.json,
    ],
    examples: [
        "teahouse import wukongim saved --data /srv/teahouse --dry-run",
        "teahouse import wukongim saved --from http://192.168.1.5:5001 --data /srv/teahouse",
    ]
) { invocation, terminal throws(CommandFailure) in
    // A folder that cannot be imported into is no reason to fetch for an hour.
    let store = try openStoppedStore(try stoppedOptions(invocation, terminal))
    defer { store.close() }
    var isWhole = true
    if invocation.value("from") != nil {
        let report = try pullFromWuKong(into: invocation.argument("DIR"), invocation, terminal)
        isWhole = report.isWhole
        terminal.complain(report.lines(terminal))
    }
    let actor = AuditActor(uid: getuid(), name: terminal.environment["USER"])
    let run = try FolderImportRun(invocation, terminal, of: .wuKongIM)
    let destination = StoreDestination(store, source: ImportSource.wuKongIM.rawValue, actor: actor)
    try run.carryOut(through: destination) { (error: StoreError) in
        CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
    guard isWhole else { throw CommandFailure(.refused, "") }
}

private func pullFromWuKong(
    into path: String, _ invocation: Invocation, _ terminal: Terminal
) throws(CommandFailure) -> WuKongPullReport {
    var folder = path
    while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    var source = invocation.value("from") ?? ""
    if !source.contains(run: "://") { source = "http://" + source }
    while source.hasSuffix("/") { source.removeLast() }
    var options = WuKongPullOptions(source: source, folder: folder)
    if let file = invocation.value("token-file") {
        let text = try terminal.text(inFile: file)
        options.token = String(text.drop { $0.isWhitespace }.prefix { !$0.isWhitespace })
        guard options.token?.isEmpty == false, options.token?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) == true else {
            let values = ["path": DisplayText.escaped(file)]
            throw CommandFailure(.usage, terminal.text("ctl.wuKongPull.noToken", values))
        }
    }
    options.names = invocation.value("names")
    options.lists = !invocation.has("no-listing")
    options.rate = invocation.number("rate") ?? options.rate
    options.caFile = invocation.value("ca-file")
    let watch = SignalWatch(follows: false)
    let asked = options
    let outcome = watch.run { () throws(PullError) -> WuKongPullReport in
        let board = PullBoard(terminal)
        defer { board.end() }
        return try WuKongPuller(asked, watch.cancellation) { board.show($0) }.run()
    }
    switch outcome {
    case .success(let report): return report
    case .failure(let error): throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
}

extension WuKongPullReport {
    /// Failures that are shown; `report.json` has more.
    private static var shownFailures: Int { 20 }

    fileprivate func lines(_ terminal: Terminal) -> String {
        var table = Table([
            Table.Column(terminal.text("table.pullWhat")), Table.Column(terminal.text("table.pullHere"), .right),
            Table.Column(terminal.text("table.pullThere"), .right),
        ])
        for (path, rows) in self.tables {
            let there = path == "users.jsonl" ? self.usersThere.map { String($0) } : nil
            table.add([path, String(rows), there ?? "-"])
        }
        var text = table.text
        for note in self.notes { text += DisplayText.escaped(note) + "\n" }
        for failure in self.failures.prefix(Self.shownFailures) {
            let values = ["name": DisplayText.escaped(failure.what), "reason": DisplayText.escaped(failure.why)]
            text += terminal.text("ctl.pull.failed", values) + "\n"
        }
        if self.failed > Int64(Self.shownFailures) {
            let values = ["count": String(self.failed - Int64(Self.shownFailures))]
            text += terminal.text("ctl.wuKongPull.more", values) + "\n"
        }
        return text
    }
}
