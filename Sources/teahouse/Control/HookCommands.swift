import AdminAPI
import CommandLineKit

/// `teahouse ctl hook`
let hookCommand = Command(
    group: "hook", summary: "command.ctl.hook", examples: ["teahouse ctl hook disable _messageReceived"],
    subcommands: [hookListCommand, hookSwitchCommand("disable"), hookSwitchCommand("enable")])

private let hookListCommand = Command(
    "list", summary: "command.ctl.hook.list", examples: ["teahouse ctl hook list"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.hooks(.list))
        guard case .hooks(.functions(let functions, let dropped)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(
            [
                Table.Column("table.function"), Table.Column("table.state"), Table.Column("table.calls", .right),
                Table.Column("table.failures", .right), Table.Column("table.rejections", .right),
                Table.Column("table.lastMilliseconds", .right), Table.Column("table.lastError", maximumWidth: 48),
            ],
            rows: functions.map { function in
                [
                    function.name, control.text(function.isDisabled ? "word.disabled" : "word.active"),
                    String(function.calls), String(function.failures), String(function.rejections),
                    function.lastMilliseconds.map { String($0) } ?? "", function.lastError ?? "",
                ]
            })
        guard dropped > 0 else { return }
        try control.terminal.print(control.text("ctl.hook.dropped", ["count": String(dropped)]) + "\n")
    })

private func hookSwitchCommand(_ word: String) -> Command {
    Command(
        word, summary: "command.ctl.hook.\(word)",
        arguments: [CommandArgument("FUNCTION", help: "argument.hookFunction")],
        examples: ["teahouse ctl hook \(word) _messageReceived"],
        body: Control.command { control throws(CommandFailure) in
            let name = control.invocation.argument("FUNCTION")
            let answer = try control.ask(.hooks(.setDisabled(name, word == "disable")))
            try control.tell(answer, word == "disable" ? "ctl.hook.disabled" : "ctl.hook.enabled", ["name": name])
        })
}
