import Execution
import Testing

@testable import Transfers

struct SpeedMeterTests {
    /// Notes an offset five times a second.
    func run(_ meter: inout SpeedMeter, _ hands: ManualClock, from: Int64, perTick: Int64, ticks: Int64) -> Int64 {
        for tick in 1...ticks {
            hands.advance(milliseconds: 200)
            meter.noteOffset(from + tick * perTick, at: hands.clock.now())
        }
        return from + ticks * perTick
    }

    @Test("an even speed is told as it is, and the remaining time follows")
    func even() {
        let hands = ManualClock()
        var meter = SpeedMeter()
        meter.noteOffset(0, at: hands.clock.now())
        let offset = self.run(&meter, hands, from: 0, perTick: 200_000, ticks: 5)
        #expect((999_000...1_001_000).contains(meter.bytesPerSecond))
        #expect(meter.remainingSeconds(from: offset, to: 11_000_000) == 10)
        #expect(meter.remainingSeconds(from: offset, to: nil) == nil)
    }

    @Test("a change of speed is followed within seconds, and a stall tells no remaining time in the end")
    func change() {
        let hands = ManualClock()
        var meter = SpeedMeter()
        meter.noteOffset(0, at: hands.clock.now())
        var offset = self.run(&meter, hands, from: 0, perTick: 200_000, ticks: 20)
        offset = self.run(&meter, hands, from: offset, perTick: 20_000, ticks: 5)
        #expect((200_000...900_000).contains(meter.bytesPerSecond))
        offset = self.run(&meter, hands, from: offset, perTick: 20_000, ticks: 100)
        #expect((99_000...101_000).contains(meter.bytesPerSecond))
        offset = self.run(&meter, hands, from: offset, perTick: 0, ticks: 400)
        #expect(meter.bytesPerSecond == 0)
        #expect(meter.remainingSeconds(from: offset, to: offset + 1) == nil)
    }

    @Test("before it was noted twice nothing is told")
    func beginning() {
        var meter = SpeedMeter()
        #expect(meter.bytesPerSecond == 0)
        meter.noteOffset(5, at: ManualClock().clock.now())
        #expect(meter.bytesPerSecond == 0)
        #expect(meter.remainingSeconds(from: 5, to: 10) == nil)
    }
}
