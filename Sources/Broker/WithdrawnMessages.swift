package import ChatModel

/// The newest messages that were recalled or deleted for everyone, so that a copy which still waits somewhere (to be
/// sent again, held back, read from the store before) does not go out with its body. Confined to its reactor.
package struct WithdrawnMessages {
    /// Most messages remembered, which is more than people recall while a copy waits: five minutes as configured.
    static let maximum = 16_384

    private var known: Set<MessageID> = []
    /// A ring of them; `next` is the oldest once it is full.
    private var order: [MessageID] = []
    private var next = 0

    /// Makes an empty set.
    package init() {}

    /// Adds a message; over the bound the oldest is forgotten.
    package mutating func insert(_ message: MessageID) {
        guard self.known.insert(message).inserted else { return }
        if self.order.count < Self.maximum { return self.order.append(message) }
        self.known.remove(self.order[self.next])
        self.order[self.next] = message
        self.next = (self.next + 1) % Self.maximum
    }

    /// True when the message was withdrawn lately.
    package func contains(_ message: MessageID) -> Bool { !self.known.isEmpty && self.known.contains(message) }
}
