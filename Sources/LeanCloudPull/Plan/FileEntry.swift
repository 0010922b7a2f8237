import ByteCodec

/// Outcome of fetching one content: a line of `files.jsonl`. Pure.
struct FileEntry: Hashable, Sendable {
    enum State: String, Sendable, CaseIterable {
        /// Here, and as its row says.
        case saved = "ok"
        /// Here, but of another size or hash than its row says, twice.
        case differs
        /// Not at its address any more.
        case gone
        /// An address where nothing is fetched from.
        case refused
        case failed
    }

    let objectID: String
    let url: String
    let state: State
    /// Below the folder; empty for one that is not here.
    var path = ""
    var bytes: Int64 = 0
    var sha256 = ""
    /// Why it is not as it should be.
    var why = ""

    init(_ plan: FilePlan, _ state: State, why: String = "") {
        self.objectID = plan.objectID
        self.url = plan.url
        self.state = state
        self.why = why
    }

    init?(line: [UInt8]) {
        guard let row = Row(line: line), let id = row.objectID, let url = row.string("url"),
            let state = row.string("state").flatMap({ State(rawValue: $0) })
        else { return nil }
        self.objectID = id
        self.url = url
        self.state = state
        self.path = row.string("path") ?? ""
        self.bytes = row.integer("bytes") ?? 0
        self.sha256 = row.string("sha256") ?? ""
        self.why = row.string("why") ?? ""
    }

    /// True when the content is in the folder.
    var isHere: Bool { self.state == .saved || self.state == .differs }

    var line: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("objectId")
        json.string(self.objectID)
        json.key("state")
        json.string(self.state.rawValue)
        if self.isHere {
            json.key("path")
            json.string(self.path)
            json.key("bytes")
            json.integer(self.bytes)
            json.key("sha256")
            json.string(self.sha256)
        }
        if !self.why.isEmpty {
            json.key("why")
            json.string(self.why)
        }
        json.key("url")
        json.string(self.url)
        json.endObject()
        return json.bytes
    }
}
