import ChatModel
import Store
import WuKongImport

// Lines of a folder that came from a WuKongIM server.
extension ImportBatch {
    /// Brings the lines; those of one channel that follow each other together.
    func bringChannels(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        switch self.table {
        case .users: try self.bringUsers(store, number, &outcome)
        case .channels: try self.bringChannelRows(store, number, &outcome)
        case .channelMembers:
            for run in self.runs(
                &outcome, { (line) throws(ChannelRowProblem) in try ChannelMemberRow(parsing: line) },
                {
                    $0.channel == $1.channel
                })
            {
                let names = run.rows.map(\.name)
                outcome.note(try store.imports.addMembers(names, to: run.rows[0].channel, of: number), run.indices)
            }
        case .channelLists: try self.bringLists(store, number, &outcome)
        case .channelMessages: try self.bringChannelMessages(store, number, &outcome)
        case .positions:
            for (index, line) in self.lines.enumerated() {
                guard let row = outcome.row(index, { () throws(ChannelRowProblem) in try PositionRow(parsing: line) })
                else { continue }
                let found = try store.imports.setPosition(
                    of: row.name, in: row.channel, upTo: row.sequence, unread: row.unread, to: number)
                outcome.note(found, [index])
            }
        case .files, .people, .conversations, .roles, .subscribers, .devices, .messages: break
        }
    }

    /// Rows that follow each other and belong together, with their places.
    private func runs<Row>(
        _ outcome: inout ImportBatchOutcome, _ read: ([UInt8]) throws(ChannelRowProblem) -> Row,
        _ belongs: (Row, Row) -> Bool
    ) -> [(rows: [Row], indices: [Int])] {
        var runs: [(rows: [Row], indices: [Int])] = []
        for (index, line) in self.lines.enumerated() {
            guard let row = outcome.row(index, { () throws(ChannelRowProblem) in try read(line) }) else { continue }
            if let last = runs.last?.rows.last, belongs(last, row) {
                runs[runs.count - 1].rows.append(row)
                runs[runs.count - 1].indices.append(index)
            } else {
                runs.append(([row], [index]))
            }
        }
        return runs
    }

    private func bringUsers(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        for (index, line) in self.lines.enumerated() {
            guard let row = outcome.row(index, { () throws(ChannelRowProblem) in try UserRow(parsing: line) }) else {
                continue
            }
            switch try store.imports.addPerson(row.name, to: number) {
            case true: outcome.counts.added += 1
            case false: outcome.counts.known += 1
            case nil: outcome.refuse(index, "the account was deleted: nobody gets its name again")
            }
        }
    }

    private func bringChannelRows(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        for (index, line) in self.lines.enumerated() {
            let read = outcome.row(index) { () throws(ChannelRowProblem) in try ChannelRow.read(line) }
            guard let reading = read else { continue }
            outcome.remark(index, reading.left)
            outcome.note(try store.imports.addConversation(reading.conversation, to: number), at: index)
        }
    }

    private func bringLists(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        for (index, line) in self.lines.enumerated() {
            guard let row = outcome.row(index, { () throws(ChannelRowProblem) in try ChannelListRow(parsing: line) })
            else { continue }
            switch row.owner {
            case .channel(let channel):
                let list: ConversationList = row.isDenied ? .denied : .allowed
                outcome.note(try store.imports.addListed([row.name], list, of: channel, to: number), [index])
            case .person(let owner):
                let list: PersonalList = row.isDenied ? .blocked : .allowed
                outcome.note(try store.imports.addListed([row.name], list, ofPerson: owner, to: number), [index])
            }
        }
    }

    private func bringChannelMessages(
        _ store: WriteTransaction, _ number: Int64, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        let runs = self.runs(
            &outcome, { (line) throws(ChannelRowProblem) in try ChannelMessageRow(parsing: line) },
            { $0.channel == $1.channel })
        for run in runs {
            let messages = run.rows.map(\.message)
            guard let done = try store.imports.addMessages(messages, in: run.rows[0].channel, to: number) else {
                for index in run.indices { outcome.refuse(index, "its channel is not here") }
                continue
            }
            outcome.counts.added += done.added
            outcome.counts.changed += done.changed
            outcome.counts.known += done.known
            outcome.counts.kept += done.kept
            for refusal in done.refused { outcome.refuse(run.indices[refusal.index], refusal.reason) }
        }
    }

    /// Outcome that a line would have, as far as a look at it alone tells.
    ///
    /// - Returns: whether it is here already.
    func foreseeChannelLine(_ line: [UInt8], in store: ReadTransaction) throws -> Bool {
        switch self.table {
        case .users: return try store.people.user(named: try UserRow(parsing: line).name) != nil
        case .channels: _ = try ChannelRow.read(line)
        case .channelMembers: _ = try ChannelMemberRow(parsing: line)
        case .channelLists: _ = try ChannelListRow(parsing: line)
        case .channelMessages:
            return try store.imports.hasMessage(try ChannelMessageRow(parsing: line).message.foreignID)
        case .positions: _ = try PositionRow(parsing: line)
        case .files, .people, .conversations, .roles, .subscribers, .devices, .messages: break
        }
        return false
    }
}

extension ImportBatchOutcome {
    /// The row of a line, or a remark why there is none.
    fileprivate mutating func row<Row>(_ index: Int, _ read: () throws(ChannelRowProblem) -> Row) -> Row? {
        do throws(ChannelRowProblem) { return try read() } catch {
            self.refuse(index, error.description)
            return nil
        }
    }

    fileprivate mutating func note(_ outcome: ImportWrites.ChannelOutcome, _ indices: [Int]) {
        switch outcome {
        case .added(let count):
            self.counts.added += count
            self.counts.known += Int64(indices.count) - count
        case .noConversation: for index in indices { self.refuse(index, "its channel is not here") }
        case .noMember: for index in indices { self.refuse(index, "the person is no member of the channel") }
        case .refused(let why): for index in indices { self.refuse(index, why) }
        }
    }
}
