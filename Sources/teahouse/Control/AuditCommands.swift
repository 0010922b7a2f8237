import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit
import Glibc

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
                    String(entry.number), localTime(entry.atMilliseconds), entry.shownOperator, entry.word,
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
        fields.add(control.text("table.who"), entry.shownOperator)
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

    /// What changed, in a line: the fields of the state that differ.
    fileprivate func change(of entry: AuditEntry) -> String {
        let (before, after) = (Self.fields(entry.before), Self.fields(entry.after))
        let shown = Set(before.keys).union(after.keys).sorted().compactMap { key -> String? in
            let (old, new) = (before[key], after[key])
            guard old != new else { return nil }
            return entry.before == nil ? "\(key): \(new ?? "-")" : "\(key): \(old ?? "-") -> \(new ?? "-")"
        }
        return shown.joined(separator: ", ")
    }

    private static func fields(_ json: String?) -> [String: String] {
        guard let json, case .object(let members)? = try? JSONValue(parsing: Array(json.utf8)) else { return [:] }
        var fields: [String: String] = [:]
        for member in members {
            let text: String
            switch member.value {
            case .string(let value): text = value
            default:
                var writer = JSONWriter()
                member.value.write(to: &writer)
                text = String(decoding: writer.bytes, as: UTF8.self)
            }
            fields[member.name] = text
        }
        return fields
    }

    /// A moment as people type it, in UTC milliseconds: `2026-11-21`, `2026-11-21 08:15`, `2026-11-21 08:15:30` in the
    /// operator's own time zone, or how long ago: `90m`, `2h`, `7d`.
    func moment(_ text: String) throws(CommandFailure) -> Int64 {
        if let moment = Self.moment(text, nowMilliseconds: self.now()) { return moment }
        throw CommandFailure(.usage, self.text("ctl.badTime", ["text": text]))
    }

    /// UTC milliseconds of what a person means by a moment; `nil` when it is none.
    static func moment(_ text: String, nowMilliseconds: Int64) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...1_000_000).contains(count)
        {
            return nowMilliseconds - count * unit * 1_000
        }
        return Self.localSeconds(text).map { $0 * 1_000 }
    }

    /// Seconds since 1970 of a day, and a time of it if one is given, in the time zone of this process; `nil` when it is
    /// none.
    private static func localSeconds(_ text: String) -> Int64? {
        let halves = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let day = halves.first, halves.count <= 2,
            let date = Self.numbers(day, "-", [1_970...9_999, 1...12, 1...31])
        else { return nil }
        var time: [Int32] = [0, 0, 0]
        if halves.count == 2 {
            let bounds: [ClosedRange<Int32>] = [0...23, 0...59, 0...59]
            guard let found = Self.numbers(halves[1], ":", bounds) ?? Self.numbers(halves[1], ":", bounds.dropLast())
            else { return nil }
            time = found + (found.count == 2 ? [0] : [])
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (date[0] - 1_900, date[1] - 1, date[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time[2])
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        // The 31st of a month of 30 days became another day.
        return parts.tm_mday == date[2] ? Int64(seconds) : nil
    }

    /// The numbers between separators, as many as there are bounds; `nil` when something else is there.
    private static func numbers(
        _ text: Substring, _ separator: Character, _ bounds: [ClosedRange<Int32>]
    ) -> [Int32]? {
        let words = text.split(separator: separator, omittingEmptySubsequences: false)
        guard words.count == bounds.count else { return nil }
        let numbers = zip(words, bounds).compactMap { word, bound in
            Int32(word).flatMap { word.first != "+" && bound.contains($0) ? $0 : nil }
        }
        return numbers.count == bounds.count ? numbers : nil
    }
}

extension AuditEntry {
    /// What an operator calls themselves, and the user they ran as.
    fileprivate var shownOperator: String {
        self.actor.name.map { "\($0) (\(self.actor.uid))" } ?? String(self.actor.uid)
    }
}
