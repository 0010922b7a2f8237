import AdminAPI
import ChatModel
import ContentTranslation
import Store
import Transfers

/// An export that a connection has begun: what its requests may read.
struct OpenExport: Sendable {
    /// The one person whose data it is; `nil` for auditors.
    var person: User?
    /// People whose conversations are in it.
    var people: [UserID] = []
    /// Conversations that were named.
    var conversations: Set<ConversationID> = []
    /// Time of the earliest message, UTC milliseconds.
    var from: Int64
    /// Time before which messages were sent, UTC milliseconds.
    var until: Int64

    /// True for every conversation, because nothing was named.
    private var isOfAll: Bool { self.person == nil && self.people.isEmpty && self.conversations.isEmpty }

    /// - Throws: `notFound` for a person or a conversation that there is not.
    init(_ scope: AdminExportScope, _ transaction: ReadTransaction) throws(StoreError) {
        if let person = scope.person { self.person = try transaction.existingUser(person) }
        for name in scope.people { self.people.append(try transaction.existingUser(name).id) }
        for name in scope.conversations {
            self.conversations.insert(try AdminHandler.find(name, transaction).id)
        }
        self.from = scope.fromMilliseconds ?? .min
        self.until = scope.untilMilliseconds ?? .max
    }

    /// Conversations of it behind one, by number.
    func page(
        after: ConversationID, limit: Int, _ transaction: ReadTransaction
    ) throws(StoreError) -> [Conversation] {
        if self.isOfAll { return try transaction.conversations.all(after: after, limit: limit) }
        var numbers: Set<ConversationID>
        if let person {
            numbers = Set(try transaction.conversations.page(of: person.id).map(\.conversation.id))
        } else {
            numbers = self.conversations
            numbers.formUnion(try transaction.conversations.numbers(ofAny: self.people, after: after, limit: limit))
        }
        var page: [Conversation] = []
        for id in numbers.filter({ $0 > after }).sorted().prefix(limit) {
            if let found = try transaction.conversations.one(id) { page.append(found) }
        }
        return page
    }

    func includes(_ id: ConversationID, _ transaction: ReadTransaction) throws(StoreError) -> Bool {
        if let person { return try transaction.conversations.member(person.id, in: id) != nil }
        if self.isOfAll || self.conversations.contains(id) { return true }
        return try transaction.conversations.concerns(self.people, id)
    }

    /// First and last sequence of its time in a conversation; the last is less than the first when there is none.
    func bounds(in conversation: Conversation, _ transaction: ReadTransaction) throws(StoreError) -> (Int64, Int64) {
        let first =
            self.from == .min
            ? 1 : try transaction.messages.firstSequence(in: conversation.id, atOrAfter: self.from)
        let last =
            self.until == .max
            ? conversation.head : try transaction.messages.firstSequence(in: conversation.id, atOrAfter: self.until) - 1
        return (first, last)
    }
}

// Copies for auditors, and of one person's data.
extension AdminHandler {
    /// Looks up what is named, notes it in the audit log, and only then opens the export.
    func beginExport(
        _ scope: AdminExportScope, _ then: @escaping @Sendable (Result<OpenExport, AdminError>) -> Void
    ) {
        guard self.note?.actor.reason != nil else {
            return then(
                .failure(AdminError(.invalid, "say why you export what people wrote: it goes into the audit log")))
        }
        self.store.read(for: .operator, { transaction throws(StoreError) in try OpenExport(scope, transaction) }) {
            switch $0 {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let export):
                self.afterAuditing({
                    if case .failure(let error) = $0 { then(.failure(error)) }
                }) {
                    then(.success(export))
                }
            }
        }
    }

    func answerExportRequest(_ request: AdminExportRequest, of export: OpenExport, _ then: @escaping Answer) {
        switch request {
        case .begin: then(.failure(AdminError(.invalid, "this request belongs to a connection")))
        case .conversations(let after): self.listConversations(of: export, after: after, then)
        case .messages(let conversation, let after):
            self.listMessages(of: export, in: ConversationID(rawValue: conversation), after: after, then)
        case .people(let names): self.showPeople(names, then)
        case .files(let after): self.listFiles(of: export, after: after, then)
        case .read(let place): self.read(place, of: export, then)
        }
    }

    // MARK: Lists

    /// Bytes of texts after which a page of conversations has enough.
    private static let conversationBytes = 100_000

    private func listConversations(of export: OpenExport, after: Int64?, _ then: @escaping Answer) {
        self.read(then, as: .long) { transaction throws(StoreError) in
            let limit = AdminProtocol.pageMessages
            let found = try export.page(after: ConversationID(rawValue: after ?? 0), limit: limit, transaction)
            var page: [AdminExportConversation] = []
            var bytes = 0
            for conversation in found where bytes < Self.conversationBytes {
                let detail = try Self.detail(conversation.id, transaction)
                bytes += detail.members.count * 200
                bytes += [detail.notice, detail.attributes, detail.ownFields].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
                let (first, last) = try export.bounds(in: conversation, transaction)
                page.append(AdminExportConversation(detail: detail, hasMessages: first <= last))
            }
            let isLast = page.count == found.count && found.count < limit
            return .exports(.conversations(page, next: isLast ? nil : page.last?.detail.conversation.number))
        }
    }

    private func showPeople(_ names: [UserName], _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            var people: [AdminUser] = []
            for name in names {
                if let user = try transaction.people.user(named: name) { people.append(AdminUser(user)) }
            }
            return .exports(.people(people))
        }
    }

    private func listFiles(of export: OpenExport, after: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            guard let person = export.person else { return .exports(.files([], next: nil)) }
            let limit = AdminProtocol.pageRows
            let found = try transaction.files.files(
                of: person.id, after: FileID(rawValue: after ?? 0), limit: limit)
            return .exports(
                .files(
                    found.compactMap { AdminExportFile($0) },
                    next: found.count == limit ? found.last?.id.rawValue : nil))
        }
    }

    // MARK: Messages

    /// Bytes of bodies after which a page has enough: escaped, they fit a line of the protocol.
    private static let messageBytes = 150_000

    private func listMessages(
        of export: OpenExport, in id: ConversationID, after: Int64, _ then: @escaping Answer
    ) {
        let kinds = self.moderation.kinds
        self.read(then, as: .long) { transaction throws(StoreError) in
            guard let conversation = try transaction.conversations.one(id), try export.includes(id, transaction) else {
                throw .notFound("conversation id:\(id.rawValue)")
            }
            let (first, end) = try export.bounds(in: conversation, transaction)
            let found = try transaction.messages.page(
                in: id, after: max(after, first - 1), limit: AdminProtocol.pageRows, as: .unrestricted)
            var page: [AdminExportMessage] = []
            var (bytes, last) = (0, after)
            for (message, row) in try export.rows(of: found.filter { $0.sequence <= end }, in: id, kinds, transaction) {
                let size = row?.bytes ?? 0
                if bytes + size > Self.messageBytes && !page.isEmpty { break }
                bytes += size
                last = message.sequence
                if let row { page.append(row) }
            }
            return .exports(.messages(page, next: last > after && last < end ? last : nil))
        }
    }

    // MARK: Files

    private func read(_ place: AdminExportPlace, of export: OpenExport, _ then: @escaping Answer) {
        guard let transfers = self.transfers else { return then(.failure(.noFiles)) }
        let kinds = self.moderation.kinds
        self.store.read(
            for: .operator,
            { transaction throws(StoreError) -> FileRecord in
                guard let file = try transaction.files.file(place.file),
                    try export.includes(file, at: place, kinds, transaction)
                else { throw .notFound("file \(place.file)") }
                return file
            }
        ) { found in
            switch found {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let file):
                transfers.readPiece(of: file, at: place.offset, AdminProtocol.backupPieceBytes) { result in
                    then(
                        result.map { .exports(.piece(AdminBackupPiece(bytes: $0))) }.mapError { AdminError($0) })
                }
            }
        }
    }
}

extension OpenExport {
    /// Messages as they go into the copy; `nil` for what the one person is shown nothing of.
    fileprivate func rows(
        of found: [Message], in id: ConversationID, _ kinds: MessageKinds, _ transaction: ReadTransaction
    ) throws(StoreError) -> [(message: Message, row: AdminExportMessage?)] {
        let names = try transaction.shownNames(of: found.map(\.senderName))
        var rows: [(message: Message, row: AdminExportMessage?)] = []
        if let person {
            for (message, extra, visibility) in try AdminHandler.visibilities(
                of: found, in: id, by: person, transaction)
            {
                guard case .shown(let shown) = visibility else {
                    rows.append((message, nil))
                    continue
                }
                // What stands in the place of a message is not what it became by an edit.
                var copy = AdminExportedMessage(shown, extra)
                copy.body = shown.content.body
                rows.append(
                    (message, try self.row(copy, shown.content, [], names[message.senderName], kinds, transaction)))
            }
            return rows
        }
        let extras = try transaction.messages.extras(of: found.map(\.sequence), in: id, for: nil)
        for message in found {
            let extra = extras[message.sequence]
            let now = extra.flatMap(message.edited) ?? message
            var versions: [MessageVersion] = []
            if let extra {
                versions = try transaction.messages.versions(of: message)
                // The last one is what people see.
                if !extra.isRecalled && !extra.isDeletedForAll { versions.removeLast() }
            }
            let copy = AdminExportedMessage(message, extra)
            rows.append(
                (message, try self.row(copy, now.content, versions, names[message.senderName], kinds, transaction)))
        }
        return rows
    }

    private func row(
        _ copy: AdminExportedMessage, _ content: MessageContent, _ versions: [MessageVersion], _ senderName: String?,
        _ kinds: MessageKinds, _ transaction: ReadTransaction
    ) throws(StoreError) -> AdminExportMessage {
        var row = AdminExportMessage(
            copy, form: AdminBodyForm(content), senderName: senderName,
            line: content.kind.rawValue > 0 ? shownSketch(of: content, kinds: kinds).line : nil)
        row.former = versions.map { AdminExportVersion(AdminFormerBody($0), form: AdminBodyForm($0.content)) }
        row.boundFormer()
        row.files = try self.files(named: [content.body] + versions.map(\.content.body), transaction)
        return row
    }

    /// Files that bodies name, each once; at most `FileMention.maximumPerMessage`.
    private func files(
        named bodies: [[UInt8]], _ transaction: ReadTransaction
    ) throws(StoreError) -> [AdminExportFile] {
        var files: [AdminExportFile] = []
        for mention in bodies.flatMap({ FileMention.scan($0) }) {
            let text = mention.key.text
            var found: FileRecord?
            if let key = FileKey(text) { found = try transaction.files.file(key) }
            if let link = FileLinkKey(text) { found = try transaction.files.file(link: link) }
            guard let record = found, let file = AdminExportFile(record), !files.contains(where: { $0.key == file.key })
            else { continue }
            if let person, try !transaction.files.canRead(record, Actor(person.id)) { continue }
            files.append(file)
            if files.count == FileMention.maximumPerMessage { break }
        }
        return files
    }

    /// True for a file of the one person, and for one that a message of the export names.
    fileprivate func includes(
        _ file: FileRecord, at place: AdminExportPlace, _ kinds: MessageKinds, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        if place.conversation == 0 { return file.owner == self.person?.id }
        let id = ConversationID(rawValue: place.conversation)
        guard try self.includes(id, transaction),
            let message = try transaction.messages.one(in: id, sequence: place.sequence, as: .unrestricted),
            message.sentAtMilliseconds >= self.from, message.sentAtMilliseconds < self.until
        else { return false }
        let row = try self.rows(of: [message], in: id, kinds, transaction).first?.row
        return row?.files.contains { $0.key == file.key } ?? false
    }
}

extension AdminExportFile {
    /// - Returns: `nil` for a file that is not complete.
    fileprivate init?(_ file: FileRecord) {
        guard let object = file.object else { return nil }
        self.init(
            key: file.key, name: file.name, mediaType: file.mediaType, bytes: object.size, hash: object.hash.hex)
    }
}

extension AdminExportMessage {
    /// Size of the row on the socket, before it is escaped.
    fileprivate var bytes: Int {
        self.message.body.count + self.former.reduce(300) { $0 + $1.version.body.count + 150 }
            + self.files.reduce(0) { $0 + $1.name.utf8.count + 300 }
    }
}
