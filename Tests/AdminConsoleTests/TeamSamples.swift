import AdminAPI
import ChatModel

/// A server with one team, whose card is made by the rules of the server.
final class TeamServer {
    static let name = ChannelName("tea")!
    static let ids = ["ming": UserID(rawValue: 2), "lan": UserID(rawValue: 3), "zoe": UserID(rawValue: 4)]

    var team: Team
    var roles: [(name: String, role: MemberRole)] = [("ming", .owner), ("lan", .manager), ("zoe", .member)]
    var isMuted = false

    init(_ settings: TeamSettings = .advanced) {
        let conversation = Conversation(
            id: ConversationID(rawValue: 1), kind: .group, channel: Self.name, title: "茶馆", creator: .system,
            memberCount: 3, head: 12, headCountable: 12, revision: 1, createdAtMilliseconds: ConsoleDriver.now - 60_000,
            activeAtMilliseconds: ConsoleDriver.now - 1_000)
        self.team = Team(
            conversation: conversation, card: ConversationCard(conversation: conversation.id, title: "茶馆"),
            settings: settings, introduction: "喝茶聊天", owner: Self.ids["ming"], limit: 200)
    }

    var members: [AdminMember] {
        self.roles.map { name, role in
            var member = Member(
                user: Self.ids[name]!, name: UserName(name)!, role: role, readSequence: 12, readCountable: 12,
                ownCountableSinceRead: 0, joinedSequence: 0)
            if self.isMuted && role == .member { member.mutedUntilMilliseconds = ConsoleDriver.now + 600_000 }
            return AdminMember(member, headCountable: 12)
        }
    }

    var shown: AdminTeam {
        AdminTeam(
            self.team, conversation: AdminConversation(self.team.conversation, name: "tea"), owner: UserName("ming"),
            members: self.members, waitingRequests: 2)
    }

    static let announcement = AdminAnnouncement(
        TeamAnnouncement(
            number: 5, title: "茶会", body: "今晚八点喝茶", author: .system, authorName: UserName("ming")!,
            createdAtMilliseconds: ConsoleDriver.now))

    private func viewer(_ name: UserName?) -> TeamViewer {
        guard let name else { return .operator }
        let role = self.roles.first { $0.name == name.text }?.role
        return TeamViewer(user: Self.ids[name.text] ?? UserID(rawValue: 9), role: role)
    }

    private func card(_ query: AdminCardQuery) -> Result<AdminAnswer, AdminError> {
        let (viewer, hidden) = (self.viewer(query.viewer), Set(query.hidden))
        guard let name = query.member else {
            let rows = TeamCard.rows(self.team, viewer, hiding: hidden)
            return .success(.teams(.card(rows.map { AdminCardRow($0) })))
        }
        guard let role = self.roles.first(where: { $0.name == name.text })?.role else {
            return .failure(AdminError(.notFound, "there is no \(name) in the team"))
        }
        let member = TeamCardMember(
            user: Self.ids[name.text]!, displayName: name.text, role: role, nickname: "老\(name.text)",
            inviter: UserName("ming"), isMuted: self.isMuted && role == .member)
        let rows = TeamCard.memberRows(self.team, viewer, of: member, hiding: hidden)
        return .success(.teams(.card(rows.map { AdminCardRow($0) })))
    }

    func answer(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .listConversations:
            return .success(.conversations([self.shown.conversation], next: nil))
        case .showConversation:
            return .success(
                .conversation(AdminConversationDetail(conversation: self.shown.conversation, members: self.members)))
        case .teams(.show): return .success(.teams(.team(self.shown)))
        case .teams(.card(let query)): return self.card(query)
        case .teams(.announcements): return .success(.teams(.announcements([Self.announcement])))
        case .teams(.requests(let query)): return .success(.teams(.requests(Self.requests(query), next: nil)))
        case .teams(.invite(_, let names, _, _)):
            return .success(.teams(.invited(AdminTeamInvited(added: names, asked: [], refused: []))))
        case .teams(.create): return .success(.teams(.team(self.shown)))
        case .teams(.answer(let number, _, _)), .teams(.withdraw(let number)):
            return .success(.teams(.request(Self.request(number, .accepted))))
        case .teams: return .success(.count(1))
        default: return Samples.answer(request)
        }
    }

    // MARK: Requests

    static func request(_ number: Int64, _ state: TeamRequestState) -> AdminJoinRequest {
        let isInvitation = number == 8
        var request = TeamRequest(
            number: number, kind: isInvitation ? .invite : .apply, team: ConversationID(rawValue: 1),
            teamName: Self.name,
            person: UserID(rawValue: 5), personName: UserName("anna")!, inviter: isInvitation ? Self.ids["ming"] : nil,
            inviterName: isInvitation ? UserName("ming") : nil, postscript: "我也爱喝茶", state: state,
            createdAtMilliseconds: ConsoleDriver.now - 90_000)
        if state != .waiting {
            request.reason = "满了"
            request.answeredAtMilliseconds = ConsoleDriver.now - 1_000
        }
        return AdminJoinRequest(request)
    }

    private static func requests(_ query: AdminJoinQuery) -> [AdminJoinRequest] {
        let all = [Self.request(9, .waiting), Self.request(8, .waiting), Self.request(7, .refused)]
        return all.filter { !query.onlyWaiting || $0.state == .waiting }
    }
}
