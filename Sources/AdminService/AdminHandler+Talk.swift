import AdminAPI
import Broker
import ChatModel
import ContentTranslation
import Store

extension AdminHandler {
    func answerConversationRequest(_ request: AdminConversationRequest, _ then: @escaping Answer) {
        switch request {
        case .list(let member, let after): self.list(of: member, after: after, then)
        case .createDirect(let one, let other): self.createDirect(one, other, then)
        case .createRoom(let name, let title): self.createRoom(name, title, then)
        case .rename(let conversation, let title): self.rename(conversation, title, then)
        case .setAttributes(let conversation, let patch): self.setAttributes(conversation, patch, then)
        case .delete(let conversation): self.delete(conversation, then)
        case .look(let conversation, let place, let limit): self.look(conversation, place, limit: Int(limit), then)
        case .recall(let conversation, let sequence, let forGood):
            self.recall(conversation, sequence, forGood: forGood, then)
        case .edit(let conversation, let sequence, let text):
            self.edit(conversation, sequence, text: text, then)
        case .trace(let conversation, let sequence, let after):
            self.trace(conversation, sequence, after: after, then)
        case .seeAs(let conversation, let member, let before, let limit):
            self.see(conversation, as: member, before: before, limit: Int(limit), then)
        case .export(let conversation, let after, let member):
            self.export(conversation, after: after, as: member, then)
        case .expiring(let days): self.listExpiring(days: days, then)
        }
    }

    /// The state that an entry of the audit log tells of a conversation.
    static func stateOfConversation(_ text: String) -> AuditNote.State {
        { transaction throws(StoreError) in
            do throws(StoreError) {
                return try Self.state(of: try Self.find(text, transaction), transaction)
            } catch .notFound {
                return nil
            }
        }
    }

    /// How long is looked back where the server is set to delete nothing. Source: LeanCloud realtime, a conversation in
    /// which nothing happened for a year is deleted.
    private static let usualDays: Int64 = 365

    private func listExpiring(days: Int64?, _ then: @escaping Answer) {
        let setting = Int64(self.store.inactiveDays)
        let days = days ?? (setting > 0 ? setting : Self.usualDays)
        let before = self.options.clock.wallMilliseconds() - days * 86_400_000
        self.read(then) { transaction throws(StoreError) in
            let rows = AdminProtocol.pageRows
            let found = try transaction.conversations.inactive(before: before, limit: min(rows + 1, 1_000))
            var conversations: [AdminConversation] = []
            for conversation in found.prefix(rows) {
                conversations.append(try Self.shown(conversation, transaction))
            }
            return .conversationDetails(
                .expiring(
                    AdminExpiring(
                        days: days, settingDays: setting, conversations: conversations, isCut: found.count > rows)))
        }
    }

    // MARK: Making and ending

    private func createDirect(_ one: UserName, _ other: UserName, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let low = try transaction.reading.existingUser(one).id
            let high = try transaction.reading.existingUser(other).id
            return .conversation(
                try Self.detail(try transaction.conversations.ensureDirect(low, high), transaction.reading))
        }
    }

    private func createRoom(_ name: ChannelName, _ title: String?, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(title) } catch { return then(.failure(error)) }
        self.write(then) { transaction throws(StoreError) in
            let id = try transaction.conversations.createChannel(.room, name, title: title, creator: .system)
            return .conversation(try Self.detail(id, transaction.reading))
        }
    }

    private func rename(_ conversation: String, _ title: String?, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(title) } catch { return then(.failure(error)) }
        self.write(then) { transaction throws(StoreError) in
            let found = try Self.find(conversation, transaction.reading)
            guard found.kind != .direct else {
                throw .invalid("a conversation of two people has no title: each sees the other's name")
            }
            guard found.title != title else { return .count(0) }
            try transaction.conversations.setTitle(title, of: found.id)
            return .count(1)
        }
    }

    private func delete(_ conversation: String, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let found = try Self.find(conversation, transaction.reading)
            guard found.kind != .direct else {
                throw .invalid("a conversation of two people cannot be deleted: block or disable one of them")
            }
            guard !found.flags.contains(.disbanded) else { return .count(0) }
            if found.kind != .room, found.memberCount > 0 {
                try transaction.conversations.removeAllMembers(from: found.id, by: .operator)
            }
            try transaction.conversations.setListeners([], of: found.id)
            try transaction.conversations.setFlags(found.flags.union(.disbanded), of: found.id)
            return .count(1)
        }
    }

    private func setAttributes(_ conversation: String, _ patch: String, _ then: @escaping Answer) {
        let bound = AdminProtocol.attributesPatchBytes
        guard patch.utf8.count <= bound else {
            return then(
                .failure(AdminError(.invalid, "a change of attributes has at most \(bound) bytes: make several")))
        }
        self.write(then) { transaction throws(StoreError) in
            let found = try Self.find(conversation, transaction.reading)
            guard found.kind != .direct else {
                throw .invalid("a conversation of two people has no attributes")
            }
            var change = ChannelPatch()
            change.attributesMergePatch = Array(patch.utf8)
            return .count(try transaction.conversations.updateInfo(of: found.id, change, by: .operator) ? 1 : 0)
        }
    }

    // MARK: Looking

    private func list(of member: UserName, after: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let all = try transaction.conversations.page(of: transaction.existingUser(member).id).map(\.conversation)
            let rest = all.filter { $0.id.rawValue > after ?? 0 }
            var page: [AdminConversation] = []
            for conversation in rest.prefix(AdminProtocol.pageRows) {
                page.append(try Self.shown(conversation, transaction))
            }
            return .conversations(page, next: rest.count > page.count ? page.last?.number : nil)
        }
    }

    private func look(_ conversation: String, _ place: AdminConversationPlace, limit: Int, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let found = try Self.find(conversation, transaction)
            let messages: [Message]
            switch place {
            case .before(let sequence):
                messages = try transaction.messages.page(
                    in: found.id, before: sequence, limit: limit, as: .unrestricted)
            case .after(let sequence):
                messages = try transaction.messages.page(in: found.id, after: sequence, limit: limit, as: .unrestricted)
            case .around(let sequence):
                messages = try transaction.messages.page(
                    in: found.id, around: sequence, limit: limit, as: .unrestricted)
            case .since(let milliseconds):
                let first = try transaction.messages.firstSequence(in: found.id, atOrAfter: milliseconds)
                messages = try transaction.messages.page(
                    in: found.id, after: first - 1, limit: limit, as: .unrestricted)
            }
            return .messages(try Self.current(messages, in: found, self.moderation.kinds, transaction))
        }
    }

    private func recall(_ conversation: String, _ sequence: Int64, forGood: Bool, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let place = MessagePlace(try Self.find(conversation, transaction.reading).id, sequence)
            if forGood {
                try transaction.messages.deleteForAll(place, by: .operator)
            } else {
                try transaction.messages.recall(place, by: .operator)
            }
            return .done
        }
    }

    private func edit(_ conversation: String, _ sequence: Int64, text: String, _ then: @escaping Answer) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            return then(.failure(AdminError(.invalid, "a message has words: take it back instead")))
        }
        self.write(then) { transaction throws(StoreError) in
            let found = try Self.find(conversation, transaction.reading)
            guard
                let stored = try transaction.reading.messages.one(
                    in: found.id, sequence: sequence, as: .unrestricted)
            else {
                throw .notFound("message \(sequence) of \(conversation)")
            }
            let extra = try transaction.reading.messages.extras(of: [sequence], in: found.id, for: nil)[sequence]
            let content = Content(of: (extra.flatMap(stored.edited) ?? stored).content)
            guard let edited = NativeContentCodec.stored(content, withText: text) else {
                throw .invalid("message \(sequence) of \(conversation) has no text that could be changed")
            }
            guard content.text != text || extra?.isRecalled == true else { return .done }
            try transaction.messages.edit(
                MessagePlace(found.id, sequence), newBody: edited.body, isJSONObject: true, wire: .native,
                by: .operator)
            return .done
        }
    }

    // MARK: One message's way

    private func trace(_ conversation: String, _ sequence: Int64, after: Int64?, _ then: @escaping Answer) {
        self.broker.sessions(of: nil) { sessions in
            let byPerson = Dictionary(grouping: sessions, by: \.user)
            self.read(then, as: .long) { transaction throws(StoreError) in
                let found = try Self.find(conversation, transaction)
                guard let message = try transaction.messages.one(in: found.id, sequence: sequence, as: .unrestricted)
                else {
                    throw .notFound("message \(sequence) of \(conversation)")
                }
                let extra = try transaction.messages.extras(of: [sequence], in: found.id, for: nil)[sequence]
                let rows = AdminProtocol.pageRows / 5
                let place = MessagePlace(found.id, sequence)
                let ways = try transaction.messages.ways(
                    of: place, after: UserID(rawValue: after ?? 0), limit: rows)
                let names = try transaction.shownNames(of: ways.map(\.name))
                let people = ways.map { way in
                    var row = AdminTraceRow(way, of: message, extra, sessions: byPerson[way.user] ?? [])
                    row.displayName = names[way.name]
                    return row
                }
                var trace = AdminTrace(
                    message: try Self.current([message], in: found, self.moderation.kinds, transaction)[0],
                    isRecalled: extra?.isRecalled ?? false, isDeletedForAll: extra?.isDeletedForAll ?? false,
                    editCount: Int64(extra?.editCount ?? 0), people: people,
                    next: ways.count == rows ? ways.last?.user.rawValue : nil)
                if after == nil, let extra {
                    trace.former = try transaction.messages.versions(of: message).map { AdminMessageVersion($0) }
                    // The last one is what people see.
                    if !extra.isRecalled && !extra.isDeletedForAll { trace.former.removeLast() }
                    trace.boundFormer()
                }
                return .conversationDetails(.trace(trace))
            }
        }
    }

    // MARK: With another's eyes

    private var refusalWithoutReason: AdminError? {
        guard self.note?.actor.reason == nil else { return nil }
        return AdminError(.invalid, "say why you look with another's eyes: it goes into the audit log")
    }

    private func see(
        _ conversation: String, as name: UserName, before: Int64?, limit: Int, _ then: @escaping Answer
    ) {
        if let refusal = self.refusalWithoutReason { return then(.failure(refusal)) }
        self.afterAuditing(then) {
            self.read(then) { transaction throws(StoreError) in
                let found = try Self.find(conversation, transaction)
                let member = try transaction.existingUser(name)
                return .conversationDetails(
                    .seen(
                        try Self.page(
                            of: found, as: member, before: before ?? .max, limit: limit, self.moderation.kinds,
                            transaction)))
            }
        }
    }

    /// A page is of so many messages of the conversation; those that the member does not see are among them.
    private static func page(
        of conversation: Conversation, as member: User, before: Int64, limit: Int, _ kinds: MessageKinds,
        _ transaction: ReadTransaction
    ) throws(StoreError) -> AdminSeen {
        let all = try transaction.messages.page(in: conversation.id, before: before, limit: limit, as: .unrestricted)
        let shownConversation = try Self.shown(conversation, transaction)
        let names = try transaction.shownNames(of: all.map(\.senderName))
        var seen = AdminSeen(messages: [], withheld: [], next: nil)
        for (message, extra, visibility) in try Self.visibilities(of: all, in: conversation.id, by: member, transaction)
        {
            switch visibility {
            case .withheld(let reason):
                seen.withheld.append(AdminWithheld(sequence: message.sequence, reason: reason))
            case .shown(let shown):
                let told = AdminMessage(shown, conversationName: shownConversation.name, kinds: kinds)
                seen.messages.append(
                    AdminSeenMessage(
                        message: told.named(names[shown.senderName], in: shownConversation),
                        isRecalled: extra?.isRecalled ?? false,
                        isEdited: extra?.editedBody != nil && !shown.isStandIn))
            }
        }
        if let first = all.first?.sequence, first > 1 { seen.next = first }
        return seen
    }

    /// Visibility of a message for a member.
    enum Visibility {
        /// The message as it stands for them.
        case shown(Message)
        case withheld(AdminWithholding)
    }

    /// Visibility for a member of messages that were read without restriction.
    ///
    /// - Throws: `notFound` for who is not in the conversation.
    static func visibilities(
        of all: [Message], in id: ConversationID, by member: User, _ transaction: ReadTransaction
    ) throws(StoreError) -> [(message: Message, extra: MessageExtra?, visibility: Visibility)] {
        // For who is not in it there is nothing; the same question as that of a client.
        _ = try transaction.messages.latest(in: id, limit: 1, as: .member(member.id))
        let cleared = try transaction.inbox.preference(of: member.id, in: id).clearedThrough
        // What the operator's rules say is asked of the words themselves, not of what the member is told of them.
        let theirs = try transaction.messages.extras(of: all.map(\.sequence), in: id, for: member.id)
        var extras = try transaction.messages.extras(of: all.map(\.sequence), in: id, for: nil)
        for (sequence, extra) in theirs { extras[sequence, default: extra].isHidden = extra.isHidden }
        var visibilities: [(message: Message, extra: MessageExtra?, visibility: Visibility)] = []
        for message in all {
            let extra = extras[message.sequence]
            if message.isFor(member.name),
                let reason = Self.withholding(of: message, extra, clearedThrough: cleared, from: member.name)
            {
                visibilities.append((message, extra, .withheld(reason)))
                continue
            }
            let edited = extra.flatMap(message.edited) ?? message
            let shown = try transaction.messages.seen([edited], in: id, by: member.id).first
            guard let shown, !shown.isUnseen else {
                visibilities.append((message, extra, .withheld(.notForThem)))
                continue
            }
            visibilities.append((message, extra, .shown(shown)))
        }
        return visibilities
    }

    fileprivate static func withholding(
        of message: Message, _ extra: MessageExtra?, clearedThrough: Int64, from name: UserName
    ) -> AdminWithholding? {
        if message.sequence <= clearedThrough { return .cleared }
        if extra?.isDeletedForAll == true { return .deletedForAll }
        if extra?.isHidden == true { return .deletedBySelf }
        return message.isFor(name) && FileReads.shows(message, to: name) ? nil : .notForThem
    }

    // MARK: Taking a copy

    /// Bytes of bodies after which a page has enough: escaped, they fit a line of the protocol.
    private static let exportBytes = 150_000

    private func export(
        _ conversation: String, after: Int64, as name: UserName?, _ then: @escaping Answer
    ) {
        if name != nil, let refusal = self.refusalWithoutReason { return then(.failure(refusal)) }
        self.afterAuditing(then) {
            self.read(then, as: .long) { transaction throws(StoreError) in
                let place = try Self.find(conversation, transaction)
                let id = place.id
                let limit = AdminProtocol.pageRows
                let found = try transaction.messages.page(in: id, after: after, limit: limit, as: .unrestricted)
                var page: [AdminExportedMessage] = []
                var (bytes, last) = (0, after)
                for (message, row) in try Self.exported(found, in: id, as: name, transaction) {
                    let size = row.map { $0.body.count + $0.former.reduce(200) { $0 + $1.body.count + 100 } } ?? 0
                    if bytes + size > Self.exportBytes && !page.isEmpty { break }
                    bytes += size
                    last = message.sequence
                    if let row { page.append(row) }
                }
                let hasMore = !found.isEmpty && last < place.head
                return .conversationDetails(.exported(page, next: hasMore ? last : nil))
            }
        }
    }

    /// Messages as they go into a copy; `nil` for what a member is shown nothing of.
    private static func exported(
        _ found: [Message], in id: ConversationID, as name: UserName?, _ transaction: ReadTransaction
    ) throws(StoreError) -> [(message: Message, row: AdminExportedMessage?)] {
        var exported: [(message: Message, row: AdminExportedMessage?)] = []
        guard let name else {
            let extras = try transaction.messages.extras(of: found.map(\.sequence), in: id, for: nil)
            for message in found {
                let extra = extras[message.sequence]
                var row = AdminExportedMessage(message, extra)
                if let edited = extra?.editCount, edited > 0 {
                    row.former = try transaction.messages.versions(of: message).dropLast().map { AdminFormerBody($0) }
                    row.boundFormer()
                }
                exported.append((message, row))
            }
            return exported
        }
        let member = try transaction.existingUser(name)
        for (message, extra, visibility) in try Self.visibilities(of: found, in: id, by: member, transaction) {
            var row: AdminExportedMessage?
            if case .shown(let shown) = visibility {
                // What stands in the place of a message is not what it became by an edit.
                row = AdminExportedMessage(shown, extra)
                row?.body = shown.content.body
            }
            exported.append((message, row))
        }
        return exported
    }
}

extension AdminTraceRow {
    init(_ way: MessageWay, of message: Message, _ extra: MessageExtra?, sessions: [SessionDescription]) {
        var mark = extra
        if way.isHidden {
            mark =
                mark
                ?? MessageExtra(
                    place: MessagePlace(message.conversation, message.sequence), id: message.id, revision: 0)
            mark?.isHidden = true
        }
        let (there, waiting) = (
            way.delivered.filter { $0.sequence >= message.sequence },
            way.delivered.filter { $0.sequence < message.sequence }
        )
        var withheld = AdminHandler.withholding(of: message, mark, clearedThrough: way.clearedThrough, from: way.name)
        if withheld == nil, way.isBeforeTheirHistory { withheld = .beforeJoining }
        self.init(
            name: way.name, isSender: way.user == message.sender,
            isRead: way.isRead || way.reportedReadAtMilliseconds != nil,
            reportedReadAtMilliseconds: way.reportedReadAtMilliseconds, deliveredTo: there.map(\.deviceClass),
            waitingFor: waiting.map(\.deviceClass),
            sessions: sessions.map {
                AdminTraceSession(id: Int64(bitPattern: $0.id.rawValue), device: $0.deviceClass)
            }, withheld: withheld)
        self.cameLater = way.cameLater
        self.read = way.read.map { AdminTraceTime($0) }
        self.delivered = way.arrival.map { AdminTraceTime($0) }
    }
}

extension AdminTraceTime {
    init(_ arrival: MessageArrival) {
        self.init(atMilliseconds: arrival.atMilliseconds, isExact: arrival.isExact)
    }
}

extension AdminMessageVersion {
    init(_ version: MessageVersion) {
        let (text, isCut) = shownText(of: version.content)
        self.init(
            number: Int64(version.number), editor: version.editor.text, atMilliseconds: version.atMilliseconds,
            text: text, isCut: isCut)
    }
}

extension AdminExportedMessage {
    init(_ message: Message, _ extra: MessageExtra?) {
        self.init(
            sequence: message.sequence, id: message.id, sender: message.senderName.text,
            sentAtMilliseconds: message.sentAtMilliseconds, kind: message.content.kind,
            body: extra?.editedBody ?? message.content.body, isRecalled: extra?.isRecalled ?? false,
            isDeletedForAll: extra?.isDeletedForAll ?? false, editCount: Int64(extra?.editCount ?? 0))
    }
}

extension AdminFormerBody {
    init(_ version: MessageVersion) {
        self.init(
            number: Int64(version.number), editor: version.editor.text, atMilliseconds: version.atMilliseconds,
            body: version.content.body)
    }
}
