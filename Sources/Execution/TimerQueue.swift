/// Timers of one thread: a binary heap by time. Confined to its thread.
///
/// A timer is not cancelled: when its payload comes up and is no longer wanted, the owner ignores it. Keep one timer
/// per
/// thing and arm it again, so that the queue stays as small as the number of things.
package struct TimerQueue<Payload> {
    private var heap: [(due: Instant, order: UInt64, payload: Payload)] = []
    private var order: UInt64 = 0

    /// Makes an empty queue.
    package init() {}

    /// Timers that have not come up.
    package var count: Int { self.heap.count }

    /// When the next timer is due.
    package var nextDue: Instant? { self.heap.first?.due }

    /// Milliseconds from `now` to the next timer, rounded up so that a loop does not spin; `nil` without timers.
    package func millisecondsUntilNext(from now: Instant) -> Int32? {
        guard let due = self.nextDue else { return nil }
        let nanoseconds = max(0, due.nanoseconds - now.nanoseconds)
        return Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
    }

    /// Adds a timer. Timers of the same instant come up in the order they were added.
    package mutating func add(_ payload: Payload, due: Instant) {
        self.heap.append((due, self.order, payload))
        self.order &+= 1
        var child = self.heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard self.isBefore(child, parent) else { break }
            self.heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next timer that is due at `now`.
    package mutating func popDue(at now: Instant) -> Payload? {
        guard let first = self.heap.first, first.due <= now else { return nil }
        let last = self.heap.removeLast()
        if !self.heap.isEmpty {
            self.heap[0] = last
            self.siftDown()
        }
        return first.payload
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < self.heap.count else { return }
            let right = left + 1
            let child = right < self.heap.count && self.isBefore(right, left) ? right : left
            guard self.isBefore(child, parent) else { return }
            self.heap.swapAt(child, parent)
            parent = child
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let (a, b) = (self.heap[left], self.heap[right])
        return (a.due.nanoseconds, a.order) < (b.due.nanoseconds, b.order)
    }
}
