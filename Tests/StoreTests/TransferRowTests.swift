import ChatModel
import Testing

@testable import Store

@Suite("Uploads and downloads in the store")
struct TransferRowTests {
    private func verona(_ change: @escaping (inout FileLimits) -> Void = { _ in }) throws -> Verona {
        try Verona { change(&$0.files) }
    }

    private func refusal(_ verona: Verona, _ draft: UploadDraft) -> ActionRefusal? {
        verona.refusal { store throws(StoreError) in try store.files.createUpload(draft) }
    }

    private func transfer(_ verona: Verona, _ key: TransferKey) throws -> TransferRecord {
        try #require(try verona.read { store throws(StoreError) in try store.files.transfer(key) })
    }

    private func note(
        _ verona: Verona, _ transfer: TransferRecord, _ state: TransferState, _ offset: Int64
    ) throws {
        try verona.write { store throws(StoreError) in
            try store.files.noteTransfer(transfer.id, state: state, offset: offset)
        }
    }

    private func end(_ verona: Verona, _ transfer: TransferRecord, _ state: TransferState) throws {
        try verona.write { store throws(StoreError) in
            try store.files.endTransfer(transfer.id, state: state, error: nil)
        }
    }

    // MARK: Bounds

    @Test(
        "what is declared is reserved, and given back when the upload ends",
        arguments: [.failed, .cancelled] as [TransferState])
    func reserved(_ state: TransferState) throws {
        let verona = try self.verona { $0.personBytes = 2_500 }
        let one = try verona.begin(verona.romeo)
        try verona.begin(verona.romeo)
        #expect(try verona.quota(verona.romeo) == QuotaUse(bytes: 0, reservedBytes: 2_000, openUploads: 2))
        #expect(self.refusal(verona, Verona.draft(verona.romeo)) == .quotaReached(limitBytes: 2_500))
        #expect(self.refusal(verona, Verona.draft(verona.juliet)) == nil)
        try self.end(verona, one, state)
        #expect(try verona.quota(verona.romeo) == QuotaUse(bytes: 0, reservedBytes: 1_000, openUploads: 1))
        #expect(try verona.file(one.file) == nil)
        try verona.upload(verona.romeo)
        #expect(try verona.quota(verona.romeo) == QuotaUse(bytes: 1_000, reservedBytes: 1_000, openUploads: 1))
        #expect(try verona.isSound() == [])
    }

    @Test("a file counts for its owner although the same content is there; removed, it does not")
    func sameContent() throws {
        let verona = try self.verona { $0.personBytes = 1_500 }
        let file = try verona.upload(verona.romeo)
        try verona.upload(verona.juliet)
        #expect(try verona.quota(verona.romeo).bytes == 1_000)
        #expect(try verona.quota(verona.juliet).bytes == 1_000)
        #expect(self.refusal(verona, Verona.draft(verona.romeo)) == .quotaReached(limitBytes: 1_500))
        let romeo = Actor(verona.romeo)
        try verona.write { store throws(StoreError) in try store.files.deleteFile(file.key, by: romeo) }
        #expect(self.refusal(verona, Verona.draft(verona.romeo)) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("all files together have a bound, for the operator too")
    func all() throws {
        let verona = try self.verona { $0.allBytes = 2_500 }
        try verona.upload(verona.romeo)
        try verona.begin(verona.juliet)
        #expect(self.refusal(verona, Verona.draft(verona.tybalt)) == .quotaReached(limitBytes: 2_500))
        #expect(self.refusal(verona, Verona.draft(verona.tybalt, by: .operator)) == .quotaReached(limitBytes: 2_500))
        #expect(self.refusal(verona, Verona.draft(verona.tybalt, size: 500)) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("open uploads have a bound, uploads in an hour, bytes in a day")
    func rates() throws {
        let verona = try self.verona {
            $0.openUploads = 2
            $0.hourUploads = 4
            $0.dayBytes = 6_500
        }
        let open = [try verona.begin(verona.romeo), try verona.begin(verona.romeo)]
        #expect(self.refusal(verona, Verona.draft(verona.romeo)) == .tooManyUploads(limit: 2))
        #expect(self.refusal(verona, Verona.draft(verona.romeo, by: .operator)) == nil)
        for transfer in open { try self.end(verona, transfer, .cancelled) }
        let operators = try #require(
            try verona.read { store throws(StoreError) in try store.files.transfers(TransferQuery()) }.first)
        try self.end(verona, operators, .cancelled)
        try verona.upload(verona.romeo)
        #expect(self.refusal(verona, Verona.draft(verona.romeo)) == .uploadsTooFast(limit: 4))
        #expect(self.refusal(verona, Verona.draft(verona.juliet)) == nil)
        verona.advance(seconds: 3_600)
        // What was cancelled before a byte came does not count for the day.
        for _ in 0..<4 { try verona.upload(verona.romeo) }
        verona.advance(seconds: 3_600)
        try verona.upload(verona.romeo)
        #expect(self.refusal(verona, Verona.draft(verona.romeo)) == .uploadsTooFast(limit: 6_500))
        verona.advance(seconds: 24 * 3_600)
        #expect(self.refusal(verona, Verona.draft(verona.romeo)) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("a file has a bound, declared or not")
    func tooLong() throws {
        let verona = try self.verona {
            $0.fileBytes = 2_000
            $0.personBytes = 3_000
        }
        #expect(self.refusal(verona, Verona.draft(verona.romeo, size: 2_001)) == .fileTooLong(limitBytes: 2_000))
        let declared = try verona.begin(verona.romeo, size: 10)
        let unknown = try verona.begin(verona.romeo, size: nil)
        let complete: @Sendable (TransferRecord, Int64) -> ActionRefusal? = { transfer, size in
            verona.refusal { store throws(StoreError) in
                try store.files.completeUpload(transfer.id, object: Verona.object("x", size: size))
            }
        }
        #expect(complete(declared, 11) == .fileTooLong(limitBytes: 10))
        #expect(complete(unknown, 2_001) == .fileTooLong(limitBytes: 2_000))
        try verona.upload(verona.romeo, "y", size: 1_900)
        try self.note(verona, unknown, .progressing, 1_000)
        #expect(try verona.quota(verona.romeo).reservedBytes == 1_010)
        #expect(complete(unknown, 1_200) == .quotaReached(limitBytes: 3_000))
        #expect(complete(unknown, 1_000) == nil)
        #expect(try verona.quota(verona.romeo) == QuotaUse(bytes: 2_900, reservedBytes: 10, openUploads: 1))
        #expect(try verona.isSound() == [])
    }

    @Test("only the operator uploads for somebody else, and nobody for a conversation they do not know")
    func whose() throws {
        let verona = try self.verona()
        let juliet = Actor(verona.juliet)
        #expect(self.refusal(verona, Verona.draft(verona.romeo, by: juliet)) == .noSuchUser)
        let theirs = try verona.begin(verona.romeo, by: .operator)
        #expect(theirs.ownerName.text == "romeo")
        #expect(self.refusal(verona, Verona.draft(verona.tybalt, conversation: verona.id)) == .notMember)
        #expect(self.refusal(verona, Verona.draft(verona.romeo, conversation: verona.id)) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("a name, a type and what is known of a file have bounds")
    func texts() throws {
        let verona = try self.verona()
        let refused: @Sendable (UploadDraft) -> Bool = { draft in
            do throws(StoreError) {
                try verona.write { store throws(StoreError) in _ = try store.files.createUpload(draft) }
                return false
            } catch {
                guard case .invalid = error else { return false }
                return true
            }
        }
        var drafts = (0..<5).map { _ in Verona.draft(verona.romeo) }
        drafts[0].name = String(repeating: "é", count: 256)
        drafts[1].mediaType = String(repeating: "a", count: 128)
        drafts[2].metadata = Array("[1]".utf8)
        drafts[3].metadata = Array(#"{"a":"\#(String(repeating: "a", count: 16_384))"}"#.utf8)
        drafts[4].size = -1
        #expect(drafts.map(refused) == [true, true, true, true, true])
        var good = Verona.draft(verona.romeo)
        good.name = String(repeating: "é", count: 255)
        good.metadata = Array(#"{"width":3}"#.utf8)
        let taken = good
        try verona.write { store throws(StoreError) in _ = try store.files.createUpload(taken) }
        #expect(try verona.file(taken.file)?.metadata == taken.metadata)
        #expect(try verona.isSound() == [])
    }

    // MARK: Completing

    @Test("50 people who complete the same content have one object with 50 files")
    func sameHash() throws {
        let verona = try self.verona()
        let done = (0..<50).map { number in
            let draft = Verona.draft(verona.everyone[number % 4], by: .operator)
            return try? verona.write { store throws(StoreError) in
                let transfer = try store.files.createUpload(draft)
                return try store.files.completeUpload(transfer.id, object: Verona.object("same"))
            }
        }
        #expect(Set(done.compactMap { $0?.key }).count == 50)
        #expect(try verona.object("same")?.references == 50)
        #expect(try verona.totals().objects == 1)
        #expect(try verona.totals().plainBytes == 1_000)
        #expect(try verona.totals().fileBytes == 50_000)
        #expect(try verona.isSound() == [])
    }

    @Test("an upload is completed once, and not after it ended")
    func once() throws {
        let verona = try self.verona()
        let transfer = try verona.begin(verona.romeo)
        let cancelled = try verona.begin(verona.romeo)
        try self.end(verona, cancelled, .cancelled)
        let complete: @Sendable (TransferRecord) -> ActionRefusal? = { transfer in
            verona.refusal { store throws(StoreError) in
                try store.files.completeUpload(transfer.id, object: Verona.object("x"))
            }
        }
        #expect(complete(transfer) == nil)
        #expect(complete(transfer) == .transferOver)
        #expect(complete(cancelled) == .transferOver)
        try self.end(verona, transfer, .failed)
        #expect(try self.transfer(verona, transfer.key).state == .succeeded)
        #expect(try verona.object("x")?.references == 1)
        #expect(try verona.file(transfer.file)?.state == .complete)
        #expect(try verona.isSound() == [])
    }

    // MARK: States

    @Test("what moved when the server ended waits; what was held is held; offsets stay")
    func restarted() throws {
        let verona = try self.verona()
        let moving = try verona.begin(verona.romeo)
        let held = try verona.begin(verona.romeo)
        try self.note(verona, moving, .progressing, 300)
        try self.note(verona, held, .suspended, 200)
        let fixture = try verona.fixture.reopened()
        let after = try fixture.store.readAndWait { store throws(StoreError) in
            [try store.files.transfer(moving.key), try store.files.transfer(held.key)]
        }
        #expect(after.map { $0?.state } == [.waiting, .suspended])
        #expect(after.map { $0?.offset } == [300, 200])
        #expect(try fixture.verified().findings == [])
    }

    @Test("nobody goes on: given up after a day, and forgotten after a week")
    func expired() throws {
        let verona = try self.verona()
        let idle = try verona.begin(verona.romeo)
        let moving = try verona.begin(verona.romeo)
        let expire: @Sendable () throws -> [TransferKey] = {
            try verona.write { store throws(StoreError) in try store.files.expireTransfers() }.map(\.key)
        }
        verona.advance(seconds: 24 * 3_600)
        #expect(try expire() == [])
        try self.note(verona, moving, .progressing, 10)
        verona.advance(seconds: 1)
        #expect(try expire() == [idle.key])
        #expect(try self.transfer(verona, idle.key).state == .failed)
        #expect(try self.transfer(verona, idle.key).expiresAtMilliseconds == nil)
        #expect(try verona.file(idle.file) == nil)
        #expect(try verona.quota(verona.romeo).openUploads == 1)
        verona.advance(seconds: 7 * 24 * 3_600 + 1)
        #expect(try expire() == [moving.key])
        #expect(try verona.read { store throws(StoreError) in try store.files.transfer(idle.key) } == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("what is over does not move any more")
    func over() throws {
        let verona = try self.verona()
        let transfer = try verona.begin(verona.romeo)
        try self.end(verona, transfer, .cancelled)
        try self.note(verona, transfer, .progressing, 5)
        let after = try self.transfer(verona, transfer.key)
        #expect(after.state == .cancelled)
        #expect(after.offset == 0)
        #expect(try verona.isSound() == [])
    }

    @Test("transfers are listed by owner and direction, newest first, those that are over when asked for")
    func listed() throws {
        let verona = try self.verona()
        let one = try verona.begin(verona.romeo)
        let two = try verona.begin(verona.juliet)
        let three = try verona.begin(verona.romeo)
        try self.end(verona, three, .failed)
        let list: @Sendable (UserID?, TransferDirection?, Bool) throws -> [TransferKey] = { owner, direction, over in
            var query = TransferQuery()
            query.owner = owner
            query.direction = direction
            query.includesOver = over
            let asked = query
            return try verona.read { store throws(StoreError) in try store.files.transfers(asked) }.map(\.key)
        }
        #expect(try list(nil, nil, false) == [two.key, one.key])
        #expect(try list(verona.romeo, nil, true) == [three.key, one.key])
        #expect(try list(nil, .download, true) == [])
        var query = TransferQuery()
        query.limit = 0
        let bad = query
        #expect(throws: StoreError.self) {
            try verona.read { store throws(StoreError) in try store.files.transfers(bad) }
        }
        #expect(try verona.isSound() == [])
    }

    @Test("a download goes on as the same transfer while it is unfinished")
    func downloads() throws {
        let verona = try self.verona()
        let file = try verona.upload(verona.romeo)
        let (juliet, romeo) = (verona.juliet, verona.romeo)
        let note: @Sendable (UserID) throws -> TransferRecord = { user in
            let key = TransferKey(random: Verona.randomBytes())
            return try verona.write { store throws(StoreError) in
                try store.files.noteDownload(of: file, by: user, .attachment, key: key)
            }
        }
        let first = try note(juliet)
        #expect(first.direction == .download)
        #expect(first.size == 1_000)
        #expect(try note(juliet).key == first.key)
        #expect(try note(romeo).key != first.key)
        try self.end(verona, first, .succeeded)
        #expect(try note(juliet).key != first.key)
        // A download that ends takes nothing with it, and is no upload.
        #expect(try verona.file(file.key) != nil)
        #expect(try verona.quota(juliet) == QuotaUse())
        #expect(try verona.isSound() == [])
    }

    // MARK: Places to upload

    private func place(_ verona: Verona) throws -> UploadLink {
        let link = UploadLink(
            key: FileLinkKey(random: Verona.randomBytes()), owner: verona.romeo, transferClass: .avatar,
            conversation: verona.id, purpose: "chat/1.png")
        try verona.write { store throws(StoreError) in try store.files.makeUploadLink(link) }
        return link
    }

    private func use(_ verona: Verona, _ link: UploadLink) -> ActionRefusal? {
        verona.refusal { store throws(StoreError) in try store.files.useUploadLink(link.key) }
    }

    @Test("a place to upload is good for one upload, for a day, and for nothing else")
    func places() throws {
        let verona = try self.verona()
        let link = try self.place(verona)
        #expect(try verona.file(link: link.key) == nil)
        #expect(try verona.read { store throws(StoreError) in try store.files.uploadLink(link.key) } == link)
        #expect(try verona.write { store throws(StoreError) in try store.files.useUploadLink(link.key) } == link)
        #expect(self.use(verona, link) == .noSuchFile)
        #expect(try verona.read { store throws(StoreError) in try store.files.uploadLink(link.key) } == nil)
        let late = try self.place(verona)
        verona.advance(seconds: 24 * 3_600)
        #expect(self.use(verona, late) == .noSuchFile)
        let file = try verona.upload(verona.romeo)
        let download = try verona.link(file)
        #expect(
            verona.refusal { store throws(StoreError) in try store.files.useUploadLink(download) } == .noSuchFile)
        #expect(try verona.isSound() == [])
    }

    @Test("one person has 100 unused places, the newest")
    func manyPlaces() throws {
        let verona = try self.verona()
        let links = try (0..<102).map { _ in try self.place(verona) }
        #expect(self.use(verona, links[0]) == .noSuchFile)
        #expect(self.use(verona, links[1]) == .noSuchFile)
        #expect(self.use(verona, links[2]) == nil)
        #expect(self.use(verona, links[101]) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("no links are made when they are switched off")
    func noLinks() throws {
        let verona = try self.verona { $0.makesLinks = false }
        let file = try verona.upload(verona.romeo)
        let key = FileLinkKey(random: Verona.randomBytes())
        #expect(
            verona.refusal { store throws(StoreError) in try store.files.makeLink(key, to: file.key, for: nil) }
                == .switchedOff)
        let link = UploadLink(
            key: key, owner: verona.romeo, transferClass: .attachment, conversation: nil, purpose: nil)
        #expect(verona.refusal { store throws(StoreError) in try store.files.makeUploadLink(link) } == .switchedOff)
        #expect(try verona.isSound() == [])
    }

    // MARK: Lists

    @Test("files are listed by owner and conversation: the newest, the largest or the best compressed first")
    func files() throws {
        let verona = try self.verona()
        let small = try verona.upload(verona.romeo, "a", size: 10)
        let large = try verona.upload(verona.juliet, "b", size: 9_000)
        let middle = try verona.upload(verona.romeo, "c", size: 99)
        try verona.say("\(large.key)", verona.juliet)
        let list: @Sendable (FileQuery) throws -> [FileKey] = { query in
            try verona.read { store throws(StoreError) in try store.files.files(query) }.map(\.key)
        }
        var query = FileQuery()
        #expect(try list(query) == [middle.key, large.key, small.key])
        query.order = .largest
        #expect(try list(query) == [large.key, middle.key, small.key])
        query.order = .ratio
        // 49 of 99 is less than the half.
        #expect(try list(query).first == middle.key)
        query.owner = verona.romeo
        #expect(try Set(list(query)) == [small.key, middle.key])
        query.owner = nil
        query.onlyUnreferenced = true
        #expect(try Set(list(query)) == [small.key, middle.key])
        query.onlyUnreferenced = false
        query.conversation = verona.id
        #expect(try list(query) == [large.key])
        let totals = try verona.totals()
        #expect(totals.files == 3)
        #expect(totals.fileBytes == 9_109)
        #expect(totals.unreferencedFiles == 2)
        #expect(try verona.isSound() == [])
    }
}
