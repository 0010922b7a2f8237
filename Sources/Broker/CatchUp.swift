package import ChatModel
package import Store

/// A part of a `MissedRange`.
package struct MissedPage: Sendable {
    /// In order; messages after the range's `after`.
    package var deliveries: [Delivery]
    /// The range ends with this page.
    package var isLast: Bool
}

/// Reading what a session missed. Each `then` runs on a reader's thread, gets `nil` when the store could not answer
/// now, and must only post to a mailbox.
extension Broker {
    /// Messages in one page, at most.
    package static let missedPageMessages = 500
    /// Bytes of one page, about; a page has at least one message. It has to fit between the marks of an outbox.
    package static let missedPageBytes = 65_536
    /// Bytes of a message on the wire besides its body, about.
    private static let frameBytes = 400

    /// The ranges that a person's devices of one class have not acknowledged, or for conversations in `positions`,
    /// what comes after the position there.
    ///
    /// - Parameters:
    ///   - only: look at the conversations in `positions` only.
    ///   - limit: messages per conversation; of more, the newest.
    package func missedRanges(
        user: UserID, deviceClass: DeviceClass, positions: [ConversationID: Int64], only: Bool, limit: Int64,
        then: @escaping @Sendable ([MissedRange]?) -> Void
    ) {
        self.store.read(for: .person(user)) { transaction throws(StoreError) in
            var ranges: [MissedRange] = []
            for missed in try transaction.conversations.undelivered(of: user, class: deviceClass) {
                guard let known = positions[missed.conversation] ?? (only ? nil : missed.from) else { continue }
                var after = max(missed.from, known)
                if missed.head - after > limit {
                    after = max(
                        after,
                        try transaction.conversations.sequence(
                            behindNewest: limit, of: missed.conversation, head: missed.head))
                }
                guard after < missed.head else { continue }
                if let range = try Self.range(missed, after: after, for: user, transaction) { ranges.append(range) }
            }
            return ranges
        } then: { result in
            then(try? result.get())
        }
    }

    private static func range(
        _ missed: UndeliveredRange, after: Int64, for user: UserID, _ transaction: ReadTransaction
    ) throws(StoreError) -> MissedRange? {
        guard let conversation = try transaction.conversations.one(missed.conversation) else { return nil }
        var peerName: UserName?
        if conversation.kind == .direct, let pair = try transaction.conversations.directPair(of: conversation.id) {
            peerName = try transaction.people.user(pair.low == user ? pair.high : pair.low)?.name
        }
        return MissedRange(
            conversation: conversation.id, kind: conversation.kind, channel: conversation.channel, peerName: peerName,
            after: after, through: missed.head)
    }

    /// The next page of a range, if the person is still a member.
    package func missedMessages(
        _ range: MissedRange, user: UserID, then: @escaping @Sendable (MissedPage?) -> Void
    ) {
        self.store.read(for: .person(user)) { transaction throws(StoreError) in
            let messages = try transaction.messages.page(
                in: range.conversation, after: range.after, limit: Self.missedPageMessages, as: .member(user),
                skippingUnseen: true, maximumBytes: Self.missedPageBytes)
            return Self.firstPage(of: messages, through: range.through)
        } then: { result in
            switch result {
            case .success(let messages):
                then(
                    MissedPage(
                        deliveries: messages.map { Self.delivery($0, in: range, to: user) },
                        isLast: messages.last.map { $0.sequence >= range.through } ?? true))
            case .failure(.notFound): then(MissedPage(deliveries: [], isLast: true))
            case .failure: then(nil)
            }
        }
    }

    private static func firstPage(of messages: [Message], through last: Int64) -> [Message] {
        var bytes = 0
        let count = messages.prefix { message in
            defer { bytes += message.content.body.count + Self.frameBytes }
            return message.sequence <= last && bytes < Self.missedPageBytes
        }.count
        return Array(messages.prefix(count))
    }

    private static func delivery(_ message: Message, in range: MissedRange, to user: UserID) -> Delivery {
        // In a direct conversation a delivery names the one who is not the sender.
        let peer = message.sender == user ? range.peerName : nil
        return Delivery(message: message, kind: range.kind, channel: range.channel, peerName: peer, origin: 0)
    }

    /// Notes how far device classes have their conversations, so that the next sign-in begins there. Lost when the
    /// process dies before the next commit: then a few messages are sent a second time.
    package func recordDelivered(_ positions: [DeliveredPosition]) {
        guard !positions.isEmpty else { return }
        self.store.mark { transaction throws(StoreError) in
            try transaction.inbox.recordDelivered(positions)
        } then: { _ in
        }
    }
}
