package import ChatModel
import Store

/// A channel as a business server describes it.
package struct SourcedChannel: Hashable, Sendable {
    /// True when people may neither read nor write in the channel.
    package var isBanned = false
    /// True when the channel was disbanded.
    package var isDisbanded = false
    /// Members of the channel.
    package var subscribers: [UserName] = []
    /// People on the channel's deny list.
    package var denied: [UserName] = []
    /// People on the channel's allow list.
    package var allowed: [UserName] = []

    package init() {}
}

/// Why a datasource gave no answer.
package enum DatasourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It cannot be reached, or was not in time.
    case unreachable(String)
    /// It answered with something else than 200.
    case refused(status: Int)
    /// It answered with something that is not what was asked for.
    case badAnswer(command: String)
    /// Too many questions wait. Nothing was asked.
    case busy
    /// The answer cannot be stored.
    case store(String)

    package var description: String {
        switch self {
        case .unreachable(let reason): "the datasource gave no answer: \(reason)"
        case .refused(let status): "the datasource answered \(status)"
        case .badAnswer(let command): "the datasource answered \(command) with something that is no answer to it"
        case .busy: "too many questions to the datasource wait"
        case .store(let reason): "what the datasource answered cannot be stored: \(reason)"
        }
    }
}

extension WriteTransaction {
    /// Makes a channel as it was described, with its people, who are added when missing. One that has come into being
    /// meanwhile stays as it is.
    func importChannel(
        _ kind: ConversationKind, _ name: ChannelName, _ sourced: SourcedChannel
    ) throws(StoreError) -> ConversationID {
        if let known = try self.reading.conversations.one(.channel(kind, name), seenBy: .system) { return known.id }
        let made = try self.conversations.createChannel(
            kind, name, creator: .system, members: kind == .room ? [] : try self.people(sourced.subscribers))
        if !sourced.denied.isEmpty {
            try self.conversations.setList(.denied, of: made, to: try self.people(sourced.denied))
        }
        if !sourced.allowed.isEmpty {
            try self.conversations.setList(.allowed, of: made, to: try self.people(sourced.allowed))
        }
        var flags: ConversationFlags = []
        if sourced.isBanned { flags.insert(.banned) }
        if sourced.isDisbanded { flags.insert(.disbanded) }
        if !flags.isEmpty { try self.conversations.setFlags(flags, of: made) }
        return made
    }

    private func people(_ names: [UserName]) throws(StoreError) -> [UserID] {
        var people: [UserID] = []
        for name in names where name != systemUserName { people.append(try self.people.ensureUser(name).id) }
        return people
    }
}
