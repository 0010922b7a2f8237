import APIKit
import Accounts
import ByteCodec
import ChatModel
import Search
import Store
import WuKongTranslation

/// Search in one channel and in all of a person's.
///
/// Source: TangSengDaoDao server, `modules/message` (search) and `modules/search` (global); TangSengDaoDao's apps.
enum SearchRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/message/search", Self.inChannel),
        Route("POST", "/v1/search/global", Self.everywhere),
    ]

    /// Results of a page at most, and of all pages that a client may ask for by their numbers.
    private static let foundMessages: Int64 = 100
    private static let pagedMessages: Int64 = 1_000
    /// Content types and friends that one search looks at.
    private static let contentTypes = 64
    private static let channels = 50

    // MARK: One channel

    /// The newest messages of a channel with a keyword, newest first, at most `foundMessages`. The header field
    /// `Search-Complete` is 1 when that was all; else it is 0, and `Search-Next` is the `before_message_seq` to go on with.
    @Sendable private static func inChannel(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let (terms, findsNothing) = try Self.terms(try fields.text("keyword"))
        let type = try fields.integer("content_type")
        let before = try fields.largeInteger("before_message_seq") ?? 0
        let (person, index) = (call.person, call.services.search)
        call.read(as: .long) { store throws(StoreError) in
            let conversation = try store.knownConversation(channel, of: person.user)
            var query = SearchQuery(terms)
            query.conversation = conversation.id
            query.cursor = before > 0 ? .sequence(before) : nil
            query.limit = Int(Self.foundMessages)
            query.accepts = Self.accepts(type == 0 ? [] : [type], person.name)
            let found = findsNothing ? nil : try index.search(query, in: store, as: .member(person.user))
            var messages: [Message] = []
            for hit in found?.hits ?? [] {
                // As it was sent: the row has the edit beside it.
                let message = try store.messages.one(
                    in: conversation.id, sequence: hit.message.sequence, as: .member(person.user))
                if let message { messages.append(message) }
            }
            let rows = try store.rows(
                messages, in: conversation.id, channelID: channel.id, channelType: channel.typeNumber,
                for: person.user, named: person.name)
            return (rows: rows, next: found?.next)
        } answer: { found in
            var answer = APIAnswer.json { writer in
                writer.beginArray()
                for row in found.rows { row.write(to: &writer) }
                writer.endArray()
            }
            answer.headers.append(("Search-Complete", found.next == nil ? "1" : "0"))
            if case .sequence(let next)? = found.next { answer.headers.append(("Search-Next", "\(next)")) }
            return answer
        }
    }

    /// The words of a keyword, and true when it has some and none of them can be found.
    private static func terms(_ keyword: String) throws(APIFailure) -> (SearchTerms, Bool) {
        do throws(SearchTermsError) {
            let terms = try SearchTerms(keyword)
            return (terms, terms.isEmpty && !keyword.isEmpty)
        } catch {
            switch error {
            case .tooLong: throw .bad("keyword has at most \(SearchTerms.maximumCharacters) characters")
            case .tooManyTerms: throw .bad("keyword has at most \(SearchTerms.maximumTerms) words")
            }
        }
    }

    /// Messages of some content types, without those that are meant for others by their payloads.
    private static func accepts(_ types: [Int64], _ asker: UserName) -> @Sendable (Message) -> Bool {
        { message in
            guard Visibility.shows(message, to: asker) else { return false }
            if types.isEmpty { return true }
            let content = Translation.shown(message.content)
            guard content.flags.contains(.bodyIsJSONObject), let payload = try? JSONValue(parsing: content.body),
                let type = payload["type"]?.integer
            else { return false }
            return types.contains(type)
        }
    }

    // MARK: All channels

    /// Friends and groups by their names, and messages of all channels. What was found is not marked in the texts: apps show
    /// them as they are.
    @Sendable private static func everywhere(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let keyword = try fields.optionalText("keyword") ?? ""
        let (terms, findsNothing) = try Self.terms(keyword)
        let types = try fields.integers("content_type", most: Self.contentTypes)
        let limit = min(max(1, try fields.integer("limit", otherwise: 20)), Self.foundMessages)
        let page = max(1, try fields.integer("page", otherwise: 1))
        guard page <= Self.pagedMessages / limit else {
            throw .bad("page and limit reach \(Self.pagedMessages) messages: narrow the search down")
        }
        let onlyMessages = try fields.integer("only_message") != 0
        let sender = try fields.optionalText("from_uid").flatMap { $0.isEmpty ? nil : $0 }
        let channelID = try fields.optionalText("channel_id") ?? ""
        let channel =
            channelID.isEmpty
            ? nil
            : try BusinessChannel(
                id: channelID, type: try fields.integer("channel_type"), asker: call.person.name)
        let start = max(0, try fields.largeInteger("start_time") ?? 0)
        let end = max(0, try fields.largeInteger("end_time") ?? 0)
        guard let times = Self.times(from: start, to: end) else {
            throw .bad("start_time must be before end_time, in seconds")
        }
        let (person, index) = (call.person, call.services.search)
        call.read(as: .long) { store throws(StoreError) in
            var found = GlobalFindings()
            if !onlyMessages, !keyword.isEmpty {
                found.friends = try store.friends(named: keyword, of: person.user, most: Self.channels)
                found.groups = try store.groups(named: keyword, of: person.user, most: Self.channels)
            }
            var query = SearchQuery(terms)
            query.times = times
            query.accepts = Self.accepts(types, person.name)
            if findsNothing || (terms.isEmpty && types.isEmpty && sender == nil) { return found }
            if let sender {
                guard
                    let user = try UserName(sender).flatMap({ name throws(StoreError) in
                        try store.people.user(named: name)
                    })
                else { return found }
                query.sender = user.id
            }
            if let channel { query.conversation = try store.knownConversation(channel, of: person.user).id }
            let wanted = Int(page * limit)
            var hits: [SearchHit] = []
            repeat {
                query.limit = min(Int(Self.foundMessages), wanted - hits.count)
                let next = try index.search(query, in: store, as: .member(person.user))
                hits += next.hits
                query.cursor = next.next
            } while query.cursor != nil && hits.count < wanted && !store.isOverTime
            found.messages = try store.rows(of: Array(hits.dropFirst(Int((page - 1) * limit))), for: person)
            return found
        } answer: { found in
            .json { found.write(to: &$0) }
        }
    }

    /// UTC milliseconds of seconds, the end not included; 0 for no bound. `nil` when nothing lies between.
    private static func times(from start: Int64, to end: Int64) -> ClosedRange<Int64>? {
        let seconds: Int64 = 100_000_000_000
        let first = min(start, seconds) * 1_000
        let last = end == 0 ? Int64.max : min(end, seconds) * 1_000 - 1
        return first <= last ? first...last : nil
    }
}

/// A channel that was found, or in which something was.
private struct FoundChannel: Sendable {
    var id: String
    var type: Int
    var name: String
    var remark: String

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("channel_id")
        writer.string(self.id)
        writer.key("channel_type")
        writer.integer(Int64(self.type))
        writer.key("channel_name")
        writer.string(self.name)
        writer.key("channel_remark")
        writer.string(self.remark)
        writer.endObject()
    }
}

/// A message that was found, with its channel and its sender.
private struct FoundMessage: Sendable {
    var message: Message
    var channel: FoundChannel
    var sender: FoundChannel

    func write(to writer: inout JSONWriter) {
        let content = Translation.shown(self.message.content)
        writer.beginObject()
        MessageMembers(self.message, channelID: self.channel.id, channelType: Int64(self.channel.type))
            .write(to: &writer)
        writer.key("payload")
        writer.raw(content.flags.contains(.bodyIsJSONObject) ? content.body : Translation.payload(of: content))
        writer.key("is_deleted")
        writer.integer(0)
        writer.key("channel")
        self.channel.write(to: &writer)
        writer.key("from_channel")
        self.sender.write(to: &writer)
        writer.endObject()
    }
}

/// The answer to a search over everything.
private struct GlobalFindings: Sendable {
    var friends: [FoundChannel] = []
    var groups: [FoundChannel] = []
    var messages: [FoundMessage] = []

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("friends")
        writer.beginArray()
        for friend in self.friends { friend.write(to: &writer) }
        writer.endArray()
        writer.key("groups")
        writer.beginArray()
        for group in self.groups { group.write(to: &writer) }
        writer.endArray()
        writer.key("messages")
        writer.beginArray()
        for message in self.messages { message.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

extension ReadTransaction {
    /// A person as a channel of somebody's.
    fileprivate func channel(of other: UserID, for user: UserID) throws(StoreError) -> FoundChannel? {
        guard let person = try self.people.user(other) else { return nil }
        let friend = try self.friends.one(other, of: user)
        return FoundChannel(
            id: person.name.text, type: Translation.number(of: .direct), name: person.displayName ?? person.name.text,
            remark: friend.flatMap { $0.isRemoved ? nil : $0.remark } ?? "")
    }

    fileprivate func friends(
        named keyword: String, of user: UserID, most limit: Int
    ) throws(StoreError) -> [FoundChannel] {
        let words = FoldedText(keyword)
        var found: [FoundChannel] = []
        for id in try self.friends.ids(of: user) where found.count < limit {
            guard let friend = try self.channel(of: id, for: user) else { continue }
            if [friend.name, friend.remark, friend.id].contains(where: { words.isPart(of: $0) }) {
                found.append(friend)
            }
        }
        return found
    }

    fileprivate func groups(
        named keyword: String, of user: UserID, most limit: Int
    ) throws(StoreError) -> [FoundChannel] {
        let words = FoldedText(keyword)
        var found: [FoundChannel] = []
        for line in try self.conversations.page(of: user) where line.conversation.kind == .group && found.count < limit
        {
            let group = try self.channel(of: line.conversation, peer: nil, for: user)
            if [group.name, group.remark].contains(where: { words.isPart(of: $0) }) { found.append(group) }
        }
        return found
    }

    fileprivate func channel(
        of conversation: Conversation, peer: UserName?, for user: UserID
    ) throws(StoreError) -> FoundChannel {
        if let peer, let other = try self.people.user(named: peer),
            let found = try self.channel(of: other.id, for: user)
        {
            return found
        }
        let id = conversation.channel?.text ?? peer?.text ?? ""
        return FoundChannel(
            id: id, type: Translation.number(of: conversation.kind), name: conversation.title ?? id,
            remark: try self.inbox.preference(of: user, in: conversation.id).remark ?? "")
    }

    /// Makes the rows of the answer: the messages found, with the channels as the asker knows them.
    fileprivate func rows(of hits: [SearchHit], for person: Identity) throws(StoreError) -> [FoundMessage] {
        if hits.isEmpty { return [] }
        let peers = Dictionary(
            try self.conversations.page(of: person.user).map { ($0.conversation.id, $0.peerName) }
        ) { first, _ in first }
        var channels: [ConversationID: FoundChannel] = [:]
        var people: [UserID: FoundChannel] = [:]
        var rows: [FoundMessage] = []
        for hit in hits {
            let message = hit.message
            if channels[message.conversation] == nil,
                let conversation = try self.conversations.one(message.conversation)
            {
                channels[message.conversation] = try self.channel(
                    of: conversation, peer: peers[message.conversation] ?? nil, for: person.user)
            }
            if people[message.sender] == nil {
                people[message.sender] = try self.channel(of: message.sender, for: person.user)
            }
            guard let channel = channels[message.conversation], let sender = people[message.sender] else { continue }
            rows.append(FoundMessage(message: message, channel: channel, sender: sender))
        }
        return rows
    }
}

extension FoldedText {
    /// True when this is in a name, wherever it stands.
    fileprivate func isPart(of name: String) -> Bool {
        guard !self.isEmpty else { return false }
        return FoldedText(name).bytes.contains(run: self.bytes.dropFirst().dropLast())
    }
}

extension Translation {
    fileprivate static func number(of kind: ConversationKind) -> Int { Int(Self.channelType(kind).rawValue) }
}
