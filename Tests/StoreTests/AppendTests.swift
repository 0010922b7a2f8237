import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Appending")
struct AppendTests {
    @Test("the first stored message of two people makes their one conversation")
    func makesDirectConversation() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let first = try #require(fixture.send("one", from: romeo, to: direct("juliet")).accepted)
        let answer = try #require(fixture.send("two", from: juliet, to: direct("romeo")).accepted)
        #expect(first.message.conversation == answer.message.conversation)
        #expect(first.message.sequence == 1 && answer.message.sequence == 2)
        #expect(first.kind == .direct && first.channel == nil)
        #expect(Set(first.members) == [romeo, juliet])
        #expect(first.peerName?.text == "juliet" && answer.peerName?.text == "romeo")
        #expect(first.message.senderName.text == "romeo")
        #expect(try fixture.bodies(first.message.conversation) == ["one", "two"])
        #expect(try fixture.verified().findings == [])
    }

    @Test("someone can write to themselves, alone and never unread")
    func selfConversation() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let note = try #require(fixture.send("note", from: romeo, to: direct("romeo")).accepted)
        #expect(note.members == [romeo])
        #expect(try fixture.unread(romeo) == [:])
        #expect(try fixture.verified().findings == [])
    }

    @Test("a person gives no commands, whichever door forgot to look; the app's own server does")
    func commands() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        _ = try fixture.user("juliet")
        let appends = [
            (WireFormat.wuKong, Authority.user), (.wuKong, .application), (.wuKong, .operator), (.leanCloud, .user),
        ].map { wire, authority in
            var append = fixture.append(#"{"type":99}"#, from: romeo, to: direct("juliet"), authority: authority)
            append.content.kind = MessageKind(rawValue: 99)
            append.content.wire = wire
            return append
        }
        #expect(fixture.send(appends).map(\.refusal) == [.commandNotAllowed, nil, nil, nil])
    }

    @Test("sequences have no gap when refused messages stand between")
    func gapFree() throws {
        let fixture = try Fixture()
        let (romeo, nurse) = (try fixture.user("romeo"), try fixture.user("nurse"))
        let verona = try fixture.group("verona", owner: romeo)
        let appends = [
            fixture.append("1", from: romeo, to: groupAddress("verona")),
            fixture.append("no", from: nurse, to: groupAddress("verona")),
            fixture.append("typing", from: romeo, to: groupAddress("verona"), flags: .transient),
            fixture.append("2", from: romeo, to: .id(verona)),
            fixture.append("nowhere", from: romeo, to: groupAddress("mantua")),
            fixture.append("3", from: romeo, to: groupAddress("verona")),
        ]
        let results = fixture.send(appends)
        #expect(results.map { $0.accepted?.message.sequence } == [1, nil, 0, 2, nil, 3])
        #expect(results.map(\.refusal) == [nil, .notMember, nil, nil, .noSuchConversation, nil])
        #expect(try fixture.bodies(verona) == ["1", "2", "3"])
        #expect(try fixture.verified().findings == [])
    }

    @Test("messages of one call keep their order and come back in one call")
    func oneCallKeepsOrder() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        _ = try fixture.user("juliet")
        let appends = (0..<200).map { fixture.append("\($0)", from: romeo, to: direct("juliet")) }
        let results = fixture.send(appends)
        #expect(results.map { $0.accepted?.message.sequence } == (1...200).map { Int64($0) })
        #expect(fixture.calls.withLock { $0 } == [appends.map(\.ticket)])
    }

    @Test("ids rise and times do not fall when the clock steps back, over a restart too")
    func clockStepsBack() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let before = try #require(fixture.send("before", from: romeo, to: .id(verona)).accepted?.message)
        fixture.clock.setWall(milliseconds: 1_700_000_000_000)
        let after = try #require(fixture.send("after", from: romeo, to: .id(verona)).accepted?.message)
        let again = try fixture.reopened()
        let restarted = try #require(again.send("restarted", from: romeo, to: .id(verona)).accepted?.message)
        #expect(before.id < after.id && after.id < restarted.id)
        #expect(after.sentAtMilliseconds == before.sentAtMilliseconds)
        #expect(restarted.sentAtMilliseconds == before.sentAtMilliseconds)
        #expect(try again.verified().findings == [])
    }

    @Test("a transient message has id and time, and leaves no trace")
    func transient() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let typing = try #require(fixture.send("…", from: romeo, to: direct("juliet"), flags: .transient).accepted)
        #expect(typing.message.sequence == 0 && typing.message.id.rawValue > 0)
        #expect(typing.message.conversation == ConversationID(rawValue: 0))
        #expect(Set(typing.members) == [romeo, juliet])
        #expect(fixture.store.metrics.transient == 1)
        #expect(
            try fixture.store.readAndWait { reading throws(StoreError) in try reading.messages.counts() }.conversations
                == 0)
    }

    @Test("a body above 1 MiB is refused, one of 1 MiB comes back whole")
    func bodyBound() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let most = String(repeating: "x", count: 1024 * 1024)
        #expect(fixture.send(most + "x", from: romeo, to: .id(verona)).refusal == .bodyTooLarge)
        #expect(fixture.send(most, from: romeo, to: .id(verona)).accepted?.message.sequence == 1)
        #expect(try fixture.bodies(verona) == [most])
    }

    @Test("everything of a message comes back from the database")
    func roundTrip() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        var append = fixture.append("{}", from: romeo, to: .id(verona), token: "t")
        append.content.kind = MessageKind(rawValue: -7)
        append.content.flags = [.countsAsUnread, .receiptRequested, .bodyIsJSONObject]
        append.content.wire = .wuKong
        append.content.expireSeconds = UInt32.max
        append.content.topic = "旨"
        let sent = try #require(fixture.send([append])[0].accepted?.message)
        let read = try #require(
            try fixture.store.readAndWait { reading throws(StoreError) in
                try reading.messages.one(in: verona, sequence: 1, as: .member(romeo))
            })
        #expect(read.content == append.content)
        #expect(read.id == sent.id && read.sentAtMilliseconds == sent.sentAtMilliseconds)
        #expect(read.sender == romeo && read.senderName.text == "romeo")
        #expect(read.clientToken == append.clientToken)
    }

    @Test("a full queue refuses at once, together with what follows, and nothing of it is written")
    func fullQueue() throws {
        let gate = Gate()
        let fixture = try Fixture { options in
            options.queueRequests = 4
            options.commitHook = { commit, publish throws(StoreError) in
                gate.pass()
                try commit()
                publish()
            }
        }
        gate.open()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        gate.close()
        let held = (0..<4).map { fixture.append("held \($0)", from: romeo, to: .id(verona)) }
        fixture.store.append(held)
        let refused = (0..<3).map { fixture.append("refused \($0)", from: romeo, to: .id(verona)) }
        fixture.store.append(refused)
        #expect(fixture.results(of: refused).map(\.failure) == [.busy, .busy, .busy])
        gate.open()
        #expect(fixture.results(of: held).allSatisfy { $0.accepted != nil })
        #expect(try fixture.bodies(verona) == ["held 0", "held 1", "held 2", "held 3"])
        let metrics = fixture.store.metrics
        #expect(metrics.queueRequestsPeak == 4 && metrics.busyRefusals == 1 && metrics.queueRequests == 0)
    }

    @Test("after closing, messages and changes are refused as unavailable")
    func closed() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        fixture.store.close()
        #expect(fixture.send("late", from: romeo, to: direct("romeo")).failure == .unavailable)
        #expect(throws: StoreError.unavailable) { try fixture.user("juliet") }
    }

    @Test("what waits when the store is closed is still written")
    func closeFinishesQueue() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let appends = (0..<1_000).map { fixture.append("\($0)", from: romeo, to: .id(verona)) }
        fixture.store.append(appends)
        fixture.store.close()
        #expect(fixture.results(of: appends).allSatisfy { $0.accepted != nil })
        #expect(try Fixture(fixture.folder).bodies(verona).count == 1_000)
    }
}

/// A gateway that a thread waits at.
final class Gate: Sendable {
    private let isOpen = ConditionLock(false)
    func open() { self.isOpen.change { $0 = true } }
    func close() { self.isOpen.change { $0 = false } }
    func pass() { self.isOpen.wait(until: { $0 }, then: { _ in }) }
}
