import ChatModel
import Execution
import Testing

@testable import Store

@Suite("What doors are told of conversations")
struct ChangeEventTests {
    /// What a store told, in order.
    private final class Told: Sendable {
        private let events = Lock<[ChangeEvent]>([])
        private let store: Store

        init(_ store: Store) throws {
            self.store = store
            try Self.wait(for: store)
            let events = self.events
            store.onEvents = { new in events.withLock { $0 += new } }
        }

        /// What was told of changes before is told when the next one is answered.
        static func wait(for store: Store) throws(StoreError) {
            try store.writeAndWait { _ throws(StoreError) in }
        }

        func take() throws -> [ChangeEvent] {
            try Self.wait(for: self.store)
            return self.events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private static func names(_ texts: String...) -> [UserName] { texts.compactMap(UserName.init) }

    @Test("a new group is told to everybody in it, by who made it")
    func created() throws {
        let verona = try Verona()
        let told = try Told(verona.fixture.store)
        let (escalus, romeo) = (verona.escalus, verona.romeo)
        try verona.write { store throws(StoreError) in
            try store.conversations.createChannel(.group, ChannelName("mantua")!, creator: escalus, members: [romeo])
        }
        let event = try #require(try told.take().first)
        #expect(event.change == .created(Self.names("escalus", "romeo")))
        #expect(event.receivers == [escalus, romeo] && event.actor == UserName("escalus"))
        #expect(event.place?.channel == ChannelName("mantua") && event.place?.kind == .group)
        let id = try #require(event.place).objectID
        #expect(id.text.count == 24 && id != .zero)
    }

    @Test("who comes, goes, is silenced, blocked or raised: with the actor, to those concerned")
    func members() throws {
        let verona = try Verona()
        let told = try Told(verona.fixture.store)
        let (id, escalus, mercutio, romeo, tybalt) = (
            verona.id, verona.escalus, verona.mercutio, verona.romeo, verona.tybalt
        )
        try verona.write { store throws(StoreError) in
            store.origin = EventOrigin(.leanCloud, session: 7)
            try store.conversations.addMembers([tybalt], to: id, by: Actor(romeo))
            try store.conversations.setMemberMuted(tybalt, untilMilliseconds: .max, in: id, by: Actor(mercutio))
            try store.conversations.setMemberMuted(tybalt, untilMilliseconds: 0, in: id, by: Actor(mercutio))
            try store.conversations.setRoles([tybalt], .manager, in: id, by: Actor(escalus))
            try store.conversations.removeMembers([tybalt], from: id, by: Actor(escalus))
            try store.conversations.addListed([tybalt], in: id, .denied, by: Actor(escalus))
            try store.conversations.removeListed([tybalt], in: id, .denied, by: Actor(escalus))
            try store.conversations.leave(id, romeo)
        }
        let events = try told.take()
        let him = Self.names("tybalt")
        #expect(
            events.map(\.change) == [
                .joined(him), .muted(him), .unmuted(him), .role(him[0], .manager, was: .member), .left(him),
                .blocked(him), .unblocked(him), .left(Self.names("romeo"), as: .left),
            ])
        #expect(
            events.map(\.actor.text) == [
                "romeo", "mercutio", "mercutio", "escalus", "escalus", "escalus", "escalus", "romeo",
            ])
        #expect(events[0].receivers.contains(tybalt) && events[4].receivers.contains(tybalt))
        #expect(events[5].receivers.contains(tybalt), "who is blocked from outside hears of it")
        #expect(events[7].receivers.contains(romeo) && !events[7].receivers.contains(tybalt))
        #expect(events.allSatisfy { $0.origin == EventOrigin(.leanCloud, session: 7) })
    }

    @Test("the answer comes before what others are told, and a refused change tells nothing")
    func order() throws {
        let verona = try Verona()
        let (id, romeo, tybalt) = (verona.id, verona.romeo, verona.tybalt)
        let order = Lock<[String]>([])
        try Told.wait(for: verona.fixture.store)
        verona.fixture.store.onEvents = { events in order.withLock { $0.append("told \(events.count)") } }
        verona.fixture.store.write({ store throws(StoreError) in
            try store.conversations.addMembers([tybalt], to: id, by: Actor(romeo))
        }) { _ in order.withLock { $0.append("answered") } }
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.conversations.setRoles([romeo], .manager, in: id, by: Actor(romeo))
            } == .notOwner)
        try Told.wait(for: verona.fixture.store)
        #expect(order.withLock { $0 } == ["answered", "told 1"])
    }

    @Test("an edit and a recall are told with the message as it is now")
    func messages() throws {
        let verona = try Verona()
        let place = try verona.say("wherefore", verona.romeo)
        let told = try Told(verona.fixture.store)
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in
            try store.messages.edit(
                place, newBody: Array("therefore".utf8), isJSONObject: false, wire: .leanCloud,
                envelope: MessageEnvelope(mentionsAll: true), by: Actor(romeo))
            try store.messages.recall(place, by: Actor(romeo))
        }
        let events = try told.take()
        guard case .edited(let edited) = events.first?.change, case .recalled(let recalled) = events.last?.change else {
            Issue.record("\(events)")
            return
        }
        #expect(edited.content.body == Array("therefore".utf8) && edited.content.wire == .leanCloud)
        #expect(edited.content.envelope?.mentionsAll == true && edited.sender == UserName("romeo"))
        #expect(recalled.content.body == [] && recalled.sequence == place.sequence)
        #expect(Set(events[0].receivers) == Set(verona.everyone))
    }

    @Test("reading is told to who read, a card to everybody")
    func readingAndCards() throws {
        let verona = try Verona()
        let place = try verona.say("wherefore", verona.romeo)
        let told = try Told(verona.fixture.store)
        let (id, juliet, escalus) = (verona.id, verona.juliet, verona.escalus)
        var patch = ChannelPatch()
        patch.title = "Fair Verona"
        patch.attributesMergePatch = Array(#"{"colour":"red"}"#.utf8)
        let change = patch
        try verona.write { store throws(StoreError) in
            try store.inbox.markRead(juliet, in: id, upTo: place.sequence)
            try store.inbox.markRead(juliet, in: id, upTo: place.sequence)
            try store.conversations.updateInfo(of: id, change, by: Actor(escalus))
        }
        let events = try told.take()
        #expect(
            events.map(\.change) == [
                .read(upTo: place.sequence, unread: 0),
                .card(modified: Array(#"{"name":"Fair Verona","attr":{"colour":"red"}}"#.utf8), asked: nil),
            ])
        #expect(events[0].receivers == [juliet])
    }

    @Test("settings and nicknames are told to everybody in the group, with who set them, once for each change")
    func settings() throws {
        let verona = try Verona()
        let told = try Told(verona.fixture.store)
        let (id, escalus, juliet) = (verona.id, verona.escalus, verona.juliet)
        let before = verona.fixture.clock.clock.wallMilliseconds()
        verona.advance(seconds: 10)
        try verona.write { store throws(StoreError) in
            var modes = TeamModesPatch()
            modes.join = .open
            modes.mute = .members
            for _ in 0..<2 { _ = try store.teams.setModes(of: id, modes, by: Actor(escalus)) }
            for _ in 0..<2 { _ = try store.teams.setIntroduction(of: id, "two households", by: Actor(escalus)) }
            _ = try store.teams.announce(in: id, "tonight", by: .operator)
            try store.teams.setMemberLimit(of: id, 100, by: .operator)
            try store.conversations.setFlags([.banned, .large], of: id)
            try store.conversations.setNickname(of: juliet, "the sun", in: id, by: Actor(juliet))
            try store.conversations.disband(id, by: Actor(escalus))
        }
        let events = try told.take()
        #expect(
            events.map(\.change) == [
                .settings([.joinMode, .muteMode(.members)]), .settings([.introduction]),
                .settings([.notice("tonight")]), .settings([.memberLimit]),
                .settings([.muteMode(.none), .banned, .other]), .nickname(UserName("juliet")!), .settings([.disbanded]),
            ])
        #expect(events.map(\.actorID) == [escalus, escalus, .system, .system, .system, juliet, escalus])
        #expect(events[5].subjects == [juliet] && events.allSatisfy { $0.audience == .members })
        #expect(events.allSatisfy { Set($0.receivers) == Set(verona.everyone) })
        // What made the group and its roles may have the same moments: each is one after the other.
        let logged = try verona.read { store throws(StoreError) in try store.feed.events(for: juliet, after: before) }
        let raised = ChangeEvent.Change.role(UserName("mercutio")!, .manager, was: .member)
        #expect(logged.map(\.change) == [raised], "their rows have revisions")
    }

    @Test("what a person changes for themselves is told to them alone, and only when it is another")
    func own() throws {
        let verona = try Verona()
        let place = try verona.say("wherefore", verona.romeo)
        let told = try Told(verona.fixture.store)
        let (id, juliet) = (verona.id, verona.juliet)
        try verona.write { store throws(StoreError) in
            _ = try store.messages.setAttributes(of: place, mergePatch: Array(#"{"a":1}"#.utf8), by: Actor(juliet))
            var pin = PreferencePatch()
            pin.isPinned = true
            for _ in 0..<2 { try store.inbox.setPreference(juliet, in: id, pin) }
            var draft = PreferencePatch()
            draft.draft = "but soft"
            for _ in 0..<2 { try store.inbox.setPreference(juliet, in: id, draft) }
            for _ in 0..<2 { try store.messages.markHeard(place, by: juliet) }
            for _ in 0..<2 { _ = try store.messages.hide([place], for: juliet) }
            for _ in 0..<2 { try store.inbox.clearHistory(juliet, in: id, through: .max) }
            try store.inbox.hideConversation(juliet, id)
        }
        let message = try verona.message(place).id
        let events = try told.take()
        let own = events.compactMap { event -> OwnChange? in
            guard case .own(let change) = event.change else { return nil }
            #expect(event.audience == .people([juliet]) && event.actorID == juliet)
            return change
        }
        #expect(own == [.settings, .place, .heard(message), .deleted([message]), .cleared, .hidden])
        #expect(events.contains { $0.change == .annotated(.attributes) && $0.audience == .members })
        let logged = try verona.read { store throws(StoreError) in try store.feed.events(for: juliet, after: 0) }
        #expect(!logged.contains { if case .own = $0.change { true } else { false } })
    }

    @Test("what lies between two people is told to those two, with who did it, and once")
    func people() throws {
        let verona = try Verona()
        let told = try Told(verona.fixture.store)
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let (his, hers) = (UserName("romeo")!, UserName("juliet")!)
        let request = try verona.write { store throws(StoreError) in
            store.origin = EventOrigin(.app)
            try store.people.setDisplayName(romeo, "Romeo M.")
            let request = try store.friends.ask(juliet, by: romeo, text: "a rose", token: "key")
            try store.friends.accept(romeo, by: juliet)
            try store.friends.setRemark(juliet, of: romeo, "the sun")
            try store.friends.remove(juliet, of: romeo)
            for _ in 0..<2 { try store.people.setListed(owner: juliet, .blocked, romeo, true) }
            return request
        }
        let events = try told.take()
        let due: [(PersonChange, UserID, [UserID])] = [
            (.profile(his, .name), romeo, []), (.friendRequested(request, askerName: "Romeo M."), romeo, [juliet]),
            (.befriended(his, by: hers, name: "juliet"), juliet, [romeo, juliet]), (.remark(hers), romeo, [romeo]),
            (.unfriended(hers), romeo, [romeo, juliet]), (.listed(his, on: .blocked, true), juliet, [juliet]),
        ]
        #expect(events.map(\.change) == due.map { .person($0.0) })
        #expect(events.map(\.actorID) == due.map(\.1) && events.map(\.receivers) == due.map(\.2))
        #expect(events[0].audience == .watchers(of: his))
        #expect(events.allSatisfy { $0.place == nil && $0.origin.gateway == .app })
        let logged = try verona.read { store throws(StoreError) in try store.feed.events(for: juliet, after: 0) }
        #expect(!logged.contains { if case .person = $0.change { true } else { false } }, "their rows have versions")
    }

    @Test("a profile that the operator changes is the operator's doing; a new person is told to nobody")
    func profiles() throws {
        let verona = try Verona()
        let told = try Told(verona.fixture.store)
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in
            store.origin = EventOrigin(.operator)
            let paris = try store.people.createUser(UserName("paris")!, displayName: "County Paris")
            try store.people.setListed(owner: romeo, .allowed, paris, true)
            try store.people.setProfile(of: romeo, ProfilePatch(displayName: "Romeo", avatar: "/romeo.png"))
            try store.people.setProfile(of: romeo, ProfilePatch(settings: Array(#"{"a":1}"#.utf8)))
            try store.people.setDisabled(romeo, true)
            _ = try store.people.deleteUser(paris)
        }
        let events = try told.take()
        let (his, other) = (UserName("romeo")!, UserName("paris")!)
        #expect(
            events.map(\.change) == [
                .person(.listed(other, on: .allowed, true)), .person(.profile(his, [.name, .picture])),
                .person(.profile(his, .existence)), .person(.profile(other, .existence)),
            ])
        #expect(events.allSatisfy { $0.actorID == .system })
    }

    @Test("whose reminders were made or ended is told once for each request that did")
    func reminders() throws {
        let verona = try Verona()
        let told = try Told(verona.fixture.store)
        let (id, juliet, romeo) = (verona.id, verona.juliet, verona.romeo)
        let reminder = NewReminder(in: id, sequence: 0, kind: .joinRequest, text: "tybalt", data: nil, locates: false)
        try verona.write { store throws(StoreError) in
            let made = try store.messages.addReminder(reminder, for: [juliet, romeo], by: .application)
            for _ in 0..<2 { try store.messages.finishReminders(made.ids, by: juliet) }
            for _ in 0..<2 { try store.messages.endReminders(made.ids) }
        }
        let events = try told.take()
        #expect(events.allSatisfy { $0.change == .person(.reminders) })
        #expect(events.map(\.receivers) == [[romeo, juliet].sorted(), [juliet], [romeo]])
        #expect(events.map(\.actorID) == [.system, juliet, .system])
    }

    @Test("a change of many members is one event for one audience")
    func many() throws {
        let verona = try Verona()
        let told = try Told(verona.fixture.store)
        let people = try verona.write { store throws(StoreError) in
            var people: [UserID] = []
            for number in 0..<300 { people.append(try store.people.ensureUser(UserName("p\(number)")!).id) }
            return people
        }
        let id = verona.id
        try verona.write { store throws(StoreError) in
            try store.conversations.addMembers(people, to: id)
            try store.conversations.removeMembers(people, from: id)
        }
        let events = try told.take()
        #expect(events.count == 2 && events.allSatisfy { $0.subjects == people })
        #expect(events.map(\.audience) == [.members, .membersAnd(people)])
        #expect(Set(events[1].receivers) == Set(people).union(verona.everyone))
    }

    @Test("devices that were away get what happened to them and to conversations they are in")
    func log() throws {
        let verona = try Verona()
        let (id, escalus, romeo, tybalt) = (verona.id, verona.escalus, verona.romeo, verona.tybalt)
        // Each event has a moment of its own, so that those of the beginning are a little ahead of the clock.
        verona.advance(seconds: 1)
        let before = verona.fixture.clock.clock.wallMilliseconds()
        verona.advance(seconds: 10)
        try verona.write { store throws(StoreError) in
            try store.conversations.addMembers([tybalt], to: id, by: Actor(romeo))
            try store.conversations.removeMembers([tybalt], from: id, by: Actor(escalus))
            try store.conversations.setTitle("Fair Verona", of: id)
        }
        let his = try verona.read { store throws(StoreError) in try store.feed.events(for: tybalt, after: before) }
        let hers = try verona.read { store throws(StoreError) in
            try store.feed.events(for: verona.juliet, after: before)
        }
        let him = Self.names("tybalt")
        #expect(his.map(\.change) == [.joined(him), .left(him)])
        #expect(his.filter { !$0.isPersonal }.isEmpty, "of the rest of the group nobody tells who has gone")
        #expect(hers.map(\.change).count == 3 && hers.filter { $0.isPersonal }.isEmpty)
        #expect(hers.last?.change == .card(modified: Array(#"{"name":"Fair Verona"}"#.utf8), asked: nil))
        verona.advance(seconds: (EventLogBounds.days + 1) * 86_400)
        try verona.write { store throws(StoreError) in
            try store.connection.pruneEvents(before: store.wallMilliseconds - EventLogBounds.days * 86_400_000)
        }
        #expect(try verona.read { store throws(StoreError) in try store.feed.events(for: tybalt, after: before) } == [])
    }
}
