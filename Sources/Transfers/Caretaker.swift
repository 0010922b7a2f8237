import Execution
import Glibc

/// Removes what nothing refers to and checks what is kept, on a thread of its own and of low priority, so that no
/// transfer waits for it. Any thread may ask.
final class Caretaker: Sendable {
    private struct Wishes {
        var collects = false
        var scrubs = false
        var collected: [@Sendable () -> Void] = []
        var checked: [@Sendable () -> Void] = []
        var isStopped = false

        var isEmpty: Bool { !self.collects && !self.scrubs && !self.isStopped }
    }

    private let wishes: ConditionLock<Wishes>
    private let thread: Thread

    init(_ tools: TransferTools) {
        let wishes = ConditionLock(Wishes())
        self.wishes = wishes
        self.thread = Thread(name: "files-care") {
            // On Linux the priority is the calling thread's. Source: setpriority(2), "C library/kernel differences".
            setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, 19)
            let rounds = CareRounds(tools) { wishes.read { $0.isStopped } }
            while let wish = Self.next(wishes) {
                if wish.collects {
                    rounds.collect()
                    for then in wish.collected { then() }
                }
                if wish.scrubs {
                    rounds.scrub(isGentle: wish.checked.isEmpty)
                    for then in wish.checked { then() }
                }
            }
        }
    }

    private static func next(_ wishes: ConditionLock<Wishes>) -> Wishes? {
        wishes.wait(until: { !$0.isEmpty }) { wishes in
            if wishes.isStopped { return nil }
            defer { wishes = Wishes() }
            return wishes
        }
    }

    func collect(then: (@Sendable () -> Void)? = nil) {
        self.wishes.change { wishes in
            wishes.collects = true
            if let then { wishes.collected.append(then) }
        }
    }

    /// - Parameter then: whoever waits for it does not want it gentle: everything that is due is checked at once.
    func scrub(then: (@Sendable () -> Void)? = nil) {
        self.wishes.change { wishes in
            wishes.scrubs = true
            if let then { wishes.checked.append(then) }
        }
    }

    /// Ends the thread after the object it is at. Who waits for the rest is answered.
    func stop() {
        let waiting = self.wishes.change { wishes in
            wishes.isStopped = true
            defer {
                wishes.collected = []
                wishes.checked = []
            }
            return wishes.collected + wishes.checked
        }
        self.thread.join()
        for then in waiting { then() }
    }
}
