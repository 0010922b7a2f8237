import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl request`
let requestCommand = Command(
    group: "request", summary: "command.ctl.request", examples: ["teahouse ctl request list"],
    subcommands: [
        requestListCommand, requestAnswerCommand("accept"), requestAnswerCommand("refuse"), requestApplyCommand,
        requestWithdrawCommand,
    ])

private let requestListCommand = Command(
    "list", summary: "command.ctl.request.list",
    options: [
        CommandOption("team", .value("TEAM"), help: "option.requestTeam"),
        CommandOption("person", .value("NAME"), help: "option.requestPerson"),
        CommandOption("all", .flag, help: "option.allRequests"),
    ],
    examples: ["teahouse ctl request list", "teahouse ctl request list --team tea --all"],
    body: Control.command { control throws(CommandFailure) in
        var query = AdminJoinQuery(onlyWaiting: !control.invocation.has("all"))
        if let team = control.invocation.value("team") { query.team = try control.groupName(team) }
        if let name = control.invocation.value("person") { query.person = try control.userName(name) }
        var requests: [AdminJoinRequest] = []
        repeat {
            guard case .teams(.requests(let page, let next)) = try control.ask(.teams(.requests(query))) else {
                throw control.unexpectedAnswer
            }
            requests += page
            query.before = next
        } while query.before != nil
        if control.wantsJSON {
            return try control.print(json: AdminAnswer.teams(.requests(requests, next: nil)).json)
        }
        try control.print(requests)
    })

private func requestAnswerCommand(_ word: String) -> Command {
    Command(
        word, summary: "command.ctl.request.\(word)",
        arguments: [CommandArgument("REQUEST", help: "argument.request")],
        options: [CommandOption("reason", .value("TEXT"), help: "option.reason")],
        examples: ["teahouse ctl request \(word) 7"],
        body: Control.command { control throws(CommandFailure) in
            let number = try control.requestNumber()
            let reason = control.invocation.value("reason") ?? ""
            let answer = try control.ask(.teams(.answer(number, accept: word == "accept", reason: reason)))
            guard case .teams(.request(let request)) = answer else { throw control.unexpectedAnswer }
            try control.tell(
                answer, word == "accept" ? "ctl.request.accepted" : "ctl.request.refused", control.values(of: request))
        })
}

private let requestApplyCommand = Command(
    "apply", summary: "command.ctl.request.apply",
    arguments: [CommandArgument("TEAM", help: "argument.team"), CommandArgument("NAME", help: "argument.userName")],
    options: [CommandOption("text", .value("TEXT"), help: "option.postscript")],
    examples: ["teahouse ctl request apply tea lan --text 我也爱喝茶"],
    body: Control.command { control throws(CommandFailure) in
        let team = try control.team()
        let name = try control.user("NAME")
        let answer = try control.ask(
            .teams(.apply(team, name, postscript: control.invocation.value("text") ?? "")))
        guard case .teams(.request(let request)) = answer else {
            return try control.tell(answer, "ctl.request.joined", ["person": name.text, "team": team.text])
        }
        try control.tell(answer, "ctl.request.waiting", control.values(of: request))
    })

private let requestWithdrawCommand = Command(
    "withdraw", summary: "command.ctl.request.withdraw",
    arguments: [CommandArgument("REQUEST", help: "argument.request")],
    examples: ["teahouse ctl request withdraw 7"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.teams(.withdraw(try control.requestNumber())))
        guard case .teams(.request(let request)) = answer else { throw control.unexpectedAnswer }
        try control.tell(answer, "ctl.request.withdrawn", control.values(of: request))
    })

extension Control {
    fileprivate func requestNumber() throws(CommandFailure) -> Int64 {
        let text = self.invocation.argument("REQUEST")
        guard let number = Int64(text), number > 0 else {
            throw CommandFailure(.usage, self.text("ctl.badRequest", ["number": text]))
        }
        return number
    }

    fileprivate func values(of request: AdminJoinRequest) -> [String: String] {
        [
            "number": String(request.number), "person": request.person.text, "team": request.team?.text ?? "",
        ]
    }

    fileprivate func print(_ requests: [AdminJoinRequest]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.kind"), Table.Column("table.team"),
                Table.Column("table.person", maximumWidth: 20), Table.Column("table.inviter", maximumWidth: 20),
                Table.Column("table.postscript", maximumWidth: 60), Table.Column("table.state"),
                Table.Column("table.answeredBy", maximumWidth: 20), Table.Column("table.created"),
            ],
            rows: requests.map {
                [
                    String($0.number), self.text("word.request.\($0.kind.word)"),
                    $0.team?.text ?? "", $0.person.text, $0.inviter?.text ?? "", $0.postscript,
                    self.text("word.request.\($0.state.word)"), $0.answeredBy?.text ?? "",
                    localTime($0.createdAtMilliseconds),
                ]
            })
    }
}
