import Accounts
import ByteCodec
import ChatModel
package import FileStore
import LeanCloudAPI
package import LeanCloudPull
import LeanCloudTranslation
package import Store

/// Why an export ended before it was whole. What it wrote is of no use.
package enum LeanCloudExportError: Error, CustomStringConvertible {
    /// The data cannot be read.
    case store(StoreError)
    /// The folder cannot be written.
    case folder(PullError)

    package var description: String {
        switch self {
        case .store(let error): error.description
        case .folder(let error): error.description
        }
    }
}

/// Writes what a server keeps into the folder that `teahouse leancloud pull` writes: rows, people with the hashes of
/// their passwords, messages with their ids and times, contents of files. Blocks; reads page by page, so memory does not
/// grow with the data. Nobody may write meanwhile.
package final class LeanCloudExporter {
    /// Rows of a page; also messages.
    private static let page = 1_000
    /// Bytes of a content that are read at once.
    private static let contentBytes = 256 * 1024

    private let store: Store
    private let providers: [any FileProvider]
    private let address: String
    private let app: String
    private let writesContents: Bool
    private let now: Int64
    private let tell: (PullEvent) -> Void
    /// People whose password only this server can check.
    private var ownPasswords: Int64 = 0
    private var elsewhere: Int64 = 0

    /// - Parameters:
    ///   - address: by which apps reach files, `https://chat.example.com`, without a slash behind.
    ///   - app: ID of the app where none was ever served from the data.
    ///   - writesContents: false for rows of files alone.
    ///   - now: UTC milliseconds.
    ///   - tell: called on the thread of the export.
    package init(
        _ store: Store, providers: [any FileProvider], address: String, app: String, writesContents: Bool = true,
        now: Int64,
        tell: @escaping (PullEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.providers = providers
        self.address = address
        self.app = app
        self.writesContents = writesContents
        self.now = now
        self.tell = tell
    }

    /// Writes the folder.
    ///
    /// - Parameter path: a folder that is empty or not there.
    package func run(into path: String) throws(LeanCloudExportError) -> PullReport {
        let app = try self.read { transaction throws(StoreError) in try transaction.apps.application()?.appID }
        let writer: FolderWriter
        do throws(PullError) {
            writer = try FolderWriter(
                path, source: "teahouse", app: app ?? self.app, command: "teahouse export leancloud")
        } catch {
            throw .folder(error)
        }
        try self.writeUsers(to: writer)
        try self.writeConversations(to: writer)
        try self.writeDevices(to: writer)
        try self.writeFiles(to: writer)
        self.addNotes(to: writer)
        self.tell(.progress(PullProgress(.finishing, count: 0)))
        return try Self.writing { () throws(PullError) in try writer.finish() }
    }

    private func addNotes(to writer: FolderWriter) {
        if self.ownPasswords > 0 {
            writer.add(
                note: """
                    \(self.ownPasswords) people have a password that only teahouse can check: elsewhere they set a new one
                    """)
        }
        if self.elsewhere > 0 {
            writer.add(note: "\(self.elsewhere) files are at addresses elsewhere: their rows have the addresses")
        }
    }

    // MARK: Reading and writing

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value
    ) throws(LeanCloudExportError) -> Value {
        do throws(StoreError) {
            return try self.store.readAndWait(body)
        } catch {
            throw .store(error)
        }
    }

    private static func writing<Value>(_ body: () throws(PullError) -> Value) throws(LeanCloudExportError) -> Value {
        do throws(PullError) {
            return try body()
        } catch {
            throw .folder(error)
        }
    }

    // MARK: People

    /// A person's row, and the same as LeanCloud exports it.
    private struct ExportedUser: Sendable {
        var row: [UInt8]
        var withPassword: [UInt8]
        var hasOwnPassword: Bool
        var id: UserID
    }

    private func writeUsers(to writer: FolderWriter) throws(LeanCloudExportError) {
        try Self.writing { () throws(PullError) in try writer.begin(class: "_User") }
        var last = UserID.system
        var count: Int64 = 0
        while true {
            let after = last
            let users = try self.read { transaction throws(StoreError) in try Self.users(after: after, transaction) }
            for user in users {
                try Self.writing { () throws(PullError) in
                    try writer.add(row: user.row, of: "_User")
                    try writer.add(exportedUser: user.withPassword)
                }
                if user.hasOwnPassword { self.ownPasswords += 1 }
            }
            count += Int64(users.count)
            self.tell(.progress(PullProgress(.rows(of: "_User"), count: count)))
            guard users.count == Self.page, let end = users.last else { return }
            last = end.id
        }
    }

    private static func users(
        after: UserID, _ transaction: ReadTransaction
    ) throws(StoreError) -> [ExportedUser] {
        var users: [ExportedUser] = []
        for user in try transaction.apps.appUsers(after: after, limit: Self.page) {
            let row = UserRow.json(user, isPrivate: true)
            var members = row.object ?? []
            let stored = try transaction.people.passwordHash(of: user.user)
            let imported = stored.flatMap { ImportedPassword(stored: $0) }
            if let imported {
                members.append(JSONValue.Member("salt", .string(imported.salt)))
                members.append(JSONValue.Member("password", .string(imported.hashText)))
            }
            users.append(
                ExportedUser(
                    row: row.serialized(), withPassword: JSONValue.object(members).serialized(),
                    hasOwnPassword: stored != nil && imported == nil, id: user.user))
        }
        return users
    }

    // MARK: Conversations and messages

    private func writeConversations(to writer: FolderWriter) throws(LeanCloudExportError) {
        try Self.writing { () throws(PullError) in
            try writer.begin(class: "_Conversation")
            try writer.begin(class: "_ConversationMemberInfo")
        }
        var last = ConversationID(rawValue: 0)
        var messages: Int64 = 0
        while true {
            let (after, now) = (last, self.now)
            let (page, rows) = try self.read { transaction throws(StoreError) in
                let page = try transaction.conversations.all(after: after, limit: Self.page)
                return (page, try Self.rows(of: page, at: now, transaction))
            }
            for row in rows {
                try Self.writing { () throws(PullError) in try writer.add(row: row, of: "_Conversation") }
            }
            for conversation in page {
                if conversation.kind == .group { try self.writeRoles(in: conversation, to: writer) }
                if conversation.kind == .service, !conversation.flags.contains(.disbanded) {
                    try self.writeSubscribers(of: conversation, to: writer)
                }
                if conversation.head > 0 { try self.writeMessages(of: conversation, to: writer, &messages) }
            }
            guard page.count == Self.page, let end = page.last else { return }
            last = end.id
        }
    }

    /// Rows of conversations that are still there: not of those that were disbanded or whose time is over.
    private static func rows(
        of page: [Conversation], at now: Int64, _ transaction: ReadTransaction
    ) throws(StoreError) -> [[UInt8]] {
        var rows: [[UInt8]] = []
        var rest = page.filter { !$0.flags.contains(.disbanded) }.map(\.id)[...]
        while !rest.isEmpty {
            let ids = Array(rest.prefix(ObjectScanBounds.page))
            for row in try transaction.apps.objectRows(ids, seenBy: .system) {
                guard row.expiresAtMilliseconds.map({ $0 > now }) ?? true else { continue }
                rows.append(LeanCloudRows.row(row, at: now).serialized())
            }
            rest = rest.dropFirst(ObjectScanBounds.page)
        }
        return rows
    }

    /// Owner and managers. A pull from here has no such rows: the class is not among those that are read one page after
    /// the other.
    private func writeRoles(in group: Conversation, to writer: FolderWriter) throws(LeanCloudExportError) {
        let rows = try self.read { transaction throws(StoreError) in
            try transaction.conversations.members(of: group.id).filter { $0.role != .member }
                .map { $0.roleRow(in: group).serialized() }
        }
        for row in rows {
            try Self.writing { () throws(PullError) in try writer.add(row: row, of: "_ConversationMemberInfo") }
        }
    }

    private func writeSubscribers(
        of service: Conversation, to writer: FolderWriter
    ) throws(LeanCloudExportError) {
        let members = try self.read { transaction throws(StoreError) in
            try transaction.conversations.members(of: service.id)
        }
        for member in members {
            let row = SubscriberRow.json(member, in: service).serialized()
            try Self.writing { () throws(PullError) in try writer.add(subscriber: row) }
        }
    }

    private func writeMessages(
        of conversation: Conversation, to writer: FolderWriter, _ count: inout Int64
    ) throws(LeanCloudExportError) {
        var start = HistoryEdge()
        while true {
            let from = start
            let page = try self.read { transaction throws(StoreError) in
                var query = HistoryQuery(limit: Self.page)
                query.isForward = true
                query.start = from
                let found = try transaction.messages.history(in: conversation.id, query, as: .unrestricted)
                return (
                    rows: found.map { HistoryRow.json($0, in: conversation).serialized() },
                    last: found.last.map {
                        HistoryEdge(atMilliseconds: $0.message.sentAtMilliseconds, message: $0.message.id)
                    }
                )
            }
            guard let last = page.last else { return }
            for row in page.rows { try Self.writing { () throws(PullError) in try writer.add(message: row) } }
            count += Int64(page.rows.count)
            self.tell(.progress(PullProgress(.messages, count: count)))
            start = last
        }
    }

    // MARK: Devices and files

    private func writeDevices(to writer: FolderWriter) throws(LeanCloudExportError) {
        try Self.writing { () throws(PullError) in try writer.begin(class: "_Installation") }
        var last = ""
        while true {
            let after = last
            let page = try self.read { transaction throws(StoreError) in
                try transaction.apps.installations(after: after, limit: Self.page)
            }
            for device in page {
                let row = InstallationRoutes.row(device).serialized()
                try Self.writing { () throws(PullError) in try writer.add(row: row, of: "_Installation") }
            }
            guard page.count == Self.page, let end = page.last else { return }
            last = end.objectID.text
        }
    }

    private func writeFiles(to writer: FolderWriter) throws(LeanCloudExportError) {
        try Self.writing { () throws(PullError) in try writer.begin(class: "_File") }
        let rows = FileRow(address: self.address)
        var progress = PullProgress(.files, count: 0)
        var last = ""
        while true {
            let after = last
            let page = try self.read { transaction throws(StoreError) in
                try transaction.apps.appFiles(after: after, limit: Self.page)
            }
            for file in page {
                let row = rows.json(file).serialized()
                try Self.writing { () throws(PullError) in try writer.add(row: row, of: "_File") }
                if self.writesContents { try self.writeContent(of: file, row, to: writer, &progress) }
            }
            guard page.count == Self.page, let end = page.last else { return }
            last = end.objectID.text
        }
    }

    private func writeContent(
        of file: AppFile, _ row: [UInt8], to writer: FolderWriter, _ progress: inout PullProgress
    ) throws(LeanCloudExportError) {
        if case .address = file.place {
            self.elsewhere += 1
            return
        }
        let object = try self.read { transaction throws(StoreError) in
            try transaction.apps.contentKey(of: file).flatMap { key throws(StoreError) in
                try transaction.files.file(key)?.object
            }
        }
        var content = ContentPieces(object, self.providers, pieceBytes: Self.contentBytes)
        try Self.writing { () throws(PullError) in
            try writer.add(contentOf: row) { content.next() }
        }
        progress.count += 1
        progress.bytes += content.offset
        self.tell(.progress(progress))
    }
}

/// The bytes of a content, one piece after the other.
private struct ContentPieces {
    private let reader: Result<any ObjectReader, ContentFailure>
    private let pieceBytes: Int
    private(set) var offset: Int64 = 0

    /// - Parameter object: `nil` for a file that never came.
    init(_ object: StoredObject?, _ providers: [any FileProvider], pieceBytes: Int) {
        self.pieceBytes = pieceBytes
        guard let object else {
            self.reader = .failure(ContentFailure("its content never came", isGone: true))
            return
        }
        guard let provider = providers.first(where: { $0.name == object.provider }) else {
            self.reader = .failure(ContentFailure("the folder with its content is not there"))
            return
        }
        do throws(FileStoreError) {
            self.reader = .success(try provider.open(object))
        } catch {
            self.reader = .failure(ContentFailure(error.description))
        }
    }

    /// The next bytes; none at the end.
    mutating func next() -> Result<[UInt8], ContentFailure> {
        switch self.reader {
        case .failure(let failure): return .failure(failure)
        case .success(let reader):
            do throws(FileStoreError) {
                let bytes = try reader.read(at: self.offset, atMost: self.pieceBytes)
                self.offset += Int64(bytes.count)
                return .success(bytes)
            } catch {
                return .failure(ContentFailure(error.description))
            }
        }
    }
}
