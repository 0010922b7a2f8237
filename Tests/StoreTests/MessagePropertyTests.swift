import ByteCodec
import ChatModel
import Testing

@testable import Store

/// What a client knows that only asks for what changed since it last asked.
private struct Client {
    let user: UserID
    var views: [Int64: MessageModel.View] = [:]
    private var revision: Int64 = 0
    private var reactionRevision: Int64 = 0
    private var change: Int64 = 0

    init(_ user: UserID) { self.user = user }

    /// Asks, a page at a time, until there is nothing more.
    mutating func sync(_ verona: Verona, _ ids: [UserName: UserID], pageSize: Int) throws {
        while let page = try self.extras(verona, pageSize), let last = page.last {
            self.revision = last.revision
            for extra in page { self.take(extra) }
        }
        while let page = try self.reactions(verona, pageSize), let last = page.last {
            self.reactionRevision = last.revision
            for reaction in page {
                guard let user = ids[reaction.user] else { continue }
                let given = MessageModel.Given(user: user, name: reaction.name)
                var view = self.views[reaction.place.sequence] ?? MessageModel.View()
                if reaction.isRemoved { view.reactions.remove(given) } else { view.reactions.insert(given) }
                self.views[reaction.place.sequence] = view
            }
        }
        while let page = try self.reminders(verona, pageSize), let last = page.last {
            self.change = last.change
            for reminder in page {
                self.views[reminder.sequence, default: MessageModel.View()].reminderIsDone = reminder.isDone
            }
        }
    }

    private mutating func take(_ extra: MessageExtra) {
        var view = self.views[extra.place.sequence] ?? MessageModel.View()
        view.isRecalled = extra.isRecalled
        view.isDeleted = extra.isDeletedForAll
        view.withdrawnBy = extra.recalledBy
        view.edited = extra.editedBody.map { String(decoding: $0, as: UTF8.self) }
        view.editCount = extra.editCount
        view.isPinned = extra.isPinned
        view.readerCount = extra.readerCount
        view.isHidden = extra.isHidden
        view.isHeard = extra.isHeard
        view.hasRead = extra.hasRead
        view.attributes = [:]
        let members = extra.attributes.flatMap { try? JSONValue(parsing: $0).object } ?? []
        for member in members { view.attributes[member.name] = member.value.integer.map(Int.init) }
        self.views[extra.place.sequence] = view
    }

    private func extras(_ verona: Verona, _ limit: Int) throws -> [MessageExtra]? {
        let (id, user, revision) = (verona.id, self.user, self.revision)
        return try verona.read { store throws(StoreError) in
            try store.messages.extras(in: id, after: revision, limit: limit, for: user)
        }
    }

    private func reactions(_ verona: Verona, _ limit: Int) throws -> [Reaction]? {
        let (id, user, revision) = (verona.id, self.user, self.reactionRevision)
        return try verona.read { store throws(StoreError) in
            try store.messages.reactions(in: id, after: revision, limit: limit, as: .member(user))
        }
    }

    private func reminders(_ verona: Verona, _ limit: Int) throws -> [Reminder]? {
        let (user, change) = (self.user, self.change)
        return try verona.read { store throws(StoreError) in
            try store.messages.reminders(of: user, after: change, limit: limit)
        }
    }
}

@Suite("Any order of changes to messages")
struct MessagePropertyTests {
    private static let windowSeconds: Int64 = 300

    private static func options(_ options: inout StoreOptions) {
        options.synchronous = "OFF"
        options.rules.recallInGroups = .seconds(windowSeconds)
        options.rules.editInGroups = .seconds(windowSeconds)
    }

    @Test(
        "leaves a client that asks for changes now and then with what a plain list says", arguments: [1, 2] as [UInt64])
    func agreesWithModel(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var verona = try Verona(change: Self.options)
        let people = verona.everyone + [verona.tybalt]
        let names = zip(people, ["escalus", "mercutio", "romeo", "juliet", "tybalt"].compactMap { UserName($0) })
        var model = MessageModel(
            names: Dictionary(uniqueKeysWithValues: names), managers: [verona.escalus, verona.mercutio],
            members: Set(verona.everyone), windowSeconds: Self.windowSeconds)
        let ids = Dictionary(uniqueKeysWithValues: names.map { ($0.1, $0.0) })
        var clients = [Client(verona.juliet), Client(verona.mercutio)]
        for step in 1...2_000 {
            try self.step(verona, &model, people, &random)
            if step == 700 { verona.fixture = try verona.fixture.reopened(change: Self.options) }
            for index in clients.indices where Int.random(in: 0..<60, using: &random) == 0 {
                try clients[index].sync(verona, ids, pageSize: Int.random(in: 1...9, using: &random))
                try self.compare(clients[index], model, verona)
            }
        }
        for index in clients.indices {
            try clients[index].sync(verona, ids, pageSize: 7)
            try self.compare(clients[index], model, verona)
        }
        for (index, entry) in model.entries.enumerated() {
            let message = try verona.message(MessagePlace(verona.id, Int64(index + 1)))
            #expect(String(decoding: message.content.body, as: UTF8.self) == (entry.isGone ? "" : entry.body))
        }
        #expect(try verona.isSound() == [])
    }

    private func compare(_ client: Client, _ model: MessageModel, _ verona: Verona) throws {
        for index in model.entries.indices {
            let known = client.views[Int64(index + 1)] ?? MessageModel.View()
            #expect(known == model.view(index, for: client.user), "message \(index + 1)")
        }
        let unread = try verona.fixture.unread(client.user)[verona.id, default: 0]
        #expect(unread == Int64(model.unread(client.user)))
    }

    /// One change by somebody, to one of the last messages; the store must take it or refuse it like the model.
    private func step(
        _ verona: Verona, _ model: inout MessageModel, _ people: [UserID], _ random: inout SplitMix
    ) throws {
        let user = people.randomElement(using: &random)!
        let kind = Int.random(in: 0..<16, using: &random)
        if model.entries.isEmpty || kind < 3 { return try self.send(verona, &model, people, &random) }
        let index = model.entries.indices.suffix(40).randomElement(using: &random)!
        let place = MessagePlace(verona.id, Int64(index + 1))
        let now = verona.fixture.clock.clock.wallMilliseconds()
        switch kind {
        case 3:
            let deletes = Bool.random(using: &random)
            self.expect(verona, model.withdraw(index, deleting: deletes, by: user, at: now)) {
                store throws(StoreError) in
                _ =
                    deletes
                    ? try store.messages.deleteForAll(place, by: Actor(user))
                    : try store.messages.recall(place, by: Actor(user))
            }
        case 4, 5:
            let body = "edit \(Int.random(in: 0..<99, using: &random))"
            self.expect(verona, model.edit(index, body, by: user, at: now)) { store throws(StoreError) in
                try store.messages.edit(place, newBody: Array(body.utf8), isJSONObject: false, by: Actor(user))
            }
        case 6: self.hide(verona, &model, index, user)
        case 7:
            let count = Int.random(in: 0...model.entries.count, using: &random)
            let isTaken = model.read(upTo: count, by: user)
            guard isTaken else { return }
            self.expect(verona, true) { store throws(StoreError) in
                try store.inbox.markRead(user, in: place.conversation, upTo: Int64(count))
            }
        case 8, 9:
            let indices = (0..<5).map { max(0, index - $0) }
            self.expect(verona, model.report(indices, by: user)) { store throws(StoreError) in
                try store.messages.markRead(indices.map { Int64($0 + 1) }, in: place.conversation, by: user)
            }
        case 10, 11:
            let name = ["👍", "hm", "no"].randomElement(using: &random)!
            self.expect(verona, model.react(index, name, by: user)) { store throws(StoreError) in
                try store.messages.toggleReaction(place, name: name, by: user)
            }
        case 12: self.finish(verona, &model, index, user)
        case 13:
            let (key, value) = (["a", "b"].randomElement(using: &random)!, Int.random(in: 0..<4, using: &random))
            let patch = Array("{\"\(key)\":\(value == 0 ? "null" : "\(value)")}".utf8)
            let isTaken = model.setAttribute(index, key, value == 0 ? nil : value, by: user)
            self.expect(verona, isTaken) { store throws(StoreError) in
                try store.messages.setAttributes(of: place, mergePatch: patch, by: Actor(user))
            }
        case 14:
            let isPinned = Bool.random(using: &random)
            self.expect(verona, model.pin(index, isPinned, by: user)) { store throws(StoreError) in
                try store.messages.setPinned(place, isPinned, by: Actor(user))
            }
        default:
            self.expect(verona, model.hear(index, by: user)) { store throws(StoreError) in
                try store.messages.markHeard(place, by: user)
            }
            try self.undo(verona, place)
        }
    }

    private func send(
        _ verona: Verona, _ model: inout MessageModel, _ people: [UserID], _ random: inout SplitMix
    ) throws {
        let sender = verona.everyone.randomElement(using: &random)!
        let mentioned = Int.random(in: 0..<3, using: &random) == 0 ? people.randomElement(using: &random) : nil
        let counts = Int.random(in: 0..<4, using: &random) > 0
        let wantsReceipt = Bool.random(using: &random)
        var flags: MessageFlags = counts ? .countsAsUnread : []
        if wantsReceipt { flags.insert(.receiptRequested) }
        verona.advance(seconds: Int64.random(in: 0...30, using: &random))
        let body = "message \(model.entries.count)"
        let mentions = Mentions(users: mentioned.flatMap { model.names[$0] }.map { [$0] } ?? [])
        try verona.say(body, sender, flags: flags, mentions: mentions)
        model.send(
            MessageModel.Entry(
                sender: sender, body: body, sentAt: verona.fixture.clock.clock.wallMilliseconds(), counts: counts,
                wantsReceipt: wantsReceipt), mentions: mentioned.map { [$0] } ?? [])
    }

    private func hide(_ verona: Verona, _ model: inout MessageModel, _ index: Int, _ user: UserID) {
        let place = MessagePlace(verona.id, Int64(index + 1))
        self.expect(verona, model.hide(index, for: user)) { store throws(StoreError) in
            try store.messages.hide([place], for: user)
        }
    }

    private func finish(_ verona: Verona, _ model: inout MessageModel, _ index: Int, _ user: UserID) {
        model.finishReminder(index, by: user)
        let sequence = Int64(index + 1)
        self.expect(verona, true) { store throws(StoreError) in
            let open = try store.reading.messages.reminders(of: user, after: 0, limit: 1_000).filter {
                $0.sequence == sequence
            }
            try store.messages.finishReminders(open.map(\.id), by: user)
        }
    }

    /// A request that changes something and is then refused leaves nothing, in memory neither.
    private func undo(_ verona: Verona, _ place: MessagePlace) throws {
        let juliet = verona.juliet
        let refusal = verona.refusal { store throws(StoreError) in
            try store.messages.deleteForAll(place, by: .operator)
            try store.messages.toggleReaction(MessagePlace(place.conversation, 0), name: "x", by: juliet)
        }
        #expect(refusal == .noSuchMessage)
    }

    private func expect<Value: Sendable>(
        _ verona: Verona, _ isTaken: Bool,
        _ change: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) {
        #expect((verona.refusal(change) == nil) == isTaken)
    }
}
