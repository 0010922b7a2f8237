import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import LeanCloudTranslation
import Store

/// Clients: who is online, what they have not read, sending them away, and signing for them. Source: LeanCloud realtime
/// REST guide v2; guide v1, and its SDKs, for what is under `/1.1`.
enum ClientRoutes {
    static let routes: [Route] = Self.served + Self.refused

    private static let served: [Route] = [
        Route("POST", realtime: "/1.2/rtm/clients/check-online") { call throws(APIFailure) in
            try Self.checkOnline(call, "client_ids")
        },
        Route("POST", realtime: "/1.1/rtm/online") { call throws(APIFailure) in try Self.checkOnline(call, "peers") },
        Route("GET", realtime: "/1.2/rtm/clients/{client}/unread-count", .caller) { call throws(APIFailure) in
            try Self.unreadCount(call, in: call.request.query["conv_id"])
        },
        Route("GET", realtime: "/1.1/rtm/messages/unread/{client}", .caller) { call throws(APIFailure) in
            try Self.unreadCount(call, in: nil)
        },
        Route("GET", realtime: "/1.1/rtm/messages/unread/{client}/{id}", .caller) { call throws(APIFailure) in
            try Self.unreadCount(call, in: try call.request.parameter("id"))
        },
        Route("POST", realtime: "/1.2/rtm/clients/{client}/kick") { call throws(APIFailure) in
            try Self.kick(call, try RealtimeCall.client(try call.request.parameter("client")))
        },
        Route("POST", realtime: "/1.1/rtm/client/kick") { call throws(APIFailure) in
            try Self.kick(call, try call.client("client_id"))
        },
        Route("GET", realtime: "/1.2/rtm/clients/sign", .caller) { call throws(APIFailure) in
            try Self.sign(call, try call.request.queryText("session_token"))
        },
        Route("POST", realtime: "/1.1/rtm/sign", .caller) { call throws(APIFailure) in
            try Self.sign(call, try call.request.fields().text("session_token"))
        },
        Route("GET", realtime: "/1.1/rtm/notifications", .caller, Self.notifications),
        Route("GET", realtime: "/1.2/rtm/stats", .manager, Self.stats),
        Route("POST", realtime: "/1.1/stats/collect", .anyone) { call in call.reply(.nothing) },
        Route("GET", realtime: "/1.1/statistics/apps/{app}/sendPolicy", .anyone) { call in call.reply(.nothing) },
    ]

    /// Routes for a client's list of conversations it does not want to be added to; not served. Source: LeanCloud error
    /// codes, 4544.
    private static let refused = ["GET", "POST", "DELETE"].map { method in
        Route(method, realtime: "/1.2/rtm/clients/{client}/blacklists") { _ throws(APIFailure) in
            throw APIFailure(
                LeanCloudFault.blacklistDisabled.saying(
                    "a client keeps no list of conversations: put it on the list of the conversation"))
        }
    }

    /// People in one question. Source: LeanCloud realtime REST guide v2.
    private static let mostAsked = 20
    /// Characters of a reason. Source: the same.
    private static let reasonCharacters = 20

    // MARK: Presence

    /// Presence of clients. An unknown client is not online.
    private static func checkOnline(_ call: RealtimeCall, _ field: String) throws(APIFailure) {
        let names = try call.clients(field, most: Self.mostAsked).compactMap { UserName($0) }
        let reply = call.reply
        call.services.broker.presence(of: Set(names)) { present in
            let online = Set(present.map(\.name))
            reply(.json(.fields(("results", .names(names.filter { online.contains($0) })))))
        }
    }

    /// How many people are online, and how many were today, in UTC: those whose sessions are open, and those among the
    /// newest thousand that ended since the server started.
    @Sendable private static func stats(_ call: RealtimeCall) throws(APIFailure) {
        let (broker, reply) = (call.services.broker, call.reply)
        let midnight = call.now - call.now % 86_400_000
        broker.sessions(of: nil) { sessions in
            let online = Set(sessions.map(\.user))
            broker.ends(of: nil, limit: 1_000) { ends in
                let today = online.union(ends.filter { $0.endedAtMilliseconds >= midnight }.map(\.session.user))
                let result = JSONValue.fields(
                    ("online_user_count", .integer(Int64(online.count))),
                    ("user_count_today", .integer(Int64(today.count))))
                reply(.json(.fields(("result", result))))
            }
        }
    }

    // MARK: One client

    /// - Parameter cid: of one conversation; `nil` or empty for all together.
    private static func unreadCount(_ call: RealtimeCall, in cid: String?) throws(APIFailure) {
        let name = try RealtimeCall.client(try call.request.parameter("client"))
        let wanted = cid.flatMap { $0.isEmpty ? nil : $0 }
        let address = try wanted.map { text throws(APIFailure) in try RealtimeCall.address(text) }
        AppCall(call.request, call.services, call.reply).asAnybody { actor in
            call.read { reading throws(StoreError) -> Int64? in
                let user = try reading.people.user(named: name)?.id
                guard actor == .application || (actor.user != .system && user == actor.user) else { return nil }
                guard let user else { return 0 }
                guard let address else { return try reading.inbox.unread(of: user).values.reduce(0, +) }
                let conversation = try reading.realtime(address)
                return try reading.inbox.unreadState(of: user, in: conversation.id)?.unread ?? 0
            } answer: { count in
                count.map { .json(.fields(("count", .integer($0)))) } ?? .failure(Self.notTheClient)
            }
        }
    }

    /// The app key is inside every copy of the app: it says nothing of whose counts somebody may see.
    private static let notTheClient = APIFailure(
        401, "a client is told its own counts: show X-LC-IM-Session-Token, X-LC-Session, or the master key", code: 119)

    /// Ends the sessions of a client; its devices do not come back by themselves.
    private static func kick(_ call: RealtimeCall, _ name: UserName) throws(APIFailure) {
        let reason = call.request.body.isNull ? "" : try call.request.fields().optionalText("reason") ?? ""
        guard reason.count <= Self.reasonCharacters else {
            throw .bad("reason has at most \(Self.reasonCharacters) characters")
        }
        let (broker, reply) = (call.services.broker, call.reply)
        call.services.accounts.revokeSessionTokens(of: name) { result in
            switch result {
            // Who was never here need not go.
            case .failure(.noSuchUser): reply(.nothing)
            case .failure(let error): reply(.failure(503, "\(error)"))
            case .success(let sessions):
                broker.end(allOf: sessions.user, deviceClass: nil, reason: .kickedByOperator(reason)) { _ in
                    reply(.nothing)
                }
            }
        }
    }

    // MARK: Signing in

    /// The signature with which somebody who has signed in to the app opens their connection: the client is them.
    private static func sign(_ call: RealtimeCall, _ token: String) throws(APIFailure) {
        let request = call.request
        let holder = TokenHolder(
            token: token, address: request.peer.text, throttleKey: request.peer.throttleKey,
            isEncrypted: request.isEncrypted, origin: request.peer.signInOrigin,
            gateway: .leanCloudAPI)
        let (accounts, reply, now) = (call.services.accounts, call.reply, call.now)
        accounts.authenticator.findPerson(holder) { found in
            switch found.identity {
            case .success(let identity):
                Self.consult(call, identity) {
                    let nonce = Self.nonce()
                    let action = SignedAction.open(client: identity.name.text)
                    guard let signed = accounts.app.sign(action, timestamp: now, nonce: nonce) else {
                        return reply(.failure(APIFailure(503, "the app's keys are not known")))
                    }
                    reply(
                        .json(
                            .fields(
                                ("signature", .string(signed.signature)), ("nonce", .string(nonce)),
                                ("client_id", .string(identity.name.text)), ("timestamp", .integer(now)))))
                }
            case .failure(let failure):
                var failure = failure
                // Source: LeanCloud error codes, 211.
                if failure.status == 401 { failure = APIFailure(401, "Could not find user.", code: 211) }
                reply(.failure(failure))
            }
        }
    }

    /// Asks the app's own function whether somebody may have a signature, with what the app keeps of them.
    private static func consult(
        _ call: RealtimeCall, _ identity: Identity, then: @escaping @Sendable () -> Void
    ) {
        guard let hooks = call.services.broker.hooks, hooks.wants("_rtmClientSign") else { return then() }
        let reply = call.reply
        call.services.store.read(as: .signIn, { reading throws(StoreError) in try reading.apps.appUser(identity.user) })
        {
            result in
            var object = JSONValue.fields(("objectId", .string(identity.name.text)))
            if case .success(let user?) = result { object = UserRow.json(user, isPrivate: true) }
            hooks.ask(.sign(object: object.serialized())) { verdict in
                switch verdict {
                case .allowed: then()
                case .rejected(_, let detail):
                    // Source: LeanCloud error codes, 4102.
                    let fault = LeanCloudFault.signatureFailed
                    reply(.failure(APIFailure(detail.map { fault.saying($0) } ?? fault)))
                }
            }
        }
    }

    private static func nonce() -> String {
        var random = SystemRandomNumberGenerator()
        return Hex.encode((0..<8).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    // MARK: What was missed

    /// Changes while a client was away. Source: LeanCloud SDKs, which ask after they have come back.
    @Sendable private static func notifications(_ call: RealtimeCall) throws(APIFailure) {
        let claims = try call.realtimeClaims()
        let since = try call.request.queryInteger("start_ts", otherwise: 0)
        let type = call.request.query["notification_type"].flatMap { $0.isEmpty ? nil : $0 }
        let now = call.services.clock.wallMilliseconds()
        call.read { reading throws(StoreError) -> JSONValue in
            var moment = LeanCloudNotices.start(of: since, newest: try reading.feed.newestEventMoment(), now: now)
            while true {
                let events = try reading.feed.events(for: claims.user, after: moment)
                let page = LeanCloudNotices.missed(events, for: claims.name, type: type)
                // COMPAT(LeanCloud JavaScript 5): asks for the same again when a page that is not the last holds
                // nothing for it.
                guard page.isEmpty, page.hasMore, let last = events.last else { return page.json }
                moment = last.atMilliseconds
            }
        } answer: { json in
            .json(json)
        }
    }
}
