package import ChatModel
import Accounts
import LeanCloudImport
import LeanCloudTranslation
import WuKongImport
package import Store

/// Table of a folder that is imported, in the order in which tables are needed.
package enum ImportTable: String, Hashable, Sendable, CaseIterable {
    /// First, since all others name files.
    case files
    case people
    case conversations
    case roles
    case subscribers
    case devices
    case messages
    // Of a WuKongIM server.
    case users
    case channels
    case channelMembers
    case channelLists
    case channelMessages
    case positions
}

/// Lines of one table, as they stand in the folder. Few enough that others do not wait.
package struct ImportBatch: Hashable, Sendable {
    /// Most lines of a batch.
    package static let mostLines = 200
    /// Bytes of lines after which a batch takes no more.
    package static let bytes = 256 * 1_024

    /// Table that the lines are of.
    package var table: ImportTable
    /// The lines, without their ends.
    package var lines: [[UInt8]]
    /// Files that have the contents of the lines; empty where none have come.
    package var contents: [FileKey] = []

    package init(_ table: ImportTable, _ lines: [[UInt8]]) {
        self.table = table
        self.lines = lines
    }
}

/// Counts of an import, for one table.
package struct ImportCounts: Hashable, Sendable {
    /// Rows that were read.
    package var rows: Int64 = 0
    /// Rows that are new here.
    package var added: Int64 = 0
    /// Rows that have got a later state, or to which something was missing.
    package var changed: Int64 = 0
    /// Rows that were here already.
    package var known: Int64 = 0
    /// Rows that people have changed here, which stay as they are.
    package var kept: Int64 = 0
    /// Rows that cannot be here.
    package var refused: Int64 = 0

    package init() {}

    /// Adds counts of another batch.
    package static func += (left: inout ImportCounts, right: ImportCounts) {
        left.rows += right.rows
        left.added += right.added
        left.changed += right.changed
        left.known += right.known
        left.kept += right.kept
        left.refused += right.refused
    }
}

/// Remark about a row: why it cannot be here, or what of it was left out.
package struct ImportRemark: Hashable, Sendable {
    /// Place of the line in its batch.
    package var index: Int
    /// Sentence for the operator.
    package var text: String
    /// False where the row is here and something of it is not.
    package var isRefusal: Bool

    package init(index: Int, text: String, isRefusal: Bool) {
        self.index = index
        self.text = text
        self.isRefusal = isRefusal
    }
}

/// Outcome of a batch.
package struct ImportBatchOutcome: Hashable, Sendable {
    /// Counts of the batch.
    package var counts = ImportCounts()
    /// Remarks about its lines.
    package var remarks: [ImportRemark] = []
    /// Places of lines that come with their contents, or not at all.
    package var wanted: [Int] = []

    package init() {}

    /// Notes that a line cannot be here.
    package mutating func refuse(_ index: Int, _ why: String) {
        self.counts.refused += 1
        self.remarks.append(ImportRemark(index: index, text: why, isRefusal: true))
    }
}

extension ImportBatchOutcome {
    /// Most remarks about what was left out of one line: a row may name thousands of members.
    static let mostRemarks = 10

    /// Notes what was left out of a line that is here.
    mutating func remark(_ index: Int, _ texts: [String]) {
        for text in texts.prefix(Self.mostRemarks) {
            self.remarks.append(ImportRemark(index: index, text: text, isRefusal: false))
        }
        guard texts.count > Self.mostRemarks else { return }
        let more = "and \(texts.count - Self.mostRemarks) more like these"
        self.remarks.append(ImportRemark(index: index, text: more, isRefusal: false))
    }

    /// Adds what became of the lines that follow, the first of which has this place.
    package mutating func add(_ next: ImportBatchOutcome, from first: Int) {
        self.counts += next.counts
        self.remarks += next.remarks.map {
            ImportRemark(index: first + $0.index, text: $0.text, isRefusal: $0.isRefusal)
        }
        self.wanted += next.wanted.map { first + $0 }
    }
}

extension ImportBatch {
    /// Brings the lines, in one transaction; each line by itself, so that one that cannot be here costs no other.
    ///
    /// - Parameter address: gives addresses of files; `nil` leaves those of the source in messages and fields.
    /// - Throws: `notFound` for an import that is not under way; what the store throws.
    package func carryOut(
        in store: WriteTransaction, of number: Int64, address: FileAddress? = nil
    ) throws(StoreError) -> ImportBatchOutcome {
        var outcome = ImportBatchOutcome()
        outcome.counts.rows = Int64(self.lines.count)
        let map = AddressMap(store.reading)
        switch self.table {
        case .files: try self.bringFiles(store, number, address, &outcome)
        case .people: try self.bringPeople(store, number, map, &outcome)
        case .conversations: try self.bringConversations(store, number, map, &outcome)
        case .roles: try self.bringRoles(store, number, &outcome)
        case .subscribers: try self.bringSubscribers(store, number, &outcome)
        case .devices: try self.bringDevices(store, number, &outcome)
        case .messages: try self.bringMessages(store, number, map, &outcome)
        case .users, .channels, .channelMembers, .channelLists, .channelMessages, .positions:
            try self.bringChannels(store, number, &outcome)
        }
        try map.check()
        return outcome
    }

    // MARK: People

    private func bringPeople(
        _ store: WriteTransaction, _ number: Int64, _ map: AddressMap, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        guard try store.reading.imports.one(number)?.state == .underWay else {
            throw .notFound("an import of number \(number) that is under way")
        }
        for (index, line) in self.lines.enumerated() {
            let person: ArrivingPerson
            do throws(LeanCloudExportedUser.Problem) {
                person = ArrivingPerson(try LeanCloudExportedUser(parsing: map.rewritten(line)))
            } catch {
                outcome.refuse(index, error.sentence)
                continue
            }
            let arrival = try Accounts.bring(person, in: store)
            if case .arrived(let arrived) = arrival, !arrived.existed {
                try store.imports.notePerson(person.name, of: number)
            }
            outcome.note(arrival, at: index)
        }
    }

    // MARK: Conversations

    private func bringConversations(
        _ store: WriteTransaction, _ number: Int64, _ map: AddressMap, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        for (index, line) in self.lines.enumerated() {
            let reading: ConversationRow.Reading
            do throws(RowProblem) {
                reading = try ConversationRow.read(map.rewritten(line))
            } catch {
                outcome.refuse(index, error.description)
                continue
            }
            outcome.remark(index, reading.left)
            outcome.note(try store.imports.addConversation(reading.conversation, to: number), at: index)
        }
    }

    private func bringRoles(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        for (index, line) in self.lines.enumerated() {
            let row: MemberRoleRow
            do throws(RowProblem) { row = try MemberRoleRow(parsing: line) } catch {
                outcome.refuse(index, error.description)
                continue
            }
            switch try store.imports.setRole(row.role, of: row.name, in: row.conversation, of: number) {
            case true: outcome.counts.added += 1
            case false: outcome.counts.known += 1
            case nil: outcome.refuse(index, "\(row.name) is no member of conversation \(row.conversation)")
            }
        }
    }

    private func bringSubscribers(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        var runs: [(id: ObjectID, names: [UserName], indices: [Int])] = []
        for (index, line) in self.lines.enumerated() {
            let row: SubscriberRow
            do throws(RowProblem) { row = try SubscriberRow(parsing: line) } catch {
                outcome.refuse(index, error.description)
                continue
            }
            if runs.last?.id == row.conversation {
                runs[runs.count - 1].names.append(row.name)
                runs[runs.count - 1].indices.append(index)
            } else {
                runs.append((row.conversation, [row.name], [index]))
            }
        }
        for run in runs {
            guard let added = try store.imports.addSubscribers(run.names, to: run.id, of: number) else {
                for index in run.indices { outcome.refuse(index, "there is no system conversation \(run.id)") }
                continue
            }
            outcome.counts.added += added
            outcome.counts.known += Int64(run.names.count) - added
        }
    }

    private func bringDevices(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        for (index, line) in self.lines.enumerated() {
            let device: ImportedDevice
            do throws(RowProblem) { device = try DeviceRow.read(line) } catch {
                outcome.refuse(index, error.description)
                continue
            }
            switch try store.imports.addDevice(device, to: number) {
            case .made: outcome.counts.added += 1
            case .updated: outcome.counts.changed += 1
            case .unchanged: outcome.counts.known += 1
            case .kept: outcome.counts.kept += 1
            case .refused(let why): outcome.refuse(index, why)
            }
        }
    }

    // MARK: Messages

    private func bringMessages(
        _ store: WriteTransaction, _ number: Int64, _ map: AddressMap, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        var runs: [ObjectID: (messages: [ImportedMessage], indices: [Int])] = [:]
        var order: [ObjectID] = []
        for (index, line) in self.lines.enumerated() {
            let row: MessageRow
            do throws(RowProblem) {
                row = try MessageRow(parsing: line) { map.rewritten($0) }
            } catch {
                outcome.refuse(index, error.description)
                continue
            }
            if runs[row.conversation] == nil { order.append(row.conversation) }
            runs[row.conversation, default: ([], [])].messages.append(row.message)
            runs[row.conversation, default: ([], [])].indices.append(index)
        }
        for id in order {
            guard let run = runs[id] else { continue }
            guard let done = try store.imports.addMessages(run.messages, in: id, to: number) else {
                for index in run.indices { outcome.refuse(index, "there is no conversation \(id)") }
                continue
            }
            outcome.counts.added += done.added
            outcome.counts.changed += done.changed
            outcome.counts.known += done.known
            outcome.counts.kept += done.kept
            for refusal in done.refused { outcome.refuse(run.indices[refusal.index], refusal.reason) }
        }
    }
}

// MARK: A dry run

extension ImportBatch {
    /// Outcome that the lines would have, as far as it can be told without bringing those before them; nothing changes.
    ///
    /// - Parameter expected: conversations that other lines of the folder would make.
    package func foresee(
        in store: ReadTransaction, expecting expected: Set<ObjectID> = []
    ) throws(StoreError) -> ImportBatchOutcome {
        var outcome = ImportBatchOutcome()
        outcome.counts.rows = Int64(self.lines.count)
        let map = AddressMap(store)
        for (index, line) in self.lines.enumerated() {
            do {
                let isKnown: Bool
                switch self.table {
                case .files:
                    try self.foreseeFile(line, at: index, in: store, &outcome)
                    continue
                case .people:
                    let person = ArrivingPerson(try LeanCloudExportedUser(parsing: map.rewritten(line)))
                    outcome.note(try Accounts.foresee(person, in: store), at: index)
                    continue
                case .conversations:
                    let reading = try ConversationRow.read(line)
                    outcome.remark(index, reading.left)
                    guard let id = reading.conversation.objectID else { continue }
                    isKnown = try store.conversations.one(.object(id), seenBy: .system) != nil
                case .roles:
                    _ = try MemberRoleRow(parsing: line)
                    isKnown = false
                case .subscribers:
                    _ = try SubscriberRow(parsing: line)
                    isKnown = false
                case .devices:
                    isKnown = try store.apps.installation(try DeviceRow.read(line).objectID) != nil
                case .messages:
                    let row = try MessageRow(parsing: line)
                    if !expected.contains(row.conversation),
                        try store.conversations.one(.object(row.conversation), seenBy: .system) == nil
                    {
                        outcome.refuse(index, "there is no conversation \(row.conversation)")
                        continue
                    }
                    isKnown = try store.imports.hasMessage(row.message.foreignID)
                case .users, .channels, .channelMembers, .channelLists, .channelMessages, .positions:
                    isKnown = try self.foreseeChannelLine(line, in: store)
                }
                if isKnown { outcome.counts.known += 1 } else { outcome.counts.added += 1 }
            } catch let problem as RowProblem {
                outcome.refuse(index, problem.description)
            } catch let problem as ChannelRowProblem {
                outcome.refuse(index, problem.description)
            } catch let problem as LeanCloudExportedUser.Problem {
                outcome.refuse(index, problem.sentence)
            } catch let error as StoreError {
                throw error
            } catch {
                outcome.refuse(index, "\(error)")
            }
        }
        try map.check()
        return outcome
    }

    /// Conversations among these that the messages of the batch were said in.
    package func conversations(among known: Set<ObjectID>) -> [ObjectID] {
        guard self.table == .messages, !known.isEmpty else { return [] }
        let named = Set(self.lines.compactMap { try? MessageRow(parsing: $0).conversation })
        return named.intersection(known).sorted { $0.text < $1.text }
    }

    /// Name of the conversation that a line would make; `nil` for a line that is none.
    package static func conversation(of line: [UInt8]) -> ObjectID? {
        (try? ConversationRow.read(line))?.conversation.objectID
    }
}

extension ImportBatchOutcome {
    /// Counts how a conversation is here.
    mutating func note(_ outcome: ImportedConversationOutcome, at index: Int) {
        switch outcome {
        case .made: self.counts.added += 1
        case .joined, .updated: self.counts.changed += 1
        case .unchanged: self.counts.known += 1
        case .kept: self.counts.kept += 1
        case .refused(let why): self.refuse(index, why)
        }
    }

    fileprivate mutating func note(_ arrival: ArrivalOutcome, at index: Int) {
        switch arrival {
        case .arrived(let arrival) where !arrival.existed: self.counts.added += 1
        case .arrived(let arrival) where arrival.hasChanged: self.counts.changed += 1
        case .arrived: self.counts.known += 1
        case .taken(.username(let text)): self.refuse(index, "somebody else has the username \(text)")
        case .taken(.email(let text)): self.refuse(index, "somebody else has the email address \(text)")
        case .taken(.phone(let text)): self.refuse(index, "somebody else has the phone number \(text)")
        case .deleted: self.refuse(index, "the account was deleted: nobody gets its name again")
        case .systemUser: self.refuse(index, "it is the name of the server's own user")
        }
    }
}

extension ArrivingPerson {
    fileprivate init(_ user: LeanCloudExportedUser) {
        var password: ImportedPassword?
        if let salt = user.salt, let hash = user.hash { password = ImportedPassword(salt: salt, hash: hash) }
        self.init(
            name: user.name, app: user.app, displayName: user.displayName, avatar: user.avatar, password: password)
        self.sessionToken = user.sessionToken.flatMap { SignInToken($0) }
    }
}

extension LeanCloudExportedUser.Problem {
    fileprivate var sentence: String {
        switch self {
        case .noObject: "it is no JSON object"
        case .noID: "it has no id"
        case .badID: "its objectId is no name that somebody can have here"
        case .badUsername: "its username is too long"
        case .badMember(let name): "its \(name) is of another type than it must be, or too long"
        case .tooManyFields: "it has more own fields than are kept of one person"
        }
    }
}
