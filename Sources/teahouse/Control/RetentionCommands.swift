import AdminAPI
import CommandLineKit

/// `teahouse ctl retention`
let retentionCommand = operationCommand("retention")

/// `teahouse ctl hold`
let holdCommand = Command(
    group: "hold", summary: "command.ctl.hold", examples: ["teahouse ctl hold add person ming 'case 7'"],
    subcommands: operationCommands(below: "hold"))

extension Control {
    /// Prints an answer about retention or legal holds.
    func show(_ answer: AdminRetentionAnswer) throws(CommandFailure) {
        switch answer {
        case .forecast(let rows, let held): try self.print(rows, held: held)
        case .holds(let holds, _): try self.print(holds)
        case .hold(let hold):
            try self.terminal.print(self.text("ctl.hold.added", ["number": String(hold.number)]) + "\n")
        }
    }

    private func print(_ rows: [AdminRetentionRow], held: Int64) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.retentionClass"), Table.Column("table.retentionDays", .right),
                Table.Column("table.retentionMessages", .right), Table.Column("table.retentionAttachmentDays", .right),
                Table.Column("table.retentionNow"), Table.Column("table.retentionSoon"),
            ],
            rows: rows.map {
                [
                    self.text("word.retention.\($0.name)"), self.bound($0.days), self.bound($0.messages),
                    self.bound($0.attachmentDays), self.amount($0.now), self.amount($0.soon),
                ]
            })
        if held > 0 {
            try self.terminal.print("\n" + self.text("ctl.retention.held", ["count": String(held)]) + "\n")
        }
    }

    /// A bound of a rule; a dash where it deletes nothing.
    private func bound(_ value: Int64) -> String { value == 0 ? "-" : String(value) }

    private func amount(_ amount: AdminRetentionAmount) -> String {
        guard amount.conversations > 0 else { return "-" }
        return self.text(
            "ctl.retention.amount",
            [
                "messages": String(amount.messages), "bytes": shownBytes(amount.bytes),
                "attachments": String(amount.attachments), "attachmentBytes": shownBytes(amount.attachmentBytes),
            ])
    }

    private func print(_ holds: [AdminHold]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.kind"),
                Table.Column("table.subject", maximumWidth: 32), Table.Column("table.reason", maximumWidth: 60),
                Table.Column("table.importAsker", maximumWidth: 20), Table.Column("table.created"),
            ],
            rows: holds.map { hold in
                let number = hold.conversation.map { "id:\($0)" } ?? ""
                return [
                    String(hold.number), self.text("word.hold.\(hold.kind.word)"),
                    hold.name.isEmpty ? number : hold.name, hold.reason, hold.asker,
                    localTime(hold.createdAtMilliseconds),
                ]
            })
    }
}
