import ChatModel
import Testing

@testable import Store

@Suite("The log of commands")
struct CommandLogTests {
    private func add(
        _ fixture: Fixture, _ body: String, for target: CommandTarget, from sender: UserID = .system
    ) throws -> CommandAdded {
        let content = MessageContent(
            kind: MessageKind(rawValue: 99), flags: .syncOnce, wire: .wuKong, body: Array(body.utf8), expireSeconds: 7,
            topic: "t")
        let new = NewCommand(
            target: target, sender: sender, channel: "verona", kind: .group, clientToken: ClientToken([1, 2]),
            content: content)
        return try fixture.store.writeAndWait { store throws(StoreError) in try store.commands.add(new) }
    }

    private func bodies(_ fixture: Fixture, _ user: UserID, after: Int64 = 0, limit: Int = 100) throws -> [String] {
        try fixture.store.readAndWait { store throws(StoreError) in
            try store.commands.page(for: user, after: after, limit: limit)
        }.map { String(decoding: $0.content.body, as: UTF8.self) }
    }

    @Test("a person sees those of conversations they are in or listen to, and those addressed to them, in order")
    func visibility() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let tybalt = try fixture.user("tybalt")
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        let room = try fixture.store.writeAndWait { store throws(StoreError) in
            let room = try store.conversations.createChannel(.room, ChannelName("ball")!, creator: .system)
            try store.conversations.addListeners([tybalt], to: room)
            return room
        }
        let first = try self.add(fixture, "1", for: .conversation(verona), from: romeo)
        #expect(first.receivers == [romeo, juliet])
        #expect(try self.add(fixture, "2", for: .people([tybalt, juliet, tybalt])).receivers == [tybalt, juliet])
        #expect(try self.add(fixture, "3", for: .conversation(room)).receivers == [tybalt])
        #expect(try self.bodies(fixture, juliet) == ["1", "2"])
        #expect(try self.bodies(fixture, tybalt) == ["2", "3"])
        #expect(try self.bodies(fixture, tybalt, limit: 1) == ["2"])
        #expect(try self.bodies(fixture, romeo) == ["1"])
        #expect(try self.bodies(fixture, juliet, after: first.command.sequence) == ["2"])
        let read = try fixture.store.readAndWait { store throws(StoreError) in
            try store.commands.page(for: romeo, after: 0, limit: 1)
        }
        #expect(read == [first.command] && first.command.senderName.text == "romeo")
        #expect(try fixture.unread(juliet) == [:])
        #expect(try fixture.verified().findings == [])
    }

    @Test("a command about a change takes the place of an equal one of the same conversation, and of no other")
    func replacing() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let (verona, mantua) = (
            try fixture.group("verona", owner: romeo, [juliet]), try fixture.group("mantua", owner: romeo, [juliet])
        )
        func tell(_ body: String, in id: ConversationID, _ channel: String) throws {
            var new = NewCommand(
                target: .conversation(id), sender: .system, channel: channel, kind: .group,
                content: MessageContent(
                    kind: MessageKind(rawValue: 99), flags: .syncOnce, wire: .wuKong, body: Array(body.utf8)))
            new.replacesEqual = true
            let command = new
            try fixture.store.writeAndWait { store throws(StoreError) in try store.commands.add(command) }
        }
        _ = try self.add(fixture, "members", for: .conversation(verona))
        for _ in 0..<3 {
            try tell("members", in: verona, "verona")
            try tell("card", in: verona, "verona")
            try tell("members", in: mantua, "mantua")
        }
        // The first one bears a number of its sender's, who may ask for it.
        #expect(try self.bodies(fixture, juliet) == ["members", "members", "card", "members"])
        #expect(try fixture.verified().findings == [])
    }

    @Test("what was before someone came, or is after they left, is not for them")
    func joining() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo)
        _ = try self.add(fixture, "early", for: .conversation(verona))
        fixture.clock.advance(milliseconds: 5)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.conversations.addMembers([juliet], to: verona)
        }
        _ = try self.add(fixture, "now", for: .conversation(verona))
        #expect(try self.bodies(fixture, juliet) == ["now"])
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.conversations.removeMembers([juliet], from: verona)
        }
        #expect(try self.bodies(fixture, juliet) == [])
    }

    @Test("a topic's commands are for its community")
    func topic() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let topic = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.createChannel(.community, ChannelName("verona")!, creator: romeo)
            return try store.conversations.createChannel(
                .communityTopic, ChannelName("verona@balls")!, creator: .system)
        }
        let added = try self.add(fixture, "1", for: .conversation(topic))
        #expect(added.receivers == [romeo] && added.command.conversation == topic)
        #expect(try self.bodies(fixture, romeo) == ["1"])
        #expect(try fixture.verified().findings == [])
    }

    @Test("one acknowledged command moves the position only when nothing before it waits")
    func acknowledging() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let commands = try [romeo, juliet, romeo, romeo].map {
            try self.add(fixture, "c", for: .people([$0])).command.sequence
        }
        func acknowledge(_ sequence: Int64, single: Bool) throws -> Int64 {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.commands.acknowledge(romeo, upTo: sequence, single: single)
            }
        }
        #expect(try acknowledge(commands[2], single: true) == 0)
        #expect(try acknowledge(commands[0], single: true) == commands[0])
        #expect(try acknowledge(commands[2], single: true) == commands[2])
        #expect(try acknowledge(commands[0], single: false) == commands[2])
        #expect(try acknowledge(99, single: false) == commands[3])
        let position = try fixture.store.readAndWait { store throws(StoreError) in
            try store.commands.position(romeo)
        }
        #expect(position == commands[3])
        #expect(try fixture.verified().findings == [])
    }

    @Test("nobody, nobody known, and too much are refused")
    func refusals() throws {
        let fixture = try Fixture()
        #expect(throws: StoreError.invalid("a command is for 1 to 10000 people, not 0")) {
            try self.add(fixture, "x", for: .people([]))
        }
        #expect(throws: StoreError.notFound("user number 77")) {
            try self.add(fixture, "x", for: .people([UserID(rawValue: 77)]))
        }
        #expect(throws: StoreError.notFound("conversation number 77")) {
            try self.add(fixture, "x", for: .conversation(ConversationID(rawValue: 77)))
        }
    }

    @Test("the oldest go when there are too many")
    func pruningByNumber() throws {
        let fixture = try Fixture { $0.commands = 3 }
        let romeo = try fixture.user("romeo")
        for number in 1...8 { _ = try self.add(fixture, "\(number)", for: .people([romeo])) }
        fixture.clock.advance(milliseconds: 700_000)
        fixture.store.runMaintenance()
        #expect(try self.bodies(fixture, romeo) == ["6", "7", "8"])
        #expect(try self.add(fixture, "9", for: .people([romeo])).command.sequence == 9)
        #expect(try fixture.verified().findings == [])
    }

    @Test("those past thirty days go, when the clock can be believed")
    func pruningByAge() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        _ = try self.add(fixture, "old", for: .people([romeo]))
        fixture.clock.advance(milliseconds: 4_000_000)
        fixture.store.runMaintenance()
        fixture.clock.setWall(milliseconds: fixture.clock.clock.wallMilliseconds() + 31 * 86_400_000)
        _ = try self.add(fixture, "new", for: .people([romeo]))
        fixture.clock.advance(milliseconds: 700_000)
        fixture.store.runMaintenance()
        #expect(try self.bodies(fixture, romeo) == ["old", "new"])
        fixture.clock.advance(milliseconds: 3_700_000)
        fixture.store.runMaintenance()
        #expect(try self.bodies(fixture, romeo) == ["old", "new"])
        fixture.clock.advance(milliseconds: 23 * 3_600_000)
        fixture.store.runMaintenance()
        #expect(try self.bodies(fixture, romeo) == ["new"])
        #expect(try fixture.verified().findings == [])
    }
}
