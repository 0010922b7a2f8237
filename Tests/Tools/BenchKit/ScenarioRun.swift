import CLinux
import Glibc

/// A server that is there to be measured.
package struct ServerUnderTest {
    /// Protocol that a server speaks.
    package enum Speech: Sendable { case json, binary, leanCloud, mqtt }

    /// Name of the server in tables.
    package var name: String
    /// Address of the server.
    package var endpoint: Endpoint
    /// Protocol that the server speaks.
    package var speech: Speech
    /// `nil` when the server runs elsewhere: then its memory and processor time are unknown.
    package var process: Int32?
    /// People who may sign in; the first ones are the members of `group`.
    package var accounts: [Account]
    /// Name of the group.
    package var group: String
    /// True when messages for people who are away are kept and delivered when they come.
    package var keepsForAbsent: Bool
    /// App ID of LeanCloud's clients; empty for any other protocol.
    package var appID: String

    package init(
        name: String, endpoint: Endpoint, speech: Speech, process: Int32?, accounts: [Account], group: String,
        keepsForAbsent: Bool, appID: String = ""
    ) {
        self.name = name
        self.endpoint = endpoint
        self.speech = speech
        self.process = process
        self.accounts = accounts
        self.group = group
        self.keepsForAbsent = keepsForAbsent
        self.appID = appID
    }
}

/// One scenario on one server, once.
package struct ScenarioRun {
    let server: ServerUnderTest
    let bounds: Bounds
    let signals: SignalWatch
    /// See `Options.keyCheckInterval`.
    let keyCheckInterval: Int

    package init(server: ServerUnderTest, bounds: Bounds, signals: SignalWatch, keyCheckInterval: Int = 64) {
        self.server = server
        self.bounds = bounds
        self.signals = signals
        self.keyCheckInterval = keyCheckInterval
    }

    /// Runs it. Returns `nil` when the server does not offer what is measured.
    package func measure(_ scenario: Scenario) throws(BenchError) -> Measurement? {
        guard scenario.users <= self.server.accounts.count else {
            throw .usage(
                "\(scenario.label) needs \(scenario.users) accounts; there are \(self.server.accounts.count): "
                    + "give more in --users")
        }
        let (metrics, faults, notes) =
            switch scenario {
            case .pairs, .fanOut: try self.measureTraffic(scenario)
            case .idle(let connections): try self.measureIdle(connections)
            case .signIn(let connections): try self.measureSignIn(connections)
            case .catchUp(let messages):
                if self.catchesUp { try self.measureCatchUp(messages) } else { ([], Faults(), []) }
            }
        let allNotes = notes + self.encodingNotes(scenario)
        if metrics.isEmpty && allNotes.isEmpty { return nil }
        return Measurement(
            scenario: scenario.label, server: self.server.name, metrics: metrics, faults: faults, notes: allNotes)
    }

    private var catchesUp: Bool {
        switch self.server.speech {
        case .json, .mqtt: self.server.keepsForAbsent
        case .binary, .leanCloud: false
        }
    }

    /// Notes on work of clients that the generator leaves out.
    private func encodingNotes(_ scenario: Scenario) -> [String] {
        switch self.server.speech {
        case .json, .mqtt: []
        case .binary: self.binaryNotes(scenario)
        case .leanCloud: Self.leanCloudNotes(scenario)
        }
    }

    private static func leanCloudNotes(_ scenario: Scenario) -> [String] {
        switch scenario {
        case .pairs, .fanOut, .idle: []
        case .signIn: ["a server that was started here asks these clients for no proof: leancloud.sign_in is open"]
        case .catchUp: ["left out: LeanCloud's clients are told how much they missed, and ask for it in pages"]
        }
    }

    private func binaryNotes(_ scenario: Scenario) -> [String] {
        switch scenario {
        case .pairs, .fanOut:
            return [
                "one key pair for all connections; key and payload of 1/\(self.keyCheckInterval) of arrivals are checked"
            ]
        case .signIn, .idle:
            return ["the generator has one key pair for all connections and derives no session keys"]
        case .catchUp:
            return ["left out: clients of the binary encoding fetch what they missed over HTTP, not from this door"]
        }
    }

    typealias Outcome = ([Figure], Faults, [String])

    /// - Parameter silent: whether nobody will say anything.
    func makeClient(
        group: String? = nil, cleanSession: Bool = true, silent: Bool = false
    ) throws(BenchError) -> any BenchClient {
        let host = self.server.endpoint.description
        return switch self.server.speech {
        case .json: JSONBenchClient(host: host)
        case .binary:
            try BinaryBenchClient(host: host, keyUse: silent ? .none : .traffic(checking: self.keyCheckInterval))
        case .leanCloud: LeanCloudBenchClient(host: host, appID: self.server.appID)
        case .mqtt: MQTTBenchClient(group: group, cleanSession: cleanSession)
        }
    }

    static func newRunNumber() -> UInt32 { UInt32.random(in: 1...UInt32.max) }

    func serverMetrics() throws(BenchError) -> ProcessMetrics? {
        guard let process = self.server.process else { return nil }
        return try ProcessMetrics(process: process)
    }

    func makeLoop(_ benchClient: any BenchClient, _ traffic: Traffic) throws(BenchError) -> LoadLoop {
        try LoadLoop(self.server.endpoint, benchClient, traffic, self.signals)
    }
}
