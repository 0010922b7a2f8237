import APIKit
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// A channel as a request names it.
struct ChannelReference: Hashable, Sendable {
    /// As it stands in the request.
    var id: String
    var type: WuKongChannelType
    /// As the asker sees it.
    var address: ConversationAddress
    /// The two people, when a person channel is named by the id under which WuKongIM stores it.
    var people: Pair?

    struct Pair: Hashable, Sendable {
        var first: UserName
        var second: UserName
    }

    /// - Throws: 400 when there can be no such channel.
    init(id: String, type: Int64) throws(APIFailure) {
        guard let type = Translation.channelType(Int(clamping: type)) else {
            throw .bad("channel_type \(type) is none: 1 (person) to 12")
        }
        self.id = id
        self.type = type
        if type == .person, let people = Translation.people(ofPersonChannel: id) {
            self.address = .direct(people.second)
            self.people = Pair(first: people.first, second: people.second)
        } else if let address = Translation.address(channelID: id, type: Int(type.rawValue)) {
            self.address = address
        } else {
            throw .bad("channel_id is none of its type: it must not be empty or hold @, # or &")
        }
    }

    var kind: ConversationKind { Translation.conversationKind(self.type) }

    /// The name of a channel that is no person.
    ///
    /// - Throws: 400 for a person channel.
    func channelName() throws(APIFailure) -> ChannelName {
        guard case .channel(_, let name) = self.address else { throw .bad("this cannot be done to a person channel") }
        return name
    }

    /// The person of a person channel; `nil` for another type.
    var person: UserName? {
        guard case .direct(let name) = self.address else { return nil }
        return name
    }

    /// The conversation as `asker` sees it; `nil` when there is none. A stored id names its people itself.
    func conversation(
        seenBy asker: UserID?, _ transaction: ReadTransaction
    ) throws(StoreError) -> Conversation? {
        if let people = self.people {
            guard let first = try transaction.people.user(named: people.first) else { return nil }
            return try transaction.conversations.one(self.address, seenBy: first.id)
        }
        return try transaction.conversations.one(self.address, seenBy: asker ?? .system)
    }
}

extension APIFields {
    /// `channel_id` and `channel_type`.
    func channel() throws(APIFailure) -> ChannelReference {
        try ChannelReference(id: try self.text("channel_id"), type: try self.integer("channel_type"))
    }
}

extension APIRequest {
    /// `channel_id` and `channel_type` of the query.
    func queryChannel() throws(APIFailure) -> ChannelReference {
        try ChannelReference(
            id: try self.queryText("channel_id"), type: try self.queryInteger("channel_type", otherwise: 0))
    }
}
