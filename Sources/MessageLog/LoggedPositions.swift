import ByteCodec
package import ChatModel

/// A receipt that a position causes: the sender of a message is told that it arrived or was read.
package struct LoggedReceipt: Hashable, Sendable {
    /// Position of the message in the conversation.
    package var sequence: Int64
    /// Identifies the message.
    package var message: MessageID
    /// Sender of the message, who is told.
    package var sender: UserID
    /// Position of the event.
    package var position: StorePosition
    /// Time of the event, UTC milliseconds, which no other event has.
    package var atMilliseconds: Int64

    package init(
        sequence: Int64, message: MessageID, sender: UserID, position: StorePosition, atMilliseconds: Int64
    ) {
        self.sequence = sequence
        self.message = message
        self.sender = sender
        self.position = position
        self.atMilliseconds = atMilliseconds
    }
}

/// A person has read further: the numbers of their row afterwards.
package struct LoggedRead: Hashable, Sendable {
    /// Person who has read.
    package var user: UserID
    /// Conversation concerned, of which they are a member.
    package var conversation: ConversationID
    /// Newest message that is read.
    package var sequence: Int64
    /// Where the position was before.
    package var before: Int64
    /// Messages that count as unread up to `sequence`.
    package var countable: Int64
    /// Own messages after `sequence` that count.
    package var ownCountableSinceRead: Int64
    /// When it moved, UTC milliseconds.
    package var readAtMilliseconds: Int64
    /// Position of the event that tells the person's other devices.
    package var position: StorePosition
    /// True when a badge set by hand goes.
    package var clearsMark: Bool
    /// Wall clock of the batch, UTC milliseconds.
    package var wallMilliseconds: Int64
    /// Receipts for senders who asked.
    package var receipts: [LoggedReceipt] = []

    package init(
        user: UserID, conversation: ConversationID, sequence: Int64, before: Int64, countable: Int64,
        ownCountableSinceRead: Int64, readAtMilliseconds: Int64, position: StorePosition, clearsMark: Bool,
        wallMilliseconds: Int64
    ) {
        self.user = user
        self.conversation = conversation
        self.sequence = sequence
        self.before = before
        self.countable = countable
        self.ownCountableSinceRead = ownCountableSinceRead
        self.readAtMilliseconds = readAtMilliseconds
        self.position = position
        self.clearsMark = clearsMark
        self.wallMilliseconds = wallMilliseconds
    }
}

extension LoggedRead: LoggedContent {
    package var kind: LogRecordKind { .read }

    package func write(to fields: inout FieldWriter) {
        fields.byte(self.clearsMark ? 1 : 0)
        fields.number(self.user.rawValue)
        fields.number(self.conversation.rawValue)
        fields.number(self.sequence)
        fields.number(self.before)
        fields.number(self.countable)
        fields.number(self.ownCountableSinceRead)
        fields.number(self.readAtMilliseconds)
        fields.number(self.position.rawValue)
        fields.number(self.wallMilliseconds)
        fields.receipts(self.receipts)
    }

    init(_ fields: inout FieldReader) throws(DecodeError) {
        let mark = try fields.byte()
        guard mark <= 1 else { throw fields.unknown() }
        self.clearsMark = mark == 1
        self.user = UserID(rawValue: try fields.number())
        self.conversation = ConversationID(rawValue: try fields.number())
        self.sequence = try fields.number()
        self.before = try fields.number()
        self.countable = try fields.number()
        self.ownCountableSinceRead = try fields.number()
        self.readAtMilliseconds = try fields.number()
        self.position = StorePosition(rawValue: try fields.number())
        self.wallMilliseconds = try fields.number()
        self.receipts = try fields.receipts()
    }
}

/// The devices of one class of a person have received further.
package struct LoggedDelivered: Hashable, Sendable {
    /// Person whose devices they are.
    package var user: UserID
    /// Class of the devices; `nil` when only `acknowledges` counts.
    package var deviceClass: DeviceClass?
    /// Conversation concerned, of which the person is a member.
    package var conversation: ConversationID
    /// Newest message that has arrived, at most the head.
    package var sequence: Int64
    /// True when the member's own position (`acked_sequence`) moves too.
    package var acknowledges: Bool
    /// Wall clock of the batch, UTC milliseconds: when it arrived.
    package var wallMilliseconds: Int64
    /// Receipts for senders who asked.
    package var receipts: [LoggedReceipt] = []

    package init(
        user: UserID, deviceClass: DeviceClass?, conversation: ConversationID, sequence: Int64, acknowledges: Bool,
        wallMilliseconds: Int64
    ) {
        self.user = user
        self.deviceClass = deviceClass
        self.conversation = conversation
        self.sequence = sequence
        self.acknowledges = acknowledges
        self.wallMilliseconds = wallMilliseconds
    }
}

extension LoggedDelivered: LoggedContent {
    package var kind: LogRecordKind { .delivered }

    package func write(to fields: inout FieldWriter) {
        fields.byte((self.acknowledges ? 1 : 0) | (self.deviceClass == nil ? 0 : 2))
        fields.number(self.user.rawValue)
        if let deviceClass = self.deviceClass { fields.text(deviceClass.name) }
        fields.number(self.conversation.rawValue)
        fields.number(self.sequence)
        fields.number(self.wallMilliseconds)
        fields.receipts(self.receipts)
    }

    init(_ fields: inout FieldReader) throws(DecodeError) {
        let parts = try fields.byte()
        guard parts <= 3 else { throw fields.unknown() }
        self.acknowledges = parts & 1 != 0
        self.user = UserID(rawValue: try fields.number())
        if parts & 2 != 0 {
            guard let deviceClass = DeviceClass(try fields.text()) else { throw fields.unknown() }
            self.deviceClass = deviceClass
        }
        self.conversation = ConversationID(rawValue: try fields.number())
        self.sequence = try fields.number()
        self.wallMilliseconds = try fields.number()
        self.receipts = try fields.receipts()
    }
}

extension FieldWriter {
    fileprivate mutating func receipts(_ receipts: [LoggedReceipt]) {
        self.number(Int64(receipts.count))
        for receipt in receipts {
            self.number(receipt.sequence)
            self.number(receipt.message.rawValue)
            self.number(receipt.sender.rawValue)
            self.number(receipt.position.rawValue)
            self.number(receipt.atMilliseconds)
        }
    }
}

extension FieldReader {
    fileprivate mutating func receipts() throws(DecodeError) -> [LoggedReceipt] {
        var receipts: [LoggedReceipt] = []
        for _ in 0..<(try self.count()) {
            receipts.append(
                LoggedReceipt(
                    sequence: try self.number(), message: MessageID(rawValue: try self.number()),
                    sender: UserID(rawValue: try self.number()),
                    position: StorePosition(rawValue: try self.number()), atMilliseconds: try self.number()))
        }
        return receipts
    }
}
