import APIKit
import ByteCodec
import ChatModel
import Store

/// The people of a group.
enum GroupMemberRoutes {
    static let routes: [Route] = [
        Route("GET", "/v1/groups/{group}/members", Self.members),
        Route("POST", "/v1/groups/{group}/members", Self.add),
        Route("DELETE", "/v1/groups/{group}/members", Self.remove),
        Route("POST", "/v1/groups/{group}/members_delete", Self.remove),
        Route("PUT", "/v1/groups/{group}/members/{uid}", Self.rename),
        Route("GET", "/v1/groups/{group}/membersync", Self.sync),
        Route("POST", "/v1/groups/{group}/managers", Self.addManagers),
        Route("DELETE", "/v1/groups/{group}/managers", Self.removeManagers),
        Route("POST", "/v1/groups/{group}/blacklist/{action}", Self.deny),
        Route("POST", "/v1/groups/{group}/forbidden_with_member", Self.mute),
        Route("GET", "/v1/group/forbidden_times", Self.mutingTimes),
    ]

    // MARK: Lists

    /// A page of the members; `keyword` is looked for in their names.
    @Sendable static func members(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let page = Page(
            index: try call.request.queryInteger("page", otherwise: 1),
            size: try call.request.queryInteger("limit", otherwise: 100))
        let keyword = (call.request.query["keyword"] ?? "").lowercased()
        let (services, user) = (call.services, call.user)
        call.read { store throws(StoreError) in
            let conversation = try store.knownConversation(group, of: user)
            let all = try store.rows(
                of: try store.conversations.members(of: conversation.id), in: conversation, group.id
            )
            .map { $0.dressed(services) }
            let fitting = keyword.isEmpty ? all : all.filter { $0.fits(keyword) }
            return Array(fitting.dropFirst(page.offset).prefix(page.size))
        } answer: { rows in
            .json(.array(rows.map(\.row)))
        }
    }

    /// Members who joined, changed or left after a version.
    @Sendable static func sync(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let version = max(0, try call.request.queryInteger("version", otherwise: 0))
        let asked = try call.request.queryInteger("limit", otherwise: 100)
        let limit = Int(asked <= 0 ? 100 : min(asked, 1_000))
        let (services, user) = (call.services, call.user)
        call.read { store throws(StoreError) in
            let conversation = try store.knownConversation(group, of: user)
            return try store.rows(
                of: try store.conversations.members(of: conversation.id, after: version, limit: limit),
                in: conversation, group.id)
        } answer: { rows in
            .json(.array(rows.map { $0.dressed(services).row }))
        }
    }

    // MARK: Coming and going

    /// Brings people into the group, or asks them where the group wants that they agree; who has blocked the person is
    /// left out.
    @Sendable static func add(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let names = try call.namedMembers()
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            _ = try store.teams.invite(try store.invited(names, by: actor.user), to: id, by: actor)
        }
    }

    @Sendable static func remove(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let names = try call.namedMembers()
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.removeMembers(try store.reading.knownPeople(names), from: id, by: actor)
        }
    }

    // MARK: Roles and names

    @Sendable static func addManagers(_ call: BusinessCall) throws(APIFailure) { try Self.setRoles(call, .manager) }

    @Sendable static func removeManagers(_ call: BusinessCall) throws(APIFailure) { try Self.setRoles(call, .member) }

    private static func setRoles(_ call: BusinessCall, _ role: MemberRole) throws(APIFailure) {
        let group = try call.group()
        let names = try call.namedMembers()
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.setRoles(try store.reading.knownPeople(names), role, in: id, by: actor)
        }
    }

    /// Changes the name of a member in the group.
    @Sendable static func rename(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let name = try call.pathPerson()
        guard let nickname = try call.request.fields().optionalText("remark") else { throw .bad("remark is missing") }
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.setNickname(of: try store.reading.knownPerson(name), nickname, in: id, by: actor)
        }
    }

    // MARK: Silence

    /// Puts members on the group's deny list, or takes them off: they may read and not write.
    @Sendable static func deny(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let action = try call.request.parameter("action")
        guard action == "add" || action == "remove" else { throw .bad("the last path segment must be add or remove") }
        let names = try call.request.fields().uids("uids", most: GroupRoutes.maximumInvited)
        guard !names.isEmpty else { throw .bad("uids is missing") }
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            let users = try store.reading.knownPeople(names)
            if action == "add" {
                try store.conversations.addListed(users, in: id, .denied, by: actor)
            } else {
                try store.conversations.removeListed(users, in: id, .denied, by: actor)
            }
        }
    }

    /// For how long a member can be muted, by the number of the choice. Source: TangSengDaoDao server.
    private static let mutingChoices: [(text: String, seconds: Int64)] = [
        ("1分钟", 60), ("10分钟", 600), ("1小时", 3_600), ("1天", 86_400), ("1周", 604_800), ("1个月", 2_592_000),
    ]

    @Sendable static func mutingTimes(_ call: BusinessCall) throws(APIFailure) {
        let rows = Self.mutingChoices.enumerated().map { index, choice in
            JSONValue.fields(("text", .string(choice.text)), ("key", .number(index + 1)))
        }
        call.reply(.json(.array(rows)))
    }

    /// Mutes a member for a while, or ends it.
    @Sendable static func mute(_ call: BusinessCall) throws(APIFailure) {
        let group = try call.group()
        let fields = try call.request.fields()
        let name = try fields.uid("member_uid")
        let isMuted = try fields.isOn("action")
        let key = try fields.integer("key")
        guard !isMuted || (1...Int64(Self.mutingChoices.count)).contains(key) else {
            throw .bad("key must be 1 to \(Self.mutingChoices.count): see group/forbidden_times")
        }
        let seconds = isMuted ? Self.mutingChoices[Int(key) - 1].seconds : 0
        try call.changeGroup(group) { store, id, actor throws(StoreError) in
            try store.conversations.setMemberMuted(
                try store.reading.knownPerson(name),
                untilMilliseconds: isMuted ? store.wallMilliseconds + seconds * 1_000 : 0, in: id, by: actor)
        }
    }
}

extension BusinessCall {
    /// The people a request about members names: an array of uids, or an object with one under `members` or `uids`.
    fileprivate func namedMembers() throws(APIFailure) -> [UserName] {
        let body = self.request.body
        let fields = APIFields(body.array == nil ? body : .object([JSONValue.Member("members", body)]))
        var names = try fields.uids("members", most: GroupRoutes.maximumInvited)
        if names.isEmpty { names = try fields.uids("uids", most: GroupRoutes.maximumInvited) }
        guard !names.isEmpty else { throw .bad("the body names nobody: expected an array of uids, or members") }
        return names
    }
}

/// A member as apps get it. Source: TangSengDaoDao server, memberDetailResp.
struct GroupMemberRow: Sendable {
    let member: Member
    let group: String
    var displayName: String
    let isDenied: Bool
    let isSystem: Bool

    /// With the name of another user system.
    func dressed(_ services: APIServices) -> GroupMemberRow {
        guard let name = services.saidElsewhere(self.member.name)?.displayName else { return self }
        var row = self
        row.displayName = name
        return row
    }

    func fits(_ keyword: String) -> Bool {
        [self.displayName, self.member.nickname ?? "", self.member.name.text].contains { name in
            name.lowercased().utf8.contains(run: keyword.utf8)
        }
    }

    var row: JSONValue {
        .fields(
            ("uid", .string(self.member.name.text)), ("group_no", .string(self.group)),
            ("name", .string(self.displayName)), ("remark", .text(self.member.nickname)),
            ("role", .integer(self.member.role.groupNumber)), ("version", .integer(self.member.revision)),
            ("is_deleted", .flag(self.member.isRemoved)), ("status", .integer(self.isDenied ? 2 : 1)),
            ("invite_uid", .string("")), ("robot", .flag(self.isSystem)),
            ("forbidden_expir_time", .integer(self.member.mutedUntilSeconds)),
            ("created_at", .string(BusinessTime.text(milliseconds: self.member.joinedAtMilliseconds))))
    }
}

extension ReadTransaction {
    fileprivate func rows(
        of members: [Member], in conversation: Conversation, _ group: String
    ) throws(StoreError) -> [GroupMemberRow] {
        let denied = Set(try self.conversations.list(.denied, of: conversation.id).map(\.user))
        var rows: [GroupMemberRow] = []
        for member in members {
            guard let profile = try self.people.profile(of: member.user) else { continue }
            rows.append(
                GroupMemberRow(
                    member: member, group: group, displayName: profile.displayName ?? member.name.text,
                    isDenied: denied.contains(member.user), isSystem: profile.isSystem))
        }
        return rows
    }
}
