import ChatModel

/// What decides whether a person may send, as the writer knows it.
final class UserState {
    let id: UserID
    let name: UserName
    var isDisabled: Bool
    var isSendBanned: Bool
    /// Takes messages from the allow list only.
    var isAllowlistOnly: Bool
    /// An account of the server or its robots.
    var isSystem: Bool
    var blocked: Set<UserID>
    var allowed: Set<UserID>
    fileprivate(set) var lastUse: UInt64 = 0

    init(
        id: UserID, name: UserName, isDisabled: Bool, isSendBanned: Bool, isAllowlistOnly: Bool, isSystem: Bool,
        blocked: Set<UserID>, allowed: Set<UserID>
    ) {
        self.id = id
        self.name = name
        self.isDisabled = isDisabled
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
    let kind: ConversationKind
    let channel: ChannelName?
    let pair: DirectPair?
    let creator: UserID
    var flags: ConversationFlags
    var head: Int64
    var headCountable: Int64
    var revision: Int64
    /// Time of the newest message; later ones are not earlier.
    var activeAt: Int64
    /// Everyone; shared with the outcomes.
    fileprivate(set) var members: [UserID] = []
    fileprivate(set) var roles: [UserID: MemberRole] = [:]
    var denied: Set<UserID> = []
    var allowed: Set<UserID> = []
    /// `head` and what goes with it are ahead of the database.
    var isAhead = false
    /// Countable messages by sender that the database has not added to the member row yet.
    var ownCountable: [UserID: Int64] = [:]
    fileprivate(set) var lastUse: UInt64 = 0

    init(
        id: ConversationID, kind: ConversationKind, channel: ChannelName?, pair: DirectPair?, creator: UserID,
        flags: ConversationFlags = [], head: Int64 = 0, headCountable: Int64 = 0, revision: Int64 = 0, activeAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.channel = channel
        self.pair = pair
        self.creator = creator
        self.flags = flags
        self.head = head
        self.headCountable = headCountable
        self.revision = revision
        self.activeAt = activeAt
    }

    /// Only before the memory knows the conversation.
    func load(members: [(user: UserID, role: MemberRole)]) {
        self.members = members.map(\.user)
        self.roles = Dictionary(uniqueKeysWithValues: members.map { ($0.user, $0.role) })
    }
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
    /// Members of all conversations in memory.
    private var membershipCount = 0
    private var tick: UInt64 = 0

    init(_ connection: Connection, _ options: StoreOptions) {
        self.connection = connection
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
        self.membershipCount = 0
    }

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

    private func load(_ id: ConversationID?) throws(StoreError) -> ConversationState? {
        guard let id, let loaded = try self.connection.loadConversationState(id) else { return nil }
        self.remember(loaded)
        return loaded
    }

    func remember(_ conversation: ConversationState) {
        self.conversationsByID[conversation.id] = conversation
        self.membershipCount += conversation.members.count
        if let pair = conversation.pair { self.conversationsByPair[pair] = conversation }
        if let name = conversation.channel {
            self.conversationsByChannel[ChannelKey(kind: conversation.kind, name: name)] = conversation
        }
        _ = self.touched(conversation)
    }

    func add(_ user: UserID, _ role: MemberRole, to conversation: ConversationState) {
        conversation.members.append(user)
        conversation.roles[user] = role
        self.membershipCount += 1
    }

    func setRole(_ user: UserID, _ role: MemberRole, in conversation: ConversationState) {
        conversation.roles[user] = role
    }

    func remove(_ users: Set<UserID>, from conversation: ConversationState) {
        let before = conversation.members.count
        conversation.members.removeAll(where: users.contains)
        for user in users { conversation.roles[user] = nil }
        self.membershipCount += conversation.members.count - before
    }

    private func touched(_ conversation: ConversationState) -> ConversationState {
        self.tick += 1
        conversation.lastUse = self.tick
        return conversation
    }

    // MARK: Bounds

    /// Forgets what was used longest ago, a quarter at a time, when a bound is passed. Only between batches: nothing
    /// here may be ahead of the database.
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

    private func forget(_ conversation: ConversationState) {
        self.membershipCount -= conversation.members.count
        self.conversationsByID[conversation.id] = nil
        if let pair = conversation.pair { self.conversationsByPair[pair] = nil }
        if let name = conversation.channel {
            self.conversationsByChannel[ChannelKey(kind: conversation.kind, name: name)] = nil
        }
    }
}
