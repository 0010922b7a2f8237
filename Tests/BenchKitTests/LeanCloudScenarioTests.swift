import Glibc
import Testing

@testable import BenchKit

/// Whole runs in LeanCloud's protocol against a small server in another thread.
@Suite(.serialized) struct LeanCloudScenarioTests {
    private static let traffic: [Scenario] = [
        .pairs(pairs: 5, window: 1), .pairs(pairs: 5, window: 16), .fanOut(members: 20, senders: 1, window: 8),
        .fanOut(members: 20, senders: 3, window: 8),
    ]

    private func measure(
        _ scenario: Scenario, _ fault: LeanCloudStub.Fault = .none, accounts: [Account]? = nil, group: String = "g"
    ) throws -> Measurement? {
        try LeanCloudStub.serving(fault) { endpoint in
            let bounds = Bounds.short(waitsForAll: fault != .lose)
            let server = ServerUnderTest(
                name: "stub", endpoint: endpoint, speech: .leanCloud, process: getpid(),
                accounts: accounts ?? Preparation.inventedAccounts(100), group: group, keepsForAbsent: true,
                appID: LeanCloudStub.appID)
            return try ScenarioRun(server: server, bounds: bounds, signals: try SignalWatch()).measure(scenario)
        }
    }

    @Test(
        "a server that keeps its promises has no faults, and the figures have the names of the other protocols",
        arguments: traffic)
    func honest(_ scenario: Scenario) throws {
        let result = try #require(try self.measure(scenario))
        #expect(result.faults == Faults())
        #expect(result.metrics.first.map { $0.name == "delivered" && $0.value > 0 } == true)
        #expect(result.metrics.map(\.name).contains("cpu/delivery"))
        #expect(result.notes.isEmpty || result.notes == [Self.generatorNote])
    }

    /// The stub is in this process: what it needs counts as the generator's.
    private static let generatorNote = "the generator used more than 90 % of a core: it may be the bottleneck"

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

    @Test("messages that the server refuses are counted, with its code, and not missed")
    func refusing() throws {
        let faults = try #require(try self.measure(.pairs(pairs: 2, window: 4), .refuse)).faults
        #expect(faults.refused > 0 && faults.refusalReason == 4401)
        #expect(faults.lost == 0 && faults.unanswered == 0)
    }

    @Test("a command that ends too early ends the run")
    func cut() {
        #expect(throws: BenchError.server("the server sent a command that ends inside a field")) {
            try self.measure(.pairs(pairs: 2, window: 4), .cutCommand)
        }
    }

    @Test("a group that the sender is not in ends the run")
    func noGroup() {
        #expect(throws: BenchError.server("u100000 is in no conversation called other")) {
            try self.measure(.fanOut(members: 3, senders: 1, window: 1), group: "other")
        }
    }

    @Test("sign-ins are counted, with a word on their proof, and silent connections weighed")
    func connections() throws {
        let signIn = try #require(try self.measure(.signIn(connections: 100)))
        #expect(signIn.metrics.first.map { $0.value > 0 } == true)
        #expect(signIn.notes.count == 1 && signIn.notes[0].hasSuffix("leancloud.sign_in is open"))
        let idle = try #require(try self.measure(.idle(connections: 20)))
        #expect(idle.metrics.map(\.name) == ["per connection", "rss before", "rss after"])
    }

    @Test("a refused sign-in ends the run")
    func refused() {
        #expect(throws: BenchError.server("the server does not sign a in: SIGNATURE_FAILED (4102)")) {
            try self.measure(.signIn(connections: 1), accounts: [Account(user: "a", token: "wrong")])
        }
    }

    @Test("coming back to messages is left out and says why")
    func catchUp() throws {
        let result = try #require(try self.measure(.catchUp(messages: 10)))
        #expect(result.metrics.isEmpty && result.faults == Faults())
        #expect(result.notes.count == 1 && result.notes[0].hasPrefix("left out: "))
    }
}
