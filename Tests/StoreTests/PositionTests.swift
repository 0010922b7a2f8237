import ChatModel
import Testing

@testable import Store

@Suite("Reading and delivery positions")
struct PositionTests {
    private func read(_ fixture: Fixture, _ user: UserID, _ id: ConversationID, _ sequence: Int64) throws -> ReadChange
    {
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.markRead(user, in: id, upTo: sequence)
        }
    }

    @Test("own messages are not unread, and sending does not move the reading position")
    func ownMessages() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for body in ["1", "2"] { fixture.send(body, from: romeo, to: .id(verona)) }
        for body in ["3", "4", "5"] { fixture.send(body, from: juliet, to: .id(verona)) }
        #expect(try fixture.unread(romeo) == [verona: 3])
        #expect(try fixture.unread(juliet) == [verona: 2])
        #expect(try fixture.member(juliet, in: verona).readSequence == 0)
        #expect(
            try self.read(fixture, juliet, verona, 4) == ReadChange(sequence: 4, unread: 0, badge: 0, hasMoved: true))
        #expect(try fixture.member(juliet, in: verona).ownCountableSinceRead == 1)
        #expect(
            try self.read(fixture, romeo, verona, 3) == ReadChange(sequence: 3, unread: 2, badge: 2, hasMoved: true))
        #expect(try fixture.verified().findings == [])
    }

    @Test("a position never falls and never passes the head")
    func bounds() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for body in ["1", "2", "3"] { fixture.send(body, from: romeo, to: .id(verona)) }
        #expect(try self.read(fixture, juliet, verona, 2).unread == 1)
        #expect(
            try self.read(fixture, juliet, verona, 1) == ReadChange(sequence: 2, unread: 1, badge: 1, hasMoved: false))
        #expect(
            try self.read(fixture, juliet, verona, 99) == ReadChange(sequence: 3, unread: 0, badge: 0, hasMoved: true))
        #expect(throws: StoreError.notFound("the member")) { try self.read(fixture, .system, verona, 1) }
    }

    @Test("only messages that count as unread count")
    func countable() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        fixture.send("counts", from: romeo, to: .id(verona))
        fixture.send("silent", from: romeo, to: .id(verona), flags: [])
        fixture.send("counts", from: romeo, to: .id(verona))
        #expect(try fixture.unread(juliet) == [verona: 2])
        #expect(try self.read(fixture, juliet, verona, 2).unread == 1)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a message withheld from someone does not count for them")
    func hidden() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for body in ["1", "2", "3"] { fixture.send(body, from: romeo, to: .id(verona)) }
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.connection.run("INSERT INTO hidden_count VALUES (?, ?, 2)", juliet, verona)
        }
        #expect(try fixture.unread(juliet) == [verona: 2])
        let listed = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.page(of: juliet).map(\.unread)
        }
        #expect(listed == [2])
        #expect(try self.read(fixture, juliet, verona, 1).unread == 1)
        #expect(try self.read(fixture, juliet, verona, 2).unread == 1)
    }

    @Test("what a device class has to get starts after its acknowledgement, else after reading or joining")
    func undelivered() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for body in ["1", "2", "3", "4"] { fixture.send(body, from: romeo, to: .id(verona)) }
        func ranges(_ deviceClass: DeviceClass) throws -> [UndeliveredRange] {
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.conversations.undelivered(of: juliet, class: deviceClass)
            }
        }
        func record(_ sequence: Int64, _ user: UserID) throws {
            let position = DeliveredPosition(user: user, deviceClass: .app, conversation: verona, sequence: sequence)
            try fixture.store.writeAndWait { store throws(StoreError) in try store.inbox.recordDelivered([position]) }
        }
        #expect(try ranges(.app) == [UndeliveredRange(conversation: verona, from: 0, head: 4)])
        try record(2, juliet)
        try record(1, juliet)
        try record(3, .system)
        _ = try self.read(fixture, juliet, verona, 3)
        #expect(try ranges(.app) == [UndeliveredRange(conversation: verona, from: 2, head: 4)])
        #expect(try ranges(.web) == [UndeliveredRange(conversation: verona, from: 3, head: 4)])
        try record(99, juliet)
        #expect(try ranges(.app) == [])
        let positions = try fixture.store.readAndWait { store throws(StoreError) in
            try store.connection.query(
                "SELECT sequence FROM delivered WHERE user_id = ? AND device_class = 'app'", juliet
            ) { row throws(StoreError) in row.int64(0) }
        }
        #expect(positions == [4])
        #expect(try fixture.verified().findings == [])
    }
}
