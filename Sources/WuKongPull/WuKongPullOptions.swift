import ByteCodec

/// Options of a pull from a WuKongIM server of version 2.
package struct WuKongPullOptions: Sendable {
    /// `http://old:5001`; without a path.
    package var source: String
    /// Folder that it goes into.
    package var folder: String
    /// The source's managerToken; `nil` where it has none.
    package var token: String?
    /// File with names of users and channels, a line of JSON each.
    package var names: String?
    /// False where the source's own listings of users and channels are not asked for.
    package var lists = true
    /// Requests in a second.
    package var rate = 50
    /// More certificate authorities than the system's, PEM.
    package var caFile: String?
    /// Pause before a request that was refused is sent again.
    package var refusalPauseMilliseconds: Int64 = 500

    package init(source: String, folder: String) {
        self.source = source
        self.folder = folder
    }
}

/// How a pull went.
package struct WuKongPullReport: Sendable {
    /// Something that could not be fetched.
    package struct Failure: Hashable, Sendable {
        /// Subject of the failure.
        package var what: String
        /// Reason for the operator.
        package var why: String
    }

    /// Failures that are kept one by one.
    static let mostFailures = 1_000

    /// Rows of each table of the folder.
    package var tables: [(path: String, rows: Int64)] = []
    /// Users that the source counts; `nil` where it does not say.
    package var usersThere: Int64?
    /// Remarks that are no failures.
    package var notes: [String] = []
    /// First failures.
    package private(set) var failures: [Failure] = []
    /// Failures together.
    package private(set) var failed: Int64 = 0

    /// True when nothing failed.
    package var isWhole: Bool { self.failed == 0 }

    mutating func noteFailure(_ what: String, _ why: String) {
        self.failed += 1
        if self.failures.count < Self.mostFailures { self.failures.append(Failure(what: what, why: why)) }
    }

    /// JSON text of an object.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("tables")
        json.beginObject()
        for (path, rows) in self.tables {
            json.key(path)
            json.integer(rows)
        }
        json.endObject()
        if let there = self.usersThere {
            json.key("usersThere")
            json.integer(there)
        }
        json.key("failed")
        json.integer(self.failed)
        json.key("failures")
        json.beginArray()
        for failure in self.failures {
            json.beginObject()
            json.key("what")
            json.string(failure.what)
            json.key("why")
            json.string(failure.why)
            json.endObject()
        }
        json.endArray()
        json.key("notes")
        json.beginArray()
        for note in self.notes { json.string(note) }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
