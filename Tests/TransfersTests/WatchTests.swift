import ChatModel
import Execution
import Testing

@testable import Transfers

/// Progress: who is told, how often, and how fast it says it goes.
struct WatchTests {
    /// What a watcher was told, with the time.
    final class News: Sendable {
        private let told = Lock<[(view: TransferView, at: Int64)]>([])
        private let hands: ManualClock

        init(_ hands: ManualClock) { self.hands = hands }

        func add(_ views: [TransferView]) {
            let now = self.hands.clock.wallMilliseconds()
            self.told.withLock { $0 += views.map { ($0, now) } }
        }

        func of(_ key: TransferKey) -> [(view: TransferView, at: Int64)] {
            self.told.withLock { $0.filter { $0.view.record.key == key } }
        }

        var keys: Set<TransferKey> { self.told.withLock { Set($0.map(\.view.record.key)) } }
    }

    @Test("an upload that moves is told at most five times a second, with its speed, and its end at once")
    func rate() async throws {
        let depot = try Depot()
        let news = News(depot.hands)
        let watch = depot.transfers.watch(owner: depot.romeo) { news.add($0) }
        let key = try await depot.create(400_000)
        let flow = try await depot.open(key)
        for step in 1...80 {
            _ = flow.push(noise(5_000))
            try await depot.until { try await depot.find(key).record.offset == Int64(step) * 5_000 }
            await depot.turn(milliseconds: 50)
        }
        let moving = news.of(key).filter { $0.view.record.state == .progressing }
        // Four seconds.
        #expect((15...21).contains(moving.count))
        for (earlier, later) in zip(moving, moving.dropFirst()) { #expect(later.at - earlier.at >= 200) }
        let last = try #require(moving.last?.view)
        #expect((90_000...110_000).contains(last.bytesPerSecond))
        #expect(last.isLive)
        let before = news.of(key).count
        _ = try await depot.end(flow)
        let final = news.of(key).dropFirst(before).filter { $0.view.record.state == .succeeded }
        #expect(final.count == 1, "without the clock moving")
        #expect(final.first?.view.file?.size == 400_000)
        watch.end()
    }

    @Test("the remaining time follows from size and speed")
    func remaining() async throws {
        let depot = try Depot()
        let key = try await depot.create(1_000_000)
        let flow = try await depot.open(key)
        await depot.turn(milliseconds: 200)
        for step in 1...10 {
            _ = flow.push(noise(20_000))
            try await depot.until { try await depot.find(key).record.offset == Int64(step) * 20_000 }
            await depot.turn(milliseconds: 200)
        }
        let view = try await depot.find(key)
        #expect((95_000...105_000).contains(view.bytesPerSecond))
        #expect((7...9).contains(try #require(view.remainingSeconds)))
        _ = try await depot.suspend(key)
        let held = try await depot.find(key)
        #expect(held.bytesPerSecond == 0)
        #expect(held.remainingSeconds == nil)
        flow.abandon()
    }

    @Test("people are told of their own transfers, the operator of all, and nobody after the end of the watch")
    func owners() async throws {
        let depot = try Depot()
        let (romeos, all, forgotten) = (News(depot.hands), News(depot.hands), News(depot.hands))
        let watches = [
            depot.transfers.watch(owner: depot.romeo) { romeos.add($0) },
            depot.transfers.watch(owner: nil) { all.add($0) },
        ]
        _ = depot.transfers.watch(owner: nil) { forgotten.add($0) }
        let (one, two) = (
            try await depot.create(10, by: depot.romeo), try await depot.create(10, by: depot.juliet)
        )
        _ = try await depot.cancel(one)
        _ = try await depot.cancel(two)
        #expect(romeos.keys == [one])
        #expect(all.keys == [one, two])
        #expect(forgotten.keys == [])
        #expect(all.of(two).last?.view.record.state == .cancelled)
        for watch in watches { watch.end() }
        let three = try await depot.create(10)
        _ = try await depot.cancel(three)
        #expect(!all.keys.contains(three))
    }

    @Test("downloads are told too, and their end at once")
    func downloads() async throws {
        let depot = try Depot()
        let file = try await depot.upload(noise(600_000))
        let news = News(depot.hands)
        let watch = depot.transfers.watch(owner: depot.juliet) { news.add($0) }
        let flow = try await depot.openDownload(file)
        while try await depot.next(flow) != nil { await depot.turn(milliseconds: 200) }
        flow.end()
        await depot.until { news.of(flow.key).last?.view.record.state == .succeeded }
        let moving = news.of(flow.key).filter { $0.view.record.state == .progressing }
        #expect(moving.contains { $0.view.bytesPerSecond > 0 })
        #expect(moving.contains { $0.view.record.offset == 262_144 })
        watch.end()
    }
}
