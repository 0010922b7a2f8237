import APIKit
import ByteCodec
import ChatModel
import Store

/// One step in a message that is written while people watch. Pure.
///
/// Source: WuKongIM v2.2.5, /message/event: deltas of kind `text` are put together, others replace what was there;
/// close, error and cancel end a lane and may bring its last state; finish ends the message. A step that came before,
/// and one into what has ended, change nothing.
struct StreamStep: Sendable {
    enum Kind: String, Sendable {
        case delta = "stream.delta"
        case snapshot = "stream.snapshot"
        case close = "stream.close"
        case failure = "stream.error"
        case cancel = "stream.cancel"
        case finish = "stream.finish"
    }

    /// The lane that is meant when none is named, and the one that says that the message is complete.
    static let mainKey = "main"
    static let finishKey = "__finish__"
    private static let eventIDBytes = 1...255

    var eventID: String
    var kind: Kind
    var key: String
    var visibility: StreamState.Visibility
    var occurredAtMilliseconds: Int64
    var payload: JSONValue

    init(_ fields: APIFields, now: Int64) throws(APIFailure) {
        self.eventID = try fields.text("event_id")
        guard Self.eventIDBytes.contains(self.eventID.utf8.count) else { throw .bad("event_id has at most 255 bytes") }
        guard let kind = Kind(rawValue: try fields.text("event_type")) else {
            throw .bad("event_type must be stream.delta, .snapshot, .close, .error, .cancel or .finish")
        }
        self.kind = kind
        let key = try fields.optionalText("event_key") ?? ""
        self.key = kind == .finish ? Self.finishKey : key.isEmpty ? Self.mainKey : key
        self.visibility = try Self.visibility(try fields.optionalText("visibility") ?? "")
        let occurred = try fields.largeInteger("occurred_at") ?? 0
        self.occurredAtMilliseconds = occurred > 0 ? occurred : now
        self.payload = fields.member("payload") ?? .object([])
    }

    private static func visibility(_ text: String) throws(APIFailure) -> StreamState.Visibility {
        switch text {
        case "", "public": return .everyone
        case "private": return .sender
        case "restricted": return .restricted
        default: throw .bad("visibility must be public, private or restricted")
        }
    }

    /// The lane after this step; `nil` when it changes nothing.
    func next(after lanes: [StreamState]) throws(StoreError) -> StreamState? {
        if lanes.contains(where: { $0.key == Self.finishKey }) { return nil }
        let before = lanes.first { $0.key == self.key }
        if let before, before.status != .open || before.lastEventID == self.eventID { return nil }
        var next = StreamState(
            key: self.key, status: .open, lastEventID: self.eventID, lastEventType: self.kind.rawValue,
            visibility: self.visibility, occurredAtMilliseconds: self.occurredAtMilliseconds,
            snapshot: before?.snapshot)
        switch self.kind {
        case .delta: next.snapshot = self.merged(into: before?.snapshot)
        case .snapshot: next.snapshot = self.payload.serialized()
        case .close, .finish: try self.end(&next, .closed)
        case .failure: try self.end(&next, .failed)
        case .cancel: try self.end(&next, .cancelled)
        }
        return next
    }

    private func merged(into snapshot: [UInt8]?) -> [UInt8] {
        guard self.payload["kind"]?.string == "text", let delta = self.payload["delta"]?.string else {
            return self.payload.serialized()
        }
        let before = snapshot.flatMap { try? JSONValue(parsing: $0) }?["text"]?.string ?? ""
        return JSONValue.object([
            JSONValue.Member("kind", .string("text")), JSONValue.Member("text", .string(before + delta)),
        ]).serialized()
    }

    private func end(_ next: inout StreamState, _ status: StreamState.Status) throws(StoreError) {
        next.status = status
        if let last = self.payload["snapshot"], last.object != nil { next.snapshot = last.serialized() }
        let reason = self.payload["end_reason"]?.integer ?? 0
        guard (0...255).contains(reason) else { throw .invalid("end_reason must be 0 to 255") }
        next.endReason = Int(reason)
        if status == .failed { next.error = self.payload["error"]?.string ?? "" }
    }
}

extension StreamState.Status {
    /// WuKongIM's word.
    var word: String {
        switch self {
        case .open: "open"
        case .closed: "closed"
        case .failed: "error"
        case .cancelled: "cancelled"
        }
    }
}

extension StreamState.Visibility {
    /// WuKongIM's word.
    var word: String {
        switch self {
        case .everyone: "public"
        case .sender: "private"
        case .restricted: "restricted"
        }
    }
}
