import ChatModel
import Testing

@Suite("Who may do what in a group")
struct GroupRulesTests {
    /// What a member, a manager and the owner are told, in this order.
    struct Row: CustomTestStringConvertible {
        let action: GroupAction
        let answers: [ActionRefusal?]

        var testDescription: String { "\(self.action)" }
    }

    static let rows = [
        Row(action: .changeInfo, answers: [.notManager, nil, nil]),
        Row(action: .invite, answers: [nil, nil, nil]),
        Row(action: .remove(.member), answers: [.notManager, nil, nil]),
        Row(action: .remove(.manager), answers: [.notManager, .notOwner, nil]),
        Row(action: .remove(.owner), answers: [.notManager, .notOwner, .notOwner]),
        Row(action: .leave, answers: [nil, nil, nil]),
        Row(action: .removeEveryone, answers: [.notOwner, .notOwner, nil]),
        Row(action: .transferOwnership, answers: [.notOwner, .notOwner, nil]),
        Row(action: .changeRoles, answers: [.notOwner, .notOwner, nil]),
        Row(action: .mute(.member), answers: [.notManager, nil, nil]),
        Row(action: .mute(.manager), answers: [.notManager, .notOwner, nil]),
        Row(action: .mute(.owner), answers: [.notManager, .notOwner, .notOwner]),
        Row(action: .rename(nil), answers: [nil, nil, nil]),
        Row(action: .rename(.some(.member)), answers: [.notManager, nil, nil]),
        Row(action: .rename(.some(.owner)), answers: [.notManager, .notOwner, .notOwner]),
        Row(action: .disband, answers: [.notOwner, .notOwner, nil]),
    ]

    @Test("a manager acts on members, the owner on managers too", arguments: Self.rows)
    func roles(_ row: Row) {
        let answers = [MemberRole.member, .manager, .owner].map { groupRefusal(row.action, GroupFacts(role: $0)) }
        #expect(answers == row.answers)
        #expect(groupRefusal(row.action, GroupFacts(role: nil)) == .notMember)
        #expect(groupRefusal(row.action, GroupFacts(authority: .application, role: nil)) == nil)
    }

    @Test("of a disbanded group one can only leave", arguments: Self.rows)
    func disbanded(_ row: Row) {
        let refusal = groupRefusal(row.action, GroupFacts(flags: .disbanded, role: .owner))
        #expect(refusal == (row.action == .leave ? nil : .disbanded))
        #expect(groupRefusal(row.action, GroupFacts(authority: .operator, flags: .disbanded, role: nil)) == nil)
    }

    @Test("where invitations need consent, managers invite")
    func consent() {
        let answers = [MemberRole.member, .manager, .owner].map {
            groupRefusal(.invite, GroupFacts(flags: .invitationsNeedConsent, role: $0))
        }
        #expect(answers == [.notManager, nil, nil])
    }

    @Test("nothing of this is done to a direct conversation, and a room has nobody to act on", arguments: Self.rows)
    func kinds(_ row: Row) {
        for authority in [Authority.user, .application] {
            let direct = GroupFacts(authority: authority, kind: .direct, role: .owner)
            #expect(groupRefusal(row.action, direct) == .notApplicable)
        }
        let room = groupRefusal(row.action, GroupFacts(authority: .application, kind: .room, role: nil))
        #expect(room == (row.action == .changeInfo || row.action == .disband ? nil : .notApplicable))
    }

    @Test("the first manager follows the owner, or else who came first")
    func succession() {
        let (a, b, c) = (UserID(rawValue: 1), UserID(rawValue: 2), UserID(rawValue: 3))
        #expect(successor(of: a, among: [(a, .owner), (b, .member), (c, .manager)]) == c)
        #expect(successor(of: a, among: [(a, .owner), (c, .member), (b, .member)]) == c)
        #expect(successor(of: a, among: [(a, .owner)]) == nil)
    }
}
