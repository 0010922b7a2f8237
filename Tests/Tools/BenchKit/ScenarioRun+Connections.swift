import CLinux
import Glibc

extension ScenarioRun {
    /// Silence between the last sign-in and the reading of the memory, so that work of the sign-ins is over.
    private static let settleSeconds = 0.5

    func measureIdle(_ connections: Int) throws(BenchError) -> Outcome {
        guard let before = try self.serverMetrics() else {
            throw .usage("idle reads the server's memory: give its process with --server-pid")
        }
        let loop = try self.makeLoop(self.makeClient(silent: true), self.silentTraffic(connections))
        try loop.open(Array(self.server.accounts.prefix(connections)), seconds: self.bounds.openSeconds)
        try loop.run(seconds: Self.settleSeconds)
        guard let after = try self.serverMetrics() else { throw .server("the server's process has ended") }
        let grown = Double(after.residentKibibytes - before.residentKibibytes) * 1024
        return (
            [
                Figure("per connection", grown / Double(connections), .bytes),
                Figure("rss before", Double(before.residentKibibytes), .kibibytes),
                Figure("rss after", Double(after.residentKibibytes), .kibibytes),
            ], Faults(), []
        )
    }

    func measureSignIn(_ connections: Int) throws(BenchError) -> Outcome {
        let loop = try self.makeLoop(self.makeClient(silent: true), self.silentTraffic(connections))
        let before = try self.serverMetrics()
        let ownBefore = ownCPUNanoseconds()
        let start = clinux_monotonic_nanoseconds()
        try loop.open(Array(self.server.accounts.prefix(connections)), seconds: self.bounds.openSeconds)
        let seconds = Double(clinux_monotonic_nanoseconds() - start) / 1e9
        var metrics = [
            Figure("sign-ins", Double(connections) / seconds, .perSecond),
            Figure("all in after", seconds, .seconds),
        ]
        if let before, let after = try self.serverMetrics() {
            let cpu = Double(after.cpuNanoseconds - before.cpuNanoseconds)
            metrics.append(Figure("cpu/sign-in", cpu / 1e3 / Double(connections), .microseconds))
        }
        metrics.append(Figure("client cpu", Double(ownCPUNanoseconds() - ownBefore) / 1e7 / seconds, .percent))
        return (metrics, Faults(), [])
    }

    /// For runs in which nobody says anything.
    private func silentTraffic(_ connections: Int) -> Traffic {
        Traffic(run: Self.newRunNumber(), layout: .direct(senderOf: Array(repeating: -1, count: connections)))
    }
}
