import AdminAPI
import Broker
import ChatModel
import Execution
import Store
import Testing

@testable import AdminService

@Suite("The pulse of the server") struct LiveTests {
    private func look(_ client: AdminClient) throws -> AdminLiveHistory {
        guard case .live(let history) = try client.ask(.live(.look)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return history
    }

    /// Turns the clock until there are so many points. Nothing is being measured when this returns: the broker answers
    /// in order, the loop before the question for the status.
    private func points(_ count: Int, _ clock: ManualClock, _ client: AdminClient) throws -> [AdminLivePoint] {
        _ = try client.ask(.status)
        var points = try self.look(client).points
        while points.count < count {
            clock.advance(milliseconds: 1_000)
            _ = try client.ask(.status)
            points = try self.look(client).points
        }
        return points
    }

    @Test("has a point for each second, with what was done in it, and limits")
    func points() throws {
        let clock = ManualClock()
        let fixture = try Fixture(clock: clock.clock)
        try fixture.add("romeo", "juliet")
        try fixture.signIn("juliet", .app, handle: 1)
        let client = try fixture.client()
        _ = try self.points(2, clock, client)
        for text in ["a", "b", "c"] { _ = try client.ask(.send(AdminSend(from: romeo, to: .user(juliet), text: text))) }
        let points = try self.points(3, clock, client)
        let (quiet, busy) = (points[points.count - 2], points[points.count - 1])
        #expect(quiet.messages == 0 && busy.messages == 3 && busy.deliveries == 3)
        #expect(busy.sessions == 1 && busy.usersOnline == 1 && busy.commits >= 1 && busy.commitMicroseconds > 0)
        #expect(busy.atMilliseconds > quiet.atMilliseconds)
        #expect(try self.look(client).limits.map(\.name).contains("commit_queue_bytes"))
    }

    @Test("who starts gets what was, and then each new point until it stops")
    func start() throws {
        let clock = ManualClock()
        let fixture = try Fixture(clock: clock.clock)
        let client = try fixture.client()
        let asker = try fixture.client()
        let known = try self.points(2, clock, asker)
        guard case .live(let history) = try client.ask(.live(.start)) else { return }
        #expect(history.points == known)
        let points = try self.points(known.count + 1, clock, asker)
        guard case .liveMetrics(let point) = try client.nextEvent() else {
            Issue.record("another event was due")
            return
        }
        #expect(point == points[known.count])
        _ = try client.ask(.stopFollowing(1))
        _ = try self.points(known.count + 2, clock, asker)
        #expect(try client.nextEvent(withinMilliseconds: 0) == nil)
    }

    @Test("ten minutes are kept, the oldest goes first; rates are of a second, however long it took")
    func ring() {
        var liveMetrics = MetricsHistory()
        var reading = MetricsReading(
            at: Instant(nanoseconds: 0), wallMilliseconds: 0, broker: BrokerMetrics(), store: StoreMetrics())
        #expect(liveMetrics.takeReading(reading) == nil && liveMetrics.points.isEmpty)
        for number in 1...Int64(AdminProtocol.livePoints + 5) {
            reading.at = reading.at.advanced(byMilliseconds: 2_000)
            reading.wallMilliseconds = number
            reading.broker.published += 2 * number
            _ = liveMetrics.takeReading(reading)
        }
        #expect(liveMetrics.points.map(\.atMilliseconds) == (6...Int64(AdminProtocol.livePoints + 5)).map { $0 })
        #expect(liveMetrics.points.map(\.messages) == liveMetrics.points.map(\.atMilliseconds))
    }
}
