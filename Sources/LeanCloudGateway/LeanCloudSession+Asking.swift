import ByteCodec
import ChatModel
import LeanCloudQuery
import LeanCloudTranslation
import LeanCloudWire
import Store

/// Requests of a client about conversations.
extension LeanCloudSession {
    // MARK: Rows

    func query(_ command: GenericCommand, _ body: ConvCommand) {
        guard body.tempConvIds.isEmpty else { return self.queryTemporary(command, body) }
        var search: ObjectSearch
        do throws(ObjectQueryError) {
            search = try ObjectSearch(
                where: body.where?.data, sort: body.sort, limit: body.limit, skip: body.skip, flag: body.flag)
        } catch {
            return self.fail(command, .conversationQueryFailed.saying(error.reason))
        }
        search.membersOnly = self.services.settings.hidesFromStrangers
        let (wanted, client, now) = (search, self.client, self.services.clock.wallMilliseconds())
        guard let user = self.identity?.user else { return self.fail(command, .sessionRequired) }
        let later = self.later()
        self.services.store.read(
            as: wanted.looksAtMany ? .long : .page, for: .person(user),
            { reading throws(StoreError) in
                JSONValue.array(try wanted.rows(for: user, called: client, at: now, in: reading)).serialized()
            }
        ) { result in
            later { session in
                switch result {
                case .success(let rows): session.answerRows(command, rows)
                case .failure(.invalid(let reason)):
                    session.fail(command, .conversationQueryFailed.saying(reason))
                case .failure(let error):
                    session.fail(command, LeanCloudFault(error) { LeanCloudFault(conversation: $0) })
                }
            }
        }
    }

    private func queryTemporary(_ command: GenericCommand, _ body: ConvCommand) {
        let (cids, now) = (body.tempConvIds, self.services.clock.wallMilliseconds())
        self.look(
            command,
            { reading, user throws(StoreError) in
                JSONValue.array(try LeanCloudRows.temporary(cids, for: user, at: now, in: reading)).serialized()
            }
        ) { session, rows in
            session.answerRows(command, rows)
        }
    }

    private func answerRows(_ command: GenericCommand, _ rows: [UInt8]) {
        var answer = ConvCommand()
        answer.results = JsonObjectMessage(rows)
        self.answerConversation(command, .results, answer)
    }

    // MARK: People

    func count(_ command: GenericCommand, _ body: ConvCommand) {
        guard let address = self.address(command, body.cid) else { return }
        self.lookAtVisible(command, address) { session, conversation in
            guard conversation.kind == .room else {
                return session.answerCount(command, conversation.memberCount)
            }
            let later = session.later()
            session.services.broker.onlineCount(of: conversation.id) { result in
                later { session in
                    switch result {
                    case .success(let count): session.answerCount(command, count)
                    case .failure(let error):
                        session.fail(command, LeanCloudFault(error) { LeanCloudFault(conversation: $0) })
                    }
                }
            }
        }
    }

    private func answerCount(_ command: GenericCommand, _ count: Int) {
        var answer = ConvCommand()
        answer.cid = command.convMessage?.cid
        answer.count = Int32(clamping: count)
        self.answerConversation(command, .result, answer)
    }

    /// Lists members; of a room, the people who are in it now.
    func members(_ command: GenericCommand, _ body: ConvCommand) {
        guard let address = self.address(command, body.cid) else { return }
        let limit = body.limit.map { max(0, Int($0)) } ?? .max
        self.lookAtVisible(command, address) { session, conversation in
            guard conversation.kind == .room else { return session.listMembers(command, conversation, limit) }
            let later = session.later()
            session.services.broker.listenersOnline(in: conversation.id) { result in
                later { session in
                    switch result {
                    case .success(let names): session.answerMembers(command, names.map(\.text).sorted(), limit)
                    case .failure(let error):
                        session.fail(command, LeanCloudFault(error) { LeanCloudFault(conversation: $0) })
                    }
                }
            }
        }
    }

    /// Lists members of a conversation; subscribers of a service are not listed.
    private func listMembers(_ command: GenericCommand, _ conversation: Conversation, _ limit: Int) {
        guard conversation.kind != .service else { return self.answerMembers(command, [], limit) }
        let id = conversation.id
        self.look(
            command, { reading, _ throws(StoreError) in try reading.conversations.members(of: id).map(\.name.text) }
        ) {
            session, names in
            session.answerMembers(command, names, limit)
        }
    }

    private func answerMembers(_ command: GenericCommand, _ names: [String], _ limit: Int) {
        var answer = ConvCommand()
        answer.cid = command.convMessage?.cid
        answer.m = Array(names.prefix(limit))
        self.answerConversation(command, .result, answer)
    }

    /// A conversation that this client may know of.
    private func lookAtVisible(
        _ command: GenericCommand, _ address: ConversationAddress,
        then: @escaping @Sendable (LeanCloudSession, Conversation) -> Void
    ) {
        let hides = self.services.settings.hidesFromStrangers
        self.look(
            command,
            { reading, user throws(StoreError) in
                guard let conversation = try reading.standingConversation(address, for: user) else {
                    throw .refused(.noSuchConversation)
                }
                let isOpen = !hides || conversation.kind == .room || conversation.kind == .service
                if isOpen { return conversation }
                guard try reading.conversations.hears(user, in: conversation.id) else {
                    throw .refused(.noSuchConversation)
                }
                return conversation
            }, then: then)
    }

    func isMember(_ command: GenericCommand, _ body: ConvCommand) {
        let cids = Array((body.cids + (body.cid.map { [$0] } ?? [])).prefix(ObjectSearch.mostRows))
        self.look(
            command,
            { reading, user throws(StoreError) in
                var members: [JSONValue.Member] = []
                for cid in cids {
                    var isIn = false
                    if let address = LeanCloudNames.address(cid: cid),
                        let conversation = try reading.conversations.one(address, seenBy: user)
                    {
                        isIn = try reading.conversations.hears(user, in: conversation.id)
                    }
                    members.append(JSONValue.Member(cid, .boolean(isIn)))
                }
                return JSONValue.object(members).serialized()
            }
        ) { session, found in
            var answer = ConvCommand()
            answer.cid = body.cid
            answer.results = JsonObjectMessage(found)
            session.answerConversation(command, .result, answer)
        }
    }

    // MARK: How far others have read

    /// Sends the read cursors of the other members, or the furthest of them.
    func maxRead(_ command: GenericCommand, _ body: ConvCommand) {
        guard let address = self.address(command, body.cid) else { return }
        self.look(
            command,
            { reading, user throws(StoreError) in
                let conversation = try reading.ownConversation(at: address, for: user)
                return try reading.messages.progress(in: conversation.id).filter { $0.user != user }
            }
        ) { session, others in
            var answer = ConvCommand()
            answer.cid = body.cid
            if body.queryAllMembers == true {
                answer.maxReadTuples = others.map { other in
                    var tuple = MaxReadTuple()
                    tuple.pid = other.name.text
                    tuple.maxAckTimestamp = other.receivedAtMilliseconds
                    tuple.maxReadTimestamp = other.readAtMilliseconds
                    return tuple
                }
            } else {
                answer.maxAckTimestamp = others.map(\.receivedAtMilliseconds).max() ?? 0
                answer.maxReadTimestamp = others.map(\.readAtMilliseconds).max() ?? 0
            }
            session.answerConversation(command, .maxRead, answer)
        }
    }
}
