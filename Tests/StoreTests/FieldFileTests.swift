import ByteCodec
import ChatModel
import Testing

@testable import Store

/// Files that conversations name in what apps keep with them.
@Suite struct FieldFileTests {
    private let verona: Verona

    init() throws { self.verona = try Verona { $0.files.unreferencedHours = 1 } }

    private func make(_ attributes: String, fields: String? = nil, by creator: UserID? = nil) throws -> ConversationID {
        let new = NewObject(
            .normal, creator: creator ?? self.verona.romeo, members: [UserName("juliet")!],
            attributes: Array(attributes.utf8), fields: fields.map { Array($0.utf8) })
        return try self.verona.write { store throws(StoreError) in try store.apps.createObject(new).id }
    }

    private func set(_ id: ConversationID, _ attributes: String, by user: UserID) throws {
        let value = try JSONValue(parsing: attributes)
        try self.verona.write { store throws(StoreError) in
            _ = try store.apps.updateObject(id, by: Actor(user)) { row throws(StoreError) in
                let others = (row.object ?? []).filter { $0.name != "attr" }
                return (.object(others + [JSONValue.Member("attr", value)]), .object([]))
            }
        }
    }

    private func sweepLater() throws {
        self.verona.fixture.clock.advance(milliseconds: 2 * 3_600_000)
        _ = try self.verona.sweep()
    }

    @Test("what attributes or fields name is kept, is the members' to read, and goes when they name it no more")
    func kept() throws {
        let picture = try self.verona.upload(self.verona.romeo, "picture")
        let plan = try self.verona.upload(self.verona.romeo, "plan")
        let id = try self.make(#"{"cover":"\#(picture.key)"}"#, fields: #"{"plan":"\#(plan.key)"}"#)
        try self.sweepLater()
        for file in [picture, plan] {
            #expect(try self.verona.file(file.key)?.references == 1)
            #expect(try self.verona.canRead(file, self.verona.juliet))
            #expect(try !self.verona.canRead(file, self.verona.tybalt))
        }
        try self.set(id, #"{"cover":""}"#, by: self.verona.juliet)
        try self.sweepLater()
        #expect(try self.verona.file(picture.key) == nil)
        #expect(try self.verona.file(plan.key)?.references == 1)
        #expect(try self.verona.fixture.verified().findings == [])
    }

    @Test("what somebody may not read is text like any other, and what is kept stays whoever writes the rest")
    func others() throws {
        let letter = try self.verona.upload(self.verona.tybalt, "letter")
        let id = try self.make(#"{"cover":"\#(letter.key)"}"#)
        #expect(try self.verona.file(letter.key)?.references == 0)
        let picture = try self.verona.upload(self.verona.romeo, "picture")
        try self.set(id, #"{"cover":"\#(picture.key)"}"#, by: self.verona.romeo)
        try self.set(id, #"{"cover":"\#(picture.key)","color":"red"}"#, by: self.verona.juliet)
        #expect(try self.verona.file(picture.key)?.references == 1)
        #expect(try self.verona.fixture.verified().findings == [])
    }

    @Test("a conversation that is over lets go of what it named")
    func over() throws {
        let picture = try self.verona.upload(self.verona.romeo, "picture")
        let new = NewObject(
            .temporary(seconds: 60), creator: self.verona.romeo, members: [UserName("juliet")!],
            attributes: Array(#"{"cover":"\#(picture.key)"}"#.utf8))
        _ = try self.verona.write { store throws(StoreError) in try store.apps.createObject(new) }
        #expect(try self.verona.file(picture.key)?.references == 1)
        self.verona.fixture.clock.advance(milliseconds: 3_600_000)
        self.verona.fixture.store.runMaintenance()
        #expect(try self.verona.file(picture.key)?.references ?? 0 == 0)
        #expect(try self.verona.fixture.verified().findings == [])
    }
}
