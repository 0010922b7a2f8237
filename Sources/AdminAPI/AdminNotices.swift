package import ChatModel

/// What an operator can ask about announcements to people.
package enum AdminNoticeRequest: Hashable, Sendable {
    case send(AdminNewNotice)
    /// The newest first; `next` of the answer is the `before` of the page after it.
    case list(before: Int64?)
    /// One of them with those who got it, by their number; `after` is the `next` of the page before.
    case show(Int64, NoticePeople, after: Int64?)
}

extension AdminNoticeRequest {
    var word: String {
        switch self {
        case .send: "notice.send"
        case .list: "notice.list"
        case .show: "notice.show"
        }
    }

    var isChange: Bool {
        switch self {
        case .send: true
        case .list, .show: false
        }
    }

    /// The team it is for, when it is one.
    var subject: String? {
        switch self {
        case .send(let notice): notice.teams.count == 1 ? notice.teams[0].text : nil
        case .list: nil
        case .show(let number, _, _): String(number)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .send(let notice): notice.write(to: &fields)
        case .list(let before): fields.number("before", before)
        case .show(let number, let people, let after):
            fields.number("number", number)
            fields.text("people", people.rawValue)
            fields.number("after", after)
        }
    }

    /// - Returns: `nil` for a word that is none of announcements.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "notice.send": self = .send(try AdminNewNotice(with))
        case "notice.list": self = .list(before: try with.optionalNumber("before"))
        case "notice.show":
            self = .show(
                try with.number("number"), try Word.value("people", with), after: try with.optionalNumber("after"))
        default: return nil
        }
    }
}

/// What the server answers about announcements.
package enum AdminNoticeAnswer: Hashable, Sendable {
    /// A page; `next` asks for the one after it, `nil` on the last.
    case list([AdminNotice], next: Int64?)
    case one(AdminNotice, people: [AdminNoticeReceiver], next: Int64?)
}

extension AdminNoticeAnswer {
    var word: String {
        switch self {
        case .list: "notices"
        case .one: "notice"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let notices, let next):
            fields.records("notices", notices)
            fields.number("next", next)
        case .one(let notice, let people, let next):
            fields.record("notice", notice)
            fields.records("people", people)
            fields.number("next", next)
        }
    }

    /// - Returns: `nil` for a word that is none of announcements.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "notices": self = .list(try with.records("notices"), next: try with.optionalNumber("next"))
        case "notice":
            self = .one(
                try with.record("notice"), people: try with.records("people"), next: try with.optionalNumber("next"))
        default: return nil
        }
    }
}

/// An announcement to be sent.
package struct AdminNewNotice: AdminRecord {
    /// One line, at most `NoticeBounds.titleScalars`; may be empty.
    package var title: String
    /// 1...`NoticeBounds.textBytes` bytes.
    package var text: String
    /// Whose members get it, at most `NoticeBounds.teams`; empty for every person.
    package var teams: [ChannelName]

    package init(title: String = "", text: String, teams: [ChannelName] = []) {
        self.title = title
        self.text = text
        self.teams = teams
    }

    func write(to fields: inout FieldWriter) {
        fields.text("title", self.title)
        fields.text("text", self.text)
        fields.texts("teams", self.teams.map(\.text))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.title = try fields.text("title")
        self.text = try fields.text("text")
        self.teams = try fields.channelNames("teams")
    }
}

/// An announcement.
package struct AdminNotice: AdminRecord {
    package var number: Int64
    package var title: String
    package var text: String
    /// Whose members get it; empty for every person.
    package var teams: [String]
    /// Which operator sent it.
    package var sender: String
    package var createdAtMilliseconds: Int64
    /// When the last of the people had it; `nil` while it is being sent.
    package var sentAtMilliseconds: Int64?
    /// How many people got it by now.
    package var receivers: Int64
    /// How many of them confirmed it.
    package var confirmed: Int64

    package init(
        number: Int64, title: String, text: String, teams: [String], sender: String, createdAtMilliseconds: Int64,
        sentAtMilliseconds: Int64?, receivers: Int64, confirmed: Int64
    ) {
        self.number = number
        self.title = title
        self.text = text
        self.teams = teams
        self.sender = sender
        self.createdAtMilliseconds = createdAtMilliseconds
        self.sentAtMilliseconds = sentAtMilliseconds
        self.receivers = receivers
        self.confirmed = confirmed
    }

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.text("title", self.title)
        fields.text("text", self.text)
        fields.texts("teams", self.teams)
        fields.text("sender", self.sender)
        fields.number("createdAt", self.createdAtMilliseconds)
        fields.number("sentAt", self.sentAtMilliseconds)
        fields.number("receivers", self.receivers)
        fields.number("confirmed", self.confirmed)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.number("number")
        self.title = try fields.text("title")
        self.text = try fields.text("text")
        self.teams = try fields.texts("teams")
        self.sender = try fields.text("sender")
        self.createdAtMilliseconds = try fields.number("createdAt")
        self.sentAtMilliseconds = try fields.optionalNumber("sentAt")
        self.receivers = try fields.number("receivers")
        self.confirmed = try fields.number("confirmed")
    }
}

/// Somebody who got an announcement.
package struct AdminNoticeReceiver: AdminRecord {
    package var name: UserName
    /// `nil` for who has not confirmed it.
    package var confirmedAtMilliseconds: Int64?

    package init(name: UserName, confirmedAtMilliseconds: Int64? = nil) {
        self.name = name
        self.confirmedAtMilliseconds = confirmedAtMilliseconds
    }

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.number("confirmedAt", self.confirmedAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.confirmedAtMilliseconds = try fields.optionalNumber("confirmedAt")
    }
}
