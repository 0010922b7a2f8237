import ByteCodec
import CommandLineKit
import Configuration
import Diagnostics
import Execution
import FileStore
import Glibc
import LeanCloudExport
import LeanCloudPull
import Server
import Store
import Transport

/// `teahouse export`
let exportCommand = Command(
    group: "export", summary: "command.export",
    examples: ["teahouse export leancloud saved --data /srv/teahouse"], subcommands: [exportLeanCloudCommand])

/// `teahouse export leancloud`
///
/// The report goes to standard output, progress to standard error.
private let exportLeanCloudCommand = Command(
    "leancloud", summary: "command.export.leancloud",
    arguments: [CommandArgument("DIR", help: "argument.exportFolder")],
    options: [
        SharedOption.data, SharedOption.config, CommandOption("address", .value("URL"), help: "option.exportAddress"),
        CommandOption("no-files", .flag, help: "option.exportNoFiles"), SharedOption.json,
    ],
    examples: [
        "teahouse export leancloud saved --data /srv/teahouse",
        "teahouse export leancloud saved --data /srv/teahouse --address https://chat.example.com",
    ]
) { invocation, terminal throws(CommandFailure) in
    let settings = try checkedSettings(invocation, terminal)
    var folder = invocation.argument("DIR")
    while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    guard access(settings.dataFolder + "/teahouse.db", F_OK) == 0 else {
        let path = DisplayText.escaped(settings.dataFolder)
        throw CommandFailure(.noInput, terminal.text("ctl.export.noData", ["path": path]))
    }
    let (store, providers) = try stoppedStore(settings, terminal)
    defer { store.close() }
    let configured = settings[Keys.leanCloudAppID]
    let board = PullBoard(terminal)
    let report: PullReport
    do throws(LeanCloudExportError) {
        defer { board.end() }
        let exporter = LeanCloudExporter(
            store, providers: providers, address: fileAddress(invocation.value("address"), settings),
            app: configured.isEmpty ? "unknown" : configured, writesContents: !invocation.has("no-files"),
            now: Clock.system.wallMilliseconds()
        ) { board.show($0) }
        report = try exporter.run(into: folder)
    } catch {
        throw CommandFailure(error.exitCode, DisplayText.escaped(error.description))
    }
    if invocation.has("json") {
        try terminal.print(DisplayText.escapedJSON(String(decoding: report.json, as: UTF8.self)) + "\n")
    } else {
        try terminal.print(PullText(terminal).lines(of: report))
        let key = report.isWhole ? "ctl.pull.whole" : "ctl.export.lacks"
        try terminal.print(terminal.text(key, ["path": DisplayText.escaped(folder)]) + "\n")
    }
    guard report.isWhole else { throw CommandFailure(.refused, "") }
}

/// Opens the data of a server that does not run, with its contents.
///
/// - Throws: exit code 75 when it runs.
private func stoppedStore(
    _ settings: Settings, _ terminal: Terminal
) throws(CommandFailure) -> (Store, [any FileProvider]) {
    var options: ServerOptions
    do throws(ConfigurationError) { options = try ServerOptions(settings, log: .silent) } catch {
        throw CommandFailure(.configuration, DisplayText.escaped(error.description))
    }
    let store: Store
    options.store.beforeUpgrade = options.upgradeCopy
    do throws(StoreError) { store = try Store(options.store) } catch {
        throw CommandFailure(exitCode(for: error), DisplayText.escaped(error.description))
    }
    do throws(FileStoreError) {
        var providers: [any FileProvider] = [try ObjectFolder(settings.dataFolder + "/files")]
        let directory = settings[Keys.filesDirectory]
        if !directory.isEmpty { providers.append(try ObjectFolder(directory, .directory)) }
        return (store, providers)
    } catch {
        store.close()
        throw CommandFailure(.inputOutput, DisplayText.escaped(error.description))
    }
}

/// Address by which apps reach files, without a slash behind: as typed, else as configured, else this machine's.
private func fileAddress(_ typed: String?, _ settings: Settings) -> String {
    let configured = settings[Keys.filesPublicURL]
    var address = typed ?? (configured.isEmpty ? ownAddress(settings) : configured)
    while address.hasSuffix("/") { address.removeLast() }
    return address
}

private func ownAddress(_ settings: Settings) -> String {
    let listeners = settings[Keys.listen].compactMap { ListenAddress(parsing: $0) }
    guard let listener = listeners.first else { return "http://127.0.0.1" }
    let own = SocketAddress.ofInterfaces().first { $0.isIPv4 && $0.scope != .loopback }
    let isAny = listener.host == "*" || IPAddress(listener.host).map { $0.bytes.allSatisfy { $0 == 0 } } ?? false
    let host = isAny ? own?.text ?? "127.0.0.1" : listener.host
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(listener.port)"
}

extension LeanCloudExportError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .store(let error): teahouse.exitCode(for: error)
        case .folder(let error): error.exitCode
        }
    }
}
