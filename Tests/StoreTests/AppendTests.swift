import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Appending")
struct AppendTests {
    @Test("the first stored message of two people makes their one conversation")
    func makesDirectConversation() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let first = try #require(house.send("one", from: romeo, to: direct("juliet")).accepted)
        let answer = try #require(house.send("two", from: juliet, to: direct("romeo")).accepted)
        #expect(first.message.conversation == answer.message.conversation)
        #expect(first.message.sequence == 1 && answer.message.sequence == 2)
        #expect(first.kind == .direct && first.channel == nil)
        #expect(Set(first.members) == [romeo, juliet])
        #expect(first.peerName?.text == "juliet" && answer.peerName?.text == "romeo")
        #expect(first.message.senderName.text == "romeo")
        #expect(try house.bodies(first.message.conversation) == ["one", "two"])
        #expect(try house.verified().findings == [])
    }

    @Test("someone can write to themselves, alone and never unread")
    func selfConversation() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let note = try #require(house.send("note", from: romeo, to: direct("romeo")).accepted)
        #expect(note.members == [romeo])
        #expect(try house.unread(romeo) == [:])
        #expect(try house.verified().findings == [])
    }

    @Test("a person gives no commands, whichever door forgot to look; the app's own server does")
    func commands() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        _ = try house.user("juliet")
        let appends = [
            (WireFormat.wuKong, Authority.user), (.wuKong, .application), (.wuKong, .operator), (.leanCloud, .user),
        ].map { wire, authority in
            var append = house.append(#"{"type":99}"#, from: romeo, to: direct("juliet"), authority: authority)
            append.content.kind = MessageKind(rawValue: 99)
            append.content.wire = wire
            return append
        }
        #expect(house.send(appends).map(\.refusal) == [.commandNotAllowed, nil, nil, nil])
    }

    @Test("sequences have no gap when refused messages stand between")
    func gapFree() throws {
        let house = try House()
        let (romeo, nurse) = (try house.user("romeo"), try house.user("nurse"))
        let verona = try house.group("verona", owner: romeo)
        let appends = [
            house.append("1", from: romeo, to: groupAddress("verona")),
            house.append("no", from: nurse, to: groupAddress("verona")),
            house.append("typing", from: romeo, to: groupAddress("verona"), flags: .transient),
            house.append("2", from: romeo, to: .id(verona)),
            house.append("nowhere", from: romeo, to: groupAddress("mantua")),
            house.append("3", from: romeo, to: groupAddress("verona")),
        ]
        let results = house.send(appends)
        #expect(results.map { $0.accepted?.message.sequence } == [1, nil, 0, 2, nil, 3])
        #expect(results.map(\.refusal) == [nil, .notMember, nil, nil, .noSuchConversation, nil])
        #expect(try house.bodies(verona) == ["1", "2", "3"])
        #expect(try house.verified().findings == [])
    }

    @Test("messages of one call keep their order and come back in one call")
    func oneCallKeepsOrder() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        _ = try house.user("juliet")
        let appends = (0..<200).map { house.append("\($0)", from: romeo, to: direct("juliet")) }
        let results = house.send(appends)
        #expect(results.map { $0.accepted?.message.sequence } == (1...200).map { Int64($0) })
        #expect(house.calls.withLock { $0 } == [appends.map(\.ticket)])
    }

    @Test("ids rise and times do not fall when the clock steps back, over a restart too")
    func clockStepsBack() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        let before = try #require(house.send("before", from: romeo, to: .id(verona)).accepted?.message)
        house.clock.setWall(milliseconds: 1_700_000_000_000)
        let after = try #require(house.send("after", from: romeo, to: .id(verona)).accepted?.message)
        let again = try house.reopened()
        let restarted = try #require(again.send("restarted", from: romeo, to: .id(verona)).accepted?.message)
        #expect(before.id < after.id && after.id < restarted.id)
        #expect(after.sentAtMilliseconds == before.sentAtMilliseconds)
        #expect(restarted.sentAtMilliseconds == before.sentAtMilliseconds)
        #expect(try again.verified().findings == [])
    }

    @Test("a transient message has id and time, and leaves no trace")
    func transient() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let typing = try #require(house.send("…", from: romeo, to: direct("juliet"), flags: .transient).accepted)
        #expect(typing.message.sequence == 0 && typing.message.id.rawValue > 0)
        #expect(typing.message.conversation == ConversationID(rawValue: 0))
        #expect(Set(typing.members) == [romeo, juliet])
        #expect(house.store.figures.transient == 1)
        #expect(try house.store.readAndWait { reading throws(StoreError) in try reading.counts() }.conversations == 0)
    }

    @Test("a body above 1 MiB is refused, one of 1 MiB comes back whole")
    func bodyBound() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        let most = String(repeating: "x", count: 1024 * 1024)
        #expect(house.send(most + "x", from: romeo, to: .id(verona)).refusal == .bodyTooLarge)
        #expect(house.send(most, from: romeo, to: .id(verona)).accepted?.message.sequence == 1)
        #expect(try house.bodies(verona) == [most])
    }

    @Test("everything of a message comes back from the database")
    func roundTrip() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        var append = house.append("{}", from: romeo, to: .id(verona), token: "t")
        append.content.kind = MessageKind(rawValue: -7)
        append.content.flags = [.countsAsUnread, .receiptRequested, .bodyIsJSONObject]
        append.content.wire = .wuKong
        append.content.expireSeconds = UInt32.max
        append.content.topic = "旨"
        let sent = try #require(house.send([append])[0].accepted?.message)
        let read = try #require(
            try house.store.readAndWait { reading throws(StoreError) in
                try reading.message(in: verona, sequence: 1, as: .member(romeo))
            })
        #expect(read.content == append.content)
        #expect(read.id == sent.id && read.sentAtMilliseconds == sent.sentAtMilliseconds)
        #expect(read.sender == romeo && read.senderName.text == "romeo")
        #expect(read.clientToken == append.clientToken)
    }

    @Test("a full queue refuses at once, together with what follows, and nothing of it is written")
    func fullQueue() throws {
        let gate = Gate()
        let house = try House { options in
            options.queueRequests = 4
            options.commitHook = { commit, publish throws(StoreError) in
                gate.pass()
                try commit()
                publish()
            }
        }
        gate.open()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        gate.close()
        let held = (0..<4).map { house.append("held \($0)", from: romeo, to: .id(verona)) }
        house.store.append(held)
        let refused = (0..<3).map { house.append("refused \($0)", from: romeo, to: .id(verona)) }
        house.store.append(refused)
        #expect(house.results(of: refused).map(\.failure) == [.busy, .busy, .busy])
        gate.open()
        #expect(house.results(of: held).allSatisfy { $0.accepted != nil })
        #expect(try house.bodies(verona) == ["held 0", "held 1", "held 2", "held 3"])
        let figures = house.store.figures
        #expect(figures.queueRequestsPeak == 4 && figures.busyRefusals == 1 && figures.queueRequests == 0)
    }

    @Test("after closing, messages and changes are refused as unavailable")
    func closed() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        house.store.close()
        #expect(house.send("late", from: romeo, to: direct("romeo")).failure == .unavailable)
        #expect(throws: StoreError.unavailable) { try house.user("juliet") }
    }

    @Test("what waits when the store is closed is still written")
    func closeFinishesQueue() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        let appends = (0..<1_000).map { house.append("\($0)", from: romeo, to: .id(verona)) }
        house.store.append(appends)
        house.store.close()
        #expect(house.results(of: appends).allSatisfy { $0.accepted != nil })
        #expect(try House(house.folder).bodies(verona).count == 1_000)
    }
}

/// A gateway that a thread waits at.
final class Gate: Sendable {
    private let isOpen = ConditionLock(false)
    func open() { self.isOpen.change { $0 = true } }
    func close() { self.isOpen.change { $0 = false } }
    func pass() { self.isOpen.wait(until: { $0 }, then: { _ in }) }
}
