package import APIKit
import ByteCodec
import ChatModel
package import Profiles
import Store

/// Routes for profiles, for clients of our own, and for an existing user system that has news.
package struct ProfileRoutes: Sendable {
    /// People of one look-up.
    private static let maximumNames = 200
    /// Maximum wait of a look-up for another user system, milliseconds; later ones are answered with a placeholder.
    private static let waitMilliseconds: Int64 = 50
    /// Maximum wait of an answer for the result of a change, milliseconds.
    private static let changeWaitMilliseconds: Int64 = 3_000

    private let profiles: Profiles
    /// Signs the news of another user system; `nil`: none are taken.
    private let secret: [UInt8]?

    package init(_ profiles: Profiles, secret: [UInt8]?) {
        self.profiles = profiles
        self.secret = secret
    }

    /// Routes of profiles.
    package var routes: [Route] {
        [
            Route("POST", "\(APIPaths.prefix)/profiles", .caller, self.lookUp).withConnectionTokens,
            Route("GET", "\(APIPaths.prefix)/profiles/{id}", .caller, self.one).withConnectionTokens,
            Route("PUT", "\(APIPaths.prefix)/profiles/me", .session, self.change),
            Route("GET", "\(APIPaths.prefix)/avatars/{id}", .caller, self.avatar).withConnectionTokens,
            Route("POST", "\(APIPaths.prefix)/profiles/invalidate", .anyone, body: .bytes, self.invalidate),
        ]
    }

    // MARK: Looking up

    /// `{"ids":["romeo","juliet"],"conversation":{"kind":"group","id":"verona"}}`; one answer for each id, whatever is
    /// known.
    @Sendable private func lookUp(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        let fields = try request.fields()
        let ids = try fields.texts("ids", most: Self.maximumNames)
        // The text is the one that ChatKit's apps know for an empty list.
        guard !ids.isEmpty else { throw .bad("User ids is nil") }
        let names = ids.compactMap { UserName($0) }
        let place = try fields.object("conversation").map { (place) throws(APIFailure) in
            try ConversationPlace(place)
        }
        let caller = request.caller
        let asker = Self.asker(request)
        let profiles = self.profiles
        let find: @Sendable (ConversationID?) -> Void = { conversation in
            profiles.lookUp(names, by: asker, in: conversation, waitMilliseconds: Self.waitMilliseconds) { infos in
                let known = Dictionary(infos.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
                let rows = ids.map { id -> JSONValue in
                    // What can be nobody's id comes back as it was asked for, like anybody who is not known.
                    guard let name = UserName(id), let info = known[name] else {
                        return .object([
                            JSONValue.Member("id", .string(id)), JSONValue.Member("name", .string(id)),
                            JSONValue.Member("is_known", .boolean(false)),
                        ])
                    }
                    return info.json(for: caller)
                }
                reply(.json(.object([JSONValue.Member("profiles", .array(rows))])))
            }
        }
        guard let place else { return find(nil) }
        services.store.read(
            for: request.asker,
            { store throws(StoreError) in
                try store.conversations.one(place.address, seenBy: asker ?? .system)?.id
            }
        ) { result in find((try? result.get()) ?? nil) }
    }

    @Sendable private func one(_ request: APIRequest, _: APIServices, _ reply: @escaping APIReply) throws(APIFailure) {
        guard let name = UserName(try request.parameter("id")) else { throw APIFailure(404, "there is no such person") }
        self.profiles.lookUp(
            [name], by: Self.asker(request), in: nil, waitMilliseconds: Self.waitMilliseconds
        ) { infos in
            guard let info = infos.first, info.isKnown || info.isPlaceholder else {
                return reply(.failure(404, "there is no such person"))
            }
            reply(.json(info.json(for: request.caller)))
        }
    }

    private static func asker(_ request: APIRequest) -> UserID? {
        guard case .person(let identity) = request.caller else { return nil }
        return identity.user
    }

    // MARK: Changing

    /// One's own name, the rest of the profile, and the picture by the ids of files: the whole one and a small one.
    @Sendable private func change(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        let person = try request.person()
        let fields = try request.fields()
        let wanted = ProfilePatch(displayName: try Self.name(fields), attributes: try Self.attributes(fields))
        let full = try Self.file("avatar", fields)
        let small = try Self.file("avatar_small", fields)
        guard wanted != ProfilePatch() || full != nil || small != nil else {
            throw .bad("the body has nothing that can be changed")
        }
        let actor = Actor(person.user)
        let profiles = self.profiles
        services.call(reply, for: request.asker).write { store throws(StoreError) in
            var patch = wanted
            if let full {
                try store.files.setPicture(of: .person(person.user, isSmall: false), to: full.key, by: actor)
                patch.avatar = full.key.map(APIPaths.file) ?? ""
            }
            if let small {
                try store.files.setPicture(of: .person(person.user, isSmall: true), to: small.key, by: actor)
                patch.avatarSmall = small.key.map(APIPaths.file) ?? ""
            }
            try store.people.setProfile(of: person.user, patch)
        } then: {
            profiles.lookUp(
                [person.name], by: person.user, in: nil, waitMilliseconds: Self.changeWaitMilliseconds
            ) { infos in
                reply(infos.first.map { .json($0.json(for: request.caller)) } ?? .ok)
            }
        }
    }

    /// Empty removes it.
    private static func name(_ fields: APIFields) throws(APIFailure) -> String? {
        guard let name = try fields.optionalText("display_name") else { return nil }
        guard name.isEmpty || !name.allSatisfy(\.isWhitespace) else { throw .bad("display_name is blank") }
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .bad("display_name has control characters")
        }
        return name
    }

    /// Attributes that people set themselves; `null` removes one.
    private static func attributes(_ fields: APIFields) throws(APIFailure) -> [UInt8]? {
        guard let attributes = fields.member("attributes") else { return nil }
        guard let members = attributes.object else { throw .bad("attributes must be an object") }
        for member in members {
            guard ProfileAttributes.own.contains(member.name) else {
                throw .bad("attributes.\(member.name) is not one's own to change: the operator sets it")
            }
            guard member.value.isNull || member.value.string != nil || member.value.integer != nil else {
                throw .bad("attributes.\(member.name) must be a text, a whole number or null")
            }
        }
        return members.isEmpty ? nil : attributes.serialized()
    }

    /// A file to be the picture; empty for none any more.
    private struct Wish { var key: FileKey? }

    private static func file(_ name: String, _ fields: APIFields) throws(APIFailure) -> Wish? {
        guard let text = try fields.optionalText(name) else { return nil }
        if text.isEmpty { return Wish(key: nil) }
        guard let key = FileKey(text) else { throw .bad("\(name) is no id of a file") }
        return Wish(key: key)
    }

    // MARK: Pictures

    /// Redirects to the picture, or answers with the initials as SVG. `size` is `full` or `small`.
    @Sendable private func avatar(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        guard let name = UserName(try request.parameter("id")) else { throw APIFailure(404, "there is no such person") }
        let isSmall = request.query["size"] == "small"
        self.profiles.lookUp(
            [name], by: Self.asker(request), in: nil, waitMilliseconds: Self.waitMilliseconds
        ) { infos in
            guard let info = infos.first else { return reply(.failure(404, "there is no such person")) }
            let small = isSmall ? info.picture.small : nil
            if let address = small ?? info.picture.full, !address.isEmpty, NativeAnswer.isLocation(address) {
                var answer = APIAnswer(status: 302, body: [])
                answer.headers = [("Location", address)]
                return reply(answer)
            }
            var answer = APIAnswer(
                status: 200, contentType: "image/svg+xml", body: Initials.picture(of: info.shownName, name.text))
            answer.headers = [("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")]
            reply(answer)
        }
    }

    // MARK: News

    /// `{"ids":["romeo"]}`, or `{"all":true}`: what is known of them is asked for again. Signed as our own requests to
    /// that system are.
    @Sendable private func invalidate(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        guard let secret = self.secret else { throw APIFailure(404, "no news of profiles are taken here") }
        let verdict = WebhookSignature.check(
            request.signature, body: request.bytes, secret: secret,
            nowUnixSeconds: services.clock.wallMilliseconds() / 1_000)
        switch verdict {
        case .genuine: break
        case .malformed: throw APIFailure(401, "the header field \(WebhookSignature.field) is missing or wrong")
        case .outsideWindow: throw APIFailure(401, "the signature is too old, or a clock is wrong")
        case .forged: throw APIFailure(401, "the signature is not of this body and secret")
        }
        guard let body = try? JSONValue(parsing: request.bytes), body.object != nil else {
            throw .bad("the body is no JSON object")
        }
        let fields = APIFields(body)
        let names = try fields.texts("ids", most: 10_000)
        if try fields.isOn("all") { self.profiles.invalidate(.all, cause: .webhook) }
        for name in names.compactMap({ UserName($0) }) { self.profiles.invalidate(.person(name), cause: .webhook) }
        reply(.json(.object([JSONValue.Member("invalidated", .integer(Int64(names.count)))])))
    }
}

extension ProfileInfo {
    /// A person as our own gateways show them: what is hidden, to themselves and the manager alone.
    func json(for caller: APICaller) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        var members = [
            JSONValue.Member("id", .string(self.name.text)),
            JSONValue.Member("name", .string(self.shownName)),
            JSONValue.Member("external_id", text(self.externalID)),
            JSONValue.Member("display_name", text(self.displayName)),
            JSONValue.Member("team_name", text(self.teamName)),
            JSONValue.Member("alias", text(self.alias)),
            JSONValue.Member("avatar", text(self.picture.full)),
            JSONValue.Member("avatar_small", text(self.picture.small)),
            JSONValue.Member("is_known", .boolean(self.isKnown)),
            JSONValue.Member("is_placeholder", .boolean(self.isPlaceholder)),
        ]
        if let attributes = self.attributes.flatMap({ try? JSONValue(parsing: $0) })?.object {
            let shown = attributes.filter { self.showsAll(to: caller) || !ProfileAttributes.hidden.contains($0.name) }
            members.append(JSONValue.Member("attributes", .object(shown)))
        }
        return .object(members)
    }

    private func showsAll(to caller: APICaller) -> Bool {
        switch caller {
        case .manager: true
        case .person(let identity): identity.name == self.name
        case .anyone, .app: false
        }
    }
}
