package import ChatModel

/// What an operator can ask.
package enum AdminRequest: Hashable, Sendable {
    case status
    /// The one-time token that makes the first administrator from the web page.
    case setupToken
    /// The key of the HTTP API.
    case managerToken

    case addUser(AdminNewUser)
    /// People in the order they were made; `after` is the `next` of the page before.
    case listUsers(after: Int64?)
    case showUser(UserName)
    case issueToken(UserName, DeviceClass, DeviceLevel)
    /// Ends tokens and sessions: all, or those of one device class.
    case revoke(UserName, DeviceClass?)
    case setDisabled(UserName, Bool)
    /// A muted person signs in and reads, and may not send.
    case setSendBanned(UserName, Bool)
    case setPassword(UserName, String)
    /// Puts `other` on a list of `owner`, or takes them off.
    case setListed(owner: UserName, PersonalList, other: UserName, Bool)
    /// Whether only those on the person's allow list may send to them.
    case setAllowlistOnly(UserName, Bool)
    /// At most `AdminProtocol.importRows` people; makes those that are missing, and a token for each that signs in on
    /// devices of all the classes.
    case importUsers([AdminImportRow], [DeviceClass])

    case createGroup(AdminNewGroup)
    case addMembers(ChannelName, [UserName])
    case removeMembers(ChannelName, [UserName])
    case setGroupBanned(ChannelName, Bool)
    /// Whether only managers and the owner may send.
    case setGroupMuted(ChannelName, Bool)
    /// Whether a member may not send; for so many minutes, or without end.
    case setMemberMuted(ChannelName, UserName, Bool, minutes: Int64?)
    /// The announcement; empty removes it.
    case setGroupNotice(ChannelName, String)

    /// Conversations by number; `after` is the `next` of the page before.
    case listConversations(after: Int64?)
    /// `conversation` names one, as in `listMessages`.
    case showConversation(String)
    /// The messages before a sequence, at most `AdminProtocol.pageMessages`, oldest first.
    ///
    /// `conversation` is a group's name, else two people's names `juliet,romeo`, else `id:` and a number, else
    /// a room's name.
    case listMessages(conversation: String, before: Int64?, limit: Int64)

    /// Sessions by id, of one person or all; `after` is the `next` of the page before.
    case listSessions(UserName?, after: Int64?)
    /// Ends sessions by id, or all of a person's.
    case endSessions(ids: [Int64], user: UserName?)

    case send(AdminSend)
    /// Sends every message, and the coming and going of sessions when wanted, as events until stopped.
    case follow(conversation: String?, withSessions: Bool)
    /// Ends a `follow` or a watch of the same connection, by its request id.
    case stopFollowing(Int64)

    case files(AdminFileRequest)
    case transfers(AdminTransferRequest)
    case profiles(AdminProfileRequest)
    case teams(AdminTeamRequest)
    case audit(AdminAuditRequest)
    case live(AdminLiveRequest)
    case talks(AdminTalkRequest)
    case people(AdminPeopleRequest)
    case words(AdminWordRequest)
    case filters(AdminFilterRequest)
    case kinds(AdminKindRequest)
    case hooks(AdminHookRequest)
    case settings(AdminSettingsRequest)
    case policy(AdminPolicyRequest)
    case notices(AdminNoticeRequest)
    case app(AdminAppRequest)
}

extension AdminRequest {
    /// The word of this request on the socket.
    package var word: String {
        switch self {
        case .status: "status"
        case .setupToken: "setup.token"
        case .managerToken: "wukong.token"
        case .addUser: "user.add"
        case .listUsers: "user.list"
        case .showUser: "user.show"
        case .issueToken: "user.token"
        case .revoke: "user.revoke"
        case .setDisabled: "user.disable"
        case .setSendBanned: "user.mute"
        case .setPassword: "user.password"
        case .setListed: "user.listed"
        case .setAllowlistOnly: "user.allowlist"
        case .importUsers: "user.import"
        case .createGroup: "group.create"
        case .addMembers: "group.add"
        case .removeMembers: "group.remove"
        case .setGroupBanned: "group.ban"
        case .setGroupMuted: "group.mute"
        case .setMemberMuted: "group.muteMember"
        case .setGroupNotice: "group.notice"
        case .listConversations: "conversation.list"
        case .showConversation: "conversation.show"
        case .listMessages: "conversation.messages"
        case .listSessions: "session.list"
        case .endSessions: "session.end"
        case .send: "send"
        case .follow: "follow"
        case .stopFollowing: "follow.stop"
        case .files(let request): request.word
        case .transfers(let request): request.word
        case .profiles(let request): request.word
        case .teams(let request): request.word
        case .audit(let request): request.word
        case .live(let request): request.word
        case .talks(let request): request.word
        case .people(let request): request.word
        case .words(let request): request.word
        case .filters(let request): request.word
        case .kinds(let request): request.word
        case .hooks(let request): request.word
        case .settings(let request): request.word
        case .policy(let request): request.word
        case .notices(let request): request.word
        case .app(let request): request.word
        }
    }

    /// The line, without its line feed.
    package func line(id: Int64, by who: AdminOperator = AdminOperator()) -> [UInt8] {
        FieldWriter.object { fields in
            fields.number("id", id)
            fields.text("ask", self.word)
            if !who.isPlain { fields.record("by", who) }
            fields.object("with", self.write)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .status, .setupToken, .managerToken: break
        case .addUser(let user): user.write(to: &fields)
        case .listUsers(let after), .listConversations(let after): fields.number("after", after)
        case .showUser(let name): fields.text("name", name.text)
        case .issueToken(let name, let device, let level):
            fields.text("name", name.text)
            fields.text("device", device.name)
            fields.text("level", Word.of(level))
        case .revoke(let name, let device):
            fields.text("name", name.text)
            fields.text("device", device?.name)
        case .setDisabled(let name, let isDisabled):
            fields.text("name", name.text)
            fields.flag("disabled", isDisabled)
        case .setPassword(let name, let password):
            fields.text("name", name.text)
            fields.text("password", password)
        case .setListed(let owner, let list, let other, let isListed):
            fields.text("name", owner.text)
            fields.text("list", Word.of(list))
            fields.text("other", other.text)
            fields.flag("listed", isListed)
        case .setSendBanned(let name, let isOn), .setAllowlistOnly(let name, let isOn):
            fields.text("name", name.text)
            fields.flag("on", isOn)
        case .importUsers(let rows, let classes):
            fields.records("users", rows)
            fields.texts("devices", classes.map(\.name))
        default: self.writeConversationRequest(to: &fields)
        }
    }

    private func writeConversationRequest(to fields: inout FieldWriter) {
        switch self {
        case .createGroup(let group): group.write(to: &fields)
        case .addMembers(let group, let members), .removeMembers(let group, let members):
            fields.text("group", group.text)
            fields.texts("members", members.map(\.text))
        case .setGroupBanned(let group, let isBanned):
            fields.text("group", group.text)
            fields.flag("banned", isBanned)
        case .setGroupMuted(let group, let isMuted):
            fields.text("group", group.text)
            fields.flag("on", isMuted)
        case .setMemberMuted(let group, let name, let isMuted, let minutes):
            fields.text("group", group.text)
            fields.text("name", name.text)
            fields.flag("on", isMuted)
            fields.number("minutes", minutes)
        case .setGroupNotice(let group, let text):
            fields.text("group", group.text)
            fields.text("text", text)
        case .showConversation(let conversation): fields.text("conversation", conversation)
        case .listMessages(let conversation, let before, let limit):
            fields.text("conversation", conversation)
            fields.number("before", before)
            fields.number("limit", limit)
        case .listSessions(let user, let after):
            fields.text("user", user?.text)
            fields.number("after", after)
        case .endSessions(let ids, let user):
            fields.numbers("ids", ids)
            fields.text("user", user?.text)
        case .send(let send): send.write(to: &fields)
        case .follow(let conversation, let withSessions):
            fields.text("conversation", conversation)
            fields.flag("sessions", withSessions)
        case .stopFollowing(let id): fields.number("follow", id)
        case .files(let request): request.write(to: &fields)
        case .transfers(let request): request.write(to: &fields)
        case .profiles(let request): request.write(to: &fields)
        case .teams(let request): request.write(to: &fields)
        case .audit(let request): request.write(to: &fields)
        case .talks(let request): request.write(to: &fields)
        case .people(let request): request.write(to: &fields)
        case .words(let request): request.write(to: &fields)
        case .filters(let request): request.write(to: &fields)
        case .kinds(let request): request.write(to: &fields)
        case .hooks(let request): request.write(to: &fields)
        case .settings(let request): request.write(to: &fields)
        case .policy(let request): request.write(to: &fields)
        case .notices(let request): request.write(to: &fields)
        case .app(let request): request.write(to: &fields)
        default: break
        }
    }
}

extension AdminRequest {
    /// Reads a line.
    ///
    /// - Throws: `protocolError` when it is no request, and the id is not known; what is wrong in a known request is
    ///   the result, so that it can be answered.
    package static func read(
        _ line: [UInt8]
    ) throws(AdminError) -> (id: Int64, by: AdminOperator, request: Result<AdminRequest, AdminError>) {
        let fields = try FieldReader(line: line)
        let id = try fields.number("id")
        do throws(AdminError) {
            let who = try fields.has("by") ? AdminOperator(fields.object("by")) : AdminOperator()
            return (id, who, .success(try Self.read(word: fields.text("ask"), fields.object("with"))))
        } catch {
            return (id, AdminOperator(), .failure(error))
        }
    }

    private static func read(word: String, _ with: FieldReader) throws(AdminError) -> AdminRequest {
        switch word {
        case "status": .status
        case "setup.token": .setupToken
        case "wukong.token": .managerToken
        case "user.add": .addUser(try AdminNewUser(with))
        case "user.list": .listUsers(after: try with.optionalNumber("after"))
        case "user.show": .showUser(try with.userName("name"))
        case "user.token":
            .issueToken(try with.userName("name"), try with.device("device"), try Word.level(with.text("level")))
        case "user.revoke": .revoke(try with.userName("name"), try with.optionalDevice("device"))
        case "user.disable": .setDisabled(try with.userName("name"), try with.flag("disabled"))
        case "user.password": .setPassword(try with.userName("name"), try with.text("password"))
        case "user.listed":
            .setListed(
                owner: try with.userName("name"), try Word.list(with.text("list")),
                other: try with.userName("other"), try with.flag("listed"))
        case "user.mute": .setSendBanned(try with.userName("name"), try with.flag("on"))
        case "user.allowlist": .setAllowlistOnly(try with.userName("name"), try with.flag("on"))
        case "user.import": .importUsers(try Self.importRows(with), try with.devices("devices"))
        default: try Self.readConversationRequest(word: word, with)
        }
    }

    private static func readConversationRequest(word: String, _ with: FieldReader) throws(AdminError) -> AdminRequest {
        switch word {
        case "group.create": .createGroup(try AdminNewGroup(with))
        case "group.add": .addMembers(try with.channelName("group"), try with.userNames("members"))
        case "group.remove": .removeMembers(try with.channelName("group"), try with.userNames("members"))
        case "group.ban": .setGroupBanned(try with.channelName("group"), try with.flag("banned"))
        case "group.mute": .setGroupMuted(try with.channelName("group"), try with.flag("on"))
        case "group.muteMember":
            .setMemberMuted(
                try with.channelName("group"), try with.userName("name"), try with.flag("on"),
                minutes: try with.optionalNumber("minutes"))
        case "group.notice": .setGroupNotice(try with.channelName("group"), try with.text("text"))
        case "conversation.list": .listConversations(after: try with.optionalNumber("after"))
        case "conversation.show": .showConversation(try with.text("conversation"))
        case "conversation.messages":
            .listMessages(
                conversation: try with.text("conversation"), before: try with.optionalNumber("before"),
                limit: try with.number("limit"))
        case "session.list":
            .listSessions(try with.optionalUserName("user"), after: try with.optionalNumber("after"))
        case "session.end": .endSessions(ids: try with.numbers("ids"), user: try with.optionalUserName("user"))
        case "send": .send(try AdminSend(with))
        case "follow":
            .follow(conversation: try with.optionalText("conversation"), withSessions: try with.flag("sessions"))
        case "follow.stop": .stopFollowing(try with.number("follow"))
        default: try Self.readFileRequest(word: word, with)
        }
    }

    private static func readFileRequest(word: String, _ with: FieldReader) throws(AdminError) -> AdminRequest {
        if let request = try AdminFileRequest(word: word, with) { return .files(request) }
        if let request = try AdminTransferRequest(word: word, with) { return .transfers(request) }
        if let request = try AdminProfileRequest(word: word, with) { return .profiles(request) }
        if let request = try AdminTeamRequest(word: word, with) { return .teams(request) }
        if let request = try AdminAuditRequest(word: word, with) { return .audit(request) }
        if let request = AdminLiveRequest(word: word) { return .live(request) }
        if let request = try AdminTalkRequest(word: word, with) { return .talks(request) }
        if let request = try AdminPeopleRequest(word: word, with) { return .people(request) }
        if let request = try AdminWordRequest(word: word, with) { return .words(request) }
        if let request = try AdminFilterRequest(word: word, with) { return .filters(request) }
        if let request = try AdminKindRequest(word: word, with) { return .kinds(request) }
        if let request = try AdminHookRequest(word: word, with) { return .hooks(request) }
        if let request = try AdminSettingsRequest(word: word, with) { return .settings(request) }
        if let request = try AdminPolicyRequest(word: word, with) { return .policy(request) }
        if let request = try AdminNoticeRequest(word: word, with) { return .notices(request) }
        if let request = try AdminAppRequest(word: word, with) { return .app(request) }
        throw AdminError(.invalid, "this server does not know the request \(word)")
    }

    private static func importRows(_ with: FieldReader) throws(AdminError) -> [AdminImportRow] {
        let rows: [AdminImportRow] = try with.records("users")
        guard rows.count <= AdminProtocol.importRows else {
            throw AdminError(.invalid, "an import request has at most \(AdminProtocol.importRows) people")
        }
        return rows
    }
}
