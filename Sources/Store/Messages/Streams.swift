package import ChatModel

extension StreamReads {
    /// Where the lanes of these messages stand, by sequence, each message's in the order of their last steps. Says
    /// nothing about who may know. At most 1000 messages at a time.
    package func streams(
        of sequences: [Int64], in id: ConversationID
    ) throws(StoreError) -> [Int64: [StreamState]] {
        guard !sequences.isEmpty else { return [:] }
        let sql: StaticString = """
            SELECT key, status, number, event_id, event_type, visibility, occurred_at, snapshot, end_reason, error, sequence
            FROM message_stream WHERE conversation_id = ? AND sequence IN (SELECT value FROM json_each(?))
            ORDER BY sequence, number
            """
        let rows = try self.transaction.connection.query(sql, id, try MessageReads.list(sequences)) {
            row throws(StoreError) in
            (sequence: row.int64(10), state: try row.streamState())
        }
        var streams: [Int64: [StreamState]] = [:]
        for row in rows { streams[row.sequence, default: []].append(row.state) }
        return streams
    }
}

extension StreamWrites {
    /// Takes a step in one lane of a message.
    ///
    /// - Parameter step: gets all lanes of the message and returns the changed one; its number is set here. `nil`
    ///   changes nothing.
    /// - Returns: the changed lane; `nil` when nothing changed.
    /// - Throws: `refused`: `noSuchMessage`, `alreadyGone`, `tooMany`; `invalid` above a bound; what `step` throws.
    package func changeStream(
        of place: MessagePlace, _ step: ([StreamState]) throws(StoreError) -> StreamState?
    ) throws(StoreError) -> StreamState? {
        let message = try self.transaction.reading.messages.one(
            in: place.conversation, sequence: place.sequence, as: .unrestricted)
        guard let message else { throw .refused(.noSuchMessage) }
        guard !message.content.flags.contains(.withdrawn) else { throw .refused(.alreadyGone) }
        let lanes =
            try self.transaction.reading.streams.streams(of: [place.sequence], in: place.conversation)[place.sequence]
            ?? []
        guard var next = try step(lanes) else { return nil }
        try Self.check(next, among: lanes)
        next.lastNumber = (lanes.map(\.lastNumber).max() ?? 0) + 1
        try self.transaction.connection.run(
            """
            INSERT OR REPLACE INTO message_stream (conversation_id, sequence, key, status, number, event_id, event_type,
                visibility, occurred_at, snapshot, end_reason, error)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, place.conversation, place.sequence, next.key, next.status.rawValue, next.lastNumber, next.lastEventID,
            next.lastEventType, next.visibility.rawValue, next.occurredAtMilliseconds, next.snapshot, next.endReason,
            next.error)
        return next
    }

    private static func check(_ next: StreamState, among lanes: [StreamState]) throws(StoreError) {
        guard (1...StreamLimits.keyBytes).contains(next.key.utf8.count) else {
            throw .invalid("a lane's key has 1 to \(StreamLimits.keyBytes) bytes")
        }
        guard next.snapshot?.count ?? 0 <= StreamLimits.snapshotBytes else {
            throw .invalid("the content of one lane has at most \(StreamLimits.snapshotBytes) bytes")
        }
        guard next.error?.utf8.count ?? 0 <= StreamLimits.errorBytes else {
            throw .invalid("an error has at most \(StreamLimits.errorBytes) bytes")
        }
        let isNew = !lanes.contains { $0.key == next.key }
        guard !isNew || lanes.count < StreamLimits.lanes else {
            throw .refused(.tooMany(limit: StreamLimits.lanes))
        }
    }
}

extension Row {
    fileprivate func streamState() throws(StoreError) -> StreamState {
        guard let status = StreamState.Status(rawValue: self.int64(1)),
            let visibility = StreamState.Visibility(rawValue: self.int64(5))
        else { throw Self.damaged("state of a lane") }
        return StreamState(
            key: self.text(0), status: status, lastNumber: self.int64(2), lastEventID: self.text(3),
            lastEventType: self.text(4), visibility: visibility, occurredAtMilliseconds: self.int64(6),
            snapshot: self.optionalBlob(7), endReason: Int(self.int64(8)), error: self.optionalText(9))
    }
}

extension ReadTransaction {
    /// Reads of streamed messages.
    package var streams: StreamReads { StreamReads(transaction: self) }
}

/// Reads of streamed messages. Valid as long as its transaction.
package struct StreamReads {
    let transaction: ReadTransaction
}

extension WriteTransaction {
    /// Changes of streamed messages.
    package var streams: StreamWrites { StreamWrites(transaction: self) }
}

/// Changes of streamed messages. Valid as long as its transaction.
package struct StreamWrites {
    let transaction: WriteTransaction
}

// Messages that are written step by step.
extension Verifier {
    func checkStreams() throws(StoreError) {
        let rows = try self.connection.query(
            """
            SELECT conversation_id, sequence FROM message_stream s
            WHERE NOT EXISTS (
                SELECT 1 FROM message m WHERE m.conversation_id = s.conversation_id AND m.sequence = s.sequence)
            OR status NOT BETWEEN 0 AND 3 OR visibility NOT BETWEEN 0 AND 2
            OR (snapshot IS NOT NULL AND NOT json_valid(CAST(snapshot AS TEXT)))
            UNION SELECT conversation_id, sequence FROM message_stream GROUP BY conversation_id, sequence, number
                HAVING count(*) > 1
            """
        ) { row throws(StoreError) in (conversation: row.int64(0), sequence: row.int64(1)) }
        for row in rows {
            self.notes.add(
                .messageChange,
                "Conversation number \(row.conversation), message \(row.sequence): what was written into it step by "
                    + "step is damaged. Keep the folder and report it.")
        }
    }
}
