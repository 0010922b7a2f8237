import Accounts
import Broker
import ByteCodec
import ChatModel
import LeanCloudQuery
import LeanCloudTranslation
import LeanCloudWire
import Store

/// Conversations, as the client makes, changes and marks them. Who is in them stands in `LeanCloudSession+People`, what
/// the client asks about them in `LeanCloudSession+Asking`.
extension LeanCloudSession {
    func conversationCommand(_ command: GenericCommand) {
        let body = command.convMessage ?? ConvCommand()
        switch command.op {
        case .start?: self.start(command, body)
        case .add?: self.add(command, body)
        case .remove?: self.remove(command, body)
        case .update?: self.update(command, body)
        case .mute?: self.mute(command, body, true)
        case .unmute?: self.mute(command, body, false)
        case .count?: self.count(command, body)
        case .members?: self.members(command, body)
        case .isMember?: self.isMember(command, body)
        case .maxRead?: self.maxRead(command, body)
        case .query?: self.query(command, body)
        case .memberInfoUpdate?: self.updateRole(command, body)
        case .addShutup?: self.silence(command, body, true)
        case .removeShutup?: self.silence(command, body, false)
        case .queryShutup?: self.querySilenced(command, body)
        case .checkShutup?: self.checkSilenced(command, body)
        default: self.fail(command, .unparseableMessage.saying("this conversation command is not served"))
        }
    }

    // MARK: Making

    private func start(_ command: GenericCommand, _ body: ConvCommand) {
        let form = NewObject.Form(
            isRoom: body.transient == true, isTemporary: body.tempConv == true, isUnique: body.unique,
            temporarySeconds: Int64(body.tempConvTTL ?? 0))
        let card: LeanCloudCard
        do throws(ObjectQueryError) {
            card = try LeanCloudCard(parsing: body.attr?.data)
        } catch {
            return self.fail(command, .conversationAPIFailed.saying(error.reason))
        }
        let names = body.m.compactMap { UserName($0) }
        guard names.count == body.m.count else {
            return self.fail(command, .conversationAPIFailed.saying("a member's name is no client id"))
        }
        // Not every SDK signs for temporary ones.
        if body.tempConv != true || body.transient == true {
            let action = SignedAction.start(client: self.client.text, members: body.m)
            if let fault = self.refusal(of: action, body.signature) { return self.fail(command, fault) }
        }
        let client = self.client
        self.consult(
            command, { .start(by: client, members: names, attributes: Array((body.attr?.data ?? "{}").utf8)) }
        ) { session, _ in
            session.start(command, form, card, names)
        }
    }

    private func start(_ command: GenericCommand, _ form: NewObject.Form, _ card: LeanCloudCard, _ names: [UserName]) {
        let makesPeople = self.services.accounts.app.policy.createsUsers
        self.change(
            command,
            { transaction, user throws(StoreError) in
                let new = NewObject(
                    form, creator: user, members: names, title: card.name, attributes: card.attributes,
                    fields: card.fields, makesPeople: makesPeople)
                let (id, isNew) = try transaction.apps.createObject(new)
                guard let row = try transaction.reading.apps.objectRows([id], seenBy: user).first else {
                    throw .notFound("the conversation")
                }
                return (row, isNew)
            }
        ) { session, made in
            session.started(command, made.0, isNew: made.1)
        }
    }

    private func started(_ command: GenericCommand, _ row: ObjectRow, isNew: Bool) {
        guard row.conversation.kind == .room else { return self.answerStarted(command, row, isNew: isNew) }
        // Who makes a room is in it.
        self.enter(row.conversation.id) { session, error in
            guard let error else { return session.answerStarted(command, row, isNew: isNew) }
            session.fail(command, LeanCloudFault(error) { LeanCloudFault(conversation: $0) })
        }
    }

    private func answerStarted(_ command: GenericCommand, _ row: ObjectRow, isNew: Bool) {
        let conversation = row.conversation
        var body = ConvCommand()
        body.cid = LeanCloudNames.conversationID(conversation.objectID, conversation.kind)
        body.cdate = LeanCloudDates.text(conversation.createdAtMilliseconds)
        body.uniqueId = row.uniqueID
        if !isNew { body.existing = true }
        if let expiresAt = row.expiresAtMilliseconds {
            body.tempConv = true
            body.tempConvTTL = Int32(clamping: (expiresAt - self.services.clock.wallMilliseconds() + 999) / 1_000)
        }
        self.answerConversation(command, .started, body)
    }

    // MARK: The card

    private func update(_ command: GenericCommand, _ body: ConvCommand) {
        guard let address = self.address(command, body.cid) else { return }
        let (client, asked) = (self.client, body.attr?.data ?? "{}")
        self.consult(
            command, { address.objectID.map { .change($0, by: client, attributes: Array(asked.utf8)) } }
        ) { session, changes in
            let attributes = changes.attributes.map { String(decoding: $0, as: UTF8.self) }
            session.update(command, body, at: address, attributes ?? asked)
        }
    }

    private func update(
        _ command: GenericCommand, _ body: ConvCommand, at address: ConversationAddress, _ asked: String
    ) {
        let update: ObjectUpdate
        do throws(ObjectQueryError) {
            update = try LeanCloudRows.update(parsing: asked)
        } catch {
            return self.fail(command, .conversationUpdateFailed.saying(error.reason))
        }
        self.change(
            command, invalid: .conversationUpdateFailed, refused: LeanCloudFault.init(update:),
            { transaction, user throws(StoreError) in
                let id = try transaction.conversation(at: address, for: user).id
                var modified = JSONValue.object([])
                let updatedAt = try transaction.apps.updateObject(id, by: Actor(user), asked: Array(asked.utf8)) {
                    row throws(StoreError) in
                    do throws(ObjectQueryError) {
                        let applied = try update.apply(to: row)
                        modified = applied.modified
                        return applied
                    } catch {
                        throw .invalid(error.reason)
                    }
                }
                return (updatedAt, modified.serialized())
            }
        ) { session, done in
            var answer = ConvCommand()
            answer.cid = body.cid
            answer.udate = LeanCloudDates.text(done.0)
            answer.attrModified = JsonObjectMessage(done.1)
            session.answerConversation(command, .updated, answer)
        }
    }

    // MARK: Marks

    private func mute(_ command: GenericCommand, _ body: ConvCommand, _ isSilenced: Bool) {
        guard let address = self.address(command, body.cid) else { return }
        let client = self.client
        self.consult(
            command, { address.objectID.map { .silence($0, by: client, isSilenced: isSilenced) } }
        ) { session, changes in
            session.mute(command, body, at: address, changes.isSilenced ?? isSilenced)
        }
    }

    private func mute(
        _ command: GenericCommand, _ body: ConvCommand, at address: ConversationAddress, _ isSilenced: Bool
    ) {
        self.change(
            command, refused: LeanCloudFault.init(ordinary:),
            { transaction, user throws(StoreError) in
                let conversation = try transaction.conversation(at: address, for: user)
                guard conversation.kind != .temporary && conversation.kind != .room else {
                    throw .refused(.notApplicable)
                }
                var patch = PreferencePatch()
                patch.isSilenced = isSilenced
                try transaction.inbox.setPreference(user, in: conversation.id, patch)
                return conversation.updatedAtMilliseconds
            }
        ) { session, updatedAt in
            var answer = ConvCommand()
            answer.cid = body.cid
            answer.udate = LeanCloudDates.text(updatedAt)
            session.answerConversation(command, .updated, answer)
        }
    }
}

// MARK: Tools

extension LeanCloudSession {
    /// The answer to a conversation command.
    func answerConversation(_ command: GenericCommand, _ op: OpType, _ body: ConvCommand) {
        var answer = self.answer(to: command, .conv, op)
        answer.convMessage = body
        self.send(answer)
    }

    /// Where a command leads; says no to what can be no conversation.
    func address(_ command: GenericCommand, _ cid: String?) -> ConversationAddress? {
        guard let cid, let address = LeanCloudNames.address(cid: cid) else {
            self.fail(command, .conversationNotFound.saying("a conversation's id is missing, or is none"))
            return nil
        }
        return address
    }

    /// Asks the app's own server before something is changed, and goes on with what it wants otherwise; at once when it
    /// is not asked. Says no where it does. Source: LeanCloud realtime guide, hooks of conversations: 4305.
    func consult(
        _ command: GenericCommand, _ question: () -> HookQuestion?,
        then: @escaping @Sendable (LeanCloudSession, HookChanges) -> Void
    ) {
        guard let hooks = self.services.broker.hooks, let question = question(), hooks.wants(question.function) else {
            return then(self, .none)
        }
        let later = self.later()
        hooks.ask(question) { verdict in
            later { session in
                switch verdict {
                case .allowed(let changes): then(session, changes)
                case .rejected(let code, let detail):
                    session.fail(command, LeanCloudFault.conversationRejectedByApp.byHook(code: code, detail: detail))
                }
            }
        }
    }

    /// Changes something, and goes on with what came of it on this thread; says no where it went wrong.
    func change<Value: Sendable>(
        _ command: GenericCommand, invalid: LeanCloudFault = .conversationAPIFailed,
        refused: @escaping @Sendable (ActionRefusal) -> LeanCloudFault = LeanCloudFault.init(conversation:),
        _ body: @escaping @Sendable (WriteTransaction, UserID) throws(StoreError) -> Value,
        then: @escaping @Sendable (LeanCloudSession, Value) -> Void
    ) {
        guard let user = self.identity?.user else { return self.fail(command, .sessionRequired) }
        let (soon, origin) = (self.gateway.soon(self), self.origin)
        self.services.store.write({ transaction throws(StoreError) in
            transaction.origin = origin
            return try body(transaction, user)
        }) { result in
            soon { $0.went(on: command, result, invalid: invalid, refused: refused, then: then) }
        }
    }

    /// Looks something up, and goes on with it on this thread; says no where it went wrong.
    func look<Value: Sendable>(
        _ command: GenericCommand,
        refused: @escaping @Sendable (ActionRefusal) -> LeanCloudFault = LeanCloudFault.init(conversation:),
        _ body: @escaping @Sendable (ReadTransaction, UserID) throws(StoreError) -> Value,
        then: @escaping @Sendable (LeanCloudSession, Value) -> Void
    ) {
        guard let user = self.identity?.user else { return self.fail(command, .sessionRequired) }
        let later = self.later()
        self.services.store.read(
            for: .person(user), { transaction throws(StoreError) in try body(transaction, user) }
        ) { result in
            later { $0.went(on: command, result, refused: refused, then: then) }
        }
    }

    private func went<Value>(
        on command: GenericCommand, _ result: Result<Value, StoreError>,
        invalid: LeanCloudFault = .conversationAPIFailed, refused: (ActionRefusal) -> LeanCloudFault,
        then: (LeanCloudSession, Value) -> Void
    ) {
        switch result {
        case .success(let value): then(self, value)
        case .failure(let error):
            let cid = command.convMessage?.cid ?? command.blacklistMessage?.srcCid ?? ""
            var fault = LeanCloudFault(error, invalid: invalid, refused: refused)
            if fault.code == LeanCloudFault.conversationNotFound.code { fault = .gone(cid, otherwise: fault) }
            self.fail(command, fault)
        }
    }

    /// Why what a client wants needs another signature, or one; `nil` when it does not.
    func refusal(
        of action: SignedAction, _ signature: ActionSignature?,
        as fault: LeanCloudFault = .conversationSignatureFailed
    ) -> LeanCloudFault? {
        let app = self.services.accounts.app
        guard app.needsSignature(for: action) else { return nil }
        return switch app.verify(signature, for: action) {
        case .valid: nil
        case .missing: fault.saying("the app's server has to sign this")
        case .wrong: fault.saying("the signature was made with another key, or for something else")
        case .expired: fault.saying("the signature is too old, or from the future")
        case .replayed: fault.saying("the signature was used before")
        }
    }
}

extension ConvCommand {
    /// `nil` when there is none.
    var signature: ActionSignature? {
        guard let signature = self.s, let timestamp = self.t else { return nil }
        return ActionSignature(signature: signature, timestamp: timestamp, nonce: self.n ?? "")
    }
}

extension WriteTransaction {
    /// The conversation that a command is about.
    ///
    /// - Throws: `refused` when there is none.
    func conversation(at address: ConversationAddress, for user: UserID) throws(StoreError) -> Conversation {
        guard let found = try self.reading.standingConversation(address, for: user) else {
            throw .refused(.noSuchConversation)
        }
        return found
    }
}

extension ReadTransaction {
    /// A conversation, when it was not deleted and its time is not over: one that was disbanded is there for those who
    /// are left in it.
    func standingConversation(_ address: ConversationAddress, for user: UserID) throws(StoreError) -> Conversation? {
        guard let found = try self.conversations.one(address, seenBy: user), try !self.isOver(found) else { return nil }
        guard found.flags.contains(.disbanded) else { return found }
        return try self.conversations.hears(user, in: found.id) ? found : nil
    }
}
