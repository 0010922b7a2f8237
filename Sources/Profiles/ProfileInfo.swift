package import ChatModel

/// The two sizes of a picture, as addresses; `nil` for one that is not there.
package struct Picture: Hashable, Sendable {
    /// Address of the full picture; `nil` without one.
    package var full: String?
    /// For lists.
    package var small: String?

    package init(full: String? = nil, small: String? = nil) {
        self.full = full
        self.small = small
    }
}

/// Profile of a person, as one asker sees it in one place.
package struct ProfileInfo: Hashable, Sendable {
    /// Name of the person, unique on the server.
    package var name: UserName
    /// Id in the other user system.
    package var externalID: String?
    /// Name that the person chose.
    package var displayName: String?
    /// Their name in the conversation that was asked for.
    package var teamName: String?
    /// Name that the asker gives the person.
    package var alias: String?
    /// Picture of the person.
    package var picture: Picture
    /// The text of a JSON object with everything else; `nil` for nothing.
    package var attributes: [UInt8]?
    /// Somebody by this name exists, here or in the other user system.
    package var isKnown: Bool
    /// May not sign in.
    package var isDisabled: Bool
    /// Number of the newest change in the user table; 0 before the first, and for who is not in it.
    package var change: Int64
    /// Not the last word: the answer is still on its way, or could not be had. Watchers are told when it comes.
    package var isPlaceholder: Bool

    package init(
        name: UserName, externalID: String? = nil, displayName: String? = nil, teamName: String? = nil,
        alias: String? = nil, picture: Picture = Picture(), attributes: [UInt8]? = nil, isKnown: Bool = true,
        isDisabled: Bool = false, change: Int64 = 0, isPlaceholder: Bool = false
    ) {
        self.name = name
        self.externalID = externalID
        self.displayName = displayName
        self.teamName = teamName
        self.alias = alias
        self.picture = picture
        self.attributes = attributes
        self.isKnown = isKnown
        self.isDisabled = isDisabled
        self.change = change
        self.isPlaceholder = isPlaceholder
    }

    /// Somebody of whom only the name is known so far.
    package static func placeholder(_ name: UserName) -> ProfileInfo {
        ProfileInfo(name: name, isKnown: false, isPlaceholder: true)
    }

    /// Name to show: the asker's own word first, then the name in the team, the chosen name, the id. Source: the order
    /// of NIMKit's `NIMKitInfo.showName`.
    package var shownName: String { self.alias ?? self.teamName ?? self.displayName ?? self.name.text }
}
