import ChatModel
import Testing

/// Rows that each role sees, written out by hand: `name` for a row that shows something, `name+` for one that can be used,
/// `name-` and the reason for one that cannot. Lines are sections. Source: NIMKit's team cards.
@Suite("The card of a team")
struct TeamCardTests {
    static func team(_ settings: TeamSettings, _ flags: ConversationFlags = .invitationsNeedConsent) -> Team {
        let conversation = Conversation(
            id: ConversationID(rawValue: 1), kind: .group, channel: ChannelName("verona"), title: "Verona",
            flags: flags, creator: .system, memberCount: 3, head: 0, headCountable: 0, revision: 0,
            createdAtMilliseconds: 0, activeAtMilliseconds: 0)
        return Team(
            conversation: conversation, card: ConversationCard(conversation: conversation.id, title: "Verona"),
            settings: settings, limit: 200)
    }

    static func viewer(_ role: MemberRole?) -> TeamViewer { TeamViewer(user: UserID(rawValue: 7), role: role) }

    private static func word(_ refusal: TeamRefusal) -> String {
        if case .role(let needed) = refusal { return "role(needs: \(needed))" }
        return "\(refusal)"
    }

    static func shown(_ rows: [TeamCardRow]) -> [String] {
        Dictionary(grouping: rows, by: \.section).sorted { $0.key < $1.key }.map { _, rows in
            rows.map { row in
                if let refusal = row.refusal { return "\(row.name.rawValue)-\(Self.word(refusal))" }
                return row.name.rawValue + (row.isEditable ? "+" : "")
            }.joined(separator: " ")
        }
    }

    @Test("of a discussion group: everybody adds and names it, the owner removes, everybody leaves")
    func normal() {
        let team = Self.team(.normal)
        let owner = Self.shown(TeamCard.rows(team, Self.viewer(.owner)))
        #expect(owner == ["members+ invite+ remove+", "name+ alerts+ pinned+", "leave+"])
        let member = Self.shown(TeamCard.rows(team, Self.viewer(.member)))
        #expect(member == ["members+ invite+", "name+ alerts+ pinned+", "leave+"])
        #expect(TeamCard.rows(team, Self.viewer(.member)).first { $0.name == .name }?.value == .text("Verona"))
    }

    static let byRole: [(MemberRole, [String])] = [
        (
            .owner,
            [
                "header+ transfer+ transferAndLeave+", "members+ invite+",
                "kind name+ nickname+ introduction+ announcement+ mute+ mutedList+ alerts+ pinned+", "joinMode+",
                "inviteMode+ updateInfoMode+ beInvitedMode+", "dismiss+",
            ]
        ),
        (
            .manager,
            [
                "header+", "members+ invite+",
                "kind name+ nickname+ introduction+ announcement+ mute+ mutedList+ alerts+ pinned+", "joinMode+",
                "inviteMode+ updateInfoMode+ beInvitedMode+", "leave+",
            ]
        ),
        (
            .member,
            [
                "header-updateInfoMode", "members+",
                "kind name-updateInfoMode nickname+ introduction-updateInfoMode announcement+ "
                    + "mute-role(needs: manager) alerts+ pinned+",
                "leave+",
            ]
        ),
    ]

    @Test("of an advanced team, by role", arguments: Self.byRole)
    func advanced(_ role: MemberRole, _ due: [String]) {
        let shown = Self.shown(TeamCard.rows(Self.team(.advanced), Self.viewer(role)))
        #expect(shown == due)
    }

    @Test("a mode that opens something to everybody opens the rows of members")
    func modes() {
        var settings = TeamSettings.advanced
        settings.updateInfo = .everyone
        let rows = TeamCard.rows(Self.team(settings, []), Self.viewer(.member))
        for name in [TeamCardRow.Name.header, .name, .introduction, .invite] {
            #expect(rows.first { $0.name == name }?.isEditable == true, "\(name)")
        }
        #expect(rows.first { $0.name == .mute }?.isEditable == false)
        #expect(!rows.contains { $0.name == .joinMode || $0.name == .mutedList })
    }

    @Test("the operator sees what the owner sees and nothing personal; a stranger looks from outside")
    func outsiders() {
        let rows = TeamCard.rows(Self.team(.advanced), .operator)
        let personal: Set<TeamCardRow.Name> = [.nickname, .alerts, .pinned, .leave, .transferAndLeave]
        #expect(!rows.contains { personal.contains($0.name) || $0.refusal != nil })
        #expect(rows.contains { $0.name == .dismiss } && rows.contains { $0.name == .joinMode })
        let outside = TeamCard.rows(Self.team(.advanced), Self.viewer(nil))
        #expect(!outside.contains { $0.isEditable })
        #expect(outside.contains { $0.name == .members && $0.refusal == .notMember })
    }

    @Test("rows can be left out, and in a dismissed team everything but leaving says why not")
    func hidden() {
        let hidden: Set<TeamCardRow.Name> = [.alerts, .dismiss]
        let rows = TeamCard.rows(Self.team(.advanced), Self.viewer(.owner), hiding: hidden)
        #expect(!rows.contains { hidden.contains($0.name) } && rows.contains { $0.name == .pinned })
        let over = TeamCard.rows(Self.team(.advanced, .disbanded), Self.viewer(.manager))
        #expect(over.first { $0.name == .leave }?.isEditable == true)
        for name in [TeamCardRow.Name.header, .name, .mute, .joinMode] {
            #expect(over.first { $0.name == name }?.refusal == .disbanded, "\(name)")
        }
        #expect(!over.contains { $0.name == .invite })
    }

    static func member(_ role: MemberRole, user: Int64 = 9) -> TeamCardMember {
        TeamCardMember(user: UserID(rawValue: user), displayName: "Juliet", role: role)
    }

    @Test("of a member: who ranks higher mutes, removes and renames, the owner alone changes the role")
    func members() {
        let team = Self.team(.advanced)
        func shown(_ viewer: MemberRole, _ member: MemberRole) -> [String] {
            Self.shown(TeamCard.memberRows(team, Self.viewer(viewer), of: Self.member(member)))
        }
        let all = ["memberHeader", "memberNickname+ memberRole+ memberInviter", "memberMute+", "memberRemove+"]
        #expect(shown(.owner, .member) == all && shown(.owner, .manager) == all)
        let byManager = TeamCard.memberRows(team, Self.viewer(.manager), of: Self.member(.member))
        #expect(byManager.first { $0.name == .memberRole }?.refusal == .role(needs: .owner))
        #expect(byManager.contains { $0.name == .memberMute } && byManager.contains { $0.name == .memberRemove })
        for target in [MemberRole.manager, .owner] {
            let rows = TeamCard.memberRows(team, Self.viewer(.manager), of: Self.member(target))
            #expect(!rows.contains { $0.name == .memberMute || $0.name == .memberRemove || $0.isEditable })
        }
        let byMember = TeamCard.memberRows(team, Self.viewer(.member), of: Self.member(.member))
        #expect(!byMember.contains { $0.isEditable })
        let own = TeamCard.memberRows(team, Self.viewer(.manager), of: Self.member(.manager, user: 7))
        #expect(Self.shown(own).count == 2 && own.first { $0.name == .memberNickname }?.isEditable == true)
    }

    @Test("of a member of a discussion group only the owner does anything, and that is removing")
    func normalMembers() {
        let team = Self.team(.normal)
        let rows = TeamCard.memberRows(team, Self.viewer(.owner), of: Self.member(.member))
        #expect(Self.shown(rows) == ["memberHeader", "memberRole", "memberRemove+"])
        let byMember = TeamCard.memberRows(team, Self.viewer(.member), of: Self.member(.member))
        #expect(Self.shown(byMember) == ["memberHeader", "memberRole"])
    }
}
