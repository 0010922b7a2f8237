import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit

/// Numbers of what an export holds so far.
struct ExportCounts {
    var conversations: Int64 = 0
    var messages: Int64 = 0
    var people: Int64 = 0
    var files: Int64 = 0
    var bytes: Int64 = 0
    /// Files that the server could not read, or whose content is not what its hash says.
    var missing: Int64 = 0

    /// Values for the texts.
    var values: [String: String] {
        [
            "conversations": String(self.conversations), "messages": String(self.messages),
            "people": String(self.people), "files": String(self.files), "bytes": shownBytes(self.bytes),
            "missing": String(self.missing),
        ]
    }

    func write(to json: inout JSONWriter) {
        let fields: [(StaticString, Int64)] = [
            ("conversations", self.conversations), ("messages", self.messages), ("people", self.people),
            ("files", self.files), ("bytes", self.bytes), ("missing", self.missing),
        ]
        for (key, number) in fields {
            json.key(key)
            json.integer(number)
        }
    }

    /// The result of the command, for scripts.
    func json(path: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("path")
        json.string(path)
        self.write(to: &json)
        json.endObject()
        return json.bytes
    }
}

/// A conversation of an export, for the index.
struct ExportedConversation {
    /// Position in the export, from 1.
    var number: Int
    var conversation: AdminConversation
    /// Name for people.
    var title: String
    /// Path of its first page; `nil` without messages.
    var page: String?
    var messages: Int64 = 0
    /// Times of the first and the last message, UTC milliseconds.
    var times: ClosedRange<Int64>?
}

/// A file that was exported.
struct ExportedFile {
    var file: AdminExportFile
    /// Path in the folder; `nil` for one that could not be read.
    var path: String?
}

/// Writes an export: asks the server page by page, so that neither side holds more than one.
struct ExportWriter {
    private let control: Control
    private let folder: ExportFolder
    let scope: AdminExportScope
    /// Time at which the server began, UTC milliseconds, and its version.
    let begun: (atMilliseconds: Int64, version: String)
    private let progress: (ExportCounts) -> Void
    private let style: ExportStyle
    private(set) var counts = ExportCounts()
    private var conversations: [ExportedConversation] = []
    /// Everybody who is in it as a member or a sender, or was named.
    private var names: Set<String> = []

    /// Begins the export at the server, which notes it in its audit log.
    init(
        _ control: Control, _ scope: AdminExportScope, _ folder: ExportFolder,
        progress: @escaping (ExportCounts) -> Void
    ) throws(CommandFailure) {
        self.control = control
        self.scope = scope
        self.folder = folder
        self.progress = progress
        self.style = ExportStyle(control)
        guard case .exports(.begun(let time, let version)) = try control.ask(.exports(.begin(scope))) else {
            throw control.unexpectedAnswer
        }
        self.begun = (time, version)
        self.names = Set((scope.people + [scope.person].compactMap { $0 }).map(\.text))
    }

    /// - Returns: numbers of what was written.
    mutating func run() throws(CommandFailure) -> ExportCounts {
        if let person = self.scope.person { try self.writeProfile(of: person) }
        let list = try self.folder.newFile("conversations.jsonl")
        var after: Int64?
        repeat {
            guard
                case .exports(.conversations(let page, let next)) = try self.control.ask(
                    .exports(.conversations(after: after)))
            else { throw self.control.unexpectedAnswer }
            for conversation in page {
                try list.write(conversation.json + [UInt8(ascii: "\n")])
                try self.write(conversation)
            }
            after = next
        } while after != nil
        try list.finish()
        let own = try self.writeOwnFiles()
        let people = try self.writePeople()
        try self.writeFacts()
        let index = ExportIndex(
            style: self.style, scope: self.scope, begun: self.begun, counts: self.counts,
            operatorName: self.control.invocation.value("operator"), reason: self.control.invocation.value("why") ?? "")
        let file = try self.folder.newFile("index.html")
        try index.write(self.conversations, people, own, to: file)
        try file.finish()
        return self.counts
    }

    // MARK: Conversations

    private mutating func write(_ row: AdminExportConversation) throws(CommandFailure) {
        let conversation = row.detail.conversation
        let title = self.control.title(of: conversation)
        var exported = ExportedConversation(
            number: self.conversations.count + 1, conversation: conversation,
            title: title.isEmpty ? conversation.name : title)
        self.names.formUnion(row.detail.members.map(\.name.text))
        self.counts.conversations += 1
        if row.hasMessages { try self.writeMessages(of: row.detail, &exported) }
        self.conversations.append(exported)
        self.progress(self.counts)
    }

    private mutating func writeMessages(
        of detail: AdminConversationDetail, _ exported: inout ExportedConversation
    ) throws(CommandFailure) {
        let name = ExportName.conversation(exported.number, exported.title)
        var (lines, pages): (ExportFile?, ExportPages?)
        var after: Int64? = 0
        while let place = after {
            guard
                case .exports(.messages(let page, let next)) = try self.control.ask(
                    .exports(.messages(conversation: detail.conversation.number, after: place)))
            else { throw self.control.unexpectedAnswer }
            for message in page {
                // The files are made with the first message: what a person sees nothing of has none.
                if lines == nil { lines = try self.folder.newFile("messages/\(name).jsonl") }
                if pages == nil {
                    pages = ExportPages(self.folder, self.style, detail, title: exported.title, name: name)
                }
                let files = try self.writeFiles(of: message, in: detail.conversation.number)
                try lines?.write(ExportLine.bytes(of: message, files))
                try pages?.add(message, files)
                let time = message.message.sentAtMilliseconds
                exported.times = (exported.times?.lowerBound ?? time)...max(time, exported.times?.upperBound ?? time)
                exported.messages += 1
                self.names.insert(message.message.sender)
            }
            self.counts.messages += Int64(page.count)
            self.progress(self.counts)
            after = next
        }
        try lines?.finish()
        try pages?.finish()
        exported.page = pages?.first
    }

    // MARK: Files

    private mutating func writeFiles(
        of message: AdminExportMessage, in conversation: Int64
    ) throws(CommandFailure) -> [ExportedFile] {
        var files: [ExportedFile] = []
        for file in message.files {
            files.append(
                try self.write(
                    file,
                    from: AdminExportPlace(
                        file: file.key, conversation: conversation, sequence: message.message.sequence)))
        }
        return files
    }

    private mutating func write(
        _ file: AdminExportFile, from start: AdminExportPlace
    ) throws(CommandFailure) -> ExportedFile {
        let path = ExportName.file(file.key.text, file.name)
        if self.folder.has(path) { return ExportedFile(file: file, path: path) }
        let written = try self.folder.newFile(path)
        var place = start
        while place.offset < file.bytes {
            guard let piece = try self.piece(place), !piece.isEmpty else { break }
            try written.write(piece)
            place.offset += Int64(piece.count)
        }
        guard try written.finish(expecting: file.hash) else {
            self.counts.missing += 1
            return ExportedFile(file: file, path: nil)
        }
        self.counts.files += 1
        self.counts.bytes += file.bytes
        self.progress(self.counts)
        return ExportedFile(file: file, path: path)
    }

    /// A piece of a file; `nil` for one that cannot be read, which does not end the export.
    private func piece(_ place: AdminExportPlace) throws(CommandFailure) -> [UInt8]? {
        let answer = try self.control.talk { client throws(AdminError) -> AdminAnswer? in
            do throws(AdminError) {
                return try client.ask(.exports(.read(place)))
            } catch {
                switch error.code {
                case .notFound, .failed, .refused: return nil
                case .invalid, .exists, .busy, .unavailable, .full, .notAllowed, .notRunning, .connectionLost,
                    .protocolError:
                    throw error
                }
            }
        }
        guard let answer else { return nil }
        guard case .exports(.piece(let piece)) = answer else { throw self.control.unexpectedAnswer }
        return piece.bytes
    }

    /// Files of the one person, those that no message names included.
    private mutating func writeOwnFiles() throws(CommandFailure) -> [ExportedFile] {
        guard self.scope.person != nil else { return [] }
        let list = try self.folder.newFile("files.jsonl")
        var (own, after): ([ExportedFile], Int64?) = ([], nil)
        repeat {
            guard case .exports(.files(let page, let next)) = try self.control.ask(.exports(.files(after: after)))
            else { throw self.control.unexpectedAnswer }
            for file in page {
                let exported = try self.write(file, from: AdminExportPlace(file: file.key))
                own.append(exported)
                try list.write(ExportLine.bytes(of: exported))
            }
            after = next
        } while after != nil
        try list.finish()
        return own
    }

    // MARK: People

    private mutating func writePeople() throws(CommandFailure) -> [AdminUser] {
        var people: [AdminUser] = []
        var rest = self.names.sorted().compactMap { UserName($0) }[...]
        while !rest.isEmpty {
            guard
                case .exports(.people(let page)) = try self.control.ask(
                    .exports(.people(Array(rest.prefix(AdminProtocol.pageRows)))))
            else { throw self.control.unexpectedAnswer }
            people += page
            rest = rest.dropFirst(AdminProtocol.pageRows)
        }
        let file = try self.folder.newFile("people.jsonl")
        for person in people { try file.write(person.json + [UInt8(ascii: "\n")]) }
        try file.finish()
        self.counts.people = Int64(people.count)
        return people
    }

    /// Account, lists and devices of the one person, as `user show` and `user details` print them.
    private func writeProfile(of person: UserName) throws(CommandFailure) {
        let (account, details) = (
            try self.control.ask(.showUser(person)), try self.control.ask(.people(.details(person)))
        )
        var json = JSONWriter()
        json.beginObject()
        json.key("account")
        json.raw(account.json)
        json.key("details")
        json.raw(details.json)
        json.endObject()
        let file = try self.folder.newFile("person.json")
        try file.write(json.bytes + [UInt8(ascii: "\n")])
        try file.finish()
    }

    // MARK: Facts

    /// Writes the request, the operator, the reason and the amounts.
    private func writeFacts() throws(CommandFailure) {
        var json = JSONWriter()
        json.beginObject()
        func text(_ key: StaticString, _ value: String?) {
            guard let value else { return }
            json.key(key)
            json.string(value)
        }
        text("at", ExportTime.utc(self.begun.atMilliseconds))
        text("version", self.begun.version)
        text("operator", self.control.invocation.value("operator"))
        text("reason", self.control.invocation.value("why"))
        text("person", self.scope.person?.text)
        for (key, names) in [("people", self.scope.people.map(\.text)), ("conversations", self.scope.conversations)]
        where !names.isEmpty {
            json.key(key)
            json.beginArray()
            for name in names { json.string(name) }
            json.endArray()
        }
        text("from", self.scope.fromMilliseconds.map { ExportTime.utc($0) })
        text("until", self.scope.untilMilliseconds.map { ExportTime.utc($0) })
        json.key("holds")
        json.beginObject()
        self.counts.write(to: &json)
        json.endObject()
        json.endObject()
        let file = try self.folder.newFile("export.json")
        try file.write(json.bytes + [UInt8(ascii: "\n")])
        try file.finish()
    }
}
