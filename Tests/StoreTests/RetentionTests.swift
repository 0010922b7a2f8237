import ByteCodec
import ChatModel
import Execution
import Glibc
import Testing

@testable import Store

@Suite("Retention")
struct RetentionTests {
    private static let day: Int64 = 24 * 3_600

    private static func verona(
        _ rule: RetentionRule = RetentionRule(days: 10), attachmentBytes: Int64 = 0
    ) throws -> Verona {
        try Verona { options in
            options.retention[.advancedTeam] = rule
            options.retention.attachmentBytes = attachmentBytes
        }
    }

    /// Lets days pass, with a quiet moment on each: the wall clock has to run evenly.
    private static func pass(days: Int, _ fixture: Fixture) {
        for _ in 0..<days {
            fixture.clock.advance(milliseconds: 86_400_000)
            fixture.store.runMaintenance()
        }
    }

    private static func purged(_ verona: Verona) throws -> Int64 {
        let id = verona.id
        return try verona.read { store throws(StoreError) in try store.retention.purged(in: id) }
    }

    private static func runs(_ fixture: Fixture) throws -> [AuditEntry] {
        try fixture.store.readAndWait { store throws(StoreError) in
            var query = AuditQuery()
            query.what = "retention.run"
            return try store.audit.entries(query)
        }
    }

    private static func hold(_ subject: HoldSubject, _ verona: Verona) throws -> Int64 {
        try verona.write { store throws(StoreError) in
            try store.holds.add(LegalHold(subject: subject, reason: "case 7", asker: "anna")).number
        }
    }

    // MARK: Messages

    @Test("deletes nothing as it comes, however old")
    func nothing() throws {
        let verona = try Verona()
        for number in 1...3 { try verona.say("m\(number)", verona.romeo) }
        Self.pass(days: 12, verona.fixture)
        verona.advance(seconds: 4_000 * Self.day)
        Self.pass(days: 2, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id) == ["m1", "m2", "m3"])
        #expect(try Self.runs(verona.fixture).isEmpty)
        #expect(try verona.isSound() == [])
    }

    @Test("deletes old messages with all that refers to them; sequences, counts and later messages stay right")
    func old() throws {
        let verona = try Self.verona()
        let (id, romeo, juliet) = (verona.id, verona.romeo, verona.juliet)
        for number in 1...5 { try verona.say("m\(number)", romeo, token: "t\(number)") }
        let places = [MessagePlace(id, 2), MessagePlace(id, 3)]
        try verona.write { store throws(StoreError) in
            _ = try store.messages.setPinned(places[0], true, by: .operator)
            _ = try store.messages.edit(
                places[1], newBody: Array("changed".utf8), isJSONObject: false, by: Actor(romeo))
            _ = try store.messages.markRead([4], in: id, by: juliet)
        }
        try verona.say("from juliet", juliet)
        Self.pass(days: 5, verona.fixture)
        for number in 7...9 { try verona.say("m\(number)", romeo) }
        #expect(try verona.fixture.unread(juliet)[id] == 8)
        Self.pass(days: 6, verona.fixture)
        #expect(try verona.fixture.bodies(id) == ["m7", "m8", "m9"])
        #expect(try Self.purged(verona) == 6)
        // What is gone is unread for nobody; what stays still is.
        for person in [verona.escalus, juliet] { #expect(try verona.fixture.unread(person)[id] == 3) }
        let facts = try verona.read { store throws(StoreError) in
            (
                messages: try store.messages.counts().messages,
                pinned: try store.messages.pinned(in: id, limit: 10, as: .unrestricted).count,
                page: try store.messages.page(in: id, after: 2, limit: 10, as: .member(juliet)).map(\.sequence),
                before: try store.messages.page(in: id, before: 7, limit: 10, as: .member(juliet)).count,
                place: try store.messages.firstSequence(in: id, atOrAfter: 0)
            )
        }
        #expect(facts.messages == 3 && facts.pinned == 0 && facts.page == [7, 8, 9] && facts.before == 0)
        #expect(facts.place == 7)
        let read = try verona.write { store throws(StoreError) in
            // A device that was away names a message that is gone, then one that is there.
            _ = try store.inbox.markRead(juliet, in: id, upTo: 4)
            return try store.inbox.markRead(juliet, in: id, upTo: 8)
        }
        #expect(read.sequence == 8 && read.unread == 1)
        #expect(
            try verona.write { store throws(StoreError) in try store.inbox.setUnread(romeo, in: id, to: 1) }.unread == 0
        )
        #expect(try verona.say("m10", juliet).sequence == 10)
        let runs = try Self.runs(verona.fixture)
        #expect(runs.count == 1 && runs.first?.actor.source == .server)
        let counts = try #require(runs.first?.after)
        #expect(counts.contains("\"conversations\":1,\"messages\":6,"))
        // The newest message stays, however old it is.
        Self.pass(days: 20, verona.fixture)
        #expect(try verona.fixture.bodies(id) == ["m10"])
        #expect(try Self.runs(verona.fixture).count == 2)
        #expect(try verona.isSound() == [])
    }

    @Test("keeps the newest messages of each conversation where their number is bounded")
    func number() throws {
        let verona = try Self.verona(RetentionRule(messages: 3))
        for number in 1...450 { try verona.say("m\(number)", number % 2 == 0 ? verona.romeo : verona.juliet) }
        let romeo = verona.romeo
        let direct = try #require(verona.fixture.send("a", from: romeo, to: direct("juliet")).accepted)
        for _ in 0..<5 { verona.fixture.send("b", from: romeo, to: .id(direct.message.conversation)) }
        Self.pass(days: 1, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id) == ["m448", "m449", "m450"])
        #expect(try verona.fixture.bodies(direct.message.conversation).count == 6)
        #expect(try verona.fixture.unread(verona.juliet)[verona.id] == 2)
        #expect(try verona.fixture.unread(verona.mercutio)[verona.id] == 3)
        #expect(try verona.isSound() == [])
    }

    @Test("has a rule for each class of conversations, by kind and form of a team")
    func classes() {
        #expect(RetentionClass(.direct, form: nil) == .direct)
        #expect(RetentionClass(.group, form: .normal) == .normalTeam)
        #expect(RetentionClass(.group, form: .advanced) == .advancedTeam)
        #expect(RetentionClass(.group, form: nil) == .advancedTeam)
        #expect(RetentionClass(.temporary, form: nil) == .room && RetentionClass(.room, form: nil) == .room)
        #expect(RetentionClass(.service, form: nil) == .service && RetentionClass(.community, form: nil) == .other)
        var rules = RetentionRules()
        #expect(rules.keepsAll)
        rules[.room] = RetentionRule(attachmentDays: 1)
        #expect(!rules.keepsAll && rules[.direct].keepsAll)
    }

    @Test("deletes nothing while the clock is in doubt")
    func doubt() throws {
        let verona = try Self.verona()
        for number in 1...3 { try verona.say("m\(number)", verona.romeo) }
        let clock = verona.fixture.clock
        clock.setWall(milliseconds: clock.clock.wallMilliseconds() + 4_000 * 86_400_000)
        Self.pass(days: 3, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id).count == 3)
        try verona.write { store throws(StoreError) in store.trustClock(true) }
        Self.pass(days: 2, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id) == ["m3"])
    }

    @Test("deletes nothing while the database is being copied, and goes on afterwards")
    func snapshot() throws {
        let verona = try Self.verona()
        for number in 1...3 { try verona.say("m\(number)", verona.romeo) }
        Self.pass(days: 9, verona.fixture)
        let path = "\(verona.fixture.folder.path)/copy.db"
        defer { unlink(path) }
        let (fixture, id) = (verona.fixture, verona.id)
        let seen = Lock<Int64?>(nil)
        _ = try fixture.store.takeSnapshot(at: path) { _, _ in
            if seen.withLock({ $0 }) != nil { return true }
            Self.pass(days: 3, fixture)
            let purged = try? fixture.store.readAndWait { store throws(StoreError) in
                try store.retention.purged(in: id)
            }
            seen.withLock { $0 = purged }
            return true
        }
        #expect(seen.withLock { $0 } == 0)
        Self.pass(days: 1, fixture)
        #expect(try fixture.bodies(id) == ["m3"])
    }

    @Test("overwrites what is gone but for copies in pages that are still used, and compacting leaves none of it")
    func bytes() throws {
        let verona = try Self.verona()
        let marker = "Xa plague on both your houses"
        let data = verona.fixture.folder.data
        for number in 1...400 { try verona.say("\(number) \(marker)", verona.romeo) }
        Self.pass(days: 5, verona.fixture)
        #expect(Self.occurrences(of: marker, in: DataFolder.databasePath(in: data)) >= 400)
        try verona.say("peace", verona.romeo)
        Self.pass(days: 6, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id) == ["peace"])
        #expect(try verona.isSound() == [])
        // A page that was divided keeps copies of what was moved out of it.
        #expect(Self.occurrences(of: marker, in: DataFolder.databasePath(in: data)) < 100)
        for name in TemporaryFolder.segments { #expect(Self.occurrences(of: marker, in: "\(data)/\(name)") == 0) }
        _ = try compactFolder(data)
        #expect(Self.occurrences(of: marker, in: DataFolder.databasePath(in: data)) == 0)
        #expect(try verona.fixture.verify(verona.fixture.folder).findings == [])
    }

    private static func occurrences(of text: String, in path: String) -> Int {
        guard let file = fopen(path, "r") else { return 0 }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let wanted = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            var (place, found) = (0, 0)
            while count - place >= wanted.count, let next = memchr(start + place, Int32(wanted[0]), count - place) {
                place = UnsafeRawPointer(next) - start
                guard count - place >= wanted.count else { break }
                if memcmp(start + place, wanted, wanted.count) == 0 { found += 1 }
                place += 1
            }
            return found
        }
    }

    @Test("goes over ranges that a restore has passed over")
    func restored() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo, [try fixture.user("juliet")])
        for text in ["1", "2", "3"] { fixture.send(text, from: romeo, to: .id(verona)) }
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let path = "\(folder.data)/teahouse.db"
        _ = try fixture.store.takeSnapshot(at: path)
        var options = RestoreOptions()
        options.clock = fixture.clock.clock
        let facts = try prepareRestored(path, options)
        let other = try Fixture(folder, clock: fixture.clock) {
            $0.retention[.advancedTeam] = RetentionRule(messages: 4)
        }
        for text in ["4", "5"] { other.send(text, from: romeo, to: .id(verona)) }
        Self.pass(days: 1, other)
        #expect(try other.bodies(verona) == ["2", "3", "4", "5"])
        for text in ["6", "7", "8"] { other.send(text, from: romeo, to: .id(verona)) }
        Self.pass(days: 1, other)
        #expect(try other.bodies(verona) == ["5", "6", "7", "8"])
        let counts = try other.store.readAndWait { store throws(StoreError) in
            (try store.messages.counts().messages, try store.retention.purged(in: verona))
        }
        #expect(counts.0 == 4 && counts.1 == facts.floor + 1)
        #expect(try other.verified().findings == [])
    }

    @Test(
        "verify finds a record of deletion that cannot be",
        arguments: [
            ("UPDATE purged_history SET sequence = 99", VerifyFinding.Kind.sequence),
            ("UPDATE purged_history SET sequence = sequence - 1, messages = 1, countable = 1", .sequence),
            ("UPDATE purged_history SET countable = countable - 1", .countable),
            (
                "UPDATE member SET read_sequence = 0, read_countable = 0 WHERE user_id = (SELECT id FROM user WHERE name = 'juliet')",
                .unread
            ),
            ("DELETE FROM purged_history", .sequence),
        ])
    func damage(_ sql: String, _ kind: VerifyFinding.Kind) throws {
        let verona = try Self.verona(RetentionRule(messages: 2))
        for number in 1...5 { try verona.say("m\(number)", verona.romeo) }
        Self.pass(days: 1, verona.fixture)
        #expect(try verona.isSound() == [])
        let path = DataFolder.databasePath(in: verona.fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "OFF")).script("PRAGMA foreign_keys = OFF; \(sql)")
        #expect(try verona.fixture.verify(verona.fixture.folder).findings.contains { $0.kind == kind })
    }

    // MARK: Attachments

    @Test("removes old attachments although their messages stay, but not small ones, nor what something else names")
    func attachments() throws {
        let verona = try Self.verona(RetentionRule(attachmentDays: 10), attachmentBytes: 500)
        let old = try verona.upload(verona.romeo, "old")
        let small = try verona.upload(verona.romeo, "small", size: 100)
        let again = try verona.upload(verona.romeo, "again")
        let picture = try verona.upload(verona.romeo, "picture")
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in
            try store.files.setPicture(of: .person(romeo, isSmall: false), to: picture.key, by: Actor(romeo))
        }
        for file in [old, small, again, picture] { try verona.say("see \(file.key)", romeo) }
        Self.pass(days: 5, verona.fixture)
        try verona.say("see \(again.key)", romeo)
        #expect(try verona.canRead(old, verona.juliet))
        Self.pass(days: 6, verona.fixture)
        #expect(try !verona.canRead(old, verona.juliet))
        #expect(try verona.canRead(small, verona.juliet) && verona.canRead(again, verona.juliet))
        #expect(try verona.fixture.bodies(verona.id).count == 5)
        verona.advance(seconds: Self.day + 1)
        #expect(try verona.sweep() == [Verona.object("old")])
        for (file, isThere) in [(old, false), (small, true), (again, true), (picture, true)] {
            #expect(try (verona.file(file.key) != nil) == isThere)
        }
        let counts = try #require(try Self.runs(verona.fixture).first?.after)
        #expect(counts.contains("\"attachments\":3,\"attachmentBytes\":1000"))
        #expect(try verona.isSound() == [])
    }

    // MARK: Legal holds

    @Test("a hold keeps a conversation, until it is removed")
    func heldConversation() throws {
        let verona = try Self.verona(RetentionRule(days: 10, attachmentDays: 10))
        let file = try verona.upload(verona.romeo)
        try verona.say("see \(file.key)", verona.romeo)
        for number in 2...4 { try verona.say("m\(number)", verona.romeo) }
        let first = try Self.hold(.conversation(verona.id), verona)
        let second = try Self.hold(.conversation(verona.id), verona)
        Self.pass(days: 12, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id).count == 4)
        #expect(try verona.canRead(file, verona.juliet))
        try verona.write { store throws(StoreError) in _ = try store.holds.remove(first) }
        Self.pass(days: 1, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id).count == 4)
        try verona.write { store throws(StoreError) in _ = try store.holds.remove(second) }
        Self.pass(days: 1, verona.fixture)
        #expect(try verona.fixture.bodies(verona.id) == ["m4"])
        #expect(try verona.isSound() == [])
    }

    @Test(
        "a hold on a person keeps their conversations and files, also where they are no member any more",
        arguments: ["member", "left", "unknown", "other"])
    func heldPerson(_ state: String) throws {
        let verona = try Self.verona(RetentionRule(days: 10, attachmentDays: 10))
        let (id, romeo, juliet) = (verona.id, verona.romeo, verona.juliet)
        let file = try verona.upload(romeo)
        try verona.say("before", juliet)
        try verona.say("see \(file.key)", romeo)
        try verona.say("after", juliet)
        try verona.say("last", juliet)
        let unused = try verona.upload(romeo, "unused")
        if state == "left" || state == "unknown" {
            try verona.write { store throws(StoreError) in
                _ = try store.conversations.removeMembers([romeo], from: id, by: .operator)
            }
        }
        if state == "unknown" {
            // Left before departures were recorded.
            try verona.write { store throws(StoreError) in
                try store.connection.run("DELETE FROM former_member WHERE conversation_id = ?", id)
            }
        }
        let held = state == "other" ? verona.tybalt : romeo
        _ = try Self.hold(.person(held), verona)
        Self.pass(days: 12, verona.fixture)
        switch state {
        case "member", "left": #expect(try verona.fixture.bodies(id).count == 4)
        // What came before their first message is nobody's that is held.
        case "unknown": #expect(try verona.fixture.bodies(id).count == 3)
        default: #expect(try verona.fixture.bodies(id) == ["last"])
        }
        verona.advance(seconds: 2 * Self.day)
        _ = try verona.sweep()
        #expect(try (verona.file(file.key) != nil) == (state != "other"))
        #expect(try (verona.file(unused.key) != nil) == (state != "other"))
        if state != "other" {
            let refusal = verona.refusal { store throws(StoreError) in
                try store.files.deleteFile(unused.key, by: Actor(romeo))
            }
            #expect(refusal == .fileInUse)
        }
        #expect(try verona.isSound() == [])
    }

    @Test("a hold keeps a quiet conversation from its end")
    func heldFromItsEnd() throws {
        let verona = try Verona { $0.inactiveDays = 5 }
        try verona.say("one", verona.romeo)
        let number = try Self.hold(.person(verona.romeo), verona)
        let id = verona.id
        Self.pass(days: 12, verona.fixture)
        #expect(try verona.read { store throws(StoreError) in try store.conversations.one(id) } != nil)
        try verona.write { store throws(StoreError) in _ = try store.holds.remove(number) }
        Self.pass(days: 1, verona.fixture)
        #expect(try verona.read { store throws(StoreError) in try store.conversations.one(id) } == nil)
        #expect(try verona.isSound() == [])
    }

    @Test(
        "a hold keeps a quiet room in which the held person has written as a listener, and not one where they only were"
    )
    func heldListener() throws {
        let verona = try Verona { $0.inactiveDays = 5 }
        let (romeo, tybalt) = (verona.romeo, verona.tybalt)
        var rooms: [ConversationID] = []
        for name in ["ball", "street"] {
            let room = try verona.write { store throws(StoreError) in
                let room = try store.conversations.createChannel(
                    .room, ChannelName(name)!, creator: .system, members: [])
                _ = try store.conversations.addListeners([romeo, tybalt], to: room)
                return room
            }
            verona.fixture.send("good night", from: romeo, to: .id(room))
            rooms.append(room)
        }
        verona.fixture.send("this by his voice", from: tybalt, to: .id(rooms[0]))
        let number = try Self.hold(.person(tybalt), verona)
        for room in rooms {
            try verona.write { store throws(StoreError) in
                _ = try store.conversations.removeListeners([romeo, tybalt], from: room)
            }
        }
        let there = { () throws -> [Bool] in
            try rooms.map { room in
                try verona.read { store throws(StoreError) in try store.conversations.one(room) } != nil
            }
        }
        Self.pass(days: 12, verona.fixture)
        #expect(try there() == [true, false])
        try verona.write { store throws(StoreError) in _ = try store.holds.remove(number) }
        Self.pass(days: 1, verona.fixture)
        #expect(try there() == [false, false])
        #expect(try verona.isSound() == [])
    }

    @Test("holds are bounded, have a reason and a subject that exists, and are listed by number")
    func holds() throws {
        let verona = try Verona()
        let subjects: [(HoldSubject, String)] = [
            (.person(UserID(rawValue: 99)), "x"), (.conversation(ConversationID(rawValue: 99)), "x"),
            (.person(verona.romeo), ""), (.person(verona.romeo), String(repeating: "x", count: 501)),
        ]
        for (subject, reason) in subjects {
            #expect(throws: StoreError.self) {
                try verona.write { store throws(StoreError) in
                    _ = try store.holds.add(LegalHold(subject: subject, reason: reason, asker: "anna"))
                }
            }
        }
        let first = try Self.hold(.person(verona.romeo), verona)
        let second = try Self.hold(.conversation(verona.id), verona)
        let listed = try verona.read { store throws(StoreError) in try store.holds.list(limit: 10) }
        #expect(listed.map(\.number) == [first, second] && listed.map(\.asker) == ["anna", "anna"])
        #expect(listed.map(\.subject) == [.person(verona.romeo), .conversation(verona.id)])
        #expect(throws: StoreError.self) {
            try verona.write { store throws(StoreError) in _ = try store.holds.remove(99) }
        }
        try verona.write { store throws(StoreError) in
            try store.connection.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                INSERT INTO legal_hold (conversation_id, reason, operator, created_at) SELECT 1, 'x', '', 0 FROM n
                """, LegalHold.maximumHolds - 2)
        }
        let refusal = verona.refusal { store throws(StoreError) in
            try store.holds.add(LegalHold(subject: .conversation(verona.id), reason: "x", asker: ""))
        }
        #expect(refusal == .tooMany(limit: LegalHold.maximumHolds))
    }

    // MARK: Slices

    /// The parts of a writer on a closed store, so that a test decides what happens between two slices.
    private func tools(_ verona: Verona) throws -> RetentionRun.Tools {
        verona.fixture.store.close()
        let path = DataFolder.databasePath(in: verona.fixture.folder.data)
        let connection = try Connection(path: path, role: .writer(synchronous: "OFF"))
        let clock = verona.fixture.clock.clock
        let memory = WriterMemory(
            connection, StoreOptions(folder: verona.fixture.folder.data), rules: Lock(MessageRules()),
            views: Lock(ViewRules()), clock: ClockGuard(lastBelieved: nil, isTrusted: true, clock))
        let tokens = try TokenIndex(connection, try Sequencer(connection), roundKeys: 0)
        return RetentionRun.Tools(connection: connection, memory: memory, tokens: tokens, clock: clock)
    }

    private func run() -> RetentionRun {
        var options = StoreOptions(folder: "")
        options.clock = ManualClock().clock
        options.retention[.advancedTeam] = RetentionRule(messages: 10)
        return RetentionRun(options)
    }

    private func count(_ tools: RetentionRun.Tools) throws -> Int64 { try tools.connection.messageCount() }

    @Test("a slice is bounded, and a hold that is set between two of them wins at once")
    func slices() throws {
        let verona = try Verona()
        for number in 1...500 { try verona.say("m\(number)", verona.romeo) }
        let tools = try self.tools(verona)
        var run = self.run()
        #expect(try run.slice(tools, mayRun: false) == (false, false))
        #expect(try run.slice(tools, mayRun: true) == (true, true))
        #expect(try self.count(tools) == 500 - Int64(RetentionRun.sliceMessages))
        try tools.connection.run(
            "INSERT INTO legal_hold (user_id, reason, operator, created_at) VALUES (?, 'x', '', 0)", verona.juliet)
        while try run.slice(tools, mayRun: true).hasMore {}
        #expect(try self.count(tools) == 500 - Int64(RetentionRun.sliceMessages))
        // The run has ended with its entry.
        #expect(try tools.connection.retentionRun() == nil && tools.connection.auditHead().number == 1)
        #expect(try verona.fixture.verify(verona.fixture.folder).findings == [])
    }

    @Test("a run that was interrupted goes on, and is one entry with all that it has deleted")
    func interrupted() throws {
        let verona = try Verona()
        for number in 1...500 { try verona.say("m\(number)", verona.romeo) }
        let tools = try self.tools(verona)
        var killed = self.run()
        _ = try killed.slice(tools, mayRun: true)
        var next = self.run()
        while try next.slice(tools, mayRun: true).hasMore {}
        #expect(try self.count(tools) == 10)
        let after = try ReadTransaction(tools.connection, UserNames()).audit.entry(1)?.after
        #expect(try #require(after).contains("\"conversations\":1,\"messages\":490,"))
        #expect(try tools.connection.auditHead().number == 1)
        // Without rules a run that is left over has nothing but its end.
        try tools.connection.addToRetentionRun(RetentionCounts(messages: 1), in: verona.id, at: 1)
        var none = StoreOptions(folder: "")
        none.clock = ManualClock().clock
        var ending = RetentionRun(none)
        while try ending.slice(tools, mayRun: true).hasMore {}
        #expect(try tools.connection.retentionRun() == nil && tools.connection.auditHead().number == 2)
        #expect(try verona.fixture.verify(verona.fixture.folder).findings == [])
    }

    @Test("reading positions of many members move in slices of their own, before a message goes")
    func manyReaders() throws {
        let verona = try Verona { $0.groupMembers = 2_000 }
        let id = verona.id
        try verona.write { store throws(StoreError) in
            var people: [UserID] = []
            for number in 0..<(2 * RetentionRun.sliceMembers) {
                people.append(try store.people.createUser(UserName("p\(number)")!))
            }
            _ = try store.conversations.addMembers(people, to: id, by: .operator)
        }
        for number in 1...20 { try verona.say("m\(number)", verona.romeo) }
        let tools = try self.tools(verona)
        var run = self.run()
        #expect(try run.slice(tools, mayRun: true) == (true, false))
        #expect(try self.count(tools) == 20)
        while try run.slice(tools, mayRun: true).hasMore {}
        #expect(try self.count(tools) == 10)
        #expect(try verona.fixture.verify(verona.fixture.folder).findings == [])
    }

    @Test("reading positions move once for many slices, and not past a message of somebody who is held")
    func stage() throws {
        let verona = try Verona()
        let (id, romeo, juliet, mercutio) = (verona.id, verona.romeo, verona.juliet, verona.mercutio)
        for number in 1...500 {
            try verona.say("m\(number)", number == 400 ? mercutio : number % 2 == 0 ? romeo : juliet)
        }
        try verona.write { store throws(StoreError) in
            _ = try store.conversations.removeMembers([mercutio], from: id, by: .operator)
            // Left before departures were recorded.
            try store.connection.run("DELETE FROM former_member WHERE conversation_id = ?", id)
            _ = try store.holds.add(LegalHold(subject: .person(mercutio), reason: "case 7", asker: "anna"))
        }
        let tools = try self.tools(verona)
        var run = self.run()
        #expect(try run.slice(tools, mayRun: true) == (true, true))
        #expect(try self.count(tools) == 300)
        let places = try tools.connection.query(
            "SELECT DISTINCT read_sequence FROM member WHERE conversation_id = ?", id
        ) { row throws(StoreError) in row.int64(0) }
        #expect(places == [399])
        #expect(try verona.fixture.verify(verona.fixture.folder).findings == [])
        while try run.slice(tools, mayRun: true).hasMore {}
        #expect(try self.count(tools) == 101)
        #expect(try verona.fixture.verify(verona.fixture.folder).findings == [])
    }

    @Test("a slice deletes at most so many bytes of bodies, but one message in any case")
    func sliceOfBytes() throws {
        let verona = try Verona()
        let size = 60_000
        for _ in 1...100 { try verona.say(String(repeating: "x", count: size), verona.romeo) }
        let tools = try self.tools(verona)
        var run = self.run()
        #expect(try run.slice(tools, mayRun: true) == (true, true))
        #expect(try self.count(tools) == 100 - RetentionRun.sliceBytes / Int64(size))
        try tools.connection.run(
            "UPDATE message SET body = zeroblob(?) WHERE sequence = (SELECT min(sequence) FROM message)",
            RetentionRun.sliceBytes + 1)
        #expect(try run.slice(tools, mayRun: true) == (true, true))
        #expect(try self.count(tools) == 99 - RetentionRun.sliceBytes / Int64(size))
    }

    @Test("a slice deletes at most so many rows of readers, but those of one message in any case")
    func sliceOfReads() throws {
        let verona = try Verona()
        for number in 1...150 { try verona.say("m\(number)", verona.romeo) }
        try verona.write { store throws(StoreError) in
            for number in 0..<60 { _ = try store.people.createUser(UserName("p\(number)")!) }
        }
        let tools = try self.tools(verona)
        try tools.connection.run("DELETE FROM message_reader")
        try tools.connection.run(
            """
            INSERT INTO message_reader SELECT g.conversation_id, g.sequence, u.id, 0 FROM message g CROSS JOIN user u
            WHERE g.conversation_id = ?
            """, verona.id)
        let readers = try tools.connection.first("SELECT count(*) FROM user") { row throws(StoreError) in row.int64(0) }
        let fitting = Int64(RetentionRun.sliceReads) / (try #require(readers))
        #expect(fitting < 140)
        var run = self.run()
        #expect(try run.slice(tools, mayRun: true) == (true, true))
        #expect(try self.count(tools) == 150 - fitting)
        while try run.slice(tools, mayRun: true).hasMore {}
        #expect(try self.count(tools) == 10)
    }

    @Test("what is over ends while a long run goes on")
    func turns() throws {
        let verona = try Verona {
            $0.inactiveDays = 5
            $0.retention[.advancedTeam] = RetentionRule(messages: 10)
        }
        let fixture = verona.fixture
        let quiet = try fixture.group("mantua", owner: verona.romeo)
        Self.pass(days: 5, fixture)
        for number in 1...1_000 { try verona.say("m\(number)", verona.romeo) }
        let path = DataFolder.databasePath(in: fixture.folder.data)
        let left = Lock<Int64?>(nil)
        fixture.store.onProfileChanges = { writes in
            guard writes.contains(.team(quiet, .existence)), let rows = try? Connection(path: path, role: .reader)
            else { return }
            let count = try? rows.messageCount()
            left.withLock { $0 = count }
        }
        Self.pass(days: 1, fixture)
        let seen = try #require(left.withLock { $0 })
        #expect(seen > 10 && seen < 1_000)
        #expect(try fixture.bodies(verona.id).count == 10)
        #expect(try verona.isSound() == [])
    }

    @Test("the message with so many newer ones is found from the gaps alone", arguments: [0, 1, 2, 3, 4, 7, 9, 10, 11])
    func fromNewest(_ places: Int64) throws {
        let verona = try Verona()
        let tools = try self.tools(verona)
        let sequences: [Int64] = [1, 2, 5, 6, 7, 20, 21, 40, 41, 42]
        var head: Int64 = 0
        for sequence in sequences {
            try tools.connection.noteGap(in: verona.id, after: head, before: sequence)
            head = sequence
        }
        let found = try tools.connection.sequence(fromNewest: places, in: verona.id, head: head)
        if places < Int64(sequences.count) {
            #expect(found == sequences[sequences.count - 1 - Int(places)])
        } else {
            #expect(found <= 0)
        }
    }

    // MARK: The forecast

    @Test("says what goes now and in thirty days, what holds keep, and deletes nothing")
    func forecast() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        try verona.say("see \(file.key)", verona.romeo)
        for number in 2...4 { try verona.say("m\(number)", verona.romeo) }
        verona.advance(seconds: 20 * Self.day)
        for number in 5...9 { try verona.say("m\(number)", verona.romeo) }
        var rules = RetentionRules()
        rules[.advancedTeam] = RetentionRule(days: 10)
        let now = verona.fixture.clock.clock.wallMilliseconds()
        let ask: @Sendable (RetentionRules) throws -> RetentionForecast = { rules in
            try verona.read { store throws(StoreError) in
                try store.retention.forecast(
                    rules, after: ConversationID(rawValue: 0), limit: 100, now: now, soon: now + 30 * 86_400_000)
            }
        }
        let forecast = try ask(rules)
        let first = try #require(forecast.now[.advancedTeam])
        #expect(first.conversations == 1 && first.messages == 4 && first.attachments == 1)
        #expect(first.attachmentBytes == 1_000 && first.bytes > 480)
        #expect(forecast.soon[.advancedTeam]?.messages == 8)
        #expect(forecast.held == 0 && forecast.next == nil)
        _ = try Self.hold(.person(verona.juliet), verona)
        let held = try ask(rules)
        #expect(held.held == 1 && held.now.isEmpty && held.soon.isEmpty)
        #expect(try ask(RetentionRules()).now.isEmpty)
        #expect(try verona.fixture.bodies(verona.id).count == 9)
    }
}
