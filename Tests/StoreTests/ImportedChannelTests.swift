import ChatModel
import Testing

@testable import Store

@Suite("Channels of a WuKongIM server, brought into the store with their sequences")
struct ImportedChannelTests {
    private static let team = ImportedChannel.channel(.group, ChannelName("team")!)
    private static let pair = ImportedChannel.pair(UserName("tom")!, UserName("ann")!)

    private static func message(
        _ sequence: Int64, at time: Int64, from sender: String = "tom", bytes: Int = 4
    ) -> ImportedMessage {
        var message = ImportedMessage(
            foreignID: String(1_900_000_000_000_000_000 &+ sequence), sender: UserName(sender)!,
            sentAtMilliseconds: time,
            content: MessageContent(
                kind: .none, flags: .countsAsUnread, wire: .wuKong, body: [UInt8](repeating: 0x61, count: bytes)))
        message.sequence = sequence
        message.clientNumber = "number-\(sequence)"
        return message
    }

    private static func row(
        _ form: ImportedConversation.Form, _ members: [String], at time: Int64, digest: Int64 = 1
    ) -> ImportedConversation {
        var row = ImportedConversation(
            form, objectID: nil, createdAtMilliseconds: time, updatedAtMilliseconds: time, digest: digest)
        row.members = members.compactMap { UserName($0) }
        return row
    }

    private static func begin(_ fixture: Fixture) throws -> Int64 {
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.imports.begin(ImportRecord.wuKongIM, origin: "http://old", auditing: nil).number
        }
    }

    private static func write<Value: Sendable>(
        _ fixture: Fixture, _ body: @escaping @Sendable (ImportWrites) throws(StoreError) -> Value
    ) throws -> Value {
        try fixture.store.writeAndWait { store throws(StoreError) in try body(store.imports) }
    }

    /// A group of tom and ann, made by an import; its number, and the time of its first message.
    private static func group(_ fixture: Fixture, _ members: [String] = ["tom", "ann"]) throws -> (Int64, Int64) {
        let (number, past) = (try Self.begin(fixture), fixture.clock.clock.wallMilliseconds() - 86_400_000)
        let row = Self.row(.channel(.group, ChannelName("team")!), members, at: past)
        #expect(
            try Self.write(fixture) { writes throws(StoreError) in try writes.addConversation(row, to: number) }
                == .made)
        return (number, past)
    }

    private static func found(_ fixture: Fixture) throws -> Conversation {
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.one(.channel(.group, ChannelName("team")!), seenBy: .system)
        }
        return try #require(found)
    }

    private static func person(_ name: String, _ fixture: Fixture) throws -> UserID {
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try store.people.user(named: UserName(name)!)?.id
        }
        return try #require(found)
    }

    private static func names(_ fixture: Fixture) throws -> [String] {
        let id = try Self.found(fixture).id
        return try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.members(of: id).map(\.name.text).sorted()
        }
    }

    @Test("sequences stay, holes are ranges that verify, reading and counting know, and the next message comes behind")
    func sequences() throws {
        let fixture = try Fixture()
        let (number, past) = try Self.group(fixture)
        let messages = [3, 4, 8, 9].map { Self.message($0, at: past + $0 * 1_000) }
        let outcome = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMessages(messages, in: Self.team, to: number)
        }
        #expect(outcome?.added == 4 && outcome?.refused.isEmpty == true)
        let group = try Self.found(fixture)
        #expect(group.head == 9)
        let ann = try Self.person("ann", fixture)
        // A place in a hole is that of the message before it.
        let read = try Self.write(fixture) { writes throws(StoreError) in
            try writes.setPosition(of: UserName("ann")!, in: Self.team, upTo: 6, unread: 2, to: number)
        }
        #expect(read == .added(1))
        #expect(try fixture.member(ann, in: group.id).readSequence == 4)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.inbox.markRead(ann, in: group.id, upTo: 7)
        }
        #expect(try fixture.member(ann, in: group.id).readSequence == 4)
        let tom = try Self.person("tom", fixture)
        _ = fixture.send("now", from: tom, to: groupAddress("team"))
        #expect(try Self.found(fixture).head == 10)
        #expect(try fixture.unread(ann)[group.id] == 1)
        let counts = try fixture.store.readAndWait { store throws(StoreError) in try store.messages.counts() }
        #expect(counts.messages == 5)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("the same again is known, also where a hole is in front of it, and what is older than the head is named")
    func again() throws {
        let fixture = try Fixture()
        let (number, past) = try Self.group(fixture)
        let messages = [2, 5].map { Self.message($0, at: past + $0) }
        for expected in [(2, 0), (0, 2)] as [(Int64, Int64)] {
            let outcome = try Self.write(fixture) { writes throws(StoreError) in
                try writes.addMessages(messages, in: Self.team, to: number)
            }
            #expect(outcome?.added == expected.0 && outcome?.known == expected.1)
        }
        let late = Self.message(3, at: past + 9)
        let outcome = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMessages([late, Self.message(6, at: past + 9)], in: Self.team, to: number)
        }
        #expect(outcome?.refused.map(\.index) == [0] && outcome?.added == 1)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("a message that is too long, and a sequence out of bounds, are named, and the channel goes on")
    func bounds() throws {
        let fixture = try Fixture()
        let (number, past) = try Self.group(fixture)
        let messages = [
            Self.message(1, at: past), Self.message(2, at: past, bytes: Appender.maximumBodyBytes + 1),
            Self.message(3, at: past), Self.message(0, at: past), Self.message(-4, at: past),
            Self.message(ImportedMessage.maximumSequence + 1, at: past), Self.message(.max, at: past),
            Self.message(4, at: past),
        ]
        let outcome = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMessages(messages, in: Self.team, to: number)
        }
        #expect(outcome?.added == 3 && outcome?.refused.map(\.index) == [1, 3, 4, 5, 6])
        #expect(try Self.found(fixture).head == 4)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("times that fall at the source rise to that of the message before")
    func times() throws {
        let fixture = try Fixture()
        let (number, past) = try Self.group(fixture)
        let messages = [
            Self.message(1, at: past + 5_000), Self.message(2, at: past), Self.message(3, at: past + 6_000),
        ]
        _ = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMessages(messages, in: Self.team, to: number)
        }
        let id = try Self.found(fixture).id
        let times = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.latest(in: id, limit: 10, as: .unrestricted).map(\.sentAtMilliseconds)
        }
        #expect(times == [past + 5_000, past + 5_000, past + 6_000])
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("where people have written here first, nothing is put before them or between them")
    func ownFirst() throws {
        let fixture = try Fixture()
        let tom = try fixture.user("tom")
        _ = try fixture.user("ann")
        _ = fixture.send("mine", from: tom, to: direct("ann"))
        let (number, past) = (try Self.begin(fixture), fixture.clock.clock.wallMilliseconds() - 86_400_000)
        let row = Self.row(.channel(.direct, nil), ["ann", "tom"], at: past)
        let joined = try Self.write(fixture) { writes throws(StoreError) in try writes.addConversation(row, to: number)
        }
        #expect(joined == .joined)
        let outcome = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMessages([Self.message(1, at: past), Self.message(9, at: past)], in: Self.pair, to: number)
        }
        #expect(outcome?.added == 0 && outcome?.refused.count == 2)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("a list of members that may lack some takes nobody out, a whole one does")
    func members() throws {
        let fixture = try Fixture()
        let (number, past) = try Self.group(fixture, ["tom", "ann", "bob"])
        var part = Self.row(.channel(.group, ChannelName("team")!), ["tom", "eve"], at: past, digest: 2)
        part.membersAreWhole = false
        let (partial, whole) = (part, Self.row(.channel(.group, ChannelName("team")!), ["tom"], at: past, digest: 3))
        _ = try Self.write(fixture) { writes throws(StoreError) in try writes.addConversation(partial, to: number) }
        #expect(try Self.names(fixture) == ["ann", "bob", "eve", "tom"])
        let more = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMembers([UserName("zoe")!, UserName("tom")!], to: Self.team, of: number)
        }
        #expect(more == .added(1))
        _ = try Self.write(fixture) { writes throws(StoreError) in try writes.addConversation(whole, to: number) }
        #expect(try Self.names(fixture) == ["tom"])
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("a position makes nobody a member, moves nobody back, and is left alone once somebody has read here")
    func positions() throws {
        let fixture = try Fixture()
        let (number, past) = try Self.group(fixture)
        let messages = (1...5).map { Self.message(Int64($0), at: past + Int64($0)) }
        _ = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMessages(messages, in: Self.team, to: number)
        }
        func bring(_ name: String, _ sequence: Int64, _ unread: Int64) throws -> ImportWrites.ChannelOutcome {
            try Self.write(fixture) { writes throws(StoreError) in
                try writes.setPosition(
                    of: UserName(name)!, in: Self.team, upTo: sequence, unread: unread, to: number)
            }
        }
        #expect(try bring("stranger", 3, 0) == .noMember)
        #expect(try Self.names(fixture) == ["ann", "tom"])
        // Nobody has read what no position was brought for.
        _ = try Self.write(fixture) { writes throws(StoreError) in
            try writes.settle(number, after: ConversationID(rawValue: 0))
        }
        let (ann, id) = (try Self.person("ann", fixture), try Self.found(fixture).id)
        #expect(try fixture.member(ann, in: id).readSequence == 0)
        #expect(try bring("ann", 3, 2) == .added(1))
        #expect(try bring("ann", 3, 2) == .added(0))
        #expect(try bring("ann", 1, 2) == .added(0))
        #expect(try fixture.member(ann, in: id).readSequence == 3)
        let marked = try fixture.store.readAndWait { store throws(StoreError) in
            try store.inbox.preference(of: ann, in: id).markedUnread
        }
        #expect(marked == 2)
        fixture.clock.advance(milliseconds: 1_000)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.inbox.markRead(ann, in: id, upTo: 5)
        }
        #expect(try bring("ann", 4, 1) == .added(0))
        #expect(try fixture.member(ann, in: id).readSequence == 5)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("lists of channels and people come, full ones are named, and switches of a channel follow its source")
    func lists() throws {
        let fixture = try Fixture { $0.listEntries = 2 }
        let (number, past) = try Self.group(fixture)
        let (eve, bob, zoe) = (UserName("eve")!, UserName("bob")!, UserName("zoe")!)
        func add(_ names: [UserName]) throws -> ImportWrites.ChannelOutcome {
            try Self.write(fixture) { writes throws(StoreError) in
                try writes.addListed(names, .denied, of: Self.team, to: number)
            }
        }
        #expect(try add([eve, bob]) == .added(2))
        #expect(try add([eve]) == .added(0))
        guard case .refused = try add([zoe]) else {
            Issue.record("a full list takes nobody")
            return
        }
        let own = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addListed([zoe], .blocked, ofPerson: UserName("tom")!, to: number)
        }
        #expect(own == .added(1))
        var row = Self.row(.channel(.group, ChannelName("team")!), ["tom", "ann"], at: past, digest: 4)
        row.flags = [.banned, .membersMuted]
        let banned = row
        let outcome = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addConversation(banned, to: number)
        }
        #expect(outcome == .updated)
        #expect(try Self.found(fixture).flags == .banned)
        #expect(try fixture.verified().findings.map(\.description) == [])
    }

    @Test("a message is found by the number that it had at its source")
    func foreignNumbers() throws {
        let fixture = try Fixture()
        let (number, past) = try Self.group(fixture)
        _ = try Self.write(fixture) { writes throws(StoreError) in
            try writes.addMessages([Self.message(7, at: past)], in: Self.team, to: number)
        }
        let id = try Self.found(fixture).id
        let place = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.place(of: MessageID(rawValue: 1_900_000_000_000_000_007), in: id)
        }
        #expect(place == MessagePlace(id, 7))
        let other = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.place(
                of: MessageID(rawValue: 1_900_000_000_000_000_007), in: ConversationID(rawValue: 9_999))
        }
        #expect(other == nil)
    }
}
