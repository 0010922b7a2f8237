import Diagnostics
import Execution
import Glibc
import Store

/// Reads the database for damage once a day, on a thread of its own, with rests.
final class ScrubSchedule: Sendable {
    /// Time between two looks.
    private static let lookMilliseconds: Int32 = 60_000
    /// Time between two rounds.
    private static let roundMilliseconds: Int64 = 24 * 3_600_000
    /// Time after a start for which people come first.
    private static let quietMilliseconds: Int64 = 600_000
    private static let niceness: Int32 = 15

    private let mailbox = Mailbox<Void>()
    private let state = Lock<(isStopped: Bool, finding: String?)>((false, nil))
    private let thread: Lock<Thread?>

    /// Starts the thread.
    init(_ options: ServerOptions, _ store: Store) {
        self.thread = Lock(nil)
        let (mailbox, state) = (self.mailbox, self.state)
        let startedAt = options.clock.now()
        let thread = Thread(name: "store-scrub") {
            // On Linux the priority is the calling thread's. Source: setpriority(2), "C library/kernel differences".
            setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, Self.niceness)
            while !mailbox.wait(milliseconds: Self.lookMilliseconds) {
                guard options.clock.now().milliseconds(since: startedAt) >= Self.quietMilliseconds,
                    Self.isDue(options)
                else { continue }
                Self.run(options, store, state, mailbox)
            }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread, and a round that is under way. Before the store closes.
    func stop() {
        self.state.withLock { $0.isStopped = true }
        self.mailbox.post(())
        self.thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// Sentence for the operator after a round that has found damage.
    var troubles: [String] {
        self.state.withLock { state in
            state.finding.map { ["damage was found in the database: \($0) Stop teahouse and run teahouse verify"] }
                ?? []
        }
    }

    private static func isDue(_ options: ServerOptions) -> Bool {
        guard let last = LastScrub.read(in: options.store.folder)?.atMilliseconds else { return true }
        let now = options.clock.wallMilliseconds()
        return last > now || now - last >= Self.roundMilliseconds
    }

    private static func run(
        _ options: ServerOptions, _ store: Store, _ state: Lock<(isStopped: Bool, finding: String?)>,
        _ mailbox: Mailbox<Void>
    ) {
        do throws(StoreError) {
            let isWanted: @Sendable () -> Bool = { state.withLock { !$0.isStopped } }
            let outcome = try store.scrub(clock: options.clock, isWanted: isWanted) { milliseconds in
                _ = mailbox.wait(milliseconds: Int32(clamping: milliseconds))
            }
            guard let (last, findings) = outcome else { return }
            last.write(in: options.store.folder)
            state.withLock { $0.finding = findings.first }
            for finding in findings { options.log.error("database_damaged", ["reason": .text(finding)]) }
            options.log.info("database_scrubbed", ["rows": .number(last.rows), "tables": .number(last.tables)])
        } catch {
            options.log.warning("scrub_failed", ["reason": .text(error.description)])
        }
    }
}
