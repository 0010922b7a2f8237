package import ChatModel

/// One answer's body on its way out of a file. For one connection; it never blocks.
package final class DownloadFlow: Sendable {
    private let task: DownloadTask
    /// Identifies the transfer.
    package let key: TransferKey

    init(_ task: DownloadTask, _ key: TransferKey) {
        self.task = task
        self.key = key
    }

    /// A connection that forgets its flow is gone.
    deinit { self.task.close() }

    /// The bytes that are sent: of the plain content, or of all that is kept.
    package var range: Range<Int64> { self.task.range }

    /// How many bytes come in all.
    package var length: Int64 { Int64(self.task.range.count) }

    /// Asks for the next piece: 1...262,144 bytes, or `nil` after the last. One at a time; it waits while the download
    /// is suspended or over its bandwidth cap.
    ///
    /// A failure before the last piece (`damaged`, `cancelled`, `failed`, `stopping`) means that the answer has to be
    /// broken off, so that what came is not taken for the whole file.
    ///
    /// - Parameter then: called once, on any thread.
    package func next(then: @escaping @Sendable (Result<[UInt8]?, TransferError>) -> Void) { self.task.next(then) }

    /// The connection has everything, or is gone. May be called more than once.
    package func end() { self.task.close() }
}
