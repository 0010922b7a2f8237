import AdminAPI
import ChatModel
import Store

// What goes for its age, and what a hold keeps.
extension AdminHandler {
    /// How far a forecast looks.
    private static let forecastMilliseconds: Int64 = 30 * 86_400_000

    func answerRetentionRequest(_ request: AdminRetentionRequest, _ then: @escaping Answer) {
        switch request {
        case .forecast:
            let now = self.options.clock.wallMilliseconds()
            self.forecast(RetentionForecast(), after: ConversationID(rawValue: 0), now: now, then)
        case .holds(let after): self.listHolds(after: after, then)
        case .hold(let hold): self.addHold(hold, then)
        case .release(let number):
            self.write(then) { transaction throws(StoreError) in
                _ = try transaction.holds.remove(number)
                return .done
            }
        }
    }

    /// Goes over all conversations, a read for each page of them, so that nobody waits for it.
    private func forecast(
        _ sum: RetentionForecast, after id: ConversationID, now: Int64, _ then: @escaping Answer
    ) {
        let (rules, soon) = (self.store.retention, now + Self.forecastMilliseconds)
        let goOn: @Sendable (Result<RetentionForecast, StoreError>) -> Void = { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let page):
                var sum = sum
                sum.add(page)
                guard let next = page.next else {
                    return then(.success(.retention(.forecast(Self.rows(rules, sum), held: sum.held))))
                }
                self.forecast(sum, after: next, now: now, then)
            }
        }
        self.store.read(
            as: .long, for: .operator,
            { store throws(StoreError) in
                try store.retention.forecast(
                    rules, after: id, limit: RetentionReads.maximumConversations, now: now, soon: soon)
            }, then: goOn)
    }

    private static func rows(_ rules: RetentionRules, _ forecast: RetentionForecast) -> [AdminRetentionRow] {
        RetentionClass.allCases.map { kind in
            let rule = rules[kind]
            return AdminRetentionRow(
                name: kind.rawValue, days: rule.days, messages: rule.messages, attachmentDays: rule.attachmentDays,
                now: AdminRetentionAmount(forecast.now[kind]), soon: AdminRetentionAmount(forecast.soon[kind]))
        }
    }

    // MARK: Holds

    private func listHolds(after: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let rows = AdminProtocol.pageRows
            let found = try transaction.holds.list(after: after ?? 0, limit: rows + 1)
            var holds: [AdminHold] = []
            for hold in found.prefix(rows) { holds.append(try Self.shown(hold, transaction)) }
            return .retention(.holds(holds, next: found.count > rows ? holds.last?.number : nil))
        }
    }

    private func addHold(_ wanted: AdminNewHold, _ then: @escaping Answer) {
        let asker = self.note.map { $0.actor.name ?? "uid \($0.actor.uid)" } ?? ""
        self.write(then) { transaction throws(StoreError) in
            let subject: HoldSubject
            switch wanted.kind {
            case .person:
                guard let name = UserName(wanted.name) else { throw .notFound("the user \(wanted.name)") }
                subject = .person(try transaction.reading.existingUser(name).id)
            case .conversation: subject = .conversation(try Self.find(wanted.name, transaction.reading).id)
            }
            let hold = try transaction.holds.add(LegalHold(subject: subject, reason: wanted.reason, asker: asker))
            return .retention(.hold(try Self.shown(hold, transaction.reading)))
        }
    }

    /// The state that an entry of the audit log tells of a hold: its number says nothing once it is removed.
    static func stateOfHold(_ number: Int64) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let hold = try transaction.holds.one(number) else { return nil }
            let shown = try Self.shown(hold, transaction)
            return Self.object { json in
                json.text("kind", shown.kind.rawValue)
                json.text("name", shown.name)
                json.text("reason", shown.reason)
                json.text("asker", shown.asker)
            }
        }
    }

    private static func shown(_ hold: LegalHold, _ transaction: ReadTransaction) throws(StoreError) -> AdminHold {
        var shown = AdminHold(
            number: hold.number, kind: .person, name: "", conversation: nil, reason: hold.reason, asker: hold.asker,
            createdAtMilliseconds: hold.createdAtMilliseconds)
        switch hold.subject {
        case .person(let id): shown.name = try transaction.people.user(id)?.name.text ?? ""
        case .conversation(let id):
            shown.kind = .conversation
            shown.conversation = id.rawValue
            if let conversation = try transaction.conversations.one(id) {
                shown.name = try Self.shown(conversation, transaction).name
            }
        }
        return shown
    }
}

extension AdminRetentionAmount {
    /// - Parameter amount: `nil` for nothing.
    fileprivate init(_ amount: RetentionAmount?) {
        let amount = amount ?? RetentionAmount()
        self.init(
            conversations: amount.conversations, messages: amount.messages, bytes: amount.bytes,
            attachments: amount.attachments, attachmentBytes: amount.attachmentBytes)
    }
}
