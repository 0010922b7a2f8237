package import ChatModel

/// Requests about announcements to people.
package enum AdminAnnouncementRequest: AdminDefinitions {
    case send(AdminNewAnnouncement)
    /// Lists announcements, newest first; `next` of the answer is the `before` of the page after it.
    case list(before: Int64?)
    /// Shows one announcement with its receivers, by their number; `after` is the `next` of the page before.
    case show(Int64, AnnouncementAudience, after: Int64?)

    static let all: [Self] = [.send(.sample), .list(before: .sample), .show(.sample, .sample, after: .sample)]

    static let more: [Self] = [.list(before: nil), .show(.sample, .all, after: nil)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .send(let notice):
            fields.change(
                "notice.send", .announcements(notice.teams.count == 1 ? notice.teams[0] : nil),
                audited: .announcements(.send(notice.withoutText)))
            fields.asks(
                "console.notices",
                [notice.teams.isEmpty ? "console.notices.allConsequence" : "console.notices.teamsConsequence"],
                of: notice.teams.map(\.text))
            fields.line(notice.command)
            return try .send(fields.inline(notice))
        case .list(let before):
            fields.look("notice.list", role: .observer)
            fields.ctl("notice list", examples: [""])
            return try .list(before: fields.page("before", before))
        case .show(let number, let people, let after):
            fields.look("notice.show", role: .observer, String(number))
            fields.ctl("notice show", examples: ["3", "3 --people waiting"])
            return try .show(
                fields("number", number, .argument("NUMBER", "argument.noticeNumber", refusal: "ctl.badNotice")),
                fields("people", people, .choice("people", "option.noticePeople", hasUsual: true)),
                after: fields.page("after", after))
        }
    }
}

/// Answers about announcements.
package enum AdminAnnouncementAnswer: AdminFamily {
    /// A page; `next` asks for the one after it, `nil` on the last.
    case list([Announcement], next: Int64?)
    case one(Announcement, people: [AdminAnnouncementReceiver], next: Int64?)

    static let all: [Self] = [.list(.sample, next: .sample), .one(.sample, people: .sample, next: .sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let announcements, let next):
            try .list(fields.named("notices").rows("notices", announcements), next: fields.next(next))
        case .one(let notice, let people, let next):
            try .one(
                fields.named("notice")("notice", notice), people: fields.rows("people", people), next: fields.next(next)
            )
        }
    }
}

/// An announcement to be sent.
package struct AdminNewAnnouncement: AdminRecord {
    /// One line, at most `AnnouncementBounds.titleScalars`; may be empty.
    package var title: String
    /// 1...`AnnouncementBounds.textBytes` bytes.
    package var text: String
    /// Teams whose members get it, at most `AnnouncementBounds.teams`; empty for every user.
    package var teams: [ChannelName]

    package init(title: String = "", text: String, teams: [ChannelName] = []) {
        self.title = title
        self.text = text
        self.teams = teams
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.title = try fields("title", \.title)
        self.text = try fields("text", \.text)
        self.teams = try fields("teams", \.teams)
    }
}

extension Announcement: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.init(
            number: try fields("number", \.number), title: try fields("title", \.title),
            body: try fields("text", \.body), sender: "", teams: try fields("teams", \.teams),
            createdAtMilliseconds: 0)
        self.sender = try fields("sender", \.sender)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.sentAtMilliseconds = try fields("sentAt", \.sentAtMilliseconds)
        self.receivers = try fields("receivers", \.receivers)
        self.confirmed = try fields("confirmed", \.confirmed)
    }
}

/// Receiver of an announcement.
package struct AdminAnnouncementReceiver: AdminRecord {
    /// Name of the receiver.
    package var name: UserName
    /// Time of the confirmation, UTC milliseconds; `nil` for none yet.
    package var confirmedAtMilliseconds: Int64?

    package init(name: UserName, confirmedAtMilliseconds: Int64? = nil) {
        self.name = name
        self.confirmedAtMilliseconds = confirmedAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.confirmedAtMilliseconds = try fields("confirmedAt", \.confirmedAtMilliseconds)
    }
}

extension AdminNewAnnouncement {
    /// Announcement as the audit log keeps it: with the length of the text in place of the text.
    fileprivate var withoutText: AdminNewAnnouncement {
        var notice = self
        notice.text = "(\(self.text.utf8.count) bytes)"
        return notice
    }

    /// Command that sends it; `nil` for a text that `ctl` takes for its standard input.
    fileprivate var command: [String]? {
        guard self.text != "-" else { return nil }
        return ctl(
            "notice send",
            [.word(self.text), .option("title", self.title.nonEmpty)] + self.teams.map { .option("team", $0.text) })
    }
}
