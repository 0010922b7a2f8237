import ChatModel
import Execution
import MessageLog

/// State of a person in the writer's memory, from which it decides if they may send.
final class UserState {
    let id: UserID
    let name: UserName
    var isDisabled: Bool
    /// Only the name and the messages are left.
    var isDeleted: Bool
    var isSendBanned: Bool
    /// Takes messages from the allow list only.
    var isAllowlistOnly: Bool
    /// An account of the server or its robots.
    var isSystem: Bool
    var blocked: Set<UserID>
    var allowed: Set<UserID>
    fileprivate(set) var lastUse: UInt64 = 0

    init(
        id: UserID, name: UserName, isDisabled: Bool, isDeleted: Bool, isSendBanned: Bool, isAllowlistOnly: Bool,
        isSystem: Bool, blocked: Set<UserID>, allowed: Set<UserID>
    ) {
        self.id = id
        self.name = name
        self.isDisabled = isDisabled
        self.isDeleted = isDeleted
        self.isSendBanned = isSendBanned
        self.isAllowlistOnly = isAllowlistOnly
        self.isSystem = isSystem
        self.blocked = blocked
        self.allowed = allowed
    }
}

/// The two people of a direct conversation, the smaller id first.
struct DirectPair: Hashable {
    let low: UserID
    let high: UserID

    init(_ one: UserID, _ other: UserID) {
        self.low = min(one, other)
        self.high = max(one, other)
    }

    /// The other one; the same person for a conversation with oneself, `nil` when `user` is neither.
    func other(than user: UserID) -> UserID? {
        if user == self.low { return self.high }
        return user == self.high ? self.low : nil
    }
}

/// The name of a group, room, temporary or service conversation.
struct ChannelKey: Hashable {
    let kind: ConversationKind
    let name: ChannelName
}

/// A conversation as the writer knows it: exact, because nobody else writes.
final class ConversationState {
    let id: ConversationID
    /// Changes once: a direct conversation may become a group.
    fileprivate(set) var kind: ConversationKind
    let objectID: ObjectID
    fileprivate(set) var channel: ChannelName?
    fileprivate(set) var pair: DirectPair?
    let creator: UserID
    var flags: ConversationFlags
    /// Settings of a group.
    var settings = TeamSettings.open
    var head: Int64
    var headCountable: Int64
    var revision: Int64
    /// Time of the newest message; later ones are not earlier.
    var activeAt: Int64
    /// When the card or the members changed last; later changes are not earlier.
    var updatedAt: Int64
    /// When a temporary one is over, UTC milliseconds; `nil` for never.
    let expiresAt: Int64?
    /// Everyone who gets what is said, each once: the members and the listeners. Shared with the outcomes, and another
    /// array only when somebody comes or goes.
    fileprivate(set) var members: [UserID] = []
    /// The members.
    fileprivate(set) var roles: [UserID: MemberRole] = [:]
    fileprivate(set) var listeners: Set<UserID> = []
    /// Members who may not send before a time, UTC milliseconds.
    var mutedUntil: [UserID: Int64] = [:]
    var denied: Set<UserID> = []
    var allowed: Set<UserID> = []
    /// Newest message that any device of a member has acknowledged, as far as it was asked for since the conversation was
    /// loaded.
    var acknowledged: [UserID: Int64] = [:]
    /// Messages that ask for receipts, as far as they were sent since the conversation was loaded.
    var asked = AskedMessages()
    /// `head` and what goes with it are ahead of the database.
    var isAhead = false
    /// Messages of members that the database has not added to their rows yet.
    var own: [UserID: OwnMessages] = [:]
    fileprivate(set) var lastUse: UInt64 = 0

    init(
        id: ConversationID, kind: ConversationKind, objectID: ObjectID, channel: ChannelName?, pair: DirectPair?,
        creator: UserID, flags: ConversationFlags = [], head: Int64 = 0, headCountable: Int64 = 0, revision: Int64 = 0,
        activeAt: Int64, updatedAt: Int64, expiresAt: Int64? = nil
    ) {
        self.id = id
        self.kind = kind
        self.objectID = objectID
        self.channel = channel
        self.pair = pair
        self.creator = creator
        self.flags = flags
        self.head = head
        self.headCountable = headCountable
        self.revision = revision
        self.activeAt = activeAt
        self.updatedAt = updatedAt
        self.expiresAt = expiresAt
    }

    /// True when a temporary conversation has expired.
    func isOver(at wall: Int64) -> Bool { self.expiresAt.map { $0 <= wall } ?? false }

    /// Only before the memory knows the conversation.
    func load(members: [LoadedMember], listeners: [UserID]) {
        self.roles = Dictionary(uniqueKeysWithValues: members.map { ($0.user, $0.role) })
        self.listeners = Set(listeners)
        self.members = members.map(\.user) + listeners.filter { self.roles[$0] == nil }
        for member in members where member.mutedUntil > 0 { self.mutedUntil[member.user] = member.mutedUntil }
    }
}

/// Knowledge of the newest messages of a conversation: which of them ask for a receipt.
struct AskedMessages {
    /// Messages above this one are known, up to `through`.
    private var floor: Int64 = 0
    private var through: Int64 = 0
    /// The newest of them that asks; 0 for none.
    private var newest: Int64 = 0

    mutating func note(_ message: LoggedMessage) {
        if message.sequence != self.through + 1 || self.through == 0 {
            self.floor = message.sequence - 1
            self.newest = 0
        }
        self.through = message.sequence
        if message.flags.contains(.receiptRequested) { self.newest = message.sequence }
    }

    /// False when no message in a range asks for a receipt; true also when that is not known.
    func mayAsk(after low: Int64, upTo high: Int64) -> Bool {
        low < self.floor || high > self.through || self.newest > low
    }
}

/// A member as the writer reads it.
struct LoadedMember {
    let user: UserID
    let role: MemberRole
    let mutedUntil: Int64
}

/// Messages of one member in one batch.
struct OwnMessages {
    /// How many count as unread for others.
    var countable: Int64 = 0
    /// The newest one, and its countable.
    var lastSequence: Int64 = 0
    var lastCountable: Int64 = 0

    mutating func add(_ message: LoggedMessage) {
        if message.counts { self.countable += 1 }
        self.lastSequence = message.sequence
        self.lastCountable = message.countable
    }
}

/// The community of a topic called `community@topic`.
func communityName(ofTopic name: String) -> ChannelName? {
    name.firstIndex(of: "@").flatMap { ChannelName(String(name[..<$0])) }
}

/// People and conversations the writer has met, loaded at the first use and bounded between batches.
final class WriterMemory {
    private let connection: Connection
    private let bounds: (users: Int, conversations: Int, members: Int)
    private var usersByID: [UserID: UserState] = [:]
    private var usersByName: [UserName: UserState] = [:]
    private var conversationsByID: [ConversationID: ConversationState] = [:]
    private var conversationsByPair: [DirectPair: ConversationState] = [:]
    private var conversationsByChannel: [ChannelKey: ConversationState] = [:]
    private var conversationsByObject: [ObjectID: ConversationState] = [:]
    private let liveRules: Lock<MessageRules>
    /// Guard that decides if the wall clock is believed.
    let clock: ClockGuard
    /// Newest numbers of a conversation that the log says and the database does not.
    private let pin: (ConversationID) -> LogTail.ConversationPin?
    /// Current rules that decide which messages people are shown.
    let views: Lock<ViewRules>
    /// Settings of conversations; `nil` before they are read.
    private var settings: SessionSettings?
    /// Settings of single conversations, all of them: at most `ConversationSettings.maximumValues` values; `nil` before
    /// they are read.
    private var conversationSettings: [ConversationID: ConversationSettings]?
    private var kinds: MessageKinds?
    /// Sequence and revision above which everything new is: clients may have seen what is below it. 0 where nothing was
    /// restored.
    let sequenceFloor: Int64
    /// Sequence that no gap of any conversation is above; 0 where there is no gap.
    var newestGap: Int64
    /// Members of all conversations in memory.
    private var membershipCount = 0
    private var tick: UInt64 = 0

    init(
        _ connection: Connection, _ options: StoreOptions, rules: Lock<MessageRules>, views: Lock<ViewRules>,
        clock: ClockGuard, sequenceFloor: Int64 = 0, newestGap: Int64 = 0,
        pin: @escaping (ConversationID) -> LogTail.ConversationPin? = { _ in nil }
    ) {
        self.connection = connection
        self.pin = pin
        self.clock = clock
        self.sequenceFloor = sequenceFloor
        self.newestGap = max(newestGap, sequenceFloor)
        self.liveRules = rules
        self.views = views
        self.bounds = (options.cachedUsers, options.cachedConversations, options.cachedMembers)
    }

    var userCount: Int { self.usersByID.count }
    var conversationCount: Int { self.conversationsByID.count }

    /// Forgets everything: after a rollback nothing here can be trusted.
    func drop() {
        self.usersByID.removeAll()
        self.usersByName.removeAll()
        self.conversationsByID.removeAll()
        self.conversationsByPair.removeAll()
        self.conversationsByChannel.removeAll()
        self.conversationsByObject.removeAll()
        self.membershipCount = 0
        self.settings = nil
        self.conversationSettings = nil
        self.kinds = nil
    }

    // MARK: Settings

    /// Current rules for changes that people make to messages after they were sent.
    var rules: MessageRules { self.liveRules.withLock { $0 } }

    func sessionSettings() throws(StoreError) -> SessionSettings {
        if let settings = self.settings { return settings }
        let loaded = try self.connection.sessionSettings()
        self.settings = loaded
        return loaded
    }

    /// Settings as they hold in a conversation; `nil` for one that its first message makes. Costs a look into memory.
    func sessionSettings(in id: ConversationID?) throws(StoreError) -> SessionSettings {
        let settings = try self.sessionSettings()
        guard let id, let own = try self.settingsOfConversations()[id] else { return settings }
        return settings.with(own)
    }

    /// Settings of single conversations.
    func settingsOfConversations() throws(StoreError) -> [ConversationID: ConversationSettings] {
        if let known = self.conversationSettings { return known }
        let loaded = try self.connection.settingsOfConversations()
        self.conversationSettings = loaded
        return loaded
    }

    /// Only what was written to the database; `nil` for none.
    func setSettings(_ settings: ConversationSettings?, of id: ConversationID) {
        self.conversationSettings?[id] = settings
    }

    /// The message kinds of apps.
    func messageKinds() throws(StoreError) -> MessageKinds {
        if let kinds = self.kinds { return kinds }
        let loaded = MessageKinds(
            try ReadTransaction(self.connection, UserNames(), self.views).moderation.messageKinds())
        self.kinds = loaded
        return loaded
    }

    /// They have changed.
    func forgetMessageKinds() { self.kinds = nil }

    /// Only what was written to the database.
    func setSessionSettings(_ settings: SessionSettings) { self.settings = settings }

    // MARK: People

    func user(_ id: UserID) throws(StoreError) -> UserState? {
        if let known = self.usersByID[id] { return self.touched(known) }
        return self.remember(try self.connection.loadUserState(id))
    }

    func user(named name: UserName) throws(StoreError) -> UserState? {
        if let known = self.usersByName[name] { return self.touched(known) }
        guard let id = try self.connection.userID(of: name) else { return nil }
        return self.remember(try self.connection.loadUserState(id))
    }

    private func remember(_ loaded: UserState?) -> UserState? {
        guard let loaded else { return nil }
        self.usersByID[loaded.id] = loaded
        self.usersByName[loaded.name] = loaded
        return self.touched(loaded)
    }

    private func touched(_ user: UserState) -> UserState {
        self.tick += 1
        user.lastUse = self.tick
        return user
    }

    /// One whose row has another name now.
    func forget(_ user: UserState) {
        self.usersByID[user.id] = nil
        self.usersByName[user.name] = nil
    }

    // MARK: Conversations

    func conversation(_ id: ConversationID) throws(StoreError) -> ConversationState? {
        if let known = self.conversationsByID[id] { return self.touched(known) }
        return try self.load(id)
    }

    func conversation(_ pair: DirectPair) throws(StoreError) -> ConversationState? {
        if let known = self.conversationsByPair[pair] { return self.touched(known) }
        return try self.load(try self.connection.conversationID(of: pair))
    }

    func conversation(_ channel: ChannelKey) throws(StoreError) -> ConversationState? {
        if let known = self.conversationsByChannel[channel] { return self.touched(known) }
        return try self.load(try self.connection.conversationID(of: channel))
    }

    func conversation(_ object: ObjectID) throws(StoreError) -> ConversationState? {
        if let known = self.conversationsByObject[object] { return self.touched(known) }
        return try self.load(try self.connection.conversationID(of: object))
    }

    private func load(_ id: ConversationID?) throws(StoreError) -> ConversationState? {
        guard let id else { return nil }
        // An address that is not its own may lead to one that is here.
        if let known = self.conversationsByID[id] { return self.touched(known) }
        guard let loaded = try self.connection.loadConversationState(id) else { return nil }
        // Inside a transaction that has applied the log the row may be the newer one.
        if let pin = self.pin(id), pin.head > loaded.head {
            loaded.head = pin.head
            loaded.headCountable = pin.headCountable
            loaded.activeAt = pin.activeAtMilliseconds
        }
        self.remember(loaded)
        return loaded
    }

    func remember(_ conversation: ConversationState) {
        self.conversationsByID[conversation.id] = conversation
        self.conversationsByObject[conversation.objectID] = conversation
        self.membershipCount += conversation.members.count
        if let pair = conversation.pair { self.conversationsByPair[pair] = conversation }
        if let name = conversation.channel {
            self.conversationsByChannel[ChannelKey(kind: conversation.kind, name: name)] = conversation
        }
        _ = self.touched(conversation)
    }

    func add(_ user: UserID, _ role: MemberRole, to conversation: ConversationState) {
        conversation.roles[user] = role
        conversation.acknowledged[user] = nil
        guard !conversation.listeners.contains(user) else { return }
        conversation.members.append(user)
        self.membershipCount += 1
    }

    func setRole(_ user: UserID, _ role: MemberRole, in conversation: ConversationState) {
        conversation.roles[user] = role
    }

    func remove(_ users: Set<UserID>, from conversation: ConversationState) {
        for user in users {
            conversation.roles[user] = nil
            conversation.mutedUntil[user] = nil
            conversation.acknowledged[user] = nil
        }
        self.release(users.subtracting(conversation.listeners), from: conversation)
    }

    /// - Parameter users: none of whom listens yet.
    func addListeners(_ users: [UserID], to conversation: ConversationState) {
        let new = users.filter { conversation.roles[$0] == nil }
        conversation.listeners.formUnion(users)
        if !new.isEmpty { conversation.members += new }
        self.membershipCount += new.count
    }

    func removeListeners(_ users: Set<UserID>, from conversation: ConversationState) {
        conversation.listeners.subtract(users)
        self.release(users.filter { conversation.roles[$0] == nil }, from: conversation)
    }

    private func release(_ users: Set<UserID>, from conversation: ConversationState) {
        guard !users.isEmpty else { return }
        let before = conversation.members.count
        conversation.members.removeAll(where: users.contains)
        self.membershipCount += conversation.members.count - before
    }

    /// Notes that a record of the log has moved the newest message up that any device of a member has.
    func noteAcknowledged(_ user: UserID, in id: ConversationID, _ sequence: Int64) {
        guard let known = self.conversationsByID[id] else { return }
        known.acknowledged[user] = max(known.acknowledged[user] ?? 0, sequence)
    }

    // MARK: Whose members count

    /// The conversation whose members may send and read: itself, or for a topic without members of its own the community
    /// named before the `@`.
    func home(of conversation: ConversationState) throws(StoreError) -> ConversationState {
        guard conversation.kind == .communityTopic else { return conversation }
        return try self.community(of: conversation) ?? conversation
    }

    private func community(of conversation: ConversationState) throws(StoreError) -> ConversationState? {
        guard conversation.roles.isEmpty, let name = conversation.channel?.text,
            let community = communityName(ofTopic: name)
        else { return nil }
        return try self.conversation(ChannelKey(kind: .community, name: community))
    }

    /// Everyone who gets what is said there.
    func receivers(of conversation: ConversationState) throws(StoreError) -> [UserID] {
        guard conversation.kind == .communityTopic, let home = try self.community(of: conversation) else {
            return conversation.members
        }
        let others = conversation.listeners.filter { home.roles[$0] == nil && !home.listeners.contains($0) }
        return others.isEmpty ? home.members : home.members + others
    }

    private func touched(_ conversation: ConversationState) -> ConversationState {
        self.tick += 1
        conversation.lastUse = self.tick
        return conversation
    }

    // MARK: Bounds

    /// Forgets what was used longest ago, a quarter at a time, when a bound is passed. Only between batches: what is here may
    /// be ahead of the database by what the log says, but by nothing else.
    func enforceBounds() {
        if self.usersByID.count > self.bounds.users {
            let keep = self.bounds.users - self.bounds.users / 4
            for user in self.usersByID.values.sorted(by: { $0.lastUse > $1.lastUse }).dropFirst(keep) {
                self.usersByID[user.id] = nil
                self.usersByName[user.name] = nil
            }
        }
        self.enforceConversationBounds()
    }

    private func enforceConversationBounds() {
        guard
            self.conversationsByID.count > self.bounds.conversations || self.membershipCount > self.bounds.members
        else { return }
        var conversations = self.bounds.conversations - self.bounds.conversations / 4
        var members = self.bounds.members - self.bounds.members / 4
        for conversation in self.conversationsByID.values.sorted(by: { $0.lastUse > $1.lastUse }) {
            conversations -= 1
            members -= conversation.members.count
            if conversations < 0 || members < 0 { self.forget(conversation) }
        }
    }

    /// A direct conversation is one of a group from now on.
    func turnIntoGroup(_ conversation: ConversationState, _ name: ChannelName, _ settings: TeamSettings) {
        if let pair = conversation.pair { self.conversationsByPair[pair] = nil }
        conversation.pair = nil
        conversation.kind = .group
        conversation.channel = name
        conversation.settings = settings
        self.conversationsByChannel[ChannelKey(kind: .group, name: name)] = conversation
    }

    /// One that was deleted.
    func forget(_ id: ConversationID) {
        self.setSettings(nil, of: id)
        if let known = self.conversationsByID[id] { self.forget(known) }
    }

    /// Only what is not ahead of the database.
    func forget(_ conversation: ConversationState) {
        self.membershipCount -= conversation.members.count
        self.conversationsByID[conversation.id] = nil
        self.conversationsByObject[conversation.objectID] = nil
        if let pair = conversation.pair { self.conversationsByPair[pair] = nil }
        if let name = conversation.channel {
            self.conversationsByChannel[ChannelKey(kind: conversation.kind, name: name)] = nil
        }
    }
}
