import CLinux
import ChatModel
import Execution
import Glibc
package import Store

/// The backups of a running server, one at a time, on a thread of its own. Any thread may ask.
package final class BackupService: Sendable {
    /// Answer to a question.
    package typealias Answer<Value> = @Sendable (Result<Value, BackupError>) -> Void

    /// After which a backup whose owner asks for nothing is given up when somebody wants another.
    private static let idleMilliseconds: Int64 = 12 * 3_600_000
    /// Questions that may wait.
    private static let capacity = 256
    private static let niceness: Int32 = 10

    /// Holder of the one place: a number for each backup, and when it was last asked for something.
    private struct Occupant {
        var ticket: Int64
        var askedAt: Instant
    }

    /// The source that is read; confined to the thread.
    private final class Place {
        var ticket: Int64 = 0
        var source: LiveSource?
        var facts: BackupFacts?
    }

    private let store: Store
    private let options: LiveBackupOptions
    private let hold: @Sendable (Bool) -> Void
    private let state = Lock<(occupant: Occupant?, last: Int64, isStopped: Bool)>((nil, 0, false))
    private let thread: WorkerPool<Place>

    /// Starts the thread.
    ///
    /// - Parameter hold: keeps what nothing refers to any more from being removed while it is true.
    package init(_ store: Store, _ options: LiveBackupOptions, hold: @escaping @Sendable (Bool) -> Void) {
        self.store = store
        self.options = options
        self.hold = hold
        LiveSource.removeRest(in: options.folder)
        self.thread = WorkerPool(name: "backup", threads: 1, capacity: Self.capacity) {
            // On Linux the priority is the calling thread's. Source: setpriority(2), "C library/kernel differences".
            setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, Self.niceness)
            return Place()
        }
    }

    /// Gives up what is under way and ends the thread. Before the store closes.
    package func stop() {
        self.state.withLock { $0.isStopped = true }
        self.thread.stop()
    }

    /// True while a backup is under way.
    package var isBusy: Bool { self.state.withLock { $0.occupant != nil } }

    // MARK: The place

    private func enter() -> Int64? {
        let now = self.options.clock.now()
        return self.state.withLock { state in
            if state.isStopped { return nil }
            if let occupant = state.occupant, now.milliseconds(since: occupant.askedAt) < Self.idleMilliseconds {
                return nil
            }
            state.last += 1
            state.occupant = Occupant(ticket: state.last, askedAt: now)
            return state.last
        }
    }

    private func isWanted(_ ticket: Int64) -> Bool {
        self.state.withLock { !$0.isStopped && $0.occupant?.ticket == ticket }
    }

    /// - Returns: whether the backup still has the place.
    private func touch(_ ticket: Int64) -> Bool {
        let now = self.options.clock.now()
        return self.state.withLock { state in
            guard !state.isStopped, state.occupant?.ticket == ticket else { return false }
            state.occupant?.askedAt = now
            return true
        }
    }

    private func leave(_ ticket: Int64) {
        self.state.withLock { if $0.occupant?.ticket == ticket { $0.occupant = nil } }
    }

    private func submit<Value>(
        _ then: @escaping Answer<Value>, _ body: @escaping @Sendable (Place) throws(BackupError) -> Value
    ) {
        let isTaken = self.thread.submit { place in
            do throws(BackupError) { then(.success(try body(place))) } catch { then(.failure(error)) }
        }
        if !isTaken { then(.failure(.refused("the server is stopping, or has too much to do: ask again"))) }
    }

    // MARK: For somebody who writes it elsewhere

    /// Makes a snapshot and keeps it until `finish` or `abandon`.
    ///
    /// - Parameters:
    ///   - progress: bytes of the database that are copied, and all of them.
    ///   - then: gets the ticket for what follows.
    package func begin(
        progress: @escaping @Sendable (Int64, Int64) -> Void,
        then: @escaping Answer<(ticket: Int64, facts: BackupFacts)>
    ) -> Int64? {
        guard let ticket = self.enter() else {
            then(.failure(.refused("another backup is being made: wait for its end")))
            return nil
        }
        self.submit(then) { place throws(BackupError) in
            guard self.isWanted(ticket) else { throw .ended }
            // What nothing refers to stays until the backup has it.
            self.clear(place)
            self.hold(true)
            let source = LiveSource(self.store, self.options) { self.isWanted(ticket) }
            do throws(BackupError) {
                let facts = try source.begin { done, all in
                    _ = self.touch(ticket)
                    progress(done, all)
                }
                guard self.isWanted(ticket) else { throw .ended }
                (place.ticket, place.source, place.facts) = (ticket, source, facts)
                return (ticket, facts)
            } catch {
                self.hold(false)
                self.leave(ticket)
                throw error
            }
        }
        return ticket
    }

    private func with<Value>(
        _ ticket: Int64, _ then: @escaping Answer<Value>,
        _ body: @escaping @Sendable (LiveSource, BackupFacts) throws(BackupError) -> Value
    ) {
        self.submit(then) { place throws(BackupError) in
            guard self.touch(ticket), place.ticket == ticket, let source = place.source, let facts = place.facts else {
                throw .ended
            }
            return try body(source, facts)
        }
    }

    /// A page of the files.
    package func items(_ ticket: Int64, after: String?, then: @escaping Answer<BackupPage>) {
        self.with(ticket, then) { source, _ throws(BackupError) in try source.items(after: after) }
    }

    /// The bytes of a file from an offset on.
    package func read(_ ticket: Int64, _ path: String, at offset: Int64, then: @escaping Answer<[UInt8]>) {
        self.with(ticket, then) { source, _ throws(BackupError) in try source.read(path, at: offset) }
    }

    /// Notes a backup that is whole and verified, and lets the snapshot go.
    package func finish(
        _ ticket: Int64, name: String, bytes: Int64, proof: String, then: @escaping Answer<LastBackup>
    ) {
        let (clock, folder) = (self.options.clock, self.options.folder)
        self.with(
            ticket,
            { result in
                self.abandon(ticket)
                // Behind it: who is told finds the copy gone.
                if !self.thread.submit({ _ in then(result) }) { then(result) }
            }
        ) { _, facts throws(BackupError) in
            let last = LastBackup(
                atMilliseconds: facts.atMilliseconds, verifiedAtMilliseconds: clock.wallMilliseconds(), name: name,
                bytes: bytes, proof: proof)
            last.write(in: folder)
            return last
        }
    }

    /// Lets the snapshot of a backup go that nobody goes on with. Does nothing for one that is over.
    package func abandon(_ ticket: Int64) {
        self.leave(ticket)
        _ = self.thread.submit { place in
            if place.ticket == ticket { self.clear(place) }
        }
    }

    /// Lets the snapshot go; also one whose owner has asked for nothing for long.
    private func clear(_ place: Place) {
        guard place.source != nil else { return }
        (place.source, place.facts, place.ticket) = (nil, nil, 0)
        self.hold(false)
    }

    // MARK: For this machine

    /// Makes a backup in a folder that the server may write to.
    package func run(
        into directory: String, progress: @escaping @Sendable (BackupProgress) -> Void = { _ in },
        then: @escaping Answer<MadeBackup>
    ) {
        guard let ticket = self.enter() else {
            return then(.failure(.refused("another backup is being made: wait for its end")))
        }
        self.submit(then) { place throws(BackupError) in
            self.clear(place)
            self.hold(true)
            defer {
                self.hold(false)
                self.leave(ticket)
            }
            var writer = BackupWriter(directory, clock: self.options.clock)
            writer.isWanted = { self.touch(ticket) }
            writer.progress = progress
            let made = try writer.run(LiveSource(self.store, self.options) { self.touch(ticket) })
            LastBackup(
                atMilliseconds: made.manifest.facts.atMilliseconds,
                verifiedAtMilliseconds: made.manifest.verifiedAtMilliseconds ?? 0, name: made.name,
                bytes: made.manifest.bytes, proof: made.manifest.listHash
            ).write(in: self.options.folder)
            return made
        }
    }
}
