import ByteCodec
package import ChatModel

/// Content of a record of any kind.
package enum LogEntry: Hashable, Sendable {
    case message(LoggedMessage)
    case read(LoggedRead)
    case delivered(LoggedDelivered)
    case mentions(LoggedMentions)

    /// Understands a record.
    ///
    /// - Throws: `unreadable` when its bytes are not exactly what its kind has: no version that could read this format
    ///   has written it.
    package init(_ record: LogRecord) throws(LogError) {
        do throws(DecodeError) {
            self = try record.payload.withUnsafeBufferPointer { bytes throws(DecodeError) in
                var fields = FieldReader(UnsafeRawBufferPointer(bytes))
                let entry: LogEntry
                switch record.kind {
                case .message: entry = .message(try LoggedMessage(&fields))
                case .read: entry = .read(try LoggedRead(&fields))
                case .delivered: entry = .delivered(try LoggedDelivered(&fields))
                case .mentions: entry = .mentions(try LoggedMentions(&fields))
                }
                try fields.finish()
                return entry
            }
        } catch {
            throw .unreadable(position: record.position, reason: error.description)
        }
    }

    /// Conversation that it is about.
    package var conversation: ConversationID {
        switch self {
        case .message(let message): message.conversation
        case .read(let read): read.conversation
        case .delivered(let delivered): delivered.conversation
        case .mentions(let mentions): mentions.conversation
        }
    }
}

extension LogEntry {
    /// Wall clock of the batch in which it was decided, UTC milliseconds.
    var wallMilliseconds: Int64 {
        switch self {
        case .message(let message): message.wallMilliseconds
        case .read(let read): read.wallMilliseconds
        case .delivered(let delivered): delivered.wallMilliseconds
        case .mentions(let mentions): mentions.wallMilliseconds
        }
    }

    /// Receipts that a position causes.
    package var receipts: [LoggedReceipt] {
        switch self {
        case .message, .mentions: []
        case .read(let read): read.receipts
        case .delivered(let delivered): delivered.receipts
        }
    }

    /// The newest number of the sequencer in it; 0 for none.
    package var number: Int64 {
        switch self {
        case .message(let message): message.id.rawValue
        case .read(let read): read.receipts.reduce(read.position.rawValue) { max($0, $1.position.rawValue) }
        case .delivered(let delivered): delivered.receipts.reduce(0) { max($0, $1.position.rawValue) }
        case .mentions(let mentions): mentions.position.rawValue
        }
    }
}

extension LogBatch {
    /// Adds a record of any kind.
    ///
    /// - Throws: `tooLarge`; then nothing was added.
    package mutating func add(_ entry: LogEntry) throws(LogError) {
        switch entry {
        case .message(let message): try self.add(message)
        case .read(let read): try self.add(read)
        case .delivered(let delivered): try self.add(delivered)
        case .mentions(let mentions): try self.add(mentions)
        }
    }
}
