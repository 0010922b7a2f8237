import AdminAPI
import ByteCodec
import ChatModel
import Store

// The rules for what people are shown of the messages of others.
extension AdminHandler {
    func answerFilterRequest(_ request: AdminFilterRequest, _ then: @escaping Answer) {
        switch request {
        case .list(let after): self.listFilters(after: after, then)
        case .add(let rule):
            self.changeFilter(then) { transaction throws(StoreError) in
                let stored = FilterRule(
                    receiver: try transaction.reading.optionalUser(rule.receiver),
                    sender: try transaction.reading.optionalUser(rule.sender), kind: rule.kind, word: rule.word,
                    action: rule.action)
                var added = rule
                added.number = try transaction.moderation.addFilterRule(stored).number
                return .filters(.rule(added))
            }
        case .remove(let number):
            self.changeFilter(then) { transaction throws(StoreError) in
                let rule = try transaction.moderation.removeFilterRule(number)
                return .filters(.rule(try transaction.reading.written(rule)))
            }
        case .test(let trial): self.test(trial, then)
        }
    }

    private func listFilters(after: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let rows = AdminProtocol.filterRows
            var page: [AdminFilterRule] = []
            for rule in try transaction.moderation.filterRules().filter({ $0.number > after ?? 0 }).prefix(rows) {
                page.append(try transaction.written(rule))
            }
            return .filters(.rules(page, next: page.count == rows ? page.last?.number : nil))
        }
    }

    private func test(_ trial: AdminFilterTrial, _ then: @escaping Answer) {
        let filter = self.store.filter
        self.read(then) { transaction throws(StoreError) in
            let receiver = try transaction.existingUser(trial.receiver).id
            let sender = try transaction.existingUser(trial.sender).id
            let content = MessageContent(
                kind: trial.kind, flags: .bodyIsJSONObject, wire: .native, body: textBody(trial.text))
            guard let rule = filter.verdicts(on: content, from: sender)?.rule(for: receiver) else {
                return .filters(.tested(nil))
            }
            return .filters(.tested(try transaction.written(rule)))
        }
    }

    /// Makes a change, and answers once it is in force.
    private func changeFilter(
        _ then: @escaping Answer,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> AdminAnswer
    ) {
        let store = self.store
        self.write(
            { result in
                guard case .success = result else { return then(result) }
                store.reloadFilter { reloaded in
                    switch reloaded {
                    case .success: then(result)
                    case .failure(let error):
                        let text =
                            "the change is stored and not yet in force; ask for another one. The reason: \(error)"
                        then(.failure(AdminError(.busy, text)))
                    }
                }
            }, body)
    }
}

extension ReadTransaction {
    fileprivate func optionalUser(_ name: UserName?) throws(StoreError) -> UserID? {
        guard let name else { return nil }
        return try self.existingUser(name).id
    }

    /// A rule with names.
    fileprivate func written(_ rule: FilterRule) throws(StoreError) -> AdminFilterRule {
        var written = AdminFilterRule(
            number: rule.number, kind: rule.kind, word: rule.word, action: rule.action)
        if let receiver = rule.receiver { written.receiver = try self.people.user(receiver)?.name }
        if let sender = rule.sender { written.sender = try self.people.user(sender)?.name }
        return written
    }
}
