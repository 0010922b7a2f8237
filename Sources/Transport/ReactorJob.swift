package import Execution

extension Reactor {
    /// Work to run on the reactor's thread.
    package struct Job: Sendable {
        /// Connection whose answer this is; `nil` for work that is nobody's own.
        let connection: ConnectionID?
        let run: @Sendable (Reactor) -> Void
    }
}

extension Mailbox where Message == Reactor.Job {
    /// Runs `body` on the reactor's thread in its next turn.
    package func post(_ body: @escaping @Sendable (Reactor) -> Void) {
        self.post(Reactor.Job(connection: nil, run: body))
    }

    /// Runs `body`, which answers one connection, on the reactor's thread: in its next turn for one on which nobody has
    /// signed in, else when it is its turn among those who have. Order is kept per connection, among answers alone: what is
    /// posted without a connection may come first.
    package func post(for connection: ConnectionID, _ body: @escaping @Sendable (Reactor) -> Void) {
        self.post(Reactor.Job(connection: connection, run: body))
    }
}

/// Values that wait for a later turn, oldest first. Storage is kept.
struct TurnQueue<Element> {
    private var elements: [Element] = []
    private var next = 0

    var isEmpty: Bool { self.next == self.elements.count }
    var count: Int { self.elements.count - self.next }

    mutating func append(_ element: Element) { self.elements.append(element) }

    mutating func popFirst() -> Element? {
        guard self.next < self.elements.count else { return nil }
        let element = self.elements[self.next]
        self.next += 1
        // What was taken goes once it is half of the queue.
        if self.next == self.elements.count {
            self.elements.removeAll(keepingCapacity: true)
            self.next = 0
        } else if self.next >= 64, 2 * self.next >= self.elements.count {
            self.elements.removeFirst(self.next)
            self.next = 0
        }
        return element
    }
}
