import ByteCodec
import ChatModel
import Store

/// Summary of a message's stream lanes in an answer: `event_meta`, and the fields older clients know.
///
/// Source: WuKongIM v2.2.5, /channel/messagesync.
struct StreamSummary: Sendable {
    /// Lanes that may be seen, without the one that says that the message is complete.
    var lanes: [StreamState]
    var isFinished: Bool
    var lastNumber: Int64
    /// Without what has come together.
    var isBasic: Bool

    /// - Returns: `nil` for a message that was not written step by step.
    init?(_ all: [StreamState], seesEverything: Bool, isBasic: Bool) {
        let visible = all.filter { seesEverything || $0.visibility == .everyone }
        guard !visible.isEmpty else { return nil }
        self.lanes = visible.filter { $0.key != StreamStep.finishKey }
        self.isFinished = visible.contains { $0.key == StreamStep.finishKey }
        self.lastNumber = visible.map(\.lastNumber).max() ?? 0
        self.isBasic = isBasic
    }

    private var openCount: Int { self.lanes.count { $0.status == .open } }
    private var isComplete: Bool { self.isFinished || self.openCount == 0 }

    // MARK: Writing

    /// The members that stand in the message.
    func write(clientNumber: [UInt8], to json: inout JSONWriter) {
        if let main = self.lanes.first(where: { $0.key == StreamStep.mainKey }) { self.writeOld(main, &json) }
        json.key("event_meta")
        json.beginObject()
        json.key("has_events")
        json.boolean(true)
        json.key("completed")
        json.boolean(self.isComplete)
        json.key("event_version")
        json.integer(self.lastNumber)
        json.key("last_msg_event_seq")
        json.integer(self.lastNumber)
        json.key("event_count")
        json.integer(Int64(self.lanes.count))
        json.key("open_event_count")
        json.integer(Int64(self.openCount))
        json.key("events")
        json.beginArray()
        for lane in self.lanes { self.write(lane, &json) }
        json.endArray()
        json.endObject()
        json.key("event_sync_hint")
        json.beginObject()
        json.key("client_msg_no")
        json.string(clientNumber)
        json.key("from_msg_event_seq")
        json.integer(0)
        json.endObject()
    }

    private func writeOld(_ main: StreamState, _ json: inout JSONWriter) {
        json.key("end")
        json.integer(main.status == .open && !self.isFinished ? 0 : 1)
        json.key("end_reason")
        json.integer(Int64(main.endReason))
        if let error = main.error {
            json.key("error")
            json.string(error)
        }
        guard !self.isBasic, let snapshot = main.snapshot else { return }
        let text = (try? JSONValue(parsing: snapshot))?["text"]?.string
        json.key("stream_data")
        json.base64(of: text.map { Array($0.utf8) } ?? snapshot)
    }

    private func write(_ lane: StreamState, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("event_key")
        json.string(lane.key)
        json.key("status")
        json.string(lane.status.word)
        json.key("last_msg_event_seq")
        json.integer(lane.lastNumber)
        if !self.isBasic, let snapshot = lane.snapshot {
            json.key("snapshot")
            json.raw(snapshot)
        }
        if lane.status != .open {
            json.key("end_reason")
            json.integer(Int64(lane.endReason))
        }
        if let error = lane.error {
            json.key("error")
            json.string(error)
        }
        json.endObject()
    }
}

extension [MessageAnswer] {
    /// Adds what is known of messages that were written step by step.
    ///
    /// - Parameters:
    ///   - asker: who reads; they see private lanes of messages of their own.
    ///   - isManager: sees all.
    mutating func addStreams(
        in id: ConversationID, asker: UserID?, isManager: Bool, isBasic: Bool = false, _ transaction: ReadTransaction
    ) throws(StoreError) {
        // The store takes a thousand at a time.
        for start in stride(from: 0, to: self.count, by: 1000) {
            let part = start..<Swift.min(start + 1000, self.count)
            let streams = try transaction.streams.streams(of: self[part].map(\.message.sequence), in: id)
            if !streams.isEmpty { self.add(streams, to: part, asker, isManager: isManager, isBasic: isBasic) }
        }
    }

    private mutating func add(
        _ streams: [Int64: [StreamState]], to part: Range<Int>, _ asker: UserID?, isManager: Bool, isBasic: Bool
    ) {
        for index in part {
            let message = self[index].message
            guard let lanes = streams[message.sequence], !message.content.flags.contains(.withdrawn),
                !message.isStandIn
            else { continue }
            self[index].streams = StreamSummary(
                lanes, seesEverything: isManager || message.sender == asker, isBasic: isBasic)
        }
    }
}
