import Accounts
import ByteCodec
import ChatModel
import NativeAPI
import Profiles
import Store

/// Reads a round of the feed and words it, in one snapshot. On a reader's thread.
struct FeedReader: Sendable {
    /// Changes of one round at most.
    static let maximumChanges = 100
    /// Changes that are looked for at once, and kept from round to round: 20 KB for each client that catches up. Looking
    /// takes longer than what is sent of it, for a client that is far behind.
    static let maximumFound = 500
    /// Bytes of frames after which a round ends; the last frame may be longer. It has to fit between the marks of an
    /// outbox, about.
    static let maximumBytes = 65_536

    private let identity: Identity
    private let epoch: Int64
    private let values: NativeReader
    private let words: NativeWords

    init(_ identity: Identity, epoch: Int64, _ values: NativeReader, _ words: NativeWords) {
        self.identity = identity
        self.epoch = epoch
        self.values = values
        self.words = words
    }

    /// The round, as much of it as fits.
    func read(_ round: FeedRound, _ store: ReadTransaction) throws(StoreError) -> FeedResult {
        guard let page = try self.page(of: round, store) else {
            return FeedResult(frames: [], through: round.through, isGap: true)
        }
        var wording = FeedWording(self.identity, epoch: self.epoch, self.values, self.words, page)
        for (index, change) in page.changes.enumerated() {
            guard index < Self.maximumChanges, wording.bytes < Self.maximumBytes else {
                return FeedResult(
                    frames: wording.finished, through: wording.through.rawValue,
                    rest: page.rest(from: index, through: round.through))
            }
            try wording.add(change, store)
        }
        return FeedResult(frames: wording.finished, through: page.isCut ? page.through.rawValue : round.through)
    }

    private func page(of round: FeedRound, _ store: ReadTransaction) throws(StoreError) -> FeedPage? {
        if let rest = round.rest { return rest }
        return try store.feed.changes(
            for: self.identity.user, after: StorePosition(rawValue: round.after),
            through: StorePosition(rawValue: round.through), in: round.conversations, limit: Self.maximumFound)
    }
}

extension FeedPage {
    /// Rest of the page.
    ///
    /// - Parameter last: position up to which the round was to read; what happened later is not on the page.
    fileprivate func rest(from index: Int, through last: Int64) -> FeedPage {
        FeedPage(
            changes: Array(self.changes[index...]),
            through: self.isCut ? self.through : StorePosition(rawValue: last), isCut: true)
    }
}

/// Frames of one round while they are worded.
private struct FeedWording {
    /// A conversation as the person sees it in this snapshot.
    private struct Place {
        /// JSON text of the value; `nil` for one that is not theirs.
        var value: [UInt8]?
        /// Index of its last frame that has room for a summary.
        var lastFrame: Int?
        /// Where the person came into it, as far as this page says. What is before that was before they came, or came
        /// again, and is part of the fresh value.
        var join: StorePosition?
        /// When that was, where it may be on a later page; UTC milliseconds, 0 for not known.
        var joinedAtMilliseconds: Int64 = 0

        func isFromBefore(_ change: FeedChange) -> Bool {
            if let join = self.join { return change.position < join }
            return MessageID(rawValue: change.position.rawValue).milliseconds < self.joinedAtMilliseconds
        }
    }

    /// Bytes that the frame of a person is taken for before it is worded.
    private static let profileBytes = 256
    /// The same of a request to join a team.
    private static let requestBytes = 1_024

    private let identity: Identity
    private let epoch: Int64
    private let values: NativeReader
    private let words: NativeWords
    private var frames: [FeedFrame] = []
    private var places: [ConversationID: Place] = [:]
    /// Where the person came into conversations, as far as this page says.
    private var joins: [ConversationID: StorePosition] = [:]
    private let isCut: Bool
    private(set) var bytes = 0
    /// Position of the last change that was worded.
    private(set) var through = StorePosition(rawValue: 0)

    init(
        _ identity: Identity, epoch: Int64, _ values: NativeReader, _ words: NativeWords, _ page: FeedPage
    ) {
        self.identity = identity
        self.epoch = epoch
        self.values = values
        self.words = words
        self.isCut = page.isCut
        for change in page.changes where change.subject == .member(identity.user) {
            if let id = change.conversation { self.joins[id] = change.position }
        }
    }

    /// The frames, the last one of each conversation with its summary.
    var finished: [FeedFrame] {
        var frames = self.frames
        for place in self.places.values {
            guard let index = place.lastFrame, let value = place.value else { continue }
            frames[index].json = NativeNotices.event(frames[index].json, summary: value)
        }
        return frames
    }

    mutating func add(_ change: FeedChange, _ store: ReadTransaction) throws(StoreError) {
        self.through = change.position
        guard let id = change.conversation else { return try self.addPersonal(change, store) }
        let place = try self.place(id, store)
        guard !place.isFromBefore(change) else { return }
        var facts = NativeNotices.Facts(isMine: place.value != nil, viewer: self.identity.user)
        var member: Member?
        if let person = change.subject.memberToRead, facts.isMine {
            member = try store.conversations.member(person, in: id)
            facts.isMember = member != nil
        }
        guard let notice = NativeNotices.notice(of: change.subject, facts) else { return }
        let cursor = FeedCursor(epoch: self.epoch, position: change.position.rawValue)
        switch notice {
        case .message(let sequence): try self.addMessage("message", sequence, isNew: true, in: id, cursor, store)
        case .changedMessage(let sequence):
            try self.addMessage("message_changed", sequence, isNew: false, in: id, cursor, store)
        case .conversation, .joined:
            let json = NativeNotices.conversation(place.value ?? [], isNew: notice == .joined, at: cursor)
            self.append(json, at: cursor, in: id, takesSummary: false)
        case .read:
            guard let own = try store.conversations.member(self.identity.user, in: id) else { return }
            let json = NativeNotices.read(id, by: self.identity.name, upTo: own.readSequence, at: cursor)
            self.append(json, at: cursor, in: id, takesSummary: true)
        case .member(let person), .left(let person):
            guard let name = try store.people.user(person)?.name else { return }
            let json = NativeNotices.member(name, member, in: id, at: cursor)
            self.append(json, at: cursor, in: id, takesSummary: true)
        case .gone: self.append(NativeNotices.gone(id, at: cursor), at: cursor, in: id, takesSummary: false)
        case .gap: self.append(NativeNotices.gap(of: id), at: nil, in: id, takesSummary: false)
        // In no conversation.
        case .profile, .gapOfPeople, .request, .announcement: return
        }
    }

    /// A change in no conversation. The frame of a person, or of a request that names people, is worded when the profile
    /// service has said how they are shown.
    private mutating func addPersonal(_ change: FeedChange, _ store: ReadTransaction) throws(StoreError) {
        let facts = NativeNotices.Facts(isMine: false, viewer: self.identity.user)
        switch NativeNotices.notice(of: change.subject, facts) {
        case .profile(let person):
            guard let name = try store.people.user(person)?.name else { return }
            self.frames.append(FeedFrame(position: change.position.rawValue, json: [], person: name))
            self.bytes += Self.profileBytes
        case .gapOfPeople: self.frames.append(FeedFrame(position: nil, json: NativeNotices.gapOfPeople))
        case .request(let number):
            guard let request = try self.values.request(number, in: store) else { return }
            self.frames.append(FeedFrame(position: change.position.rawValue, json: [], request: request))
            self.bytes += Self.requestBytes
        case .announcement(let number):
            guard let announcement = try self.values.announcement(number, in: store) else { return }
            let cursor = FeedCursor(epoch: self.epoch, position: change.position.rawValue)
            let json = NativeNotices.announcement(announcement, at: cursor)
            self.frames.append(FeedFrame(position: cursor.position, json: json))
            self.bytes += json.count
        case .message, .changedMessage, .conversation, .joined, .read, .member, .left, .gone, .gap, nil: return
        }
    }

    private mutating func place(_ id: ConversationID, _ store: ReadTransaction) throws(StoreError) -> Place {
        if let known = self.places[id] { return known }
        var place = Place()
        if let value = try self.values.conversation(id, in: store) {
            var writer = JSONWriter(capacity: 512)
            value.write(to: &writer, self.words)
            place.value = writer.bytes
            place.join = self.joins[id]
            if self.isCut, place.join == nil {
                place.joinedAtMilliseconds =
                    try store.conversations.member(self.identity.user, in: id)?.joinedAtMilliseconds ?? 0
            }
        }
        self.places[id] = place
        return place
    }

    /// Words a message. What stands in the place of one that is not for the person has no later changes.
    private mutating func addMessage(
        _ type: StaticString, _ sequence: Int64, isNew: Bool, in id: ConversationID, _ cursor: FeedCursor,
        _ store: ReadTransaction
    ) throws(StoreError) {
        guard let message = try self.values.messages([sequence], in: id, store).first else { return }
        guard isNew || !message.isStandIn else { return }
        let json = NativeNotices.event(type, at: cursor) { writer in
            writer.key("message")
            message.write(to: &writer)
        }
        self.append(json, at: cursor, in: id, takesSummary: true)
    }

    private mutating func append(
        _ json: [UInt8], at cursor: FeedCursor?, in id: ConversationID, takesSummary: Bool
    ) {
        // A value of the conversation is the newest one of this snapshot already.
        if cursor != nil { self.places[id]?.lastFrame = takesSummary ? self.frames.count : nil }
        self.frames.append(FeedFrame(position: cursor?.position, json: json))
        self.bytes += json.count
    }
}

extension FeedResult {
    /// Names of the people whose frames are not worded yet, each once.
    var people: [UserName] {
        var people: Set<UserName> = []
        for frame in self.frames {
            if let person = frame.person { people.insert(person) }
            if let request = frame.request { people.formUnion(request.people) }
        }
        return Array(people)
    }

    /// The same with the frames of people and requests worded.
    ///
    /// - Parameters:
    ///   - infos: the people as the client is shown them.
    ///   - stranger: somebody of a request whom the client does not know otherwise.
    func showing(
        _ infos: [ProfileInfo], epoch: Int64, stranger: (UserName) -> ProfileInfo
    ) -> FeedResult {
        let known = Set(infos.filter(\.isKnown).map(\.name))
        let users = Dictionary(infos.map { ($0.name, NativeUser($0)) }, uniquingKeysWith: { first, _ in first })
        var result = self
        result.frames = self.frames.compactMap { frame in
            guard let position = frame.position else { return frame }
            let cursor = FeedCursor(epoch: epoch, position: position)
            if let request = frame.request {
                let json = NativeNotices.request(request, at: cursor) { name in
                    (known.contains(name) ? users[name] : nil) ?? NativeUser(stranger(name))
                }
                return FeedFrame(position: position, json: json)
            }
            guard let person = frame.person else { return frame }
            return users[person].map {
                FeedFrame(position: position, json: NativeNotices.profile($0, at: cursor))
            }
        }
        return result
    }
}
