import APIKit
import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// Routes for a person's list of conversations, for clients without a business server.
enum Conversations {
    private static let maximumPage: Int64 = 500
    private static let usualPage: Int64 = 100
    /// Lines of one answer when no page is asked for. Source: WuKongIM v2.2.5, conversation.userMaxCount.
    private static let maximumLines: Int64 = 1000
    /// Most channels in one question, and most messages of one line.
    private static let maximumChannels = 500
    private static let maximumMessages: Int64 = 200
    private static let usualMessages: Int64 = 15

    /// Request of /conversation/sync.
    private struct Question: Sendable {
        var after: Int64
        var messageCount: Int
        var onlyUnread: Bool
        var excluded: Set<Int64>
        var known: [String: Int64]
        var limit: Int
        var offset: Int

        func isWanted(_ line: RecentConversation) -> Bool {
            if self.onlyUnread && line.badge == 0 { return false }
            return !self.excluded.contains(Int64(Translation.channelType(line.conversation.kind).rawValue))
        }
    }

    // MARK: Lists

    /// The lines that have changed since `version`, newest first, each with its newest messages.
    @Sendable static func sync(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        let question = try Self.question(fields)
        guard question.messageCount > 0 else { return reply(.json(.array([]))) }
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [ConversationAnswer] in
            guard let user = try transaction.people.user(named: name) else { return [] }
            var budget = ReadBounds.pageBytes
            var answers: [ConversationAnswer] = []
            for line in try Self.lines(of: user.id, question, transaction) {
                var answer = ConversationAnswer(line)
                try answer.addRecents(
                    after: question.known[answer.key] ?? 0, limit: question.messageCount, for: user.id, &budget,
                    transaction)
                answers.append(answer)
            }
            return answers
        } answer: { answers in
            .json { ConversationAnswer.write(answers, to: &$0) }
        }
    }

    private static func question(_ fields: APIFields) throws(APIFailure) -> Question {
        let page = try fields.integer("page")
        let size = try fields.integer("page_size")
        let isPaged = page > 0 || size > 0
        let limit = isPaged ? min(size > 0 ? size : Self.usualPage, Self.maximumPage) : Self.maximumLines
        guard page <= 1_000_000 else { throw .bad("page is too large") }
        return Question(
            after: ConversationVersion.change(ofVersion: try fields.largeInteger("version") ?? 0),
            messageCount: Int(max(0, min(try fields.integer("msg_count"), Self.maximumMessages))),
            onlyUnread: try fields.isOn("only_unread"),
            excluded: Set(try fields.integers("exclude_channel_types", most: 16)),
            known: Self.known(try fields.optionalText("last_msg_seqs") ?? ""), limit: Int(limit),
            offset: Int((max(1, page) - 1) * limit))
    }

    /// `channelId:type:seq|...`; what cannot be read is passed over, as the original does.
    private static func known(_ text: String) -> [String: Int64] {
        var known: [String: Int64] = [:]
        for entry in text.split(separator: "|") {
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count >= 3, let sequence = Int64(parts[parts.count - 1]) else { continue }
            known[parts.dropLast().joined(separator: ":")] = sequence
        }
        return known
    }

    /// The lines of one page. They are counted after filtering, so that pages are full.
    private static func lines(
        of user: UserID, _ question: Question, _ transaction: ReadTransaction
    ) throws(StoreError) -> [RecentConversation] {
        let readAtOnce = 1000
        var lines: [RecentConversation] = []
        var (skipped, offset) = (0, 0)
        while lines.count < question.limit {
            let page = try transaction.inbox.recent(of: user, since: question.after, limit: readAtOnce, offset: offset)
            for line in page where question.isWanted(line) {
                if skipped < question.offset {
                    skipped += 1
                } else if lines.count < question.limit {
                    lines.append(line)
                }
            }
            guard page.count == readAtOnce else { break }
            offset += readAtOnce
        }
        return lines
    }

    /// The lines of these channels.
    @Sendable static func syncByChannels(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        let asked = try fields.integer("msg_count", otherwise: Self.usualMessages)
        let limit = Int(max(0, min(asked, Self.maximumMessages)))
        let channels = try Self.channels(fields)
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [ConversationAnswer] in
            guard let user = try transaction.people.user(named: name) else { return [] }
            var budget = ReadBounds.pageBytes
            var answers: [ConversationAnswer] = []
            for channel in channels {
                guard let found = try channel.reference.conversation(seenBy: user.id, transaction),
                    let line = try transaction.inbox.recent(of: user.id, in: found.id)
                else { continue }
                var answer = ConversationAnswer(line)
                try answer.addRecents(after: 0, limit: limit, for: user.id, &budget, transaction)
                answers.append(answer)
            }
            return answers
        } answer: { answers in
            .json { ConversationAnswer.write(answers, to: &$0) }
        }
    }

    /// A channel in a list, with how far the client has it.
    private struct KnownChannel: Sendable {
        var reference: ChannelReference
        var lastSequence: Int64
    }

    private static func channels(_ fields: APIFields) throws(APIFailure) -> [KnownChannel] {
        var channels: [KnownChannel] = []
        for entry in try fields.objects("channels", most: Self.maximumChannels) {
            channels.append(
                KnownChannel(
                    reference: try entry.channel(), lastSequence: try entry.largeInteger("last_msg_seq") ?? 0))
        }
        return channels
    }

    /// Messages after what the client has of each channel: the oldest ones, or with `order_by_last` the newest ones. The
    /// answer has `ReadBounds.pageBytes` of bodies over all channels; beyond them each channel has one message.
    @Sendable static func syncMessages(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        let asked = try fields.integer("msg_count", otherwise: Self.usualMessages)
        let limit = Int(max(1, min(asked, Self.maximumMessages)))
        let newestFirst = try fields.isOn("order_by_last")
        let channels = try Self.channels(fields)
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [ChannelMessagesAnswer] in
            guard let user = try transaction.people.user(named: name) else { return [] }
            var answers: [ChannelMessagesAnswer] = []
            var room = PageRoom(bytes: ReadBounds.pageBytes)
            for channel in channels {
                guard let found = try channel.reference.conversation(seenBy: user.id, transaction),
                    let member = try transaction.conversations.member(user.id, in: found.id)
                else { continue }
                let range = MessageRange(
                    start: newestFirst ? 0 : channel.lastSequence + 1, end: newestFirst ? channel.lastSequence : 0,
                    goesUp: !newestFirst, limit: limit)
                let page = try range.read(found, transaction, as: .member(user.id), &room)
                let place = try MessageAnswer.Place(found, transaction)
                answers.append(
                    ChannelMessagesAnswer(
                        channel: channel.reference,
                        messages: page.messages.map { MessageAnswer($0, in: place, asker: user.id) },
                        ownLastSequence: member.ownLastSequence))
            }
            return answers
        } answer: { answers in
            .json { ChannelMessagesAnswer.write(answers, to: &$0) }
        }
    }

    /// The channels of a person, people by the id under which WuKongIM stores them.
    @Sendable static func channels(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let name = try request.fields().uid("uid")
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [JSONValue] in
            guard let user = try transaction.people.user(named: name) else { return [] }
            return try transaction.inbox.recent(of: user.id, includingHidden: true, limit: 1000).map { line in
                let id = line.peerName.map { Translation.personChannelID(name, $0) } ?? line.conversation.channel?.text
                return .object([
                    JSONValue.Member("channel_id", .string(id ?? "")),
                    JSONValue.Member(
                        "channel_type", .integer(Int64(Translation.channelType(line.conversation.kind).rawValue))),
                ])
            }
        } answer: { channels in
            .json(.array(channels))
        }
    }

    // MARK: Changes

    /// Nothing up to `message_seq` is unread any more; without it, nothing at all.
    @Sendable static func clearUnread(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let sequence = try fields.largeInteger("message_seq") ?? 0
        let (name, channel) = (try fields.uid("uid"), try fields.channel())
        services.mark(reply, by: .business) { transaction throws(StoreError) in
            guard let (user, id) = try Self.place(name, channel, transaction.reading) else { return }
            try transaction.inbox.clearUnread(user, in: id, upTo: sequence > 0 ? sequence : nil)
        } answer: { _ in
            .ok
        }
    }

    /// The number to show; unlike in the original it can also be raised, to as many as there are messages.
    @Sendable static func setUnread(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let count = try request.fields().integer("unread")
        try Self.change(request, services, reply) { transaction, user, id throws(StoreError) in
            try transaction.inbox.setUnread(user, in: id, to: count)
        }
    }

    /// Out of the list until there is a later message.
    @Sendable static func delete(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        try Self.change(request, services, reply) { transaction, user, id throws(StoreError) in
            try transaction.inbox.hideConversation(user, id)
        }
    }

    /// Changes a person's view of a channel. Two people who have never written to each other have nothing to change.
    private static func change(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply,
        _ body: @escaping @Sendable (WriteTransaction, UserID, ConversationID) throws(StoreError) -> Void
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        let channel = try fields.channel()
        services.write(reply, by: .business) { transaction throws(StoreError) in
            guard let (user, id) = try Self.place(name, channel, transaction.reading) else { return }
            try body(transaction, user, id)
        } answer: { _ in
            .ok
        }
    }

    /// A person and a conversation that they are in; `nil` for two people who have never written to each other.
    private static func place(
        _ name: UserName, _ channel: ChannelReference, _ reading: ReadTransaction
    ) throws(StoreError) -> (user: UserID, conversation: ConversationID)? {
        let user = try reading.existingUser(name)
        guard let found = try channel.conversation(seenBy: user, reading) else {
            if channel.person != nil { return nil }
            throw .notFound("the channel")
        }
        guard try reading.conversations.member(user, in: found.id) != nil else { throw .notFound("the channel") }
        return (user, found.id)
    }
}
