package import ChatModel

/// One request's body on its way into an upload. For one connection; it never blocks.
package final class UploadFlow: Sendable {
    /// Where in the file the body begins.
    package let offset: Int64
    private let task: UploadTask
    private let number: Int
    private let finish: @Sendable (UploadTask, Int, @escaping Transfers.Answer) -> Void

    init(
        _ task: UploadTask, number: Int, offset: Int64,
        finish: @escaping @Sendable (UploadTask, Int, @escaping Transfers.Answer) -> Void
    ) {
        self.task = task
        self.number = number
        self.offset = offset
        self.finish = finish
    }

    /// A connection that forgets its flow is gone.
    deinit { self.task.abandon(flow: self.number) }

    /// Identifies the transfer.
    package var key: TransferKey { self.task.key }

    /// Bytes that wait in memory for the disk.
    package var pendingBytes: Int { self.task.pendingBytes }

    /// Hands over the next bytes of the body. They are taken in any case, unless the flow has failed.
    ///
    /// - Returns: false when no more is to be read from the connection until `setWhenRoom`'s closure was called: there
    ///   is enough in memory, the upload is suspended, or the flow has `failure`.
    package func push(_ bytes: [UInt8]) -> Bool { self.task.push(bytes, flow: self.number) }

    /// Called on any thread when there is room again, once for each time `push` said false, and when the flow failed.
    package func setWhenRoom(_ call: @escaping @Sendable () -> Void) { self.task.setWhenRoom(call, flow: self.number) }

    /// Why the flow is over before its end: `tooLong`, `cancelled`, `full`, `failed`, `stopping`, `busy`
    /// where another request goes on in its place, or the upload was
    /// given up meanwhile (`over`). Nothing that is pushed is taken any more.
    package var failure: TransferError? { self.task.failure(of: self.number) }

    /// The body is complete. Answers when it is on the disk, and, when that makes the file whole (or its size was never
    /// declared), when the file is: the view's state is then `succeeded` and its `file` is there.
    ///
    /// With a checksum that is wrong (`wrongChecksum`) nothing of the body stays.
    ///
    /// - Parameter then: called on any thread, once.
    package func end(then: @escaping Transfers.Answer) { self.finish(self.task, self.number, then) }

    /// The connection is gone: what came of the body stays, unless it had a checksum.
    package func abandon() { self.task.abandon(flow: self.number) }
}
