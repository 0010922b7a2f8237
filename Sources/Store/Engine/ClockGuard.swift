import ChatModel
import Execution

/// State of the wall clock, which decides if rows may be deleted by age.
package enum ClockState: Hashable, Sendable {
    /// It has run evenly for an hour.
    case believed
    /// It has not yet, since a start or since it was put right.
    case settling
    /// It is so far ahead of the time that was believed last; less than 0: behind it. Nothing goes for its age until it is
    /// believed again.
    case doubted(aheadMilliseconds: Int64)
}

/// Compares the wall clock with the monotonic one, and with the time at which the store was open last.
///
/// A clock that is an hour off has run on for an hour before it is believed. One that is more than a day ahead may be a
/// server that was switched off, so it is believed after a day; one that is more than `absenceDays` ahead, or more than a day
/// behind, only when it comes back or the operator says that it is right (`server.clock`). Confined to the writer's
/// thread.
final class ClockGuard {
    /// How far the clock may be off, and how long it must run evenly.
    static let steadyMilliseconds: Int64 = 3_600_000
    static let dayMilliseconds: Int64 = 86_400_000
    /// The longest time that a server is thought to have been switched off.
    static let absenceDays: Int64 = 400

    private enum Phase {
        case believed
        /// On from then on.
        case settling(until: Instant)
        /// `nil`: not by itself.
        case doubted(until: Instant?)
    }

    /// Two readings of the clocks at which the wall clock was believed.
    private var reference: (now: Instant, wall: Int64)
    private var lastSeen: (now: Instant, wall: Int64)
    private var phase: Phase
    /// The operator says that the clock is right, whatever it says.
    private(set) var isTrusted: Bool

    /// - Parameter lastBelieved: the last time that was believed, UTC milliseconds; `nil` in a new database.
    init(lastBelieved: Int64?, isTrusted: Bool, _ clock: Clock) {
        let (now, wall) = (clock.now(), clock.wallMilliseconds())
        let known = lastBelieved ?? wall
        self.reference = (now, known)
        self.lastSeen = (now, wall)
        self.isTrusted = isTrusted
        self.phase = .settling(until: now.advanced(byMilliseconds: Self.steadyMilliseconds))
        if (wall - known).magnitude <= UInt64(Self.dayMilliseconds) || isTrusted {
            self.reference.wall = wall
        } else {
            self.phase = Self.doubt(offset: wall - known, at: now)
        }
    }

    private static func doubt(offset: Int64, at now: Instant) -> Phase {
        let isAbsence = offset > 0 && offset <= Self.absenceDays * Self.dayMilliseconds
        return .doubted(until: isAbsence ? now.advanced(byMilliseconds: Self.dayMilliseconds) : nil)
    }

    /// How far the clock is ahead of where it would be had it run evenly.
    private var offset: Int64 {
        (self.lastSeen.wall - self.reference.wall) - self.lastSeen.now.milliseconds(since: self.reference.now)
    }

    var state: ClockState {
        switch self.phase {
        case .believed: .believed
        case .settling: .settling
        case .doubted: .doubted(aheadMilliseconds: self.offset)
        }
    }

    /// True when rows may be deleted by age.
    var isSteady: Bool {
        if case .believed = self.phase { return true }
        return false
    }

    /// Nothing may be deleted for its age, not even what has waited for a day only.
    var isInDoubt: Bool {
        if case .doubted = self.phase { return true }
        return false
    }

    /// It agrees with the time that is believed: what has a later time got it from a clock that was wrong.
    var agrees: Bool { !self.isInDoubt && self.offset.magnitude <= UInt64(Self.steadyMilliseconds) }

    /// Looks at both clocks.
    ///
    /// - Returns: whether it is believed, or doubted, and was not before, or the other way round.
    @discardableResult
    func observe(_ clock: Clock) -> Bool {
        let (now, wall) = (clock.now(), clock.wallMilliseconds())
        let step = (wall - self.lastSeen.wall) - now.milliseconds(since: self.lastSeen.now)
        self.lastSeen = (now, wall)
        let before = (self.isSteady, self.isInDoubt)
        if step.magnitude > UInt64(Self.steadyMilliseconds) || self.hasCrept {
            self.phase = self.phase(after: now)
        } else {
            self.settle(at: now)
        }
        return (self.isSteady, self.isInDoubt) != before
    }

    /// Many small steps are one large one.
    private var hasCrept: Bool { !self.isInDoubt && self.offset.magnitude > UInt64(Self.dayMilliseconds) }

    private func phase(after now: Instant) -> Phase {
        let offset = self.offset
        if offset.magnitude > UInt64(Self.dayMilliseconds), !self.isTrusted {
            return Self.doubt(offset: offset, at: now)
        }
        if self.isTrusted { self.reference = self.lastSeen }
        return .settling(until: now.advanced(byMilliseconds: Self.steadyMilliseconds))
    }

    private func settle(at now: Instant) {
        switch self.phase {
        case .believed: return
        case .settling(let until), .doubted(let until?):
            guard now >= until else { return }
            self.phase = .believed
            self.reference = self.lastSeen
        case .doubted(nil): return
        }
    }

    /// The operator says that the clock is right, or that it is to be watched again.
    func setTrusted(_ isTrusted: Bool, _ clock: Clock) {
        self.isTrusted = isTrusted
        guard isTrusted, self.isInDoubt else { return }
        let now = clock.now()
        self.lastSeen = (now, clock.wallMilliseconds())
        self.reference = self.lastSeen
        self.phase = .believed
    }
}

extension Connection {
    /// The last time that was believed; of a database from before it was kept, that of its newest message.
    func lastBelievedMilliseconds() throws(StoreError) -> Int64? {
        let kept = try self.meta("clock_believed")
        if kept > 0 { return kept }
        let newest = try self.meta("ids_until")
        return newest > 0 ? MessageID(rawValue: newest).milliseconds : nil
    }
}
