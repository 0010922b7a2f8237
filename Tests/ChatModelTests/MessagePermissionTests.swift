import ChatModel
import Testing

/// Askers, in words for the tables below.
enum Asker: String, CaseIterable, Sendable {
    case author, authorInDirect, member, peerInDirect, manager, owner, formerAuthor, stranger
    case authorInRoom, strangerInRoom, application

    var facts: MessageFacts {
        switch self {
        case .author: Self.facts(.group, .member, isAuthor: true)
        case .authorInDirect: Self.facts(.direct, .member, isAuthor: true)
        case .member: Self.facts(.group, .member)
        case .peerInDirect: Self.facts(.direct, .member)
        case .manager: Self.facts(.group, .manager)
        case .owner: Self.facts(.group, .owner)
        case .formerAuthor: Self.facts(.group, nil, isAuthor: true)
        case .stranger: Self.facts(.group, nil)
        case .authorInRoom: Self.facts(.room, nil, isAuthor: true)
        case .strangerInRoom: Self.facts(.room, nil)
        case .application: Self.facts(.group, nil, authority: .application)
        }
    }

    private static func facts(
        _ kind: ConversationKind, _ role: MemberRole?, isAuthor: Bool = false, authority: Authority = .user
    ) -> MessageFacts {
        MessageFacts(authority: authority, kind: kind, role: role, isAuthor: isAuthor)
    }
}

@Suite("Who may change a message")
struct MessagePermissionTests {
    /// Refusals of: recall and deletion, edit, reaction and attributes, pin, receipt.
    struct Row: Sendable {
        let asker: Asker
        let recall: ActionRefusal?
        let edit: ActionRefusal?
        let annotate: ActionRefusal?
        let pin: ActionRefusal?
        let read: ActionRefusal?
    }

    private static func row(
        _ asker: Asker, recall: ActionRefusal? = nil, edit: ActionRefusal? = nil, annotate: ActionRefusal? = nil,
        pin: ActionRefusal? = nil, read: ActionRefusal? = nil
    ) -> Row {
        Row(asker: asker, recall: recall, edit: edit, annotate: annotate, pin: pin, read: read)
    }

    static let ofFreshMessages: [Row] = [
        row(.author, pin: .notManager, read: .ownMessage),
        row(.authorInDirect, read: .ownMessage),
        row(.member, recall: .notAuthor, edit: .notAuthor, pin: .notManager),
        row(.peerInDirect, recall: .notAuthor, edit: .notAuthor),
        row(.manager, edit: .notAuthor),
        row(.owner, edit: .notAuthor),
        row(
            .formerAuthor, recall: .notMember, edit: .notMember, annotate: .notMember, pin: .notMember, read: .notMember
        ),
        row(.stranger, recall: .notMember, edit: .notMember, annotate: .notMember, pin: .notMember, read: .notMember),
        row(.authorInRoom, pin: .notApplicable, read: .notMember),
        row(
            .strangerInRoom, recall: .notMember, edit: .notMember, annotate: .notMember, pin: .notMember,
            read: .notMember),
        row(.application, read: .notMember),
    ]

    private func expect(_ facts: MessageFacts, _ row: Row, rules: MessageRules = MessageRules()) {
        #expect(rules.recallRefusal(facts) == row.recall)
        #expect(rules.editRefusal(facts) == row.edit)
        #expect(facts.annotationRefusal() == row.annotate)
        #expect(facts.pinRefusal() == row.pin)
        #expect(rules.readRefusal(facts) == row.read)
    }

    @Test("of a message just sent", arguments: ofFreshMessages)
    func fresh(_ row: Row) {
        var facts = row.asker.facts
        facts.receiptRequested = true
        self.expect(facts, row)
        #expect(MessageRules().deletionRefusal(facts) == row.recall)
        #expect(facts.cancelRefusal() == row.annotate)
    }

    static let ofRecalledMessages: [Row] = [
        row(
            .author, recall: .alreadyGone, edit: .alreadyGone, annotate: .alreadyGone, pin: .alreadyGone,
            read: .ownMessage),
        row(
            .member, recall: .notAuthor, edit: .notAuthor, annotate: .alreadyGone, pin: .alreadyGone, read: .alreadyGone
        ),
        row(
            .manager, recall: .alreadyGone, edit: .notAuthor, annotate: .alreadyGone, pin: .alreadyGone,
            read: .alreadyGone),
        row(
            .stranger, recall: .notMember, edit: .notMember, annotate: .notMember, pin: .notMember, read: .notMember),
        row(
            .application, recall: .alreadyGone, edit: .alreadyGone, annotate: .alreadyGone, pin: .alreadyGone,
            read: .notMember),
    ]

    @Test("of a message that was recalled", arguments: ofRecalledMessages)
    func recalled(_ row: Row) {
        var facts = row.asker.facts
        facts.receiptRequested = true
        facts.isRecalled = true
        self.expect(facts, row)
        // What was recalled may still be deleted, by those who could recall it.
        #expect(MessageRules().deletionRefusal(facts) == (row.recall == .alreadyGone ? nil : row.recall))
        facts.isDeletedForAll = true
        #expect(MessageRules().deletionRefusal(facts) == row.recall)
        #expect(facts.cancelRefusal() == row.annotate)
    }

    static let inDisbandedGroups: [Row] = [
        row(.author, recall: .disbanded, edit: .disbanded, annotate: .disbanded, pin: .disbanded, read: .ownMessage),
        row(.owner, recall: .disbanded, edit: .disbanded, annotate: .disbanded, pin: .disbanded),
        row(.stranger, recall: .notMember, edit: .notMember, annotate: .notMember, pin: .notMember, read: .notMember),
        row(.application, read: .notMember),
    ]

    @Test("of a message in a disbanded group", arguments: inDisbandedGroups)
    func disbanded(_ row: Row) {
        var facts = row.asker.facts
        facts.receiptRequested = true
        facts.flags = .disbanded
        self.expect(facts, row)
    }

    @Test(
        "somebody silenced may take back, but say nothing in another way",
        arguments: [Asker.author, .authorInDirect, .authorInRoom])
    func silenced(_ asker: Asker) {
        var facts = asker.facts
        facts.maySend = false
        #expect(MessageRules().recallRefusal(facts) == nil)
        #expect(MessageRules().editRefusal(facts) == .mayNotSend)
        #expect(facts.annotationRefusal() == .mayNotSend)
        #expect(facts.cancelRefusal() == nil)
    }

    // MARK: Windows

    struct Window: Sendable {
        let asker: Asker
        let age: Int64
        let recall: ActionRefusal?
        let edit: ActionRefusal?
    }

    private static let rules: MessageRules = {
        var rules = MessageRules()
        rules.recallInDirect = .seconds(10)
        rules.recallInGroups = .seconds(20)
        rules.recallByManagers = .seconds(30)
        rules.editInDirect = .seconds(40)
        rules.editInGroups = .seconds(50)
        return rules
    }()

    @Test(
        "each window ends with its last second",
        arguments: [
            Window(asker: .authorInDirect, age: 10, recall: nil, edit: nil),
            Window(asker: .authorInDirect, age: 11, recall: .windowOver(seconds: 10), edit: nil),
            Window(asker: .author, age: 20, recall: nil, edit: nil),
            Window(asker: .author, age: 21, recall: .windowOver(seconds: 20), edit: nil),
            Window(asker: .authorInRoom, age: 21, recall: .windowOver(seconds: 20), edit: nil),
            Window(asker: .manager, age: 30, recall: nil, edit: .notAuthor),
            Window(asker: .owner, age: 31, recall: .windowOver(seconds: 30), edit: .notAuthor),
            Window(
                asker: .authorInDirect, age: 41, recall: .windowOver(seconds: 10), edit: .windowOver(seconds: 40)),
            Window(asker: .author, age: 51, recall: .windowOver(seconds: 20), edit: .windowOver(seconds: 50)),
            Window(asker: .application, age: 1_000_000, recall: nil, edit: nil),
            // The clock has stepped back.
            Window(asker: .author, age: -100, recall: nil, edit: nil),
        ])
    func windows(_ window: Window) {
        var facts = window.asker.facts
        facts.ageSeconds = window.age
        #expect(Self.rules.recallRefusal(facts) == window.recall)
        #expect(Self.rules.deletionRefusal(facts) == window.recall)
        #expect(Self.rules.editRefusal(facts) == window.edit)
    }

    @Test("a manager's own message falls under the wider of the two windows")
    func managerAsAuthor() {
        var facts = MessageFacts(authority: .user, kind: .group, role: .manager, isAuthor: true)
        facts.ageSeconds = 25
        #expect(Self.rules.recallRefusal(facts) == nil)
        facts.ageSeconds = 31
        #expect(Self.rules.recallRefusal(facts) == .windowOver(seconds: 20))
    }

    @Test("what the operator switched off is off, except for the business server")
    func switchedOff() {
        var rules = MessageRules()
        rules.recallInDirect = .never
        rules.recallInGroups = .never
        rules.recallByManagers = .never
        rules.editInGroups = .never
        rules.editInDirect = .never
        for asker in [Asker.author, .authorInDirect, .manager, .owner] {
            #expect(rules.recallRefusal(asker.facts) == .switchedOff)
        }
        #expect(rules.editRefusal(Asker.author.facts) == .switchedOff)
        #expect(rules.editRefusal(Asker.authorInDirect.facts) == .switchedOff)
        #expect(rules.recallRefusal(Asker.application.facts) == nil)
        #expect(rules.editRefusal(Asker.application.facts) == nil)
    }

    @Test("receipts are for messages that ask for them, and each switch is for its kind")
    func receipts() {
        var rules = MessageRules()
        var (group, direct) = (Asker.member.facts, Asker.peerInDirect.facts)
        #expect(rules.readRefusal(group) == .notApplicable)
        group.receiptRequested = true
        direct.receiptRequested = true
        rules.receiptsInGroups = false
        #expect(rules.readRefusal(group) == .switchedOff)
        #expect(rules.readRefusal(direct) == nil)
        rules.receiptsInGroups = true
        rules.receiptsInDirect = false
        #expect(rules.readRefusal(group) == nil)
        #expect(rules.readRefusal(direct) == .switchedOff)
        group.kind = .room
        #expect(rules.readRefusal(group) == .notApplicable)
    }

    @Test(
        "the name of a reaction has 1 to 64 bytes and no control characters",
        arguments: [
            ("👍", true), ("smile.png", true), (String(repeating: "a", count: 64), true),
            (String(repeating: "茶", count: 21), true), (String(repeating: "茶", count: 22), false),
            (String(repeating: "a", count: 65), false), ("", false), ("a\n", false), ("\u{7F}", false),
            ("\u{85}", false),
        ])
    func reactionNames(_ name: String, _ isAcceptable: Bool) {
        #expect(Reaction.isAcceptable(name: name) == isAcceptable)
    }

    @Test(
        "a reaction is an emoji or the name of one; nothing that a page could take for its own",
        arguments: [
            ("👍", true), ("❤️", true), ("👩‍👩‍👧‍👦", true), ("👍🏽", true), ("🇨🇳", true), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", true), ("1️⃣", true),
            ("#️⃣", true), ("[微笑]", true), ("smile.png", true), ("like_2:big+1", true), ("क्षि", true),
            ("<script>", false), ("a b", false), ("\"x", false), ("'x", false), ("a&amp;", false), ("../a", false),
            ("a\\b", false), ("=1", false), ("\u{202E}a", false), ("", false),
        ])
    func plainReactionNames(_ name: String, _ isAllowed: Bool) {
        var rules = MessageRules()
        #expect(rules.allowsReaction(name) == isAllowed)
        rules.reactions = ["<script>"]
        #expect(rules.allowsReaction(name) == (name == "<script>"))
    }
}
