import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store

/// Messages that are changed or taken back.
extension LeanCloudSession {
    /// One message to be changed.
    private struct Change: Sendable {
        let address: ConversationAddress
        let edge: HistoryEdge
        /// Content from now on; `nil` for a recall.
        var content: MessageContent?
        /// Watched words in it.
        var flagged: [String] = []

        init?(_ item: PatchItem) {
            guard let address = item.cid.flatMap({ LeanCloudNames.address(cid: $0) }) else { return nil }
            self.address = address
            self.edge = LeanCloudContent.edge(item.timestamp, item.mid)
            if item.recall == true { return }
            // COMPAT(LeanCloud Java 8.2): binary content stands where text is expected.
            let misplaced = item.data == nil ? item.content : nil
            guard let body = LeanCloudContent.body(text: item.data, binary: item.binaryMsg ?? misplaced) else {
                return nil
            }
            let content = LeanCloudContent.content(
                body, mentionsAll: item.mentionAll ?? false, mentions: item.mentionPids)
            // COMPAT(LeanCloud Swift 17): takes a message back by an edit of this type, without `recall`.
            if Int64(content.kind.rawValue) == TypedMessageKind.recalled.rawValue { return }
            self.content = content
        }

        /// Applies the changes that the app's own server wants.
        mutating func takeChanges(_ wanted: HookChanges) {
            guard let before = self.content, let bytes = wanted.content, bytes != before.body else { return }
            let isBinary = wanted.isBinary ?? before.flags.contains(.binary)
            var content = LeanCloudContent.content(
                isBinary ? .binary(bytes) : .text(String(decoding: bytes, as: UTF8.self)),
                mentionsAll: before.mentions.all, mentions: before.mentions.users.map(\.text))
            content.flags.insert(.masked)
            self.content = content
        }
    }

    /// Changes in one command. Source: the SDKs, which send one.
    private static let mostChanges = 20

    func patch(_ command: GenericCommand) {
        let items = command.patchMessage?.patches ?? []
        let changes = items.compactMap(Change.init)
        guard command.op == .modify, !changes.isEmpty, changes.count == items.count, items.count <= Self.mostChanges
        else { return self.fail(command, .unparseableMessage.saying("each change needs a conversation and a content")) }
        let later = self.later()
        guard let user = self.identity?.user else { return }
        let peer = self.connection.connection.peer
        let asked = Asked(by: user, from: "\(peer.text):\(peer.port)", store: self.services.store)
        let broker = self.services.broker
        Self.screen(changes, 0, broker) { [origin = self.origin, hooks = broker.hooks] screened in
            guard let screened else {
                return later {
                    $0.fail(command, .messageUpdateRejectedByApp.saying("the text has a word that is not allowed here"))
                }
            }
            LeanCloudSession.consult(hooks, screened, 0, asked) { allowed in
                switch allowed {
                case .failure(let fault): later { $0.fail(command, fault) }
                case .success(let allowed):
                    asked.store.write { transaction throws(StoreError) -> Done in
                        transaction.origin = origin
                        return try LeanCloudSession.perform(allowed, by: user, transaction)
                    } then: { result in
                        // COMPAT(LeanCloud Java): takes the time of the answer as that of the last change it knows.
                        broker.afterEvents {
                            later { $0.answerPatch(command, isRecall: changes[0].content == nil, result) }
                        }
                    }
                }
            }
        }
    }

    /// Request for changes: its client and address.
    private struct Asked: Sendable {
        let user: UserID
        let address: String?
        let store: Store

        init(by user: UserID, from address: String?, store: Store) {
            self.user = user
            self.address = address
            self.store = store
        }
    }

    /// Asks the app's own server about each change. Source: LeanCloud realtime guide, `_messageUpdate`: 4405.
    private static func consult(
        _ hooks: (any HookHandler)?, _ changes: [Change], _ index: Int, _ asked: Asked,
        then: @escaping @Sendable (Result<[Change], LeanCloudFault>) -> Void
    ) {
        guard let hooks, index < changes.count, hooks.wants("_messageUpdate") else { return then(.success(changes)) }
        let change = changes[index]
        asked.store.read(for: .person(asked.user)) { transaction throws(StoreError) -> HookedUpdate? in
            guard let conversation = try transaction.conversations.one(change.address, seenBy: asked.user),
                let place = try transaction.messages.place(of: change.edge, in: conversation.id),
                let known = try transaction.messages.one(
                    in: conversation.id, sequence: place.sequence, as: .unrestricted),
                known.sender == asked.user
            else { return nil }
            var content = change.content ?? known.content
            // Its id is what it was, whatever it says now.
            content.envelope = known.content.envelope
            return HookedUpdate(
                editor: asked.user, place: place, message: known.id, content: content,
                isRecall: change.content == nil, address: asked.address)
        } then: { result in
            // What is not there is refused by the server itself, in its own words.
            guard case .success(let update?) = result else {
                return LeanCloudSession.consult(hooks, changes, index + 1, asked, then: then)
            }
            hooks.ask(.update(update)) { verdict in
                switch verdict {
                case .rejected(let code, let detail):
                    then(.failure(LeanCloudFault.messageUpdateRejectedByApp.byHook(code: code, detail: detail)))
                case .allowed(let wanted):
                    var changes = changes
                    changes[index].takeChanges(wanted)
                    LeanCloudSession.consult(hooks, changes, index + 1, asked, then: then)
                }
            }
        }
    }

    /// The word list is held against an edit as against a message. `nil` when one of them is refused.
    private static func screen(
        _ changes: [Change], _ index: Int, _ broker: Broker, then: @escaping @Sendable ([Change]?) -> Void
    ) {
        guard index < changes.count else { return then(changes) }
        guard let content = changes[index].content else { return Self.screen(changes, index + 1, broker, then: then) }
        broker.screen(content, from: .user) { screening in
            if screening?.refusal != nil { return then(nil) }
            var changes = changes
            if let screening {
                changes[index].content = screening.content
                changes[index].flagged = screening.flagged
            }
            LeanCloudSession.screen(changes, index + 1, broker, then: then)
        }
    }

    private struct Done: Sendable {
        /// The moment of the last change.
        var at: Int64
        /// Messages that the word list has changed.
        var masked: [MessagePlace]
    }

    private static func perform(
        _ changes: [Change], by user: UserID, _ transaction: WriteTransaction
    ) throws(StoreError) -> Done {
        var done = Done(at: transaction.wallMilliseconds, masked: [])
        for wanted in changes {
            guard let conversation = try transaction.reading.conversations.one(wanted.address, seenBy: user),
                try !transaction.reading.isOver(conversation)
            else { throw .refused(.noSuchConversation) }
            guard let place = try transaction.reading.messages.place(of: wanted.edge, in: conversation.id),
                let known = try transaction.reading.messages.one(
                    in: conversation.id, sequence: place.sequence, as: .unrestricted)
            else { throw .refused(.noSuchMessage) }
            // Source: LeanCloud, 4403: whoever a person is there, messages of others are not theirs to change.
            guard known.sender == user else { throw .refused(.notAuthor) }
            guard let content = wanted.content else {
                done.at = try transaction.messages.recall(place, by: Actor(user)).patchedAtMilliseconds
                continue
            }
            let change = try transaction.messages.edit(
                place, newBody: content.body, isJSONObject: content.flags.contains(.bodyIsJSONObject),
                isBinary: content.flags.contains(.binary), wire: .leanCloud,
                envelope: LeanCloudContent.envelope(of: content, after: known.content.envelope), by: Actor(user))
            done.at = change.patchedAtMilliseconds
            if !wanted.flagged.isEmpty, change.revision > 0 {
                try transaction.moderation.addFlagged(wanted.flagged, at: place, by: user)
            }
            if content.flags.contains(.masked) { done.masked.append(place) }
        }
        return done
    }

    private func answerPatch(_ command: GenericCommand, isRecall: Bool, _ result: Result<Done, StoreError>) {
        switch result {
        case .success(let done):
            var answer = self.answer(to: command, .patch, .modified)
            var patch = PatchCommand()
            patch.lastPatchTime = self.deliveries.feed.knownPatchTime(done.at)
            answer.patchMessage = patch
            self.send(answer)
            for place in done.masked { self.tellMasked(place) }
        case .failure(let error):
            var fault = LeanCloudFault(error) { LeanCloudFault(message: $0, isRecall: isRecall) }
            if fault.code == LeanCloudFault.conversationNotFound.code {
                fault = .gone(command.patchMessage?.patches.first?.cid ?? "", otherwise: fault)
            }
            self.fail(command, fault)
        }
    }

    /// Tells of messages that were changed or taken back.
    func push(_ items: [PatchItem], lastPatchTime: Int64) {
        var command = self.push(.patch, .modify)
        var patch = PatchCommand()
        patch.patches = items
        patch.lastPatchTime = lastPatchTime
        command.patchMessage = patch
        self.send(command)
    }
}
