import ChatModel
import Testing

@testable import Store

@Suite("The log of commands")
struct CommandLogTests {
    private func add(
        _ house: House, _ body: String, for target: CommandTarget, from sender: UserID = .system
    ) throws -> CommandAdded {
        let content = MessageContent(
            kind: MessageKind(rawValue: 99), flags: .syncOnce, wire: .wuKong, body: Array(body.utf8), expireSeconds: 7,
            topic: "t")
        let new = NewCommand(
            target: target, sender: sender, channel: "verona", kind: .group, clientToken: ClientToken([1, 2]),
            content: content)
        return try house.store.writeAndWait { store throws(StoreError) in try store.addCommand(new) }
    }

    private func bodies(_ house: House, _ user: UserID, after: Int64 = 0, limit: Int = 100) throws -> [String] {
        try house.store.readAndWait { store throws(StoreError) in
            try store.commands(for: user, after: after, limit: limit)
        }.map { String(decoding: $0.content.body, as: UTF8.self) }
    }

    @Test("a person sees those of conversations they are in or listen to, and those addressed to them, in order")
    func visibility() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let tybalt = try house.user("tybalt")
        let verona = try house.group("verona", owner: romeo, [juliet])
        let room = try house.store.writeAndWait { store throws(StoreError) in
            let room = try store.createChannel(.room, ChannelName("ball")!, creator: .system)
            try store.addListeners([tybalt], to: room)
            return room
        }
        let first = try self.add(house, "1", for: .conversation(verona), from: romeo)
        #expect(first.receivers == [romeo, juliet])
        #expect(try self.add(house, "2", for: .people([tybalt, juliet, tybalt])).receivers == [tybalt, juliet])
        #expect(try self.add(house, "3", for: .conversation(room)).receivers == [tybalt])
        #expect(try self.bodies(house, juliet) == ["1", "2"])
        #expect(try self.bodies(house, tybalt) == ["2", "3"])
        #expect(try self.bodies(house, tybalt, limit: 1) == ["2"])
        #expect(try self.bodies(house, romeo) == ["1"])
        #expect(try self.bodies(house, juliet, after: first.command.sequence) == ["2"])
        let read = try house.store.readAndWait { store throws(StoreError) in
            try store.commands(for: romeo, after: 0, limit: 1)
        }
        #expect(read == [first.command] && first.command.senderName.text == "romeo")
        #expect(try house.unread(juliet) == [:])
        #expect(try house.verified().findings == [])
    }

    @Test("a command about a change takes the place of an equal one of the same conversation, and of no other")
    func replacing() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let (verona, mantua) = (
            try house.group("verona", owner: romeo, [juliet]), try house.group("mantua", owner: romeo, [juliet])
        )
        func tell(_ body: String, in id: ConversationID, _ channel: String) throws {
            var new = NewCommand(
                target: .conversation(id), sender: .system, channel: channel, kind: .group,
                content: MessageContent(
                    kind: MessageKind(rawValue: 99), flags: .syncOnce, wire: .wuKong, body: Array(body.utf8)))
            new.replacesEqual = true
            let command = new
            try house.store.writeAndWait { store throws(StoreError) in try store.addCommand(command) }
        }
        _ = try self.add(house, "members", for: .conversation(verona))
        for _ in 0..<3 {
            try tell("members", in: verona, "verona")
            try tell("card", in: verona, "verona")
            try tell("members", in: mantua, "mantua")
        }
        // The first one bears a number of its sender's, who may ask for it.
        #expect(try self.bodies(house, juliet) == ["members", "members", "card", "members"])
        #expect(try house.verified().findings == [])
    }

    @Test("what was before someone came, or is after they left, is not for them")
    func joining() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: romeo)
        _ = try self.add(house, "early", for: .conversation(verona))
        house.clock.advance(milliseconds: 5)
        try house.store.writeAndWait { store throws(StoreError) in _ = try store.addMembers([juliet], to: verona) }
        _ = try self.add(house, "now", for: .conversation(verona))
        #expect(try self.bodies(house, juliet) == ["now"])
        try house.store.writeAndWait { store throws(StoreError) in _ = try store.removeMembers([juliet], from: verona) }
        #expect(try self.bodies(house, juliet) == [])
    }

    @Test("a topic's commands are for its community")
    func topic() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let topic = try house.store.writeAndWait { store throws(StoreError) in
            try store.createChannel(.community, ChannelName("verona")!, creator: romeo)
            return try store.createChannel(.communityTopic, ChannelName("verona@balls")!, creator: .system)
        }
        let added = try self.add(house, "1", for: .conversation(topic))
        #expect(added.receivers == [romeo] && added.command.conversation == topic)
        #expect(try self.bodies(house, romeo) == ["1"])
        #expect(try house.verified().findings == [])
    }

    @Test("one acknowledged command moves the position only when nothing before it waits")
    func acknowledging() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let commands = try [romeo, juliet, romeo, romeo].map {
            try self.add(house, "c", for: .people([$0])).command.sequence
        }
        func acknowledge(_ sequence: Int64, single: Bool) throws -> Int64 {
            try house.store.writeAndWait { store throws(StoreError) in
                try store.acknowledgeCommands(romeo, upTo: sequence, single: single)
            }
        }
        #expect(try acknowledge(commands[2], single: true) == 0)
        #expect(try acknowledge(commands[0], single: true) == commands[0])
        #expect(try acknowledge(commands[2], single: true) == commands[2])
        #expect(try acknowledge(commands[0], single: false) == commands[2])
        #expect(try acknowledge(99, single: false) == commands[3])
        let position = try house.store.readAndWait { store throws(StoreError) in try store.commandPosition(romeo) }
        #expect(position == commands[3])
        #expect(try house.verified().findings == [])
    }

    @Test("nobody, nobody known, and too much are refused")
    func refusals() throws {
        let house = try House()
        #expect(throws: StoreError.invalid("a command is for 1 to 10000 people, not 0")) {
            try self.add(house, "x", for: .people([]))
        }
        #expect(throws: StoreError.notFound("user number 77")) {
            try self.add(house, "x", for: .people([UserID(rawValue: 77)]))
        }
        #expect(throws: StoreError.notFound("conversation number 77")) {
            try self.add(house, "x", for: .conversation(ConversationID(rawValue: 77)))
        }
    }

    @Test("the oldest go when there are too many")
    func pruningByNumber() throws {
        let house = try House { $0.commands = 3 }
        let romeo = try house.user("romeo")
        for number in 1...8 { _ = try self.add(house, "\(number)", for: .people([romeo])) }
        house.clock.advance(milliseconds: 700_000)
        house.store.runMaintenance()
        #expect(try self.bodies(house, romeo) == ["6", "7", "8"])
        #expect(try self.add(house, "9", for: .people([romeo])).command.sequence == 9)
        #expect(try house.verified().findings == [])
    }

    @Test("those past thirty days go, when the clock can be believed")
    func pruningByAge() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        _ = try self.add(house, "old", for: .people([romeo]))
        house.clock.advance(milliseconds: 4_000_000)
        house.store.runMaintenance()
        house.clock.setWall(milliseconds: house.clock.clock.wallMilliseconds() + 31 * 86_400_000)
        _ = try self.add(house, "new", for: .people([romeo]))
        house.clock.advance(milliseconds: 700_000)
        house.store.runMaintenance()
        #expect(try self.bodies(house, romeo) == ["old", "new"])
        house.clock.advance(milliseconds: 3_700_000)
        house.store.runMaintenance()
        #expect(try self.bodies(house, romeo) == ["old", "new"])
        house.clock.advance(milliseconds: 23 * 3_600_000)
        house.store.runMaintenance()
        #expect(try self.bodies(house, romeo) == ["new"])
        #expect(try house.verified().findings == [])
    }
}
