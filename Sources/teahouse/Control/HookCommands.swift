import AdminAPI
import CommandLineKit

/// `teahouse ctl hook`
let hookCommand = Command(
    group: "hook", summary: "command.ctl.hook", examples: ["teahouse ctl hook disable _messageReceived"],
    subcommands: operationCommands(below: "hook"))

extension Control {
    /// Prints an answer about hooks.
    func show(_ answer: AdminHookAnswer) throws(CommandFailure) {
        guard case .functions(let functions, let dropped) = answer else { throw self.unexpectedAnswer }
        try self.print(
            [
                Table.Column("table.function"), Table.Column("table.state"), Table.Column("table.calls", .right),
                Table.Column("table.failures", .right), Table.Column("table.rejections", .right),
                Table.Column("table.lastMilliseconds", .right), Table.Column("table.lastError", maximumWidth: 48),
            ],
            rows: functions.map { function in
                [
                    function.name, self.text(function.isDisabled ? "word.disabled" : "word.active"),
                    String(function.calls), String(function.failures), String(function.rejections),
                    function.lastMilliseconds.map { String($0) } ?? "", function.lastError ?? "",
                ]
            })
        guard dropped > 0 else { return }
        try self.terminal.print(self.text("ctl.hook.dropped", ["count": String(dropped)]) + "\n")
    }
}
