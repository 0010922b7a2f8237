import AdminAPI
import CommandLineKit

// Times are read here, and a limit is of all pages.
let auditSignInsCommand = Command(
    "sign-ins", summary: "command.ctl.audit.signIns",
    options: [
        CommandOption("user", .value("NAME"), help: "option.signInUser"),
        CommandOption("address", .value("ADDRESS"), help: "option.signInAddress"),
        CommandOption("result", .value("WORD"), help: "option.signInResult"),
        CommandOption("since", .value("TIME"), help: "option.since"),
        CommandOption("until", .value("TIME"), help: "option.until"),
        CommandOption("verify", .flag, help: "option.signInVerify"),
        CommandOption("limit", .number(1, 100_000), help: "option.auditLimit"),
    ],
    examples: [
        "teahouse ctl audit sign-ins", "teahouse ctl audit sign-ins --user ming --since 7d",
        "teahouse ctl audit sign-ins --address 192.168.1.5 --result wrong_credentials --limit 500",
        "teahouse ctl audit sign-ins --verify",
    ],
    body: Control.command { control throws(CommandFailure) in
        if control.invocation.has("verify") { return try control.verifySignIns() }
        let entries = try control.signIns()
        if control.wantsJSON {
            return try control.print(json: AdminAnswer.audit(.signIns(entries, next: nil)).json)
        }
        try control.print(
            [
                Table.Column("table.number", .right), Table.Column("table.time"), Table.Column("table.name"),
                Table.Column("table.address"), Table.Column("table.device"), Table.Column("table.gateway"),
                Table.Column("table.result", maximumWidth: 40), Table.Column("table.more", maximumWidth: 40),
            ],
            rows: entries.map { entry in
                [
                    String(entry.number), localTime(entry.atMilliseconds), entry.user ?? "", entry.address ?? "",
                    entry.device ?? "", entry.gateway ?? "", control.result(of: entry), control.more(of: entry),
                ]
            })
    })

extension Control {
    /// Entries that the options ask for, the newest first, read page by page.
    fileprivate func signIns() throws(CommandFailure) -> [AdminSignIn] {
        var query = AdminSignInQuery()
        query.user = self.invocation.value("user")
        query.address = self.invocation.value("address")
        query.result = self.invocation.value("result")
        if let since = self.invocation.value("since") { query.sinceMilliseconds = try self.moment(since) }
        if let until = self.invocation.value("until") { query.untilMilliseconds = try self.moment(until) }
        var entries: [AdminSignIn] = []
        let most = self.invocation.number("limit") ?? 50
        while entries.count < most {
            query.limit = Int64(min(most - entries.count, AdminProtocol.pageRows))
            guard case .audit(.signIns(let page, let next)) = try self.ask(.audit(.signIns(query))) else {
                throw self.unexpectedAnswer
            }
            entries += page
            guard let next else { break }
            query.before = next
        }
        return entries
    }

    fileprivate func result(of entry: AdminSignIn) -> String {
        [entry.result ?? entry.kind, entry.reason].compactMap { $0 }.joined(separator: ": ")
    }

    /// Number of attempts that one line stands for.
    fileprivate func more(of entry: AdminSignIn) -> String {
        guard let count = entry.count, entry.kind == "sum" || entry.kind == "left_out" else {
            return entry.count.map { String($0) } ?? ""
        }
        return self.text("ctl.signIns.more", ["count": String(count)])
    }

    /// Checks the chain of the journal, and fails when it is broken.
    func verifySignIns() throws(CommandFailure) {
        let answer = try self.ask(.audit(.verifySignIns))
        guard case .audit(.checkedSignIns(let check)) = answer else { throw self.unexpectedAnswer }
        if self.wantsJSON {
            try self.print(json: answer.json)
        } else {
            for problem in check.problems { try self.terminal.print(DisplayText.escaped(problem) + "\n") }
            let key = check.problems.isEmpty ? "ctl.signIns.whole" : "ctl.signIns.broken"
            let values = [
                "first": String(check.first), "last": String(check.last), "hash": check.hash,
                "mended": String(check.mended),
            ]
            try self.terminal.print(self.text(key, values) + "\n")
        }
        guard check.problems.isEmpty else { throw CommandFailure(.refused, "") }
    }
}
