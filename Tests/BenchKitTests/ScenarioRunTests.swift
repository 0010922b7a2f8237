import CBench
import CLinux
import Execution
import Glibc
import Testing

@testable import BenchKit

/// Whole runs against the reference server, which is in another thread of this process.
@Suite(.serialized) struct ScenarioRunTests {
    private static let traffic: [Scenario] = [
        .pairs(pairs: 5, window: 1), .pairs(pairs: 5, window: 16), .fanOut(members: 20, senders: 1, window: 8),
        .fanOut(members: 20, senders: 3, window: 8),
    ]

    @Test("a server that keeps its promises has no faults, with and without a log", arguments: traffic, [false, true])
    func honest(_ scenario: Scenario, _ withLog: Bool) throws {
        let measurement = try withReference(log: withLog) { try $0.measure(scenario) }
        let result = try #require(measurement)
        #expect(result.faults == Faults())
        #expect(result.metrics.first?.name == "delivered")
        #expect(result.metrics.allSatisfy { $0.value > 0 || $0.name.hasSuffix("cpu") || $0.name.hasPrefix("cpu") })
    }

    @Test("acknowledged messages that do not arrive are found", arguments: traffic)
    func losing(_ scenario: Scenario) throws {
        let measurement = try withReference(fault: CBENCH_FAULT_LOSE) { try $0.measure(scenario) }
        let faults = try #require(measurement).faults
        #expect(faults.lost > 0)
        #expect(faults.duplicated == 0 && faults.reordered == 0 && faults.misdirected == 0)
    }

    @Test("messages that arrive twice are found", arguments: traffic)
    func repeating(_ scenario: Scenario) throws {
        let measurement = try withReference(fault: CBENCH_FAULT_REPEAT) { try $0.measure(scenario) }
        let faults = try #require(measurement).faults
        #expect(faults.duplicated > 0)
        #expect(faults.lost == 0 && faults.reordered == 0 && faults.misdirected == 0)
    }

    @Test("messages in the wrong order are found")
    func swapping() throws {
        let measurement = try withReference(fault: CBENCH_FAULT_SWAP) {
            try $0.measure(.pairs(pairs: 2, window: 16))
        }
        let faults = try #require(measurement).faults
        #expect(faults.reordered > 0)
        #expect(faults.duplicated == 0 && faults.misdirected == 0)
    }

    @Test("sign-ins are counted and silent connections weighed")
    func connections() throws {
        let signIn = try #require(try withReference { try $0.measure(.signIn(connections: 300)) })
        #expect(signIn.metrics.first.map { $0.value > 0 } == true)
        let idle = try #require(try withReference { try $0.measure(.idle(connections: 50)) })
        #expect(idle.metrics.map(\.name) == ["per connection", "rss before", "rss after"])
    }

    @Test("what a server does not offer has no figures")
    func notOffered() throws {
        #expect(try withReference { try $0.measure(.catchUp(messages: 10)) } == nil)
    }

    @Test("more people than accounts are refused before anything is connected")
    func tooFewAccounts() throws {
        #expect(throws: BenchError.self) { try withReference { try $0.measure(.signIn(connections: 301)) } }
    }

    @Test("the log holds every message before its acknowledgement")
    func logHasMessages() throws {
        let folder = try TemporaryFolder(in: "/tmp")
        let path = "\(folder.path)/log"
        try writeFile(path, "")
        let measurement = try withReference(logPath: path) { try $0.measure(.pairs(pairs: 1, window: 4)) }
        #expect(try #require(measurement).faults == Faults())
        let log = try readFile(path)
        #expect(log.contains(#""method":"send","params":{"channelId":"u100001""#))
        #expect(log.contains(#""method":"send","params":{"channelId":"u100000""#))
    }

    @Test("Mosquitto passes the same check", .enabled(if: ServerChoice.mosquitto(saving: false).isAvailable))
    func mosquitto() throws {
        var options = Options()
        options.scenarios = [.fanOut(members: 10, senders: 2, window: 4)]
        options.workFolder = "/tmp"
        let signals = try SignalWatch()
        let stage = try Stage(options, signals)
        defer { stage.stop() }
        let server = try stage.start(.mosquitto(saving: false))
        let run = ScenarioRun(server: server, bounds: .short(), signals: signals)
        for scenario in [options.scenarios[0], .pairs(pairs: 3, window: 8), .catchUp(messages: 50)] {
            let measurement = try #require(try run.measure(scenario))
            #expect(measurement.faults == Faults())
            #expect(measurement.metrics.allSatisfy { $0.value >= 0 })
        }
    }
}

extension Bounds {
    /// Bounds of a run of a quarter of a second.
    ///
    /// - Parameter waitsForAll: the run ends when everything has arrived, however long a busy machine needs for it. False
    ///   where the server loses messages, and the wait would be in vain.
    static func short(waitsForAll: Bool = true) -> Bounds {
        var bounds = Bounds()
        bounds.warmUpSeconds = 0.02
        bounds.measuredSeconds = 0.25
        bounds.drainSeconds = waitsForAll ? 30 : 0.5
        return bounds
    }
}

/// Runs the reference server for as long as `body` takes.
private func withReference<Result>(
    log: Bool = false, logPath: String? = nil, fault: cbench_fault = CBENCH_FAULT_NONE,
    _ body: (ScenarioRun) throws -> Result
) throws -> Result {
    var port: UInt16 = 0
    let listener = cbench_listen(&port)
    try #require(listener >= 0)
    let stop = clinux_eventfd()
    var descriptor: Int32 = -1
    if let logPath { descriptor = open(logPath, O_WRONLY | O_APPEND) }
    if log { descriptor = fileno(tmpfile()) }
    let (logDescriptor, faultKind) = (descriptor, fault.rawValue)
    let thread = Thread(name: "reference") {
        var server = cbench_server()
        server.listener = listener
        server.stop = stop
        server.log = logDescriptor
        server.fault = cbench_fault(rawValue: faultKind)
        server.fault_every = 10
        _ = cbench_serve(&server)
    }
    defer {
        clinux_eventfd_signal(stop)
        thread.join()
        close(listener)
        close(stop)
        if logDescriptor >= 0 { close(logDescriptor) }
    }
    let server = ServerUnderTest(
        name: "reference", endpoint: Endpoint(port: port), speech: .json, process: getpid(),
        accounts: Preparation.inventedAccounts(300), group: "g", keepsForAbsent: false)
    let bounds = Bounds.short(waitsForAll: fault != CBENCH_FAULT_LOSE)
    return try body(ScenarioRun(server: server, bounds: bounds, signals: SignalWatch()))
}
