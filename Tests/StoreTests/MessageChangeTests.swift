import ChatModel
import Testing

@testable import Store

@Suite("Edits, attributes and pins")
struct MessageChangeTests {
    // MARK: Edits

    @Test("every edit is kept, the message keeps what was sent, and readers get the newest")
    func edits() throws {
        let verona = try Verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let place = try verona.say("one", romeo)
        let start = verona.fixture.clock.clock.wallMilliseconds()
        try verona.write { store throws(StoreError) in
            try store.messages.edit(place, newBody: Array("two".utf8), isJSONObject: false, by: Actor(romeo))
        }
        verona.advance(seconds: 60)
        try verona.write { store throws(StoreError) in
            try store.messages.edit(place, newBody: Array("{}".utf8), isJSONObject: true, by: Actor(romeo))
        }
        #expect(try verona.message(place).content.body == Array("one".utf8))
        let extra = try #require(try verona.extra(place, for: juliet))
        #expect(extra.editedBody == Array("{}".utf8) && extra.editedBodyIsJSONObject && extra.editCount == 2)
        #expect(extra.editedAtMilliseconds == start + 60_000)
        let edits = try verona.read { store throws(StoreError) in
            try store.messages.edits(of: place, as: .member(juliet))
        }
        #expect(edits.map(\.number) == [1, 2] && edits.map(\.editor.text) == ["romeo", "romeo"])
        #expect(edits.map { String(decoding: $0.body, as: UTF8.self) } == ["two", "{}"])
        #expect(edits.map(\.editedAtMilliseconds) == [start, start + 60_000])
        #expect(try verona.isSound() == [])
    }

    @Test("a message takes 50 edits and no body above the bound")
    func editBounds() throws {
        let verona = try Verona()
        let romeo = verona.romeo
        let place = try verona.say("one", romeo)
        try verona.write { store throws(StoreError) in
            for number in 1...MessageLimits.edits {
                try store.messages.edit(place, newBody: Array("\(number)".utf8), isJSONObject: false, by: Actor(romeo))
            }
        }
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.edit(place, newBody: [1], isJSONObject: false, by: Actor(romeo))
            } == .tooMany(limit: 50))
        let other = try verona.say("other", romeo)
        #expect(throws: StoreError.self) {
            try verona.write { store throws(StoreError) in
                let body = [UInt8](repeating: 1, count: Appender.maximumBodyBytes + 1)
                return try store.messages.edit(other, newBody: body, isJSONObject: false, by: Actor(romeo))
            }
        }
        #expect(try verona.extra(other) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("who may not send any more may not edit, react or set attributes")
    func silenced() throws {
        let verona = try Verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let accepted = try #require(verona.fixture.send("x", from: romeo, to: direct("juliet")).accepted)
        let place = MessagePlace(accepted.message.conversation, 1)
        try verona.write { store throws(StoreError) in
            try store.messages.toggleReaction(place, name: "hm", by: romeo)
            try store.people.setListed(owner: juliet, .blocked, romeo, true)
        }
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.edit(place, newBody: [1], isJSONObject: false, by: Actor(romeo))
            } == .mayNotSend)
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.toggleReaction(place, name: "again", by: romeo)
            }
                == .mayNotSend)
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.setAttributes(of: place, mergePatch: Array("{}".utf8), by: Actor(romeo))
            } == .mayNotSend)
        let taken = try verona.write { store throws(StoreError) in
            try store.messages.toggleReaction(place, name: "hm", by: romeo)
        }
        #expect(taken.isRemoved)
        try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(romeo)) }
    }

    // MARK: Attributes

    private func patch(
        _ verona: Verona, _ place: MessagePlace, _ patch: String, ifRevision: Int64? = nil, by user: UserID
    ) throws(StoreError) -> MessageChange {
        try verona.write { store throws(StoreError) in
            try store.messages.setAttributes(
                of: place, mergePatch: Array(patch.utf8), ifRevision: ifRevision, by: Actor(user))
        }
    }

    private func attributes(_ verona: Verona, _ place: MessagePlace) throws -> String? {
        try verona.extra(place)?.attributes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("are merged, removed by null, and gone when nothing is left")
    func attributes() throws {
        let verona = try Verona()
        let place = try verona.say("x", verona.romeo)
        _ = try self.patch(verona, place, #"{"a":1,"b":{"c":2}}"#, by: verona.romeo)
        #expect(try self.attributes(verona, place) == #"{"a":1,"b":{"c":2}}"#)
        _ = try self.patch(verona, place, #"{"b":{"d":"茶"},"a":null}"#, by: verona.juliet)
        #expect(try self.attributes(verona, place) == #"{"b":{"c":2,"d":"茶"}}"#)
        _ = try self.patch(verona, place, #"{"b":null}"#, by: verona.juliet)
        #expect(try self.attributes(verona, place) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("a change that was made without knowing the newest one is refused; readers in between do not matter")
    func optimistic() throws {
        let verona = try Verona()
        let (juliet, id) = (verona.juliet, verona.id)
        let place = try verona.say("x", verona.romeo)
        let first = try self.patch(verona, place, #"{"a":1}"#, ifRevision: 0, by: verona.romeo)
        try verona.write { store throws(StoreError) in try store.messages.markRead([place.sequence], in: id, by: juliet)
        }
        let second = try self.patch(verona, place, #"{"a":2}"#, ifRevision: first.revision, by: juliet)
        #expect(throws: StoreError.refused(.changedMeanwhile)) {
            try self.patch(verona, place, #"{"a":3}"#, ifRevision: first.revision, by: verona.romeo)
        }
        #expect(throws: StoreError.refused(.changedMeanwhile)) {
            try self.patch(verona, place, #"{"a":3}"#, ifRevision: 0, by: verona.romeo)
        }
        #expect(try self.attributes(verona, place) == #"{"a":2}"#)
        let seen = try #require(try verona.extra(place, for: verona.romeo)).revision
        #expect(seen == second.revision)
        _ = try self.patch(verona, place, #"{"a":3}"#, ifRevision: seen, by: verona.romeo)
    }

    @Test(
        "take objects of up to 8 KiB only",
        arguments: [
            "", "[]", "1", "{", #"{"a":1,"a":2}"#, #"{"a":"\#(String(repeating: "x", count: 8_185))"}"#,
        ])
    func badPatch(_ patch: String) throws {
        let verona = try Verona()
        let place = try verona.say("x", verona.romeo)
        #expect(throws: StoreError.self) { try self.patch(verona, place, patch, by: verona.romeo) }
        #expect(try verona.extra(place) == nil)
    }

    @Test("together stay under 8 KiB")
    func attributeBytes() throws {
        let verona = try Verona()
        let place = try verona.say("x", verona.romeo)
        let half = String(repeating: "x", count: 4_089)
        _ = try self.patch(verona, place, #"{"a":"\#(half)"}"#, by: verona.romeo)
        #expect(throws: StoreError.self) { try self.patch(verona, place, #"{"b":"\#(half)"}"#, by: verona.romeo) }
        _ = try self.patch(verona, place, #"{"b":"\#(half)","a":null}"#, by: verona.romeo)
        #expect(try self.attributes(verona, place)?.utf8.count == 4_097)
    }

    // MARK: Pins

    private func pin(
        _ verona: Verona, _ place: MessagePlace, _ isPinned: Bool = true, by user: UserID
    ) throws(StoreError) -> MessageChange {
        try verona.write { store throws(StoreError) in try store.messages.setPinned(place, isPinned, by: Actor(user)) }
    }

    private func pins(_ verona: Verona, after revision: Int64 = 0, limit: Int = 100) throws -> [PinnedMessage] {
        let (id, juliet) = (verona.id, verona.juliet)
        return try verona.read { store throws(StoreError) in
            try store.messages.pinned(in: id, after: revision, limit: limit, as: .member(juliet))
        }
    }

    @Test("pins and unpins are told by revision; a second pin changes nothing")
    func pins() throws {
        let verona = try Verona()
        let places = try (0..<3).map { try verona.say("\($0)", verona.romeo) }
        let changes = try places.map { try self.pin(verona, $0, by: verona.mercutio) }
        let again = try self.pin(verona, places[0], by: verona.escalus)
        #expect(again.revision == 0 && again.members == [])
        let undone = try self.pin(verona, places[1], false, by: verona.escalus)
        let pins = try self.pins(verona)
        #expect(pins.map(\.place) == [places[0], places[2], places[1]])
        #expect(pins.map(\.isPinned) == [true, true, false])
        #expect(pins.map(\.changedBy.text) == ["mercutio", "mercutio", "escalus"])
        #expect(pins.map(\.revision) == [changes[0].revision, changes[2].revision, undone.revision])
        #expect(try self.pins(verona, after: changes[0].revision, limit: 1).map(\.place) == [places[2]])
        #expect(try verona.extra(places[0])?.isPinned == true)
        #expect(try verona.extra(places[1])?.isPinned == false)
        #expect(throws: StoreError.refused(.notManager)) { try self.pin(verona, places[0], by: verona.romeo) }
        #expect(try verona.isSound() == [])
    }

    @Test("a conversation has 100 pinned messages; unpinning makes room")
    func pinBound() throws {
        let verona = try Verona()
        let places = try (0...100).map { try verona.say("\($0)", verona.romeo) }
        for place in places.dropLast() { _ = try self.pin(verona, place, by: verona.escalus) }
        #expect(throws: StoreError.refused(.tooMany(limit: 100))) {
            try self.pin(verona, places[100], by: verona.escalus)
        }
        _ = try self.pin(verona, places[7], false, by: verona.escalus)
        _ = try self.pin(verona, places[100], by: verona.escalus)
        #expect(try self.pins(verona, limit: 200).count { $0.isPinned } == 100)
    }
}
