import Execution
import Testing

@testable import Transport

/// What one turn of a reactor does for whom: the time in these tests is that of a clock which the work itself moves.
@Suite("A turn")
struct TurnTests {
    private let hands = ManualClock()
    private let heard = Recorder()

    /// A server whose clients sign in by saying so; every other message takes a millisecond.
    private func start() throws -> TestServer {
        var behaviour = Behaviour()
        behaviour.signsInAtOnce = false
        behaviour.received = { [hands, heard] connection, bytes, _ in
            let text = String(decoding: bytes, as: UTF8.self)
            if text == "sign in" {
                connection.authenticated()
            } else {
                hands.advance(milliseconds: 1)
                heard.add(text)
            }
            connection.sendText(bytes)
        }
        return try TestServer(behaviour, hands: self.hands)
    }

    private func open(_ server: TestServer, signsIn: Bool) throws -> TestClient {
        let client = try server.connect()
        try client.openWebSocket()
        if signsIn {
            try client.send(clientFrame(text: "sign in"))
            #expect(try client.readFrame() == .text("sign in"))
        }
        return client
    }

    /// Holds the reactor until the body has run, so that everything it brings comes at once.
    private func hold(_ server: TestServer, while body: () throws -> Void) rethrows {
        let isFree = ConditionLock(false)
        let isHeld = Recorder()
        server.server.jobs[0].post { _ in
            isHeld.add("held")
            isFree.wait(until: { $0 }) { _ in }
        }
        isHeld.wait(for: "held")
        defer { isFree.change { $0 = true } }
        try body()
    }

    private func identifiers(_ server: TestServer) -> (known: [ConnectionID], unknown: [ConnectionID]) {
        server.onReactor { reactor in
            let all = (0..<16).compactMap { slot in
                reactor.connection(ConnectionID(reactor: 0, generation: 0, slot: slot))
            }
            return (all.filter(\.isAuthenticated).map(\.id), all.filter { !$0.isAuthenticated }.map(\.id))
        }
    }

    @Test("of answers, those for people who sign in go first, and the others share a time in each turn")
    func answers() throws {
        let server = try self.start()
        let clients = [try self.open(server, signsIn: true), try self.open(server, signsIn: false)]
        let (known, unknown) = self.identifiers(server)
        let jobs = server.server.jobs[0]
        try self.hold(server) {
            let one = try #require(known.first)
            for number in 0..<6 {
                jobs.post(for: one) { [hands, heard] _ in
                    hands.advance(milliseconds: 1)
                    heard.add("answer \(number)")
                    if number == 0 { jobs.post { _ in heard.add("nobody's") } }
                }
            }
            jobs.post(for: try #require(unknown.first)) { [heard] _ in heard.add("signing in") }
        }
        self.heard.wait(for: "answer 5")
        #expect(
            self.heard.all == [
                "signing in", "answer 0", "answer 1", "nobody's", "answer 2", "answer 3", "answer 4", "answer 5",
            ])
        withExtendedLifetime(clients) {}
    }

    @Test("of what has come, that of people who have not signed in goes first, and the others have their turn in order")
    func input() throws {
        let server = try self.start()
        let known = try (0..<6).map { _ in try self.open(server, signsIn: true) }
        let unknown = try self.open(server, signsIn: false)
        try self.hold(server) {
            for (number, client) in known.enumerated() { try client.send(clientFrame(text: "known \(number)")) }
            try unknown.send(clientFrame(text: "unknown"))
        }
        for (number, client) in known.enumerated() { #expect(try client.readFrame() == .text("known \(number)")) }
        #expect(try unknown.readFrame() == .text("unknown"))
        let all = self.heard.all
        let place = try #require(all.firstIndex(of: "unknown"))
        #expect(place <= 2, "\(all)")
        #expect(all.filter { $0 != "unknown" }.sorted() == (0..<6).map { "known \($0)" })
    }

    @Test("a queue gives its values in order and keeps few of those that are gone")
    func queue() {
        var queue = TurnQueue<Int>()
        var (added, taken) = (0, 0)
        for round in 0..<200 {
            for _ in 0..<(round % 7) {
                queue.append(added)
                added += 1
            }
            #expect(queue.count == added - taken)
            for _ in 0..<(round % 5) where !queue.isEmpty {
                #expect(queue.popFirst() == taken)
                taken += 1
            }
        }
        while let value = queue.popFirst() {
            #expect(value == taken)
            taken += 1
        }
        #expect(taken == added)
        #expect(queue.isEmpty)
    }

    @Test("long and short messages to many arrive whole, whatever time there is for them")
    func output() throws {
        let server = try self.start()
        let clients = try (0..<3).map { _ in try self.open(server, signsIn: true) }
        let (known, _) = self.identifiers(server)
        let long = String(repeating: "茶", count: 600_000)
        for id in known {
            server.server.jobs[0].post(for: id) { [hands] reactor in
                reactor.connection(id)?.sendText(Array(long.utf8))
                reactor.connection(id)?.sendText(Array("end".utf8))
                hands.advance(milliseconds: 5)
            }
        }
        for client in clients {
            #expect(try client.readFrame() == .text(long))
            #expect(try client.readFrame() == .text("end"))
        }
    }
}
