import Glibc
import Testing

@testable import BenchKit

/// Whole runs in the binary encoding against a small server in another thread.
@Suite(.serialized) struct BinaryScenarioTests {
    private static let traffic: [Scenario] = [
        .pairs(pairs: 5, window: 1), .pairs(pairs: 5, window: 16), .fanOut(members: 20, senders: 1, window: 8),
        .fanOut(members: 20, senders: 3, window: 8),
    ]

    private func measure(
        _ scenario: Scenario, _ fault: BinaryStub.Fault = .none, accounts: [Account]? = nil, checking: Int = 1
    ) throws -> Measurement? {
        try BinaryStub.serving(fault) { endpoint in
            let bounds = Bounds.short(waitsForAll: fault != .lose)
            let server = ServerUnderTest(
                name: "stub", endpoint: endpoint, speech: .binary, process: getpid(),
                accounts: accounts ?? Preparation.inventedAccounts(100), group: "g", keepsForAbsent: true)
            let run = ScenarioRun(
                server: server, bounds: bounds, signals: try SignalWatch(), keyCheckInterval: checking)
            return try run.measure(scenario)
        }
    }

    @Test("a server that keeps its promises has no faults", arguments: traffic, [1, 7])
    func honest(_ scenario: Scenario, _ checking: Int) throws {
        let result = try #require(try self.measure(scenario, checking: checking))
        #expect(result.faults == Faults())
        #expect(result.metrics.first.map { $0.name == "delivered" && $0.value > 0 } == true)
        #expect(result.notes.contains { $0.contains("1/\(checking) of arrivals are checked") })
    }

    @Test("acknowledged messages that do not arrive are found", arguments: traffic)
    func losing(_ scenario: Scenario) throws {
        let faults = try #require(try self.measure(scenario, .lose)).faults
        #expect(faults.lost > 0)
        #expect(faults.duplicated == 0 && faults.reordered == 0 && faults.misdirected == 0)
    }

    @Test("messages that arrive twice are found", arguments: traffic)
    func repeating(_ scenario: Scenario) throws {
        let faults = try #require(try self.measure(scenario, .twice)).faults
        #expect(faults.duplicated > 0)
        #expect(faults.lost == 0 && faults.misdirected == 0)
    }

    @Test(
        "a message that a client would refuse ends the run",
        arguments: [
            (.wrongKey, "has a wrong message key"), (.otherPayload, "has the payload of another one"),
            (.cutPacket, "ended a WebSocket message inside a packet"),
        ] as [(BinaryStub.Fault, String)])
    func spoiled(_ fault: BinaryStub.Fault, _ complaint: String) {
        #expect {
            try self.measure(.pairs(pairs: 2, window: 4), fault)
        } throws: { error in
            if case .server(let text)? = error as? BenchError { text.hasSuffix(complaint) } else { false }
        }
    }

    @Test("sign-ins are counted and silent connections weighed, with a word on the keys")
    func connections() throws {
        let signIn = try #require(try self.measure(.signIn(connections: 100)))
        #expect(signIn.metrics.first.map { $0.value > 0 } == true)
        #expect(signIn.notes == ["the generator has one key pair for all connections and derives no session keys"])
        let idle = try #require(try self.measure(.idle(connections: 20)))
        #expect(idle.metrics.map(\.name) == ["per connection", "rss before", "rss after"])
    }

    @Test("a refused sign-in ends the run")
    func refused() {
        #expect(throws: BenchError.server("the server does not sign a in: reason 2")) {
            try self.measure(.signIn(connections: 1), accounts: [Account(user: "a", token: "wrong")])
        }
    }

    @Test("coming back to messages is left out and says why")
    func catchUp() throws {
        let result = try #require(try self.measure(.catchUp(messages: 10)))
        #expect(result.metrics.isEmpty && result.faults == Faults())
        #expect(
            Report.table([result]) == """
                catchup: 10 messages
                  server
                  stub  \n\
                  stub: left out: clients of the binary encoding fetch what they missed over HTTP, not from this door

                """)
    }
}
