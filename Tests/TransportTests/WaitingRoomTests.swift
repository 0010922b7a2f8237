import Testing

@testable import Transport

@Suite("Places of those who have not signed in")
struct WaitingRoomTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
    private func id(_ number: Int) -> ConnectionID { ConnectionID(reactor: 0, generation: 0, slot: number) }
    private func room() -> WaitingRoom { WaitingRoom { $0.scope == .loopback } }

    @Test("the oldest connection of the address that has the most gives way")
    func greediest() throws {
        let room = self.room()
        let (greedy, honest) = (try self.address("192.168.1.66"), try self.address("192.168.1.5"))
        room.enter(self.id(1), from: honest)
        for number in 10..<20 { room.enter(self.id(number), from: greedy) }
        #expect(room.takePlace(for: honest) == self.id(10))
        #expect(room.takePlace(for: try self.address("10.0.0.1")) == self.id(11))
        #expect(!room.leave(self.id(10), from: greedy), "its place is another one's")
        #expect(room.leave(self.id(12), from: greedy))
        #expect(room.leave(self.id(1), from: honest))
    }

    @Test("who comes counts for their own address: the greedy push out their own")
    func ownOldest() throws {
        let room = self.room()
        let (one, other) = (try self.address("192.168.1.66"), try self.address("192.168.1.67"))
        for number in 0..<3 { room.enter(self.id(number), from: one) }
        for number in 10..<13 { room.enter(self.id(number), from: other) }
        #expect(room.takePlace(for: other) == self.id(10))
    }

    @Test("all addresses of one /64 are one")
    func network() throws {
        let room = self.room()
        room.enter(self.id(1), from: try self.address("fd00::1"))
        for number in 2..<5 { room.enter(self.id(number), from: try self.address("2001:db8:1:2::\(number)")) }
        #expect(room.takePlace(for: try self.address("fd00::9")) == self.id(2))
    }

    @Test("a proxy's people give way before others of whom each has one, and after somebody who has two")
    func proxies() throws {
        let room = self.room()
        let loopback = try self.address("::1")
        for number in 0..<50 { room.enter(self.id(number), from: loopback) }
        room.enter(self.id(60), from: try self.address("192.168.1.5"))
        #expect(room.takePlace(for: try self.address("192.168.1.6")) == self.id(0))
        room.enter(self.id(61), from: try self.address("192.168.1.5"))
        #expect(room.takePlace(for: try self.address("192.168.1.6")) == self.id(60))
    }

    @Test("whom a proxy speaks for takes the place along")
    func moves() throws {
        let room = self.room()
        let (proxy, client) = (try self.address("10.0.0.1"), try self.address("192.168.1.5"))
        room.enter(self.id(1), from: proxy)
        room.move(self.id(1), from: proxy, to: client)
        #expect(!room.leave(self.id(1), from: proxy))
        #expect(room.leave(self.id(1), from: client))
        #expect(room.takePlace(for: client) == nil)
    }
}

@Suite("Pace of a body")
struct BodyPaceTests {
    @Test("a byte every two seconds ends after a minute; a slow link does not")
    func slow() {
        var (trickle, slow) = (HTTPPace(), HTTPPace())
        var endsAfter: Int64?
        for second in stride(from: Int64(0), through: 600, by: 2) {
            if !trickle.keeps(1, at: second * 1_000_000_000, minimum: 128), endsAfter == nil { endsAfter = second }
            let isFine = slow.keeps(300, at: second * 1_000_000_000, minimum: 128)
            #expect(isFine)
        }
        #expect(endsAfter == 60)
    }

    @Test("time in which the server does not read does not count, and with 0 nothing does")
    func pauses() {
        var paused = HTTPPace()
        _ = paused.keeps(10, at: 0, minimum: 128)
        paused.restart()
        let isFine = paused.keeps(10, at: 600_000_000_000, minimum: 128)
        #expect(isFine)
        var any = HTTPPace()
        _ = any.keeps(1, at: 0, minimum: 0)
        let isAny = any.keeps(1, at: 600_000_000_000, minimum: 0)
        #expect(isAny)
    }
}
