import ChatModel
import Execution
import Testing

@testable import Transfers

/// Bandwidth caps by class and direction.
struct CapTests {
    /// Turns the clock until `isDone`, in steps that wait until the engine has nothing to do before the next.
    func run(_ depot: Depot, isDone: () -> Bool) async -> Int64 {
        let start = depot.hands.clock.wallMilliseconds()
        while true {
            await depot.until { isDone() || depot.transfers.tools.lanes.nextDue != nil }
            if isDone() { return depot.hands.clock.wallMilliseconds() - start }
            await depot.turn(milliseconds: 20)
        }
    }

    @Test("a capped class uploads at its rate, and another class does not wait for it")
    func uploads() async throws {
        let depot = try Depot { $0.caps = [.attachment: BandwidthCap(uploadBytesPerSecond: 100_000)] }
        let key = try await depot.create(400_000)
        let flow = try await depot.open(key)
        let ended = Lock<TransferView?>(nil)
        let sending = Task { await Sender(flow).send(noise(400_000), pieces: 8_000) }
        await depot.until { depot.transfers.tools.lanes.nextDue != nil }
        // The clock stands still.
        let picture = try await depot.upload(noise(200_000, seed: 5), class: .avatar)
        #expect(picture.size == 200_000)
        await depot.until { flow.pendingBytes > 300_000 }
        await sending.value
        flow.end { result in ended.withLock { $0 = try? result.get() } }
        let milliseconds = await self.run(depot) { ended.withLock { $0 } != nil }
        // 25,000 bytes saved up at the start; the last piece may leave a debt.
        #expect((3_500...4_100).contains(milliseconds))
        #expect(ended.withLock { $0?.record.state } == .succeeded)
    }

    @Test("a capped class downloads at its rate, shared by all of them")
    func downloads() async throws {
        let depot = try Depot { $0.caps = [.attachment: BandwidthCap(downloadBytesPerSecond: 1_000_000)] }
        let file = try await depot.upload(noise(1_000_000))
        let done = Lock(0)
        for _ in 0..<3 {
            let flow = try await depot.openDownload(file)
            Task {
                while try await depot.next(flow) != nil {}
                done.withLock { $0 += 1 }
            }
        }
        let milliseconds = await self.run(depot) { done.withLock { $0 } == 3 }
        #expect((2_500...3_000).contains(milliseconds))
    }

    @Test("cancelling does not wait for bandwidth")
    func cancel() async throws {
        let depot = try Depot { $0.caps = [.attachment: BandwidthCap(uploadBytesPerSecond: 10)] }
        let key = try await depot.create(100_000)
        let flow = try await depot.open(key)
        _ = flow.push(noise(50_000))
        _ = flow.push(noise(50_000))
        await depot.until { depot.transfers.tools.lanes.nextDue != nil }
        #expect(try await depot.cancel(key).record.state == .cancelled)
        #expect(flow.failure == .cancelled)
    }
}
