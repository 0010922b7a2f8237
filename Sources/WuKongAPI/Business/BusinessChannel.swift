import APIKit
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// A channel as a request names it.
struct BusinessChannel: Sendable {
    let id: String
    let type: WuKongChannelType
    let address: ConversationAddress

    /// - Parameter asker: in a person channel named by its stored id, `one@other`, the other one is meant.
    init(id: String, type: Int64, asker: UserName) throws(APIFailure) {
        let number = Int(clamping: type)
        var id = id
        if number == 1, let people = Translation.people(ofPersonChannel: id) {
            id = (people.first == asker ? people.second : people.first).text
        }
        guard let type = Translation.channelType(number),
            let address = Translation.address(channelID: id, type: number)
        else { throw .bad("channel_id \(id) of channel_type \(type) is no channel") }
        self.id = id
        self.type = type
        self.address = address
    }

    var typeNumber: Int { Int(self.type.rawValue) }
}

extension BusinessCall {
    /// The channel that the body names.
    func channel(_ fields: APIFields) throws(APIFailure) -> BusinessChannel {
        try BusinessChannel(
            id: try fields.text("channel_id"), type: try fields.integer("channel_type"), asker: self.person.name)
    }

    /// The channel that the path names.
    func pathChannel() throws(APIFailure) -> BusinessChannel {
        guard let type = Int64(try self.request.parameter("type")) else { throw .bad("the channel type is no number") }
        return try BusinessChannel(id: try self.request.parameter("id"), type: type, asker: self.person.name)
    }

    /// The channel that the query names.
    func queryChannel() throws(APIFailure) -> BusinessChannel {
        try BusinessChannel(
            id: try self.request.queryText("channel_id"),
            type: try self.request.queryInteger("channel_type", otherwise: 0), asker: self.person.name)
    }

    /// The group that the path names.
    func group() throws(APIFailure) -> BusinessChannel {
        try BusinessChannel(id: try self.request.parameter("group"), type: 2, asker: self.person.name)
    }
}

extension ReadTransaction {
    /// A conversation the person is in; `nil` when there is none, or none that they may know of.
    func conversation(_ channel: BusinessChannel, of user: UserID) throws(StoreError) -> Conversation? {
        guard let found = try self.conversations.one(channel.address, seenBy: user),
            try self.conversations.member(user, in: found.id) != nil
        else { return nil }
        return found
    }

    /// A conversation the person is in.
    ///
    /// - Throws: `refused(.noSuchConversation)`.
    func knownConversation(_ channel: BusinessChannel, of user: UserID) throws(StoreError) -> Conversation {
        guard let found = try self.conversation(channel, of: user) else { throw .refused(.noSuchConversation) }
        return found
    }

    /// Where a message of such a conversation is.
    ///
    /// - Throws: `refused`.
    func place(_ id: MessageID, _ channel: BusinessChannel, of user: UserID) throws(StoreError) -> MessagePlace {
        let conversation = try self.knownConversation(channel, of: user)
        guard let place = try self.messages.place(of: id, in: conversation.id) else { throw .refused(.noSuchMessage) }
        return place
    }
}

extension WriteTransaction {
    /// The conversation of a channel the person is in; a direct one is made when it is missing, for what they set about
    /// it before the first message.
    ///
    /// - Throws: `refused`.
    func ensureConversation(_ channel: BusinessChannel, of user: UserID) throws(StoreError) -> ConversationID {
        guard case .direct(let name) = channel.address else {
            return try self.reading.knownConversation(channel, of: user).id
        }
        guard let peer = try self.reading.people.user(named: name) else { throw .refused(.noSuchUser) }
        return try self.conversations.ensureDirect(user, peer.id)
    }
}

extension APIFields {
    /// The number of a message, which apps send as text because theirs are doubles.
    func messageID(_ name: String = "message_id") throws(APIFailure) -> MessageID {
        guard let number = try self.largeInteger(name), number > 0 else { throw .bad("\(name) is missing") }
        return MessageID(rawValue: number)
    }

    /// How many entries a page is to have.
    func limit(otherwise: Int64, most: Int64 = 1_000) throws(APIFailure) -> Int {
        let asked = try self.integer("limit")
        return Int(asked <= 0 ? otherwise : min(asked, most))
    }
}
