/// A property of a team.
package enum TeamField: String, Sendable, CaseIterable {
    case name
    case introduction
    case notice
    case joinMode
    case picture
    case inviteMode
    case inviteeMode
    case updateMode
    /// One that has no words of its own.
    case other
}

/// Change in a team. Source of the list: NIMKit, `teamNotificationFormatedMessage`.
package enum TeamEvent: Hashable, Sendable {
    case invited
    case removed
    case left
    case dismissed
    /// Without being asked by anybody.
    case joined
    case applicationPassed
    case invitationAccepted
    case ownerChanged
    case managerAdded
    case managerRemoved
    case muted
    case unmuted
    /// These properties, one or more.
    case updated([TeamField])
    case allMuted
    case allUnmuted
    case unknown
}

extension TeamEvent {
    /// The name of the event, for those who read it in a message; the properties of an update are told beside it.
    package var word: String {
        switch self {
        case .invited: "invited"
        case .removed: "removed"
        case .left: "left"
        case .dismissed: "dismissed"
        case .joined: "joined"
        case .applicationPassed: "applicationPassed"
        case .invitationAccepted: "invitationAccepted"
        case .ownerChanged: "ownerChanged"
        case .managerAdded: "managerAdded"
        case .managerRemoved: "managerRemoved"
        case .muted: "muted"
        case .unmuted: "unmuted"
        case .updated: "updated"
        case .allMuted: "allMuted"
        case .allUnmuted: "allUnmuted"
        case .unknown: "unknown"
        }
    }
}
