import ByteCodec
import ChatModel
import Execution
import Testing

@testable import Store

/// People, and the conversations that LeanCloud's apps make for them.
struct Cafe {
    var fixture: Fixture
    let tom: UserID
    let jerry: UserID

    init(change: (inout StoreOptions) -> Void = { _ in }) throws {
        let fixture = try Fixture(change: change)
        self.fixture = fixture
        self.tom = try fixture.user("Tom")
        self.jerry = try fixture.user("Jerry")
    }

    func names(_ names: [String]) -> [UserName] { names.compactMap { UserName($0) } }

    @discardableResult
    func make(
        _ form: NewObject.Form = .normal, _ members: [String] = ["Jerry"], title: String? = nil,
        attributes: String? = nil, fields: String? = nil, makesPeople: Bool = true
    ) throws -> (id: ConversationID, isNew: Bool) {
        let new = NewObject(
            form, creator: self.tom, members: self.names(members), title: title,
            attributes: attributes.map { Array($0.utf8) }, fields: fields.map { Array($0.utf8) },
            makesPeople: makesPeople)
        return try self.write { store throws(StoreError) in try store.apps.createObject(new) }
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try self.fixture.store.writeAndWait(body)
    }

    func row(_ id: ConversationID, for user: UserID? = nil) throws -> ObjectRow {
        let asker = user ?? self.tom
        let rows = try self.fixture.store.readAndWait { store throws(StoreError) in
            try store.apps.objectRows([id], seenBy: asker)
        }
        return try #require(rows.first)
    }

    func user(_ name: String) throws -> UserID {
        let user = try #require(UserName(name))
        let found = try self.fixture.store.readAndWait { store throws(StoreError) in try store.people.user(named: user)
        }
        return try #require(found).id
    }

    func add(_ names: [String], _ id: ConversationID, by user: UserID) throws(StoreError) -> PeopleOutcome {
        try self.write { store throws(StoreError) in try store.apps.addToObject(names, id, by: Actor(user)) }
    }

    func remove(_ names: [String], _ id: ConversationID, by user: UserID) throws(StoreError) -> PeopleOutcome {
        try self.write { store throws(StoreError) in try store.apps.removeFromObject(names, id, by: Actor(user)) }
    }

    func refusal<Value>(_ body: () throws -> Value) -> ActionRefusal? {
        do {
            _ = try body()
            return nil
        } catch {
            guard case .refused(let refusal)? = error as? StoreError else { return nil }
            return refusal
        }
    }

    func events<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws -> [ChangeEvent.Change] {
        try self.write { store throws(StoreError) in
            _ = try body(store)
            return store.events.map(\.change)
        }
    }

    func isSound() throws -> [VerifyFinding] { try self.fixture.verified().findings }
}

struct ObjectTests {
    // MARK: Making

    @Test("the creator is in it, in front and as its owner, though nobody named them; unknown people are made")
    func creatorIsMember() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.normal, ["Jerry", "Spike", "Jerry"], title: "Cats")
        let row = try cafe.row(made.id)
        #expect(row.members.map(\.text) == ["Tom", "Jerry", "Spike"])
        #expect(row.creator.text == "Tom")
        #expect(row.conversation.title == "Cats")
        #expect(row.conversation.channel?.text == row.conversation.objectID.text)
        #expect(try cafe.fixture.member(cafe.tom, in: made.id).role == .owner)
        #expect(row.uniqueID == nil)
        #expect(try cafe.isSound() == [])
    }

    @Test("where people are not made, one that nobody knows is refused")
    func unknownPeople() throws {
        let cafe = try Cafe()
        #expect(throws: StoreError.self) { try cafe.make(.normal, ["Spike"], makesPeople: false) }
    }

    @Test("without unique each is another one")
    func notUnique() throws {
        let cafe = try Cafe()
        let first = try cafe.make()
        let second = try cafe.make()
        #expect(first.id != second.id)
        #expect(first.isNew && second.isNew)
    }

    @Test("a unique one is found by the same people in any order, and its id is the digest of their names")
    func unique() throws {
        let cafe = try Cafe()
        let first = try cafe.make(.unique, ["Jerry", "Spike"])
        let second = try cafe.make(.unique, ["Tom", "Spike", "Jerry"], title: "another name")
        #expect(first.isNew && !second.isNew)
        #expect(first.id == second.id)
        #expect(try cafe.row(first.id).conversation.title == nil)
        let names = [UserName("SteveJobs")!, UserName("BillGates")!]
        #expect(try MemberSet.shownID(of: names) == "6c7b0e5afcae9aa1139a0afa25833dec")
    }

    @Test("ab with c are not a with bc, although their digests are the same")
    func ambiguousNames() throws {
        let cafe = try Cafe()
        let first = try cafe.make(.unique, ["ab", "c"])
        let second = try cafe.make(.unique, ["a", "bc"])
        #expect(second.isNew)
        #expect(first.id != second.id)
        #expect(try cafe.row(first.id).uniqueID == cafe.row(second.id).uniqueID)
    }

    @Test("the first change of members makes room for another unique one")
    func uniqueEnds() throws {
        let cafe = try Cafe()
        let first = try cafe.make(.unique, ["Jerry", "Spike"])
        _ = try cafe.add(["Tyke"], first.id, by: cafe.tom)
        #expect(try cafe.row(first.id).uniqueID == nil)
        _ = try cafe.remove(["Tyke"], first.id, by: cafe.tom)
        let second = try cafe.make(.unique, ["Jerry", "Spike"])
        #expect(second.isNew)
        #expect(try cafe.isSound() == [])
    }

    @Test("a unique one of two is their direct conversation, whoever began it")
    func uniqueOfTwo() throws {
        let cafe = try Cafe()
        let said = cafe.fixture.send("hello", from: cafe.jerry, to: direct("Tom")).accepted
        let made = try cafe.make(.unique, ["Jerry"])
        #expect(!made.isNew)
        #expect(made.id == said?.message.conversation)
        let row = try cafe.row(made.id)
        #expect(row.conversation.kind == .direct)
        #expect(row.uniqueID != nil)
        #expect(row.creator.text == "Jerry")
    }

    @Test("a new direct one keeps its name and attributes, and both are told")
    func newDirect() throws {
        let cafe = try Cafe()
        let new = NewObject(.unique, creator: cafe.tom, members: [UserName("Jerry")!], title: "Us")
        let told = try cafe.events { store throws(StoreError) in try store.apps.createObject(new) }
        #expect(told == [.created([UserName("Tom")!, UserName("Jerry")!])])
        let id = try cafe.make(.unique, ["Jerry"]).id
        #expect(try cafe.row(id).conversation.title == "Us")
    }

    @Test("a conversation has at most 500 people, a temporary one 10", arguments: [500, 501])
    func limits(count: Int) throws {
        let cafe = try Cafe()
        let others = (1..<count).map { "cat\($0)" }
        let isFull = count > 500
        #expect(cafe.refusal { try cafe.make(.normal, others) } == (isFull ? .tooMany(limit: 500) : nil))
        #expect(
            cafe.refusal { try cafe.make(.temporary(seconds: 60), Array(others.prefix(isFull ? 10 : 9))) }
                == (isFull ? .tooMany(limit: 10) : nil))
    }

    @Test("the 501st is not added")
    func fullGroup() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.normal, (1..<500).map { "cat\($0)" })
        #expect(cafe.refusal { try cafe.add(["one more"], made.id, by: cafe.tom) } == .tooMany(limit: 500))
        #expect(try cafe.row(made.id).members.count == 500)
    }

    // MARK: Coming and going

    @Test("every member adds and removes others, and who knows the id joins")
    func unguarded() throws {
        let cafe = try Cafe()
        let made = try cafe.make()
        let joined = try cafe.write { store throws(StoreError) in
            let spike = try store.people.ensureUser(UserName("Spike")!).id
            return try store.apps.addToObject(["Spike"], made.id, by: Actor(spike))
        }
        #expect(joined.done.map(\.text) == ["Spike"])
        let spike = try cafe.user("Spike")
        #expect(try cafe.add(["Tyke", "Tom"], made.id, by: spike).done.map(\.text) == ["Tyke", "Tom"])
        #expect(try cafe.remove(["Tyke"], made.id, by: cafe.jerry).failed == [])
        #expect(try cafe.row(made.id).members.map(\.text) == ["Tom", "Jerry", "Spike"])
    }

    @Test("who is no member adds and removes nobody")
    func strangers() throws {
        let cafe = try Cafe()
        let made = try cafe.make()
        let spike = try cafe.fixture.user("Spike")
        #expect(cafe.refusal { try cafe.add(["Tyke"], made.id, by: spike) } == .notMember)
        #expect(cafe.refusal { try cafe.remove(["Tom"], made.id, by: spike) } == .notMember)
    }

    @Test("when the owner goes the first one after them owns it, and where owners stay they do not go")
    func owners() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.normal, ["Jerry", "Spike"])
        let stays = try cafe.write { [tom = cafe.tom] store throws(StoreError) in
            try store.apps.removeFromObject(["Tom"], made.id, by: Actor(tom), ownerStays: true)
        }
        #expect(stays.failed == [.init("Tom", .ownerStays)])
        #expect(stays.done == [])
        _ = try cafe.remove(["Tom"], made.id, by: cafe.tom)
        #expect(try cafe.fixture.member(cafe.jerry, in: made.id).role == .owner)
        #expect(try cafe.isSound() == [])
    }

    @Test("of two people who have each other each may go, also where owners stay; the other one is not sent away")
    func ownerOfTwo() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.unique, ["Jerry"])
        let outcomes = try cafe.write { [tom = cafe.tom, jerry = cafe.jerry] store throws(StoreError) in
            [
                try store.apps.removeFromObject(["Tom"], made.id, by: Actor(jerry), ownerStays: true),
                try store.apps.removeFromObject(["Tom"], made.id, by: Actor(tom), ownerStays: true),
            ]
        }
        #expect(outcomes.map(\.failed) == [[.init("Tom", .ownerStays)], []])
        #expect(try cafe.row(made.id).members.map(\.text) == ["Jerry"])
        #expect(try cafe.isSound() == [])
    }

    @Test("a direct conversation that a third comes into is a group with its history, and two may begin another")
    func directBecomesGroup() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.unique, ["Jerry"])
        cafe.fixture.send("hello", from: cafe.tom, to: .id(made.id))
        _ = try cafe.add(["Spike"], made.id, by: cafe.jerry)
        let row = try cafe.row(made.id)
        #expect(row.conversation.kind == .group)
        #expect(row.conversation.channel?.text == row.conversation.objectID.text)
        #expect(row.members.map(\.text).sorted() == ["Jerry", "Spike", "Tom"])
        #expect(try cafe.fixture.bodies(made.id) == ["hello"])
        #expect(try cafe.fixture.member(cafe.tom, in: made.id).role == .owner)
        let other = try #require(cafe.fixture.send("psst", from: cafe.tom, to: direct("Jerry")).accepted)
        #expect(other.message.conversation != made.id)
        // Also as it is read anew.
        let fixture = try cafe.fixture.reopened()
        let group = ConversationAddress.channel(.group, ChannelName(row.conversation.objectID.text)!)
        #expect(fixture.send("all", from: cafe.jerry, to: group).accepted?.message.conversation == made.id)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a direct conversation that one quits is a group of the other")
    func directIsQuit() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.unique, ["Jerry"])
        let told = try cafe.events { [tom = cafe.tom] store throws(StoreError) in
            try store.apps.removeFromObject(["Tom"], made.id, by: Actor(tom))
        }
        #expect(told.contains(.left([UserName("Tom")!], as: .left)))
        #expect(try cafe.row(made.id).members.map(\.text) == ["Jerry"])
        #expect(try cafe.fixture.member(cafe.jerry, in: made.id).role == .owner)
        #expect(try cafe.isSound() == [])
    }

    @Test("where somebody cannot be added, nobody is when the request is one")
    func wholly() throws {
        let cafe = try Cafe()
        let made = try cafe.make()
        let outcome = try cafe.write { [tom = cafe.tom] store throws(StoreError) in
            try store.apps.addToObject(["Spike", ""], made.id, by: Actor(tom), wholly: true)
        }
        #expect(outcome.done == [])
        #expect(outcome.failed == [.init("", .unknown)])
        #expect(try cafe.row(made.id).members.count == 2)
        #expect(try cafe.add(["Spike", ""], made.id, by: cafe.tom).done.map(\.text) == ["Spike"])
    }

    // MARK: The card

    private func set(_ key: String, _ value: JSONValue)
        -> @Sendable (JSONValue) -> (row: JSONValue, modified: JSONValue)
    {
        { row in
            let kept = (row.object ?? []).filter { $0.name != key }
            return (
                .object(kept + [JSONValue.Member(key, value)]), .object([JSONValue.Member(key, value)])
            )
        }
    }

    @Test("any member changes name, attributes and fields, of a direct one too, and the change is told")
    func updates() throws {
        let cafe = try Cafe()
        for form in [NewObject.Form.normal, .unique] {
            let id = try cafe.make(form, attributes: #"{"type":1}"#, fields: #"{"color":"red"}"#).id
            let change = self.set("name", .string("Mice"))
            let told = try cafe.events { [jerry = cafe.jerry] store throws(StoreError) in
                try store.apps.updateObject(id, by: Actor(jerry), asked: Array(#"{"name":"Mice"}"#.utf8)) {
                    row throws(StoreError) in change(row)
                }
            }
            let text = Array(#"{"name":"Mice"}"#.utf8)
            #expect(told == [.card(modified: text, asked: text)])
            let row = try cafe.row(id)
            #expect(row.conversation.title == "Mice")
            #expect(row.attributes.map { String(decoding: $0, as: UTF8.self) } == #"{"type":1}"#)
            #expect(row.fields.map { String(decoding: $0, as: UTF8.self) } == #"{"color":"red"}"#)
        }
        #expect(try cafe.isSound() == [])
    }

    @Test("a stranger changes nothing, and nobody a temporary one")
    func updateRefused() throws {
        let cafe = try Cafe()
        let id = try cafe.make().id
        let temporary = try cafe.make(.temporary(seconds: 60)).id
        let spike = try cafe.fixture.user("Spike")
        let change = self.set("color", .string("red"))
        func update(_ id: ConversationID, _ user: UserID) throws {
            try cafe.write { store throws(StoreError) in
                _ = try store.apps.updateObject(id, by: Actor(user)) { row throws(StoreError) in change(row) }
            }
        }
        #expect(cafe.refusal { try update(id, spike) } == .notMember)
        #expect(cafe.refusal { try update(temporary, cafe.tom) } == .notApplicable)
    }

    // MARK: Rights

    @Test("the owner and managers silence and keep out those below them, also after a restart")
    func silenceAndBlock() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.normal, ["Jerry", "Spike", "Tyke"])
        let (tom, jerry) = (cafe.tom, cafe.jerry)
        #expect(
            cafe.refusal {
                try cafe.write { store throws(StoreError) in
                    try store.apps.silenceInObject(["Spike"], true, made.id, by: Actor(jerry))
                }
            } == .notManager)
        try cafe.write { store throws(StoreError) in
            _ = try store.apps.setObjectRole("Jerry", .manager, made.id, by: Actor(tom))
        }
        let silenced = try cafe.write { store throws(StoreError) in
            try store.apps.silenceInObject(["Spike", "Tom", "Butch"], true, made.id, by: Actor(jerry))
        }
        #expect(silenced.done.map(\.text) == ["Spike"])
        #expect(silenced.failed == [.init("Tom", .outranked), .init("Butch", .unknown)])
        let blocked = try cafe.events { store throws(StoreError) in
            try store.apps.blockInObject(["Tyke"], true, made.id, by: Actor(jerry))
        }
        #expect(blocked == [.blocked([UserName("Tyke")!]), .left([UserName("Tyke")!])])
        let tyke = try cafe.user("Tyke")
        #expect(try cafe.add(["Tyke"], made.id, by: tyke).failed == [.init("Tyke", .blocked)])
        let fixture = try cafe.fixture.reopened()
        let spike = try cafe.user("Spike", in: fixture)
        #expect(fixture.send("me", from: spike, to: .id(made.id)).refusal == .muted)
        #expect(try fixture.member(jerry, in: made.id).role == .manager)
        #expect(try fixture.verified().findings == [])
    }

    // MARK: Temporary ones

    @Test("a temporary one lives as long as it should, a day when nothing is said, thirty at most")
    func temporaryLife() throws {
        let cafe = try Cafe()
        let now = cafe.fixture.clock.clock.wallMilliseconds()
        let lives: [(Int64, Int64)] = [(60, 60), (0, 86_400), (1 << 40, 30 * 86_400)]
        for (asked, seconds) in lives {
            let id = try cafe.make(.temporary(seconds: asked), ["with\(asked)"]).id
            #expect(try cafe.row(id).expiresAtMilliseconds == now + seconds * 1_000)
        }
    }

    @Test("the same people get their temporary one while it lives and nobody comes or goes, beside a unique one")
    func temporaryAgain() throws {
        let cafe = try Cafe()
        let form = NewObject.Form.temporary(seconds: 60)
        let unique = try cafe.make(.unique, ["Jerry", "Spike"])
        let first = try cafe.make(form, ["Jerry", "Spike"])
        #expect(first.isNew && first.id != unique.id)
        let again = try cafe.make(.temporary(seconds: 3_600), ["Spike", "Jerry", "Tom"])
        #expect(again.id == first.id && !again.isNew)
        #expect(try cafe.row(first.id).uniqueID == nil)
        #expect(try cafe.make(.unique, ["Jerry", "Spike"]).id == unique.id)
        #expect(try cafe.make(form, ["Jerry"]).isNew)
        #expect(try cafe.make(.temporary(seconds: 60, beside: true), ["Jerry", "Spike"]).isNew)
        _ = try cafe.remove(["Spike"], first.id, by: cafe.tom)
        let second = try cafe.make(form, ["Jerry", "Spike"])
        #expect(second.isNew)
        cafe.fixture.clock.advance(milliseconds: 60_000)
        let third = try cafe.make(form, ["Jerry", "Spike"])
        #expect(third.isNew && third.id != second.id)
        #expect(try cafe.isSound() == [])
    }

    @Test("at its end a temporary one takes no message, is not found, and is deleted with everything in it")
    func temporaryEnds() throws {
        let cafe = try Cafe()
        let made = try cafe.make(.temporary(seconds: 60), ["Jerry"])
        let other = try cafe.make(.temporary(seconds: 86_400), ["Jerry", "Spike"])
        #expect(cafe.fixture.send("hello", from: cafe.tom, to: .id(made.id), token: "1").accepted != nil)
        cafe.fixture.clock.advance(milliseconds: 60_000)
        #expect(cafe.fixture.send("hello?", from: cafe.tom, to: .id(made.id)).refusal == .noSuchConversation)
        cafe.fixture.clock.advance(milliseconds: 3_600_000)
        cafe.fixture.store.runMaintenance()
        let left = try cafe.fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.all(limit: 10).map(\.id)
        }
        #expect(left == [other.id])
        #expect(try cafe.isSound() == [])
    }
}

extension Cafe {
    func user(_ name: String, in fixture: Fixture) throws -> UserID {
        let user = try #require(UserName(name))
        let found = try fixture.store.readAndWait { store throws(StoreError) in try store.people.user(named: user) }
        return try #require(found).id
    }
}
