package import ChatModel
package import Localization
package import Store

/// Event in a chat room. Source of the list and the Chinese texts: NIMKit's chat room notifications.
package enum RoomEvent: String, Sendable, CaseIterable {
    case entered
    case left
    case removed
    case muted
    case temporarilyMuted
    case unmuted
    case blocked
    case unblocked
    case managerAdded
    case managerRemoved
    case noticeChanged
    case closed
    case allMuted
    case allUnmuted
    case unknown
}

/// The lines about a team or room that nobody said.
package struct TeamSystemMessage: Sendable {
    private let texts: Texts
    /// The reader, who is called 你 or you.
    private let reader: UserName?

    /// - Parameter reader: `nil` for one who is nobody in the team: an operator, an export.
    package init(_ texts: Texts, reader: UserName?) {
        self.texts = texts
        self.reader = reader
    }

    /// - Parameters:
    ///   - actor: who did it.
    ///   - targets: to whom; the first is named, the others are counted. An event that needs one and has none is
    ///     unknown.
    package func text(
        _ event: TeamEvent, actor: SystemMessagePerson, targets: [SystemMessagePerson] = [], team: TeamWord = .advanced
    ) -> String {
        guard let key = Self.key(event), !targets.isEmpty || !Self.needsTarget(event) else {
            return self.texts("tip.unknown")
        }
        let leads = event == .managerAdded || event == .managerRemoved
        return self.texts(
            "tip.team.\(key)",
            [
                "actor": self.word(actor, leads: true), "targets": self.word(targets, leads: leads),
                "team": self.texts("tip.word.\(team == .normal ? "normal" : "advanced")"),
            ])
    }

    /// - Parameter targets: whom it is about; who enters or leaves, too. An event that needs one and has none is
    ///   unknown.
    package func text(_ event: RoomEvent, targets: [SystemMessagePerson] = []) -> String {
        switch event {
        case .unknown: return self.texts("tip.unknown")
        case .noticeChanged, .closed, .allMuted, .allUnmuted: return self.texts("tip.room.\(event.rawValue)")
        case .muted where self.isReader(targets), .temporarilyMuted where self.isReader(targets):
            return self.texts("tip.room.\(event.rawValue).you")
        case .entered, .left, .removed, .muted, .temporarilyMuted, .unmuted, .blocked, .unblocked, .managerAdded,
            .managerRemoved:
            if targets.isEmpty { return self.texts("tip.unknown") }
            let values = ["targets": self.word(targets, leads: event != .entered)]
            return self.texts("tip.room.\(event.rawValue)", values)
        }
    }

    private static func key(_ event: TeamEvent) -> String? {
        guard case .updated(let fields) = event else { return event == .unknown ? nil : event.word }
        guard let first = fields.first else { return nil }
        return fields.count > 1 || first == .other ? "updated.several" : "updated.\(first.rawValue)"
    }

    private static func needsTarget(_ event: TeamEvent) -> Bool {
        switch event {
        case .invited, .removed, .applicationPassed, .invitationAccepted, .ownerChanged, .managerAdded, .managerRemoved,
            .muted, .unmuted:
            true
        case .left, .dismissed, .joined, .updated, .allMuted, .allUnmuted, .unknown: false
        }
    }

    private func isReader(_ people: [SystemMessagePerson]) -> Bool {
        self.reader != nil && people.count == 1 && people[0].user == self.reader
    }

    /// - Parameter leads: it stands where English begins a sentence.
    private func word(_ person: SystemMessagePerson, leads: Bool) -> String {
        if person.user == self.reader { return self.texts(leads ? "tip.you.leading" : "tip.you") }
        return shownName(person.name, self.texts)
    }

    private func word(_ people: [SystemMessagePerson], leads: Bool) -> String {
        guard let first = people.first else { return "" }
        let name = self.word(first, leads: leads)
        if people.count == 1 { return name }
        // The Chinese text counts all of them, the English one those who are not named.
        let count = self.texts.language == .english ? people.count - 1 : people.count
        return self.texts.counted("tip.people", Int64(count), ["name": name])
    }
}
