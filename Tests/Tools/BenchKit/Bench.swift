import CBench
import Glibc

/// The program: runs every scenario on every server, in turn, and prints how they compare.
package struct Bench {
    private let options: Options
    private let stage: Stage
    private let signals: SignalWatch
    private var failures = 0
    private var all: [Measurement] = []

    /// Runs the command line; returns the exit status.
    package static func main(_ words: [String]) -> Int32 {
        do throws(BenchError) {
            if words.first == ReferenceServer.command, words.count == 3 {
                try ReferenceServer.serve(kind: words[1], folder: words[2])
            }
            if words.contains("--help") || words.contains("-h") || words == ["help"] {
                emit(Options.help)
                return 0
            }
            cbench_raise_file_limit()
            var bench = try Bench(OptionParser.parse(words))
            return try bench.run()
        } catch {
            complain("teahouse-bench: \(error)\n")
            if case .usage = error { return 64 }
            return 1
        }
    }

    private init(_ options: Options) throws(BenchError) {
        self.options = options
        self.signals = try SignalWatch()
        self.stage = try Stage(options, self.signals)
    }

    private mutating func run() throws(BenchError) -> Int32 {
        for scenario in self.options.scenarios {
            let medians = try self.measure(scenario)
            self.all += medians
            if !self.options.json, !medians.isEmpty { emit(Report.table(medians) + "\n") }
        }
        if self.options.json { emit(Report.json(self.all) + "\n") }
        return self.failures == 0 && self.all.allSatisfy(\.faults.isEmpty) ? 0 : 1
    }

    /// Servers take turns, so that what else the machine does hits all of them alike.
    private mutating func measure(_ scenario: Scenario) throws(BenchError) -> [Measurement] {
        var rounds: [ServerChoice: [Measurement]] = [:]
        for round in 1...self.options.rounds {
            for choice in self.options.servers {
                complain("\(scenario.label): \(choice.name), round \(round) of \(self.options.rounds)\n")
                if let measurement = try self.measure(scenario, choice) {
                    rounds[choice, default: []].append(measurement)
                }
            }
        }
        return self.options.servers.compactMap { Measurement.median(of: rounds[$0] ?? []) }
    }

    /// One run. What a server does wrong is told and counted, and the others go on.
    private mutating func measure(_ scenario: Scenario, _ choice: ServerChoice) throws(BenchError) -> Measurement? {
        defer { self.stage.stop() }
        do throws(BenchError) {
            let server = try self.stage.start(choice)
            let run = ScenarioRun(
                server: server, bounds: self.options.bounds, signals: self.signals,
                keyCheckInterval: self.options.keyCheckInterval)
            return try run.measure(scenario)
        } catch {
            switch error {
            case .usage, .unavailable, .interrupted: throw error
            case .system, .server, .timeout:
                complain("\(scenario.label): \(choice.name) failed: \(error)\n")
                self.failures += 1
                return nil
            }
        }
    }
}
