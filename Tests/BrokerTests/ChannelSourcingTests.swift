@testable import Broker
import ChatModel
import Execution
import Store
import Testing

struct ChannelSourcingTests {
    let start = Instant(nanoseconds: 0)
    let verona = ChannelName("verona")!

    private static func message(_ ticket: UInt64, to channel: String = "verona", bytes: Int = 1) -> Append {
        let content = MessageContent(
            kind: .text, flags: [], wire: .native, body: [UInt8](repeating: 0x78, count: bytes))
        return Append(
            sender: UserID(rawValue: 1), authority: .user, address: .channel(.group, ChannelName(channel)!),
            clientToken: nil, content: content, ticket: ticket)
    }

    /// Sends a message and has the writer refuse it.
    private func refuse(
        _ ticket: UInt64, to channel: String = "verona", bytes: Int = 1, _ sourcing: inout ChannelSourcing,
        at now: Instant? = nil
    ) -> ChannelSourcing.Answer {
        _ = sourcing.passes(Self.message(ticket, to: channel, bytes: bytes))
        return sourcing.refused(ticket: ticket, at: now ?? self.start)
    }

    @Test(
        "messages go on in the order in which they came, also those that were at the writer when others began to wait")
    func order() {
        var sourcing = ChannelSourcing()
        let first = [4, 2].map { sourcing.passes(Self.message($0)) }
        let asked = sourcing.refused(ticket: 4, at: self.start)
        let behind = sourcing.passes(Self.message(9))
        let late = sourcing.refused(ticket: 2, at: self.start)
        let other = sourcing.passes(Self.message(5, to: "mantua"))
        #expect(first == [.goOn, .goOn] && asked == .ask(.group, self.verona))
        #expect(behind == .wait && late == .wait && other == .goOn)
        let on = sourcing.answered(.group, self.verona, isThere: true, at: self.start)
        #expect(on.map(\.ticket) == [4, 2, 9])
        let next = sourcing.passes(Self.message(1))
        #expect(next == .goOn, "nobody waits any more")
    }

    @Test("what is refused again, or was never to a channel, stays refused")
    func once() {
        var sourcing = ChannelSourcing()
        _ = self.refuse(1, &sourcing)
        _ = sourcing.answered(.group, self.verona, isThere: true, at: self.start)
        let again = sourcing.refused(ticket: 1, at: self.start)
        _ = sourcing.passes(Self.message(2))
        sourcing.settled(ticket: 2)
        let settled = sourcing.refused(ticket: 2, at: self.start)
        var direct = Self.message(3)
        direct.address = .direct(UserName("juliet")!)
        let passage = sourcing.passes(direct)
        let person = sourcing.refused(ticket: 3, at: self.start)
        #expect(again == .refuse && settled == .refuse && person == .refuse && passage == .goOn)
    }

    @Test("a name that nobody knows is asked for again after ten seconds only")
    func unknown() {
        var sourcing = ChannelSourcing()
        _ = self.refuse(1, &sourcing)
        let refused = sourcing.answered(.group, self.verona, isThere: false, at: self.start)
        let soon = self.refuse(2, &sourcing, at: self.start.advanced(byMilliseconds: 9_999))
        let later = self.refuse(3, &sourcing, at: self.start.advanced(byMilliseconds: 10_000))
        #expect(refused.map(\.ticket) == [1] && soon == .refuse && later == .ask(.group, self.verona))
    }

    @Test("one more unknown name than the bound forgets the oldest")
    func unknownBound() {
        var sourcing = ChannelSourcing()
        for number in 0...ChannelSourcing.maximumUnknown {
            let now = self.start.advanced(byMilliseconds: Int64(number))
            _ = self.refuse(1, to: "c\(number)", &sourcing, at: now)
            _ = sourcing.answered(.group, ChannelName("c\(number)")!, isThere: false, at: now)
        }
        let now = self.start.advanced(byMilliseconds: 2_000)
        let newer = self.refuse(2, to: "c1", &sourcing, at: now)
        let oldest = self.refuse(2, to: "c0", &sourcing, at: now)
        #expect(newer == .refuse && oldest == .ask(.group, ChannelName("c0")!))
    }

    @Test("more channels, messages or bytes than may wait are answered as busy, and there is room again afterwards")
    func bounds() {
        var sourcing = ChannelSourcing()
        for number in 0..<ChannelSourcing.maximumChannels {
            let answer = self.refuse(UInt64(number), to: "c\(number)", &sourcing)
            #expect(answer == .ask(.group, ChannelName("c\(number)")!))
        }
        let channel = self.refuse(100, &sourcing)
        for number in ChannelSourcing.maximumChannels..<ChannelSourcing.maximumMessages {
            let passage = sourcing.passes(Self.message(UInt64(number), to: "c0"))
            #expect(passage == .wait)
        }
        let message = sourcing.passes(Self.message(5_000, to: "c1"))
        #expect(channel == .busy && message == .busy)
        let all = sourcing.answered(.group, ChannelName("c0")!, isThere: true, at: self.start)
        #expect(all.count == ChannelSourcing.maximumMessages - ChannelSourcing.maximumChannels + 1)
        let large = sourcing.passes(Self.message(5_001, to: "c1", bytes: ChannelSourcing.maximumBytes))
        let small = sourcing.passes(Self.message(5_002, to: "c1"))
        #expect(large == .busy && small == .wait)
    }
}
