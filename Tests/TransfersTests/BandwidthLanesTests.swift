import ChatModel
import Execution
import Testing

@testable import Transfers

struct BandwidthLanesTests {
    static let lane = BandwidthLane(transferClass: .attachment, direction: .upload)
    let hands = ManualClock()

    func lanes(bytesPerSecond: Int64) -> BandwidthLanes {
        BandwidthLanes(
            [.attachment: BandwidthCap(uploadBytesPerSecond: bytesPerSecond)], clock: self.hands.clock, wake: {})
    }

    @Test("over ten seconds a lane gives its rate and what was saved, whoever asks and in whatever pieces")
    func rate() {
        let lanes = self.lanes(bytesPerSecond: 100_000)
        let given = Lock(0)
        func ask(_ bytes: Int) {
            let count: @Sendable () -> Void = { given.withLock { $0 += bytes } }
            if lanes.ask(Self.lane, bytes, then: count) { count() }
        }
        for _ in 0..<40 {
            ask(30_000)
            ask(7_000)
        }
        for _ in 0..<100 {
            self.hands.advance(milliseconds: 100)
            lanes.release()
        }
        let total = given.withLock { $0 }
        // Ten seconds, a quarter second saved up at the start, and one piece over.
        #expect((1_000_000...1_055_000).contains(total))
    }

    @Test("who waits comes first come first served, also when somebody asks for less")
    func order() {
        let lanes = self.lanes(bytesPerSecond: 1_000)
        let order = Lock<[Int]>([])
        let first = lanes.ask(Self.lane, 2_000, then: {})
        #expect(first)
        for number in 0..<3 {
            let isGranted = lanes.ask(Self.lane, number == 1 ? 1 : 500, then: { order.withLock { $0.append(number) } })
            #expect(!isGranted)
        }
        lanes.release()
        #expect(order.withLock { $0 }.isEmpty)
        for _ in 0..<60 {
            self.hands.advance(milliseconds: 50)
            lanes.release()
        }
        #expect(order.withLock { $0 } == [0, 1, 2])
    }

    @Test("says when somebody's turn comes, and then it has come")
    func due() throws {
        let lanes = self.lanes(bytesPerSecond: 1_000)
        #expect(lanes.nextDue == nil)
        let first = lanes.ask(Self.lane, 1_250, then: {})
        #expect(first)
        #expect(lanes.nextDue == nil)
        let isGranted = Lock(false)
        let isAtOnce = lanes.ask(Self.lane, 1, then: { isGranted.withLock { $0 = true } })
        #expect(!isAtOnce)
        let wait = try #require(lanes.nextDue).milliseconds(since: self.hands.clock.now())
        #expect((1_000...1_002).contains(wait))
        self.hands.advance(milliseconds: wait - 2)
        lanes.release()
        #expect(!isGranted.withLock { $0 })
        self.hands.advance(milliseconds: 3)
        lanes.release()
        #expect(isGranted.withLock { $0 })
    }

    @Test("what came already makes the next one wait")
    func charge() {
        let lanes = self.lanes(bytesPerSecond: 1_000)
        lanes.charge(Self.lane, 1_000)
        let isAtOnce = lanes.ask(Self.lane, 1, then: {})
        #expect(!isAtOnce)
    }

    @Test("a lane without a cap never waits, and names no size of pieces")
    func uncapped() {
        let lanes = self.lanes(bytesPerSecond: 1_000)
        for lane in [
            BandwidthLane(transferClass: .attachment, direction: .download),
            BandwidthLane(transferClass: .avatar, direction: .upload),
        ] {
            #expect(lanes.piece(of: lane) == nil)
            for _ in 0..<100 {
                let isAtOnce = lanes.ask(lane, 1_000_000, then: {})
                #expect(isAtOnce)
            }
        }
        #expect(lanes.piece(of: Self.lane) == 4_096)
    }
}
