import AdminAPI
import ChatModel
import CommandLineKit

private let nameArgument = CommandArgument("NAME", help: "argument.userName")

/// `teahouse ctl user delete`
let userDeleteCommand = Command(
    "delete", summary: "command.ctl.user.delete", arguments: [nameArgument],
    examples: ["teahouse ctl user delete ming", "teahouse ctl user delete ming --yes"],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.user("NAME")
        let count = try control.count(.people(.delete(name)))
        try control.tell(.count(count), "ctl.user.deleted", ["name": name.text, "count": String(count)])
    })

extension Control {
    func print(_ details: AdminPersonDetails) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.name"), details.name.text)
        if let deletedAt = details.deletedAtMilliseconds { fields.add(self.text("word.deleted"), localTime(deletedAt)) }
        let size = shownBytes(details.files.bytes)
        fields.add(self.text("table.files"), "\(details.files.count), \(size)")
        fields.add(self.text("table.quota"), details.files.quotaBytes.map { shownBytes($0) })
        try self.terminal.print(fields.text)
        try self.print(
            "heading.friends", count: details.friendCount,
            [Table.Column("table.name"), Table.Column("table.remark"), Table.Column("table.since")],
            rows: details.friends.map { [$0.name.text, $0.remark ?? "", localTime($0.sinceMilliseconds)] })
        try self.print(
            "heading.teamsOfPerson", count: details.teamCount,
            [Table.Column("table.team"), Table.Column("table.title"), Table.Column("table.role")],
            rows: details.teams.map { [$0.team.text, $0.title ?? "", self.word(for: $0.role)] })
        try self.print(
            "heading.recent", count: Int64(details.recent.count),
            [
                Table.Column("table.conversation"), Table.Column("table.kind"), Table.Column("table.unread", .right),
                Table.Column("table.badge", .right), Table.Column("table.active"),
            ],
            rows: details.recent.map {
                [
                    $0.conversation, self.word(for: $0.kind), String($0.unread), String($0.badge),
                    localTime($0.activeAtMilliseconds),
                ]
            })
        try self.print(
            "heading.tokens", count: Int64(details.tokens.count),
            [
                Table.Column("table.device"), Table.Column("table.level"), Table.Column("table.issued"),
                Table.Column("table.lastSeen"), Table.Column("table.expires"),
            ],
            rows: details.tokens.map { issued in
                let token = issued.token
                return [
                    token.device.name, self.text(token.level == .primary ? "word.primary" : "word.secondary"),
                    localTime(issued.issuedAtMilliseconds), localTime(token.lastSeenAtMilliseconds),
                    token.expiresAtMilliseconds.map(localTime) ?? "",
                ]
            })
        try self.print(
            "heading.ends", count: Int64(details.ends.count),
            [
                Table.Column("table.ended"), Table.Column("table.reason"), Table.Column("table.device"),
                Table.Column("table.deviceID"), Table.Column("table.address"), Table.Column("table.opened"),
            ],
            rows: details.ends.map {
                [
                    localTime($0.endedAtMilliseconds), $0.reason, $0.device.name, $0.deviceID, $0.address,
                    localTime($0.openedAtMilliseconds),
                ]
            })
        try self.print(details.devices)
    }

    /// Nothing for a person without.
    func print(_ devices: [AdminInstallation]) throws(CommandFailure) {
        try self.print(
            "heading.devices", count: Int64(devices.count),
            [
                Table.Column("table.objectID"), Table.Column("table.deviceType"),
                Table.Column("table.installation", maximumWidth: 40), Table.Column("table.pushToken"),
                Table.Column("table.created"), Table.Column("table.lastSeen"),
            ],
            rows: devices.map {
                [
                    $0.objectID, $0.deviceType ?? "", $0.installationID ?? "", $0.tokenHint ?? "",
                    localTime($0.createdAtMilliseconds), localTime($0.updatedAtMilliseconds),
                ]
            })
    }

    /// A table under its heading; nothing without rows.
    private func print(
        _ heading: String, count: Int64, _ columns: [Table.Column], rows: [[String]]
    ) throws(CommandFailure) {
        guard !rows.isEmpty else { return }
        try self.terminal.print("\n\(self.text(heading, ["count": String(count)]))\n")
        try self.print(columns, rows: rows)
    }
}
