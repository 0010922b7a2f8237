import CLinux
import Glibc

/// A server that is there to be measured.
package struct ServerUnderTest {
    package enum Speech: Sendable { case json, mqtt }

    package var name: String
    package var endpoint: Endpoint
    package var speech: Speech
    /// `nil` when the server runs elsewhere: then its memory and processor time are unknown.
    package var process: Int32?
    /// People who may sign in; the first ones are the members of `group`.
    package var accounts: [Account]
    package var group: String
    /// Whether messages for people who are away are kept and delivered when they come.
    package var keepsForAbsent: Bool

    package init(
        name: String, endpoint: Endpoint, speech: Speech, process: Int32?, accounts: [Account], group: String,
        keepsForAbsent: Bool
    ) {
        self.name = name
        self.endpoint = endpoint
        self.speech = speech
        self.process = process
        self.accounts = accounts
        self.group = group
        self.keepsForAbsent = keepsForAbsent
    }
}

/// One scenario on one server, once.
package struct ScenarioRun {
    let server: ServerUnderTest
    let bounds: Bounds
    let signals: SignalWatch

    package init(server: ServerUnderTest, bounds: Bounds, signals: SignalWatch) {
        self.server = server
        self.bounds = bounds
        self.signals = signals
    }

    /// Runs it. Returns `nil` when the server does not offer what is measured.
    package func measure(_ scenario: Scenario) throws(BenchError) -> Measurement? {
        guard scenario.users <= self.server.accounts.count else {
            throw .usage(
                "\(scenario.label) needs \(scenario.users) accounts; there are \(self.server.accounts.count): "
                    + "give more in --users")
        }
        let (figures, faults, notes) =
            switch scenario {
            case .pairs, .fanOut: try self.measureTraffic(scenario)
            case .idle(let connections): try self.measureIdle(connections)
            case .signIn(let connections): try self.measureSignIn(connections)
            case .catchUp(let messages):
                if self.server.keepsForAbsent { try self.measureCatchUp(messages) } else { ([], Faults(), []) }
            }
        if figures.isEmpty { return nil }
        return Measurement(
            scenario: scenario.label, server: self.server.name, figures: figures, faults: faults, notes: notes)
    }

    typealias Outcome = ([Figure], Faults, [String])

    func makeDoor(group: String? = nil, cleanSession: Bool = true) -> any Door {
        switch self.server.speech {
        case .json: JSONDoor(host: self.server.endpoint.description)
        case .mqtt: MQTTDoor(group: group, cleanSession: cleanSession)
        }
    }

    static func newRunNumber() -> UInt32 { UInt32.random(in: 1...UInt32.max) }

    func serverFigures() throws(BenchError) -> ProcessFigures? {
        guard let process = self.server.process else { return nil }
        return try ProcessFigures(process: process)
    }

    func makeLoop(_ door: any Door, _ traffic: Traffic) throws(BenchError) -> LoadLoop {
        try LoadLoop(self.server.endpoint, door, traffic, self.signals)
    }
}
