import Execution

/// Connections that hold one of a few places until they have proved something, by address and in the order in which they
/// came. Any thread; touched when a connection takes or leaves its place only.
///
/// When no place is free, the newcomer gets that of the oldest connection of the address that holds the most. An attacker
/// with many idle connections so pushes out their own, and somebody who signs in at once hardly ever loses.
final class WaitingRoom: Sendable {
    private struct Entry {
        var id: ConnectionID
        /// Counts all that came.
        var arrival: UInt64
    }

    /// Key of connections that are counted together.
    private struct Line: Hashable {
        var address: IPAddress
        var isShared: Bool
    }

    private struct State {
        var lines: [Line: [Entry]] = [:]
        var arrivals: UInt64 = 0
    }

    private let state = Lock(State())
    /// Addresses behind which there are many people: they give way when nobody else has two places.
    private let isShared: @Sendable (IPAddress) -> Bool

    init(isShared: @escaping @Sendable (IPAddress) -> Bool) { self.isShared = isShared }

    /// A proxy is one address; what else is in its /64 is not behind it.
    private func line(of address: IPAddress) -> Line {
        let isShared = self.isShared(address)
        return Line(address: isShared ? address : address.throttled, isShared: isShared)
    }

    func enter(_ id: ConnectionID, from address: IPAddress) {
        let line = self.line(of: address)
        self.state.withLock { state in
            state.arrivals += 1
            state.lines[line, default: []].append(Entry(id: id, arrival: state.arrivals))
        }
    }

    /// - Returns: false when its place was given to another one.
    func leave(_ id: ConnectionID, from address: IPAddress) -> Bool {
        let line = self.line(of: address)
        return self.state.withLock { state in
            guard let index = state.lines[line]?.firstIndex(where: { $0.id == id }) else { return false }
            Self.remove(index, from: line, &state)
            return true
        }
    }

    /// A proxy has said for whom it speaks.
    func move(_ id: ConnectionID, from old: IPAddress, to new: IPAddress) {
        if self.leave(id, from: old) { self.enter(id, from: new) }
    }

    /// Takes the place of somebody for one who comes from `newcomer`; `nil` when nobody is here.
    func takePlace(for newcomer: IPAddress) -> ConnectionID? {
        let own = self.line(of: newcomer)
        return self.state.withLock { state in
            var chosen: Candidate?
            for (line, entries) in state.lines {
                guard let oldest = entries.first else { continue }
                let count = entries.count + (line == own ? 1 : 0)
                let candidate = (line: line, count: count, arrival: oldest.arrival)
                if chosen.map({ Self.givesWay(candidate, before: $0) }) ?? true { chosen = candidate }
            }
            guard let line = chosen?.line, let id = state.lines[line]?.first?.id else { return nil }
            Self.remove(0, from: line, &state)
            return id
        }
    }

    private typealias Candidate = (line: Line, count: Int, arrival: UInt64)

    private static func givesWay(_ one: Candidate, before other: Candidate) -> Bool {
        // A single connection is nobody's greed: many people behind a proxy have more than that.
        let greed = { (candidate: Candidate) in candidate.line.isShared ? 1 : candidate.count == 1 ? 0 : 2 }
        if greed(one) != greed(other) { return greed(one) > greed(other) }
        if one.count != other.count { return one.count > other.count }
        return one.arrival < other.arrival
    }

    private static func remove(_ index: Int, from line: Line, _ state: inout State) {
        state.lines[line]?.remove(at: index)
        if state.lines[line]?.isEmpty == true { state.lines[line] = nil }
    }
}
