/// Where a message goes.
enum Destination: Hashable {
    case person(String)
    case group(String)
}

/// A server's protocol, as the generator speaks it. Calls go through this once per read, not once per frame.
protocol BenchClient: AnyObject {
    /// True when a sender who is a member of a group gets its own messages back.
    var echoesToSender: Bool { get }

    /// Writes what a client says first.
    func greet(_ connection: LoadConnection)

    /// Handles the whole frames at the start of `bytes` and returns how many bytes they were. Moves the connection's
    /// phase on, and tells `traffic` of answers and arrivals.
    func receive(
        _ bytes: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) -> Int

    /// Asks the server where messages of this connection, which is ready, to `destination` go, in a protocol whose
    /// conversations have names of their own.
    ///
    /// - Returns: whether it has to ask: then the connection is ready again when the answer is here.
    func seek(_ destination: Destination, _ connection: LoadConnection) -> Bool

    /// After `seek`, in a protocol that asks.
    func template(run: UInt32, sender: Int, to destination: Destination) -> MessageTemplate

    /// Writes one message of `sender` to the connection's buffer.
    func write(_ stamp: Stamp, slot: Int, of sender: Sender, to connection: LoadConnection)
}

extension BenchClient {
    func seek(_ destination: Destination, _ connection: LoadConnection) -> Bool { false }

    /// Fills the sender's window.
    func sendAllowed(_ connection: LoadConnection, _ traffic: Traffic) {
        guard traffic.isSending, let sender = connection.sender else { return }
        while let (counter, slot) = sender.next(at: traffic.now) {
            let stamp = Stamp(
                run: traffic.run, sender: UInt32(sender.ordinal), counter: counter, sentAt: traffic.now)
            self.write(stamp, slot: slot, of: sender, to: connection)
        }
    }
}
