import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl audit`
let auditCommand = Command(
    group: "audit", summary: "command.ctl.audit", examples: ["teahouse ctl audit list"],
    subcommands: [auditListCommand, auditShowCommand, auditVerifyCommand, auditExportCommand])

private let filterOptions = [
    CommandOption("who", .value("NAME"), help: "option.auditWho"),
    CommandOption("what", .value("WORD"), help: "option.auditWhat"),
    CommandOption("subject", .value("NAME"), help: "option.auditSubject"),
    CommandOption("since", .value("TIME"), help: "option.since"),
]

private let auditListCommand = Command(
    "list", summary: "command.ctl.audit.list",
    options: filterOptions + [CommandOption("limit", .number(1, 100_000), help: "option.auditLimit")],
    examples: [
        "teahouse ctl audit list", "teahouse ctl audit list --who ming --since 7d",
        "teahouse ctl audit list --what user.disable --limit 20",
    ],
    body: Control.command { control throws(CommandFailure) in
        var entries: [AdminAuditEntry] = []
        try control.forEachAuditEntry(most: control.invocation.number("limit") ?? 50) { entry throws(CommandFailure) in
            entries.append(entry)
        }
        if control.wantsJSON {
            return try control.print(json: AdminAnswer.audit(.list(entries, next: nil)).json)
        }
        try control.print(
            [
                Table.Column("table.number", .right), Table.Column("table.time"), Table.Column("table.who"),
                Table.Column("table.what"), Table.Column("table.subject", maximumWidth: 32),
                Table.Column("table.change", maximumWidth: 60), Table.Column("table.reason", maximumWidth: 40),
            ],
            rows: entries.map { shown in
                let entry = shown.entry
                return [
                    String(entry.number), localTime(entry.atMilliseconds), entry.actor.shownName, entry.word,
                    entry.subject ?? "", control.change(of: entry), entry.actor.reason ?? "",
                ]
            })
    })

private let auditShowCommand = Command(
    "show", summary: "command.ctl.audit.show", arguments: [CommandArgument("NUMBER", help: "argument.auditNumber")],
    examples: ["teahouse ctl audit show 17"],
    body: Control.command { control throws(CommandFailure) in
        let text = control.invocation.argument("NUMBER")
        guard let number = Int64(text), number > 0 else {
            throw CommandFailure(.usage, control.text("ctl.badNumber", ["text": text]))
        }
        let answer = try control.ask(.audit(.show(number)))
        guard case .audit(.one(let shown)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        let entry = shown.entry
        var fields = FieldList()
        fields.add(control.text("table.number"), String(entry.number))
        fields.add(control.text("table.time"), localTime(entry.atMilliseconds))
        fields.add(control.text("table.who"), entry.actor.shownName)
        fields.add(control.text("table.source"), entry.actor.source.rawValue)
        fields.add(control.text("table.reason"), entry.actor.reason)
        fields.add(control.text("table.what"), entry.word)
        fields.add(control.text("table.subject"), entry.subject)
        fields.add(control.text("table.stage"), control.text(entry.stage == .done ? "word.done" : "word.asked"))
        fields.add(control.text("table.asked"), entry.asked)
        fields.add(control.text("table.before"), entry.before)
        fields.add(control.text("table.after"), entry.after)
        fields.add(control.text("table.hash"), shown.hash)
        try control.terminal.print(fields.text)
    })

private let auditVerifyCommand = Command(
    "verify", summary: "command.ctl.audit.verify", examples: ["teahouse ctl audit verify"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.audit(.verify))
        guard case .audit(.checked(let check)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON {
            try control.print(json: answer.json)
        } else {
            for problem in check.problems { try control.terminal.print(DisplayText.escaped(problem) + "\n") }
            let key = check.problems.isEmpty ? "ctl.audit.whole" : "ctl.audit.broken"
            try control.terminal.print(
                control.text(key, ["count": String(check.count), "hash": check.hash]) + "\n")
        }
        guard check.problems.isEmpty else { throw CommandFailure(.refused, "") }
    })

private let auditExportCommand = Command(
    "export", summary: "command.ctl.audit.export", options: filterOptions,
    examples: ["teahouse ctl audit export", "teahouse ctl audit export --since 2026-11-01"],
    body: Control.command { control throws(CommandFailure) in
        try control.forEachAuditEntry(most: .max) { entry throws(CommandFailure) in
            try control.print(json: entry.json)
        }
    })

extension Control {
    /// Entries that the options ask for, the newest first, read page by page.
    fileprivate func forEachAuditEntry(
        most: Int, _ body: (AdminAuditEntry) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var query = AuditQuery()
        query.who = self.invocation.value("who")
        query.what = self.invocation.value("what")
        query.subject = self.invocation.value("subject")
        if let since = self.invocation.value("since") { query.sinceMilliseconds = try self.moment(since) }
        var left = most
        while left > 0 {
            query.limit = min(left, AdminProtocol.pageRows)
            guard case .audit(.list(let page, let next)) = try self.ask(.audit(.list(query))) else {
                throw self.unexpectedAnswer
            }
            for entry in page { try body(entry) }
            left -= page.count
            guard let next else { return }
            query.before = next
        }
    }

    /// Change in one line: the fields of the state that differ.
    fileprivate func change(of entry: AuditEntry) -> String {
        entry.fields.filter(\.hasChanged).map { field in
            let after = field.after ?? "-"
            return entry.before == nil ? "\(field.name): \(after)" : "\(field.name): \(field.before ?? "-") -> \(after)"
        }.joined(separator: ", ")
    }

    /// Reads a time as `Moment` does.
    func moment(_ text: String) throws(CommandFailure) -> Int64 {
        guard let moment = Moment.milliseconds(text, nowMilliseconds: self.now()) else {
            throw CommandFailure(.usage, self.text("ctl.badTime", ["text": text]))
        }
        return moment
    }
}
