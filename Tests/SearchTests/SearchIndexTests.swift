import ChatModel
import Glibc
import Store
import Testing

@testable import Search

@Suite("Search")
struct SearchIndexTests {
    /// Two people in a group and one beside it.
    private struct Verona {
        let fixture: SearchFixture
        let romeo: UserID
        let juliet: UserID
        let tybalt: UserID
        let id: ConversationID

        init() throws {
            let fixture = try SearchFixture()
            self.fixture = fixture
            self.romeo = try fixture.user("romeo")
            self.juliet = try fixture.user("juliet")
            self.tybalt = try fixture.user("tybalt")
            self.id = try fixture.group("verona", [self.romeo, self.juliet])
        }

        func find(_ text: String, as user: UserID? = nil) throws -> [String] {
            self.fixture.index.catchUp()
            return try self.fixture.find(text, as: .member(user ?? self.juliet))
        }
    }

    @Test("finds the newest first, in Chinese and in Latin")
    func finds() throws {
        let verona = try Verona()
        for text in ["今天下雨", "Hello world", "明天不下雨", "worldwide"] {
            try verona.fixture.say(text, verona.romeo, in: verona.id)
        }
        #expect(try verona.find("下雨") == ["明天不下雨", "今天下雨"])
        #expect(try verona.find("world") == ["worldwide", "Hello world"])
        #expect(try verona.find("orld") == [])
        #expect(try verona.find("下雨", as: verona.tybalt) == [])
    }

    @Test("finds an edited message by its new words alone, and a recalled, hidden or deleted one no more")
    func current() throws {
        let verona = try Verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let edited = try verona.fixture.say("the nightingale sings", romeo, in: verona.id)
        let recalled = try verona.fixture.say("the nightingale flies", romeo, in: verona.id)
        let hidden = try verona.fixture.say("the nightingale sleeps", romeo, in: verona.id)
        #expect(try verona.find("nightingale").count == 3)
        _ = try verona.fixture.write { store throws(StoreError) in
            try store.messages.edit(
                edited, newBody: Array("the lark sings".utf8), isJSONObject: false, by: Actor(romeo))
            try store.messages.recall(recalled, by: Actor(romeo))
            return try store.messages.hide([hidden], for: juliet)
        }
        // At once, before the index knows.
        let query = SearchQuery(try SearchTerms("nightingale"))
        #expect(try verona.fixture.page(query, as: .member(juliet)).hits.isEmpty)
        #expect(try verona.find("lark") == ["the lark sings"])
        #expect(try verona.find("nightingale") == [])
        #expect(try verona.find("nightingale", as: romeo) == ["the nightingale sleeps"])
        _ = try verona.fixture.write { store throws(StoreError) in
            try store.messages.deleteForAll(hidden, by: .operator)
        }
        #expect(try verona.find("nightingale", as: romeo) == [])
    }

    @Test("follows who is in a conversation, and what they have cleared, from one moment to the next")
    func rights() throws {
        let verona = try Verona()
        let (tybalt, juliet, id) = (verona.tybalt, verona.juliet, verona.id)
        try verona.fixture.say("secret one", verona.romeo, in: id)
        #expect(try verona.find("secret", as: tybalt) == [])
        _ = try verona.fixture.write { store throws(StoreError) in try store.conversations.addMembers([tybalt], to: id)
        }
        #expect(try verona.fixture.find("secret", as: .member(tybalt)) == ["secret one"])
        _ = try verona.fixture.write { store throws(StoreError) in try store.conversations.leave(id, tybalt) }
        #expect(try verona.fixture.find("secret", as: .member(tybalt)) == [])
        _ = try verona.fixture.write { store throws(StoreError) in
            try store.inbox.clearHistory(juliet, in: id, through: 1)
        }
        #expect(try verona.fixture.find("secret", as: .member(juliet)) == [])
        #expect(try verona.fixture.find("secret", as: .unrestricted) == ["secret one"])
        var inGroup = SearchQuery(try SearchTerms("secret"))
        inGroup.conversation = id
        #expect(throws: StoreError.notFound("the conversation")) {
            _ = try verona.fixture.page(inGroup, as: .member(tybalt))
        }
        #expect(try verona.fixture.page(inGroup, as: .member(juliet)).hits.isEmpty)
    }

    @Test("keeps a message for some from the others")
    func restricted() throws {
        let verona = try Verona()
        var content = MessageContent(
            kind: .text, flags: [.countsAsUnread, .restricted], wire: .native, body: Array("for juliet".utf8))
        content.envelope = MessageEnvelope(visibleTo: [UserName("juliet")!])
        let tybalt = verona.tybalt
        let id = verona.id
        _ = try verona.fixture.write { store throws(StoreError) in try store.conversations.addMembers([tybalt], to: id)
        }
        try verona.fixture.send(content, verona.romeo, in: id)
        #expect(try verona.find("juliet") == ["for juliet"])
        #expect(try verona.find("juliet", as: verona.romeo) == ["for juliet"])
        #expect(try verona.find("juliet", as: tybalt) == [])
    }

    @Test("finds in one conversation what the index does not have yet")
    func unindexed() throws {
        let verona = try Verona()
        try verona.fixture.say("first rose", verona.romeo, in: verona.id)
        verona.fixture.index.catchUp()
        verona.fixture.index.stop()
        try verona.fixture.say("second rose", verona.romeo, in: verona.id)
        let found = try verona.fixture.find("rose", as: .member(verona.juliet)) { $0.conversation = verona.id }
        #expect(found == ["second rose", "first rose"])
        try verona.fixture.reopenIndex()
    }

    @Test("finds by sender, kind, time and the name of a file")
    func filters() throws {
        let verona = try Verona()
        let file = MessageContent(
            kind: .file, flags: [.countsAsUnread, .bodyIsJSONObject], wire: .wuKong,
            body: Array(#"{"type":8,"url":"f/1","name":"季度报告 Q3.pdf","size":10}"#.utf8))
        try verona.fixture.say("报告在这里", verona.romeo, in: verona.id)
        let hour: Int64 = 3_600_000
        verona.fixture.clock.advance(milliseconds: 2 * hour)
        let later = verona.fixture.clock.clock.wallMilliseconds()
        try verona.fixture.send(file, verona.juliet, in: verona.id)
        verona.fixture.index.catchUp()
        func count(_ text: String, _ change: (inout SearchQuery) -> Void) throws -> Int {
            let all = try verona.fixture.find(text, as: .member(verona.juliet), change)
            let one = try verona.fixture.find(text, as: .member(verona.juliet)) {
                change(&$0)
                $0.conversation = verona.id
            }
            #expect(all == one)
            return all.count
        }
        #expect(try count("报告") { _ in } == 2)
        #expect(try count("q3") { _ in } == 1)
        #expect(try count("报告") { $0.sender = verona.romeo } == 1)
        #expect(try count("报告") { $0.kinds = [.file] } == 1)
        #expect(try count("报告") { $0.kinds = [.text, .file] } == 2)
        #expect(try count("") { $0.kinds = [.file] } == 1)
        #expect(try count("") { $0.sender = verona.juliet } == 1)
        #expect(try count("报告") { $0.times = later...(.max) } == 1)
        #expect(try count("报告") { $0.times = 0...(later - 1) } == 1)
        #expect(try count("报告") { $0.times = 0...(later - 3 * hour) } == 0)
    }

    @Test("gives every result once, page by page, and refuses the cursor of another index")
    func pages() throws {
        let verona = try Verona()
        for number in 1...45 { try verona.fixture.say("rose \(number)", verona.romeo, in: verona.id) }
        let all = (1...45).reversed().map { "rose \($0)" }
        verona.fixture.index.catchUp()
        for limit in [1, 7, 45, 100] {
            #expect(try verona.fixture.find("rose", as: .member(verona.juliet), limit: limit) == all)
            let inGroup = try verona.fixture.find("rose", as: .member(verona.juliet), limit: limit) {
                $0.conversation = verona.id
            }
            #expect(inGroup == all)
        }
        var query = SearchQuery(try SearchTerms("rose"))
        query.limit = 10
        query.cursor = try verona.fixture.page(query, as: .member(verona.juliet)).next
        verona.fixture.index.rebuild()
        verona.fixture.index.catchUp()
        #expect(throws: StoreError.self) { _ = try verona.fixture.page(query, as: .member(verona.juliet)) }
        #expect(try verona.find("rose") == all)
    }

    @Test("finds what was said in a group that is over, for those who were in it")
    func disbanded() throws {
        let verona = try Verona()
        try verona.fixture.say("rose", verona.romeo, in: verona.id)
        let id = verona.id
        try verona.fixture.write { store throws(StoreError) in try store.conversations.disband(id, by: .operator) }
        #expect(try verona.find("rose") == ["rose"])
        #expect(try verona.find("rose", as: verona.tybalt) == [])
    }

    @Test("finds nothing of a conversation that is gone, and forgets it")
    func gone() throws {
        let verona = try Verona()
        let fixture = verona.fixture
        try fixture.say("rose", verona.romeo, in: verona.id)
        fixture.index.catchUp()
        fixture.outliveConversations()
        let id = verona.id
        let left = try fixture.read { store throws(StoreError) in try store.conversations.one(id) }
        #expect(left == nil)
        #expect(try verona.find("rose") == [])
        #expect(try fixture.find("rose", as: .unrestricted) == [])
        let mantua = try fixture.group("mantua", [verona.romeo, verona.juliet])
        try fixture.say("lily", verona.romeo, in: mantua)
        #expect(try verona.find("lily") == ["lily"])
        // It looks for conversations that are gone after its start, when nothing else is left to do.
        try fixture.reopenIndex()
        fixture.index.catchUp()
        #expect(fixture.index.currentStatus.rebuilds == 0)
        let reader = try IndexReader(path: fixture.indexPath)
        for _ in 0..<12_000 where try reader.lastSequence(of: id) > 0 { usleep(10_000) }
        #expect(try reader.lastSequence(of: id) == 0)
        #expect(try reader.lastSequence(of: mantua) > 0)
        #expect(try verona.find("lily") == ["lily"])
    }

    @Test("forgets messages that have gone for their number, and keeps the others of their conversation")
    func purged() throws {
        let fixture = try SearchFixture()
        let romeo = try fixture.user("romeo")
        let name = try #require(ChannelName("mantua"))
        let id = try fixture.write { store throws(StoreError) in
            try store.conversations.createChannel(.community, name, creator: romeo, members: [])
        }
        for body in ["rose one", "rose two", "rose three"] { try fixture.say(body, romeo, in: id) }
        fixture.index.catchUp()
        #expect(try fixture.find("rose", as: .unrestricted).count == 3)
        for _ in 0..<3 {
            fixture.clock.advance(milliseconds: 7 * 3_600_000)
            fixture.store.runMaintenance()
        }
        #expect(try fixture.find("rose", as: .unrestricted) == ["rose three"])
        // It looks for what is gone after its start, when nothing else is left to do.
        try fixture.reopenIndex()
        fixture.index.catchUp()
        let reader = try IndexReader(path: fixture.indexPath)
        for _ in 0..<12_000 where try reader.number(before: 3, in: id) != nil { usleep(10_000) }
        #expect(try reader.number(before: 3, in: id) == nil)
        #expect(try reader.lastSequence(of: id) == 3)
        #expect(fixture.index.currentStatus.rebuilds == 0)
        try fixture.say("rose four", romeo, in: id)
        fixture.index.catchUp()
        #expect(try Set(fixture.find("rose", as: .unrestricted)) == ["rose three", "rose four"])
    }

    // MARK: The file

    @Test("is built anew when its file is missing or damaged", arguments: ["missing", "empty", "noise", "hole"])
    func damaged(_ damage: String) throws {
        let verona = try Verona()
        for number in 1...300 { try verona.fixture.say("rose number \(number)", verona.romeo, in: verona.id) }
        verona.fixture.index.catchUp()
        let path = verona.fixture.indexPath
        try verona.fixture.reopenIndex {
            switch damage {
            case "missing": unlink(path)
            case "empty": truncate(path, 0)
            case "noise":
                let file = try #require(fopen(path, "r+"))
                fwrite([UInt8](repeating: 0x5A, count: 8_192), 1, 8_192, file)
                fclose(file)
            default:
                let file = try #require(fopen(path, "r+"))
                fseek(file, 8_192, SEEK_SET)
                for _ in 0..<4 { fwrite([UInt8](repeating: 0, count: 4_096), 1, 4_096, file) }
                fclose(file)
            }
        }
        verona.fixture.index.catchUp()
        // Damage that the opening did not meet is met by the first search, which says to ask again.
        if (try? verona.fixture.find("number", as: .member(verona.juliet)).count) != 300 {
            verona.fixture.index.catchUp()
        }
        #expect(try verona.find("number").count == 300)
        let status = verona.fixture.index.currentStatus
        #expect(status.state == .ready)
        #expect(status.documents == 300)
        #expect(status.rebuilds >= (damage == "missing" ? 0 : 1))
    }

    @Test("is built anew beside another database")
    func otherDatabase() throws {
        let verona = try Verona()
        try verona.fixture.say("rose", verona.romeo, in: verona.id)
        verona.fixture.index.catchUp()
        let other = try Verona()
        try other.fixture.say("lily", other.romeo, in: other.id)
        other.fixture.index.catchUp()
        try other.fixture.reopenIndex {
            for suffix in ["-wal", "-shm"] { unlink(other.fixture.indexPath + suffix) }
            #expect(rename(verona.fixture.indexPath, other.fixture.indexPath) == 0)
        }
        #expect(try other.find("rose") == [])
        #expect(try other.find("lily") == ["lily"])
    }

    @Test("goes on where it was after a start")
    func restart() throws {
        let verona = try Verona()
        try verona.fixture.say("rose", verona.romeo, in: verona.id)
        verona.fixture.index.catchUp()
        try verona.fixture.reopen()
        try verona.fixture.say("another rose", verona.romeo, in: verona.id)
        #expect(try verona.find("rose") == ["another rose", "rose"])
        #expect(verona.fixture.index.currentStatus.rebuilds == 0)
        #expect(verona.fixture.index.currentStatus.documents == 2)
    }

    @Test("takes nothing of a slice that failed in its middle")
    func brokenSlice() throws {
        struct Stop: Error {}
        let verona = try Verona()
        try verona.fixture.say("rose", verona.romeo, in: verona.id)
        verona.fixture.index.catchUp()
        verona.fixture.index.stop()
        let epoch = try verona.fixture.read { store throws(StoreError) in try store.messages.counts().epoch }
        let file = try IndexFile(folder: verona.fixture.folder, epoch: epoch)
        let entry = DocumentEntry(conversation: 1, sequence: 9, sender: 1, hour: 1, kind: 1)
        let stub = MessageStub(id: MessageID(rawValue: 9), place: MessagePlace(ConversationID(rawValue: 1), 9))
        let next = file.next
        #expect(throws: Stop.self) {
            try file.transaction {
                try file.wait(for: stub)
                try file.apply([IndexFile.Document(stub: stub, content: (FoldedText("rose"), entry))])
                throw Stop()
            }
        }
        #expect(file.next == next)
        #expect(try file.waitingCount() == 0)
        file.close()
        try verona.fixture.reopenIndex()
        #expect(try verona.find("rose") == ["rose"])
    }
}
