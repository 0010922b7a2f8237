import ByteCodec

/// What a pull brought, counted here and there. Pure.
package struct PullReport: Hashable, Sendable {
    /// One class, or one of the other things.
    package struct Line: Hashable, Sendable {
        package var name: String
        package var here: Int64 = 0
        /// What the source counts; `nil` where it has no number.
        package var there: Int64?
        /// Rows that no program could read; their bytes are in `odd/`.
        package var odd: Int64 = 0
        /// Rows of earlier pulls that are gone there.
        package var gone: Int64 = 0
        /// Why it could not be had.
        package var failure: String?
        /// Whether somebody asked for it by name.
        package var isAsked = true

        package init(_ name: String) { self.name = name }

        package var missing: Int64 { max(0, (self.there ?? 0) - self.here - self.odd) }
    }

    package var classes: [Line] = []
    package var messages = Line("messages")
    package var firstMessage: Int64?
    package var lastMessage: Int64?
    /// Conversations whose last message, as their rows have it, is not among those that came.
    package var lacking: [String] = []
    package var lackingCount: Int64 = 0
    package var exported = Line("users")
    package var subscribers = Line("subscribers")
    package var files = Line("files")
    package var fileBytes: Int64 = 0
    /// Contents that are not here or not as they should be, the first of them.
    package var badFiles: [String] = []
    package var badFileCount: Int64 = 0
    /// Things to know that are no failures.
    package var notes: [String] = []

    package init() {}

    /// Conversations and files that are named in a report.
    package static let maximumNamed = 100

    /// Whether all that is there is here.
    package var isWhole: Bool {
        self.classes.allSatisfy { $0.failure == nil && $0.missing == 0 } && self.messages.failure == nil
            && self.subscribers.failure == nil && self.badFileCount == 0
    }

    package var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("whole")
        json.boolean(self.isWhole)
        json.key("classes")
        json.beginArray()
        for line in self.classes { Self.write(line, &json) }
        json.endArray()
        json.key("messages")
        Self.write(self.messages, &json)
        json.key("lacking")
        json.beginArray()
        for id in self.lacking { json.string(id) }
        json.endArray()
        json.key("export")
        Self.write(self.exported, &json)
        json.key("subscribers")
        Self.write(self.subscribers, &json)
        json.key("files")
        Self.write(self.files, &json)
        json.key("fileBytes")
        json.integer(self.fileBytes)
        json.key("badFiles")
        json.beginArray()
        for text in self.badFiles { json.string(text) }
        json.endArray()
        json.key("badFileCount")
        json.integer(self.badFileCount)
        json.key("notes")
        json.beginArray()
        for note in self.notes { json.string(note) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ line: Line, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("name")
        json.string(line.name)
        json.key("here")
        json.integer(line.here)
        if let there = line.there {
            json.key("there")
            json.integer(there)
            json.key("missing")
            json.integer(line.missing)
        }
        json.key("odd")
        json.integer(line.odd)
        json.key("gone")
        json.integer(line.gone)
        if let failure = line.failure {
            json.key("failure")
            json.string(failure)
        }
        json.endObject()
    }
}
