import ChatModel
import Testing

@testable import Store

@Suite("Sending again with the same client token")
struct ResendTests {
    @Test("gives the first answer, in a later batch and in the same one, and after a restart")
    func firstAnswer() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        _ = try fixture.user("juliet")
        let together = fixture.send([
            fixture.append("one", from: romeo, to: direct("juliet"), token: "t1"),
            fixture.append("one", from: romeo, to: direct("juliet"), token: "t1"),
        ])
        let first = try #require(together[0].accepted)
        fixture.clock.advance(milliseconds: 5_000)
        let later = fixture.send("one", from: romeo, to: direct("juliet"), token: "t1")
        let again = try fixture.reopened()
        let restarted = again.send("one", from: romeo, to: direct("juliet"), token: "t1")
        #expect(!first.isDuplicate)
        for resend in [together[1], later, restarted] {
            let accepted = try #require(resend.accepted)
            #expect(accepted.isDuplicate)
            #expect(accepted.message.id == first.message.id && accepted.message.sequence == 1)
            #expect(accepted.message.sentAtMilliseconds == first.message.sentAtMilliseconds)
            #expect(accepted.message.content == first.message.content)
        }
        #expect(try again.bodies(first.message.conversation) == ["one"])
        #expect(try again.verified().findings == [])
    }

    @Test("gives the first answer after the server was killed, whether the token was indexed or not")
    func afterKill() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        func send(_ numbers: ClosedRange<Int>, _ fixture: Fixture) -> [Bool?] {
            fixture.send(numbers.map { fixture.append("\($0)", from: romeo, to: .id(verona), token: "t\($0)") })
                .map { $0.accepted?.isDuplicate }
        }
        #expect(send(1...3, fixture) == [false, false, false])
        fixture.store.runMaintenance()
        #expect(send(4...6, fixture) == [false, false, false])
        let again = try fixture.killed()
        #expect(send(1...7, again) == [true, true, true, true, true, true, false])
        #expect(try again.verified().findings == [])
    }

    @Test("gives the first answer while tokens move from memory into the index", arguments: [1, 7, 100])
    func whileMerging(_ recentTokens: Int) throws {
        let fixture = try Fixture { $0.recentTokens = recentTokens }
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        for round in 0..<20 {
            let fresh = (0..<30).map { fixture.append("x", from: romeo, to: .id(verona), token: "\(round) \($0)") }
            #expect(fixture.send(fresh).allSatisfy { $0.accepted?.isDuplicate == false })
            let old = (0..<30).map {
                fixture.append("x", from: romeo, to: .id(verona), token: "\(round * $0 / 30) \($0)")
            }
            #expect(fixture.send(old).allSatisfy { $0.accepted?.isDuplicate == true })
        }
        let again = try fixture.killed()
        let all = (0..<600).map { again.append("x", from: romeo, to: .id(verona), token: "\($0 / 30) \($0 % 30)") }
        let results = again.send(all)
        #expect(results.map { $0.accepted?.message.sequence } == (1...600).map { Int64($0) })
        #expect(results.allSatisfy { $0.accepted?.isDuplicate == true })
        #expect(try again.verified().clientTokens >= 600 - 2 * Int64(max(recentTokens, 60)))
    }

    @Test("with another body is refused")
    func conflict() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let results = fixture.send([
            fixture.append("one", from: romeo, to: .id(verona), token: "t1"),
            fixture.append("two", from: romeo, to: .id(verona), token: "t1"),
        ])
        #expect(results[1].refusal == .tokenConflict)
        #expect(fixture.send("three", from: romeo, to: .id(verona), token: "t1").refusal == .tokenConflict)
        #expect(try fixture.bodies(verona) == ["one"])
    }

    @Test("is another message in another conversation, and from another sender")
    func scope() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        let results = fixture.send([
            fixture.append("one", from: romeo, to: .id(verona), token: "t1"),
            fixture.append("one", from: juliet, to: .id(verona), token: "t1"),
            fixture.append("one", from: romeo, to: direct("juliet"), token: "t1"),
        ])
        #expect(results.map { $0.accepted?.isDuplicate } == [false, false, false])
    }

    @Test("gives the first answer although the sender may not send any more; a new message is refused")
    func permissionGone() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: juliet, [romeo])
        let first = try #require(fixture.send("one", from: romeo, to: .id(verona), token: "t1").accepted)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.conversations.removeMembers([romeo], from: verona)
        }
        let again = try #require(fixture.send("one", from: romeo, to: .id(verona), token: "t1").accepted)
        #expect(again.isDuplicate && again.message.id == first.message.id)
        #expect(fixture.send("two", from: romeo, to: .id(verona), token: "t2").refusal == .notMember)
        #expect(fixture.send("two", from: romeo, to: .id(verona), token: "t1").refusal == .notMember)
    }

    @Test("is a new message after the horizon, and not a day earlier")
    func horizon() throws {
        let fixture = try Fixture { $0.tokenDays = 30 }
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        fixture.send("one", from: romeo, to: .id(verona), token: "t1")
        Self.pass(days: 29, fixture)
        #expect(fixture.send("one", from: romeo, to: .id(verona), token: "t1").accepted?.isDuplicate == true)
        Self.pass(days: 2, fixture)
        #expect(fixture.send("one", from: romeo, to: .id(verona), token: "t1").accepted?.isDuplicate == false)
        #expect(try fixture.verified().findings == [])
    }

    @Test("still gives the first answer when the wall clock has jumped years ahead")
    func clockJump() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        fixture.send("one", from: romeo, to: .id(verona), token: "t1")
        Self.pass(days: 2, fixture)
        fixture.clock.setWall(milliseconds: fixture.clock.clock.wallMilliseconds() + 10 * 365 * 86_400_000)
        fixture.store.runMaintenance()
        #expect(fixture.send("one", from: romeo, to: .id(verona), token: "t1").accepted?.isDuplicate == true)
    }

    private static func pass(days: Int, _ fixture: Fixture) {
        for _ in 0..<days {
            fixture.clock.advance(milliseconds: 86_400_000)
            fixture.store.runMaintenance()
        }
    }
}
