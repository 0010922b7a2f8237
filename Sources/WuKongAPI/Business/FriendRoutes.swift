import APIKit
import Accounts
import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// Friends and friend requests.
enum FriendRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/friend/apply", Self.ask),
        Route("GET", "/v1/friend/apply", Self.requests),
        Route("DELETE", "/v1/friend/apply/{uid}", Self.discard),
        Route("POST", "/v1/friend/sure", Self.accept),
        Route("PUT", "/v1/friend/refuse/{uid}", Self.refuse),
        Route("GET", "/v1/friend/sync", Self.sync),
        Route("PUT", "/v1/friend/remark", Self.remark),
        Route("DELETE", "/v1/friends/{uid}", Self.remove),
        Route("GET", "/v1/user/reddot/{category}", Self.waiting),
        Route("DELETE", "/v1/user/reddot/{category}", Self.markSeen),
    ]

    // MARK: Requests

    /// Asks somebody to be friends. The code that apps send with it, which says how they met, is not needed.
    @Sendable static func ask(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let name = try fields.uid("to_uid")
        let text = try fields.optionalText("remark") ?? ""
        let token = Secrets.hex()
        let user = call.user
        call.write { store throws(StoreError) in
            try store.friends.ask(try store.reading.knownPerson(name), by: user, text: text, token: token)
        } answer: { _ in
            .ok
        }
    }

    /// The requests to a person, newest first, page by page.
    @Sendable static func requests(_ call: BusinessCall) throws(APIFailure) {
        let page = Page(
            index: try call.request.queryInteger("page_index", otherwise: 1),
            size: try call.request.queryInteger("page_size", otherwise: 100))
        let user = call.user
        call.read { store throws(StoreError) in
            var before: Int64?
            for _ in 1..<page.index {
                let skipped = try store.friends.requests(to: user, before: before, limit: page.size)
                guard skipped.count == page.size, let last = skipped.last else { return [JSONValue]() }
                before = last.change
            }
            var rows: [JSONValue] = []
            for request in try store.friends.requests(to: user, before: before, limit: page.size) {
                rows.append(request.row(askerName: try store.displayName(of: request.asker)))
            }
            return rows
        } answer: { rows in
            .json(.array(rows))
        }
    }

    /// How many requests wait that the person has not looked at; of nothing else there is a count.
    @Sendable static func waiting(_ call: BusinessCall) throws(APIFailure) {
        try Self.checkCategory(call)
        let user = call.user
        call.read { store throws(StoreError) in
            try store.friends.unseenRequests(to: user)
        } answer: { count in
            .json(.fields(("count", .number(count)), ("is_dot", .integer(0))))
        }
    }

    /// The person has looked at the requests: none of them counts any more, all of them still wait. Source:
    /// TangSengDaoDao apps, which ask for it when their page of new friends is opened.
    @Sendable static func markSeen(_ call: BusinessCall) throws(APIFailure) {
        try Self.checkCategory(call)
        let user = call.user
        call.write { store throws(StoreError) in
            try store.friends.markRequestsSeen(by: user)
        } answer: { _ in
            .ok
        }
    }

    private static func checkCategory(_ call: BusinessCall) throws(APIFailure) {
        guard try call.request.parameter("category") == "friendApply" else {
            throw .bad("there is a count of friendApply only")
        }
    }

    // MARK: Answers

    /// Accepts the request with this key. The first words between the two are the request's.
    @Sendable static func accept(_ call: BusinessCall) throws(APIFailure) {
        let token = try call.request.fields().text("token")
        let person = call.person
        call.write { store throws(StoreError) in
            guard let request = try store.reading.friends.request(to: person.user, token: token) else {
                throw .refused(.alreadyGone)
            }
            try store.friends.accept(request.asker, by: person.user)
            Self.greet(request, asker: try store.reading.displayName(of: request.asker), store)
        } answer: { _ in
            .ok
        }
    }

    /// Source: TangSengDaoDao server, friend/sure: a tip from who accepted, and the request as a text from who asked.
    private static func greet(_ request: FriendRequest, asker: String, _ store: WriteTransaction) {
        let tip = Self.message(type: 2_000, "我们已经是好友了，可以愉快的聊天了！")
        let text = Self.message(type: 1, request.text.isEmpty ? "我是\(asker)" : request.text)
        store.say(tip, as: request.other, authority: .application, to: .direct(request.askerName))
        store.say(text, as: request.asker, authority: .application, to: .direct(request.otherName))
    }

    private static func message(type: Int, _ text: String) -> MessageContent {
        var content = Translation.content(
            payload: JSONValue.fields(("content", .string(text)), ("type", .number(type))).serialized(),
            header: WuKongHeader(noPersist: false, redDot: true, syncOnce: false), setting: [], topic: nil, expire: 0)
        content.namesFiles = false
        return content
    }

    @Sendable static func refuse(_ call: BusinessCall) throws(APIFailure) { try Self.dismiss(call, .refused) }

    @Sendable static func discard(_ call: BusinessCall) throws(APIFailure) { try Self.dismiss(call, .discarded) }

    private static func dismiss(_ call: BusinessCall, _ state: FriendRequestState) throws(APIFailure) {
        let name = try call.pathPerson()
        let user = call.user
        call.write { store throws(StoreError) in
            try store.friends.dismissRequest(from: try store.reading.knownPerson(name), by: user, as: state)
        } answer: { _ in
            .ok
        }
    }

    // MARK: Friends

    /// Friends who were added, removed or given another remark after a version.
    @Sendable static func sync(_ call: BusinessCall) throws(APIFailure) {
        let version = max(0, try call.request.queryInteger("version", otherwise: 0))
        let asked = try call.request.queryInteger("limit", otherwise: 1_000)
        let limit = Int(asked <= 0 ? 1_000 : min(asked, 1_000))
        let user = call.user
        call.readThen { store throws(StoreError) in
            var views: [(friend: Friend, view: PersonView)] = []
            for friend in try store.friends.page(of: user, after: version, limit: limit) {
                guard let profile = try store.people.profile(of: friend.user) else { continue }
                views.append((friend, try store.view(of: profile, for: user)))
            }
            return views
        } then: { views, reply in
            call.services.presence(of: views.map(\.friend.name)) { presence in
                let rows = views.map { entry in
                    entry.view.dressed(call.services).row(presence).adding(
                        .fields(
                            ("is_deleted", .flag(entry.friend.isRemoved)),
                            ("version", .integer(entry.friend.change))))
                }
                reply(.json(.array(rows)))
            }
        }
    }

    @Sendable static func remark(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let name = try fields.uid("uid")
        let remark = try fields.optionalText("remark") ?? ""
        let user = call.user
        call.write { store throws(StoreError) in
            try store.friends.setRemark(try store.reading.knownPerson(name), of: user, remark)
        } answer: { _ in
            .ok
        }
    }

    @Sendable static func remove(_ call: BusinessCall) throws(APIFailure) {
        let name = try call.pathPerson()
        let user = call.user
        call.write { store throws(StoreError) in
            try store.friends.remove(try store.reading.knownPerson(name), of: user)
        } answer: { _ in
            .ok
        }
    }
}

extension FriendRequest {
    /// In the words of the open server, `uid` is who was asked and `to_uid` who asked. Source: TangSengDaoDao server,
    /// friendApplyResp.
    fileprivate func row(askerName: String) -> JSONValue {
        .fields(
            ("id", .integer(self.change)), ("uid", .string(self.otherName.text)),
            ("to_uid", .string(self.askerName.text)), ("to_name", .string(askerName)),
            ("remark", .string(self.text)), ("status", .integer(self.state.rawValue)),
            ("token", .string(self.state == .waiting ? self.token : "")),
            ("created_at", .string(BusinessTime.text(milliseconds: self.createdAtMilliseconds))))
    }
}
