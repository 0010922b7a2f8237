import CommandLineKit
import Server

/// `teahouse manual`
let manualCommand = Command(
    "manual", summary: "command.manual",
    arguments: [CommandArgument("COMMAND", help: "argument.manualCommand", isOptional: true, isRepeated: true)],
    options: [CommandOption("list", .flag, help: "option.manualList")],
    examples: ["teahouse manual", "teahouse manual ctl", "teahouse manual --list"]
) { invocation, terminal throws(CommandFailure) in
    let root: Command = teahouseCommand
    if invocation.has("list") {
        return try terminal.print(ManualPage.names(root: root).map { $0 + "\n" }.joined())
    }
    var path = [root]
    for word in invocation.list("COMMAND") {
        guard let next = path[path.count - 1].subcommands.first(where: { $0.name == word }) else {
            throw CommandFailure(.usage, terminal.text("usage.unknownCommand", ["name": DisplayText.escaped(word)]))
        }
        path.append(next)
    }
    try terminal.print(ManualPage.text(of: path, version: Version.text, terminal.texts))
}

/// `teahouse completion`
let completionCommand = Command(
    group: "completion", summary: "command.completion",
    examples: ["teahouse completion bash"],
    subcommands: ShellCompletion.allCases.map { shell in
        Command(
            shell.rawValue, summary: "command.completion.\(shell.rawValue)",
            examples: ["teahouse completion \(shell.rawValue)"]
        ) { _, terminal throws(CommandFailure) in
            let root: Command = teahouseCommand
            try terminal.print(shell.script(root: root, terminal.texts))
        }
    })
