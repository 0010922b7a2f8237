package import ChatModel
package import Execution
package import Store

/// Makes a channel that is not known here, if somebody else knows it, and says whether it is here now: through the store,
/// so that its answer comes after the outcomes of what was asked before. `then` runs once, on any thread.
package typealias ChannelSource =
    @Sendable (_ kind: ConversationKind, _ name: ChannelName, _ then: @escaping @Sendable (Bool) -> Void) -> Void

/// Messages to channels that are not known here: they wait while the channel is asked for, and go on in the order in which
/// they came. Events in, actions out; confined to the broker's thread.
///
/// A message is asked for once: what is refused a second time stays refused. Names that nobody knows are remembered for a
/// while, so that a client cannot have them asked for with every message.
package struct ChannelSourcing {
    /// Decision about a message on its way to the writer.
    package enum Passage: Equatable {
        case goOn
        case wait
        /// Too much waits already.
        case busy
    }

    /// Decision about a message that the writer refused because there is no such channel.
    package enum Answer: Equatable {
        case refuse
        case wait
        case busy
        /// It waits; ask for this channel.
        case ask(ConversationKind, ChannelName)
    }

    private struct Numbered {
        /// Counts the messages to channels as they came.
        var number: UInt64
        var append: Append
    }

    /// Channels that are asked for at a time.
    package static let maximumChannels = 64
    /// Messages that wait, for all channels together.
    package static let maximumMessages = 1_024
    /// Bytes of their bodies.
    package static let maximumBytes = 8 << 20
    /// Names that are remembered as unknown; with one more the oldest is forgotten.
    package static let maximumUnknown = 1_024
    /// Milliseconds for which an unknown channel is not asked for again.
    package static let unknownMilliseconds: Int64 = 10_000

    private var lastNumber: UInt64 = 0
    /// At the writer for the first time, by ticket.
    private var sent: [UInt64: Numbered] = [:]
    /// In order, by channel that is asked for.
    private var waiting: [ConversationAddress: [Numbered]] = [:]
    private var waitingMessages = 0
    private var waitingBytes = 0
    /// Until when a name is unknown.
    private var unknown: [ConversationAddress: Instant] = [:]

    /// Makes an empty table.
    package init() {}

    /// A message has come for the writer.
    package mutating func passes(_ append: Append) -> Passage {
        guard case .channel = append.address else { return .goOn }
        self.lastNumber += 1
        let message = Numbered(number: self.lastNumber, append: append)
        guard self.waiting[append.address] == nil else { return self.hold(message) ? .wait : .busy }
        self.sent[append.ticket] = message
        return .goOn
    }

    /// The writer has answered with something else than `noSuchConversation`.
    package mutating func settled(ticket: UInt64) { self.sent[ticket] = nil }

    /// The writer knows no such channel.
    package mutating func refused(ticket: UInt64, at now: Instant) -> Answer {
        guard let message = self.sent.removeValue(forKey: ticket),
            case .channel(let kind, let name) = message.append.address
        else { return .refuse }
        let address = message.append.address
        if self.waiting[address] != nil { return self.hold(message) ? .wait : .busy }
        if let until = self.unknown[address] {
            if now < until { return .refuse }
            self.unknown[address] = nil
        }
        guard self.waiting.count < Self.maximumChannels, self.hold(message) else { return .busy }
        return .ask(kind, name)
    }

    /// The channel was asked for.
    ///
    /// - Returns: what waited for it, in order: to be sent to the writer when `isThere`, otherwise to be refused.
    package mutating func answered(_ kind: ConversationKind, _ name: ChannelName, isThere: Bool, at now: Instant)
        -> [Append]
    {
        let address = ConversationAddress.channel(kind, name)
        let appends = (self.waiting.removeValue(forKey: address) ?? []).map(\.append)
        self.waitingMessages -= appends.count
        self.waitingBytes -= appends.reduce(0) { $0 + $1.content.body.count }
        if !isThere { self.remember(address, at: now) }
        return appends
    }

    /// Holds a message until its channel is known, in its place.
    ///
    /// A message that was at the writer already when the channel was first asked for returns later than messages held
    /// since,
    /// but was sent before them: its number tells its place.
    private mutating func hold(_ message: Numbered) -> Bool {
        let bytes = message.append.content.body.count
        guard self.waitingMessages < Self.maximumMessages, self.waitingBytes + bytes <= Self.maximumBytes else {
            return false
        }
        self.waitingMessages += 1
        self.waitingBytes += bytes
        var messages = self.waiting[message.append.address] ?? []
        let place = messages.lastIndex { $0.number < message.number }.map { $0 + 1 } ?? 0
        messages.insert(message, at: place)
        self.waiting[message.append.address] = messages
        return true
    }

    private mutating func remember(_ address: ConversationAddress, at now: Instant) {
        if self.unknown.count >= Self.maximumUnknown {
            self.unknown = self.unknown.filter { $0.value > now }
        }
        if self.unknown.count >= Self.maximumUnknown, let oldest = self.unknown.min(by: { $0.value < $1.value }) {
            self.unknown[oldest.key] = nil
        }
        self.unknown[address] = now.advanced(byMilliseconds: Self.unknownMilliseconds)
    }
}
