import CLinux
import Glibc

extension ScenarioRun {
    /// Messages the sender keeps unanswered while the receiver is away.
    private static let window = 32

    func measureCatchUp(_ messages: Int) throws(BenchError) -> Outcome {
        // The last account: other scenarios use the first ones.
        let receiver = self.server.accounts[self.server.accounts.count - 1]
        let benchClient = try self.makeClient(cleanSession: false)
        if self.server.speech == .mqtt { try self.subscribeAndLeave(receiver) }

        let traffic = Traffic(run: Self.newRunNumber(), layout: .direct(senderOf: [-1, 0]))
        let loop = try self.makeLoop(benchClient, traffic)
        try loop.open([self.server.accounts[0]], seconds: self.bounds.openSeconds)
        let sender = Sender(
            ordinal: 0, window: Self.window,
            template: benchClient.template(run: traffic.run, sender: 0, to: .person(receiver.user)))
        sender.limit = UInt32(messages)
        loop.connections[0].sender = sender
        try loop.startSending()
        let stored = try loop.run(seconds: self.bounds.openSeconds) {
            traffic.acknowledged + traffic.refused == messages
        }
        guard stored else { throw .timeout("storing \(messages) messages", seconds: self.bounds.openSeconds) }

        let start = clinux_monotonic_nanoseconds()
        try loop.open([receiver], seconds: self.bounds.openSeconds)
        let signedIn = clinux_monotonic_nanoseconds()
        try loop.run(seconds: self.bounds.drainSeconds) { traffic.ledger.delivered >= traffic.owed }
        let seconds = Double(traffic.now - start) / 1e9
        let metrics = [
            Figure("last received after", seconds, .seconds),
            Figure("signed in after", Double(signedIn - start) / 1e9, .seconds),
            Figure("received", Double(traffic.ledger.delivered) / seconds, .perSecond),
        ]
        return (metrics, traffic.faults(of: [sender]), [])
    }

    /// Makes a session that the broker keeps, so that it stores what comes next.
    private func subscribeAndLeave(_ account: Account) throws(BenchError) {
        let silent = Traffic(run: Self.newRunNumber(), layout: .direct(senderOf: [-1]))
        let loop = try self.makeLoop(self.makeClient(cleanSession: false), silent)
        try loop.open([account], seconds: self.bounds.openSeconds)
        loop.closeAll()
    }
}
