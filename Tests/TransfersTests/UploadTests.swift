import ChatModel
import Execution
import Store
import Testing

@testable import Transfers

struct UploadTests {
    @Test("what was uploaded comes back, whole and in parts", arguments: [1, 65_536, 262_144, 1_000_003])
    func whole(size: Int) async throws {
        let depot = try Depot()
        let bytes = text(size)
        let file = try await depot.upload(bytes)
        #expect(file.state == .complete)
        #expect(file.size == Int64(size))
        #expect(file.object?.size == Int64(size))
        #expect(try await depot.download(file) == bytes)
        for _ in 0..<10 {
            let start = Int.random(in: 0..<size)
            let end = Int.random(in: start...size)
            let part = try await depot.download(file, .plain(Int64(start)..<Int64(end)))
            #expect(part == Array(bytes[start..<end]))
        }
    }

    @Test("an upload that is declared as empty is a file when its flow has ended")
    func empty() async throws {
        let depot = try Depot()
        let file = try await depot.upload([])
        #expect(file.size == 0)
        #expect(try await depot.download(file) == [])
    }

    @Test("without a declared size the end of the body is the end of the file")
    func undeclared() async throws {
        let depot = try Depot()
        let bytes = noise(300_000)
        let key = try await depot.create(nil)
        let flow = try await depot.open(key)
        await Sender(flow).send(bytes)
        let view = try await depot.end(flow)
        #expect(view.record.state == .succeeded)
        #expect(view.record.size == 300_000)
        #expect(try await depot.download(try #require(view.file)) == bytes)
    }

    @Test("goes on over several requests, and each says where it is")
    func pieces() async throws {
        let depot = try Depot()
        let bytes = text(700_000)
        let key = try await depot.create(700_000)
        for (start, end) in [(0, 1), (1, 300_000), (300_000, 300_000), (300_000, 699_999)] {
            let flow = try await depot.open(key, at: Int64(start))
            #expect(flow.offset == Int64(start))
            await Sender(flow).send(Array(bytes[start..<end]))
            let view = try await depot.end(flow)
            #expect(view.record.offset == Int64(end))
            #expect(view.record.state == .waiting)
            #expect(view.file == nil)
        }
        let flow = try await depot.open(key)
        #expect(flow.offset == 699_999)
        await Sender(flow).send([bytes[699_999]])
        let view = try await depot.end(flow)
        #expect(view.record.state == .succeeded)
        #expect(try await depot.download(try #require(view.file)) == bytes)
        // An upload and a download, whose end the engine is told of by its connection.
        await depot.until { depot.transfers.metrics.succeeded == 2 }
    }

    @Test("a request for another offset is refused with the right one")
    func wrongOffset() async throws {
        let depot = try Depot()
        let key = try await depot.create(100)
        let flow = try await depot.open(key, at: 0)
        _ = flow.push(text(40))
        _ = try await depot.end(flow)
        #expect(await depot.refusal { _ = try await depot.open(key, at: 0) } == .wrongOffset(40))
        #expect(await depot.refusal { _ = try await depot.open(key, at: 41) } == .wrongOffset(40))
        #expect(try await depot.open(key, at: 40).offset == 40)
    }

    @Test("a body past the end is refused before it holds the upload, which is free at once")
    func pastTheEnd() async throws {
        let depot = try Depot()
        let key = try await depot.create(100)
        #expect(await depot.refusal { _ = try await depot.open(key, at: 0, length: 101) } == .tooLong(limit: 100))
        let flow = try await depot.open(key, at: 0, length: 40)
        _ = flow.push(text(40))
        _ = try await depot.end(flow)
        #expect(await depot.refusal { _ = try await depot.open(key, at: 40, length: 61) } == .tooLong(limit: 100))
        #expect(try await depot.open(key, at: 40, length: 60).offset == 40)
        let endless = try await depot.create(nil)
        #expect(try await depot.open(endless, at: 0, length: 1_000).offset == 0)
    }

    @Test("a second flow while the first one brings bytes is busy, until the first one is gone")
    func busy() async throws {
        let depot = try Depot()
        let key = try await depot.create(100)
        let flow = try await depot.open(key)
        _ = flow.push(text(40))
        #expect(await depot.refusal { _ = try await depot.open(key) } == .busy)
        flow.abandon()
        var next: UploadFlow?
        await depot.until {
            next = try? await depot.open(key)
            return next != nil
        }
        #expect(next?.offset == 40, "what came before the connection went stays")
    }

    @Test("a connection that forgets its flow is gone")
    func forgotten() async throws {
        let depot = try Depot()
        let key = try await depot.create(100)
        var flow: UploadFlow? = try await depot.open(key)
        _ = flow?.push(text(10))
        flow = nil
        try await depot.until { try await depot.find(key).isLive == false }
        #expect(try await depot.find(key).record.offset == 10)
    }

    @Test("a checksum that is right is accepted", arguments: UploadChecksum.vectors)
    func rightChecksum(checksum: UploadChecksum) async throws {
        let depot = try Depot()
        let key = try await depot.create(3)
        let flow = try await depot.open(key, checksum: checksum)
        for byte in Array("abc".utf8) { _ = flow.push([byte]) }
        #expect(try await depot.end(flow).record.state == .succeeded)
    }

    @Test("a checksum that is wrong takes the body back, and only that one", arguments: UploadChecksum.vectors)
    func wrongChecksum(checksum: UploadChecksum) async throws {
        let depot = try Depot()
        let key = try await depot.create(600_003)
        let before = noise(600_000)
        let first = try await depot.open(key)
        await Sender(first).send(before)
        _ = try await depot.end(first)
        let wrong = try await depot.open(key, checksum: checksum)
        _ = wrong.push(Array("abd".utf8))
        #expect(await depot.refusal { _ = try await depot.end(wrong) } == .wrongChecksum)
        #expect(try await depot.find(key).record.offset == 600_000)
        let right = try await depot.open(key, at: 600_000, checksum: checksum)
        _ = right.push(Array("abc".utf8))
        let file = try #require(try await depot.end(right).file)
        #expect(try await depot.download(file) == before + Array("abc".utf8))
    }

    @Test("of a body with a checksum nothing stays when its connection breaks")
    func brokenChecksum() async throws {
        let depot = try Depot()
        let key = try await depot.create(600_000)
        let flow = try await depot.open(key, checksum: UploadChecksum.vectors[0])
        await Sender(flow).send(noise(500_000))
        flow.abandon()
        try await depot.until { try await depot.find(key).isLive == false }
        #expect(try await depot.find(key).record.offset == 0)
    }

    @Test("more than was declared is cut at once, and the upload goes on from where it was")
    func bomb() async throws {
        let depot = try Depot()
        let key = try await depot.create(1_024)
        let first = try await depot.open(key)
        let bytes = noise(1_024)
        _ = first.push(Array(bytes[..<512]))
        _ = try await depot.end(first)
        let flow = try await depot.open(key, at: 512)
        #expect(!flow.push(noise(513)))
        #expect(flow.failure == .tooLong(limit: 1_024))
        #expect(await depot.refusal { _ = try await depot.end(flow) } == .tooLong(limit: 1_024))
        try await depot.until { try await depot.find(key).isLive == false }
        #expect(try await depot.find(key).record.state == .waiting)
        let rest = try await depot.open(key, at: 512)
        _ = rest.push(Array(bytes[512...]))
        let file = try #require(try await depot.end(rest).file)
        #expect(try await depot.download(file) == bytes)
    }

    @Test("a silent connection makes room for the next request of the same upload, and is told so")
    func takesOver() async throws {
        let depot = try Depot { $0.silentMilliseconds = 0 }
        let key = try await depot.create(100)
        let silent = try await depot.open(key)
        _ = silent.push(text(40))
        try await depot.until { try await depot.find(key).record.offset == 40 }
        let isCalled = ConditionLock(false)
        silent.setWhenRoom { isCalled.change { $0 = true } }
        let next = try await depot.open(key, at: 40)
        #expect(next.offset == 40, "what the silent one brought stays")
        #expect(isCalled.read { $0 })
        #expect(silent.failure == .busy)
        #expect(!silent.push(text(1)))
        silent.abandon()
        _ = next.push(text(60))
        #expect(try await depot.end(next).record.state == .succeeded)
    }

    @Test("without a declared size the bound of one file counts")
    func undeclaredBomb() async throws {
        let depot = try Depot { $0.fileBytes = 2_000 }
        let key = try await depot.create(nil)
        let flow = try await depot.open(key)
        #expect(flow.push(noise(2_000)))
        let hasRoom = flow.push([0])
        #expect(!hasRoom)
        #expect(flow.failure == .tooLong(limit: 2_000))
    }

    @Test("a waiting writer of too much is called, so that it can answer")
    func bombWaits() async throws {
        let depot = try Depot()
        let key = try await depot.create(100)
        let flow = try await depot.open(key)
        await withCheckedContinuation { continuation in
            let isCalled = Lock(false)
            flow.setWhenRoom {
                let isFirst = isCalled.withLock { isCalled in
                    defer { isCalled = true }
                    return !isCalled
                }
                if isFirst { continuation.resume() }
            }
            _ = flow.push(noise(101))
        }
        #expect(flow.failure == .tooLong(limit: 100))
    }

    @Test("nothing waits in memory beyond the mark, however fast it comes")
    func bounded() async throws {
        let depot = try Depot { $0.pendingBytes = 128 * 1024 }
        let key = try await depot.create(4 << 20)
        let flow = try await depot.open(key)
        let bytes = noise(4 << 20)
        let most = Lock(0)
        let sender = Sender(flow)
        var sent = 0
        while sent < bytes.count {
            await sender.send(Array(bytes[sent..<sent + 65_536]))
            sent += 65_536
            most.withLock { $0 = max($0, flow.pendingBytes) }
        }
        #expect(most.withLock { $0 } <= 128 * 1024 + 65_536)
        #expect(try await depot.download(try #require(try await depot.end(flow).file)) == bytes)
    }

    @Test("thirty uploads and thirty downloads at once all come through")
    func parallel() async throws {
        let depot = try Depot(changeStore: { $0.files.openUploads = 100 })
        let files = try await withThrowingTaskGroup(of: (Int, FileRecord).self) { group in
            for number in 0..<30 {
                group.addTask { (number, try await depot.upload(noise(300_000 + number, seed: UInt64(number + 1)))) }
            }
            var files: [(Int, FileRecord)] = []
            for try await file in group { files.append(file) }
            return files
        }
        #expect(files.count == 30)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, file) in files {
                group.addTask {
                    let bytes = try await depot.download(file)
                    #expect(bytes == noise(300_000 + number, seed: UInt64(number + 1)))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("fifty uploads of the same content become one object")
    func sameContent() async throws {
        let depot = try Depot(changeStore: { $0.files.openUploads = 100 })
        let bytes = text(400_000)
        let files = try await withThrowingTaskGroup(of: FileRecord.self) { group in
            for _ in 0..<50 { group.addTask { try await depot.upload(bytes) } }
            var files: [FileRecord] = []
            for try await file in group { files.append(file) }
            return files
        }
        #expect(Set(files.map(\.key)).count == 50)
        #expect(Set(files.map(\.object)).count == 1)
        #expect(depot.providers[0].unfinishedUploads() == [])
        #expect(try await depot.download(files[0]) == bytes)
        let totals = try depot.store.readAndWait { transaction throws(StoreError) in try transaction.files.fileTotals()
        }
        #expect(totals.files == 50)
        #expect(totals.objects == 1)
    }

    @Test("what the store refuses is passed on")
    func refused() async throws {
        let depot = try Depot(changeStore: { $0.files.openUploads = 2 })
        _ = try await depot.create(10)
        _ = try await depot.create(10)
        let refusal = await depot.refusal { _ = try await depot.create(10) }
        #expect(refusal == .refused(.refused(.tooManyUploads(limit: 2))))
    }

    @Test("people do not learn of the uploads of others; the operator does")
    func others() async throws {
        let depot = try Depot()
        let key = try await depot.create(10, by: depot.romeo)
        let juliet = Actor(depot.juliet)
        #expect(await depot.refusal { _ = try await depot.find(key, by: juliet) } == .notFound)
        #expect(await depot.refusal { _ = try await depot.open(key, by: depot.juliet) } == .notFound)
        #expect(await depot.refusal { _ = try await depot.suspend(key, by: juliet) } == .notFound)
        #expect(await depot.refusal { _ = try await depot.resume(key, by: juliet) } == .notFound)
        #expect(await depot.refusal { _ = try await depot.cancel(key, by: juliet) } == .notFound)
        #expect(try await depot.find(key, by: Actor(depot.romeo)).record.owner == depot.romeo)
        #expect(try await depot.find(key, by: .operator).record.owner == depot.romeo)
        let unknown = TransferKey(random: [UInt8](repeating: 1, count: 26))
        #expect(await depot.refusal { _ = try await depot.find(unknown) } == .notFound)
    }
}

extension UploadChecksum {
    /// Of "abc". Sources: RFC 1321 appendix A.5, FIPS 180 examples.
    static let vectors = [
        UploadChecksum(algorithm: .md5, digest: bytes("900150983cd24fb0d6963f7d28e17f72")),
        UploadChecksum(algorithm: .sha1, digest: bytes("a9993e364706816aba3e25717850c26c9cd0d89d")),
        UploadChecksum(
            algorithm: .sha256, digest: bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")),
    ]

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
