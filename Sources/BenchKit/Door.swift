/// Where a message goes.
enum Destination: Equatable {
    case person(String)
    case group(String)
}

/// A server's protocol, as the generator speaks it. Calls go through this once per read, not once per frame.
protocol Door: AnyObject {
    /// Whether a sender who is a member of a group gets its own messages back.
    var echoesToSender: Bool { get }

    /// Writes what a client says first.
    func greet(_ connection: LoadConnection)

    /// Handles the whole frames at the start of `bytes` and returns how many bytes they were. Moves the connection's
    /// phase on, and tells `traffic` of answers and arrivals.
    func receive(
        _ bytes: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) -> Int

    func template(run: UInt32, sender: Int, to destination: Destination) -> MessageTemplate

    /// Writes one message of `sender` to the connection's buffer.
    func write(_ stamp: Stamp, slot: Int, of sender: Sender, to connection: LoadConnection)
}

extension Door {
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
