import ChatModel
import Testing

/// The rules, written out by hand, apart from the code. Source: NetEase IM, normal and advanced teams.
///
/// The four letters of a row are what somebody outside, a member, a manager and the owner are told.
struct TeamRuleRow: Sendable {
    let action: TeamAction
    let form: TeamForm
    let answers: String
    /// The settings that the row is for; the others do not matter.
    let when: @Sendable (TeamFacts) -> Bool

    init(
        _ action: TeamAction, _ form: TeamForm, _ answers: String,
        when: @escaping @Sendable (TeamFacts) -> Bool = { _ in true }
    ) {
        self.action = action
        self.form = form
        self.answers = answers
        self.when = when
    }

    func answer(_ role: MemberRole?) -> TeamRefusal? {
        let column = role.map { Int($0.rawValue) + 1 } ?? 0
        let letter = Array(self.answers)[column]
        return letter == "y" ? nil : Self.meaning[letter]!
    }

    static let meaning: [Character: TeamRefusal] = [
        "x": .notMember, "m": .role(needs: .manager), "o": .role(needs: .owner), "b": .outranked, "f": .form,
        "i": .inviteMode, "j": .joinMode, "u": .updateInfoMode, "a": .updateAttributesMode, "T": .ownerMustTransfer,
        "A": .alreadyMember, "p": .operatorOnly, "r": .ownerRole,
    ]

    // swift-format-ignore
    static let table: [TeamRuleRow] = [
        // Everybody adds and edits the card of a normal team; the owner alone removes; there is nothing else.
        TeamRuleRow(.updateInfo, .normal, "xyyy"),
        TeamRuleRow(.updateAttributes, .normal, "xyyy"),
        TeamRuleRow(.invite, .normal, "xyyy"),
        TeamRuleRow(.acceptInvitation, .normal, "yAAA"),
        TeamRuleRow(.remove(.member), .normal, "xooy"),
        TeamRuleRow(.remove(.manager), .normal, "xooy"),
        TeamRuleRow(.remove(.owner), .normal, "xoob"),
        TeamRuleRow(.removeEveryone, .normal, "xooy"),
        TeamRuleRow(.leave, .normal, "xyyy"),
        TeamRuleRow(.transferOwnership, .normal, "xooy"),
        TeamRuleRow(.changeLists, .normal, "xmyy"),
        TeamRuleRow(.setIntroduction, .normal, "ffff"),
        TeamRuleRow(.announce, .normal, "ffff"),
        TeamRuleRow(.setMode(.join), .normal, "ffff"),
        TeamRuleRow(.setMode(.invite), .normal, "ffff"),
        TeamRuleRow(.setMode(.beInvited), .normal, "ffff"),
        TeamRuleRow(.setMode(.updateInfo), .normal, "ffff"),
        TeamRuleRow(.setMode(.updateAttributes), .normal, "ffff"),
        TeamRuleRow(.setMode(.ownerLeaving), .normal, "ffff"),
        TeamRuleRow(.setMode(.mute), .normal, "xfff"),
        TeamRuleRow(.setMemberLimit, .normal, "xppp"),
        TeamRuleRow(.join, .normal, "ffff"),
        TeamRuleRow(.apply, .normal, "ffff"),
        TeamRuleRow(.answerApplication, .normal, "ffff"),
        TeamRuleRow(.changeRole(.member), .normal, "ffff"),
        TeamRuleRow(.changeRole(.manager), .normal, "ffff"),
        TeamRuleRow(.changeRole(.owner), .normal, "ffff"),
        TeamRuleRow(.mute(.member), .normal, "xfff"),
        TeamRuleRow(.mute(.manager), .normal, "xfff"),
        TeamRuleRow(.mute(.owner), .normal, "xfff"),
        TeamRuleRow(.rename(nil), .normal, "xfff"),
        TeamRuleRow(.rename(.some(.member)), .normal, "xfff"),
        TeamRuleRow(.rename(.some(.manager)), .normal, "xfff"),
        TeamRuleRow(.rename(.some(.owner)), .normal, "xfff"),
        TeamRuleRow(.dismiss, .normal, "xfff"),

        TeamRuleRow(.updateInfo, .advanced, "xuyy") { $0.settings.updateInfo == .managers },
        TeamRuleRow(.updateInfo, .advanced, "xyyy") { $0.settings.updateInfo == .everyone },
        TeamRuleRow(.setIntroduction, .advanced, "xuyy") { $0.settings.updateInfo == .managers },
        TeamRuleRow(.setIntroduction, .advanced, "xyyy") { $0.settings.updateInfo == .everyone },
        TeamRuleRow(.updateAttributes, .advanced, "xayy") { $0.settings.updateAttributes == .managers },
        TeamRuleRow(.updateAttributes, .advanced, "xyyy") { $0.settings.updateAttributes == .everyone },
        TeamRuleRow(.announce, .advanced, "xmyy"),
        TeamRuleRow(.changeLists, .advanced, "xmyy"),
        TeamRuleRow(.setMode(.join), .advanced, "xmyy"),
        TeamRuleRow(.setMode(.invite), .advanced, "xmyy"),
        TeamRuleRow(.setMode(.beInvited), .advanced, "xmyy"),
        TeamRuleRow(.setMode(.updateInfo), .advanced, "xmyy"),
        TeamRuleRow(.setMode(.updateAttributes), .advanced, "xmyy"),
        TeamRuleRow(.setMode(.mute), .advanced, "xmyy"),
        TeamRuleRow(.setMode(.ownerLeaving), .advanced, "xmyy"),
        TeamRuleRow(.setMemberLimit, .advanced, "xppp"),
        TeamRuleRow(.invite, .advanced, "xiyy") { $0.flags.inviteMode == .managers },
        TeamRuleRow(.invite, .advanced, "xyyy") { $0.flags.inviteMode == .everyone },
        TeamRuleRow(.acceptInvitation, .advanced, "yAAA"),
        TeamRuleRow(.join, .advanced, "yAAA") { $0.settings.join == .open },
        TeamRuleRow(.join, .advanced, "jAAA") { $0.settings.join == .approval },
        TeamRuleRow(.join, .advanced, "jAAA") { $0.settings.join == .closed },
        TeamRuleRow(.apply, .advanced, "yAAA") { $0.settings.join == .open },
        TeamRuleRow(.apply, .advanced, "yAAA") { $0.settings.join == .approval },
        TeamRuleRow(.apply, .advanced, "jAAA") { $0.settings.join == .closed },
        TeamRuleRow(.answerApplication, .advanced, "xmyy"),
        TeamRuleRow(.remove(.member), .advanced, "xmyy"),
        TeamRuleRow(.remove(.manager), .advanced, "xmby"),
        TeamRuleRow(.remove(.owner), .advanced, "xmbb"),
        TeamRuleRow(.removeEveryone, .advanced, "xooy"),
        TeamRuleRow(.leave, .advanced, "xyyT") { $0.settings.ownerLeaving == .transferFirst },
        TeamRuleRow(.leave, .advanced, "xyyy") { $0.settings.ownerLeaving == .successor },
        TeamRuleRow(.transferOwnership, .advanced, "xooy"),
        TeamRuleRow(.changeRole(.member), .advanced, "xooy"),
        TeamRuleRow(.changeRole(.manager), .advanced, "xooy"),
        TeamRuleRow(.changeRole(.owner), .advanced, "rrrr"),
        TeamRuleRow(.mute(.member), .advanced, "xmyy"),
        TeamRuleRow(.mute(.manager), .advanced, "xmby"),
        TeamRuleRow(.mute(.owner), .advanced, "xmbb"),
        TeamRuleRow(.rename(nil), .advanced, "xyyy"),
        TeamRuleRow(.rename(.some(.member)), .advanced, "xmyy"),
        TeamRuleRow(.rename(.some(.manager)), .advanced, "xmby"),
        TeamRuleRow(.rename(.some(.owner)), .advanced, "xmbb"),
        TeamRuleRow(.dismiss, .advanced, "xooy"),
    ]

    static let actions: [TeamAction] = {
        var seen: Set<TeamAction> = []
        return Self.table.map(\.action).filter { seen.insert($0).inserted }
    }()

    /// A team of every combination of modes.
    static var everySetting: [TeamFacts] {
        var all: [TeamFacts] = []
        for form in TeamForm.allCases {
            for join in TeamJoinMode.allCases {
                for beInvited in TeamBeInvitedMode.allCases {
                    for updateInfo in TeamUpdateMode.allCases {
                        for updateAttributes in TeamUpdateMode.allCases {
                            for ownerLeaving in TeamOwnerLeaving.allCases {
                                let settings = TeamSettings(
                                    form: form, join: join, beInvited: beInvited, updateInfo: updateInfo,
                                    updateAttributes: updateAttributes, ownerLeaving: ownerLeaving)
                                all += Self.everyFlag.map { TeamFacts(flags: $0, settings: settings, role: nil) }
                            }
                        }
                    }
                }
            }
        }
        return all
    }

    private static var everyFlag: [ConversationFlags] {
        TeamInviteMode.allCases.flatMap { invite in
            TeamMuteMode.allCases.map { mute in
                var flags = ConversationFlags()
                flags.inviteMode = invite
                flags.muteMode = mute
                return flags
            }
        }
    }
}

@Suite("Who may do what in a team")
struct TeamRulesTests {
    @Test("form, every mode, role and target decide as the table says, and one row says it")
    func table() {
        let roles: [MemberRole?] = [nil, .member, .manager, .owner]
        let rows = Dictionary(grouping: TeamRuleRow.table, by: \.action)
        var wrong: [String] = []
        for team in TeamRuleRow.everySetting {
            for action in TeamRuleRow.actions {
                let fitting = rows[action]!.filter { $0.form == team.settings.form && $0.when(team) }
                guard fitting.count == 1 else {
                    wrong.append("\(fitting.count) rows for \(action) in \(team.settings)")
                    continue
                }
                for role in roles {
                    var facts = team
                    facts.role = role
                    let (due, said) = (fitting[0].answer(role), teamRefusal(action, facts))
                    if due != said { wrong.append("\(action) by \(role as Any) in \(team): \(said as Any)") }
                }
            }
        }
        #expect(wrong.prefix(5) == [])
        #expect(TeamRuleRow.everySetting.count == 576)
    }

    @Test("the mode that says no is changed, and the same person may")
    func reasons() {
        var facts = TeamFacts(flags: .invitationsNeedConsent, settings: .advanced, role: .member)
        #expect(teamRefusal(.invite, facts) == .inviteMode)
        facts.flags.inviteMode = .everyone
        #expect(teamRefusal(.invite, facts) == nil)
        #expect(teamRefusal(.updateInfo, facts) == .updateInfoMode)
        facts.settings.updateInfo = .everyone
        #expect(teamRefusal(.updateInfo, facts) == nil)
    }

    @Test("the operator and apps' servers do what the team has at all")
    func privileged() {
        let missing: Set<Character> = ["f", "r"]
        for authority in [Authority.application, .operator] {
            for row in TeamRuleRow.table {
                let settings: TeamSettings = row.form == .normal ? .normal : .advanced
                let facts = TeamFacts(authority: authority, settings: settings, role: nil)
                let isMissing = missing.contains(row.answers.first!)
                #expect((teamRefusal(row.action, facts) != nil) == isMissing, "\(row.action)")
            }
        }
    }

    @Test("of a dismissed team one can only leave, its owner too", arguments: TeamRuleRow.actions)
    func dismissed(_ action: TeamAction) {
        let inside = TeamFacts(flags: .disbanded, settings: .advanced, role: .owner)
        switch action {
        case .leave: #expect(teamRefusal(action, inside) == nil)
        case .join, .apply, .acceptInvitation:
            let outside = TeamFacts(flags: .disbanded, settings: .advanced, role: nil)
            #expect(teamRefusal(action, outside) == .disbanded)
        case .changeRole(.owner): #expect(teamRefusal(action, inside) == .ownerRole)
        default: #expect(teamRefusal(action, inside) == .disbanded)
        }
    }

    @Test("nobody comes into a full team, by whose right it may be")
    func full() {
        for authority in [Authority.user, .application, .operator] {
            var facts = TeamFacts(
                authority: authority, settings: .advanced, role: .owner, memberCount: 3, limit: 5, newcomers: 2)
            #expect(teamRefusal(.invite, facts) == nil)
            facts.newcomers = 3
            #expect(teamRefusal(.invite, facts) == .full(limit: 5))
        }
        let facts = TeamFacts(settings: .advanced, role: nil, memberCount: 5, limit: 5)
        #expect(teamRefusal(.join, facts) == .full(limit: 5))
        #expect(teamRefusal(.acceptInvitation, facts) == .full(limit: 5))
        // Asking is free: somebody may leave until the answer comes.
        #expect(teamRefusal(.apply, facts) == nil)
    }

    @Test("groups of apps keep their rules: everybody invites without asking, nobody joins, a successor follows")
    func groupsOfApps() {
        let answers = { (action: TeamAction) in
            [MemberRole.member, .manager, .owner].map { teamRefusal(action, TeamFacts(role: $0))?.action }
        }
        #expect(answers(.invite) == [nil, nil, nil])
        #expect(answers(.updateInfo) == [.notManager, nil, nil])
        #expect(answers(.announce) == [.notManager, nil, nil])
        #expect(answers(.remove(.member)) == [.notManager, nil, nil])
        #expect(answers(.remove(.manager)) == [.notManager, .notOwner, nil])
        #expect(answers(.remove(.owner)) == [.notManager, .notOwner, .notOwner])
        #expect(answers(.leave) == [nil, nil, nil])
        #expect(answers(.dismiss) == [.notOwner, .notOwner, nil])
        #expect(teamRefusal(.apply, TeamFacts(role: nil))?.action == .joiningClosed)
        #expect(TeamSettings.open.beInvited == .none)
    }

    @Test("nothing of this is done to a direct conversation, and a room has nobody to act on")
    func kinds() {
        let inRooms: Set<TeamAction> = [
            .updateInfo, .updateAttributes, .announce, .changeLists, .setMode(.invite), .setMode(.mute), .dismiss,
        ]
        for action in TeamRuleRow.actions {
            for authority in [Authority.user, .application] {
                #expect(teamRefusal(action, TeamFacts(authority: authority, kind: .direct, role: .owner)) == .kind)
            }
            let room = teamRefusal(action, TeamFacts(authority: .application, kind: .room, role: nil))
            #expect(room == (inRooms.contains(action) ? nil : .kind))
        }
        #expect(teamRefusal(.setIntroduction, TeamFacts(authority: .operator, kind: .community, role: nil)) == .kind)
        #expect(teamRefusal(.invite, TeamFacts(kind: .community, role: .member)) == nil)
    }

    @Test("a switch is stored once, whatever it was before")
    func flags() {
        var flags: ConversationFlags = [.banned]
        for mode in TeamMuteMode.allCases + TeamMuteMode.allCases.reversed() {
            flags.muteMode = mode
            #expect(flags.muteMode == mode)
            #expect(!flags.isSuperset(of: [.membersMuted, .everyoneMuted]))
        }
        #expect(flags == .banned)
    }

    @Test("the first manager follows the owner, or else who came first")
    func succession() {
        let (a, b, c) = (UserID(rawValue: 1), UserID(rawValue: 2), UserID(rawValue: 3))
        #expect(successor(of: a, among: [(a, .owner), (b, .member), (c, .manager)]) == c)
        #expect(successor(of: a, among: [(a, .owner), (c, .member), (b, .member)]) == c)
        #expect(successor(of: a, among: [(a, .owner)]) == nil)
    }
}
