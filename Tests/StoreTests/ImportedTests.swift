import ChatModel
import Testing

@testable import Store

@Suite("What another server kept, brought into the store")
struct ImportedTests {
    private static let group = ObjectID("5f0000000000000000000001")!
    private static let pair = ObjectID("5f0000000000000000000002")!

    private static func content(_ text: String) -> MessageContent {
        MessageContent(kind: .none, flags: .countsAsUnread, wire: .leanCloud, body: Array(text.utf8))
    }

    private static func message(
        _ number: Int, at time: Int64, from sender: String = "tom", _ text: String? = nil
    ) -> ImportedMessage {
        ImportedMessage(
            foreignID: "message-\(number)", sender: UserName(sender)!, sentAtMilliseconds: time,
            content: Self.content(text ?? "text \(number)"))
    }

    private static func row(
        _ id: ObjectID, _ members: [String], as form: ImportedConversation.Form = .group, at time: Int64,
        digest: Int64 = 1
    ) -> ImportedConversation {
        var row = ImportedConversation(
            form, objectID: id, createdAtMilliseconds: time, updatedAtMilliseconds: time + 1, digest: digest)
        row.members = members.compactMap { UserName($0) }
        row.creator = row.members.first
        row.title = "title"
        row.lastMessageAtMilliseconds = time + 50
        return row
    }

    private static func begin(_ fixture: Fixture) throws -> Int64 {
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.imports.begin("leancloud", origin: "app", auditing: nil).number
        }
    }

    private static func add(
        _ row: ImportedConversation, to number: Int64, _ fixture: Fixture
    ) throws -> ImportedConversationOutcome {
        try fixture.store.writeAndWait { store throws(StoreError) in try store.imports.addConversation(row, to: number)
        }
    }

    private static func add(
        _ messages: [ImportedMessage], in id: ObjectID = group, to number: Int64, _ fixture: Fixture
    ) throws -> ImportedMessagesOutcome? {
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.imports.addMessages(messages, in: id, to: number)
        }
    }

    private static func history(_ id: ObjectID, _ fixture: Fixture) throws -> [Message] {
        try fixture.store.readAndWait { store throws(StoreError) in
            guard let found = try store.conversations.one(.object(id), seenBy: .system) else { return [] }
            return try store.messages.latest(in: found.id, limit: 1_000, as: .unrestricted)
        }
    }

    private static func conversation(_ id: ObjectID, _ fixture: Fixture) throws -> Conversation {
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.one(.object(id), seenBy: .system)
        }
        return try #require(found)
    }

    private static func past(_ fixture: Fixture) -> Int64 { fixture.clock.clock.wallMilliseconds() - 86_400_000 }

    @Test("keeps ids, times, senders, order and dates, makes the people, and counts nothing as unread")
    func keeps() throws {
        let fixture = try Fixture()
        let (past, number) = (Self.past(fixture), try Self.begin(fixture))
        #expect(try Self.add(Self.row(Self.group, ["tom", "ann", "bob"], at: past), to: number, fixture) == .made)
        let messages = (1...5).map { Self.message($0, at: past + Int64($0 / 2)) }
        #expect(try Self.add(messages, to: number, fixture)?.added == 5)
        let found = try Self.history(Self.group, fixture)
        #expect(found.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(found.map { $0.content.envelope?.shownID } == (1...5).map { "message-\($0)" })
        #expect(found.map(\.sentAtMilliseconds) == messages.map(\.sentAtMilliseconds))
        #expect(found.allSatisfy { $0.senderName == UserName("tom") })
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.id < $1.id })
        let conversation = try Self.conversation(Self.group, fixture)
        #expect(conversation.title == "title" && conversation.createdAtMilliseconds == past)
        #expect(conversation.activeAtMilliseconds == past + 50 && conversation.updatedAtMilliseconds == past + 1)
        let ann = try fixture.store.readAndWait { store throws(StoreError) in
            try store.people.user(named: UserName("ann")!)?.id
        }
        #expect(try fixture.unread(try #require(ann))[conversation.id] ?? 0 == 0)
        #expect(try fixture.member(try #require(ann), in: conversation.id).role == .member)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("the same again changes nothing, and what is later comes behind")
    func again() throws {
        let fixture = try Fixture()
        let (past, number) = (Self.past(fixture), try Self.begin(fixture))
        let row = Self.row(Self.group, ["tom", "ann"], at: past)
        _ = try Self.add(row, to: number, fixture)
        let messages = (1...4).map { Self.message($0, at: past + Int64($0)) }
        _ = try Self.add(messages, to: number, fixture)
        #expect(try Self.add(row, to: number, fixture) == .unchanged)
        let second = try Self.add(messages + [Self.message(5, at: past + 9)], to: number, fixture)
        #expect(second?.known == 4 && second?.added == 1)
        #expect(try Self.history(Self.group, fixture).count == 5)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("a later state of a row and of a message is taken, unless people have changed it here")
    func follows() throws {
        let fixture = try Fixture()
        let (past, number) = (Self.past(fixture), try Self.begin(fixture))
        _ = try Self.add(Self.row(Self.group, ["tom", "ann"], at: past), to: number, fixture)
        _ = try Self.add([Self.message(1, at: past), Self.message(2, at: past)], to: number, fixture)
        var edited = Self.message(1, at: past, "edited")
        edited.patchedAtMilliseconds = past + 7
        var recalled = Self.message(2, at: past)
        recalled.isRecalled = true
        let outcome = try Self.add([edited, recalled], to: number, fixture)
        #expect(outcome?.changed == 2)
        let found = try Self.history(Self.group, fixture)
        #expect(found.map { String(decoding: $0.content.body, as: UTF8.self) } == ["edited", ""])
        #expect(found.last?.content.flags.contains(.withdrawn) == true)
        // Edits that the import itself has made are no change of people.
        let next = Self.row(Self.group, ["tom", "eve"], at: past, digest: 2)
        #expect(try Self.add(next, to: number, fixture) == .updated)
        let members = try fixture.store.readAndWait { store throws(StoreError) in
            guard let group = try store.conversations.one(.object(Self.group), seenBy: .system) else {
                return [String]()
            }
            return try store.conversations.members(of: group.id).map(\.name.text).sorted()
        }
        #expect(members == ["eve", "tom"])
        try fixture.store.writeAndWait { store throws(StoreError) in
            guard let group = try store.reading.conversations.one(.object(Self.group), seenBy: .system) else { return }
            try store.conversations.setTitle("ours", of: group.id)
        }
        #expect(try Self.add(Self.row(Self.group, ["tom"], at: past, digest: 3), to: number, fixture) == .kept)
        #expect(try Self.conversation(Self.group, fixture).title == "ours")
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("two people who have found each other here are joined, and found by both names")
    func pairs() throws {
        let fixture = try Fixture()
        let (past, number) = (Self.past(fixture), try Self.begin(fixture))
        let own = try fixture.store.writeAndWait { store throws(StoreError) -> ObjectID in
            let tom = try store.people.ensureUser(UserName("tom")!).id
            let ann = try store.people.ensureUser(UserName("ann")!).id
            let id = try store.conversations.ensureDirect(tom, ann)
            return try store.reading.conversations.one(id)?.objectID ?? .zero
        }
        #expect(
            try Self.add(Self.row(Self.pair, ["tom", "ann"], as: .unique, at: past), to: number, fixture) == .joined)
        #expect(try Self.conversation(Self.pair, fixture).kind == .direct)
        #expect(try Self.conversation(own, fixture).id == Self.conversation(Self.pair, fixture).id)
        _ = try Self.add([Self.message(1, at: past)], in: Self.pair, to: number, fixture)
        #expect(try Self.history(own, fixture).count == 1)
        // Another one of the same two is a group.
        #expect(
            try Self.add(Self.row(Self.group, ["ann", "tom"], as: .unique, at: past), to: number, fixture) == .made)
        #expect(try Self.conversation(Self.group, fixture).kind == .group)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("what cannot be here is named, and the rest is taken")
    func refuses() throws {
        let fixture = try Fixture()
        let (past, number) = (Self.past(fixture), try Self.begin(fixture))
        _ = try Self.add(Self.row(Self.group, ["tom"], at: past), to: number, fixture)
        _ = try Self.add(Self.row(Self.pair, [], as: .room, at: past), to: number, fixture)
        var long = Self.message(1, at: past)
        long.foreignID = String(repeating: "x", count: 200)
        let outcome = try Self.add(
            [long, Self.message(2, at: past + 5), Self.message(3, at: past)], to: number, fixture)
        #expect(outcome?.added == 1)
        #expect(outcome?.refused.map(\.index) == [0, 2])
        #expect(try Self.add([Self.message(2, at: past)], in: Self.pair, to: number, fixture)?.refused.count == 1)
        #expect(try Self.add([Self.message(9, at: past)], in: ObjectID("missing")!, to: number, fixture) == nil)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("everybody has read what came, and the end is an entry of the audit log that makes devices begin anew")
    func ends() throws {
        let fixture = try Fixture()
        let (past, number) = (Self.past(fixture), try Self.begin(fixture))
        _ = try Self.add(Self.row(Self.group, ["tom", "ann"], at: past), to: number, fixture)
        _ = try Self.add((1...3).map { Self.message($0, at: past) }, to: number, fixture)
        let before = try fixture.store.readAndWait { store throws(StoreError) in try store.feed.position }
        let note = AuditNote(actor: AuditActor(uid: 7), word: "import.finish", subject: nil, asked: "{}")
        try fixture.store.writeAndWait { store throws(StoreError) in
            let conversations = try store.reading.imports.conversations(of: number, limit: 100)
            try store.imports.markRead(conversations, of: number)
            try store.imports.finish(number, counts: #"{"messages":3}"#, auditing: note)
        }
        let (list, entries, ann) = try fixture.store.readAndWait { store throws(StoreError) in
            (
                try store.imports.list(limit: 10), try store.audit.entries(AuditQuery()),
                try store.people.user(named: UserName("ann")!)?.id
            )
        }
        #expect(list.map(\.state) == [.whole] && list.first?.counts == #"{"messages":3}"#)
        #expect(entries.map(\.word) == ["import.finish"])
        let group = try Self.conversation(Self.group, fixture)
        #expect(try fixture.member(try #require(ann), in: group.id).readSequence == 3)
        let isKnown = try fixture.store.readAndWait { store throws(StoreError) in try store.feed.start <= before }
        #expect(!isKnown)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }
}
