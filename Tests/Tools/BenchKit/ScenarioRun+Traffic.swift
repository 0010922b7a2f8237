import CLinux
import Glibc

extension ScenarioRun {
    /// Route of a message: connection and destination.
    private typealias Route = (connection: Int, destination: Destination)

    /// More than this share of a core, and the generator is what is being measured.
    private static let generatorLimit = 0.9

    func measureTraffic(_ scenario: Scenario) throws(BenchError) -> Outcome {
        let accounts = Array(self.server.accounts.prefix(scenario.users))
        let benchClient = try self.makeClient(group: scenario.groupMembers > 0 ? self.server.group : nil)
        let (routes, layout, window) = self.plan(scenario, accounts, echo: benchClient.echoesToSender)
        let traffic = Traffic(run: Self.newRunNumber(), layout: layout)
        let loop = try self.makeLoop(benchClient, traffic)
        try loop.open(accounts, seconds: self.bounds.openSeconds)
        try loop.seek(routes, seconds: self.bounds.openSeconds)
        let senders = routes.enumerated().map { ordinal, route in
            let template = benchClient.template(run: traffic.run, sender: ordinal, to: route.destination)
            let sender = Sender(ordinal: ordinal, window: window, template: template)
            loop.connections[route.connection].sender = sender
            return sender
        }

        try loop.startSending()
        try loop.run(seconds: self.bounds.warmUpSeconds)
        let before = try self.sample(traffic)
        traffic.isMeasuring = true
        try loop.run(seconds: self.bounds.measuredSeconds)
        traffic.isMeasuring = false
        let after = try self.sample(traffic)
        traffic.isSending = false
        try loop.run(seconds: self.bounds.drainSeconds) {
            senders.allSatisfy { $0.unanswered == 0 } && traffic.ledger.delivered >= traffic.owed
        }
        // A repeat may follow right behind the last delivery.
        try loop.run(seconds: 0.05)
        let (metrics, notes) = self.metrics(traffic, from: before, to: after)
        return (metrics, traffic.faults(of: senders), notes)
    }

    private func plan(
        _ scenario: Scenario, _ accounts: [Account], echo: Bool
    ) -> ([Route], DeliveryLedger.Layout, window: Int) {
        if case .fanOut(let members, let senders, let window) = scenario {
            let routes: [Route] = (0..<senders).map { ($0, .group(self.server.group)) }
            return (routes, .group(receivers: members, senders: senders, echo: echo), window)
        }
        guard case .pairs(_, let window) = scenario else { preconditionFailure("no traffic in \(scenario.label)") }
        // Neighbours talk to each other; everybody is the sender with their own number.
        let routes: [Route] = accounts.indices.map { ($0, .person(accounts[$0 ^ 1].user)) }
        return (routes, .direct(senderOf: accounts.indices.map { $0 ^ 1 }), window)
    }

    private struct Sample {
        var at: Int64
        var acknowledged: Int
        var delivered: Int
        var ownCPU: Int64
        var server: ProcessMetrics?
    }

    private func sample(_ traffic: Traffic) throws(BenchError) -> Sample {
        Sample(
            at: clinux_monotonic_nanoseconds(), acknowledged: traffic.acknowledged,
            delivered: traffic.ledger.delivered, ownCPU: ownCPUNanoseconds(), server: try self.serverMetrics())
    }

    private func metrics(_ traffic: Traffic, from before: Sample, to after: Sample) -> ([Figure], [String]) {
        let seconds = Double(after.at - before.at) / 1e9
        let deliveries = Double(after.delivered - before.delivered)
        let acknowledge = traffic.acknowledgeLatency
        let delivery = traffic.deliveryLatency
        var metrics = [
            Figure("delivered", deliveries / seconds, .perSecond),
            Figure("acknowledged", Double(after.acknowledged - before.acknowledged) / seconds, .perSecond),
        ]
        for (name, fraction) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
            metrics.append(Figure("ack \(name)", Double(acknowledge.percentile(fraction)) / 1e3, .microseconds))
        }
        for (name, fraction) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
            metrics.append(Figure("recv \(name)", Double(delivery.percentile(fraction)) / 1e3, .microseconds))
        }
        if let first = before.server, let last = after.server {
            let cpu = Double(last.cpuNanoseconds - first.cpuNanoseconds)
            metrics.append(Figure("cpu/delivery", cpu / 1e3 / max(1, deliveries), .microseconds))
            metrics.append(Figure("server cpu", cpu / 1e7 / seconds, .percent))
            metrics.append(Figure("server rss", Double(last.residentKibibytes), .kibibytes))
        }
        let share = Double(after.ownCPU - before.ownCPU) / 1e9 / seconds
        metrics.append(Figure("client cpu", share * 100, .percent))
        var notes: [String] = []
        if share > Self.generatorLimit {
            notes.append("the generator used more than 90 % of a core: it may be the bottleneck")
        }
        if traffic.stale > 0 { notes.append("\(traffic.stale) messages of earlier runs arrived and were not counted") }
        return (metrics, notes)
    }
}
