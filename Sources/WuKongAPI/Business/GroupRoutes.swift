import APIKit
import Accounts
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Groups: making, changing, leaving and ending them.
enum GroupRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/group/create", Self.create),
        Route("GET", "/v1/group/my", Self.saved),
        Route("GET", "/v1/groups/{group}", Self.card),
        Route("GET", "/v1/groups/{group}/detail", Self.card),
        Route("PUT", "/v1/groups/{group}", Self.change),
        Route("PUT", "/v1/groups/{group}/setting", Self.change),
        Route("POST", "/v1/groups/{group}/forbidden/{on}", Self.muteEverybody),
        Route("POST", "/v1/groups/{group}/exit", Self.leave),
        Route("POST", "/v1/groups/{group}/transfer/{uid}", Self.transfer),
        Route("DELETE", "/v1/groups/{group}/disband", Self.disband),
    ]

    // MARK: Making

    /// Most people who can be invited in one request.
    static let maximumInvited = 1_000
    /// Unicode scalars of a title that is made of names. Source: TangSengDaoDao server.
    private static let madeTitleScalars = 20

    /// Makes a group of the person and those they name; who has blocked them is left out.
    @Sendable static func create(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let names = try fields.uids("members", most: Self.maximumInvited)
        guard !names.isEmpty else { throw .bad("members is missing") }
        let title = try fields.optionalText("name")
        let actor = call.actor
        guard let number = ChannelName(Secrets.hex()) else { return }
        call.write { store throws(StoreError) in
            let people = try store.invited(names, by: actor.user)
            let shown = try store.reading.displayNames([actor.user] + people)
            let made = String(
                shown.joined(separator: "、").unicodeScalars
                    .prefix(Self.madeTitleScalars).map(Character.init))
            let id = try store.conversations.createChannel(
                .group, number, title: title.map { $0.isEmpty ? made : $0 } ?? made, creator: actor.user,
                members: people)
            guard let conversation = try store.reading.conversations.one(id) else {
                throw .refused(.noSuchConversation)
            }
            return try store.reading.view(of: conversation, for: actor.user)
        } answer: { view in
            .json(view.row)
        }
    }

    // MARK: Looking

    @Sendable static func card(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let user = call.user
        let now = call.services.clock.wallMilliseconds()
        call.read { store throws(StoreError) in
            let conversation = try store.knownConversation(group, of: user)
            return (
                view: try store.view(of: conversation, for: user), team: try store.teams.one(conversation.id, at: now)
            )
        } answer: { found in
            .json(found.view.row.adding(GroupModes.row(found.team)))
        }
    }

    /// The groups a person has saved.
    @Sendable static func saved(_ call: BusinessCall) throws(APIFailure) {
        let user = call.user
        call.read { store throws(StoreError) in
            var views: [GroupView] = []
            for line in try store.conversations.page(of: user) where line.conversation.kind == .group {
                let view = try store.view(of: line.conversation, for: user)
                if view.preference.isSaved { views.append(view) }
            }
            return views
        } answer: { views in
            .json(.array(views.map(\.row)))
        }
    }

    // MARK: Changing

    /// Changes what the members say about the group: what of it is the person's own, and what is everybody's.
    @Sendable static func change(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let fields = try call.request.fields()
        let personal = try PersonalSettings.patch(fields, call.request.body)
        let common = try GroupChange(fields)
        let modes = try GroupModes(fields)
        guard personal != nil || common != nil || modes != nil else {
            throw .bad("the body has nothing that can be set")
        }
        let actor = call.actor
        call.write { store throws(StoreError) in
            let conversation = try store.reading.knownConversation(group, of: actor.user)
            if let personal { _ = try store.inbox.setPreference(actor.user, in: conversation.id, personal) }
            if let common { try store.conversations.updateInfo(of: conversation.id, common.patch, by: actor) }
            if let modes { try modes.apply(to: conversation.id, by: actor, store) }
        } answer: {
            .ok
        }
    }

    /// Lets only managers write, or everybody again.
    @Sendable static func muteEverybody(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let word = try call.request.parameter("on")
        guard word == "0" || word == "1" else { throw .bad("the last path segment must be 0 or 1") }
        let change = GroupChange(mutesMembers: word == "1")
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.updateInfo(of: id, change.patch, by: actor)
        }
    }

    // MARK: Leaving and ending

    /// Leaves a group; managers are told in it.
    @Sendable static func leave(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.leave(id, actor.user)
        }
    }

    @Sendable static func transfer(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let name = try call.pathPerson()
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.transferOwner(to: try store.reading.knownPerson(name), in: id, by: actor)
        }
    }

    /// Ends a group for everybody; its history stays with those who were in it.
    @Sendable static func disband(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.disband(id, by: actor)
        }
    }
}

/// Change of a group for everybody.
struct GroupChange: Sendable {
    private(set) var patch = ChannelPatch()

    /// Further switches that everybody sees; apps act on them.
    private static let attributes = ["forbidden_add_friend", "allow_view_history_msg"]

    init(mutesMembers: Bool) { self.setMuting(mutesMembers) }

    /// - Returns: `nil` when the body holds nothing of it.
    init?(_ fields: APIFields) throws(APIFailure) {
        self.patch.title = try fields.optionalText("name")
        self.patch.notice = try fields.optionalText("notice")
        if let isOn = try fields.optionalSwitch("forbidden") { self.setMuting(isOn) }
        if let isOn = try fields.optionalSwitch("invite") {
            self.set(.invitationsNeedConsent, isOn)
        }
        var further: [JSONValue.Member] = []
        for name in Self.attributes {
            if let isOn = try fields.optionalSwitch(name) { further.append(JSONValue.Member(name, .flag(isOn))) }
        }
        if !further.isEmpty { self.patch.attributesMergePatch = JSONValue.object(further).serialized() }
        if self.patch == ChannelPatch() { return nil }
    }

    private mutating func setMuting(_ isOn: Bool) {
        self.set(.membersMuted, isOn)
        // Apps know one switch: off means that everybody may write.
        if !isOn { self.set(.everyoneMuted, false) }
    }

    private mutating func set(_ flag: ConversationFlags, _ isOn: Bool) {
        if isOn { self.patch.setFlags.insert(flag) } else { self.patch.clearedFlags.insert(flag) }
    }
}
