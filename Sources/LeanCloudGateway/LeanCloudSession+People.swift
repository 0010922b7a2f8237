import Accounts
import Broker
import ByteCodec
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store

/// Requests about the people of a conversation: members, mutes and bans.
extension LeanCloudSession {
    /// Place that a request about people names: a conversation of members, or a room.
    private enum Place: Sendable {
        case members(PeopleOutcome)
        case room(Conversation)
    }

    /// True when only this client is named.
    private func isSelf(_ names: [String]) -> Bool { names.count == 1 && UserName(names[0]) == self.client }

    /// True when a part of a request may fail.
    private var takesParts: Bool { self.features.contains(.partialFailures) }

    // MARK: Coming and going

    func add(_ command: GenericCommand, _ body: ConvCommand) {
        let action = SignedAction.invite(client: self.client.text, conversation: body.cid ?? "", members: body.m)
        guard let address = self.admitted(command, body, action) else { return }
        let client = self.client
        self.consult(
            command, { address.objectID.map { .add(body.m.compactMap { UserName($0) }, to: $0, by: client) } }
        ) { session, _ in
            session.add(command, body, to: address)
        }
    }

    private func add(_ command: GenericCommand, _ body: ConvCommand, to address: ConversationAddress) {
        let (client, isJoin) = (self.client, self.isSelf(body.m))
        let isClosed = isJoin && self.services.settings.joinsByInvitation
        let (names, makesPeople) = (body.m, self.services.accounts.app.policy.createsUsers)
        let wholly = !self.takesParts
        self.change(
            command,
            { transaction, user throws(StoreError) in
                let conversation = try transaction.conversation(at: address, for: user)
                if conversation.kind == .room {
                    guard isJoin else { throw .refused(.notApplicable) }
                    guard try transaction.reading.conversations.isListed(user, in: conversation.id, on: .denied) else {
                        return Place.room(conversation)
                    }
                    var outcome = PeopleOutcome()
                    outcome.failed.append(.init(client.text, .blocked))
                    return Place.members(outcome)
                }
                guard !isClosed || conversation.kind == .service else { throw .refused(.joiningClosed) }
                return Place.members(
                    try transaction.apps.addToObject(
                        names, conversation.id, by: Actor(user), makesPeople: makesPeople, wholly: wholly))
            }
        ) { session, place in
            switch place {
            case .members(let outcome): session.answerPeople(command, .added, outcome, isWhole: isJoin || wholly)
            case .room(let room):
                session.enter(room.id) { session, error in session.answerMoved(command, .added, room, error) }
            }
        }
    }

    func remove(_ command: GenericCommand, _ body: ConvCommand) {
        let action = SignedAction.kick(client: self.client.text, conversation: body.cid ?? "", members: body.m)
        guard let address = self.admitted(command, body, action) else { return }
        // Who goes alone is not held up.
        if self.isSelf(body.m) { return self.remove(command, body, from: address) }
        let client = self.client
        self.consult(
            command, { address.objectID.map { .remove(body.m.compactMap { UserName($0) }, from: $0, by: client) } }
        ) { session, _ in
            session.remove(command, body, from: address)
        }
    }

    private func remove(_ command: GenericCommand, _ body: ConvCommand, from address: ConversationAddress) {
        let isQuit = self.isSelf(body.m)
        let (names, ownerStays) = (body.m, self.services.settings.ownerStays)
        let wholly = !self.takesParts
        self.change(
            command,
            { transaction, user throws(StoreError) in
                let conversation = try transaction.conversation(at: address, for: user)
                if conversation.kind == .room {
                    guard isQuit else { throw .refused(.notApplicable) }
                    return Place.room(conversation)
                }
                return Place.members(
                    try transaction.apps.removeFromObject(
                        names, conversation.id, by: Actor(user), ownerStays: ownerStays, wholly: wholly))
            }
        ) { session, place in
            switch place {
            case .members(let outcome): session.answerPeople(command, .removed, outcome, isWhole: isQuit || wholly)
            case .room(let room):
                session.leave(room.id) { session, error in session.answerMoved(command, .removed, room, error) }
            }
        }
    }

    /// The conversation that a signed command about people is for; `nil` when it has been refused.
    private func admitted(
        _ command: GenericCommand, _ body: ConvCommand, _ action: SignedAction
    ) -> ConversationAddress? {
        guard let address = self.address(command, body.cid), self.checkNamed(command, body.m) else { return nil }
        guard let fault = self.refusal(of: action, body.signature) else { return address }
        self.fail(command, fault)
        return nil
    }

    private func checkNamed(_ command: GenericCommand, _ names: [String]) -> Bool {
        if !names.isEmpty { return true }
        self.fail(command, .conversationAPIFailed.saying("nobody is named"))
        return false
    }

    /// The client has come into a room, or gone out of it.
    private func answerMoved(
        _ command: GenericCommand, _ op: OpType, _ room: Conversation, _ error: StoreError?
    ) {
        if let error { return self.fail(command, LeanCloudFault(error) { LeanCloudFault(conversation: $0) }) }
        var answer = ConvCommand()
        answer.cid = command.convMessage?.cid
        answer.udate = LeanCloudDates.text(room.updatedAtMilliseconds)
        answer.allowedPids = [self.client.text]
        self.answerConversation(command, op, answer)
    }

    /// Says what became of a request about people.
    ///
    /// - Parameter isWhole: a failure of one is one of the whole.
    private func answerPeople(_ command: GenericCommand, _ op: OpType, _ outcome: PeopleOutcome, isWhole: Bool) {
        if isWhole, let failure = outcome.failed.first { return self.fail(command, LeanCloudFault(failure.refusal)) }
        var answer = ConvCommand()
        answer.cid = command.convMessage?.cid
        answer.udate = LeanCloudDates.text(outcome.updatedAtMilliseconds)
        answer.allowedPids = outcome.done.map(\.text)
        answer.failedPids = outcome.faults
        self.answerConversation(command, op, answer)
    }

    // MARK: Roles

    func updateRole(_ command: GenericCommand, _ body: ConvCommand) {
        guard let address = self.address(command, body.cid) else { return }
        guard let name = body.targetClientId ?? body.info?.pid else {
            return self.fail(command, .conversationMembershipRequired.saying("nobody is named"))
        }
        guard let word = body.info?.role, let role = LeanCloudNotices.role(word) else {
            return self.fail(command, .unknownConversationRole.saying("a role is Manager or Member"))
        }
        guard role != .owner else {
            return self.fail(command, .conversationOperationUnauthorized.saying("nobody is made an owner"))
        }
        self.change(
            command, refused: LeanCloudFault.init(ordinary:),
            { transaction, user throws(StoreError) in
                let conversation = try transaction.conversation(at: address, for: user)
                return try transaction.apps.setObjectRole(name, role, conversation.id, by: Actor(user))
            }
        ) { session, updatedAt in
            var answer = ConvCommand()
            answer.cid = body.cid
            answer.udate = LeanCloudDates.text(updatedAt)
            session.answerConversation(command, .memberInfoUpdated, answer)
        }
    }

    // MARK: Who is silent

    func silence(_ command: GenericCommand, _ body: ConvCommand, _ isSilent: Bool) {
        guard let address = self.address(command, body.cid), self.checkNamed(command, body.m) else { return }
        let (names, wholly) = (body.m, !self.takesParts)
        self.change(
            command, refused: LeanCloudFault.init(ordinary:),
            { transaction, user throws(StoreError) in
                let conversation = try transaction.conversation(at: address, for: user)
                return try transaction.apps.silenceInObject(
                    names, isSilent, conversation.id, by: Actor(user), wholly: wholly)
            }
        ) { session, outcome in
            session.answerPeople(command, isSilent ? .shutupAdded : .shutupRemoved, outcome, isWhole: wholly)
        }
    }

    func querySilenced(_ command: GenericCommand, _ body: ConvCommand) {
        guard let address = self.address(command, body.cid) else { return }
        guard let page = Page(command, body.limit, body.next, by: self) else { return }
        let now = self.services.clock.wallMilliseconds()
        self.look(
            command,
            { reading, user throws(StoreError) in
                let conversation = try reading.ownConversation(at: address, for: user)
                return try reading.apps.silencedMembers(
                    of: conversation.id, at: now, offset: page.offset, limit: page.limit + 1)
            }
        ) { session, names in
            var answer = ConvCommand()
            answer.cid = body.cid
            answer.m = names.prefix(page.limit).map(\.text)
            answer.next = page.next(names.count)
            session.answerConversation(command, .shutupResult, answer)
        }
    }

    func checkSilenced(_ command: GenericCommand, _ body: ConvCommand) {
        guard let address = self.address(command, body.cid) else { return }
        let (names, now) = (body.m, self.services.clock.wallMilliseconds())
        self.look(
            command,
            { reading, user throws(StoreError) in
                let conversation = try reading.ownConversation(at: address, for: user)
                let silent = try reading.apps.silencedMembers(of: conversation.id, at: now, offset: 0, limit: 1_000)
                return names.filter { name in silent.contains { $0.text == name } }
            }
        ) { session, silent in
            var answer = ConvCommand()
            answer.cid = body.cid
            answer.m = silent
            session.answerConversation(command, .checkResult, answer)
        }
    }

    // MARK: Who may not come back

    func blacklistCommand(_ command: GenericCommand) {
        let body = command.blacklistMessage ?? BlacklistCommand()
        switch command.op {
        case .block?: self.block(command, body, true)
        case .unblock?: self.block(command, body, false)
        case .query?: self.queryBlocked(command, body)
        case .checkBlock?: self.checkBlocked(command, body)
        default: self.fail(command, .unparseableMessage.saying("this blacklist command is not served"))
        }
    }

    private func answerBlacklist(_ command: GenericCommand, _ op: OpType, _ body: BlacklistCommand) {
        var answer = self.answer(to: command, .blacklist, op)
        answer.blacklistMessage = body
        self.send(answer)
    }

    private func block(_ command: GenericCommand, _ body: BlacklistCommand, _ isBlocked: Bool) {
        guard let address = self.address(command, body.srcCid), self.checkNamed(command, body.toPids) else { return }
        let (client, cid) = (self.client.text, body.srcCid ?? "")
        let action =
            isBlocked
            ? SignedAction.block(client: client, conversation: cid, members: body.toPids)
            : .unblock(client: client, conversation: cid, members: body.toPids)
        if let fault = self.refusal(of: action, body.signature, as: .blacklistSignatureFailed) {
            return self.fail(command, fault)
        }
        let (names, wholly) = (body.toPids, !self.takesParts)
        self.change(
            command, invalid: .blacklistFull, refused: LeanCloudFault.init(ordinary:),
            { transaction, user throws(StoreError) in
                let conversation = try transaction.conversation(at: address, for: user)
                return try transaction.apps.blockInObject(
                    names, isBlocked, conversation.id, by: Actor(user), wholly: wholly)
            }
        ) { session, outcome in
            if wholly, let failure = outcome.failed.first {
                return session.fail(command, LeanCloudFault(failure.refusal))
            }
            var answer = BlacklistCommand()
            answer.srcCid = cid
            answer.allowedPids = outcome.done.map(\.text)
            answer.failedPids = outcome.faults
            session.answerBlacklist(command, isBlocked ? .blocked : .unblocked, answer)
        }
    }

    private func queryBlocked(_ command: GenericCommand, _ body: BlacklistCommand) {
        guard let address = self.address(command, body.srcCid) else { return }
        guard let page = Page(command, body.limit, body.next, by: self) else { return }
        self.look(
            command,
            { reading, user throws(StoreError) in
                let conversation = try reading.ownConversation(at: address, for: user)
                return try reading.apps.blockedPeople(of: conversation.id, offset: page.offset, limit: page.limit + 1)
            }
        ) { session, names in
            var answer = BlacklistCommand()
            answer.srcCid = body.srcCid
            answer.blockedPids = names.prefix(page.limit).map(\.text)
            answer.next = page.next(names.count)
            session.answerBlacklist(command, .queryResult, answer)
        }
    }

    private func checkBlocked(_ command: GenericCommand, _ body: BlacklistCommand) {
        guard let address = self.address(command, body.srcCid) else { return }
        let names = body.toPids
        self.look(
            command,
            { reading, user throws(StoreError) in
                let conversation = try reading.ownConversation(at: address, for: user)
                let blocked = try reading.conversations.list(.denied, of: conversation.id).map(\.name.text)
                return names.filter(blocked.contains)
            }
        ) { session, blocked in
            var answer = BlacklistCommand()
            answer.srcCid = body.srcCid
            answer.blockedPids = blocked
            session.answerBlacklist(command, .checkResult, answer)
        }
    }
}

/// A page of a list: the next one begins at a number, which clients give back as they got it.
private struct Page: Sendable {
    let offset: Int
    let limit: Int

    /// Source: LeanCloud realtime guide, 10 when nothing is said and 100 at most.
    init?(_ command: GenericCommand, _ limit: Int32?, _ next: String?, by session: LeanCloudSession) {
        let limit = limit.map(Int.init) ?? 10
        guard (1...100).contains(limit) else {
            session.fail(command, .conversationAPIFailed.saying("the limit is 1 to 100, not \(limit)"))
            return nil
        }
        let text = next ?? ""
        guard let offset = text.isEmpty ? 0 : Int(text), (0...1_000_000).contains(offset) else {
            session.fail(command, .conversationAPIFailed.saying("next is not what an answer said"))
            return nil
        }
        self.offset = offset
        self.limit = limit
    }

    /// - Parameter found: how many there were, when one more than the limit was asked for.
    func next(_ found: Int) -> String? { found > self.limit ? "\(self.offset + self.limit)" : nil }
}

extension PeopleOutcome {
    /// People for whom it failed, by reason.
    var faults: [ErrorCommand] {
        var refusals: [PersonRefusal] = []
        for failure in self.failed where !refusals.contains(failure.refusal) { refusals.append(failure.refusal) }
        return refusals.map { refusal in
            var command = ErrorCommand(LeanCloudFault(refusal))
            command.pids = self.failed.filter { $0.refusal == refusal }.map(\.name)
            return command
        }
    }
}

extension BlacklistCommand {
    /// `nil` when there is none.
    fileprivate var signature: ActionSignature? {
        guard let signature = self.s, let timestamp = self.t else { return nil }
        return ActionSignature(signature: signature, timestamp: timestamp, nonce: self.n ?? "")
    }
}

extension ReadTransaction {
    /// A conversation that somebody is a member of.
    ///
    /// - Throws: `refused` when there is none, or they are not.
    func ownConversation(at address: ConversationAddress, for user: UserID) throws(StoreError) -> Conversation {
        guard let conversation = try self.standingConversation(address, for: user) else {
            throw .refused(.noSuchConversation)
        }
        guard try self.conversations.member(user, in: conversation.id) != nil else { throw .refused(.notMember) }
        return conversation
    }
}
