import AdminAPI
import CommandLineKit
import Doctor

/// `teahouse ctl app ready`
///
/// Exit code 1 when an app could not come.
let appReadyCommand = Command(
    "ready", summary: "command.ctl.app.ready",
    options: [
        CommandOption("host", .value("NAME"), help: "option.readyHost", isRepeated: true),
        CommandOption("origin", .value("ORIGIN"), help: "option.readyOrigin", isRepeated: true),
        CommandOption("dry-run", .flag, help: "option.readyDryRun"),
    ],
    examples: [
        "teahouse ctl app ready", "teahouse ctl app ready --host api.example.com --origin https://app.example.com",
        "teahouse ctl app ready --dry-run --json",
    ],
    body: Control.command { control throws(CommandFailure) in
        let findings = judgeApp(try ReadyTrial(control).run())
        let isReady = !findings.contains { $0.severity == .problem }
        if control.wantsJSON {
            try control.print(json: json(of: findings, isReady: isReady, control.terminal))
        } else {
            for finding in findings { try control.terminal.print(words(of: finding, control.terminal)) }
            try control.terminal.print("\n" + control.text(isReady ? "ctl.app.ready" : "ctl.app.notReady") + "\n")
        }
        if !isReady { throw CommandFailure(.refused, "") }
    })
