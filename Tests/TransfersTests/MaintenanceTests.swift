import ChatModel
import Execution
import FileStore
import Glibc
import Store
import TeahouseTesting
import Testing

@testable import Transfers

/// What nobody needs is removed, what is kept is checked, and the disk has an end.
struct MaintenanceTests {
    static let day: Int64 = 24 * 3_600_000

    func totals(_ depot: Depot) throws -> FileTotals {
        try depot.store.readAndWait { transaction throws(StoreError) in try transaction.files.fileTotals() }
    }

    /// The path of an object's file.
    func path(_ depot: Depot, _ file: FileRecord) throws -> String {
        let object = try #require(file.object)
        let hex = object.hash.hex
        let name = object.codec == .gzip ? "\(hex).gz" : hex
        return "\(depot.folder.path)/data/files/objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(name)"
    }

    // MARK: Expiry

    @Test("an upload on which nothing moves for a day is given up: its row, its bytes and its quota")
    func expires() async throws {
        let depot = try Depot()
        let key = try await depot.create(1_000_000)
        let flow = try await depot.open(key)
        await Sender(flow).send(noise(500_000))
        flow.abandon()
        try await depot.until { try await depot.find(key).isLive == false }
        depot.hands.advance(milliseconds: Self.day - 60_000)
        _ = await depot.collect()
        #expect(try await depot.find(key).record.state == .waiting)
        #expect(depot.providers[0].unfinishedUploads().map(\.key) == [key])
        depot.hands.advance(milliseconds: 120_000)
        _ = await depot.collect()
        try await depot.until { try await depot.find(key).record.state.isOver }
        #expect(depot.providers[0].unfinishedUploads() == [])
        #expect(await depot.refusal { _ = try await depot.open(key) } == .over(.failed))
        #expect(depot.transfers.metrics.expired == 1)
        let quota = try depot.store.readAndWait { [romeo = depot.romeo] transaction throws(StoreError) in
            try transaction.files.quotaUse(of: romeo)
        }
        #expect(quota == QuotaUse())
    }

    @Test("an upload that moves now and then does not expire")
    func moves() async throws {
        let depot = try Depot()
        let key = try await depot.create(100)
        for step in 0..<4 {
            let flow = try await depot.open(key)
            _ = flow.push(text(10))
            #expect(try await depot.end(flow).record.offset == Int64(step + 1) * 10)
            depot.hands.advance(milliseconds: Self.day * 2 / 3)
            _ = await depot.collect()
        }
        #expect(try await depot.find(key).record.state == .waiting)
    }

    @Test("what an upload declared counts until it is over")
    func quota() async throws {
        let depot = try Depot(changeStore: { $0.files.personBytes = 1_000 })
        let key = try await depot.create(900)
        #expect(
            await depot.refusal { _ = try await depot.create(200) }
                == .refused(.refused(.quotaReached(limitBytes: 1_000))))
        #expect(try await depot.cancel(key).record.state == .cancelled)
        _ = try await depot.create(200)
    }

    // MARK: Collection

    @Test("a content that nothing refers to goes after a day, and one that is uploaded again stays whole")
    func collects() async throws {
        let depot = try Depot()
        let bytes = text(500_000)
        let file = try await depot.upload(bytes)
        _ = await depot.collect()
        #expect(try self.totals(depot).objects == 1)
        depot.hands.advance(milliseconds: Self.day + 60_000)
        let metrics = await depot.collect()
        #expect(metrics.collectedObjects == 1)
        #expect(metrics.collectedBytes == file.object?.storedSize)
        #expect(try self.totals(depot).objects == 0)
        #expect(access(try self.path(depot, file), F_OK) != 0)
        let again = try await depot.upload(bytes)
        #expect(try await depot.download(again) == bytes)
    }

    @Test("collecting and uploading the same content at the same time never loses a file")
    func collectRace() async throws {
        let depot = try Depot(changeStore: { $0.files.hourUploads = 0 })
        let bytes = text(50_000)
        for _ in 0..<30 {
            _ = try await depot.upload(bytes)
            depot.hands.advance(milliseconds: Self.day + 60_000)
            async let collected = depot.collect()
            let file = try await depot.upload(bytes)
            _ = await collected
            #expect(try await depot.download(file) == bytes)
        }
        #expect(try self.totals(depot).objects == 1)
    }

    @Test("what no row knows of is removed when it is old enough, and nothing else")
    func orphans() async throws {
        let depot = try Depot { $0.orphanMilliseconds = 0 }
        // The round of the start would find what is planted below half made.
        _ = await depot.collect()
        let kept = try await depot.upload(text(1_000))
        let open = try await depot.create(100_000)
        let flow = try await depot.open(open)
        _ = flow.push(noise(50_000))
        _ = try await depot.end(flow)
        // An upload without a row, and one that was put in its place without rows.
        let stray = try depot.providers[0].newUpload(TransferKey(random: [UInt8](repeating: 3, count: 26)))
        try noise(10_000).withUnsafeBytes { try stray.write($0) }
        try stray.sync()
        let orphan = try depot.providers[0].newUpload(TransferKey(random: [UInt8](repeating: 4, count: 26)))
        try noise(20_000, seed: 9).withUnsafeBytes { try orphan.write($0) }
        let object = try orphan.finish()
        try orphan.place()
        orphan.cleanUp()
        let metrics = await depot.collect()
        #expect(metrics.orphans == 2)
        #expect(depot.providers[0].unfinishedUploads().map(\.key) == [open])
        #expect(throws: FileStoreError.missing(object.hash)) { try depot.providers[0].open(object) }
        #expect(try await depot.download(kept) == text(1_000))
    }

    // MARK: Damage

    func damage(_ path: String, at offset: Int) throws {
        let descriptor = Glibc.open(path, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        try #require(pread(descriptor, &byte, 1, offset) == 1)
        byte ^= 1
        try #require(pwrite(descriptor, &byte, 1, offset) == 1)
    }

    @Test("a damaged content breaks the download off, is marked and told; what came before it was right")
    func damaged() async throws {
        let depot = try Depot()
        let bytes = noise(1 << 20)
        let file = try await depot.upload(bytes)
        try self.damage(try self.path(depot, file), at: 600_000)
        let flow = try await depot.openDownload(file)
        var got: [UInt8] = []
        let refusal = await depot.refusal { while let piece = try await depot.next(flow) { got += piece } }
        #expect(refusal == .damaged)
        #expect(got.count < bytes.count)
        #expect(got == Array(bytes[..<got.count]))
        await depot.until { depot.log.contains("file_damaged") }
        try await depot.until { try self.totals(depot).damagedObjects == 1 }
        let marked = try #require(
            try depot.store.readAndWait { transaction throws(StoreError) in try transaction.files.file(file.key) })
        #expect(marked.isDamaged)
        #expect(await depot.refusal { _ = try await depot.openDownload(marked) } == .damaged)
    }

    @Test("checking reads everything, and finds what is damaged and what is missing")
    func check() async throws {
        let depot = try Depot()
        let files = [
            try await depot.upload(text(600_000)), try await depot.upload(noise(600_000)),
            try await depot.upload(noise(5_000, seed: 2)),
        ]
        depot.hands.advance(milliseconds: 1_000)
        let clean = await depot.check()
        #expect(clean.checkedObjects == 3)
        #expect(clean.damagedObjects == 0)
        try self.damage(try self.path(depot, files[0]), at: 5_000)
        unlink(try self.path(depot, files[1]))
        depot.hands.advance(milliseconds: 1_000)
        let metrics = await depot.check()
        #expect(metrics.damagedObjects == 2)
        #expect(try self.totals(depot).damagedObjects == 2)
        #expect(try await depot.download(files[2]) == noise(5_000, seed: 2))
    }

    @Test("a damaged content is whole again when it is uploaded again")
    func repaired() async throws {
        let depot = try Depot()
        let bytes = noise(400_000)
        let file = try await depot.upload(bytes)
        try self.damage(try self.path(depot, file), at: 100)
        depot.hands.advance(milliseconds: 1_000)
        _ = await depot.check()
        #expect(try self.totals(depot).damagedObjects == 1)
        let again = try await depot.upload(bytes)
        #expect(try await depot.download(again) == bytes)
        #expect(try self.totals(depot).damagedObjects == 0)
    }

    // MARK: Room

    @Test("without room uploads and pieces are refused, and downloads work")
    func full() async throws {
        let depot = try Depot()
        let bytes = noise(300_000)
        let file = try await depot.upload(bytes)
        let key = try await depot.create(100)
        let next = try depot.restarted { $0.stopUploadsFreeBytes = Int64.max }
        #expect(await depot.refusal { _ = try await next.create(10) } == .full)
        #expect(await depot.refusal { _ = try await next.open(key) } == .full)
        #expect(try await next.download(file) == bytes)
        #expect(next.transfers.metrics.isFull)
        #expect(next.transfers.metrics.refusedFull == 2)
        #expect(next.log.contains("files_full"))
        _ = try await next.cancel(key)
    }

    @Test("room that ends in the middle ends the flow, and the upload goes on when there is room again")
    func fullInTheMiddle() async throws {
        let room = ShrinkingRoom()
        let depot = try Depot(
            change: { options in
                options.stopUploadsFreeBytes = 1_000
                options.syncBytes = 100_000
            }, makeProviders: { folder in try room.providers(Depot.makeProviders(folder)) })
        let bytes = noise(600_000)
        let key = try await depot.create(600_000)
        let flow = try await depot.open(key)
        let sender = Sender(flow)
        await sender.send(Array(bytes[..<200_000]))
        try await depot.until { try await depot.find(key).record.offset == 200_000 }
        room.freeBytes.withLock { $0 = 999 }
        depot.hands.advance(milliseconds: 1_100)
        await sender.send(Array(bytes[200_000...]))
        await depot.until { flow.failure != nil }
        #expect(flow.failure == .full)
        #expect(await depot.refusal { _ = try await depot.end(flow) } == .full)
        #expect(await depot.refusal { _ = try await depot.open(key) } == .full)
        room.freeBytes.withLock { $0 = 1 << 30 }
        depot.hands.advance(milliseconds: 1_100)
        let offset = Int(try await depot.find(key).record.offset)
        #expect(offset >= 200_000)
        let again = try await depot.open(key, at: Int64(offset))
        await Sender(again).send(Array(bytes[offset...]))
        #expect(try await depot.download(try #require(try await depot.end(again).file)) == bytes)
        #expect(depot.log.contains("files_have_room"))
    }

    @Test("an upload that ended after its content got its name does not touch what others have by now")
    func sharedWithOthers() async throws {
        let isBroken = Lock(true)
        let depot = try Depot(makeProviders: { folder in
            let faults = FileStoreFaults { step throws(FileStoreError) in
                guard step == .syncFolders, isBroken.withLock({ $0 }) else { return }
                throw .io(action: "sync", errno: EIO)
            }
            return [try ObjectFolder("\(folder.path)/data/files", faults: faults)]
        })
        let bytes = text(700_000)
        let key = try await depot.create(700_000)
        let flow = try await depot.open(key)
        await Sender(flow).send(bytes)
        guard case .failed = await depot.refusal({ _ = try await depot.end(flow) }) else {
            Issue.record("the disk did not fail")
            return
        }
        isBroken.withLock { $0 = false }
        let file = try await depot.upload(bytes, by: depot.juliet)
        let again = try await depot.open(key)
        #expect(try await depot.download(file) == bytes)
        await Sender(again).send(Array(bytes[Int(again.offset)...]))
        #expect(try await depot.end(again).file?.object == file.object)
        #expect(try await depot.download(file) == bytes)
    }

    // MARK: Providers

    @Test("a directory elsewhere takes new files, and what the built-in place keeps is still read")
    func providers() async throws {
        let depot = try Depot()
        let old = try await depot.upload(text(300_000))
        let mount = "\(depot.folder.path)/mount"
        mkdir(mount, 0o700)
        let next = try depot.restarted(
            providers: [try ObjectFolder(mount, .directory)] + (try Depot.makeProviders(depot.folder)))
        let bytes = text(300_000, seed: 4)
        let new = try await next.upload(bytes)
        #expect(new.object?.provider != old.object?.provider)
        #expect(new.object?.codec == .plain)
        #expect(try await next.download(new) == bytes)
        #expect(try await next.download(new, .plain(1_000..<2_000)) == Array(bytes[1_000..<2_000]))
        #expect(try await next.download(old) == text(300_000))
        next.hands.advance(milliseconds: 1_000)
        #expect(await next.check().checkedObjects == 2)
        // The same content again is the object that is there, wherever that is.
        let same = try await next.upload(text(300_000))
        #expect(try await next.download(same) == text(300_000))

        let without = try next.restarted(providers: try Depot.makeProviders(depot.folder))
        let refusal = await depot.refusal { _ = try await without.openDownload(new) }
        guard case .failed = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(without.log.contains("file_provider_missing"))
        #expect(try await without.download(old) == text(300_000))
    }
}

/// A disk that is as full as the test says.
final class ShrinkingRoom: Sendable {
    let freeBytes = Lock<Int64>(1 << 30)

    func providers(_ real: [any FileProvider]) -> [any FileProvider] { real.map { Provider($0, self) } }

    private final class Provider: FileProvider {
        private let real: any FileProvider
        private let shrinking: ShrinkingRoom

        init(_ real: any FileProvider, _ shrinking: ShrinkingRoom) {
            self.real = real
            self.shrinking = shrinking
        }

        func room() -> DiskRoom? { DiskRoom(freeBytes: self.shrinking.freeBytes.withLock { $0 }, totalBytes: 1 << 30) }

        var name: String { self.real.name }
        func newUpload(_ key: TransferKey) throws(FileStoreError) -> any UploadSink { try self.real.newUpload(key) }
        func resumeUpload(_ key: TransferKey) throws(FileStoreError) -> (any UploadSink)? {
            try self.real.resumeUpload(key)
        }
        func discardUpload(_ key: TransferKey) { self.real.discardUpload(key) }
        func unfinishedUploads() -> [UnfinishedUpload] { self.real.unfinishedUploads() }
        func open(_ object: StoredObject) throws(FileStoreError) -> any ObjectReader { try self.real.open(object) }
        func remove(_ object: StoredObject) throws(FileStoreError) { try self.real.remove(object) }
        func check(_ object: StoredObject, pace: (Int) -> Bool) throws(FileStoreError) {
            try self.real.check(object, pace: pace)
        }
        func orphans(olderThanMilliseconds: Int64, isKnown: (ContentHash) -> Bool) -> [ContentHash] {
            self.real.orphans(olderThanMilliseconds: olderThanMilliseconds, isKnown: isKnown)
        }
    }
}
