import ChatModel
import Testing

@testable import Store

@Suite("Taking messages back")
struct WithdrawalTests {
    private static let json: MessageFlags = [.countsAsUnread, .bodyIsJSONObject]

    @Test("a recalled body is gone from every reading, and clients learn who took it back", arguments: [false, true])
    func recall(isDeletion: Bool) throws {
        let verona = try Verona()
        let romeo = verona.romeo
        let place = try verona.say(#"{"text":"secret"}"#, romeo, flags: Self.json)
        let before = try verona.revision()
        try verona.write { store throws(StoreError) in
            try store.messages.edit(place, newBody: Array("also secret".utf8), isJSONObject: false, by: Actor(romeo))
            try store.messages.setAttributes(of: place, mergePatch: Array(#"{"n":"secret"}"#.utf8), by: Actor(romeo))
        }
        let change = try verona.write { store throws(StoreError) in
            isDeletion
                ? try store.messages.deleteForAll(place, by: Actor(romeo))
                : try store.messages.recall(place, by: Actor(romeo))
        }
        #expect(change.place == place && change.revision == before + 3)
        #expect(change.members == verona.everyone)
        let message = try verona.message(place)
        #expect(message.content.body == [])
        #expect(message.content.flags == [.countsAsUnread, .withdrawn])
        #expect(change.id == message.id)
        var expected = MessageExtra(place: place, id: message.id, revision: before + 3)
        expected.isRecalled = !isDeletion
        expected.isDeletedForAll = isDeletion
        expected.recalledBy = UserName("romeo")
        expected.unreadCount = 3
        let known = try verona.extra(place, for: verona.juliet)
        expected.patchedAtMilliseconds = known?.patchedAtMilliseconds ?? 0
        #expect(known == expected)
        #expect(expected.patchedAtMilliseconds > message.sentAtMilliseconds - 1)
        let juliet = verona.juliet
        let edits = try verona.read { store throws(StoreError) in
            try store.messages.edits(of: place, as: .member(juliet))
        }
        #expect(edits == [])
        #expect(try verona.isSound() == [])
    }

    @Test("the operator still sees what a recalled message said, and every edit of it")
    func audit() throws {
        let verona = try Verona()
        let romeo = verona.romeo
        let place = try verona.say(#"{"text":"one"}"#, romeo, flags: Self.json)
        try verona.write { store throws(StoreError) in
            try store.messages.edit(place, newBody: Array("two".utf8), isJSONObject: false, by: Actor(romeo))
            try store.messages.recall(place, by: Actor(romeo))
        }
        let edits = try verona.read { store throws(StoreError) in try store.messages.edits(of: place, as: .unrestricted)
        }
        #expect(edits.map(\.number) == [0, 1])
        #expect(edits.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"text":"one"}"#, "two"])
        #expect(edits.map(\.bodyIsJSONObject) == [true, false])
    }

    @Test("a resend of a recalled message gets the first answer, without a body; another body is refused")
    func resend() throws {
        let verona = try Verona()
        let romeo = verona.romeo
        let place = try verona.say("one", romeo, token: "t1")
        let first = try verona.message(place)
        try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(romeo)) }
        let fixture = verona.fixture
        let again = try #require(fixture.send("one", from: romeo, to: .id(verona.id), token: "t1").accepted)
        #expect(again.isDuplicate && again.message.id == first.id && again.message.sequence == place.sequence)
        #expect(again.message.content.body == [])
        #expect(fixture.send("", from: romeo, to: .id(verona.id), token: "t1").refusal == .tokenConflict)
        #expect(try verona.isSound() == [])
    }

    @Test("ends pins and reminders of the message")
    func ends() throws {
        let verona = try Verona()
        let (romeo, juliet, escalus) = (verona.romeo, verona.juliet, verona.escalus)
        let place = try verona.say("x", romeo, mentions: Mentions(users: [UserName("juliet")!]))
        try verona.write { store throws(StoreError) in
            try store.messages.setPinned(place, true, by: Actor(escalus))
            try store.messages.recall(place, by: Actor(romeo))
        }
        let id = verona.id
        let (pins, reminders) = try verona.read { store throws(StoreError) in
            (
                try store.messages.pinned(in: id, limit: 10, as: .unrestricted),
                try store.messages.reminders(of: juliet, after: 0, limit: 10)
            )
        }
        #expect(pins.map(\.isPinned) == [false] && pins.map(\.changedBy.text) == ["romeo"])
        #expect(reminders.map(\.isDone) == [true])
        #expect(try verona.extra(place)?.isPinned == false)
        #expect(try verona.isSound() == [])
    }

    @Test("what was recalled may be deleted afterwards, and keeps who recalled it")
    func recalledThenDeleted() throws {
        let verona = try Verona()
        let (romeo, mercutio) = (verona.romeo, verona.mercutio)
        let place = try verona.say("x", romeo)
        try verona.write { store throws(StoreError) in
            try store.messages.recall(place, by: Actor(romeo))
            try store.messages.deleteForAll(place, by: Actor(mercutio))
        }
        let extra = try #require(try verona.extra(place))
        #expect(extra.isRecalled && extra.isDeletedForAll && extra.recalledBy == UserName("romeo"))
        #expect(try verona.isSound() == [])
    }

    @Test(
        "who has taken a message back may say so again, also when it is late, and nothing happens twice",
        arguments: [false, true])
    func repeated(deletes: Bool) throws {
        let verona = try Verona()
        let (romeo, juliet, mercutio) = (verona.romeo, verona.juliet, verona.mercutio)
        let place = try verona.say("x", romeo)
        let withdraw: @Sendable (WriteTransaction, Actor) throws(StoreError) -> MessageChange = {
            store, actor throws(StoreError) in
            deletes ? try store.messages.deleteForAll(place, by: actor) : try store.messages.recall(place, by: actor)
        }
        let first = try verona.write { store throws(StoreError) in try withdraw(store, Actor(romeo)) }
        let before = try verona.extra(place)
        verona.advance(seconds: 3600)
        let again = try verona.write { store throws(StoreError) in try withdraw(store, Actor(romeo)) }
        #expect(first.revision > 0 && again.revision == 0 && again.members.isEmpty)
        #expect(again.patchedAtMilliseconds == first.patchedAtMilliseconds)
        #expect(try verona.extra(place) == before)
        #expect(verona.refusal { store throws(StoreError) in try withdraw(store, Actor(juliet)) } == .notAuthor)
        // A manager could, but it was not they who recalled it.
        #expect(
            verona.refusal { store throws(StoreError) in try withdraw(store, Actor(mercutio)) }
                == (deletes ? nil : .alreadyGone))
        #expect(try verona.isSound() == [])
    }

    @Test("an edit asked for again is the same edit; another one, or one of what was recalled, is not")
    func repeatedEdit() throws {
        let verona = try Verona()
        let romeo = verona.romeo
        let place = try verona.say("x", romeo)
        func edit(_ body: String, json: Bool = false) throws -> MessageChange {
            try verona.write { store throws(StoreError) in
                try store.messages.edit(place, newBody: Array(body.utf8), isJSONObject: json, by: Actor(romeo))
            }
        }
        let first = try edit("{}")
        let again = try edit("{}")
        #expect(again.revision == 0 && again.patchedAtMilliseconds == first.patchedAtMilliseconds)
        #expect(try verona.extra(place)?.editCount == 1)
        #expect(try edit("{}", json: true).revision > 0)
        #expect(try edit("y").revision > 0)
        #expect(try edit("{}").revision > 0)
        #expect(try verona.extra(place)?.editCount == 4)
        verona.advance(seconds: 100 * 86_400)
        #expect(try edit("{}").revision == 0)
        try verona.write { store throws(StoreError) in try store.messages.recall(place, by: .operator) }
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.edit(place, newBody: Array("{}".utf8), isJSONObject: false, by: Actor(romeo))
            } == .alreadyGone)
        #expect(try verona.isSound() == [])
    }

    @Test("an unread message that was recalled still counts, and verify agrees")
    func unread() throws {
        let verona = try Verona()
        let romeo = verona.romeo
        let place = try verona.say("x", romeo)
        try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(romeo)) }
        #expect(try verona.fixture.unread(verona.juliet) == [verona.id: 1])
        #expect(try verona.isSound() == [])
    }

    @Test("the window is counted from the sending; managers and the business server have their own")
    func window() throws {
        let verona = try Verona()
        let (romeo, juliet, mercutio) = (verona.romeo, verona.juliet, verona.mercutio)
        let places = try (0..<3).map { try verona.say("\($0)", romeo) }
        verona.advance(seconds: 121)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.recall(places[0], by: Actor(romeo)) }
                == .windowOver(seconds: 120))
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.recall(places[0], by: Actor(juliet)) }
                == .notAuthor)
        try verona.write { store throws(StoreError) in
            try store.messages.recall(places[1], by: Actor(mercutio))
            try store.messages.recall(places[2], by: .application)
        }
        #expect(try verona.extra(places[1])?.recalledBy == UserName("mercutio"))
        #expect(try verona.extra(places[2])?.recalledBy == systemUserName)
        #expect(try verona.message(places[0]).content.body == Array("0".utf8))
    }

    @Test("nothing changes, and no revision is used up, when it is refused; even beside other changes of one commit")
    func refused() throws {
        let verona = try Verona()
        let (romeo, tybalt, id) = (verona.romeo, verona.tybalt, verona.id)
        let place = try verona.say("x", romeo)
        let before = try verona.revision()
        let missing = MessagePlace(id, 99)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.recall(place, by: Actor(tybalt)) }
                == .notMember)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.recall(missing, by: Actor(romeo)) }
                == .noSuchMessage)
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.recall(MessagePlace(ConversationID(rawValue: 99), 1), by: Actor(romeo))
            } == .noSuchConversation)
        // The first change of the request is undone with the second, and memory follows.
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.recall(place, by: Actor(romeo))
                try store.messages.recall(missing, by: Actor(romeo))
            } == .noSuchMessage)
        #expect(try verona.revision() == before)
        #expect(try verona.message(place).content.body == Array("x".utf8))
        let change = try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(romeo)) }
        #expect(change.revision == before + 1)
        #expect(try verona.isSound() == [])
    }

    @Test("two people's conversation is not there for a third")
    func direct() throws {
        let verona = try Verona()
        let (romeo, tybalt) = (verona.romeo, verona.tybalt)
        let accepted = try #require(verona.fixture.send("x", from: romeo, to: StoreTests.direct("juliet")).accepted)
        let place = MessagePlace(accepted.message.conversation, 1)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.recall(place, by: Actor(tybalt)) }
                == .noSuchConversation)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.hide([place], for: tybalt) }
                == .noSuchConversation)
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.markRead([1], in: place.conversation, by: tybalt)
            }
                == .noSuchConversation)
        try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(romeo)) }
        #expect(try verona.message(place).content.flags.contains(.withdrawn))
    }

    @Test("in a room the author may recall, those who listen hear of it, and nobody reports reading")
    func room() throws {
        let verona = try Verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let ball = try verona.write { store throws(StoreError) in
            let ball = try store.conversations.createChannel(.room, ChannelName("ball")!, creator: .system)
            try store.conversations.addListeners([romeo, juliet], to: ball)
            return ball
        }
        let sent = verona.fixture.send("x", from: romeo, to: .id(ball))
        let place = MessagePlace(ball, try #require(sent.accepted).message.sequence)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.recall(place, by: Actor(juliet)) }
                == .notMember)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.markRead([1], in: ball, by: juliet) }
                == .notMember)
        let change = try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(romeo)) }
        #expect(change.members.sorted() == [romeo, juliet])
        #expect(try verona.message(place).content.body == [])
    }

    @Test("in a topic the members and managers of its community count")
    func topic() throws {
        let verona = try Verona()
        let (romeo, juliet, escalus, tybalt) = (verona.romeo, verona.juliet, verona.escalus, verona.tybalt)
        let topic = try verona.write { store throws(StoreError) in
            try store.conversations.createChannel(
                .community, ChannelName("italy")!, creator: escalus, members: [romeo, juliet])
            return try store.conversations.createChannel(
                .communityTopic, ChannelName("italy@verona")!, creator: .system)
        }
        let flags: MessageFlags = [.countsAsUnread, .receiptRequested]
        var append = verona.fixture.append("x", from: romeo, to: .id(topic), flags: flags)
        append.content.mentions = Mentions(all: true)
        let accepted = try #require(verona.fixture.send([append])[0].accepted)
        #expect(accepted.reminded.sorted() == [escalus, juliet].sorted())
        let place = MessagePlace(topic, accepted.message.sequence)
        try verona.write { store throws(StoreError) in
            try store.messages.markRead([place.sequence], in: topic, by: juliet)
            try store.messages.hide([place], for: juliet)
        }
        let extra = try #require(try verona.extra(place, for: juliet))
        #expect(extra.readerCount == 1 && extra.unreadCount == 1 && extra.isHidden)
        let (waiting, reminders) = try verona.read { store throws(StoreError) in
            (
                try store.messages.nonReaders(of: place, limit: 9, as: .member(juliet)).map(\.id),
                try store.messages.reminders(of: juliet, after: 0, limit: 9).count
            )
        }
        #expect(waiting == [escalus] && reminders == 1)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.recall(place, by: Actor(tybalt)) }
                == .notMember)
        let change = try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(escalus))
        }
        #expect(change.members.sorted() == [escalus, romeo, juliet].sorted())
        #expect(try verona.isSound() == [])
    }
}
