import CommandLineKit
import Configuration
import Server

/// `teahouse serve`
let serveCommand = Command(
    "serve", summary: "command.serve",
    options: [
        SharedOption.config, SharedOption.data, SharedOption.listen,
        CommandOption("log-level", .choice(["debug", "info", "warning", "error"]), help: "option.logLevel"),
        CommandOption("log-format", .choice(["logfmt", "json"]), help: "option.logFormat"),
        CommandOption("accept-damaged-log", .flag, help: "option.acceptDamagedLog"),
        CommandOption(TeahouseServer.withoutUpgradeCopy, .flag, help: "option.noUpgradeCopy"),
    ],
    examples: [
        "teahouse serve --data /srv/teahouse", "teahouse serve --config /etc/teahouse.toml --listen 0.0.0.0:7677",
    ]
) { invocation, terminal throws(CommandFailure) in
    let settings = try checkedSettings(invocation, terminal)
    let ending = ServeCommand.run(settings) { options in
        options.store.acceptsDamagedLog = invocation.has("accept-damaged-log")
        options.copiesBeforeUpgrade = !invocation.has(TeahouseServer.withoutUpgradeCopy)
    }
    // The log has said why.
    guard ending == .done else { throw CommandFailure(ExitCode(rawValue: ending.rawValue) ?? .internalError, "") }
}

/// The settings from the options, the environment and the file.
///
/// - Throws: exit code 78 with the mistake's place and what would be right.
func checkedSettings(_ invocation: Invocation, _ terminal: Terminal) throws(CommandFailure) -> Settings {
    var arguments = CommandLineSettings()
    arguments.configPath = invocation.value("config")
    arguments.data = invocation.value("data")
    arguments.listen = invocation.values("listen")
    arguments.logLevel = invocation.value("log-level")
    arguments.logFormat = invocation.value("log-format")
    do throws(ConfigurationError) {
        return try Settings(arguments: arguments, environment: terminal.environment)
    } catch {
        let problem = DisplayText.escaped(error.description)
        throw CommandFailure(.configuration, terminal.text("configuration.refused", ["problem": problem]))
    }
}
