import CLinux
import Glibc

/// How values cross from any thread to the one thread that owns the mailbox.
///
/// Order is kept per sender. The owner waits on `descriptor` (with `poll` or `epoll`) and takes everything at once; a
/// sender pays one system call only when the mailbox was empty. A mailbox has no bound of its own: whoever accepts work
/// from outside (sockets, requests) bounds it there, with a stated answer when the bound is reached.
package final class Mailbox<Message: Sendable>: Sendable {
    private let waiting: Lock<[Message]>
    /// Readable while something waits. Owned by the mailbox and closed with it.
    package let descriptor: Int32

    /// Makes an empty mailbox. Traps when the kernel gives no descriptor.
    package init() {
        self.waiting = Lock([])
        self.descriptor = clinux_eventfd()
        precondition(self.descriptor >= 0, "eventfd failed: errno \(clinux_errno())")
    }

    deinit { close(self.descriptor) }

    /// Adds one message at the end.
    package func post(_ message: Message) {
        let wasEmpty = self.waiting.withLock { waiting in
            waiting.append(message)
            return waiting.count == 1
        }
        if wasEmpty { clinux_eventfd_signal(self.descriptor) }
    }

    /// Adds messages at the end, together and in order.
    package func post(contentsOf messages: [Message]) {
        guard !messages.isEmpty else { return }
        let wasEmpty = self.waiting.withLock { waiting in
            let wasEmpty = waiting.isEmpty
            waiting.append(contentsOf: messages)
            return wasEmpty
        }
        if wasEmpty { clinux_eventfd_signal(self.descriptor) }
    }

    /// Moves everything that waits into `batch`, which must be empty; its storage is reused by the next senders.
    ///
    /// For the owning thread only.
    package func takeMessages(into batch: inout [Message]) {
        precondition(batch.isEmpty, "the last batch has not been worked off")
        clinux_eventfd_clear(self.descriptor)
        self.waiting.withLock { waiting in swap(&waiting, &batch) }
    }

    /// Blocks until something waits or the time is over. `nil` waits for ever.
    ///
    /// - Returns: whether something waits.
    package func wait(milliseconds: Int32?) -> Bool {
        var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds ?? -1) > 0
    }
}
