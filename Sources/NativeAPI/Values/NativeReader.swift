package import APIKit
package import Accounts
package import ChatModel
import ContentTranslation
import Localization
package import Profiles
package import Store

/// Reads conversations and messages as one person sees them now: the same for requests and for the feed of events.
package struct NativeReader: Sendable {
    /// Person who reads.
    package let user: UserID
    /// Name of that person.
    package let name: UserName
    private let rules: MessageRules
    private let now: Int64

    package init(_ person: Identity, _ services: APIServices) {
        self.user = person.user
        self.name = person.name
        self.rules = services.store.rules
        self.now = services.clock.wallMilliseconds()
    }

    // MARK: Conversations

    /// A conversation that the person is in; `nil` for any other.
    package func conversation(_ id: ConversationID, in store: ReadTransaction) throws(StoreError) -> NativeConversation?
    {
        guard let recent = try store.inbox.recent(of: self.user, in: id) else { return nil }
        return try self.conversation(recent, MessageKinds(try store.moderation.messageKinds()), in: store)
    }

    /// The conversation of a line of the person's list.
    func conversation(
        _ recent: RecentConversation, _ kinds: MessageKinds, in store: ReadTransaction
    ) throws(StoreError) -> NativeConversation {
        let conversation = recent.conversation
        let state = try store.inbox.unreadState(of: self.user, in: conversation.id)
        let newest = state?.newest.map { standing in
            NativeConversation.Newest(
                sketch: MessageSketch(of: standing.message.content, kinds: kinds),
                sender: standing.message.senderName, time: standing.message.sentAtMilliseconds,
                sequence: standing.message.sequence)
        }
        let team = try store.teams.one(conversation.id, at: self.now)
        let facts = team?.facts(.user, role: recent.member.role)
        return NativeConversation(
            recent: recent, logo: try store.conversations.card(of: conversation.id)?.logo, newest: newest,
            isMentioned: state?.isMentioned ?? false, sendRefusal: try self.sendRefusal(recent, in: store),
            inviteRefusal: facts.map { teamRefusal(.invite, $0) } ?? .kind,
            updateRefusal: facts.map { teamRefusal(.updateInfo, $0) } ?? .kind,
            recallsOthers: conversation.kind != .direct && recent.member.role != .member
                && self.rules.recallByManagers != .never)
    }

    /// Why the person cannot send a message there now; `nil` when they can. The writer decides again.
    private func sendRefusal(
        _ recent: RecentConversation, in store: ReadTransaction
    ) throws(StoreError) -> PublishRefusal? {
        let (conversation, member) = (recent.conversation, recent.member)
        var facts = PublishFacts(authority: .user, kind: conversation.kind, flags: conversation.flags)
        let account = try store.people.user(self.user)
        facts.senderIsDisabled = account?.isDisabled ?? true
        facts.senderIsSendBanned = account?.isSendBanned ?? false
        facts.senderIsMember = true
        facts.senderIsManager = member.role != .member
        facts.senderIsMuted = member.mutedUntilMilliseconds > self.now
        if let peer = try recent.peerName.flatMap({ (name) throws(StoreError) in try store.people.user(named: name) }) {
            facts.senderIsBlocked = try store.people.isListed(self.user, by: peer.id, on: .blocked)
            facts.allowlistIsInForce = try store.people.isAllowlistOnly(peer.id) && peer.id != self.user
            facts.senderIsAllowlisted = try store.people.isListed(self.user, by: peer.id, on: .allowed)
        } else {
            facts.senderIsBlocked = try store.conversations.isListed(self.user, in: conversation.id, on: .denied)
        }
        facts.inputIsDisabled = try store.sessionSettings.sessionSettings(in: conversation.id)
            .isReadOnly(conversation.kind, member.role)
        return publishRefusal(facts)
    }

    // MARK: What the person is asked and told

    /// A request to join a team; `nil` for one that is gone.
    package func request(_ number: Int64, in store: ReadTransaction) throws(StoreError) -> NativeTeamRequest? {
        guard let request = try store.teams.request(number) else { return nil }
        return try NativeTeamRequest(request, for: self.user, at: self.now, in: store)
    }

    /// An announcement of the operator; `nil` for one that the person did not get.
    package func announcement(_ number: Int64, in store: ReadTransaction) throws(StoreError) -> NativeNotice? {
        guard let found = try store.announcements.announcement(number, for: self.user) else { return nil }
        return NativeNotice(found.notice, confirmedAtMilliseconds: found.confirmedAtMilliseconds)
    }

    // MARK: Messages

    /// Messages at these places, at most 1000, as they stand now; those that the person may not know of are missing.
    package func messages(
        _ sequences: [Int64], in id: ConversationID, _ store: ReadTransaction
    ) throws(StoreError) -> [NativeMessage] {
        var found: [Message] = []
        for sequence in sequences {
            guard let message = try store.messages.one(in: id, sequence: sequence, as: .member(self.user)) else {
                continue
            }
            found.append(message)
        }
        return try self.values(found, in: id, store)
    }

    /// The values of messages that were read as this person.
    func values(
        _ messages: [Message], in id: ConversationID, _ store: ReadTransaction
    ) throws(StoreError) -> [NativeMessage] {
        guard !messages.isEmpty, let recent = try store.inbox.recent(of: self.user, in: id) else { return [] }
        let sequences = messages.map(\.sequence)
        let extras = try store.messages.extras(of: sequences, in: id, for: self.user)
        var reactions: [Int64: [ReactionCount]] = [:]
        for count in try store.messages.reactionCounts(of: sequences, in: id, for: self.user) {
            reactions[count.sequence, default: []].append(count)
        }
        let maySend = try self.sendRefusal(recent, in: store) == nil
        var values: [NativeMessage] = []
        for message in messages {
            let extra = extras[message.sequence]
            let standing = extra.flatMap { message.edited($0) } ?? message
            let content = Content(of: standing.content)
            var replied: MessagePlace?
            if let answered = content.reply?.message { replied = try store.messages.place(of: answered, in: id) }
            values.append(
                NativeMessage(
                    message: standing, content: content, extra: extra, reactions: reactions[message.sequence] ?? [],
                    replied: replied, isOwn: message.sender == self.user,
                    others: max(0, recent.conversation.memberCount - 1),
                    rights: self.rights(message, extra, recent, maySend: maySend),
                    isCleared: message.sequence <= recent.preference.clearedThrough))
        }
        return values
    }

    private func rights(
        _ message: Message, _ extra: MessageExtra?, _ recent: RecentConversation, maySend: Bool
    ) -> NativeMessage.Rights {
        var facts = MessageFacts(
            authority: .user, kind: recent.conversation.kind, flags: recent.conversation.flags,
            role: recent.member.role, isAuthor: message.sender == self.user)
        facts.maySend = maySend
        facts.ageSeconds = (self.now - message.sentAtMilliseconds) / 1_000
        facts.isRecalled = extra?.isRecalled ?? false
        facts.isDeletedForAll = extra?.isDeletedForAll ?? false
        if message.content.flags.contains(.standIn) { return NativeMessage.Rights() }
        let isDirect = recent.conversation.kind == .direct
        let sent = message.sentAtMilliseconds
        // Who manages may take back what is older than an author may.
        let byManager: ActionWindow = !isDirect && recent.member.role != .member ? self.rules.recallByManagers : .never
        let byAuthor: ActionWindow =
            facts.isAuthor ? (isDirect ? self.rules.recallInDirect : self.rules.recallInGroups) : .never
        var rights = NativeMessage.Rights()
        if self.rules.recallRefusal(facts) == nil {
            rights.recallUntil = max(Self.end(of: byManager, sent), Self.end(of: byAuthor, sent))
        }
        if self.rules.editRefusal(facts) == nil {
            rights.editUntil = Self.end(of: isDirect ? self.rules.editInDirect : self.rules.editInGroups, sent)
        }
        rights.react = facts.annotationRefusal() == nil
        rights.pin = facts.pinRefusal() == nil
        return rights
    }

    /// End of a window, milliseconds UTC; 0 for one that is never open.
    private static func end(of window: ActionWindow, _ sent: Int64) -> Int64 {
        switch window {
        case .never: 0
        case .seconds(let seconds): sent + min(seconds, 1 << 40) * 1_000
        case .always: NativeMessage.always
        }
    }
}

/// Sources of words, besides the store, for values that are written: profiles of people, and texts in a language.
package struct NativeWords: Sendable {
    /// Service for profiles.
    package let profiles: Profiles
    /// Person who reads.
    package let reader: UserID
    let digest: MessageDigest

    /// - Parameter language: the header field `Accept-Language`; `nil` for none.
    package init(_ profiles: Profiles, for reader: UserID, language: String?) {
        self.profiles = profiles
        self.reader = reader
        self.digest = MessageDigest(Texts(installed: Language(accepted: language)))
    }

    /// A person, at once: from memory, or a placeholder while it is asked for.
    func person(_ name: UserName) -> ProfileInfo { self.profiles.info(user: name, by: self.reader) }
}

extension NativeCall {
    /// Longest wait for who people are before an answer is written without it, milliseconds.
    private static let waitMilliseconds: Int64 = 50

    /// Goes on once it is known who these people are, or soon without it: watchers are told when it comes.
    func meet(_ names: [UserName], then: @escaping @Sendable () -> Void) {
        guard !names.isEmpty else { return then() }
        self.native.profiles.lookUp(
            names, by: self.caller?.user, in: nil, waitMilliseconds: Self.waitMilliseconds
        ) { _ in then() }
    }

    /// Reads as the person who asks.
    var reader: NativeReader { NativeReader(self.person, self.services) }
    /// Words for the person who asks.
    var words: NativeWords {
        NativeWords(self.native.profiles, for: self.user, language: self.request.headers["accept-language"])
    }
}
