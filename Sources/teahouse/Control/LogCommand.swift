import AdminAPI
import CommandLineKit
import Glibc

/// `teahouse ctl log`
let logCommand = Command(
    "log", summary: "command.ctl.log",
    options: [
        CommandOption("level", .value("WORD"), help: "option.leastLevel"),
        CommandOption("event", .value("WORD"), help: "option.logEvent"),
        CommandOption("contains", .value("TEXT"), help: "option.logContains"),
        CommandOption("since", .value("TIME"), help: "option.since"),
        CommandOption("until", .value("TIME"), help: "option.until"),
        CommandOption("follow", .flag, help: "option.logFollow"),
        CommandOption("limit", .number(1, AdminProtocol.pageRows), help: "option.logLimit"),
    ],
    examples: [
        "teahouse ctl log --level warning", "teahouse ctl log --event sign_in --since 1h --json",
        "teahouse ctl log --contains 192.168.1.5 --follow",
    ],
    body: Control.command { control throws(CommandFailure) in
        let isFollowing = control.invocation.has("follow")
        if isFollowing { try control.refuseEndless() }
        var query = AdminLogQuery()
        query.level = control.invocation.value("level")
        query.event = control.invocation.value("event")
        query.contains = control.invocation.value("contains")
        if let since = control.invocation.value("since") { query.sinceMilliseconds = try control.moment(since) }
        if let until = control.invocation.value("until") { query.untilMilliseconds = try control.moment(until) }
        query.limit = Int64(control.invocation.number("limit") ?? 100)
        while true {
            guard case .audit(.log(let lines)) = try control.ask(.audit(.log(query))) else {
                throw control.unexpectedAnswer
            }
            for line in lines {
                if control.wantsJSON {
                    try control.print(json: line.json)
                } else {
                    let text = DisplayText.escaped(line.text)
                    try control.terminal.print("\(localTime(line.atMilliseconds))  \(text)\n")
                }
            }
            guard isFollowing else { return }
            query.after = lines.last?.number ?? query.after
            query.limit = Int64(AdminProtocol.pageRows)
            sleep(1)
        }
    })
