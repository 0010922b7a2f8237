/// Profile of a person, as others may see it.
package struct Profile: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Name of the person, unique on the server.
    package var name: UserName
    /// Name to show; `nil` for none.
    package var displayName: String?
    /// Where the picture is, as the app wrote it.
    package var avatar: String?
    /// The text of a JSON object with everything else an app keeps; `nil` for nothing.
    package var attributes: [UInt8]?
    /// An account of the server or its robots: it may write to everybody.
    package var isSystem: Bool
    /// True when the account is disabled.
    package var isDisabled: Bool
    /// When a device of theirs last signed in or was online, to the hour; UTC milliseconds, `nil` for never.
    package var lastSeenAtMilliseconds: Int64?
    /// Number of the profile's newest change; 0 before the first.
    package var change: Int64

    package init(
        user: UserID, name: UserName, displayName: String? = nil, avatar: String? = nil, attributes: [UInt8]? = nil,
        isSystem: Bool = false, isDisabled: Bool = false, lastSeenAtMilliseconds: Int64? = nil, change: Int64 = 0
    ) {
        self.user = user
        self.name = name
        self.displayName = displayName
        self.avatar = avatar
        self.attributes = attributes
        self.isSystem = isSystem
        self.isDisabled = isDisabled
        self.lastSeenAtMilliseconds = lastSeenAtMilliseconds
        self.change = change
    }
}

/// Changes of a profile; `nil` stays as it is.
package struct ProfilePatch: Hashable, Sendable {
    /// Empty removes it.
    package var displayName: String?
    /// Empty removes it. A new one alone takes the old one's small size away.
    package var avatar: String?
    /// The small size, for lists. Empty removes it.
    package var avatarSmall: String?
    /// A JSON merge patch (RFC 7396) of the attributes.
    package var attributes: [UInt8]?
    /// A JSON merge patch of the person's own settings, which nobody else sees.
    package var settings: [UInt8]?

    package init(
        displayName: String? = nil, avatar: String? = nil, avatarSmall: String? = nil, attributes: [UInt8]? = nil,
        settings: [UInt8]? = nil
    ) {
        self.displayName = displayName
        self.avatar = avatar
        self.avatarSmall = avatarSmall
        self.attributes = attributes
        self.settings = settings
    }
}

/// Somebody among a person's friends, or no longer among them.
package struct Friend: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Name of the person, unique on the server.
    package var name: UserName
    /// Name that the owner of the list gives the person.
    package var remark: String?
    /// True when removed from the list.
    package var isRemoved: Bool
    /// Store-wide number of the newest change: ask later for what is above the largest one seen.
    package var change: Int64
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(
        user: UserID, name: UserName, remark: String?, isRemoved: Bool, change: Int64, createdAtMilliseconds: Int64
    ) {
        self.user = user
        self.name = name
        self.remark = remark
        self.isRemoved = isRemoved
        self.change = change
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}

/// State of a friend request; the numbers are stored.
package enum FriendRequestState: Int64, Sendable, CaseIterable {
    case waiting = 0
    case accepted = 1
    case refused = 2
    /// The one who was asked took it off their list.
    case discarded = 3
}

/// Somebody asks somebody else to be friends. One for each pair and direction: asking again renews it.
package struct FriendRequest: Hashable, Sendable {
    /// Person who asks.
    package var asker: UserID
    /// Name of the person who asks.
    package var askerName: UserName
    /// Person who is asked.
    package var other: UserID
    /// Name of the person who is asked.
    package var otherName: UserName
    /// Words of the asker.
    package var text: String
    /// The key by which an app answers it; known to the one who was asked.
    package var token: String
    /// State of the request.
    package var state: FriendRequestState
    /// Change.
    package var change: Int64
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(
        asker: UserID, askerName: UserName, other: UserID, otherName: UserName, text: String, token: String,
        state: FriendRequestState, change: Int64, createdAtMilliseconds: Int64
    ) {
        self.asker = asker
        self.askerName = askerName
        self.other = other
        self.otherName = otherName
        self.text = text
        self.token = token
        self.state = state
        self.change = change
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}

/// The bounds of what people keep about themselves and each other.
package enum PeopleLimits {
    /// Friends of one person.
    package static let friends = 5_000
    /// Requests that wait for one person's answer, and that one person waits for.
    package static let waitingRequests = 500
    /// Bytes of a profile's attributes, and of the settings, as JSON text.
    package static let profileBytes = 16 * 1024
    /// Unicode scalars of a display name or a remark.
    package static let nameScalars = 100
    /// Unicode scalars of what is said with a friend request.
    package static let requestTextScalars = 500
    /// Bytes of an avatar's address.
    package static let avatarBytes = 1_024
    /// Bytes of what another user system calls somebody.
    package static let externalIDBytes = 256
}

/// Facts that decide whether somebody may ask to be friends.
package struct FriendRequestFacts: Sendable {
    /// True when both are the same person.
    package var isToSelf = false
    /// True when the other account is disabled.
    package var otherIsDisabled = false
    /// Either is an account of the server.
    package var concernsSystem = false
    /// True when both are friends already.
    package var areFriends = false
    /// The one who is asked has blocked the asker.
    package var askerIsBlocked = false
    /// Asked before and not answered: asking again takes no further place.
    package var isRenewal = false
    /// Requests of the asker that wait.
    package var askersWaiting = 0
    /// Requests to the other person that wait.
    package var othersWaiting = 0
    /// Friends of the asker.
    package var askersFriends = 0

    package init() {}
}

/// Why somebody may not ask to be friends; `nil` when they may.
package func friendRequestRefusal(_ facts: FriendRequestFacts) -> ActionRefusal? {
    if facts.otherIsDisabled { return .noSuchUser }
    let makesNoSense = facts.isToSelf || facts.concernsSystem || facts.areFriends
    if makesNoSense || facts.askerIsBlocked { return .notApplicable }
    if facts.askersFriends >= PeopleLimits.friends { return .tooMany(limit: PeopleLimits.friends) }
    let isFull = max(facts.askersWaiting, facts.othersWaiting) >= PeopleLimits.waitingRequests
    return isFull && !facts.isRenewal ? .tooMany(limit: PeopleLimits.waitingRequests) : nil
}

/// Why a request may not be accepted; `nil` when it may.
///
/// - Parameters:
///   - state: of the request; `nil` when there is none.
///   - friends: how many either of the two has, the larger number.
package func friendAcceptRefusal(state: FriendRequestState?, friends: Int) -> ActionRefusal? {
    guard state == .waiting else { return .alreadyGone }
    return friends >= PeopleLimits.friends ? .tooMany(limit: PeopleLimits.friends) : nil
}
