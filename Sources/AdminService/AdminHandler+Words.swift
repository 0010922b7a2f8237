import AdminAPI
import Broker
import ByteCodec
import ChatModel
import ContentTranslation
import Store
import WuKongTranslation

// The word list.
extension AdminHandler {
    func answerWordRequest(_ request: AdminWordRequest, _ then: @escaping Answer) {
        switch request {
        case .list(let after): self.listWords(after: after, then)
        case .add(let rules):
            self.change(then) { transaction throws(StoreError) in
                .count(Int64(try transaction.moderation.addWordRules(rules)))
            }
        case .remove(let words):
            self.change(then) { transaction throws(StoreError) in
                .count(Int64(try transaction.moderation.removeWordRules(words)))
            }
        case .test(let text):
            let verdict = self.moderation.verdict(on: text)
            then(
                .success(
                    .words(
                        .tested(
                            AdminWordTest(action: verdict.action, masked: verdict.masked, hits: verdict.hits)))))
        case .flagged(let before): self.listFlagged(before: before, then)
        }
    }

    private func listWords(after: String?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let rules = try transaction.moderation.wordRules(after: after, limit: AdminProtocol.pageRows)
            return .words(.rules(rules, next: rules.count == AdminProtocol.pageRows ? rules.last?.word : nil))
        }
    }

    private func listFlagged(before: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let messages = try transaction.moderation.flaggedMessages(before: before, limit: AdminProtocol.pageRows)
            var names: [ConversationID: String] = [:]
            var rows: [AdminFlagged] = []
            for message in messages {
                let id = message.conversation
                if names[id] == nil, let conversation = try transaction.conversations.one(id) {
                    names[id] = try Self.name(of: conversation, transaction)
                }
                rows.append(AdminFlagged(message, conversationName: names[id] ?? ""))
            }
            return .words(.flagged(rows, next: rows.count == AdminProtocol.pageRows ? rows.last?.number : nil))
        }
    }

    /// Makes a change, and answers once it is in force.
    private func change(
        _ then: @escaping Answer,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> AdminAnswer
    ) {
        let moderation = self.moderation
        self.write(
            { result in
                guard case .success = result else { return then(result) }
                moderation.reload { reloaded in
                    switch reloaded {
                    case .success: then(result)
                    case .failure(let error):
                        let text = "the change is stored and not yet in force; ask for it again. The reason: \(error)"
                        then(.failure(AdminError(.busy, text)))
                    }
                }
            }, body)
    }
}

// Message kinds.
extension AdminHandler {
    func answerKindRequest(_ request: AdminKindRequest, _ then: @escaping Answer) {
        let moderation = self.moderation
        switch request {
        case .list:
            self.read(then) { transaction throws(StoreError) in
                let kinds = try transaction.moderation.messageKinds()
                return .kinds(.kinds(kinds.map { AdminMessageKind($0, moderation) }))
            }
        case .set(let entry):
            guard
                entry.kind.rawValue <= 0 || Translation.isFree(entry.kind) || entry.kind == Translation.nameCardKind
            else {
                let number = entry.kind.rawValue
                let text = "number: \(number) is a kind of WuKongIM's own; choose one from 100 to 999 or from 10000 on"
                return then(.failure(AdminError(.invalid, text)))
            }
            self.change(then) { transaction throws(StoreError) in
                try transaction.moderation.setMessageKind(entry)
                return .kinds(.kind(AdminMessageKind(entry, moderation)))
            }
        case .setDisabled(let kind, let isDisabled):
            self.change(then) { transaction throws(StoreError) in
                let entry = try transaction.moderation.setMessageKindDisabled(kind, isDisabled)
                return .kinds(.kind(AdminMessageKind(entry, moderation)))
            }
        case .remove(let kind):
            self.change(then) { transaction throws(StoreError) in
                try transaction.moderation.removeMessageKind(kind)
                return .done
            }
        case .try(let kind, let body): self.tryOut(body, as: kind, then)
        }
    }

    private func tryOut(_ body: String, as kind: MessageKind, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            guard let entry = try transaction.moderation.messageKind(kind) else {
                throw .notFound("the message kind \(kind.rawValue)")
            }
            // As a message of this kind would come, whatever `type` the body says.
            var content = Translation.content(
                payload: Array(body.utf8), header: .init(), setting: [], topic: nil, expire: 0)
            content.kind = kind
            // As LeanCloud's apps write them, whose fields may stand in the attributes, or as all others do.
            let isTyped = (try? JSONValue(parsing: content.body))?["_lctype"] != nil
            let custom = isTyped ? LeanCloudContentCodec.custom(content) : WuKongContentCodec.custom(content)
            let shown = custom.worded(entry)
            return .kinds(
                .tried(
                    AdminKindTrial(
                        problem: custom.problem(as: entry), line: custom.line(as: shown), typeTitle: shown.typeTitle,
                        summary: shown.summary, degrade: shown.degrade)))
        }
    }

    static func stateOfWord(_ word: String?) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let word, let rule = try transaction.moderation.wordRule(word) else { return nil }
            return Self.object { $0.text("action", rule.action.rawValue) }
        }
    }

    static let stateOfFilter: AuditNote.State = { transaction throws(StoreError) in
        let rules = try transaction.moderation.filterRules()
        return Self.object { json in
            json.number("rules", Int64(rules.count))
            json.number("newest", rules.last?.number ?? 0)
        }
    }

    static func stateOfKind(_ kind: MessageKind) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let entry = try transaction.moderation.messageKind(kind) else { return nil }
            return Self.object { json in
                json.text("name", entry.name)
                json.number("version", entry.version)
                json.texts("required", entry.requiredFields)
                json.texts("files", entry.fileFields)
                json.text("degrade", entry.degrade)
                json.text("typeTitle", entry.typeTitle)
                json.text("summary", entry.summary)
                json.text("digest", entry.digest)
                json.flag("disabled", entry.isDisabled)
            }
        }
    }
}

extension AdminFlagged {
    init(_ message: FlaggedMessage, conversationName: String) {
        self.init(
            number: message.number, atMilliseconds: message.atMilliseconds,
            conversation: message.conversation.rawValue, conversationName: conversationName,
            sequence: message.sequence, sender: message.sender.text, word: message.word)
    }
}

extension AdminMessageKind {
    init(_ entry: MessageKindEntry, _ moderation: Moderation) {
        self.init(entry, undecodable: moderation.undecodable(entry.kind))
    }
}
