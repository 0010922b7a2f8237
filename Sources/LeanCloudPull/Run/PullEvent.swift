/// Progress of a pull, for an observer.
package enum PullEvent: Hashable, Sendable {
    /// Part of the source that is being fetched.
    package enum Subject: Hashable, Sendable {
        case export
        case rows(of: String)
        case messages
        case conversations
        case subscribers
        case files
        /// Sorting and hashing what came.
        case finishing
    }

    case progress(PullProgress)
    /// The source is asked again after so long.
    case waiting(milliseconds: Int64, reason: String)
    /// A round is over while the pull follows; new rows and messages since the last.
    case followed(messages: Int64, rows: Int64, files: Int64)
}

/// How far one part of a pull is.
package struct PullProgress: Hashable, Sendable {
    /// Part of the source.
    package var subject: PullEvent.Subject
    /// Rows or messages so far.
    package var count: Int64
    /// 0...1; `nil` where nobody knows.
    package var share: Double?
    /// Bytes so far.
    package var bytes: Int64 = 0

    package init(_ subject: PullEvent.Subject, count: Int64, share: Double? = nil, bytes: Int64 = 0) {
        self.subject = subject
        self.count = count
        self.share = share
        self.bytes = bytes
    }
}
