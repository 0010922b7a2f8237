import ChatModel

/// The hot path: checks a message in memory, gives it its place, and writes it inside the open transaction.
///
/// Everything the domain can refuse is found before SQL is used, so a statement that fails means trouble with disk or
/// database, never with the request. Confined to the writer's thread.
final class Appender {
    /// Most bytes of a body the store takes, whatever the gateways allow.
    static let maximumBodyBytes = 1024 * 1024

    struct Counts {
        var appended: Int64 = 0
        var duplicates: Int64 = 0
        var refused: Int64 = 0
        var transient: Int64 = 0
    }

    private let connection: Connection
    private let memory: WriterMemory
    private let insertMessage: Statement
    /// `nil` when nobody outside wants to hear of messages.
    private let insertHook: Statement?
    private let tokens: TokenIndex
    private let readableCharacters: @Sendable (MessageContent) -> Int
    private let contentKinds: @Sendable (MessageContent) -> Set<ContentKind>
    private let completed: @Sendable (MessageContent, MessageKindEntry, ConversationKind) -> [UInt8]?
    /// Conversations whose head is ahead of the database.
    private var ahead: [ConversationState] = []
    var sequencer: Sequencer
    /// Since the last time they were taken.
    var counts = Counts()

    /// - Parameters:
    ///   - queuesHooks: each message is also put into the queue of events for receivers outside.
    ///   - readableCharacters: how many characters people read of a message.
    ///   - contentKinds: kinds of content in a message.
    ///   - completed: a body with what the server has to say in it.
    init(
        _ connection: Connection, _ memory: WriterMemory, _ tokens: TokenIndex, _ sequencer: Sequencer,
        queuesHooks: Bool, readableCharacters: @escaping @Sendable (MessageContent) -> Int,
        contentKinds: @escaping @Sendable (MessageContent) -> Set<ContentKind>,
        completed: @escaping @Sendable (MessageContent, MessageKindEntry, ConversationKind) -> [UInt8]?
    ) throws(StoreError) {
        self.connection = connection
        self.memory = memory
        self.tokens = tokens
        self.readableCharacters = readableCharacters
        self.contentKinds = contentKinds
        self.completed = completed
        self.sequencer = sequencer
        self.insertMessage = try connection.statement(
            """
            INSERT INTO message (conversation_id, sequence, id, sender_id, sent_at, kind, flags, countable, wire, expire,
                client_token, topic, body, body_hash, envelope, sent_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        self.insertHook =
            queuesHooks
            ? try connection.statement(Self.insertHookSQL) : nil
    }

    private static let insertHookSQL = SQL(
        """
        INSERT INTO hook_queue (event, conversation_id, message_sequence, created_at)
        VALUES (\(HookEventNumber.message), ?, ?, ?)
        """)

    /// Where a message goes, found in memory.
    private struct Target {
        let sender: UserState
        /// `nil` for a conversation that its first message makes.
        let conversation: ConversationState?
        /// How to make it, when it is to be made.
        let seed: ConversationSeed?
        /// The other one of a direct conversation.
        let peer: UserState?
    }

    private enum Resolved {
        case target(Target)
        case refusal(PublishRefusal)
    }

    /// Takes or refuses one message.
    ///
    /// - Parameters:
    ///   - wall: UTC milliseconds, the same for the whole batch.
    ///   - canWrite: false while the disk is full.
    ///   - begin: opens the transaction when none is open.
    func append(
        _ request: Append, at wall: Int64, canWrite: Bool, begin: () throws(StoreError) -> Void
    ) throws(StoreError) -> AppendResult {
        guard request.content.body.count <= Self.maximumBodyBytes else { return self.refuse(.bodyTooLarge) }
        let target: Target
        switch try self.resolve(request, at: wall) {
        case .refusal(let refusal): return self.refuse(refusal)
        case .target(let found): target = found
        }
        let refusal = ChatModel.publishRefusal(try self.facts(request, target, at: wall)) ?? request.screening?.refusal
        if let refusal { return try self.firstAnswer(to: request, target) ?? self.refuse(refusal) }
        if request.content.flags.contains(.transient) { return try self.pass(request, target, at: wall) }
        guard canWrite else { return .failed(.full) }
        try begin()
        return try self.store(request, target, at: wall)
    }

    private func refuse(_ refusal: PublishRefusal) -> AppendResult {
        self.counts.refused += 1
        return .refused(refusal)
    }

    // MARK: Finding and checking

    private func resolve(_ request: Append, at wall: Int64) throws(StoreError) -> Resolved {
        guard let sender = try self.memory.user(request.sender), !sender.isDeleted else {
            return .refusal(.noSuchUser)
        }
        switch request.address {
        case .direct(let name):
            guard let peer = try self.memory.user(named: name), !peer.isDeleted else { return .refusal(.noSuchUser) }
            let pair = DirectPair(sender.id, peer.id)
            let conversation = try self.memory.conversation(pair)
            let seed = conversation == nil ? ConversationSeed.direct(pair) : nil
            return .target(Target(sender: sender, conversation: conversation, seed: seed, peer: peer))
        case .channel(let kind, let name):
            let key = ChannelKey(kind: kind, name: name)
            if let found = try self.memory.conversation(key) { return try self.resolved(sender, found, at: wall) }
            guard let seed = try self.memory.seed(of: key, by: sender, request.authority) else {
                return .refusal(.noSuchConversation)
            }
            return .target(Target(sender: sender, conversation: nil, seed: seed, peer: nil))
        case .id(let id):
            return try self.resolved(sender, try self.memory.conversation(id), at: wall)
        case .object(let object):
            return try self.resolved(sender, try self.memory.conversation(object), at: wall)
        }
    }

    private func resolved(
        _ sender: UserState, _ found: ConversationState?, at wall: Int64
    ) throws(StoreError) -> Resolved {
        guard let found, !found.isOver(at: wall) else { return .refusal(.noSuchConversation) }
        guard let pair = found.pair else {
            return .target(Target(sender: sender, conversation: found, seed: nil, peer: nil))
        }
        // A direct conversation is its two people's own: to anyone else it does not exist.
        guard let other = pair.other(than: sender.id), let peer = try self.memory.user(other) else {
            return .refusal(.noSuchConversation)
        }
        guard !peer.isDeleted else { return .refusal(.noSuchUser) }
        return .target(Target(sender: sender, conversation: found, seed: nil, peer: peer))
    }

    private func facts(
        _ request: Append, _ target: Target, at wall: Int64
    ) throws(StoreError) -> PublishFacts {
        let sender = target.sender
        let conversation = target.conversation
        var facts = PublishFacts(
            authority: request.authority, kind: conversation?.kind ?? target.seed?.kind ?? .direct,
            flags: conversation?.flags ?? [])
        facts.senderIsDisabled = sender.isDisabled
        facts.senderIsSendBanned = sender.isSendBanned
        facts.senderIsSystem = sender.isSystem
        facts.isCommand = request.content.isCommand
        var role: MemberRole?
        if let peer = target.peer {
            facts.senderIsMember = true
            facts.receiverIsSystem = peer.isSystem
            facts.senderIsBlocked = peer.blocked.contains(sender.id)
            facts.allowlistIsInForce = peer.isAllowlistOnly && peer !== sender
            facts.senderIsAllowlisted = peer.allowed.contains(sender.id)
        } else if let conversation {
            let home = try self.memory.home(of: conversation)
            role = home.roles[sender.id]
            // Source: LeanCloud realtime, who sends into a chat room need not be in it; anybody writes to a service.
            facts.senderIsMember =
                switch conversation.kind {
                case .room: request.content.wire == .leanCloud || conversation.listeners.contains(sender.id)
                case .service:
                    role != nil || !conversation.flags.contains(.disbanded) && Self.isForTheApp(request, target)
                case .direct, .group, .temporary, .customerService, .community, .communityTopic, .data, .visitors,
                    .agent, .agentGroup:
                    role != nil
                }
            facts.senderIsManager = role == .manager || role == .owner
            facts.senderIsMuted = home.mutedUntil[sender.id, default: 0] > wall
            facts.senderIsBlocked = conversation.denied.contains(sender.id)
            facts.allowlistIsInForce = !conversation.allowed.isEmpty
            facts.senderIsAllowlisted = conversation.allowed.contains(sender.id)
        } else if let seed = target.seed {
            facts.senderIsMember = seed.people.contains(sender.id)
        }
        try self.applySettings(to: &facts, request.content, role ?? .member, in: conversation?.id)
        return facts
    }

    /// Applies the operator's settings of conversations; looks at nothing while nothing is set.
    private func applySettings(
        to facts: inout PublishFacts, _ content: MessageContent, _ role: MemberRole, in id: ConversationID?
    ) throws(StoreError) {
        let settings = try self.memory.sessionSettings(in: id)
        guard settings.bindsSenders, facts.authority == .user, !facts.senderIsSystem else { return }
        facts.inputIsDisabled = settings.isReadOnly(facts.kind, role)
        if let allowed = settings.allowedKinds(facts.kind, role) {
            facts.contentIsNotAllowed = !self.contentKinds(content).isSubset(of: allowed)
        }
        guard let most = settings.maximumCharacters(facts.kind, role) else { return }
        facts.textIsTooLong = isLonger(content, than: most, count: self.readableCharacters)
    }

    /// Why a person could not send a message to a conversation now; `nil` when they could.
    func publishRefusal(
        for user: UserID, in id: ConversationID, at wall: Int64
    ) throws(StoreError) -> PublishRefusal? {
        let content = MessageContent(kind: .none, flags: [], wire: .native, body: [])
        let request = Append(
            sender: user, authority: .user, address: .id(id), clientToken: nil, content: content, ticket: 0)
        switch try self.resolve(request, at: wall) {
        case .refusal(let refusal): return refusal
        case .target(let target):
            var facts = try self.facts(request, target, at: wall)
            // No message is asked about, but any.
            facts.contentIsNotAllowed = false
            return ChatModel.publishRefusal(facts)
        }
    }

    // MARK: Taking

    /// A transient message: id and time, no place, no trace.
    private func pass(_ request: Append, _ target: Target, at wall: Int64) throws(StoreError) -> AppendResult {
        self.counts.transient += 1
        let content = try self.marked(request, target)
        let message = Message(
            conversation: target.conversation?.id ?? ConversationID(rawValue: 0), sequence: 0,
            id: self.sequencer.nextID(at: wall), sender: target.sender.id, senderName: target.sender.name,
            sentAtMilliseconds: wall, clientToken: request.clientToken, content: content)
        return .accepted(try self.accepted(message, target, target.conversation, isDuplicate: false))
    }

    private func store(_ request: Append, _ target: Target, at wall: Int64) throws(StoreError) -> AppendResult {
        let mentions = request.content.namesFiles ? FileMention.scan(request.content.body) : []
        guard !mentions.isEmpty else { return try self.store(request, target, naming: [], at: wall) }
        let actor = Actor(request.sender, authority: request.authority)
        switch try FileReferences(connection: self.connection).find(mentions, by: actor) {
        case .refusal(let refusal): return try self.firstAnswer(to: request, target) ?? self.refuse(refusal)
        case .named(let files): return try self.store(request, target, naming: files, at: wall)
        }
    }

    /// - Parameter files: what the body names.
    private func store(
        _ request: Append, _ target: Target, naming files: [FileReferences.Named], at wall: Int64
    ) throws(StoreError) -> AppendResult {
        let conversation = try self.conversation(of: target, at: wall)
        let sequence = conversation.head + 1
        if conversation.activeAt > wall + Connection.tolerableMilliseconds, self.memory.clock.agrees {
            try self.flush()
            conversation.activeAt = try self.connection.putTimesRight(
                in: conversation.id, head: conversation.head, activeAt: conversation.activeAt, at: wall)
        }
        let sentAt = max(wall, conversation.activeAt)
        let sentHash = request.sentHash
        if let answer = try self.earlierAnswer(to: request, target, conversation, sentHash) { return answer }
        var content = try self.marked(request, target)
        // A stored body may be another one than what was sent: words were masked, a hook or a kind has changed it.
        let isAsSent = request.screening == nil && content.body == request.content.body
        let bodyHash = isAsSent ? sentHash : XXHash.of(content.body)
        let verdicts = self.memory.views.withLock { $0.filter }.verdicts(on: content, from: target.sender.id)
        if verdicts?.isDroppedForAll == true { content.flags.remove(.countsAsUnread) }
        let counts = content.flags.intersection([.countsAsUnread, .restricted]) == .countsAsUnread
        let countable = conversation.headCountable + (counts ? 1 : 0)
        let message = Message(
            conversation: conversation.id, sequence: sequence, id: self.sequencer.nextID(at: wall),
            sender: target.sender.id, senderName: target.sender.name, sentAtMilliseconds: sentAt,
            clientToken: request.clientToken, content: content)
        try self.insert(
            message, countable: countable, bodyHash: bodyHash, sentHash: bodyHash == sentHash ? nil : sentHash)
        try self.queueHook(message, at: wall)
        if !files.isEmpty {
            let place = MessagePlace(conversation.id, sequence)
            try FileReferences(connection: self.connection).add(files, to: place, at: wall)
        }
        conversation.head = sequence
        conversation.headCountable = countable
        conversation.activeAt = sentAt
        if conversation.roles[target.sender.id] != nil {
            conversation.own[target.sender.id, default: OwnMessages()].add(sequence, countable, counts: counts)
        }
        if !conversation.isAhead {
            conversation.isAhead = true
            self.ahead.append(conversation)
        }
        self.counts.appended += 1
        // Its sender is told of the change at this time: what is changed from now on has a later one.
        if content.flags.contains(.masked) { _ = self.sequencer.moment(at: sentAt) }
        var accepted = try self.accepted(message, target, conversation, isDuplicate: false)
        if message.content.flags.contains(.countsAsUnread) {
            if let audience = accepted.audience { try self.count(message, for: audience, in: conversation) }
            if let verdicts { try self.withhold(message, by: verdicts, in: conversation) }
        }
        if !message.content.mentions.isEmpty {
            accepted.reminded = try self.remind(of: message, for: accepted.audience, conversation)
        }
        return .accepted(accepted)
    }

    // MARK: For some only

    /// The content with what only the server may say of it.
    private func marked(_ request: Append, _ target: Target) throws(StoreError) -> MessageContent {
        var content = request.content
        content.flags.subtract(.ofTheServer)
        if Self.isForTheApp(request, target) {
            content.envelope = (content.envelope ?? MessageEnvelope()).visible(to: [target.sender.name])
        }
        let kind = target.conversation?.kind ?? target.seed?.kind ?? .direct
        if kind != .direct, content.envelope?.visibleTo != nil { content.flags.insert(.restricted) }
        // Only an app's own kinds have numbers above 0, and few of them are registered.
        if content.kind.rawValue > 0, let entry = try self.memory.messageKinds()[content.kind],
            let body = self.completed(content, entry, kind)
        {
            content.body = body
        }
        return content
    }

    /// True for a person's message into a LeanCloud app's service: it is for the app's own server, which hears of it as
    /// of every message; no listener of the service sees it. The service's name tells if it is of such an app.
    ///
    /// Source: LeanCloud realtime, system conversations.
    private static func isForTheApp(_ request: Append, _ target: Target) -> Bool {
        guard request.authority == .user, !target.sender.isSystem, let conversation = target.conversation,
            conversation.kind == .service
        else { return false }
        return request.content.wire == .leanCloud || conversation.channel?.text == conversation.objectID.text
    }

    /// The heads leave out what is for some only: it counts for each of them who is a member.
    private func count(
        _ message: Message, for audience: Set<UserID>, in conversation: ConversationState
    ) throws(StoreError) {
        for user in audience.sorted() where user != message.sender && conversation.roles[user] != nil {
            try self.connection.run(
                "INSERT INTO shown_count (user_id, conversation_id, sequence) VALUES (?, ?, ?)", user,
                conversation.id, message.sequence)
        }
    }

    /// Excludes the message from the counts of people for whom the operator's rules hide it.
    private func withhold(
        _ message: Message, by verdicts: FilterVerdicts, in conversation: ConversationState
    ) throws(StoreError) {
        let isForMost = verdicts.everybody?.action == .drop
        let concerned = isForMost ? conversation.roles.keys.sorted() : verdicts.people.keys.sorted()
        for user in concerned where conversation.roles[user] != nil && verdicts.rule(for: user)?.action == .drop {
            guard try self.isFor(user, message) else { continue }
            try self.connection.run(
                "INSERT INTO hidden_count (user_id, conversation_id, sequence) VALUES (?, ?, ?)", user,
                conversation.id, message.sequence)
        }
    }

    private func isFor(_ user: UserID, _ message: Message) throws(StoreError) -> Bool {
        guard message.isRestricted else { return true }
        guard let state = try self.memory.user(user) else { return false }
        return message.isFor(state.name)
    }

    private func audience(of message: Message) throws(StoreError) -> Set<UserID>? {
        guard message.isRestricted else { return nil }
        var audience: Set<UserID> = [message.sender]
        for name in message.content.envelope?.visibleTo ?? [] {
            if let user = try self.memory.user(named: name) { audience.insert(user.id) }
        }
        return audience
    }

    /// Makes a reminder for every member the message calls by name, but its sender. Of more names than the conversation
    /// has members the rest is not looked at.
    private func remind(
        of message: Message, for audience: Set<UserID>?, _ conversation: ConversationState
    ) throws(StoreError) -> [UserID] {
        let mentions = message.content.mentions
        let members = try self.memory.home(of: conversation).roles
        var called = mentions.all ? members.keys.sorted() : []
        if !mentions.all {
            for name in mentions.users.prefix(members.count) {
                guard let user = try self.memory.user(named: name), members[user.id] != nil else { continue }
                called.append(user.id)
            }
        }
        var seen: Set<UserID> = [message.sender]
        called.removeAll { !seen.insert($0).inserted || audience?.contains($0) == false }
        let reminder = NewReminder(
            in: conversation.id, sequence: message.sequence, kind: .mention, text: "", locates: true)
        for user in called {
            try self.connection.insert(
                reminder, for: user, publisher: message.sender, change: self.sequencer.nextChange(),
                at: message.sentAtMilliseconds)
        }
        return called
    }

    private func conversation(of target: Target, at wall: Int64) throws(StoreError) -> ConversationState {
        if let conversation = target.conversation { return conversation }
        guard let seed = target.seed else { throw .notFound("the conversation") }
        return try self.connection.create(
            seed, creator: target.sender.id, at: wall, change: self.sequencer.nextChange(), memory: self.memory)
    }

    /// - Parameter sentHash: of the body that the sender sent; `nil` when it is the stored one.
    private func insert(
        _ message: Message, countable: Int64, bodyHash: Int64, sentHash: Int64?
    ) throws(StoreError) {
        let statement = self.insertMessage
        let content = message.content
        statement.bind(1, message.conversation.rawValue)
        statement.bind(2, message.sequence)
        statement.bind(3, message.id.rawValue)
        statement.bind(4, message.sender.rawValue)
        statement.bind(5, message.sentAtMilliseconds)
        statement.bind(6, Int64(content.kind.rawValue))
        statement.bind(7, content.flags.rawValue)
        statement.bind(8, countable)
        statement.bind(9, content.wire.rawValue)
        statement.bind(10, Int64(content.expireSeconds))
        if let token = message.clientToken { statement.bind(11, token.bytes) } else { statement.bindNull(11) }
        if let topic = content.topic { statement.bind(12, topic) } else { statement.bindNull(12) }
        statement.bind(13, content.body)
        statement.bind(14, bodyHash)
        if let envelope = content.envelope { statement.bind(15, envelope.stored) } else { statement.bindNull(15) }
        if let sentHash { statement.bind(16, sentHash) } else { statement.bindNull(16) }
        try statement.run()
        self.tokens.add(message)
    }

    private func queueHook(_ message: Message, at wall: Int64) throws(StoreError) {
        guard let statement = self.insertHook else { return }
        statement.bind(1, message.conversation.rawValue)
        statement.bind(2, message.sequence)
        statement.bind(3, wall)
        try statement.run()
    }

    private func accepted(
        _ message: Message, _ target: Target, _ conversation: ConversationState?, isDuplicate: Bool
    ) throws(StoreError) -> Accepted {
        guard let conversation else {
            return Accepted(
                message: message, kind: target.seed?.kind ?? .direct, channel: target.seed?.channel, objectID: .zero,
                members: target.seed?.people ?? [], peerName: target.peer?.name, isDuplicate: isDuplicate)
        }
        var accepted = Accepted(
            message: message, kind: conversation.kind, channel: conversation.channel, objectID: conversation.objectID,
            members: try self.memory.receivers(of: conversation), peerName: target.peer?.name, isDuplicate: isDuplicate)
        if !isDuplicate { accepted.audience = try self.audience(of: message) }
        return accepted
    }

    // MARK: Resends

    /// Answer to an earlier message with this client token: the same for the same body, a refusal for another one.
    private func earlierAnswer(
        to request: Append, _ target: Target, _ conversation: ConversationState, _ sentHash: Int64
    ) throws(StoreError) -> AppendResult? {
        guard let token = request.clientToken,
            let known = try self.tokens.message(with: token, from: target.sender, in: conversation.id)
        else { return nil }
        // Bodies are compared as they were sent: what the server makes of them changes with the operator's settings. Of
        // what earlier versions masked, the body that was sent is not known.
        let isSame =
            (known.sentHash ?? known.bodyHash) == sentHash
            || known.sentHash == nil && known.message.content.flags.contains(.masked)
        guard isSame else { return self.refuse(.tokenConflict) }
        self.counts.duplicates += 1
        return .accepted(try self.accepted(known.message, target, conversation, isDuplicate: true))
    }

    /// Finds the first answer of an accepted message: a resend gets it although the permission has gone since.
    private func firstAnswer(to request: Append, _ target: Target) throws(StoreError) -> AppendResult? {
        guard let conversation = target.conversation, !request.content.flags.contains(.transient) else { return nil }
        let sentHash = request.sentHash
        guard let answer = try self.earlierAnswer(to: request, target, conversation, sentHash) else { return nil }
        if case .accepted = answer { return answer }
        return nil
    }

    // MARK: The end of a batch

    /// Writes the heads and own messages that only memory knows: one update per conversation and per sender.
    func flush() throws(StoreError) {
        for conversation in self.ahead {
            try self.connection.run(
                """
                UPDATE conversation SET head = ?, head_countable = ?, active_at = ?, change = ?, position = ? WHERE id = ?
                """, conversation.head, conversation.headCountable, conversation.activeAt, self.sequencer.nextChange(),
                self.sequencer.newestID, conversation.id)
            for (sender, own) in conversation.own {
                try self.connection.run(
                    """
                    UPDATE member SET own_countable_since_read = own_countable_since_read + ?,
                        own_last_sequence = ?, own_last_countable = ?
                    WHERE conversation_id = ? AND user_id = ?
                    """, own.countable, own.lastSequence, own.lastCountable, conversation.id, sender)
            }
            conversation.own.removeAll(keepingCapacity: true)
            conversation.isAhead = false
        }
        self.ahead.removeAll(keepingCapacity: true)
    }

    /// After a rollback: nothing of the batch is in the database, and nothing in memory can be trusted.
    func forget() {
        self.ahead.removeAll()
        self.memory.drop()
        self.sequencer.forgetReservations()
    }
}

extension Append {
    /// Hash of the body as the sender sent it.
    fileprivate var sentHash: Int64 { XXHash.of(self.screening?.sentBody ?? self.content.body) }
}
