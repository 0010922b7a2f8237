package import Broker
import Execution
package import HTTPClient
package import Store

/// Tells a business server what happens: events go from the store's queue to its address, in order within each
/// conversation, at least once, until it takes them or they are too old.
///
/// A receiver that is down or slow costs nothing but room in the queue: requests are made on the client's threads, the
/// queue is on the disk and bounded, and no message waits for it.
package final class Hooks: Sendable {
    private let mailbox: Mailbox<HookLoopEvent>
    private let broker: Broker
    private let gauge: Lock<HookMetrics>
    private let thread: Thread

    /// Starts the thread. Before the gateways open: who came online earlier is not known.
    ///
    /// - Parameters:
    ///   - store: opened with `queuesHooks` when the events include messages.
    ///   - client: must outlive this.
    package init(_ options: HooksOptions, store: Store, broker: Broker, client: HTTPClient) {
        let mailbox = Mailbox<HookLoopEvent>()
        let gauge = Lock(HookMetrics())
        let presence = Presence(keepsLines: options.events.contains(.onlineStatus))
        let news = HookNews()
        self.mailbox = mailbox
        self.gauge = gauge
        self.broker = broker
        broker.watch { events in
            let (stored, hasFirstLine) = presence.noteEvents(events)
            if stored > 0, news.add(stored) { mailbox.post(.news) }
            if hasFirstLine { mailbox.post(.lines) }
        } then: { _ in
        }
        self.thread = Thread(name: "hooks") {
            HookLoop(options, store: store, client: client, presence: presence, news: news, mailbox, gauge).run()
        }
    }

    /// Metrics of delivery, from any thread.
    package var metrics: HookMetrics { self.gauge.withLock { $0 } }

    /// Lets requests that are under way end, for a second at most, puts what is not delivered into the queue, and ends
    /// the thread. Before the broker and the store stop; once only.
    package func stop() {
        // What the broker did before is told at the end of its turn, so it takes a second turn to know that it was.
        for _ in 0..<2 {
            let isDone = ConditionLock(false)
            self.broker.metrics { _ in isDone.change { $0 = true } }
            isDone.wait(until: { $0 }, then: { _ in })
        }
        self.mailbox.post(.stop)
        self.thread.join()
    }
}

/// How many messages were stored since the loop has looked into the queue. Any thread.
final class HookNews: Sendable {
    private let count = Lock(0)

    /// - Returns: whether the loop has to be told: of the first message, and of the one that fills a page.
    func add(_ messages: Int) -> Bool {
        self.count.withLock { count in
            let before = count
            count += messages
            return before == 0 || (before < HookPage.maximumEvents && count >= HookPage.maximumEvents)
        }
    }

    var current: Int { self.count.withLock { $0 } }

    func reset() { self.count.withLock { $0 = 0 } }
}
