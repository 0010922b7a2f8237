/// The shortest way from the bytes of an `ack` to the message that a client got.
///
/// A group of 500 acknowledges each message 500 times, so this command is most of what a busy server reads. The fields that
/// SDKs fill are looked at where they stand; anything else is left to the full reader.
///
/// Source: the Swift and Java SDKs, which acknowledge each message by `mid` and `cid`.
///
/// SAFETY: it keeps the buffer's address and must not leave the closure that lent the buffer.
package struct CompactAcknowledgement {
    /// The client that says so; `nil` when the command names none.
    package let peer: UnsafeRawBufferPointer?
    /// The conversation's id as the client knows it.
    package let conversation: UnsafeRawBufferPointer
    /// Identifies the message that is acknowledged.
    package let message: LeanCloudMessageID

    /// - Parameter frame: a command in binary form.
    /// - Returns: `nil` when it is anything but a client, a message and its conversation, each of them once.
    package init?(in frame: UnsafeRawBufferPointer) {
        var (isAck, peer, content) = (false, Range<Int>?.none, Range<Int>?.none)
        let isCompact = Self.read(frame, 0..<frame.count) { field in
            switch (field.number, field.wireType) {
            case (1, .varint): isAck = field.value == UInt64(CommandType.ack.rawValue)
            case (4, .delimited) where peer == nil: peer = field.content
            case (105, .delimited) where content == nil: content = field.content
            default: return false
            }
            return true
        }
        guard isCompact, isAck, let content else { return nil }
        var (message, conversation) = (Range<Int>?.none, Range<Int>?.none)
        let isOne = Self.read(frame, content) { field in
            switch (field.number, field.wireType) {
            case (3, .delimited) where message == nil: message = field.content
            case (4, .delimited) where conversation == nil: conversation = field.content
            default: return false
            }
            return true
        }
        guard isOne, let message, let conversation,
            let known = LeanCloudMessageID(urlSafe: UnsafeRawBufferPointer(rebasing: frame[message]))
        else { return nil }
        self.peer = peer.map { UnsafeRawBufferPointer(rebasing: frame[$0]) }
        self.conversation = UnsafeRawBufferPointer(rebasing: frame[conversation])
        self.message = known
    }

    /// - Returns: whether all fields of the part are well-formed and `take` wants every one.
    private static func read(
        _ frame: UnsafeRawBufferPointer, _ part: Range<Int>, _ take: (RawField) -> Bool
    ) -> Bool {
        let limits = WireLimits()
        var scanner = FieldScanner(frame, part, limits: limits, fieldsLeft: limits.fields)
        do throws(LeanCloudWireError) {
            while let field = try scanner.next() {
                guard take(field) else { return false }
            }
            return true
        } catch {
            return false
        }
    }
}
