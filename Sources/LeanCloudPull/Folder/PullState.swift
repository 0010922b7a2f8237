import ByteCodec

/// How far a pull is: what is written after each page, so that one that was killed goes on where it was. Pure.
struct PullState: Hashable, Sendable {
    static let format: Int64 = 1

    /// A scan under way.
    struct Scan: Hashable, Sendable {
        var cursor: String?
        /// UTC milliseconds when the cursor was given.
        var cursorAt: Int64 = 0
        var rows: Int64 = 0
        /// How often it began anew.
        var restarts: Int64 = 0
    }

    /// The walk through the history under way.
    struct Walk: Hashable, Sendable {
        var anchor: MessageKey?
        /// The day that is written.
        var day: String?
    }

    var source: String
    var app: String
    /// UTC milliseconds when the round under way began; `nil` between two.
    var roundBegan: Int64?
    /// Steps of the round that are done: `class _File`, `history`, ...
    var done: Set<String> = []
    var scans: [String: Scan] = [:]
    var walk = Walk()
    /// How far the history was read in rounds that ended.
    var newest: Int64?
    /// The last conversation that was asked for its own history in this round.
    var askedUpTo: String?
    /// The time of the latest change of each class that is known.
    var changed: [String: Int64] = [:]

    init(source: String, app: String) {
        self.source = source
        self.app = app
    }

    // MARK: JSON

    /// - Throws: `newerFolder` for one of a newer format, `input` for one that cannot be read.
    init(parsing bytes: [UInt8], path: String) throws(PullError) {
        guard let json = try? JSONValue(parsing: bytes), let format = json["format"]?.integer,
            let source = json["source"]?.string, let app = json["app"]?.string
        else { throw .input(path: path, reason: "damaged: remove it, and the pull begins anew with what is there") }
        guard format == Self.format else { throw .newerFolder(format: format) }
        self.source = source
        self.app = app
        self.roundBegan = json["roundBegan"]?.integer
        self.done = Set((json["done"]?.array ?? []).compactMap(\.string))
        self.newest = json["newest"]?.integer
        self.askedUpTo = json["askedUpTo"]?.string
        for member in json["scans"]?.object ?? [] {
            self.scans[member.name] = Scan(
                cursor: member.value["cursor"]?.string, cursorAt: member.value["cursorAt"]?.integer ?? 0,
                rows: member.value["rows"]?.integer ?? 0, restarts: member.value["restarts"]?.integer ?? 0)
        }
        for member in json["changed"]?.object ?? [] { self.changed[member.name] = member.value.integer }
        if let walk = json["walk"] {
            if let time = walk["timestamp"]?.integer {
                self.walk.anchor = MessageKey(
                    timestamp: time, conversation: walk["conversation"]?.string ?? "",
                    message: walk["message"]?.string ?? "")
            }
            self.walk.day = walk["day"]?.string
        }
    }

    var serialized: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("format")
        json.integer(Self.format)
        json.key("source")
        json.string(self.source)
        json.key("app")
        json.string(self.app)
        Self.write("roundBegan", self.roundBegan, to: &json)
        Self.write("newest", self.newest, to: &json)
        if let askedUpTo = self.askedUpTo {
            json.key("askedUpTo")
            json.string(askedUpTo)
        }
        json.key("done")
        json.beginArray()
        for step in self.done.sorted() { json.string(step) }
        json.endArray()
        json.key("changed")
        json.beginObject()
        for (name, time) in self.changed.sorted(by: { $0.key < $1.key }) {
            json.key(name)
            json.integer(time)
        }
        json.endObject()
        json.key("scans")
        json.beginObject()
        for (name, scan) in self.scans.sorted(by: { $0.key < $1.key }) {
            json.key(name)
            scan.write(to: &json)
        }
        json.endObject()
        json.key("walk")
        self.walk.write(to: &json)
        json.endObject()
        return json.bytes
    }

    fileprivate static func write(_ name: String, _ value: Int64?, to json: inout JSONWriter) {
        guard let value else { return }
        json.key(name)
        json.integer(value)
    }
}

extension PullState.Scan {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        if let cursor = self.cursor {
            json.key("cursor")
            json.string(cursor)
        }
        PullState.write("cursorAt", self.cursorAt, to: &json)
        PullState.write("rows", self.rows, to: &json)
        PullState.write("restarts", self.restarts, to: &json)
        json.endObject()
    }
}

extension PullState.Walk {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        if let anchor = self.anchor {
            PullState.write("timestamp", anchor.timestamp, to: &json)
            json.key("conversation")
            json.string(anchor.conversation)
            json.key("message")
            json.string(anchor.message)
        }
        if let day = self.day {
            json.key("day")
            json.string(day)
        }
        json.endObject()
    }
}
