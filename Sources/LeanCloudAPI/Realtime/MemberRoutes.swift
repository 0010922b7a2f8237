import APIKit
import Broker
import ByteCodec
import ChatModel
import LeanCloudTranslation
import Store

/// Routes for the lists of a conversation: members, silenced notifications, mutes and bans. Source: LeanCloud realtime
/// REST guide v2.
enum MemberRoutes {
    static let routes: [Route] =
        [
            Route("POST", realtime: Self.members) { call throws(APIFailure) in try Self.move(call, adds: true) },
            Route("DELETE", realtime: Self.members) { call throws(APIFailure) in try Self.move(call, adds: false) },
            Route("GET", realtime: Self.members, .manager, Self.list),
            Route("POST", realtime: Self.mutes) { call throws(APIFailure) in try Self.mute(call, true) },
            Route("DELETE", realtime: Self.mutes) { call throws(APIFailure) in try Self.mute(call, false) },
            Route("GET", realtime: Self.mutes, .manager, Self.muting),
            // Who is kept from sending for a while. Source: LeanCloud realtime REST guide v1.
            Route("POST", realtime: Self.oldSilences) { call throws(APIFailure) in
                let address = try RealtimeCall.address(try call.request.fields().text("conv_id"))
                try Self.silenceForAWhile(call, in: address)
            },
            Route("DELETE", realtime: Self.oldSilences) { call throws(APIFailure) in
                try Self.endSilence(call, in: try RealtimeCall.address(try call.request.queryText("conv_id")))
            },
        ] + RealtimeResource.allCases.flatMap(Self.routes(of:))

    private static let oldSilences = "/1.1/rtm/conversation/blacklist"
    private static let members = RealtimeResource.conversations.path("/{id}/members")
    private static let mutes = RealtimeResource.conversations.path("/{id}/mutes")
    /// The longest time that somebody is kept from sending, seconds. Source: LeanCloud realtime REST guide v2.
    private static let longestSilenceSeconds: Int64 = 86_400

    private static func routes(of resource: RealtimeResource) -> [Route] {
        let blocked = resource.path("/{id}/blacklists")
        let lists = [
            Route("POST", realtime: blocked) { call throws(APIFailure) in try Self.block(call, resource, true) },
            Route("DELETE", realtime: blocked) { call throws(APIFailure) in try Self.block(call, resource, false) },
            Route("GET", realtime: blocked) { call throws(APIFailure) in try Self.blocked(call, resource) },
        ]
        guard resource == .conversations else { return lists }
        let silenced = resource.path("/{id}/permanent-silenceds")
        let resting = resource.path("/{id}/temporary-silenceds")
        return lists + [
            Route("POST", realtime: silenced) { call throws(APIFailure) in try Self.silence(call, true) },
            Route("DELETE", realtime: silenced) { call throws(APIFailure) in try Self.silence(call, false) },
            Route("GET", realtime: silenced, .manager, Self.silenced),
            Route("POST", realtime: resting) { call throws(APIFailure) in
                try Self.silenceForAWhile(call, in: try call.address())
            },
            Route("DELETE", realtime: resting) { call throws(APIFailure) in
                try Self.endSilence(call, in: try call.address())
            },
        ]
    }

    // MARK: Coming and going

    private static func move(_ call: RealtimeCall, adds: Bool) throws(APIFailure) {
        let names = try call.clients("client_ids")
        let address = try call.address()
        call.consult {
            guard let id = address.objectID else { return [] }
            let people = names.compactMap { UserName($0) }
            return [
                adds ? .add(people, to: id, by: systemUserName) : .remove(people, from: id, by: systemUserName)
            ]
        } then: { call, _ in
            Self.move(call, names, at: address, adds: adds)
        }
    }

    private static func move(
        _ call: RealtimeCall, _ names: [String], at address: ConversationAddress, adds: Bool
    ) {
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, .conversations)
            let outcome =
                try adds
                ? transaction.apps.addToObject(names, conversation.id, by: .application, wholly: true)
                : transaction.apps.removeFromObject(names, conversation.id, by: .application)
            return (conversation, outcome)
        } answer: { conversation, outcome in
            // Who is not in it need not be taken out.
            if adds, let failure = outcome.failed.first { return .failure(APIFailure(LeanCloudFault(failure.refusal))) }
            return .updated(conversation, at: outcome.updatedAtMilliseconds)
        }
    }

    @Sendable private static func list(_ call: RealtimeCall) throws(APIFailure) {
        let address = try call.address()
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, .conversations)
            return try reading.apps.objectRows([conversation.id], seenBy: .system).first?.members ?? []
        } answer: {
            .json(.fields(("result", .names($0))))
        }
    }

    // MARK: Alerts

    private static func mute(_ call: RealtimeCall, _ isSilenced: Bool) throws(APIFailure) {
        let names = try call.clients("client_ids").compactMap { UserName($0) }
        let address = try call.address()
        call.consult {
            guard let id = address.objectID else { return [] }
            return names.map { .silence(id, by: $0, isSilenced: isSilenced) }
        } then: { call, answers in
            // One answer for each, or none when nobody was asked.
            let wanted = names.indices.map { index in
                answers.indices.contains(index) ? answers[index].changes.isSilenced ?? isSilenced : isSilenced
            }
            Self.mute(call, Array(zip(names, wanted)), at: address)
        }
    }

    private static func mute(
        _ call: RealtimeCall, _ people: [(UserName, Bool)], at address: ConversationAddress
    ) {
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, .conversations)
            for (name, isSilenced) in people {
                guard let user = try transaction.reading.people.user(named: name) else { throw .refused(.notMember) }
                try transaction.setSilenced(user.id, isSilenced, in: conversation.id)
            }
            return conversation
        } answer: {
            .updated($0, at: $0.updatedAtMilliseconds)
        }
    }

    @Sendable private static func muting(_ call: RealtimeCall) throws(APIFailure) {
        let address = try call.address()
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, .conversations)
            return try reading.apps.objectRows([conversation.id], seenBy: .system).first?.muting ?? []
        } answer: {
            .json(.fields(("result", .names($0))))
        }
    }

    // MARK: Silence

    private static func silence(_ call: RealtimeCall, _ isSilent: Bool) throws(APIFailure) {
        let names = try call.clients("client_ids")
        let address = try call.address()
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, .conversations)
            return try transaction.apps.silenceInObject(
                names, isSilent, conversation.id, by: .application, wholly: true)
        } answer: { outcome in
            outcome.failed.first.map { APIAnswer.failure(APIFailure(LeanCloudFault($0.refusal))) } ?? .nothing
        }
    }

    @Sendable private static func silenced(_ call: RealtimeCall) throws(APIFailure) {
        let address = try call.address()
        let page = try PeoplePage(call)
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, .conversations)
            // For good, and not until some time.
            return try reading.apps.silencedMembers(
                of: conversation.id, at: .max - 1, offset: page.offset, limit: page.limit)
        } answer: {
            page.answer($0, under: "client_ids")
        }
    }

    private static func silenceForAWhile(_ call: RealtimeCall, in address: ConversationAddress) throws(APIFailure) {
        let seconds = try call.request.fields().integer("ttl")
        guard (1...Self.longestSilenceSeconds).contains(seconds) else {
            throw .bad("ttl is 1 to \(Self.longestSilenceSeconds) seconds")
        }
        Self.silence(call, try call.client("client_id"), in: address, until: call.now + seconds * 1_000)
    }

    private static func endSilence(_ call: RealtimeCall, in address: ConversationAddress) throws(APIFailure) {
        Self.silence(
            call, try RealtimeCall.client(try call.request.queryText("client_id")), in: address, until: 0)
    }

    private static func silence(
        _ call: RealtimeCall, _ name: UserName, in address: ConversationAddress, until moment: Int64
    ) {
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, .conversations)
            guard let user = try transaction.reading.people.user(named: name) else { throw .refused(.noSuchUser) }
            _ = try transaction.conversations.setMemberMuted(
                user.id, untilMilliseconds: moment, in: conversation.id, by: .application)
        } answer: { _ in
            .nothing
        }
    }

    // MARK: Who may not come back

    private static func block(
        _ call: RealtimeCall, _ resource: RealtimeResource, _ isBlocked: Bool
    ) throws(APIFailure) {
        let names = try call.clients("client_ids")
        let address = try call.address()
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, resource)
            let users = try transaction.ensureUsers(names.compactMap { UserName($0) })
            let id = conversation.id
            guard resource != .conversations else {
                _ = try transaction.apps.blockInObject(names, isBlocked, id, by: .application)
                return
            }
            guard isBlocked else { return try transaction.conversations.removeListed(users, in: id, .denied) }
            try transaction.conversations.addListed(users, in: id, .denied)
            if resource == .chatrooms {
                try transaction.conversations.removeListeners(users, from: id)
            } else {
                _ = try transaction.apps.removeFromObject(names, id, by: .application)
            }
        } answer: { _ in
            .nothing
        }
    }

    private static func blocked(_ call: RealtimeCall, _ resource: RealtimeResource) throws(APIFailure) {
        let address = try call.address()
        let page = try PeoplePage(call)
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, resource)
            return try reading.apps.blockedPeople(of: conversation.id, offset: page.offset, limit: page.limit)
        } answer: {
            page.answer($0, under: "client_ids")
        }
    }
}

/// A page of a list of people: `limit`, and `next` of the answer before.
struct PeoplePage: Sendable {
    let limit: Int
    let offset: Int

    init(_ call: RealtimeCall) throws(APIFailure) {
        self.limit = Int(try call.request.queryInteger("limit", otherwise: 10))
        let next = try call.request.queryInteger("next", otherwise: 0)
        guard (1...1_000).contains(self.limit) else { throw .bad("limit is 1 to 1000") }
        guard (0...Int64(Int32.max)).contains(next) else { throw .bad("next is none of ours") }
        self.offset = Int(next)
    }

    func answer(_ names: [UserName], under key: String) -> APIAnswer {
        var members = [JSONValue.Member(key, .names(names))]
        if names.count == self.limit {
            members.append(JSONValue.Member("next", .string(String(self.offset + self.limit))))
        }
        return .json(.object(members))
    }
}

extension WriteTransaction {
    /// People by name; those nobody has heard of are added, as LeanCloud takes every client id.
    func ensureUsers(_ names: [UserName]) throws(StoreError) -> [UserID] {
        var ids: [UserID] = []
        for name in names { ids.append(try self.people.ensureUser(name).id) }
        return ids
    }
}
