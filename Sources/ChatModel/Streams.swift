/// How far one lane of a message that is still being written has come: the text of an agent, the call of a tool.
///
/// The message itself is there from the beginning and stays as it is; its lanes are shown with it. Only where each
/// one stands is kept, not every step on the way.
package struct StreamState: Hashable, Sendable {
    /// Status of a lane.
    package enum Status: Int64, Sendable, CaseIterable {
        case open = 0
        case closed = 1
        case failed = 2
        case cancelled = 3
    }

    /// People who are shown a stream lane.
    package enum Visibility: Int64, Sendable, CaseIterable {
        case everyone = 0
        /// The message's sender, and the app's own server.
        case sender = 1
        /// As `sender`; the app gives it a meaning of its own.
        case restricted = 2
    }

    /// Names the lane within its message; 1...128 bytes.
    package var key: String
    /// Status of the lane.
    package var status: Status
    /// Number of the last step, counted over all lanes of the message from 1; the store sets it.
    package var lastNumber: Int64
    /// ID of the last event.
    package var lastEventID: String
    /// Type of the last event.
    package var lastEventType: String
    /// People who are shown it.
    package var visibility: Visibility
    /// Time of the last event, UTC milliseconds.
    package var occurredAtMilliseconds: Int64
    /// Content so far, as JSON text.
    package var snapshot: [UInt8]?
    /// 0...255, the app's own number.
    package var endReason: Int
    /// Error that ended it; `nil` for none.
    package var error: String?

    package init(
        key: String, status: Status, lastNumber: Int64 = 0, lastEventID: String, lastEventType: String,
        visibility: Visibility, occurredAtMilliseconds: Int64, snapshot: [UInt8]? = nil, endReason: Int = 0,
        error: String? = nil
    ) {
        self.key = key
        self.status = status
        self.lastNumber = lastNumber
        self.lastEventID = lastEventID
        self.lastEventType = lastEventType
        self.visibility = visibility
        self.occurredAtMilliseconds = occurredAtMilliseconds
        self.snapshot = snapshot
        self.endReason = endReason
        self.error = error
    }
}

/// Bounds of what is written into messages step by step.
package enum StreamLimits {
    /// Lanes of one message.
    package static let lanes = 64
    /// Maximum bytes of a lane's key.
    package static let keyBytes = 128
    /// Bytes of what has come together in one lane.
    package static let snapshotBytes = 256 * 1024
    /// Maximum bytes of an error.
    package static let errorBytes = 1024
}
