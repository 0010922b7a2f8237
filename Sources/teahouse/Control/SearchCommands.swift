import AdminAPI
import CommandLineKit

/// `teahouse ctl search`
let searchCommand = Command(
    group: "search", summary: "command.ctl.search", examples: ["teahouse ctl search status"],
    subcommands: operationCommands(below: "search"))

/// Searches as many pages as the limit takes, which is of all of them.
let messageSearchBody: OperationBody = { control, request throws(CommandFailure) in
    guard case .search(.messages(var search)) = request else { throw control.unexpectedAnswer }
    var wanted = search.limit
    var (found, time): ([AdminFound], Int64) = ([], 0)
    repeat {
        search.limit = min(wanted, Int64(AdminProtocol.pageMessages))
        guard case .search(.found(let page, let next, let indexedTo)) = try control.ask(.search(.messages(search)))
        else { throw control.unexpectedAnswer }
        found += page
        wanted -= Int64(page.count)
        (search.after, time) = (next, indexedTo)
    } while search.after != nil && wanted > 0
    if control.wantsJSON {
        let answer = AdminAnswer.search(.found(found, next: search.after, indexedTo: time))
        return try control.print(json: answer.json)
    }
    try control.print(
        [
            Table.Column("table.time"), Table.Column("table.conversation", maximumWidth: 32),
            Table.Column("table.sequence", .right), Table.Column("table.sender", maximumWidth: 20),
            Table.Column("table.text", maximumWidth: 120),
        ],
        rows: found.map { row in
            [
                localTime(row.message.sentAtMilliseconds), row.message.conversationName,
                String(row.message.sequence), row.message.sender, row.snippet,
            ]
        })
    if search.after != nil { try control.terminal.print("\n" + control.text("ctl.search.more") + "\n") }
}

extension Control {
    /// Prints an answer about searching.
    func show(_ answer: AdminSearchAnswer) throws(CommandFailure) {
        guard case .status(let status) = answer else { throw self.unexpectedAnswer }
        var fields = FieldList()
        fields.add(self.text("table.state"), self.text("search.state.\(status.state)"))
        let never = self.text("search.nothingYet")
        fields.add(
            self.text("table.indexedTo"),
            status.indexedToMilliseconds == 0 ? never : localTime(status.indexedToMilliseconds))
        fields.add(self.text("table.indexed"), String(status.messages))
        fields.add(self.text("table.behind"), String(status.waiting))
        fields.add(self.text("table.indexBytes"), String(status.bytes))
        fields.add(self.text("table.searches"), String(status.searches))
        fields.add(self.text("table.cutShort"), String(status.cutShort))
        fields.add(self.text("table.rebuilds"), String(status.rebuilds))
        fields.add(self.text("table.reason"), status.reason)
        try self.terminal.print(fields.text)
    }
}
