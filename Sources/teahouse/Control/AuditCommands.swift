import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl audit`
let auditCommand = Command(
    group: "audit", summary: "command.ctl.audit", examples: ["teahouse ctl audit list"],
    subcommands: operationCommands(
        below: "audit",
        bodies: ["verify": { control, request throws(CommandFailure) in try control.verifyAuditLog(request) }])
        + [auditListCommand, auditExportCommand, auditExportMessagesCommand, auditSignInsCommand])

private let filterOptions = [
    CommandOption("who", .value("NAME"), help: "option.auditWho"),
    CommandOption("what", .value("WORD"), help: "option.auditWhat"),
    CommandOption("subject", .value("NAME"), help: "option.auditSubject"),
    CommandOption("since", .value("TIME"), help: "option.since"),
    CommandOption("until", .value("TIME"), help: "option.until"),
]

// A time is read here, and a limit is of all pages.
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

// It prints an entry a line, page by page.
private let auditExportCommand = Command(
    "export", summary: "command.ctl.audit.export", options: filterOptions,
    examples: ["teahouse ctl audit export", "teahouse ctl audit export --since 2026-11-01"],
    body: Control.command { control throws(CommandFailure) in
        try control.forEachAuditEntry(most: .max) { entry throws(CommandFailure) in
            try control.print(json: entry.json)
        }
    })

extension Control {
    /// Checks the chain of entries, and fails when it is broken.
    fileprivate func verifyAuditLog(_ request: AdminRequest) throws(CommandFailure) {
        let answer = try self.ask(request)
        guard case .audit(.checked(let check)) = answer else { throw self.unexpectedAnswer }
        if self.wantsJSON {
            try self.print(json: answer.json)
        } else {
            for problem in check.problems { try self.terminal.print(DisplayText.escaped(problem) + "\n") }
            let key = check.problems.isEmpty ? "ctl.audit.whole" : "ctl.audit.broken"
            try self.terminal.print(self.text(key, ["count": String(check.count), "hash": check.hash]) + "\n")
        }
        guard check.problems.isEmpty else { throw CommandFailure(.refused, "") }
    }

    func print(_ shown: AdminAuditEntry) throws(CommandFailure) {
        let entry = shown.entry
        var fields = FieldList()
        fields.add(self.text("table.number"), String(entry.number))
        fields.add(self.text("table.time"), localTime(entry.atMilliseconds))
        fields.add(self.text("table.who"), entry.actor.shownName)
        fields.add(self.text("table.source"), entry.actor.source.rawValue)
        fields.add(self.text("table.reason"), entry.actor.reason)
        fields.add(self.text("table.what"), entry.word)
        fields.add(self.text("table.subject"), entry.subject)
        fields.add(self.text("table.stage"), self.text(entry.stage == .done ? "word.done" : "word.asked"))
        fields.add(self.text("table.asked"), entry.asked)
        fields.add(self.text("table.before"), entry.before)
        fields.add(self.text("table.after"), entry.after)
        fields.add(self.text("table.hash"), shown.hash)
        try self.terminal.print(fields.text)
    }

    /// Entries that the options ask for, the newest first, read page by page.
    fileprivate func forEachAuditEntry(
        most: Int, _ body: (AdminAuditEntry) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var query = AuditQuery()
        query.who = self.invocation.value("who")
        query.what = self.invocation.value("what")
        query.subject = self.invocation.value("subject")
        if let since = self.invocation.value("since") { query.sinceMilliseconds = try self.moment(since) }
        let until = try self.invocation.value("until").map { (text) throws(CommandFailure) in try self.moment(text) }
        var left = most
        while left > 0 {
            query.limit = min(left, AdminProtocol.pageRows)
            guard case .audit(.list(let page, let next)) = try self.ask(.audit(.list(query))) else {
                throw self.unexpectedAnswer
            }
            // The newest come first: those that are too new are passed over.
            for entry in page where until.map({ entry.entry.atMilliseconds < $0 }) ?? true {
                try body(entry)
                left -= 1
            }
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
