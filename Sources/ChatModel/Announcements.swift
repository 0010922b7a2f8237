/// Bounds of the operator's announcements to people.
package enum AnnouncementBounds {
    /// Unicode scalars.
    package static let titleScalars = 64
    /// Bytes.
    package static let textBytes = 8 * 1024
    /// Teams one announcement can be for.
    package static let teams = 100
    /// Announcements in one page.
    package static let page = 20
    /// People to whom it is sent in one step: one transaction of the writer, and so many messages to the broker.
    package static let peopleAtOnce = 200
}

/// An announcement of the operator to people.
package struct Announcement: Hashable, Sendable {
    /// Number of the announcement.
    package var number: Int64
    /// Empty for none.
    package var title: String
    /// Text of the announcement.
    package var body: String
    /// Name of the operator who sent it.
    package var sender: String
    /// Teams whose members receive it; empty for every person.
    package var teams: [ChannelName]
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// When the last of the people had it; `nil` while it is being sent.
    package var sentAtMilliseconds: Int64?
    /// How many people got it by now.
    package var receivers: Int64
    /// Number of people who confirmed it.
    package var confirmed: Int64

    package init(
        number: Int64, title: String, body: String, sender: String, teams: [ChannelName] = [],
        createdAtMilliseconds: Int64, sentAtMilliseconds: Int64? = nil, receivers: Int64 = 0, confirmed: Int64 = 0
    ) {
        self.number = number
        self.title = title
        self.body = body
        self.sender = sender
        self.teams = teams
        self.createdAtMilliseconds = createdAtMilliseconds
        self.sentAtMilliseconds = sentAtMilliseconds
        self.receivers = receivers
        self.confirmed = confirmed
    }
}

/// Somebody who got an announcement.
package struct AnnouncementReceiver: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Name of the person.
    package var name: UserName
    /// `nil` for who has not confirmed it.
    package var confirmedAtMilliseconds: Int64?

    package init(user: UserID, name: UserName, confirmedAtMilliseconds: Int64? = nil) {
        self.user = user
        self.name = name
        self.confirmedAtMilliseconds = confirmedAtMilliseconds
    }
}

/// The next people to whom an announcement is sent.
package struct AnnouncementStep: Hashable, Sendable {
    /// Announcement itself.
    package var notice: Announcement
    /// Not empty.
    package var people: [AnnouncementReceiver]

    package init(notice: Announcement, people: [AnnouncementReceiver]) {
        self.notice = notice
        self.people = people
    }
}

/// Subset of the receivers of an announcement.
package enum AnnouncementAudience: String, Sendable, CaseIterable {
    case all
    case confirmed
    case waiting
}
