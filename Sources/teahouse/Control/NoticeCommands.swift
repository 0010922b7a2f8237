import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl notice`
let noticeCommand = Command(
    group: "notice", summary: "command.ctl.notice", examples: ["teahouse ctl notice send 今晚八点维护"],
    subcommands: [noticeSendCommand] + operationCommands(below: "notice"))

// A text may come from standard input.
private let noticeSendCommand = Command(
    "send", summary: "command.ctl.notice.send", arguments: [CommandArgument("TEXT", help: "argument.noticeText")],
    options: [
        CommandOption("title", .value("TEXT"), help: "option.noticeTitle"),
        CommandOption("team", .value("TEAM"), help: "option.noticeTeam", isRepeated: true),
    ],
    examples: [
        "teahouse ctl notice send 今晚八点维护 --title 通知", "teahouse ctl notice send - --team tea --team kitchen",
    ],
    body: Control.command { control throws(CommandFailure) in
        var teams: [ChannelName] = []
        for name in control.invocation.values("team") { teams.append(try control.groupName(name)) }
        var text = control.invocation.argument("TEXT")
        if text == "-" {
            var lines: [String] = []
            while let line = control.terminal.nextLine() { lines.append(line) }
            text = lines.joined(separator: "\n")
        }
        guard !text.isEmpty else { throw CommandFailure(.usage, control.text("ctl.notice.noText")) }
        let notice = AdminNewAnnouncement(title: control.invocation.value("title") ?? "", text: text, teams: teams)
        let answer = try control.ask(.announcements(.send(notice)))
        guard case .announcements(.one(let sent, _, _)) = answer else { throw control.unexpectedAnswer }
        try control.tell(answer, "ctl.notice.sent", ["number": String(sent.number)])
    })

extension Announcement {
    /// The title, or the first line of one without.
    fileprivate var shownTitle: String {
        self.title.isEmpty ? String(self.body.prefix { $0 != "\n" }) : self.title
    }
}

extension Control {
    /// Prints an answer about announcements.
    func show(_ answer: AdminAnnouncementAnswer) throws(CommandFailure) {
        switch answer {
        case .list(let announcements, _): try self.print(announcements)
        case .one(let notice, let people, _): try self.print(notice, people)
        }
    }

    private func print(_ announcements: [Announcement]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.created"), Table.Column("table.sender"),
                Table.Column("table.title", maximumWidth: 40), Table.Column("table.for", maximumWidth: 40),
                Table.Column("table.state"), Table.Column("table.receivers", .right),
                Table.Column("table.confirmed", .right),
            ],
            rows: announcements.map { notice in
                [
                    String(notice.number), localTime(notice.createdAtMilliseconds), notice.sender, notice.shownTitle,
                    self.audience(of: notice), self.state(of: notice), String(notice.receivers),
                    String(notice.confirmed),
                ]
            })
    }

    fileprivate func audience(of notice: Announcement) -> String {
        notice.teams.isEmpty ? self.text("word.notice.everybody") : notice.teams.map(\.text).joined(separator: ", ")
    }

    fileprivate func state(of notice: Announcement) -> String {
        self.text(notice.sentAtMilliseconds == nil ? "word.notice.sending" : "word.notice.sent")
    }

    fileprivate func print(_ notice: Announcement, _ people: [AdminAnnouncementReceiver])
        throws(CommandFailure)
    {
        var fields = FieldList()
        fields.add(self.text("table.number"), String(notice.number))
        fields.add(self.text("table.title"), notice.title)
        fields.add(self.text("table.sender"), notice.sender)
        fields.add(self.text("table.created"), localTime(notice.createdAtMilliseconds))
        fields.add(self.text("table.for"), self.audience(of: notice))
        fields.add(self.text("table.state"), self.state(of: notice))
        fields.add(self.text("table.receivers"), String(notice.receivers))
        fields.add(self.text("table.confirmed"), String(notice.confirmed))
        try self.terminal.print(fields.text)
        let lines = notice.body.split(separator: "\n", omittingEmptySubsequences: false)
        try self.terminal.print("\n" + lines.map { DisplayText.escaped(String($0)) + "\n" }.joined())
        guard !people.isEmpty else { return }
        try self.terminal.print("\n\(self.text("heading.receivers"))\n")
        try self.print(
            [Table.Column("table.name"), Table.Column("table.confirmed")],
            rows: people.map { [$0.name.text, $0.confirmedAtMilliseconds.map(localTime) ?? ""] })
    }
}
