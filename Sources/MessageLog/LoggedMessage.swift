import ByteCodec
package import ChatModel

/// A new message, with everything that its rows need and that only the writer could decide.
///
/// Its row of `message` has these fields. Rows beside it are made from the lists. Numbers of changes, which nobody sees
/// before the rows are there, are given when it is applied.
package struct LoggedMessage: Hashable, Sendable {
    /// Conversation of the message, which exists.
    package var conversation: ConversationID
    /// Position in the conversation, from 1.
    package var sequence: Int64
    /// Identifies the message; as a `StorePosition` the position of the store.
    package var id: MessageID
    /// Sender.
    package var sender: UserID
    /// UTC milliseconds.
    package var sentAtMilliseconds: Int64
    /// Kind of the message.
    package var messageKind: MessageKind
    /// Flags of the message.
    package var flags: MessageFlags
    /// Messages of the conversation that count as unread, this one included.
    package var countable: Int64
    /// Protocol that it came by.
    package var wire: WireFormat
    /// Seconds after which clients hide it; 0 is never.
    package var expireSeconds: UInt32
    /// Body as it is stored.
    package var body: [UInt8]
    /// Hash of the stored body.
    package var bodyHash: Int64
    /// Hash of the body as it was sent; `nil` when it is the stored one.
    package var sentHash: Int64?
    /// Sender's key for spotting a resend.
    package var clientToken: ClientToken?
    /// Topic of WuKongIM's clients.
    package var topic: String?
    /// Envelope, in the form in which it is stored beside the body.
    package var envelope: String?
    /// Wall clock of the batch, UTC milliseconds: when events for receivers outside were made.
    package var wallMilliseconds: Int64
    /// True when its sender is a member, whose row knows their newest own message.
    package var isOfMember = false
    /// True when receivers outside are to hear of it.
    package var isHooked = false
    /// Further rows beside it; `nil` for none, as of nearly every message.
    package var lists: LoggedLists?

    package init(
        conversation: ConversationID, sequence: Int64, id: MessageID, sender: UserID, sentAtMilliseconds: Int64,
        messageKind: MessageKind, flags: MessageFlags, countable: Int64, wire: WireFormat, expireSeconds: UInt32 = 0,
        body: [UInt8], bodyHash: Int64, wallMilliseconds: Int64
    ) {
        self.conversation = conversation
        self.sequence = sequence
        self.id = id
        self.sender = sender
        self.sentAtMilliseconds = sentAtMilliseconds
        self.messageKind = messageKind
        self.flags = flags
        self.countable = countable
        self.wire = wire
        self.expireSeconds = expireSeconds
        self.body = body
        self.bodyHash = bodyHash
        self.wallMilliseconds = wallMilliseconds
    }

    /// True when it is one of those that `countable` counts: it counts as unread, for everybody.
    package var counts: Bool { self.flags.contains(.countsAsUnread) && !self.flags.contains(.restricted) }
}

/// Rows beside a message that only some have; on the heap, because nearly every message has none.
package final class LoggedLists: Hashable, Sendable {
    /// Members who get a reminder because it mentions them.
    package let reminded: [UserID]
    /// Members for whom a message that is for some only counts as unread.
    package let shownTo: [UserID]
    /// Members for whom it does not count, because a rule of the operator hides it from them.
    package let hiddenFrom: [UserID]
    /// Watched words that it has.
    package let flaggedWords: [String]

    /// Collects the rows.
    ///
    /// - Returns: `nil` when there are none.
    package init?(
        reminded: [UserID] = [], shownTo: [UserID] = [], hiddenFrom: [UserID] = [], flaggedWords: [String] = []
    ) {
        guard !reminded.isEmpty || !shownTo.isEmpty || !hiddenFrom.isEmpty || !flaggedWords.isEmpty else { return nil }
        self.reminded = reminded
        self.shownTo = shownTo
        self.hiddenFrom = hiddenFrom
        self.flaggedWords = flaggedWords
    }

    /// Number of rows.
    package var count: Int {
        self.reminded.count + self.shownTo.count + self.hiddenFrom.count + self.flaggedWords.count
    }

    package static func == (left: LoggedLists, right: LoggedLists) -> Bool {
        left.reminded == right.reminded && left.shownTo == right.shownTo && left.hiddenFrom == right.hiddenFrom
            && left.flaggedWords == right.flaggedWords
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.reminded)
        hasher.combine(self.shownTo)
        hasher.combine(self.hiddenFrom)
        hasher.combine(self.flaggedWords)
    }

    fileprivate func write(to fields: inout FieldWriter) {
        fields.people(self.reminded)
        fields.people(self.shownTo)
        fields.people(self.hiddenFrom)
        fields.number(Int64(self.flaggedWords.count))
        for word in self.flaggedWords { fields.text(word) }
    }

    /// Reads what a message says that it has: at least one row.
    fileprivate static func read(_ fields: inout FieldReader) throws(DecodeError) -> LoggedLists {
        let (reminded, shownTo, hiddenFrom) = (try fields.people(), try fields.people(), try fields.people())
        var words: [String] = []
        for _ in 0..<(try fields.count()) { words.append(try fields.text()) }
        let lists = LoggedLists(reminded: reminded, shownTo: shownTo, hiddenFrom: hiddenFrom, flaggedWords: words)
        guard let lists else { throw fields.unknown() }
        return lists
    }
}

/// Fields that a message has or has not; the numbers are stored.
private struct MessageParts: OptionSet {
    let rawValue: UInt8
    static let sentHash = MessageParts(rawValue: 1)
    static let clientToken = MessageParts(rawValue: 2)
    static let topic = MessageParts(rawValue: 4)
    static let envelope = MessageParts(rawValue: 8)
    static let ofMember = MessageParts(rawValue: 16)
    static let hooked = MessageParts(rawValue: 32)
    static let lists = MessageParts(rawValue: 64)
    static let known: MessageParts = [.sentHash, .clientToken, .topic, .envelope, .ofMember, .hooked, .lists]
}

extension LoggedMessage: LoggedContent {
    package var kind: LogRecordKind { .message }

    private var parts: MessageParts {
        var parts: MessageParts = []
        if self.sentHash != nil { parts.insert(.sentHash) }
        if self.clientToken != nil { parts.insert(.clientToken) }
        if self.topic != nil { parts.insert(.topic) }
        if self.envelope != nil { parts.insert(.envelope) }
        if self.isOfMember { parts.insert(.ofMember) }
        if self.isHooked { parts.insert(.hooked) }
        if self.lists != nil { parts.insert(.lists) }
        return parts
    }

    package func write(to fields: inout FieldWriter) {
        let parts = self.parts
        fields.byte(parts.rawValue)
        fields.number(self.conversation.rawValue)
        fields.number(self.sequence)
        fields.number(self.id.rawValue)
        fields.number(self.sender.rawValue)
        fields.number(self.sentAtMilliseconds)
        // Mostly the same moment.
        fields.signed(self.wallMilliseconds - self.sentAtMilliseconds)
        fields.signed(Int64(self.messageKind.rawValue))
        fields.number(self.flags.rawValue)
        fields.number(self.countable)
        fields.number(self.wire.rawValue)
        fields.number(Int64(self.expireSeconds))
        fields.hash(self.bodyHash)
        if let sentHash = self.sentHash { fields.hash(sentHash) }
        if let clientToken = self.clientToken { fields.blob(clientToken.bytes) }
        if let topic = self.topic { fields.text(topic) }
        if let envelope = self.envelope { fields.text(envelope) }
        self.lists?.write(to: &fields)
        fields.blob(self.body)
    }

    /// Reads a payload. Throws when it is not exactly one message.
    init(_ fields: inout FieldReader) throws(DecodeError) {
        let parts = MessageParts(rawValue: try fields.byte())
        guard MessageParts.known.isSuperset(of: parts) else { throw fields.unknown() }
        self.conversation = ConversationID(rawValue: try fields.number())
        self.sequence = try fields.number()
        self.id = MessageID(rawValue: try fields.number())
        self.sender = UserID(rawValue: try fields.number())
        self.sentAtMilliseconds = try fields.number()
        self.wallMilliseconds = self.sentAtMilliseconds &+ (try fields.signed())
        guard let kind = Int32(exactly: try fields.signed()) else { throw fields.unknown() }
        self.messageKind = MessageKind(rawValue: kind)
        self.flags = MessageFlags(rawValue: try fields.number())
        self.countable = try fields.number()
        guard let wire = WireFormat(rawValue: try fields.number()) else { throw fields.unknown() }
        self.wire = wire
        guard let expire = UInt32(exactly: try fields.number()) else { throw fields.unknown() }
        self.expireSeconds = expire
        self.bodyHash = try fields.hash()
        self.sentHash = parts.contains(.sentHash) ? try fields.hash() : nil
        if parts.contains(.clientToken) {
            guard let token = ClientToken(try fields.blob()) else { throw fields.unknown() }
            self.clientToken = token
        }
        self.topic = parts.contains(.topic) ? try fields.text() : nil
        self.envelope = parts.contains(.envelope) ? try fields.text() : nil
        self.isOfMember = parts.contains(.ofMember)
        self.isHooked = parts.contains(.hooked)
        if parts.contains(.lists) { self.lists = try LoggedLists.read(&fields) }
        self.body = try fields.blob()
    }
}
