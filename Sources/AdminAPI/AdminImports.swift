/// Requests about importing what another server kept: the lines of a folder come through the socket, since the server may
/// not read the operator's folders.
package enum AdminImportRequest: AdminDefinitions {
    /// Begins an import of an app, or goes on with the one that is under way; `nil` for one from LeanCloud.
    case begin(origin: String, source: String? = nil)
    /// Brings lines of one table, or only tells what they would become.
    case lines(AdminImportLines)
    /// Ends an import; counts are JSON text of an object.
    case finish(number: Int64, counts: String)
    /// Lists imports, newest first; `before` is the `next` of the page before.
    case list(before: Int64?)
    /// Takes an import back, or goes on with that: the answer says if it is done.
    case undo(number: Int64)

    static let all: [Self] = [
        .begin(origin: .sample, source: .sample), .lines(.sample), .finish(number: .sample, counts: .sample),
        .list(before: .sample), .undo(number: .sample),
    ]

    static let more: [Self] = [.begin(origin: .sample), .list(before: nil)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .begin(let origin, let source):
            fields.change("import.begin", .text(origin))
            let named = try fields("origin", origin)
            try fields.check(named.utf8.count <= AdminImport.maximumOriginBytes, "origin")
            return try .begin(origin: named, source: fields("source", source))
        case .lines(let lines):
            // The import as a whole is in the audit log.
            fields.look("import.lines")
            return try .lines(fields.inline(lines))
        case .finish(let number, let counts):
            fields.change("import.finish", .text(String(number)))
            let named = try fields("number", number)
            let text = try fields("counts", counts)
            try fields.check(text.utf8.count <= AdminImport.maximumCountsBytes, "counts")
            return .finish(number: named, counts: text)
        case .list(let before):
            fields.look("import.list", role: .observer)
            fields.ctl("import list", examples: ["", "--json"])
            return try .list(before: fields.page("before", before))
        case .undo(let number):
            fields.change("import.undo", .text(String(number)))
            fields.asks("ctl.importUndo.action", ["ctl.importUndo.consequence"], of: [String(number)])
            fields.ctl("import undo", examples: ["3"])
            return try .undo(number: fields("number", number, .argument("NUMBER", "argument.importNumber")))
        }
    }
}

/// Lines of one table of a folder.
package struct AdminImportLines: AdminRecord {
    /// Number of the import; 0 where nothing is to be changed.
    package var number: Int64
    /// Table that the lines are of.
    package var table: String
    /// The lines, at most `maximumLines`.
    package var lines: [String]
    /// Conversations that other lines would make; only where nothing is to be changed.
    package var expected: [String]
    /// Files that have the contents of the lines, in their order; empty where none have come.
    package var contents: [String]

    /// Most lines of one request.
    package static let maximumLines = 200
    /// Most bytes of one line: escaped it fits a line of the socket.
    package static let maximumBytes = 400_000

    package init(
        number: Int64, table: String, lines: [String], expected: [String] = [], contents: [String] = []
    ) {
        self.number = number
        self.table = table
        self.lines = lines
        self.expected = expected
        self.contents = contents
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.table = try fields("table", \.table)
        self.lines = try fields("lines", \.lines)
        self.expected = try fields("expected", \.expected)
        self.contents = try fields("contents", \.contents)
        let (count, contents) = (self.lines.count, self.contents.count)
        try fields.check(count <= Self.maximumLines, "lines")
        try fields.check(contents <= Self.maximumLines, "contents")
    }
}

/// Outcome of lines that were imported.
package struct AdminImportOutcome: AdminRecord {
    /// Rows that were read.
    package var rows: Int64
    /// Rows that are new.
    package var added: Int64
    /// Rows that have got a later state.
    package var changed: Int64
    /// Rows that were here.
    package var known: Int64
    /// Rows that people have changed here.
    package var kept: Int64
    /// Rows that cannot be here.
    package var refused: Int64
    /// Remarks about lines.
    package var remarks: [AdminImportRemark]
    /// Places of lines that come with their contents, or not at all.
    package var wanted: [Int64]

    package init(
        rows: Int64, added: Int64, changed: Int64, known: Int64, kept: Int64, refused: Int64,
        remarks: [AdminImportRemark], wanted: [Int64] = []
    ) {
        self.rows = rows
        self.added = added
        self.changed = changed
        self.known = known
        self.kept = kept
        self.refused = refused
        self.remarks = remarks
        self.wanted = wanted
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.rows = try fields("rows", \.rows)
        self.added = try fields("added", \.added)
        self.changed = try fields("changed", \.changed)
        self.known = try fields("known", \.known)
        self.kept = try fields("kept", \.kept)
        self.refused = try fields("refused", \.refused)
        self.remarks = try fields("remarks", \.remarks)
        self.wanted = try fields("wanted", \.wanted)
    }
}

/// Remark about a line.
package struct AdminImportRemark: AdminRecord {
    /// Place of the line in its request, from 0.
    package var index: Int64
    /// Sentence for the operator.
    package var text: String
    /// False where the row is here and something of it is not.
    package var refused: Bool

    package init(index: Int64, text: String, refused: Bool) {
        self.index = index
        self.text = text
        self.refused = refused
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.index = try fields("index", \.index)
        self.text = try fields("text", \.text)
        self.refused = try fields("refused", \.refused)
    }
}

/// One import.
package struct AdminImport: AdminRecord {
    /// Most bytes of the name of an app at its source.
    package static let maximumOriginBytes = 1_024
    /// Most bytes of the counts of an import.
    package static let maximumCountsBytes = 65_536

    /// Number of the import.
    package var number: Int64
    /// Kind of server that it came from.
    package var source: String
    /// App there.
    package var origin: String
    /// State: `underWay`, `whole`, `undoing` or `undone`.
    package var state: String
    /// Person who asked for it.
    package var asker: String
    /// When it began, UTC milliseconds.
    package var begunAtMilliseconds: Int64
    /// When it went on last, UTC milliseconds.
    package var changedAtMilliseconds: Int64
    /// JSON text of an object with what was counted.
    package var counts: String

    package init(
        number: Int64, source: String, origin: String, state: String, asker: String, begunAtMilliseconds: Int64,
        changedAtMilliseconds: Int64, counts: String
    ) {
        self.number = number
        self.source = source
        self.origin = origin
        self.state = state
        self.asker = asker
        self.begunAtMilliseconds = begunAtMilliseconds
        self.changedAtMilliseconds = changedAtMilliseconds
        self.counts = counts
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.source = try fields("source", \.source)
        self.origin = try fields("origin", \.origin)
        self.state = try fields("state", \.state)
        self.asker = try fields("asker", \.asker)
        self.begunAtMilliseconds = try fields("begunAt", \.begunAtMilliseconds)
        self.changedAtMilliseconds = try fields("changedAt", \.changedAtMilliseconds)
        self.counts = try fields("counts", \.counts)
    }
}

/// Counts of what was taken back of an import.
package struct AdminImportUndone: AdminRecord {
    /// Conversations that it had made.
    package var conversations: Int64
    /// Messages that it had brought.
    package var messages: Int64
    /// People whom it had made.
    package var people: Int64
    /// Devices that it had brought.
    package var devices: Int64
    /// Conversations and people that stay, because somebody has written or they are part of something else.
    package var kept: Int64
    /// False when the same request goes on with it.
    package var isDone: Bool

    package init(
        conversations: Int64, messages: Int64, people: Int64, devices: Int64, kept: Int64, isDone: Bool
    ) {
        self.conversations = conversations
        self.messages = messages
        self.people = people
        self.devices = devices
        self.kept = kept
        self.isDone = isDone
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.conversations = try fields("conversations", \.conversations)
        self.messages = try fields("messages", \.messages)
        self.people = try fields("people", \.people)
        self.devices = try fields("devices", \.devices)
        self.kept = try fields("kept", \.kept)
        self.isDone = try fields("done", \.isDone)
    }
}

/// Answers about imports.
package enum AdminImportAnswer: AdminFamily {
    case begun(number: Int64)
    case outcome(AdminImportOutcome)
    /// A page; `next` asks for the one after it, `nil` on the last.
    case list([AdminImport], next: Int64?)
    case undone(AdminImportUndone)

    static let all: [Self] = [
        .begun(number: .sample), .outcome(.sample), .list(.sample, next: .sample), .undone(.sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .begun(let number): try .begun(number: fields.named("import.begun")("number", number))
        case .outcome(let outcome): try .outcome(fields.named("import.outcome").inline(outcome))
        case .list(let imports, let next):
            try .list(fields.named("import.list").rows("imports", imports), next: fields.next(next))
        case .undone(let undone): try .undone(fields.named("import.undone").inline(undone))
        }
    }
}
