package import ChatModel

/// Part of the memory to look up anew.
package enum Invalidation: Hashable, Sendable {
    case person(UserName)
    /// Everybody in a conversation, and their names there.
    case members(ConversationID)
    /// Card of a conversation.
    case team(ConversationID)
    case all
}

/// Why something is shown otherwise.
package enum ProfileCause: String, Hashable, Sendable {
    /// It was written here.
    case write
    /// The other user system said so.
    case webhook
    /// Somebody asked for it: the operator, or a client for itself.
    case request
    /// An answer came that whoever asked before did not wait for, or one other than before.
    case answer
}

/// Somebody or something is shown otherwise, or is to be asked for anew.
package struct ProfileChange: Hashable, Sendable {
    /// Subject of a change.
    package enum Subject: Hashable, Sendable {
        case person(UserName)
        /// The name of one person in one conversation.
        case member(UserName, ConversationID)
        /// Members of a conversation.
        case members(ConversationID)
        case team(ConversationID)
        case all
    }

    /// Subject of the change.
    package var subject: Subject
    /// Fields that changed.
    package var fields: ProfileFields
    /// Cause of the change.
    package var cause: ProfileCause
    /// Nobody else may be told: it is this person's own word. `nil` for everybody.
    package var onlyFor: UserID?

    package init(_ subject: Subject, _ fields: ProfileFields, _ cause: ProfileCause, onlyFor: UserID? = nil) {
        self.subject = subject
        self.fields = fields
        self.cause = cause
        self.onlyFor = onlyFor
    }
}

/// Names a watcher, to change what it watches and to end it.
package struct WatchID: Hashable, Sendable {
    let number: UInt64
}

/// Changes that a watcher wants to hear of.
package struct WatchInterest: Sendable {
    /// `nil` for everybody.
    package var persons: Set<UserName>?
    /// `nil` for every conversation.
    package var teams: Set<ConversationID>?

    package init(persons: Set<UserName>?, teams: Set<ConversationID>?) {
        self.persons = persons
        self.teams = teams
    }

    /// Interest in every person and conversation.
    package static let everything = WatchInterest(persons: nil, teams: nil)
}
