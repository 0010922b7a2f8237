import AdminAPI
import AdminService
import ChatModel
import Execution
import Glibc
import Store
import Testing
import Transfers

/// Uploads over the admin socket, as `ctl upload` does it.
struct Uploading {
    let client: AdminClient

    func open(
        _ name: String, _ size: Int, for owner: UserName = romeo, source: String = "00000000000000aa",
        resumed: TransferKey? = nil, isAvatar: Bool = false
    ) throws -> AdminTransfer {
        let upload = AdminUpload(
            owner: owner, name: name, mediaType: "text/plain", size: Int64(size), source: source, resumed: resumed,
            isAvatar: isAvatar)
        guard case .transfers(.one(let transfer)) = try self.client.ask(.transfers(.upload(upload))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return transfer
    }

    /// Sends a part in pieces, a few under way.
    func send(_ bytes: ArraySlice<UInt8>, at start: Int = 0) throws {
        var under = 0
        var rest = bytes
        while !rest.isEmpty || under > 0 {
            if !rest.isEmpty && under < 4 {
                let piece = rest.prefix(AdminProtocol.pieceBytes)
                let offset = Int64(start + bytes.count - rest.count)
                _ = try self.client.send(.transfers(.piece(AdminPiece(offset: offset, bytes: Array(piece)))))
                rest = rest.dropFirst(piece.count)
                under += 1
                continue
            }
            guard case .transfers(.taken) = try self.client.nextAnswer().answer.get() else {
                throw AdminError(.protocolError, "another answer was due")
            }
            under -= 1
        }
    }

    func finish() throws -> AdminTransfer {
        guard case .transfers(.one(let transfer)) = try self.client.ask(.transfers(.finishUpload)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return transfer
    }

    @discardableResult
    func upload(
        _ name: String, _ bytes: [UInt8], for owner: UserName = romeo, isAvatar: Bool = false
    ) throws -> AdminTransfer {
        _ = try self.open(name, bytes.count, for: owner, isAvatar: isAvatar)
        try self.send(bytes[...])
        return try self.finish()
    }
}

extension AdminClient {
    func files(_ query: AdminFileQuery = AdminFileQuery()) throws -> (files: [AdminFile], totals: FileTotals) {
        guard case .files(.list(let files, let totals)) = try self.ask(.files(.list(query))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return (files, totals)
    }

    func file(_ key: FileKey) throws -> AdminFileDetail {
        guard case .files(.one(let detail)) = try self.ask(.files(.show(key))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return detail
    }

    func collect(isDryRun: Bool) throws -> AdminCollection {
        guard case .files(.collected(let collection)) = try self.ask(.files(.collect(isDryRun: isDryRun))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return collection
    }

    func check(_ key: FileKey?, onEvent: (AdminEvent) -> Void = { _ in }) throws -> AdminFileCheck {
        guard case .files(.checked(let check)) = try self.ask(.files(.verify(key)), onEvent: onEvent) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return check
    }

    func transfers(of owner: UserName? = nil, withOver: Bool = false) throws -> [AdminTransfer] {
        let request = AdminTransferRequest.list(owner, withOver: withOver, limit: 100)
        guard case .transfers(.list(let transfers)) = try self.ask(.transfers(request)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return transfers
    }
}

/// Text that compresses well, and is not all the same.
func prose(_ count: Int, seed: Int = 0) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(count + 64)
    var line = seed
    while text.count < count {
        text += Array("Line \(line) of the story of Verona, told again and again. ".utf8)
        line += 1
    }
    return Array(text.prefix(count))
}

@Suite("Requests about files") struct FileRequestsTests {
    @Test("an upload in many pieces is kept, listed, shown and found whole")
    func upload() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let bytes = prose(3 << 20)
        let done = try Uploading(client: client).upload("剧本\u{1B}.txt", bytes)
        #expect(done.state == .succeeded && done.offset == Int64(bytes.count))
        let (files, totals) = try client.files()
        #expect(files.map(\.key) == [done.file])
        #expect(files[0].name == "剧本\u{1B}.txt" && files[0].owner == romeo && files[0].size == 3 << 20)
        let stored = try #require(files[0].storedSize)
        #expect(stored < files[0].size / 2)
        #expect(
            totals.files == 1 && totals.objects == 1
                && totals.plainBytes == 3 << 20 && totals.unreferencedFiles == 1)
        #expect(totals.storedBytes == stored)
        let detail = try client.file(done.file)
        #expect(detail.provider == "objects" && detail.codec == "gzip" && detail.references.isEmpty)
        #expect(try client.check(done.file).damagedCount == 0)
    }

    @Test("the same content again is another file and no other content; an empty file is a file")
    func duplicates() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let uploading = Uploading(client: try fixture.client())
        let bytes = prose(300_000)
        let first = try uploading.upload("a", bytes)
        let second = try uploading.upload("b", bytes, for: juliet)
        #expect(first.file != second.file)
        let empty = try uploading.upload("c", [])
        #expect(empty.state == .succeeded)
        let (files, totals) = try uploading.client.files()
        #expect(Set(files.map(\.name)) == ["a", "b", "c"])
        #expect(totals.files == 3 && totals.objects == 2 && totals.fileBytes == 600_000 && totals.plainBytes == 300_000)
        #expect(try uploading.client.files(AdminFileQuery(owner: juliet)).files.map(\.name) == ["b"])
        #expect(try uploading.client.files(AdminFileQuery(order: .size, limit: 2)).files.last?.size == 300_000)
    }

    @Test("a connection that ends keeps what came; the same file goes on there, another does not")
    func resume() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let bytes = prose(2 << 20)
        var client: AdminClient? = try fixture.client()
        let begun = try Uploading(client: try #require(client)).open("a", bytes.count)
        try Uploading(client: try #require(client)).send(bytes[..<(1 << 20)])
        client = nil
        let again = Uploading(client: try fixture.client())
        // Until the engine has let go of the connection that ended, the upload is busy.
        var resumed: AdminTransfer?
        while resumed == nil {
            do { resumed = try again.open("a", bytes.count) } catch let error as AdminError where error.code == .busy {}
        }
        #expect(resumed?.key == begun.key && resumed?.offset == 1 << 20)
        #expect(again.client.refusal(of: self.opening(bytes.count, "00000000000000aa"))?.code == .refused)
        try again.send(bytes[(1 << 20)...], at: 1 << 20)
        let done = try again.finish()
        #expect(done.key == begun.key && done.state == .succeeded)
        #expect(try again.client.check(done.file).damagedCount == 0)
        let other = try again.open("a", bytes.count, source: "00000000000000ab")
        #expect(other.key != begun.key && other.offset == 0)
    }

    private func opening(
        _ size: Int, _ source: String, _ resumed: TransferKey? = nil, _ owner: UserName = romeo
    ) -> AdminRequest {
        .transfers(
            .upload(
                AdminUpload(
                    owner: owner, name: "a", mediaType: "m", size: Int64(size), source: source, resumed: resumed)))
    }

    @Test("an unfinished upload is gone on with by its key alone, by its owner and for its size")
    func resumeByKey() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        var client: AdminClient? = try fixture.client()
        let begun = try Uploading(client: try #require(client)).open("a", 1_000)
        client = nil
        let again = try fixture.client()
        let source = "0123456789abcdef"
        #expect(again.refusal(of: self.opening(1_000, source, begun.key, juliet))?.code == .notFound)
        #expect(again.refusal(of: self.opening(999, source, begun.key))?.code == .invalid)
        var resumed: AdminTransfer?
        while resumed == nil {
            do {
                resumed = try Uploading(client: again).open("b", 1_000, source: source, resumed: begun.key)
            } catch let error as AdminError where error.code == .busy {}
        }
        #expect(resumed?.key == begun.key)
    }

    @Test("pieces without an upload, at a wrong place, or of a cancelled upload are refused, and nothing hangs")
    func pieces() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let piece = AdminRequest.transfers(.piece(AdminPiece(offset: 0, bytes: [1, 2, 3])))
        #expect(client.refusal(of: piece)?.code == .invalid)
        #expect(client.refusal(of: .transfers(.finishUpload))?.code == .invalid)
        #expect(client.refusal(of: self.opening(5, "0123456789abcdef", nil, juliet))?.code == .notFound)
        let begun = try Uploading(client: client).open("a", 6)
        #expect(try client.ask(piece) == .transfers(.taken(3)))
        #expect(client.refusal(of: piece)?.code == .invalid)
        let operator2 = try fixture.client()
        guard case .transfers(.one(let ended)) = try operator2.ask(.transfers(.change(begun.key, .cancel))) else {
            Issue.record("no transfer")
            return
        }
        #expect(ended.state == .cancelled)
        let next = AdminRequest.transfers(.piece(AdminPiece(offset: 3, bytes: [4])))
        #expect(client.refusal(of: next)?.code == .refused)
        #expect(client.refusal(of: next)?.code == .invalid)
        #expect(try client.transfers(withOver: true).map(\.state) == [.cancelled])
        #expect(try client.transfers().isEmpty)
    }

    @Test("a suspended upload takes pieces up to a bound and answers them when it is resumed")
    func suspended() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let size = AdminProtocol.pieceBytes
        let begun = try Uploading(client: client).open("a", 4 * size)
        let operator2 = try fixture.client()
        _ = try operator2.ask(.transfers(.change(begun.key, .suspend)))
        #expect(try operator2.transfers().map(\.state) == [.suspended])
        let bytes = prose(4 * size)
        for number in 0..<4 {
            let part = Array(bytes[number * size..<(number + 1) * size])
            _ = try client.send(.transfers(.piece(AdminPiece(offset: Int64(number * size), bytes: part))))
        }
        // The other connection is answered although this one is not.
        #expect(try operator2.transfers().map(\.offset) == [0])
        _ = try operator2.ask(.transfers(.change(begun.key, .resume)))
        for _ in 0..<4 { _ = try client.nextAnswer().answer.get() }
        #expect(try Uploading(client: client).finish().state == .succeeded)
    }

    @Test("suspending, resuming and cancelling are noted when asked for and when done, with the state before and after")
    func noted() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let uploader = try fixture.client()
        let begun = try Uploading(client: uploader).open("a", 1_000_000)
        let client = try fixture.client()
        for action in [AdminTransferAction.suspend, .suspend, .resume, .cancel] {
            _ = try client.ask(.transfers(.change(begun.key, action)))
        }
        #expect(client.refusal(of: .transfers(.change(begun.key, .resume)))?.code == .refused)
        var query = AuditQuery()
        query.what = "transfer"
        query.subject = begun.key.text
        guard case .audit(.list(let found, nil)) = try client.ask(.audit(.list(query))) else {
            Issue.record("no log")
            return
        }
        let entries = found.reversed().map(\.entry)
        #expect(entries.map(\.stage) == (0..<4).flatMap { _ in [AuditStage.asked, .done] })
        let states = ["progressing", "suspended", "suspended", "progressing", "cancelled"]
        let json = states.map { #"{"state":"\#($0)"}"# }
        #expect(entries.map(\.before) == (0..<4).flatMap { [json[$0], json[$0]] })
        #expect(entries.map(\.after) == (1..<5).flatMap { [nil, json[$0]] })
        withExtendedLifetime(uploader) {}
    }

    @Test("who watches is told of the way and of the end, and only of the person they watch")
    func watch() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let all = try fixture.client()
        let one = try fixture.client()
        #expect(try all.ask(.transfers(.watch(nil))) == .following)
        #expect(try one.ask(.transfers(.watch(juliet))) == .following)
        #expect(one.refusal(of: .transfers(.watch(UserName("nobody")!)))?.code == .notFound)
        let uploading = Uploading(client: try fixture.client())
        let first = try uploading.upload("一", prose(1 << 20))
        let second = try uploading.upload("二", prose(1 << 20, seed: 9), for: juliet)
        let seen = try self.events(of: all, until: second.key)
        #expect(seen.contains { $0.key == first.key && $0.state == .succeeded })
        #expect(Set(try self.events(of: one, until: second.key).map(\.owner)) == [juliet])
    }

    /// The news up to the end of one transfer.
    private func events(of client: AdminClient, until key: TransferKey) throws -> [AdminTransfer] {
        var seen: [AdminTransfer] = []
        while !seen.contains(where: { $0.key == key && $0.state.isOver }) {
            guard case .transfers(let news) = try client.nextEvent() else { continue }
            seen += news
        }
        return seen
    }

    @Test("a watch that is stopped tells nothing more")
    func stopWatching() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let id = try client.send(.transfers(.watch(nil)))
        #expect(try client.nextAnswer().answer.get() == .following)
        #expect(try client.ask(.stopFollowing(id)) == .done)
        try Uploading(client: try fixture.client()).upload("a", prose(1_000))
        var events = 0
        _ = try client.ask(.status) { _ in events += 1 }
        #expect(events == 0)
    }

    @Test("damage on the disk is found, named, listed and told by the status")
    func damage() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let bad = try Uploading(client: client).upload("a", prose(1 << 20))
        let path = try fixture.onlyContent()
        let good = try Uploading(client: client).upload("b", prose(1 << 20, seed: 5))
        let file = try #require(fopen(path, "r+"))
        fseek(file, 200, SEEK_SET)
        fputs("oops", file)
        fclose(file)
        #expect(try client.check(good.file).damagedCount == 0)
        var reports: [AdminFileCheck] = []
        let found = try client.check(nil) { if case .checking(let check) = $0 { reports.append(check) } }
        #expect(found.objects == 2 && found.allObjects == 2 && found.damagedCount == 1)
        #expect(found.damaged.map(\.hash) == [try #require(try client.file(bad.file).file.hash)])
        #expect(reports.first?.allObjects == 2)
        let listed = try client.files(AdminFileQuery(onlyDamaged: true))
        #expect(listed.files.map(\.key) == [bad.file] && listed.totals.damagedObjects == 1)
        guard case .status(let status) = try client.ask(.status) else {
            Issue.record("no status")
            return
        }
        #expect(status.troubles.contains { $0.contains("file list --damaged") })
        #expect(status.metrics.contains(AdminMetric("files.damaged", 1)))
    }

    @Test("a collection says what would go, and then it goes; what was sent stays")
    func collect() throws {
        let clock = ManualClock()
        // No round but the one that is asked for.
        let fixture = try Fixture(clock: clock.clock, transfers: { $0.collectMilliseconds = 100 * 3_600_000 })
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        let lost = try Uploading(client: client).upload("lost", prose(500_000))
        let kept = try Uploading(client: client).upload("kept", prose(500_000, seed: 7))
        let sending = AdminFileSend(from: romeo, to: .user(juliet), file: kept.file)
        guard case .sent(let message) = try client.ask(.files(.send(sending))) else {
            Issue.record("not sent")
            return
        }
        #expect(message.text == "kept")
        #expect(try client.collect(isDryRun: true).files == 0)
        clock.advance(milliseconds: 25 * 3_600_000)
        let planned = try client.collect(isDryRun: true)
        #expect(planned.files == 1 && planned.objects == 1 && planned.names.map(\.key) == [lost.file])
        let gone = try client.collect(isDryRun: false)
        #expect(gone.files == 1 && gone.objects == 1 && gone.bytes == planned.bytes && gone.bytes > 0)
        #expect(try client.files().files.map(\.key) == [kept.file])
        let detail = try client.file(kept.file)
        #expect(
            detail.references == [AdminFileReference(.message, name: "juliet,romeo", conversation: 1, sequence: 1)])
        #expect(detail.links.count == 1)
    }

    @Test("a file is sent into a group and a direct conversation by its number, and not into those of others")
    func send() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet", "paris")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo, juliet]))))
        _ = try client.ask(.send(AdminSend(from: juliet, to: .user(UserName("paris")!), text: "no")))
        let file = try Uploading(client: client).upload("a", prose(10)).file
        let send: (AdminFileSend.Target) -> AdminRequest = {
            .files(.send(AdminFileSend(from: romeo, to: $0, file: file)))
        }
        guard case .sent(let message) = try client.ask(send(.conversation("verona"))) else {
            Issue.record("not sent")
            return
        }
        #expect(message.conversationName == "verona")
        _ = try client.ask(send(.user(juliet)))
        _ = try client.ask(send(.conversation("juliet,romeo")))
        #expect(client.refusal(of: send(.conversation("juliet,paris")))?.code == .invalid)
        #expect(client.refusal(of: send(.conversation("nowhere")))?.code == .notFound)
        #expect(try client.file(file).references.count == 3)
        #expect(try client.files(AdminFileQuery(conversation: "verona")).files.map(\.key) == [file])
    }

    @Test("a deleted file is gone for everybody, also where a message names it")
    func delete() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        let file = try Uploading(client: client).upload("a", prose(10)).file
        _ = try client.ask(.files(.send(AdminFileSend(from: romeo, to: .user(juliet), file: file))))
        #expect(try client.ask(.files(.delete(file))) == .done)
        #expect(client.refusal(of: .files(.show(file)))?.code == .notFound)
        #expect(client.refusal(of: .files(.delete(file)))?.code == .notFound)
        #expect(client.refusal(of: .files(.verify(file)))?.code == .notFound)
    }

    @Test("the status shows files, room and speeds, and what to do when there is too little room")
    func status() throws {
        let fixture = try Fixture(transfers: { $0.stopUploadsFreeBytes = .max })
        guard case .status(let status) = try fixture.client().ask(.status) else {
            Issue.record("no status")
            return
        }
        let names = Set(status.metrics.map(\.name))
        #expect(names.isSuperset(of: ["files.objects", "files.storedBytes", "files.freeBytes", "profiles.hitPercent"]))
        #expect(status.troubles.contains { $0.contains("files.stop_free_bytes") })
    }

    @Test("a server without files says so")
    func noFiles() throws {
        let fixture = try Fixture()
        var template = Array("/tmp/teahouse-admin-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { rmdir(folder) }
        let service = try AdminService(
            AdminServiceOptions(folder: folder, version: "1.0", addresses: []), store: fixture.store,
            accounts: fixture.accounts, broker: fixture.broker, moderation: fixture.moderation)
        defer { service.stop() }
        try fixture.add("romeo")
        let client = try AdminClient(dataFolder: folder)
        for request: AdminRequest in [
            self.opening(1, "0123456789abcdef"), .files(.verify(nil)), .files(.collect(isDryRun: false)),
            .transfers(.watch(nil)), .transfers(.list(nil, withOver: true, limit: 1)), .profiles(.metrics),
        ] {
            #expect(client.refusal(of: request)?.code == .refused)
        }
        #expect(try client.files().files.isEmpty)
    }
}
