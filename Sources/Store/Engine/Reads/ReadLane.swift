package import ChatModel

/// The kinds of reads, by how long one may take and how long it may wait.
package enum ReadLane: CaseIterable, Sendable {
    /// Finds out who somebody is, by a few keys. It waits for other sign-ins only: a thread is kept free for them.
    case signIn
    /// A page or some look-ups: milliseconds.
    case page
    /// Looks through many rows. It ends after `ReadBounds.longMilliseconds` and says where to go on, and never has the
    /// thread that is kept for pages.
    case long
}

/// On whose account the time of a read goes. Those who wait in one lane take turns, whatever each of them asks for.
package enum ReadAsker: Hashable, Sendable {
    /// This server itself: start, events for others, maintenance.
    case server
    /// Commands and console.
    case `operator`
    /// An app's own server.
    case application
    case person(UserID)
    /// Somebody who proved nothing, or has the key that all clients have: the address, for IPv6 its /64.
    case address(String)

    /// True when the number and the time of the lane's reads are bounded.
    package var isBounded: Bool {
        switch self {
        case .server, .operator, .application: false
        case .person, .address: true
        }
    }
}

/// Bounds of reading.
package enum ReadBounds {
    /// Reads of one asker that may wait in one lane; one more is refused as busy.
    package static let waiting = 128
    /// Long reads of one asker at once.
    package static let longAtOnce = 2
    /// Milliseconds of a reader's thread after which a long read ends and says where to go on.
    package static let longMilliseconds: Int64 = 500
    /// Milliseconds after which a read of somebody who is bounded is broken off. It concerns questions that have no place to
    /// go on from, and slow disks.
    package static let milliseconds: Int64 = 4 * Self.longMilliseconds
    /// Bytes of message bodies in one page, about. A page has at least one message.
    package static let pageBytes = 1 << 20
    /// Messages that a page of history has even when they are more than `pageBytes`: clients take a page that is shorter
    /// than what they asked for as the last one, and what they ask for by themselves is at most this.
    package static let wholePageMessages = 100
    /// Bytes at which a page of history ends all the same: so many messages of the usual `limits.body_bytes` are less.
    package static let wholePageBytes = 100 * (32_768 + PageRoom.overheadBytes)
    /// Time of a reader's thread that counts for each read at least, and for one that has not ended, in nanoseconds.
    static let leastNanoseconds: Int64 = 100_000
    /// By how much who asks after a pause comes before those who are busy.
    static let headStartNanoseconds: Int64 = 10_000_000
}
