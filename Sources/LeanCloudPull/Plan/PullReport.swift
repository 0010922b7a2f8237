import ByteCodec

/// Report of a pull, counted here and at the source. Pure.
package struct PullReport: Hashable, Sendable {
    /// One class, or one of the other things.
    package struct Line: Hashable, Sendable {
        /// Name of the class or part.
        package var name: String
        /// Rows in the folder.
        package var here: Int64 = 0
        /// Rows that the source counts; `nil` where it gives no number.
        package var there: Int64?
        /// Rows that no program could read; their bytes are in `odd/`.
        package var odd: Int64 = 0
        /// Rows of earlier pulls that are gone there.
        package var gone: Int64 = 0
        /// Why it could not be had.
        package var failure: String?
        /// True when the part was asked for by name.
        package var isAsked = true

        package init(_ name: String) { self.name = name }

        /// Rows that the source has and the folder does not.
        package var missing: Int64 { max(0, (self.there ?? 0) - self.here - self.odd) }
    }

    /// Classes, one line each.
    package var classes: [Line] = []
    /// Messages.
    package var messages = Line("messages")
    /// Time of the oldest message, UTC milliseconds; `nil` without messages.
    package var firstMessage: Int64?
    /// Time of the newest message, UTC milliseconds; `nil` without messages.
    package var lastMessage: Int64?
    /// Conversations whose last message, as their rows have it, is not among those that came.
    package var lacking: [String] = []
    /// Conversations whose last message is missing.
    package var lackingCount: Int64 = 0
    /// People of the export.
    package var exported = Line("users")
    /// Subscribers of system conversations.
    package var subscribers = Line("subscribers")
    /// Files with their contents.
    package var files = Line("files")
    /// Bytes of the files in the folder.
    package var fileBytes: Int64 = 0
    /// Contents that are not here or not as they should be, the first of them.
    package var badFiles: [String] = []
    /// Files that are missing or differ from their rows.
    package var badFileCount: Int64 = 0
    /// Things to know that are no failures.
    package var notes: [String] = []

    package init() {}

    /// Conversations and files that are named in a report.
    package static let maximumNamed = 100

    /// True when everything at the source is in the folder.
    package var isWhole: Bool {
        self.classes.allSatisfy { $0.failure == nil && $0.missing == 0 } && self.messages.failure == nil
            && self.subscribers.failure == nil && self.badFileCount == 0
    }

    /// Report as JSON.
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
