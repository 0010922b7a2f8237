import ChatModel
import Execution
import Store
import Testing

@testable import Transfers

/// Suspending, resuming, cancelling, and what happens when the server ends in the middle.
struct ControlTests {
    @Test("a suspended upload holds: nothing is taken, its connection stays, and it goes on where it was")
    func suspendUpload() async throws {
        let depot = try Depot()
        let bytes = noise(900_000)
        let key = try await depot.create(900_000)
        let flow = try await depot.open(key)
        let sender = Sender(flow)
        await sender.send(Array(bytes[..<200_000]))
        let held = try await depot.suspend(key, by: Actor(depot.romeo))
        #expect(held.record.state == .suspended)
        #expect(held.isLive)
        let hasRoom = flow.push(Array(bytes[200_000..<300_000]))
        #expect(!hasRoom)
        // Another whole upload goes through the same workers meanwhile.
        _ = try await depot.upload(noise(500_000, seed: 2), by: depot.juliet)
        let still = try await depot.find(key)
        #expect(still.record.offset == held.record.offset)
        #expect(still.record.state == .suspended)
        #expect(flow.failure == nil)

        let isThereRoom = Lock(false)
        flow.setWhenRoom { isThereRoom.withLock { $0 = true } }
        let resumed = try await depot.resume(key, by: Actor(depot.romeo))
        #expect(resumed.record.state == .progressing)
        await depot.until { isThereRoom.withLock { $0 } }
        await Sender(flow).send(Array(bytes[300_000...]))
        #expect(try await depot.download(try #require(try await depot.end(flow).file)) == bytes)
    }

    @Test("the end of a body that is held is answered only after it is resumed")
    func endWhileSuspended() async throws {
        let depot = try Depot()
        let key = try await depot.create(10)
        let flow = try await depot.open(key)
        _ = try await depot.suspend(key)
        _ = flow.push(text(10))
        let ended = Lock<TransferView?>(nil)
        flow.end { result in ended.withLock { $0 = try? result.get() } }
        _ = try await depot.upload(noise(100_000), by: depot.juliet)
        #expect(ended.withLock { $0 } == nil)
        _ = try await depot.resume(key)
        await depot.until { ended.withLock { $0 } != nil }
        #expect(ended.withLock { $0?.record.state } == .succeeded)
    }

    @Test("suspended before a connection comes: it opens, takes nothing, and goes on when it is resumed")
    func suspendIdle() async throws {
        let depot = try Depot()
        let key = try await depot.create(10)
        #expect(try await depot.suspend(key).isLive == false)
        let flow = try await depot.open(key)
        #expect(try await depot.find(key).record.state == .suspended)
        let hasRoom = flow.push(text(10))
        #expect(!hasRoom)
        #expect(try await depot.resume(key).record.state == .progressing)
        #expect(try await depot.end(flow).record.state == .succeeded)
    }

    @Test("a suspension outlives a restart")
    func suspendedRestart() async throws {
        let depot = try Depot()
        let key = try await depot.create(10)
        _ = try await depot.suspend(key)
        let next = try depot.restarted()
        #expect(try await next.find(key).record.state == .suspended)
        let flow = try await next.open(key)
        let hasRoom = flow.push(text(10))
        #expect(!hasRoom)
        #expect(try await next.resume(key).record.state == .progressing)
        #expect(try await next.end(flow).record.state == .succeeded)
    }

    @Test("a suspended download gives nothing until it is resumed")
    func suspendDownload() async throws {
        let depot = try Depot()
        let bytes = noise(2 << 20)
        let file = try await depot.upload(bytes)
        let flow = try await depot.openDownload(file)
        var got = try #require(try await depot.next(flow))
        let held = try await depot.suspend(flow.key, by: Actor(depot.juliet))
        #expect(held.record.state == .suspended)
        let piece = Lock<[UInt8]?>(nil)
        flow.next { result in piece.withLock { $0 = (try? result.get()) ?? [] } }
        _ = try await depot.upload(noise(100_000, seed: 3))
        #expect(piece.withLock { $0 } == nil)
        #expect(try await depot.find(flow.key).record.offset == Int64(got.count))
        _ = try await depot.resume(flow.key)
        await depot.until { piece.withLock { $0 } != nil }
        got += piece.withLock { $0 ?? [] }
        while let next = try await depot.next(flow) { got += next }
        #expect(got == bytes)
    }

    enum Moment: CaseIterable {
        case created, opened, half, suspended, ended, abandoned
    }

    @Test("cancelled at any moment: the flow ends, nothing stays, and it is over", arguments: Moment.allCases)
    func cancel(moment: Moment) async throws {
        let depot = try Depot()
        let key = try await depot.create(2 << 20)
        var flow: UploadFlow?
        if moment != .created { flow = try await depot.open(key) }
        if [.half, .suspended, .ended, .abandoned].contains(moment), let flow {
            await Sender(flow).send(noise(1 << 20))
        }
        if moment == .suspended { _ = try await depot.suspend(key) }
        let ended = Lock<Result<TransferView, TransferError>?>(nil)
        if moment == .ended { flow?.end { result in ended.withLock { $0 = result } } }
        if moment == .abandoned { flow?.abandon() }

        let view = try await depot.cancel(key, by: Actor(depot.romeo))
        #expect(view.record.state == .cancelled)
        #expect(depot.providers[0].unfinishedUploads() == [])
        #expect(await depot.refusal { _ = try await depot.open(key) } == .over(.cancelled))
        #expect(await depot.refusal { _ = try await depot.cancel(key) } == .over(.cancelled))
        #expect(try await depot.find(key).record.state == .cancelled)
        if [.opened, .half, .suspended].contains(moment), let flow {
            #expect(flow.failure == .cancelled)
            let hasRoom = flow.push([1])
            #expect(!hasRoom)
            #expect(await depot.refusal { _ = try await depot.end(flow) } == .cancelled)
        }
        if moment == .ended {
            // The end came first, or the cancelling: it is answered in either case.
            await depot.until { ended.withLock { $0 } != nil }
        }
        let next = try depot.restarted()
        #expect(try await next.find(key).record.state == .cancelled)
    }

    @Test("what succeeded cannot be cancelled, suspended or resumed any more")
    func cancelOver() async throws {
        let depot = try Depot()
        let key = try await depot.create(1)
        let flow = try await depot.open(key)
        _ = flow.push([1])
        _ = try await depot.end(flow)
        #expect(await depot.refusal { _ = try await depot.cancel(key) } == .over(.succeeded))
        #expect(await depot.refusal { _ = try await depot.suspend(key) } == .over(.succeeded))
        #expect(await depot.refusal { _ = try await depot.resume(key) } == .over(.succeeded))
        #expect(await depot.refusal { _ = try await depot.open(key) } == .over(.succeeded))
        #expect(try await depot.find(key).file?.size == 1)
    }

    @Test("cancelling and completing at the same time: one of them happens, and both are answered")
    func cancelRace() async throws {
        let depot = try Depot(changeStore: { $0.files.hourUploads = 0 })
        for round in 0..<20 {
            let bytes = noise(50_000, seed: UInt64(round + 10))
            let key = try await depot.create(50_000)
            let flow = try await depot.open(key)
            await Sender(flow).send(bytes)
            async let ended = try? depot.end(flow)
            async let cancelled = try? depot.cancel(key)
            let (end, cancel) = (await ended, await cancelled)
            let state = try await depot.find(key).record.state
            #expect((end?.record.state == .succeeded) == (state == .succeeded))
            #expect((cancel?.record.state == .cancelled) == (state == .cancelled))
        }
        #expect(depot.providers[0].unfinishedUploads() == [])
    }

    @Test("a cancelled download breaks off, and is not gone on with")
    func cancelDownload() async throws {
        let depot = try Depot()
        let file = try await depot.upload(noise(2 << 20))
        let flow = try await depot.openDownload(file)
        _ = try await depot.next(flow)
        #expect(try await depot.cancel(flow.key, by: Actor(depot.juliet)).record.state == .cancelled)
        #expect(await depot.refusal { _ = try await depot.next(flow) } == .cancelled)
        let again = try await depot.openDownload(file)
        #expect(again.key != flow.key)
    }

    @Test("killed in the middle: it comes back at what was synced or later, and goes on to the same content")
    func killed() async throws {
        var depot = try Depot { $0.syncBytes = 300_000 }
        let bytes = text(1_500_000) + noise(500_000)
        let key = try await depot.create(Int64(bytes.count))
        var firsts: [Depot] = []
        var least: Int64 = 0
        while true {
            let offset = try await depot.find(key, by: Actor(depot.romeo)).record.offset
            #expect(offset >= least, "what was acknowledged stays")
            let flow = try await depot.open(key, at: offset)
            if firsts.count == 5 {
                await Sender(flow).send(Array(bytes[Int(offset)...]))
                let file = try #require(try await depot.end(flow).file)
                #expect(try await depot.download(file) == bytes)
                return
            }
            let next = min(Int(offset) + 310_000, bytes.count)
            await Sender(flow).send(Array(bytes[Int(offset)..<next]))
            if firsts.count.isMultiple(of: 2) {
                least = try await depot.end(flow).record.offset
            } else {
                // A sync has happened.
                try await depot.until { try await depot.find(key).record.offset == Int64(next) }
                least = offset + 300_000
            }
            firsts.append(depot)
            depot = try depot.restarted { $0.syncBytes = 300_000 }
        }
    }

    @Test("killed after the last byte and before it was complete: the next question completes it")
    func killedAtTheEnd() async throws {
        let depot = try Depot { $0.syncBytes = 1 }
        let bytes = noise(400_000)
        let key = try await depot.create(400_000)
        let flow = try await depot.open(key)
        await Sender(flow).send(bytes)
        try await depot.until { try await depot.find(key).record.offset == 400_000 }
        let next = try depot.restarted()
        let view = try await next.find(key, by: Actor(depot.romeo))
        #expect(view.record.state == .succeeded)
        #expect(try await next.download(try #require(view.file)) == bytes)
    }

    @Test("a stop makes durable what came, and tells the flows")
    func stop() async throws {
        let depot = try Depot()
        let key = try await depot.create(400_000)
        let flow = try await depot.open(key)
        await Sender(flow).send(noise(300_001))
        try await depot.until { try await depot.find(key).record.offset == 300_001 }
        depot.transfers.stop()
        #expect(flow.failure == .stopping)
        let next = try depot.restarted()
        #expect(try await next.find(key).record.offset == 300_001)
    }

    @Test("an upload nobody is connected for gives its memory back, and goes on from the disk")
    func rests() async throws {
        let depot = try Depot()
        let bytes = noise(500_000)
        let key = try await depot.create(500_000)
        let flow = try await depot.open(key)
        await Sender(flow).send(Array(bytes[..<300_000]))
        _ = try await depot.end(flow)
        #expect(depot.transfers.uploadsInMemory() == 1)
        await depot.turn(milliseconds: 61_000)
        await depot.until { depot.transfers.uploadsInMemory() == 0 }
        let again = try await depot.open(key, at: 300_000)
        await Sender(again).send(Array(bytes[300_000...]))
        #expect(try await depot.download(try #require(try await depot.end(again).file)) == bytes)
    }

    @Test("of many idle uploads only the newest stay in memory")
    func idleBound() async throws {
        let depot = try Depot(change: { $0.idleUploads = 3 }, changeStore: { $0.files.openUploads = 100 })
        for _ in 0..<8 { _ = try await depot.create(10) }
        await depot.turn(milliseconds: 1_000)
        await depot.until { depot.transfers.uploadsInMemory() == 3 }
    }

    @Test("more flows than the bound are refused as overloaded")
    func overloaded() async throws {
        let depot = try Depot { options in
            options.liveUploads = 1
            options.liveDownloadsPerPerson = 1
        }
        let (one, two) = (try await depot.create(10), try await depot.create(10))
        let flow = try await depot.open(one)
        #expect(await depot.refusal { _ = try await depot.open(two) } == .overloaded)
        _ = flow.push(text(10))
        let file = try #require(try await depot.end(flow).file)
        let second = try await depot.open(two)
        let download = try await depot.openDownload(file)
        #expect(await depot.refusal { _ = try await depot.openDownload(file) } == .overloaded)
        let other = try await depot.openDownload(file, by: Actor(depot.romeo))
        withExtendedLifetime((second, download, other)) {}
    }
}
