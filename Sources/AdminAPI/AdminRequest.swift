package import ChatModel

/// Request of an operator.
package enum AdminRequest: Equatable, Sendable {
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
    case backups(AdminBackupRequest)
    case imports(AdminImportRequest)
    case retention(AdminRetentionRequest)
    case exports(AdminExportRequest)
}

extension AdminRequest {
    /// Word, audit entry, `ctl` command and inverse of the request.
    package var operation: AdminOperation {
        let note = self.noted
        var operation = note.operation
        if note.form != nil { operation.command = OperationCommand.line(saying: self, note) }
        return operation
    }

    /// A sample of every operation.
    package static var everyOperation: [AdminRequest] { Self.all + Self.more }

    /// The line, without its line feed.
    package func line(id: Int64, by who: AdminOperator = AdminOperator()) -> [UInt8] {
        LineWriter.object { line in
            line.field("id", id)
            line.field("ask", self.word)
            if !who.isPlain { line.field("by", who) }
            line.object("with") { self.writeFields(to: line) }
        }
    }

    /// Samples by their words, by which lines are read.
    private static let byWord = Self.samplesByWord()

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
            guard let sample = Self.byWord[word] else {
                throw AdminError(.invalid, "this server does not know the request \(word)")
            }
            return (id, who ?? AdminOperator(), .success(try sample.pass(.reading(fields.object("with")))))
        } catch {
            return (id, AdminOperator(), .failure(error))
        }
    }
}

extension AdminRequest: AdminDefinitions {
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
        ] + families(isMore: false)

    static let more: [Self] =
        [
            .listUsers(after: nil), .listSessions(nil, after: nil), .issueToken(.sample, .app, .secondary),
            .setDisabled(.sample, false),
            .setSendBanned(.sample, false), .setListed(owner: .sample, .blocked, other: .sample, false),
            .setListed(owner: .sample, .allowed, other: .sample, true),
            .setListed(owner: .sample, .allowed, other: .sample, false),
        ] + families(isMore: true)

    private static func families(isMore: Bool) -> [Self] {
        func samples<Family: AdminDefinitions>(_ request: (Family) -> Self) -> [Self] {
            (isMore ? Family.more : Family.all).map(request)
        }
        return [
            samples(Self.files), samples(Self.transfers), samples(Self.profiles), samples(Self.teams),
            samples(Self.audit), samples(Self.live), samples(Self.conversationDetails), samples(Self.people),
            samples(Self.words), samples(Self.filters), samples(Self.kinds), samples(Self.hooks),
            samples(Self.settings), samples(Self.policy), samples(Self.announcements), samples(Self.app),
            samples(Self.search), samples(Self.backups), samples(Self.imports), samples(Self.retention),
            samples(Self.exports),
        ].flatMap { $0 }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .status:
            fields.look("status", role: .observer)
            fields.ctl("status", examples: ["", "--json"])
            return self
        case .setupToken:
            fields.look("setup.token")
            fields.ctl("setup-token", summary: "command.ctl.setupToken", examples: [""])
            return self
        case .managerToken:
            fields.look("wukong.token")
            fields.ctl("wukong token", examples: ["", "--json"])
            return self
        case .addUser(let user):
            fields.change("user.add", .user(user.name), audited: .addUser(user.withoutPassword))
            fields.line(user.command)
            return try .addUser(fields.inline(user))
        case .listUsers(let after):
            fields.look("user.list", role: .observer)
            fields.ctl("user list", examples: ["", "--json"])
            return try .listUsers(after: fields.page("after", after))
        case .showUser(let name):
            fields.look("user.show", role: .observer)
            fields.ctl("user show", examples: ["ming"])
            return try .showUser(fields("name", name, .user))
        case .issueToken(let name, let device, let level):
            fields.change("user.token", .user(name))
            fields.ctl("user token", examples: ["ming --device web"])
            return try .issueToken(
                fields("name", name, .user),
                fields("device", device, .choice("device", "option.device", hasUsual: true)),
                fields("level", level, .choice("level", "option.level", hasUsual: true)))
        case .revoke(let name, let device):
            fields.change("user.revoke", role: .helper, .user(name))
            fields.asks("console.users.revoke", ["console.users.revokeConsequence"], of: [name.text])
            fields.ctl(
                "user revoke", says: "ctl.user.revoked", evenForNone: true, ["name": name.text],
                examples: ["ming", "ming --device web"])
            return try .revoke(
                fields("name", name, .user), fields("device", device, .choice("device", "option.revokeDevice")))
        case .setDisabled(let name, let isDisabled):
            fields.change(
                "user.disable", role: .helper, .user(name), inverse: .setDisabled(name, !isDisabled),
                basis: .showUser(name))
            fields.asks(
                isDisabled ? "console.users.disable" : "console.users.enable",
                [isDisabled ? "console.users.disableConsequence" : "console.users.enableConsequence"], of: [name.text])
            fields.ctl(
                "user \(isDisabled ? "disable" : "enable")",
                says: isDisabled ? "ctl.user.disabled" : "ctl.user.enabled", evenForNone: true, ["name": name.text],
                examples: ["ming"])
            return try .setDisabled(fields("name", name, .user), fields("disabled", isDisabled))
        case .setPassword(let name, let password):
            fields.change("user.password", .user(name), audited: .setPassword(name, "(changed)"))
            fields.line(ctl("user password", .word(name.text), .flag("password-stdin", true)))
            return try .setPassword(fields("name", name), fields("password", password))
        case .setListed(let owner, let list, let other, let isListed):
            let verb = list.verb(isListed)
            fields.change(
                "user.listed", role: .helper, .list(owner, list, other),
                inverse: .setListed(owner: owner, list, other: other, !isListed), basis: .showUser(owner))
            fields.ctl(
                "user \(verb)", says: "ctl.user.\(verb)", ["name": owner.text, "other": other.text],
                examples: ["lan ming"])
            return try .setListed(
                owner: fields("name", owner, .user), fields("list", list),
                other: fields("other", other, .argument("OTHER", "argument.other")), fields("listed", isListed))
        case .setSendBanned(let name, let isBanned):
            let verb = isBanned ? "mute" : "unmute"
            fields.change(
                "user.mute", role: .helper, .user(name), inverse: .setSendBanned(name, !isBanned),
                basis: .showUser(name))
            fields.asks(
                isBanned ? "console.users.silence" : "console.users.unsilence",
                [isBanned ? "console.users.silenceConsequence" : "console.users.unsilenceConsequence"],
                of: [name.text])
            fields.ctl("user \(verb)", says: "ctl.user.\(verb)", ["name": name.text], examples: ["ming"])
            return try .setSendBanned(fields("name", name, .user), fields("on", isBanned))
        case .setAllowlistOnly(let name, let isOn):
            fields.change(
                "user.allowlist", role: .helper, .user(name), inverse: .setAllowlistOnly(name, !isOn),
                basis: .showUser(name))
            fields.ctl(
                "user allowlist", says: isOn ? "ctl.user.allowlistOn" : "ctl.user.allowlistOff",
                ["name": name.text], examples: ["lan on"])
            return try .setAllowlistOnly(
                fields("name", name, .user),
                fields("on", isOn, .argument("on|off", "argument.onOff", refusal: "ctl.onOrOff")))
        case .importUsers(let rows, let devices):
            fields.change("user.import")
            return try .importUsers(
                fields("users", rows, count: 0...AdminProtocol.importRows), fields("devices", devices, count: 1...8))
        case .listConversations(let after):
            fields.look("conversation.list", role: .observer)
            fields.line(after == nil ? ctl("conversation list") : nil)
            return try .listConversations(after: fields.page("after", after))
        case .showConversation(let name):
            fields.look("conversation.show", role: .observer)
            fields.ctl("conversation show", examples: ["tea", "lan,ming --messages 100", "id:7"])
            return try .showConversation(fields("conversation", name, .conversation))
        case .listMessages(let conversation, let before, let limit):
            fields.look("conversation.messages", role: .helper)
            return try .listMessages(
                conversation: fields("conversation", conversation), before: fields("before", before),
                limit: fields("limit", limit))
        case .listSessions(let user, let after):
            fields.look("session.list", role: .observer)
            fields.ctl("session list", examples: ["", "--user ming"])
            return try .listSessions(
                fields("user", user, .option("user", "NAME", "option.sessionUser")),
                after: fields.page("after", after))
        case .endSessions(let ids, let user):
            fields.change("session.end", role: .helper, .text(user?.text))
            fields.asks(
                "console.users.kick", ["console.users.kickConsequence"],
                of: user.map { [$0.text] } ?? ids.map { String($0) })
            fields.line(
                ids.isEmpty && user == nil
                    ? nil : ctl("session kick", .words(ids.map { String($0) }), .option("user", user?.text)))
            return try .endSessions(ids: fields("ids", ids), user: fields("user", user))
        case .send(let send):
            fields.change("send", .text(send.from.text), audited: .send(send.withoutText))
            fields.ctl(
                "send", says: "ctl.message.sent",
                examples: ["--from ming --to lan '你好，阿兰！'", "--from ming --group tea 'tea is ready'"])
            return try .send(fields.inline(send))
        case .follow(let conversation, let withSessions):
            fields.look("follow", role: .helper)
            fields.ctl("tail", examples: ["", "--conversation tea"])
            return try .follow(
                conversation: fields(
                    "conversation", conversation, .option("conversation", "CONVERSATION", "option.conversation")),
                withSessions: fields("sessions", withSessions, .flag("sessions", "option.sessions")))
        case .stopFollowing(let follow):
            fields.look("follow.stop", role: .observer)
            return try .stopFollowing(fields("follow", follow))
        case .files(let request): return try .files(fields.inline(request))
        case .transfers(let request): return try .transfers(fields.inline(request))
        case .profiles(let request): return try .profiles(fields.inline(request))
        case .teams(let request): return try .teams(fields.inline(request))
        case .audit(let request): return try .audit(fields.inline(request))
        case .live(let request): return try .live(fields.inline(request))
        case .conversationDetails(let request): return try .conversationDetails(fields.inline(request))
        case .people(let request): return try .people(fields.inline(request))
        case .words(let request): return try .words(fields.inline(request))
        case .filters(let request): return try .filters(fields.inline(request))
        case .kinds(let request): return try .kinds(fields.inline(request))
        case .hooks(let request): return try .hooks(fields.inline(request))
        case .settings(let request): return try .settings(fields.inline(request))
        case .policy(let request): return try .policy(fields.inline(request))
        case .announcements(let request): return try .announcements(fields.inline(request))
        case .app(let request): return try .app(fields.inline(request))
        case .search(let request): return try .search(fields.inline(request))
        case .backups(let request): return try .backups(fields.inline(request))
        case .imports(let request): return try .imports(fields.inline(request))
        case .retention(let request): return try .retention(fields.inline(request))
        case .exports(let request): return try .exports(fields.inline(request))
        }
    }
}
