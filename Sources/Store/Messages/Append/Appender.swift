import ChatModel
import MessageLog

/// The hot path: checks a message in memory and gives it its place. It is written by `MessageRows`, at once inside the open
/// transaction, or behind, from the log.
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
    let rows: MessageRows
    /// Somebody outside wants to hear of messages.
    private let queuesHooks: Bool
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
        _ rows: MessageRows, queuesHooks: Bool, readableCharacters: @escaping @Sendable (MessageContent) -> Int,
        contentKinds: @escaping @Sendable (MessageContent) -> Set<ContentKind>,
        completed: @escaping @Sendable (MessageContent, MessageKindEntry, ConversationKind) -> [UInt8]?
    ) {
        self.connection = connection
        self.memory = memory
        self.rows = rows
        self.queuesHooks = queuesHooks
        self.tokens = tokens
        self.readableCharacters = readableCharacters
        self.contentKinds = contentKinds
        self.completed = completed
        self.sequencer = sequencer
    }

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

    /// Outcome of the checks that need memory alone.
    private enum Checked {
        case answered(AppendResult)
        case target(Target)
    }

    /// Outcome of a message that is to be written to the log.
    enum Decision {
        /// Nothing is written.
        case answered(AppendResult)
        /// It is taken once its record is on the disk. The memory knows nothing of it before `note`.
        case taken(Taken)
        /// The database is asked or changed in a way that no record says: `append` in a transaction.
        case drains
    }

    /// A message that was given its place.
    struct Taken {
        let message: LoggedMessage
        let accepted: Accepted
        fileprivate let conversation: ConversationState
    }

    /// Takes or refuses one message, inside a transaction.
    ///
    /// - Parameters:
    ///   - wall: UTC milliseconds, the same for the whole batch.
    ///   - canWrite: false while the disk is full.
    ///   - begin: opens the transaction when none is open.
    func append(
        _ request: Append, at wall: Int64, canWrite: Bool, begin: () throws(StoreError) -> Void
    ) throws(StoreError) -> AppendResult {
        switch try self.check(request, at: wall, canWrite: canWrite) {
        case .answered(let result): return result
        case .target(let target):
            try begin()
            return try self.store(request, target, at: wall)
        }
    }

    /// Takes or refuses one message, in memory.
    ///
    /// - Parameters:
    ///   - wall: UTC milliseconds, the same for the whole batch.
    ///   - canWrite: false while the disk is full.
    func decide(_ request: Append, at wall: Int64, canWrite: Bool) throws(StoreError) -> Decision {
        // The audit log is a chain of hashes in the database, and what flagged words a passing message has is a row too.
        let isFlaggedInPassing =
            request.content.flags.contains(.transient) && request.screening?.flagged.isEmpty == false
        guard request.note == nil, !isFlaggedInPassing else { return .drains }
        let target: Target
        switch try self.check(request, at: wall, canWrite: canWrite) {
        case .answered(let result): return .answered(result)
        case .target(let found): target = found
        }
        // The first message behind a floor passes over a range: a row that no record says.
        guard let conversation = target.conversation, !self.hasWrongTime(conversation, at: wall),
            conversation.head >= self.memory.sequenceFloor,
            !request.content.namesFiles || FileMention.scan(request.content.body).isEmpty
        else { return .drains }
        switch try self.take(request, target, conversation, at: wall) {
        case .answered(let result): return .answered(result)
        case .taken(let taken): return .taken(taken)
        }
    }

    private func check(_ request: Append, at wall: Int64, canWrite: Bool) throws(StoreError) -> Checked {
        guard request.content.body.count <= Self.maximumBodyBytes else { return .answered(self.refuse(.bodyTooLarge)) }
        let target: Target
        switch try self.resolve(request, at: wall) {
        case .refusal(let refusal): return .answered(self.refuse(refusal))
        case .target(let found): target = found
        }
        let refusal = ChatModel.publishRefusal(try self.facts(request, target, at: wall)) ?? request.screening?.refusal
        if let refusal { return .answered(try self.firstAnswer(to: request, target) ?? self.refuse(refusal)) }
        if request.content.flags.contains(.transient) {
            return .answered(try self.pass(request, target, at: wall))
        }
        return canWrite ? .target(target) : .answered(.failed(.full))
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
        if self.hasWrongTime(conversation, at: wall) {
            try self.flush()
            conversation.activeAt = try self.connection.putTimesRight(
                in: conversation.id, head: conversation.head, activeAt: conversation.activeAt, at: wall)
        }
        let taken: Taken
        switch try self.take(request, target, conversation, at: wall) {
        case .answered(let result): return result
        case .taken(let found): taken = found
        }
        try self.connection.noteGap(in: conversation.id, after: conversation.head, before: taken.message.sequence)
        try self.rows.insert(taken.message) { self.sequencer.nextChange() }
        let place = MessagePlace(conversation.id, taken.message.sequence)
        if !files.isEmpty { try FileReferences(connection: self.connection).add(files, to: place, at: wall) }
        self.tokens.add(taken.message)
        self.note(taken)
        if taken.message.isOfMember {
            conversation.own[taken.message.sender, default: OwnMessages()].add(taken.message)
        }
        if !conversation.isAhead {
            conversation.isAhead = true
            self.ahead.append(conversation)
        }
        return .accepted(taken.accepted)
    }

    /// True when the newest message is far ahead of a clock that is believed.
    private func hasWrongTime(_ conversation: ConversationState, at wall: Int64) -> Bool {
        conversation.activeAt > wall + Connection.tolerableMilliseconds && self.memory.clock.agrees
    }

    /// Outcome of giving a message its place.
    private enum Taking {
        /// It was sent before.
        case answered(AppendResult)
        case taken(Taken)
    }

    /// Gives a message its place, its id and its time. Changes nothing but the numbers given.
    private func take(
        _ request: Append, _ target: Target, _ conversation: ConversationState, at wall: Int64
    ) throws(StoreError) -> Taking {
        let sequence = max(conversation.head, self.memory.sequenceFloor) + 1
        let sentAt = max(wall, conversation.activeAt)
        let sentHash = request.sentHash
        if let answer = try self.earlierAnswer(to: request, target, conversation, sentHash) { return .answered(answer) }
        var content = try self.marked(request, target)
        // A stored body may be another one than what was sent: words were masked, a hook or a kind has changed it.
        let isAsSent = request.screening == nil && content.body == request.content.body
        let bodyHash = isAsSent ? sentHash : XXHash.of(content.body)
        let verdicts = self.memory.views.withLock { $0.filter }.verdicts(on: content, from: target.sender.id)
        if verdicts?.isDroppedForAll == true { content.flags.remove(.countsAsUnread) }
        let counts = content.flags.contains(.countsAsUnread) && !content.flags.contains(.restricted)
        let message = Message(
            conversation: conversation.id, sequence: sequence, id: self.sequencer.nextID(at: wall),
            sender: target.sender.id, senderName: target.sender.name, sentAtMilliseconds: sentAt,
            clientToken: request.clientToken, content: content)
        var logged = LoggedMessage(
            message, countable: conversation.headCountable + (counts ? 1 : 0), bodyHash: bodyHash,
            sentHash: bodyHash == sentHash ? nil : sentHash, wall: wall)
        logged.isOfMember = conversation.roles[target.sender.id] != nil
        logged.isHooked = self.queuesHooks
        var accepted = try self.accepted(message, target, conversation, isDuplicate: false)
        if !content.mentions.isEmpty {
            accepted.reminded = try self.called(by: message, of: accepted.audience, conversation)
        }
        let countsForSome = content.flags.contains(.countsAsUnread)
        logged.lists = LoggedLists(
            reminded: accepted.reminded,
            shownTo: countsForSome ? Self.shown(message, to: accepted.audience, in: conversation) : [],
            hiddenFrom: countsForSome ? try self.hidden(message, by: verdicts, in: conversation) : [],
            flaggedWords: request.screening?.flagged ?? [])
        return .taken(Taken(message: logged, accepted: accepted, conversation: conversation))
    }

    /// Notes that the record of a message is in the log's batch.
    func noteLogged(_ taken: Taken) {
        self.tokens.addLogged(taken.message)
        self.note(taken)
    }

    /// Notes in memory that a message was taken: the next one of its conversation comes behind it.
    private func note(_ taken: Taken) {
        let message = taken.message
        taken.conversation.head = message.sequence
        taken.conversation.headCountable = message.countable
        taken.conversation.activeAt = message.sentAtMilliseconds
        taken.conversation.asked.note(message)
        self.counts.appended += 1
        // Its sender is told of the change at this time: what is changed from now on has a later one.
        if message.flags.contains(.masked) { _ = self.sequencer.moment(at: message.sentAtMilliseconds) }
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

    /// Members for whom a message for some only counts: the heads leave it out.
    private static func shown(
        _ message: Message, to audience: Set<UserID>?, in conversation: ConversationState
    ) -> [UserID] {
        guard let audience else { return [] }
        return audience.sorted().filter { $0 != message.sender && conversation.roles[$0] != nil }
    }

    /// Members out of whose counts the message stays because the operator's rules hide it from them.
    private func hidden(
        _ message: Message, by verdicts: FilterVerdicts?, in conversation: ConversationState
    ) throws(StoreError) -> [UserID] {
        guard let verdicts else { return [] }
        let isForMost = verdicts.everybody?.action == .drop
        let concerned = isForMost ? conversation.roles.keys.sorted() : verdicts.people.keys.sorted()
        var hidden: [UserID] = []
        for user in concerned where conversation.roles[user] != nil && verdicts.rule(for: user)?.action == .drop {
            if try self.isFor(user, message) { hidden.append(user) }
        }
        return hidden
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

    /// Every member the message calls by name, but its sender: they get a reminder. Of more names than the conversation
    /// has members the rest is not looked at.
    private func called(
        by message: Message, of audience: Set<UserID>?, _ conversation: ConversationState
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
        return called
    }

    private func conversation(of target: Target, at wall: Int64) throws(StoreError) -> ConversationState {
        if let conversation = target.conversation { return conversation }
        guard let seed = target.seed else { throw .notFound("the conversation") }
        return try self.connection.create(
            seed, creator: target.sender.id, at: wall, change: self.sequencer.nextChange(), memory: self.memory)
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
            let head = MessageRows.Head(
                sequence: conversation.head, countable: conversation.headCountable, activeAt: conversation.activeAt,
                position: self.sequencer.newestID)
            try self.rows.update(conversation.id, head, own: conversation.own, change: self.sequencer.nextChange())
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
