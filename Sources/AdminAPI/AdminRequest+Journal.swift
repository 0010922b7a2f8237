/// What the log keeps of a request. Passwords and message texts are no part of it.
extension AdminRequest {
    /// Whether it asks for a change.
    package var isChange: Bool {
        switch self {
        case .status, .setupToken, .managerToken, .listUsers, .showUser, .listConversations, .showConversation,
            .listMessages, .listSessions, .follow, .stopFollowing:
            false
        case .addUser, .issueToken, .revoke, .setDisabled, .setSendBanned, .setPassword, .setListed,
            .setAllowlistOnly, .importUsers, .createGroup, .addMembers, .removeMembers, .setGroupBanned, .setGroupMuted,
            .setMemberMuted, .setGroupNotice, .endSessions, .send:
            true
        case .files(let request): request.isChange
        case .transfers(let request): request.isChange
        case .profiles(let request): request.isChange
        case .teams(let request): request.isChange
        case .audit, .live: false
        case .talks(let request): request.isChange
        case .people(let request): request.isChange
        case .words(let request): request.isChange
        case .filters(let request): request.isChange
        case .kinds(let request): request.isChange
        case .hooks(let request): request.isChange
        case .settings(let request): request.isChange
        case .policy(let request): request.isChange
        case .notices(let request): request.isChange
        case .app(let request): request.isChange
        }
    }

    /// Whether the log and the audit log keep it: changes, reading with another's eyes, and looking at keys.
    package var isNoted: Bool {
        switch self {
        case .talks(let request): request.isNoted
        case .app(let request): request.isNoted
        default: self.isChange
        }
    }

    /// What was asked for, as a JSON object for the audit log: without passwords and without the words of messages.
    package var asked: String {
        let json = self.withoutSecrets.object
        guard json.count > Self.maximumAskedBytes else { return String(decoding: json, as: UTF8.self) }
        let short = LineWriter.object { $0.field("bytes", Int64(json.count)) }
        return String(decoding: short, as: UTF8.self)
    }

    /// Of a longer request the audit log keeps how long it was.
    private static let maximumAskedBytes = 64 * 1024

    private var withoutSecrets: AdminRequest {
        switch self {
        case .addUser(var user):
            if user.password != nil { user.password = "(set)" }
            return .addUser(user)
        case .setPassword(let name, _): return .setPassword(name, "(changed)")
        case .send(var send):
            send.text = "(\(send.text.utf8.count) bytes)"
            return .send(send)
        case .notices(.send(var notice)):
            // They are kept with the announcement.
            notice.text = "(\(notice.text.utf8.count) bytes)"
            return .notices(.send(notice))
        case .app(let request): return .app(request.withoutSecrets)
        case .people(let request): return .people(request.withoutSecrets)
        default: return self
        }
    }

    /// The person or group that is changed; `nil` when it is not one alone.
    package var subject: String? {
        switch self {
        case .addUser(let user): user.name.text
        case .issueToken(let name, _, _), .revoke(let name, _), .setDisabled(let name, _), .setSendBanned(let name, _),
            .setPassword(let name, _), .setListed(let name, _, _, _), .setAllowlistOnly(let name, _):
            name.text
        case .createGroup(let group): group.name.text
        case .addMembers(let group, _), .removeMembers(let group, _), .setGroupBanned(let group, _),
            .setGroupMuted(let group, _), .setMemberMuted(let group, _, _, _), .setGroupNotice(let group, _):
            group.text
        case .endSessions(_, let user): user?.text
        case .send(let send): send.from.text
        case .files(let request): request.subject
        case .transfers(let request): request.subject
        case .profiles(let request): request.subject
        case .teams(let request): request.subject
        case .talks(let request): request.subject
        case .people(let request): request.subject
        case .words(let request): request.subject
        case .filters(let request): request.subject
        case .kinds(let request): request.subject
        case .hooks(let request): request.subject
        case .settings(let request): request.subject
        case .notices(let request): request.subject
        case .app(let request): request.subject
        default: nil
        }
    }
}
