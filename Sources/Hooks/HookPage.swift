import Broker
import ChatModel
import Store

/// A message from the queue, with what is needed to word it.
struct QueuedMessage: Sendable {
    var message: Message
    var kind: ConversationKind
    var channel: ChannelName?
    /// In a direct conversation, the one who is not the sender.
    var peerName: UserName?
    /// Receivers without a primary device online who see the message as it is and whom it alerts; empty for a recalled
    /// message.
    var absent: [UserName]
    var createdAtMilliseconds: Int64
}

/// The front of the queue, as it is worked off in one round.
struct HookPage: Sendable {
    /// Most events in one page, and so in one `msg.notify`. Source: WuKongIM server, count per push.
    static let maximumEvents = 100
    /// Bytes of bodies and names after which a page ends; it has at least one event.
    static let maximumBytes = 512 * 1024

    var sequences: ClosedRange<Int64>
    var messages: [QueuedMessage] = []
    /// Bodies that were worded before, with their place.
    var bodies: [HookEntry] = []
    /// Events that were too old.
    var expired: Int64 = 0
    /// There may be more behind it.
    var isFull = false
}

/// Reads a page; confined to one read transaction.
struct HookPageReader {
    private struct Place {
        var kind: ConversationKind
        var channel: ChannelName?
        var pair: (low: UserID, high: UserID)?
        var absent: [UserID]
        /// Choices of members whom not every message alerts.
        var alerts: [UserID: TeamAlerts] = [:]
    }

    private let transaction: ReadTransaction
    /// Events from before are too old.
    private let horizonMilliseconds: Int64
    /// Picks those of the members who are to be woken; `nil` when nobody is.
    private let absent: (([UserID]) -> [UserID])?
    private var places: [ConversationID: Place] = [:]

    init(_ transaction: ReadTransaction, horizonMilliseconds: Int64, absent: (([UserID]) -> [UserID])?) {
        self.transaction = transaction
        self.horizonMilliseconds = horizonMilliseconds
        self.absent = absent
    }

    /// - Returns: `nil` when nothing waits.
    mutating func page() throws(StoreError) -> HookPage? {
        let entries = try self.transaction.hooks.oldest(limit: HookPage.maximumEvents)
        guard let first = entries.first else { return nil }
        var page = HookPage(sequences: first.sequence...first.sequence)
        page.isFull = entries.count == HookPage.maximumEvents
        var bytes = 0
        for entry in entries {
            if bytes >= HookPage.maximumBytes {
                page.isFull = true
                break
            }
            bytes += try self.takeEntry(entry, into: &page)
            page.sequences = first.sequence...entry.sequence
        }
        return page
    }

    /// - Returns: about how many bytes it adds.
    private mutating func takeEntry(_ entry: HookEntry, into page: inout HookPage) throws(StoreError) -> Int {
        guard entry.createdAtMilliseconds >= self.horizonMilliseconds else {
            page.expired += 1
            return 0
        }
        switch entry.subject {
        case .body(let body):
            page.bodies.append(entry)
            return body.count
        case .message(let id, let sequence):
            guard let message = try self.transaction.messages.one(in: id, sequence: sequence, as: .unrestricted),
                let place = try self.place(id)
            else { return 0 }
            let isWithdrawn = message.content.flags.contains(.withdrawn)
            let alerted =
                isWithdrawn ? [] : try self.transaction.inbox.alerted(by: message, among: place.absent, place.alerts)
            let others = alerted.filter { $0 != message.sender }
            let absent = try self.names(of: self.transaction.messages.audience(of: message, among: others))
            page.messages.append(
                QueuedMessage(
                    message: message, kind: place.kind, channel: place.channel,
                    peerName: try self.peerName(place, message), absent: absent,
                    createdAtMilliseconds: entry.createdAtMilliseconds))
            return 2 * message.content.body.count + absent.reduce(0) { $0 + $1.text.utf8.count }
        }
    }

    private mutating func place(_ id: ConversationID) throws(StoreError) -> Place? {
        if let known = self.places[id] { return known }
        guard let conversation = try self.transaction.conversations.one(id) else { return nil }
        var place = Place(kind: conversation.kind, channel: conversation.channel, absent: [])
        if conversation.kind == .direct { place.pair = try self.transaction.conversations.directPair(of: id) }
        if let absent = self.absent {
            place.alerts = try self.transaction.inbox.alertChoices(in: id)
            place.absent = absent(try self.transaction.hooks.memberIDs(of: conversation))
        }
        self.places[id] = place
        return place
    }

    private func peerName(_ place: Place, _ message: Message) throws(StoreError) -> UserName? {
        guard let pair = place.pair else { return nil }
        return try self.transaction.hooks.userName(of: pair.low == message.sender ? pair.high : pair.low)
    }

    private func names(of users: [UserID]) throws(StoreError) -> [UserName] {
        var names: [UserName] = []
        names.reserveCapacity(users.count)
        for user in users { names.append(try self.transaction.hooks.userName(of: user)) }
        return names
    }
}
