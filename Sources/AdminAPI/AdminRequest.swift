package import ChatModel

/// Request of an operator.
package enum AdminRequest: Hashable, Sendable {
    case status
    /// The one-time token that makes the first administrator from the web page.
    case setupToken
    /// The key of the HTTP API.
    case managerToken

    case addUser(AdminNewUser)
    /// Lists users in the order of their creation; `after` is the `next` of the page before.
    case listUsers(after: Int64?)
    case showUser(UserName)
    case issueToken(UserName, DeviceClass, DeviceLevel)
    /// Ends tokens and sessions: all, or those of one device class.
    case revoke(UserName, DeviceClass?)
    case setDisabled(UserName, Bool)
    /// Bans a user from sending, or ends the ban; the user still signs in and reads.
    case setSendBanned(UserName, Bool)
    case setPassword(UserName, String)
    /// Adds `other` to a list of `owner`, or removes them.
    case setListed(owner: UserName, PersonalList, other: UserName, Bool)
    /// Sets that only users on the user's allow list may send to them, or ends it.
    case setAllowlistOnly(UserName, Bool)
    /// Creates the users that do not exist, at most `AdminProtocol.importRows`, and issues each a token that is valid
    /// for all the device classes.
    case importUsers([AdminImportRow], [DeviceClass])

    /// Lists conversations by number; `after` is the `next` of the page before.
    case listConversations(after: Int64?)
    /// Shows one conversation, named as in `listMessages`.
    case showConversation(String)
    /// Reads the messages before a sequence, at most `AdminProtocol.pageMessages`, oldest first.
    ///
    /// `conversation` is a group's name, else two people's names `juliet,romeo`, else `id:` and a number, else
    /// a room's name.
    case listMessages(conversation: String, before: Int64?, limit: Int64)

    /// Lists sessions by ID, of one user or all; `after` is the `next` of the page before.
    case listSessions(UserName?, after: Int64?)
    /// Ends sessions by ID, or all sessions of a user.
    case endSessions(ids: [Int64], user: UserName?)

    case send(AdminSend)
    /// Sends every message, and with `withSessions` the begin and end of sessions, as events until stopped.
    case follow(conversation: String?, withSessions: Bool)
    /// Ends a `follow` or a watch of the same connection, by its request ID.
    case stopFollowing(Int64)

    case files(AdminFileRequest)
    case transfers(AdminTransferRequest)
    case profiles(AdminProfileRequest)
    case teams(AdminTeamRequest)
    case audit(AdminAuditRequest)
    case live(AdminLiveRequest)
    case conversationDetails(AdminConversationRequest)
    case people(AdminPeopleRequest)
    case words(AdminWordRequest)
    case filters(AdminFilterRequest)
    case kinds(AdminKindRequest)
    case hooks(AdminHookRequest)
    case settings(AdminSettingsRequest)
    case policy(AdminPolicyRequest)
    case announcements(AdminAnnouncementRequest)
    case app(AdminAppRequest)
    case search(AdminSearchRequest)
}

extension AdminRequest {
    /// Word, audit entry, `ctl` command and inverse of the request.
    package var operation: AdminOperation {
        switch self {
        case .status: .look("status", ctl: ctl("status"))
        case .setupToken: .look("setup.token", ctl: ctl("setup-token"))
        case .managerToken: .look("wukong.token", ctl: ctl("wukong token"))
        case .addUser(let user):
            .change("user.add", user.name.text, audited: .addUser(user.withoutPassword), ctl: user.command)
        case .listUsers(let after): .look("user.list", ctl: after == nil ? ctl("user list") : nil)
        case .showUser(let name): .look("user.show", ctl: ctl("user show", .word(name.text)))
        case .issueToken(let name, let device, let level):
            .change(
                "user.token", name.text,
                ctl: !device.isTypable
                    ? nil
                    : ctl("user token", .word(name.text), .option("device", device.name), .option("level", level.word)))
        case .revoke(let name, let device):
            .change(
                "user.revoke", name.text,
                ctl: device?.isTypable == false
                    ? nil : ctl("user revoke", .word(name.text), .option("device", device?.name)))
        case .setDisabled(let name, let isDisabled):
            .change(
                "user.disable", name.text, ctl: ctl("user \(isDisabled ? "disable" : "enable")", .word(name.text)),
                inverse: .setDisabled(name, !isDisabled))
        case .setSendBanned(let name, let isBanned):
            .change(
                "user.mute", name.text, ctl: ctl("user \(isBanned ? "mute" : "unmute")", .word(name.text)),
                inverse: .setSendBanned(name, !isBanned))
        case .setPassword(let name, _):
            .change(
                "user.password", name.text, audited: .setPassword(name, "(changed)"),
                ctl: ctl("user password", .word(name.text), .flag("password-stdin", true)))
        case .setListed(let owner, let list, let other, let isListed):
            .change(
                "user.listed", owner.text,
                ctl: ctl("user \(list.verb(isListed))", .word(owner.text), .word(other.text)),
                inverse: .setListed(owner: owner, list, other: other, !isListed))
        case .setAllowlistOnly(let name, let isOn):
            .change(
                "user.allowlist", name.text, ctl: ctl("user allowlist", .word(name.text), .word(isOn ? "on" : "off")),
                inverse: .setAllowlistOnly(name, !isOn))
        case .importUsers: .change("user.import")
        case .listConversations(let after):
            .look("conversation.list", ctl: after == nil ? ctl("conversation list") : nil)
        case .showConversation(let name): .look("conversation.show", ctl: ctl("conversation show", .word(name)))
        case .listMessages: .look("conversation.messages")
        case .listSessions(let user, let after):
            .look("session.list", ctl: after == nil ? ctl("session list", .option("user", user?.text)) : nil)
        case .endSessions(let ids, let user):
            .change(
                "session.end", user?.text,
                ctl: ids.isEmpty && user == nil
                    ? nil : ctl("session kick", .words(ids.map { String($0) }), .option("user", user?.text)))
        case .send(let send):
            .change("send", send.from.text, audited: .send(send.withoutText), ctl: send.command)
        case .follow(let conversation, let withSessions):
            .look(
                "follow", ctl: ctl("tail", .option("conversation", conversation), .flag("sessions", withSessions)))
        case .stopFollowing: .look("follow.stop")
        case .files(let request): request.operation
        case .transfers(let request): request.operation
        case .profiles(let request): request.operation
        case .teams(let request): request.operation
        case .audit(let request): request.operation
        case .live(let request): request.operation
        case .conversationDetails(let request): request.operation
        case .people(let request): request.operation
        case .words(let request): request.operation
        case .filters(let request): request.operation
        case .kinds(let request): request.operation
        case .hooks(let request): request.operation
        case .settings(let request): request.operation
        case .policy(let request): request.operation
        case .announcements(let request): request.operation
        case .app(let request): request.operation
        case .search(let request): request.operation
        }
    }

    /// The line, without its line feed.
    package func line(id: Int64, by who: AdminOperator = AdminOperator()) -> [UInt8] {
        LineWriter.object { line in
            line.field("id", id)
            line.field("ask", self.word)
            if !who.isPlain { line.field("by", who) }
            line.object("with") { self.writeFields(to: line) }
        }
    }

    /// Reads a line.
    ///
    /// - Throws: `protocolError` when it is no request, and the id is not known; what is wrong in a known request is
    ///   the result, so that it can be answered.
    package static func read(
        _ line: [UInt8]
    ) throws(AdminError) -> (id: Int64, by: AdminOperator, request: Result<AdminRequest, AdminError>) {
        let fields = try ObjectReader(line: line)
        let id: Int64 = try fields.value("id")
        do throws(AdminError) {
            let who: AdminOperator? = try fields.value("by")
            let word: String = try fields.value("ask")
            guard let request = try AdminRequest(word: word, fields.object("with")) else {
                throw AdminError(.invalid, "this server does not know the request \(word)")
            }
            return (id, who ?? AdminOperator(), .success(request))
        } catch {
            return (id, AdminOperator(), .failure(error))
        }
    }
}

extension AdminRequest: AdminOperations {
    static let all: [Self] =
        [
            .status, .setupToken, .managerToken, .addUser(.sample), .listUsers(after: .sample), .showUser(.sample),
            .issueToken(.sample, .sample, .sample), .revoke(.sample, .sample), .setDisabled(.sample, .sample),
            .setPassword(.sample, .sample), .setListed(owner: .sample, .sample, other: .sample, .sample),
            .setSendBanned(.sample, .sample), .setAllowlistOnly(.sample, .sample), .importUsers(.sample, .sample),
            .listConversations(after: .sample), .showConversation(.sample),
            .listMessages(conversation: .sample, before: .sample, limit: .sample),
            .listSessions(.sample, after: .sample),
            .endSessions(ids: .sample, user: .sample), .send(.sample),
            .follow(conversation: .sample, withSessions: .sample), .stopFollowing(.sample),
        ] + families

    private static let families: [Self] = [
        AdminFileRequest.all.map { .files($0) },
        AdminTransferRequest.all.map { .transfers($0) },
        AdminProfileRequest.all.map { .profiles($0) },
        AdminTeamRequest.all.map { .teams($0) },
        AdminAuditRequest.all.map { .audit($0) },
        AdminLiveRequest.all.map { .live($0) },
        AdminConversationRequest.all.map { .conversationDetails($0) },
        AdminPeopleRequest.all.map { .people($0) },
        AdminWordRequest.all.map { .words($0) },
        AdminFilterRequest.all.map { .filters($0) },
        AdminKindRequest.all.map { .kinds($0) },
        AdminHookRequest.all.map { .hooks($0) },
        AdminSettingsRequest.all.map { .settings($0) },
        AdminPolicyRequest.all.map { .policy($0) },
        AdminAnnouncementRequest.all.map { .announcements($0) },
        AdminAppRequest.all.map { .app($0) },
        AdminSearchRequest.all.map { .search($0) },
    ].flatMap { $0 }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .status: self
        case .setupToken: self
        case .managerToken: self
        case .addUser(let user): try .addUser(fields.inline(user))
        case .listUsers(let after): try .listUsers(after: fields("after", after))
        case .showUser(let name): try .showUser(fields("name", name))
        case .issueToken(let name, let device, let level):
            try .issueToken(fields("name", name), fields("device", device), fields("level", level))
        case .revoke(let name, let device): try .revoke(fields("name", name), fields("device", device))
        case .setDisabled(let name, let disabled): try .setDisabled(fields("name", name), fields("disabled", disabled))
        case .setPassword(let name, let password): try .setPassword(fields("name", name), fields("password", password))
        case .setListed(let name, let list, let other, let listed):
            try .setListed(
                owner: fields("name", name), fields("list", list), other: fields("other", other),
                fields("listed", listed))
        case .setSendBanned(let name, let on): try .setSendBanned(fields("name", name), fields("on", on))
        case .setAllowlistOnly(let name, let on): try .setAllowlistOnly(fields("name", name), fields("on", on))
        case .importUsers(let rows, let devices):
            try .importUsers(
                fields("users", rows, count: 0...AdminProtocol.importRows), fields("devices", devices, count: 1...8))
        case .listConversations(let after): try .listConversations(after: fields("after", after))
        case .showConversation(let conversation): try .showConversation(fields("conversation", conversation))
        case .listMessages(let conversation, let before, let limit):
            try .listMessages(
                conversation: fields("conversation", conversation), before: fields("before", before),
                limit: fields("limit", limit))
        case .listSessions(let user, let after): try .listSessions(fields("user", user), after: fields("after", after))
        case .endSessions(let ids, let user): try .endSessions(ids: fields("ids", ids), user: fields("user", user))
        case .send(let send): try .send(fields.inline(send))
        case .follow(let conversation, let sessions):
            try .follow(conversation: fields("conversation", conversation), withSessions: fields("sessions", sessions))
        case .stopFollowing(let follow): try .stopFollowing(fields("follow", follow))
        case .files(let request): try .files(fields.inline(request))
        case .transfers(let request): try .transfers(fields.inline(request))
        case .profiles(let request): try .profiles(fields.inline(request))
        case .teams(let request): try .teams(fields.inline(request))
        case .audit(let request): try .audit(fields.inline(request))
        case .live(let request): try .live(fields.inline(request))
        case .conversationDetails(let request): try .conversationDetails(fields.inline(request))
        case .people(let request): try .people(fields.inline(request))
        case .words(let request): try .words(fields.inline(request))
        case .filters(let request): try .filters(fields.inline(request))
        case .kinds(let request): try .kinds(fields.inline(request))
        case .hooks(let request): try .hooks(fields.inline(request))
        case .settings(let request): try .settings(fields.inline(request))
        case .policy(let request): try .policy(fields.inline(request))
        case .announcements(let request): try .announcements(fields.inline(request))
        case .app(let request): try .app(fields.inline(request))
        case .search(let request): try .search(fields.inline(request))
        }
    }
}
