import ChatModel
import Execution
import FileStore
import Store
import Testing

@testable import Transfers

struct DownloadTests {
    func list(_ depot: Depot, _ change: (inout TransferQuery) -> Void = { _ in }) async throws -> [TransferView] {
        var query = TransferQuery()
        change(&query)
        return try await depot.ask { depot.transfers.list(query, then: $0) }
    }

    @Test("a large download that breaks off is remembered, and the same person goes on with it")
    func continued() async throws {
        let depot = try Depot()
        let bytes = noise(3 << 20)
        let file = try await depot.upload(bytes)
        let first = try await depot.openDownload(file)
        var got = try #require(try await depot.next(first))
        got += try #require(try await depot.next(first))
        first.end()
        try await depot.until { try await depot.find(first.key).isLive == false }
        let waiting = try await depot.find(first.key, by: Actor(depot.juliet))
        #expect(waiting.record.state == .waiting)
        #expect(waiting.record.offset == Int64(got.count))

        let next = try depot.restarted()
        #expect(try await self.list(next) { $0.direction = .download }.map(\.record.key) == [first.key])
        let other = try await next.openDownload(file, by: Actor(depot.romeo))
        #expect(other.key != first.key, "somebody else's")
        let second = try await next.openDownload(file, .plain(Int64(got.count)..<file.size))
        #expect(second.key == first.key)
        while let piece = try await next.next(second) { got += piece }
        second.end()
        #expect(got == bytes)
        try await next.until { try await next.find(first.key).record.state == .succeeded }
        let third = try await next.openDownload(file)
        #expect(third.key != first.key, "that one is over")
    }

    @Test("two at a time of the same file by the same person do not disturb each other")
    func parallel() async throws {
        let depot = try Depot()
        let bytes = noise(2 << 20)
        let file = try await depot.upload(bytes)
        let one = try await depot.openDownload(file)
        let two = try await depot.openDownload(file, .plain(1_000_000..<file.size))
        #expect(one.key != two.key)
        var (first, second): ([UInt8], [UInt8]) = ([], [])
        first += try #require(try await depot.next(one))
        while let piece = try await depot.next(two) { second += piece }
        two.end()
        while let piece = try await depot.next(one) { first += piece }
        one.end()
        #expect(first == bytes)
        #expect(second == Array(bytes[1_000_000...]))
    }

    @Test("a small download leaves nothing behind")
    func small() async throws {
        let depot = try Depot()
        let file = try await depot.upload(noise(100_000))
        let flow = try await depot.openDownload(file)
        #expect(try await self.list(depot) { $0.direction = .download }.map(\.record.key) == [flow.key])
        _ = try await depot.next(flow)
        flow.end()
        try await depot.until { try await self.list(depot) { $0.direction = .download }.isEmpty }
        #expect(await depot.refusal { _ = try await depot.find(flow.key) } == .notFound)
    }

    @Test("the bytes as they are kept are the object's, and no more than that")
    func stored() async throws {
        let depot = try Depot()
        let file = try await depot.upload(text(1_000_000))
        let object = try #require(file.object)
        #expect(object.codec == .gzip)
        let bytes = try await depot.download(file, .stored)
        #expect(Int64(bytes.count) == object.storedSize)
        #expect(bytes.prefix(2) == [0x1F, 0x8B])
        #expect(object.storedSize < 300_000)
    }

    @Test("lists show uploads and downloads with where they are, newest first, and what is over only when asked")
    func lists() async throws {
        let depot = try Depot()
        let key = try await depot.create(100_000)
        let flow = try await depot.open(key)
        await Sender(flow).send(noise(40_000))
        try await depot.until { try await depot.find(key).record.offset == 40_000 }
        let over = try await depot.create(5, by: depot.juliet)
        _ = try await depot.cancel(over)
        let open = try await self.list(depot)
        #expect(open.map(\.record.key) == [key])
        #expect(open.first?.record.offset == 40_000)
        #expect(open.first?.record.state == .progressing)
        #expect(open.first?.isLive == true)
        #expect(try await self.list(depot) { $0.includesOver = true }.count == 2)
        #expect(try await self.list(depot) { $0.owner = depot.juliet }.isEmpty)
        #expect(try await self.list(depot) { $0.direction = .download }.isEmpty)
        flow.abandon()
    }

    @Test("who looks at the beginning of a file makes no task of it")
    func beginning() async throws {
        let depot = try Depot()
        let bytes = noise(2 << 20)
        let file = try await depot.upload(bytes)
        let told = Lock<[TransferView]>([])
        let watch = depot.transfers.watch(owner: nil) { views in told.withLock { $0 += views } }
        let before = depot.transfers.metrics.succeeded
        let found = try await depot.ask { depot.transfers.readBeginning(of: file, 512, then: $0) }
        #expect(found == Array(bytes.prefix(512)))
        let short = try await depot.upload(text(100))
        #expect(try await depot.ask { depot.transfers.readBeginning(of: short, 512, then: $0) } == text(100))
        #expect(try await self.list(depot) { $0.direction = .download }.isEmpty)
        #expect(told.withLock { $0.allSatisfy { $0.record.direction == .upload } })
        #expect(depot.transfers.metrics.succeeded == before + 1, "the second upload")
        watch.end()
    }

    @Test("the beginning of a content that is gone from the disk is damaged, and its row says so")
    func damagedBeginning() async throws {
        let depot = try Depot()
        let file = try await depot.upload(noise(1_000))
        try depot.providers[0].remove(try #require(file.object))
        #expect(
            await depot.refusal {
                _ = try await depot.ask { depot.transfers.readBeginning(of: file, 512, then: $0) }
            } == .damaged)
        await depot.until { depot.transfers.metrics.damagedObjects == 1 }
    }

    @Test("a download that was ended is over for whoever asks, before its row says so")
    func endedBeforeItsRow() async throws {
        let depot = try Depot()
        let file = try await depot.upload(noise(3 << 20))
        let flow = try await depot.openDownload(file)
        _ = try await depot.next(flow)
        let gate = depot.blockWriter()
        #expect(try await depot.cancel(flow.key).record.state == .cancelled)
        #expect(try await self.list(depot) { $0.direction = .download }.isEmpty)
        #expect(try await depot.find(flow.key).record.state == .cancelled)
        #expect(await depot.refusal { _ = try await depot.suspend(flow.key) } == .over(.cancelled))
        gate.change { $0 = true }
        flow.end()
        try await depot.until { try await self.list(depot) { $0.includesOver = true }.contains { !$0.isLive } }
        #expect(await depot.refusal { _ = try await depot.resume(flow.key) } == .over(.cancelled))
    }

    @Test(
        "a download suspended while a connection comes for it is held, also when the last one's end is not noted yet",
        arguments: [false, true])
    func suspendedWhileOpened(_ isClosing: Bool) async throws {
        let depot = try Depot()
        let file = try await depot.upload(noise(3 << 20))
        let first = try await depot.openDownload(file)
        _ = try await depot.next(first)
        let early = isClosing ? depot.blockWriter() : nil
        first.end()
        try await depot.until { try await depot.find(first.key).isLive == false }
        if !isClosing { try depot.store.writeAndWait { _ throws(StoreError) in } }
        let gate = early ?? depot.blockWriter()
        let waiting = depot.store.metrics.queueRequests
        async let opened = depot.openDownload(file)
        await depot.until { depot.store.metrics.queueRequests == waiting + 1 }
        async let suspended = depot.suspend(first.key)
        await depot.until { depot.store.metrics.queueRequests == waiting + 2 }
        gate.change { $0 = true }
        #expect(try await suspended.record.state == .suspended)
        let flow = try await opened
        #expect(flow.key == first.key)
        #expect(try await depot.find(first.key).record.state == .suspended)
        let piece = Lock<Int?>(nil)
        flow.next { result in piece.withLock { $0 = (try? result.get())?.count ?? 0 } }
        _ = try await depot.upload(noise(100_000, seed: 3))
        #expect(piece.withLock { $0 } == nil)
        _ = try await depot.resume(first.key)
        await depot.until { piece.withLock { $0 ?? 0 } > 0 }
    }

    @Test("what left memory while rows were read is told as it was then, and no longer than that")
    func departures() async throws {
        let depot = try Depot()
        let key = try await depot.create(10)
        var view = try await depot.find(key)
        var departures = Departures()
        departures.add(view)
        let one = departures.beginReading()
        #expect(departures.view(of: key, since: one) == nil, "it left before")
        view.record.state = .cancelled
        departures.add(view)
        #expect(departures.view(of: key, since: one)?.record.state == .cancelled)
        let two = departures.beginReading()
        #expect(departures.view(of: key, since: two) == nil)
        departures.endReading(two)
        #expect(departures.view(of: key, since: one) == view)
        departures.endReading(one)
        #expect(departures.view(of: key, since: one) == nil)
        #expect(departures.count == 2)
    }
}
