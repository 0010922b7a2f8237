import ChatModel
import Testing

@Suite("Whether a message may be taken")
struct PermissionTests {
    struct Row: CustomTestStringConvertible {
        let name: String
        let refusal: PublishRefusal?
        var kind = ConversationKind.group
        var flags: ConversationFlags = []
        var authority = Authority.user
        let change: @Sendable (inout PublishFacts) -> Void

        var testDescription: String { self.name }

        var facts: PublishFacts {
            var facts = PublishFacts(authority: self.authority, kind: self.kind, flags: self.flags)
            facts.senderIsMember = true
            self.change(&facts)
            return facts
        }
    }

    @Test(
        "the first reason counts, in WuKongIM's order",
        arguments: [
            Row(name: "member", refusal: nil) { _ in },
            Row(name: "stranger", refusal: .notMember) { $0.senderIsMember = false },
            Row(name: "stranger in a room", refusal: .notMember, kind: .room) { $0.senderIsMember = false },
            Row(name: "disabled before all", refusal: .senderDisabled, flags: .banned) {
                ($0.senderIsDisabled, $0.senderIsSendBanned, $0.senderIsSystem) = (true, true, true)
            },
            Row(name: "send ban before ban", refusal: .senderSendBanned, flags: .banned) {
                $0.senderIsSendBanned = true
            },
            Row(name: "ban before system", refusal: .conversationBanned, flags: [.banned, .disbanded]) {
                $0.senderIsSystem = true
            },
            Row(name: "disband", refusal: .conversationDisbanded, flags: .disbanded, authority: .application) { _ in },
            Row(name: "system account", refusal: nil, flags: [.membersMuted, .sendBanned]) {
                ($0.senderIsSystem, $0.senderIsMember, $0.senderIsBlocked) = (true, false, true)
            },
            Row(name: "business server", refusal: nil, flags: .membersMuted, authority: .application) {
                $0.senderIsMember = false
            },
            Row(name: "to a system account", refusal: nil, kind: .direct) {
                ($0.receiverIsSystem, $0.senderIsBlocked, $0.allowlistIsInForce) = (true, true, true)
            },
            Row(name: "deny list before membership", refusal: .blocked) {
                ($0.senderIsBlocked, $0.senderIsMember) = (true, false)
            },
            Row(name: "send ban of a group", refusal: .conversationSendBanned, flags: [.sendBanned, .membersMuted]) {
                $0.senderIsManager = true
            },
            Row(name: "muted", refusal: .muted, flags: .membersMuted) { $0.senderIsMuted = true },
            Row(name: "muted manager", refusal: .muted) { ($0.senderIsMuted, $0.senderIsManager) = (true, true) },
            Row(name: "all muted", refusal: .membersMuted, flags: .membersMuted) { $0.allowlistIsInForce = true },
            Row(name: "all muted but managers", refusal: nil, flags: .membersMuted) { $0.senderIsManager = true },
            Row(name: "allow list", refusal: .notAllowlisted) { $0.allowlistIsInForce = true },
            Row(name: "on the allow list", refusal: nil) {
                ($0.allowlistIsInForce, $0.senderIsAllowlisted) = (true, true)
            },
            Row(name: "direct, allow list", refusal: .notAllowlisted, kind: .direct) { $0.allowlistIsInForce = true },
        ])
    func order(_ row: Row) {
        #expect(publishRefusal(row.facts) == row.refusal)
    }

    @Test(
        "a ban and a disbanding do not stop the kinds that WuKongIM does not ask", arguments: ConversationKind.allCases)
    func openKinds(_ kind: ConversationKind) {
        var facts = PublishFacts(authority: .user, kind: kind, flags: [.banned, .disbanded])
        facts.senderIsMember = true
        let isOpen = [ConversationKind.customerService, .service, .visitors, .agent].contains(kind)
        #expect(publishRefusal(facts) == (isOpen ? nil : .conversationBanned))
    }

    @Test("who has written an answer has seen what was before it")
    func badge() throws {
        var member = Member(
            user: UserID(rawValue: 1), name: try #require(UserName("romeo")), role: .member, readSequence: 3,
            readCountable: 2, ownCountableSinceRead: 1, joinedSequence: 0)
        #expect(member.badge(headCountable: 9) == 7 && member.unread(headCountable: 9) == 6)
        member.ownLastSequence = 5
        member.ownLastCountable = 4
        #expect(member.badge(headCountable: 9) == 5 && member.badgeSequence == 5)
    }
}
