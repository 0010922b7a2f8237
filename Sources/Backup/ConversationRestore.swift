package import ChatModel
import FileStore
package import Store

/// A conversation that was brought back.
package struct RestoredConversation: Hashable, Sendable {
    /// Name that apps know it by.
    package var objectID: ObjectID
    /// Title that people see.
    package var title: String
    /// Members of it.
    package var members: Int64 = 0
    /// Messages that came.
    package var added: Int64 = 0
    /// Messages that an earlier run had brought.
    package var known: Int64 = 0
    /// Messages that cannot be here, as of an account that was deleted.
    package var refused: Int64 = 0
}

/// Brings one conversation of a backup back: as a new group, `restored: TITLE`, with the people, the card and the messages that
/// it had. What is here now stays untouched.
///
/// Always a new one, because devices know sequences: put back in its own place a message could stand at one that another
/// message has had since, or that a device believes to be empty. The same backup and conversation are the same new group, so
/// that one which was broken off goes on.
package struct ConversationRestore {
    /// Messages of one transaction.
    private static let together = 200

    private let store: Store
    private let backup: OpenedBackup
    private let actor: AuditActor

    /// - Parameters:
    ///   - backup: the folder of the backup.
    ///   - store: of the data folder, with no server on it.
    ///   - folder: the data folder.
    ///   - actor: who asks, for the audit log.
    /// - Throws: `damaged`, `refused` for what is no backup; `full`.
    package init(_ backup: String, into store: Store, folder: String, actor: AuditActor) throws(BackupError) {
        self.store = store
        self.backup = try OpenedBackup(backup, besides: folder)
        self.actor = actor
    }

    /// Brings it.
    ///
    /// - Parameter name: object ID or channel name of it; two people with a comma between for theirs.
    /// - Throws: `store(.notFound)` when the backup has none of this name.
    package func run(_ name: String) throws(BackupError) -> RestoredConversation {
        guard let found = try self.backup.read({ rows throws(StoreError) in try Self.find(name, rows) }) else {
            throw .store(.notFound("a conversation \(name) in the backup"))
        }
        let objectID = self.objectID(of: found)
        let (row, title) = try self.row(of: found, as: objectID)
        var outcome = RestoredConversation(objectID: objectID, title: title, members: Int64(row.members.count))
        let origin = "\(objectID.text) \(found.objectID.text)"
        let begin = AuditNote(
            actor: self.actor, word: "import.begin", subject: origin, asked: #"{"source":"\#(Self.source)"}"#)
        let number = try self.write { transaction throws(StoreError) in
            let number = try transaction.imports.begin(Self.source, origin: origin, auditing: begin).number
            if case .refused(let reason) = try transaction.imports.addConversation(row, to: number) {
                throw .invalid("the conversation cannot be brought back: \(reason)")
            }
            return number
        }
        try self.bring(found, as: objectID, number, &outcome)
        try self.finish(number, outcome)
        return outcome
    }

    /// Source of such an import, beside `leancloud` and others.
    private static let source = "backup"

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws(BackupError) -> Value {
        do throws(StoreError) { return try self.store.writeAndWait(body) } catch { throw .store(error) }
    }

    // MARK: The conversation

    private static func find(_ name: String, _ rows: ReadTransaction) throws(StoreError) -> Conversation? {
        let people = name.split(separator: ",").compactMap { UserName(String($0)) }
        if people.count == 2, let asker = try rows.people.user(named: people[0]) {
            return try rows.conversations.one(.direct(people[1]), seenBy: asker.id)
        }
        if let objectID = ObjectID(name), let found = try rows.conversations.one(.object(objectID), seenBy: .system) {
            return found
        }
        guard let channel = ChannelName(name) else { return nil }
        for kind in ConversationKind.allCases where kind != .direct {
            if let found = try rows.conversations.one(.channel(kind, channel), seenBy: .system) { return found }
        }
        return nil
    }

    /// Name of the new group: the same for the same conversation of the same backup.
    private func objectID(of conversation: Conversation) -> ObjectID {
        let hasher = ContentHasher()
        Array("\(self.backup.manifest.listHash) \(conversation.objectID.text)".utf8).withUnsafeBytes {
            hasher.update($0)
        }
        return ObjectID(String(hasher.hash().hex.prefix(24))) ?? conversation.objectID
    }

    private func row(
        of found: Conversation, as objectID: ObjectID
    ) throws(BackupError) -> (row: ImportedConversation, title: String) {
        let (members, attributes, creator) = try self.backup.read { rows throws(StoreError) in
            (
                try rows.conversations.members(of: found.id), try rows.conversations.card(of: found.id)?.attributes,
                try rows.people.user(found.creator)?.name
            )
        }
        let names = members.map(\.name)
        let former = found.title ?? found.channel?.text ?? names.map(\.text).joined(separator: ", ")
        let whole = "restored: \(former)"
        let title = String(String.UnicodeScalarView(whole.unicodeScalars.prefix(ConversationBounds.titleScalars)))
        var row = ImportedConversation(
            .group, objectID: objectID, createdAtMilliseconds: found.createdAtMilliseconds,
            updatedAtMilliseconds: found.updatedAtMilliseconds, digest: 1)
        row.members = names
        row.creator = creator
        for member in members where member.role != .member { row.roles[member.name] = member.role }
        row.title = title
        row.attributes = attributes.map { String(decoding: $0, as: UTF8.self) }
        row.lastMessageAtMilliseconds = found.activeAtMilliseconds
        return (row, title)
    }

    // MARK: Its messages

    private func bring(
        _ found: Conversation, as objectID: ObjectID, _ number: Int64, _ outcome: inout RestoredConversation
    ) throws(BackupError) {
        var after: Int64 = 0
        while true {
            let page = try self.backup.read { rows throws(StoreError) in
                try rows.messages.page(in: found.id, after: after, limit: Self.together, as: .unrestricted)
            }
            guard let last = page.last else { return }
            let messages = page.map { message in
                var brought = ImportedMessage(
                    foreignID: "\(objectID.text)-\(message.sequence)", sender: message.senderName,
                    sentAtMilliseconds: message.sentAtMilliseconds, content: message.content)
                brought.isRecalled = message.content.flags.contains(.withdrawn)
                return brought
            }
            let result = try self.write { transaction throws(StoreError) in
                try transaction.imports.addMessages(messages, in: objectID, to: number)
            }
            guard let result else { throw .store(.notFound("the conversation \(objectID.text)")) }
            outcome.added += result.added
            outcome.known += result.known + result.changed + result.kept
            outcome.refused += Int64(result.refused.count)
            after = last.sequence
        }
    }

    private func finish(_ number: Int64, _ outcome: RestoredConversation) throws(BackupError) {
        var last = ConversationID(rawValue: 0)
        while true {
            let after = last
            let page = try self.write { transaction throws(StoreError) in
                try transaction.imports.settle(number, after: after)
            }
            guard let end = page else { break }
            last = end
        }
        let counts = #"{"messages":\#(outcome.added),"known":\#(outcome.known),"refused":\#(outcome.refused)}"#
        let note = AuditNote(
            actor: self.actor, word: "import.finish", subject: String(number), asked: #"{"number":\#(number)}"#)
        try self.write { transaction throws(StoreError) in
            try transaction.imports.finish(number, counts: counts, auditing: note)
        }
    }
}
