import ChatModel
import Testing

@testable import Store

@Suite("Reactions")
struct ReactionTests {
    @discardableResult
    private func react(
        _ verona: Verona, _ place: MessagePlace, _ name: String, _ user: UserID
    ) throws(StoreError) -> Reaction {
        try verona.write { store throws(StoreError) in try store.messages.toggleReaction(place, name: name, by: user) }
    }

    private func reactions(_ verona: Verona, after revision: Int64, limit: Int = 100) throws -> [Reaction] {
        let (id, juliet) = (verona.id, verona.juliet)
        return try verona.read { store throws(StoreError) in
            try store.messages.reactions(in: id, after: revision, limit: limit, as: .member(juliet))
        }
    }

    @Test("the same person and name again cancels, and a third time adds it again")
    func toggle() throws {
        let verona = try Verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        try verona.write { store throws(StoreError) in try store.people.setDisplayName(juliet, "Juliet") }
        let place = try verona.say("x", romeo)
        let start = try verona.revision()
        let added = try self.react(verona, place, "👍", juliet)
        #expect(
            added
                == Reaction(
                    place: place, messageID: try verona.message(place).id, user: UserName("juliet")!,
                    displayName: "Juliet", name: "👍", isRemoved: false, revision: start + 1,
                    changedAtMilliseconds: verona.fixture.clock.clock.wallMilliseconds()))
        #expect(try self.reactions(verona, after: start) == [added])
        #expect(try self.react(verona, place, "👍", juliet).isRemoved)
        #expect(try self.reactions(verona, after: start).map(\.isRemoved) == [true])
        #expect(try !self.react(verona, place, "👍", juliet).isRemoved)
        #expect(try self.reactions(verona, after: start).map(\.revision) == [start + 3])
        #expect(try verona.isSound() == [])
    }

    @Test("are counted by name, with one's own marked; cancelled ones count no more")
    func counts() throws {
        let verona = try Verona()
        let (romeo, juliet, mercutio, id) = (verona.romeo, verona.juliet, verona.mercutio, verona.id)
        let place = try verona.say("x", romeo)
        let other = try verona.say("y", romeo)
        for user in [romeo, juliet, mercutio] { try self.react(verona, place, "👍", user) }
        for user in [romeo, mercutio] { try self.react(verona, place, "hm", user) }
        try self.react(verona, other, "👍", mercutio)
        try self.react(verona, place, "👍", mercutio)
        let (counts, page) = try verona.read { store throws(StoreError) in
            (
                try store.messages.reactionCounts(of: [1, 2, 3], in: id, for: juliet),
                try store.messages.reactions(of: [1], in: id, as: .member(juliet))
            )
        }
        #expect(
            counts == [
                ReactionCount(sequence: 1, name: "👍", count: 2, isOwn: true),
                ReactionCount(sequence: 1, name: "hm", count: 2, isOwn: false),
                ReactionCount(sequence: 2, name: "👍", count: 1, isOwn: false),
            ])
        #expect(page.map { "\($0.user) \($0.name)" } == ["romeo 👍", "juliet 👍", "romeo hm", "mercutio hm"])
    }

    @Test("are told by revision, page by page")
    func pages() throws {
        let verona = try Verona()
        let place = try verona.say("x", verona.romeo)
        let start = try verona.revision()
        for name in ["a", "b", "c", "a"] { try self.react(verona, place, name, verona.juliet) }
        let first = try self.reactions(verona, after: start, limit: 2)
        #expect(first.map(\.name) == ["b", "c"])
        let second = try self.reactions(verona, after: start + 3, limit: 2)
        #expect(second.map(\.name) == ["a"] && second.map(\.isRemoved) == [true])
    }

    @Test("one person gives a message 20 different names; names are compared as bytes")
    func bound() throws {
        let verona = try Verona()
        let place = try verona.say("x", verona.romeo)
        for number in 1...18 { try self.react(verona, place, "\(number)", verona.juliet) }
        try self.react(verona, place, "\u{E9}", verona.juliet)
        #expect(try !self.react(verona, place, "e\u{301}", verona.juliet).isRemoved)
        #expect(throws: StoreError.refused(.tooMany(limit: 20))) {
            try self.react(verona, place, "one_more", verona.juliet)
        }
        // Known ones still turn on and off, and other people have names of their own.
        #expect(try self.react(verona, place, "7", verona.juliet).isRemoved)
        #expect(throws: StoreError.refused(.tooMany(limit: 20))) {
            try self.react(verona, place, "one_more", verona.juliet)
        }
        try self.react(verona, place, "one_more", verona.romeo)
    }

    @Test("forged, misplaced and misnamed ones are refused, and leave nothing")
    func refusals() throws {
        let verona = try Verona()
        let romeo = verona.romeo
        let place = try verona.say("x", romeo)
        let gone = try verona.say("y", romeo)
        try verona.write { store throws(StoreError) in try store.messages.recall(gone, by: Actor(romeo)) }
        let start = try verona.revision()
        #expect(throws: StoreError.refused(.notMember)) { try self.react(verona, place, "👍", verona.tybalt) }
        #expect(throws: StoreError.refused(.notMember)) { try self.react(verona, place, "👍", .system) }
        #expect(throws: StoreError.refused(.noSuchUser)) {
            try self.react(verona, place, "👍", UserID(rawValue: 99))
        }
        #expect(throws: StoreError.refused(.alreadyGone)) { try self.react(verona, gone, "👍", verona.juliet) }
        #expect(throws: StoreError.self) { try self.react(verona, place, "", verona.juliet) }
        #expect(try verona.revision() == start)
        #expect(try self.reactions(verona, after: 0) == [])
    }
}
