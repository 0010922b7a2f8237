/// A person who signs in.
package struct Account: Hashable, Sendable {
    /// User that signs in.
    package var user: String
    /// Token of the user.
    package var token: String

    package init(user: String, token: String) {
        self.user = user
        self.token = token
    }
}

/// One connection of the generator.
final class LoadConnection {
    enum Phase { case connecting, upgrading, signingIn, subscribing, seeking, ready, closed }

    /// Among the connections of the loop, and so the receiver's number in the ledger.
    let index: Int
    let account: Account
    let descriptor: Int32
    var phase = Phase.connecting
    // The generator is one thread that changes one buffer at a time; checking that costs more than the change.
    /// Rest of a read: the start of a frame.
    @exclusivity(unchecked) var unread = ByteBuffer()
    @exclusivity(unchecked) var unsent = ByteBuffer()
    /// Has unsent bytes that wait for the end of the loop turn.
    var isDirty = false
    /// Has unsent bytes that wait for room in the socket.
    var isBlocked = false
    var sender: Sender?
    /// The sequence of the newest message that came, 0 before the first.
    @exclusivity(unchecked) var newestSequence: UInt64 = 0

    init(index: Int, account: Account, descriptor: Int32) {
        self.index = index
        self.account = account
        self.descriptor = descriptor
    }
}
