import APIKit
import Accounts
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// People: their cards, what one sets about another, one's own profile and settings, who is online.
enum PeopleRoutes {
    static let routes: [Route] = [
        Route("GET", "/v1/users/{uid}", Self.card),
        Route("PUT", "/v1/users/{uid}/setting", Self.set),
        Route("GET", "/v1/users/{uid}/im", Self.address),
        Route("GET", "/v1/user/current", Self.own),
        Route("PUT", "/v1/user/current", Self.change),
        Route("GET", "/v1/user/my/setting", Self.settings),
        Route("PUT", "/v1/user/my/setting", Self.changeSettings),
        Route("GET", "/v1/user/search", Self.search),
        Route("POST", "/v1/user/blacklist/{uid}", Self.block),
        Route("DELETE", "/v1/user/blacklist/{uid}", Self.unblock),
        Route("GET", "/v1/user/blacklists", Self.blocked),
        Route("GET", "/v1/user/online", Self.onlineFriends),
        Route("POST", "/v1/user/online", Self.online),
    ]

    // MARK: Cards

    @Sendable static func card(_ call: BusinessCall) throws(APIFailure) {
        Self.show(try call.pathPerson(), call)
    }

    @Sendable static func own(_ call: BusinessCall) throws(APIFailure) { Self.show(call.person.name, call) }

    private static func show(_ name: UserName, _ call: BusinessCall) {
        let (user, hides) = (call.user, call.services.showsOnlyAcquainted)
        call.readThen { store throws(StoreError) in
            guard let view = try store.view(of: name, for: user, hidesPresence: hides) else {
                throw .refused(.noSuchUser)
            }
            return view
        } then: { view, reply in
            call.services.didShow(name, user)
            call.services.presence(of: view.present) { reply(.json(view.dressed(call.services).row($0))) }
        }
    }

    /// Finds somebody by their whole uid: there is no directory to search in.
    @Sendable static func search(_ call: BusinessCall) throws(APIFailure) {
        let keyword = try call.request.queryText("keyword")
        let (user, hides) = (call.user, call.services.showsOnlyAcquainted)
        call.readThen { store throws(StoreError) in
            try Translation.userName(keyword).flatMap { name throws(StoreError) in
                try store.view(of: name, for: user, hidesPresence: hides)
            }
        } then: { view, reply in
            guard let view else { return reply(.json(.fields(("exist", .integer(0))))) }
            call.services.presence(of: view.present) { presence in
                let row = view.dressed(call.services).row(presence)
                reply(.json(.fields(("exist", .integer(1)), ("data", row))))
            }
        }
    }

    /// Where the person's apps connect to.
    @Sendable static func address(_ call: BusinessCall) throws(APIFailure) {
        guard try call.pathPerson() == call.person.name else { throw .bad("a person asks for their own address only") }
        try Addresses.find(call.request, call.services, call.reply)
    }

    // MARK: What one sets about another

    @Sendable static func set(_ call: BusinessCall) throws(APIFailure) {
        let name = try call.pathPerson()
        let fields = try call.request.fields()
        guard let patch = try PersonalSettings.patch(fields, call.request.body) else {
            throw .bad("the body has nothing that can be set")
        }
        let channel = try BusinessChannel(id: name.text, type: 1, asker: call.person.name)
        let user = call.user
        call.write { store throws(StoreError) in
            let id = try store.ensureConversation(channel, of: user)
            let other = try store.reading.knownPerson(name)
            if let remark = patch.remark, try store.reading.friends.one(other, of: user)?.isRemoved == false {
                try store.friends.setRemark(other, of: user, remark)
            }
            try store.inbox.setPreference(user, in: id, patch)
        } answer: { _ in
            .ok
        }
    }

    // MARK: Oneself

    /// Changes one's own profile.
    @Sendable static func change(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        var patch = ProfilePatch(displayName: try fields.optionalText("name"))
        if let name = patch.displayName, name.allSatisfy(\.isWhitespace) { throw .bad("name is empty") }
        let attributes = (call.request.body.object ?? []).filter { ProfileAttributes.own.contains($0.name) }
        for attribute in attributes {
            guard attribute.value.string != nil || attribute.value.integer != nil else {
                throw .bad("\(attribute.name) must be a text or a whole number")
            }
        }
        if !attributes.isEmpty { patch.attributes = JSONValue.object(attributes).serialized() }
        guard patch != ProfilePatch() else { throw .bad("the body has nothing that can be changed") }
        let (user, wanted) = (call.user, patch)
        call.write { store throws(StoreError) in
            try store.people.setProfile(of: user, wanted)
        } answer: { _ in
            .ok
        }
    }

    /// A person's settings of their apps, as they were set.
    @Sendable static func settings(_ call: BusinessCall) throws(APIFailure) {
        let user = call.user
        call.read { store throws(StoreError) in
            try store.people.settings(of: user)
        } answer: { settings in
            .json(OwnSettings.row(.stored(settings)))
        }
    }

    @Sendable static func changeSettings(_ call: BusinessCall) throws(APIFailure) {
        let members = try call.request.fields().members(where: OwnSettings.names.contains)
        for member in members where member.value.integer == nil { throw .bad("\(member.name) must be 0 or 1") }
        guard !members.isEmpty else { throw .bad("the body has no setting that is known") }
        let patch = ProfilePatch(settings: JSONValue.object(members).serialized())
        let user = call.user
        call.write { store throws(StoreError) in
            try store.people.setProfile(of: user, patch)
        } answer: { _ in
            .ok
        }
    }

    // MARK: Blocking

    @Sendable static func block(_ call: BusinessCall) throws(APIFailure) { try Self.setBlocked(true, call) }

    @Sendable static func unblock(_ call: BusinessCall) throws(APIFailure) { try Self.setBlocked(false, call) }

    private static func setBlocked(_ isBlocked: Bool, _ call: BusinessCall) throws(APIFailure) {
        let name = try call.pathPerson()
        let user = call.user
        call.write { store throws(StoreError) in
            let other = try store.reading.knownPerson(name)
            guard other != user else { throw .refused(.notApplicable) }
            try store.people.setListed(owner: user, .blocked, other, isBlocked)
        } answer: { _ in
            .ok
        }
    }

    @Sendable static func blocked(_ call: BusinessCall) throws(APIFailure) {
        let user = call.user
        call.read { store throws(StoreError) in
            var rows: [JSONValue] = []
            for name in try store.people.personalList(of: user, .blocked) {
                guard let profile = try store.people.profile(named: name) else { continue }
                rows.append(
                    .fields(
                        ("uid", .string(name.text)), ("name", .string(profile.displayName ?? name.text)),
                        ("username", .string(name.text))))
            }
            return rows
        } answer: { rows in
            .json(.array(rows))
        }
    }

    // MARK: Presence

    private static let maximumAsked = 1_000

    /// Presence of the people named in an array, or the time when they were last online.
    @Sendable static func online(_ call: BusinessCall) throws(APIFailure) {
        let body = call.request.body
        let fields = APIFields(body.array == nil ? body : .object([JSONValue.Member("uids", body)]))
        let names = try fields.uids("uids", most: Self.maximumAsked)
        let asker = call.services.showsOnlyAcquainted ? call.user : nil
        call.readThen { store throws(StoreError) in
            let known = try asker.map { user throws(StoreError) in
                try store.profiles.acquaintances(of: user, among: Set(names))
            }
            var profiles: [Profile] = []
            for name in names {
                guard var profile = try store.people.profile(named: name) else { continue }
                if known?.contains(name) == false { profile.lastSeenAtMilliseconds = nil }
                profiles.append(profile)
            }
            return (profiles: profiles, told: profiles.map(\.name).filter { known?.contains($0) ?? true })
        } then: { found, reply in
            let profiles = found.profiles
            call.services.presence(of: found.told) { presence in
                reply(.json(.array(profiles.map { Self.presenceRow($0, presence) })))
            }
        }
    }

    /// The person's friends who are online, and whether they are themselves on a computer.
    @Sendable static func onlineFriends(_ call: BusinessCall) throws(APIFailure) {
        let person = call.person
        call.readThen { store throws(StoreError) in
            var profiles: [Profile] = []
            for friend in try store.friends.ids(of: person.user) {
                if let profile = try store.people.profile(of: friend) { profiles.append(profile) }
            }
            return (profiles: profiles, settings: JSONValue.stored(try store.people.settings(of: person.user)))
        } then: { found, reply in
            call.services.presence(of: found.profiles.map(\.name) + [person.name]) { presence in
                let friends = found.profiles.filter { presence.isOnline($0.name) }
                let computers = presence.classes(of: person.name).filter { $0 == .web || $0 == .desktop }
                reply(
                    .json(
                        .fields(
                            ("friends", .array(friends.map { Self.presenceRow($0, presence) })),
                            (
                                "pc",
                                .fields(
                                    ("online", .flag(!computers.isEmpty)),
                                    ("device_flag", .number(computers.compactMap(Translation.deviceFlag).max() ?? 0)),
                                    ("mute_of_app", found.settings.switchValue("mute_of_app")))
                            ))))
            }
        }
    }

    /// Source: TangSengDaoDao server library, OnlinestatusResp.
    private static func presenceRow(_ profile: Profile, _ presence: PresenceTable) -> JSONValue {
        let isOnline = presence.isOnline(profile.name)
        return .fields(
            ("uid", .string(profile.name.text)), ("online", .flag(isOnline)),
            ("device_flag", .number(presence.deviceFlag(profile.name))),
            ("last_offline", .integer(isOnline ? 0 : (profile.lastSeenAtMilliseconds ?? 0) / 1_000)))
    }
}

/// The settings of a person's apps. Source: TangSengDaoDao server, the setting of its sign-in answer.
enum OwnSettings {
    /// Each with what is meant while nobody set it.
    private static let defaults: [(name: String, value: Int64)] = [
        ("search_by_phone", 0), ("search_by_short", 0), ("new_msg_notice", 1), ("msg_show_detail", 1), ("voice_on", 1),
        ("shock_on", 1), ("offline_protection", 0), ("device_lock", 0), ("mute_of_app", 0),
    ]

    static let names = Set(Self.defaults.map(\.name))

    static func row(_ stored: JSONValue) -> JSONValue {
        .object(
            Self.defaults.map { entry in
                JSONValue.Member(entry.name, stored.switchValue(entry.name, otherwise: entry.value))
            })
    }
}
