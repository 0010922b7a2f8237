import ChatModel
import Testing

@testable import Store

@Suite("Taking an import back")
struct ImportUndoTests {
    private static let group = ObjectID("5f0000000000000000000001")!
    private static let pair = ObjectID("5f0000000000000000000002")!

    private static func message(
        _ number: Int, at time: Int64, from sender: String = "tom", sequence: Int64? = nil
    ) -> ImportedMessage {
        let content = MessageContent(
            kind: .none, flags: .countsAsUnread, wire: .leanCloud, body: Array("text \(number)".utf8))
        var message = ImportedMessage(
            foreignID: "message-\(number)", sender: UserName(sender)!, sentAtMilliseconds: time, content: content)
        message.sequence = sequence
        return message
    }

    private static func row(
        _ id: ObjectID, _ members: [String], as form: ImportedConversation.Form = .group, at time: Int64,
        digest: Int64 = 1
    ) -> ImportedConversation {
        var row = ImportedConversation(
            form, objectID: id, createdAtMilliseconds: time, updatedAtMilliseconds: time, digest: digest)
        row.members = members.compactMap { UserName($0) }
        row.creator = row.members.first
        return row
    }

    /// A store with an import of a group and its messages.
    private struct Stage {
        let fixture: Fixture
        let past: Int64
        var number: Int64 = 0

        init(
            messages: Int = 1_100, members: [String] = ["tom", "ann"], change: (inout StoreOptions) -> Void = { _ in }
        ) throws {
            self.fixture = try Fixture(change: change)
            self.past = self.fixture.clock.clock.wallMilliseconds() - 86_400_000
            self.number = try self.begin()
            try self.add(ImportUndoTests.row(group, members, at: self.past))
            try self.add((0..<messages).map { ImportUndoTests.message($0, at: self.past + Int64($0)) }, in: group)
        }

        func begin() throws -> Int64 {
            try self.fixture.store.writeAndWait { store throws(StoreError) in
                try store.imports.begin("leancloud", origin: "app", auditing: nil).number
            }
        }

        @discardableResult
        func add(_ row: ImportedConversation) throws -> ImportedConversationOutcome {
            let number = self.number
            return try self.fixture.store.writeAndWait { store throws(StoreError) in
                try store.imports.addConversation(row, to: number)
            }
        }

        func add(_ messages: [ImportedMessage], in id: ObjectID) throws {
            let number = self.number
            for start in stride(from: 0, to: messages.count, by: 1_000) {
                let some = Array(messages[start..<min(messages.count, start + 1_000)])
                let outcome = try self.fixture.store.writeAndWait { store throws(StoreError) in
                    try store.imports.addMessages(some, in: id, to: number)
                }
                #expect(outcome?.refused == [])
            }
        }

        func finish() throws {
            let number = self.number
            try self.fixture.store.writeAndWait { store throws(StoreError) in
                try store.imports.finish(number, counts: "{}", auditing: nil)
            }
        }

        func written() throws -> WrittenConversations {
            let number = self.number
            return try self.fixture.store.readAndWait { store throws(StoreError) in
                try store.imports.written(in: number, after: ConversationID(rawValue: 0))
            }
        }

        /// Takes the import back.
        ///
        /// - Parameter slices: after which it is broken off; `nil` for all.
        @discardableResult
        func undo(slices: Int? = nil) throws -> ImportUndoCounts {
            let number = self.number
            try self.fixture.store.writeAndWait { store throws(StoreError) in
                try store.imports.beginUndo(number, auditing: nil)
            }
            var counts = ImportUndoCounts()
            var place: ImportUndoPlace? = .start
            var left = slices ?? .max
            while let here = place, left > 0 {
                let slice = try self.fixture.store.writeAndWait { store throws(StoreError) in
                    try store.imports.undo(number, at: here)
                }
                counts += slice.counts
                place = slice.next
                left -= 1
            }
            guard slices == nil else { return counts }
            let all = counts
            try self.fixture.store.writeAndWait { store throws(StoreError) in
                try store.imports.finishUndo(number, counts: all, auditing: nil)
            }
            return counts
        }

        func conversation(_ id: ObjectID) throws -> Conversation? {
            try self.fixture.store.readAndWait { store throws(StoreError) in
                try store.conversations.one(.object(id), seenBy: .system)
            }
        }

        /// A person whom the import has brought.
        func person(_ name: String) throws -> UserID {
            let found = try self.fixture.store.readAndWait { store throws(StoreError) in
                try store.people.user(named: UserName(name)!)?.id
            }
            return try #require(found)
        }

        func names() throws -> [String] {
            try self.fixture.store.readAndWait { store throws(StoreError) in
                try store.people.users(limit: 100).filter { $0.deletedAtMilliseconds == nil }.map(\.name.text).sorted()
            }
        }

        func state() throws -> ImportRecord.State? {
            let number = self.number
            return try self.fixture.store.readAndWait { store throws(StoreError) in
                try store.imports.one(number)?.state
            }
        }
    }

    @Test("conversations, messages and people are gone, and the same import brings them again")
    func whole() throws {
        let stage = try Stage()
        try stage.finish()
        let counts = try stage.undo()
        #expect(counts.conversations == 1 && counts.messages == 1_100 && counts.people == 2 && counts.kept == 0)
        #expect(try stage.conversation(Self.group) == nil)
        #expect(try stage.names() == [])
        #expect(try stage.state() == .undone)
        var again = stage
        again.number = try stage.begin()
        #expect(try again.add(Self.row(Self.group, ["tom", "ann"], at: stage.past)) == .made)
        try again.add((0..<1_100).map { Self.message($0, at: stage.past + Int64($0)) }, in: Self.group)
        #expect(try again.conversation(Self.group)?.head == 1_100)
        #expect(try again.names() == ["ann", "tom"])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("broken off after any slice it goes on, and what is there meanwhile is sound", arguments: [1, 2, 3, 4, 5])
    func resumes(_ slices: Int) throws {
        let stage = try Stage(members: (0..<700).map { "person-\($0)" } + ["tom"])
        try stage.undo(slices: slices)
        #expect(try stage.state() == .undoing)
        let killed = try stage.fixture.copied()
        #expect(try stage.fixture.verify(killed).findings.map(\.description) == [])
        #expect(throws: StoreError.self) { try stage.begin() }
        try stage.undo()
        #expect(try stage.state() == .undone)
        #expect(try stage.conversation(Self.group) == nil)
        #expect(try stage.names() == [])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("an import in which people have written is told, and a conversation with what they wrote stays")
    func written() throws {
        let stage = try Stage(messages: 3)
        #expect(try stage.written().refusal(of: stage.number) == nil)
        let group = try #require(try stage.conversation(Self.group))
        let ann = try stage.fixture.store.readAndWait { store throws(StoreError) in
            try store.people.user(named: UserName("ann")!)?.id
        }
        stage.fixture.send("ours", from: try #require(ann), to: .id(group.id))
        let written = try stage.written()
        #expect(written.count == 1 && written.first == Self.group)
        #expect(written.refusal(of: 1)?.description.hasPrefix("people have written in 1 conversations") == true)
        // As when somebody writes after the look.
        let counts = try stage.undo()
        #expect(counts.conversations == 0 && counts.messages == 0 && counts.people == 0 && counts.kept == 3)
        #expect(try stage.conversation(Self.group)?.head == 4)
        #expect(try stage.names() == ["ann", "tom"])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("a conversation that was here stays where retention has deleted what was before: no sequence is given twice")
    func purged() throws {
        let fixture = try Fixture { $0.retention[.direct] = RetentionRule(messages: 2) }
        let past = fixture.clock.clock.wallMilliseconds() - 86_400_000
        let (tom, id) = try fixture.store.writeAndWait { store throws(StoreError) in
            let tom = try store.people.ensureUser(UserName("tom")!).id
            let ann = try store.people.ensureUser(UserName("ann")!).id
            return (tom, try store.conversations.ensureDirect(tom, ann))
        }
        fixture.send("before", from: tom, to: .id(id))
        let later = fixture.clock.clock.wallMilliseconds() + 1
        let number = try fixture.store.writeAndWait { store throws(StoreError) in
            let number = try store.imports.begin("leancloud", origin: "app", auditing: nil).number
            _ = try store.imports.addConversation(
                Self.row(Self.pair, ["tom", "ann"], as: .unique, at: past), to: number)
            _ = try store.imports.addMessages(
                (0..<3).map { Self.message($0, at: later + Int64($0), from: "ann") }, in: Self.pair, to: number)
            return number
        }
        fixture.clock.advance(milliseconds: 7 * 3_600_000)
        fixture.store.runMaintenance()
        let purged = try fixture.store.readAndWait { store throws(StoreError) in
            try store.retention.purged(in: id)
        }
        #expect(purged == 2)
        let counts = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.imports.beginUndo(number, auditing: nil)
            var counts = ImportUndoCounts()
            var place: ImportUndoPlace? = .start
            while let here = place {
                let slice = try store.imports.undo(number, at: here)
                counts += slice.counts
                place = slice.next
            }
            return counts
        }
        #expect(counts.messages == 0 && counts.kept == 1)
        #expect(try #require(fixture.send("after", from: tom, to: .id(id)).accepted).message.sequence == 5)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("gaps of the source are no end: an import beside them is taken back whole, to where it began")
    func gaps() throws {
        let stage = try Stage(messages: 2)
        try stage.finish()
        var second = stage
        second.number = try stage.begin()
        let places: [Int64] = [3, 4, 5, 1_500, 1_501, 90_000]
        try second.add(
            places.map { Self.message(Int($0), at: stage.past + $0, sequence: $0) }, in: Self.group)
        #expect(try stage.conversation(Self.group)?.head == 90_000)
        let counts = try second.undo()
        #expect(counts.messages == 6 && counts.kept == 0)
        #expect(try stage.conversation(Self.group)?.head == 2)
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("a gap before the first message of an import goes with it, and the pair gets its former name")
    func gapInFront() throws {
        let fixture = try Fixture()
        let past = fixture.clock.clock.wallMilliseconds() - 86_400_000
        let (own, id) = try fixture.store.writeAndWait { store throws(StoreError) in
            let tom = try store.people.ensureUser(UserName("tom")!).id
            let ann = try store.people.ensureUser(UserName("ann")!).id
            let id = try store.conversations.ensureDirect(tom, ann)
            return (try store.reading.conversations.one(id)?.objectID ?? .zero, id)
        }
        let number = try fixture.store.writeAndWait { store throws(StoreError) in
            let number = try store.imports.begin("leancloud", origin: "app", auditing: nil).number
            _ = try store.imports.addConversation(
                Self.row(Self.pair, ["tom", "ann"], as: .unique, at: past), to: number)
            _ = try store.imports.addMessages(
                [Self.message(1, at: past, sequence: 5_000)], in: Self.pair, to: number)
            return number
        }
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.imports.beginUndo(number, auditing: nil)
            var place: ImportUndoPlace? = .start
            while let here = place { place = try store.imports.undo(number, at: here).next }
        }
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.one(.object(own), seenBy: .system)
        }
        #expect(found?.id == id && found?.head == 0 && found?.objectID == own)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("nobody writes into a large group while its members go, so that it goes whole")
    func largeGroup() throws {
        let stage = try Stage(messages: 3, members: (0..<700).map { "person-\($0)" } + ["tom"])
        let group = try #require(try stage.conversation(Self.group)?.id)
        let tom = try stage.person("tom")
        try stage.undo(slices: 1)
        let sent = stage.fixture.send("still here?", from: tom, to: .id(group))
        #expect(sent.refusal == .noSuchConversation)
        let counts = try stage.undo()
        // A quiet second in between is enough for the store to end it by itself.
        #expect(counts.kept == 0)
        #expect(try stage.conversation(Self.group) == nil)
        #expect(try stage.names() == [])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("a hold keeps a conversation in which the held person has written and was never a member")
    func held() throws {
        let stage = try Stage(messages: 2)
        try stage.add([Self.message(7, at: stage.past + 10, from: "eve")], in: Self.group)
        let eve = try stage.person("eve")
        try stage.fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.holds.add(LegalHold(subject: .person(eve), reason: "case 7", asker: "anna"))
        }
        let counts = try stage.undo()
        #expect(counts.conversations == 0 && counts.messages == 0)
        #expect(try stage.conversation(Self.group)?.head == 3)
        #expect(try stage.names() == ["ann", "eve", "tom"])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("who was taken back is shown by the name that the row has then, also by who has read the former one")
    func formerNames() throws {
        let stage = try Stage(messages: 1) { $0.readers = 1 }
        try stage.add([Self.message(7, at: stage.past + 10, from: "eve")], in: Self.group)
        let group = try #require(try stage.conversation(Self.group)?.id)
        let senders = { () throws -> [String] in
            try stage.fixture.store.readAndWait { store throws(StoreError) in
                try store.messages.latest(in: group, limit: 10, as: .unrestricted).map(\.senderName.text).sorted()
            }
        }
        #expect(try senders() == ["eve", "tom"])
        stage.fixture.send("ours", from: try stage.person("tom"), to: .id(group))
        #expect(try stage.undo().people == 1)
        let after = try senders()
        #expect(after.count == 3 && after[0].hasPrefix("____undone_") && after[1] == "tom")
    }

    @Test("a pair that was here keeps what was said before, its people, and gets its former name")
    func joined() throws {
        let fixture = try Fixture()
        let past = fixture.clock.clock.wallMilliseconds() - 86_400_000
        let (own, id) = try fixture.store.writeAndWait { store throws(StoreError) in
            let tom = try store.people.ensureUser(UserName("tom")!).id
            let ann = try store.people.ensureUser(UserName("ann")!).id
            let id = try store.conversations.ensureDirect(tom, ann)
            return (try store.reading.conversations.one(id)?.objectID ?? .zero, id)
        }
        let tom = try fixture.store.readAndWait { store throws(StoreError) in
            try store.people.user(named: UserName("tom")!)?.id
        }
        fixture.send("before", from: try #require(tom), to: .id(id))
        let later = fixture.clock.clock.wallMilliseconds() + 1
        let number = try fixture.store.writeAndWait { store throws(StoreError) in
            let number = try store.imports.begin("leancloud", origin: "app", auditing: nil).number
            _ = try store.imports.addConversation(
                Self.row(Self.pair, ["tom", "ann"], as: .unique, at: past), to: number)
            _ = try store.imports.addMessages(
                (0..<3).map { Self.message($0, at: later + Int64($0), from: "ann") }, in: Self.pair, to: number)
            try store.imports.markRead([id], of: number)
            return number
        }
        #expect(try fixture.member(try #require(tom), in: id).readSequence >= 0)
        let counts = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.imports.beginUndo(number, auditing: nil)
            var counts = ImportUndoCounts()
            var place: ImportUndoPlace? = .start
            while let here = place {
                let slice = try store.imports.undo(number, at: here)
                counts += slice.counts
                place = slice.next
            }
            return counts
        }
        #expect(counts.messages == 3 && counts.conversations == 0 && counts.people == 0)
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.one(.object(own), seenBy: .system)
        }
        #expect(found?.id == id && found?.head == 1 && found?.objectID == own)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("the later of two imports goes first, and the earlier one then takes the source's later state again")
    func later() throws {
        let stage = try Stage(messages: 2)
        try stage.finish()
        var second = stage
        second.number = try stage.begin()
        #expect(try second.add(Self.row(Self.group, ["tom", "ann", "bob"], at: stage.past, digest: 2)) == .updated)
        try second.add([Self.message(9, at: stage.past + 50)], in: Self.group)
        try second.finish()
        #expect(throws: StoreError.self) { try stage.undo() }
        let counts = try second.undo()
        #expect(counts.conversations == 0 && counts.messages == 1)
        #expect(try stage.conversation(Self.group)?.head == 2)
        var third = stage
        third.number = try stage.begin()
        #expect(try third.add(Self.row(Self.group, ["tom", "ann", "eve"], at: stage.past, digest: 3)) == .updated)
        #expect(throws: StoreError.self) { try second.undo() }
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("who has found friends here stays, and an account that was deleted is not in the way")
    func people() throws {
        let stage = try Stage(messages: 1, members: ["tom", "ann", "bob"])
        try stage.fixture.store.writeAndWait { store throws(StoreError) in
            let tom = try store.people.ensureUser(UserName("tom")!).id
            let ann = try store.people.ensureUser(UserName("ann")!).id
            let bob = try store.people.ensureUser(UserName("bob")!).id
            _ = try store.friends.make(tom, ann)
            _ = try store.people.deleteUser(bob)
        }
        let counts = try stage.undo()
        #expect(counts.people == 0 && counts.kept == 2)
        #expect(try stage.names() == ["ann", "tom"])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("a device of an import that has registered here since, or was signed in on, stays", arguments: [true, false])
    func registeredAgain(_ registers: Bool) throws {
        let stage = try Stage(messages: 1)
        let number = stage.number
        for (id, name) in [("5f00000000000000000000d1", "again"), ("5f00000000000000000000d2", "away")] {
            let device = ImportedDevice(
                objectID: ObjectID(id)!, patch: InstallationPatch(deviceType: "ios", installationID: name),
                createdAtMilliseconds: stage.past, updatedAtMilliseconds: stage.past)
            let outcome = try stage.fixture.store.writeAndWait { store throws(StoreError) in
                try store.imports.addDevice(device, to: number)
            }
            #expect(outcome == .made)
        }
        let bob = try stage.fixture.user("bob")
        try stage.fixture.store.writeAndWait { store throws(StoreError) in
            if registers {
                _ = try store.apps.register(InstallationPatch(deviceType: "ios", installationID: "again"))
            } else {
                try store.apps.bindInstallation("again", to: bob)
            }
        }
        #expect(try stage.undo().devices == 1)
        let left = try stage.fixture.store.readAndWait { store throws(StoreError) in
            try store.apps.installations(after: "", limit: 10).map(\.installationID)
        }
        #expect(left == ["again"])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }

    @Test("a device comes once with its person, follows its source, and goes; one that registered here stays")
    func devices() throws {
        let stage = try Stage(messages: 1)
        func device(_ id: String, _ name: String, at time: Int64, channels: [String] = []) -> ImportedDevice {
            var device = ImportedDevice(
                objectID: ObjectID(id)!, patch: InstallationPatch(deviceType: "ios", installationID: name),
                createdAtMilliseconds: stage.past, updatedAtMilliseconds: time)
            device.channels = channels
            return device
        }
        let number = stage.number
        func add(_ device: ImportedDevice) throws -> ImportedDeviceOutcome {
            try stage.fixture.store.writeAndWait { store throws(StoreError) in
                try store.imports.addDevice(device, to: number)
            }
        }
        try stage.fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.apps.register(InstallationPatch(deviceType: "ios", installationID: "ours"))
        }
        let first = device("5f00000000000000000000d1", "theirs", at: stage.past, channels: ["news", "tom"])
        #expect(try add(first) == .made)
        #expect(try add(first) == .unchanged)
        #expect(try add(device("5f00000000000000000000d1", "theirs", at: stage.past + 5)) == .updated)
        #expect(try add(device("5f00000000000000000000d2", "ours", at: stage.past)) == .kept)
        #expect(try add(device("5f00000000000000000000d3", "", at: stage.past)) != .made)
        let found = try stage.fixture.store.readAndWait { store throws(StoreError) in
            try store.apps.installations(after: "", limit: 10)
        }
        #expect(found.count == 2)
        let theirs = try #require(found.first { $0.installationID == "theirs" })
        #expect(theirs.person == UserName("tom") && theirs.updatedAtMilliseconds == stage.past + 5)
        #expect(try stage.undo().devices == 1)
        let left = try stage.fixture.store.readAndWait { store throws(StoreError) in
            try store.apps.installations(after: "", limit: 10).map(\.installationID)
        }
        #expect(left == ["ours"])
        #expect(try stage.fixture.verified().findings.map(\.description) == [])
    }
}
