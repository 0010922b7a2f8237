import AdminAPI
import CommandLineKit

/// `teahouse ctl wukong`
let wuKongCommand = Command(
    group: "wukong", summary: "command.ctl.wukong", examples: ["teahouse ctl wukong token"],
    subcommands: operationCommands(
        below: "wukong",
        bodies: [
            "token": { control, request throws(CommandFailure) in
                let answer = try control.ask(request)
                guard case .token(let token) = answer else { throw control.unexpectedAnswer }
                guard let token else { throw CommandFailure(.refused, control.text("ctl.noManagerToken")) }
                if control.wantsJSON { return try control.print(json: answer.json) }
                try control.terminal.print(token + "\n")
            }
        ]))
