import ChatModel
import Testing

@testable import Store

@Suite("One person's view of a conversation")
struct PreferenceTests {
    private func view(_ fixture: Fixture, _ user: UserID, _ id: ConversationID) throws -> ConversationPreference {
        try fixture.store.readAndWait { store throws(StoreError) in try store.inbox.preference(of: user, in: id) }
    }

    private func set(
        _ fixture: Fixture, _ user: UserID, _ id: ConversationID, _ change: (inout PreferencePatch) -> Void
    ) throws -> Int64 {
        var patch = PreferencePatch()
        change(&patch)
        return try fixture.store.writeAndWait { [patch] store throws(StoreError) in
            try store.inbox.setPreference(user, in: id, patch)
        }
    }

    private func recent(
        _ fixture: Fixture, _ user: UserID, since: Int64 = 0, order: RecentOrder = .forDisplay, hidden: Bool = false,
        limit: Int = 100, offset: Int = 0
    ) throws -> [RecentConversation] {
        try fixture.store.readAndWait { store throws(StoreError) in
            try store.inbox.recent(
                of: user, since: since, order: order, includingHidden: hidden, limit: limit, offset: offset)
        }
    }

    @Test("what is set stays, what is not named stays too, and an empty text removes")
    func patch() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        fixture.send("1", from: romeo, to: .id(verona))
        let first = try self.set(fixture, juliet, verona) {
            ($0.isPinned, $0.isSilenced, $0.isSaved, $0.remark) = (true, true, true, "home")
            $0.settingsMergePatch = Array(#"{"a":1}"#.utf8)
        }
        let set = try self.view(fixture, juliet, verona)
        #expect(set.isPinned && set.isSilenced && set.isSaved && set.remark == "home" && set.change == first)
        #expect(set.settings == Array(#"{"a":1}"#.utf8) && set.extraVersion == 0)
        #expect(try self.set(fixture, juliet, verona) { $0.isPinned = true } == first)
        let second = try self.set(fixture, juliet, verona) {
            ($0.isSilenced, $0.remark, $0.draft, $0.browseTo, $0.keepSequence, $0.keepOffset) = (
                false, "", "dear", 9, 1, -7
            )
        }
        let changed = try self.view(fixture, juliet, verona)
        #expect(changed.isPinned && !changed.isSilenced && changed.remark == nil && changed.draft == "dear")
        #expect(changed.browseTo == 1 && changed.keepSequence == 1 && changed.keepOffset == -7)
        #expect(changed.extraVersion == second && second > first)
        #expect(try self.view(fixture, romeo, verona) == ConversationPreference())
        #expect(try fixture.verified().findings == [])
    }

    @Test("in an advanced team a person hears of managers only; a switch of an app ends silence, and nothing else")
    func alerts() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let verona = try fixture.group("verona", owner: romeo, [juliet, nurse])
        func choices() throws -> [UserID: TeamAlerts] {
            try fixture.store.readAndWait { store throws(StoreError) in try store.inbox.alertChoices(in: verona) }
        }
        _ = try self.set(fixture, juliet, verona) { $0.alerts = .managers }
        #expect(try self.view(fixture, juliet, verona).alerts == .managers)
        #expect(try choices() == [juliet: .managers])
        // An app that knows silence alone says that there is none.
        _ = try self.set(fixture, juliet, verona) { $0.isSilenced = false }
        #expect(try self.view(fixture, juliet, verona).alerts == .managers)
        _ = try self.set(fixture, juliet, verona) { $0.isSilenced = true }
        #expect(try self.view(fixture, juliet, verona).alerts == .none)
        _ = try self.set(fixture, juliet, verona) { $0.isSilenced = false }
        #expect(try self.view(fixture, juliet, verona).alerts == .all && choices().isEmpty)
        _ = try self.set(fixture, juliet, verona) { $0.alerts = .managers }
        fixture.send("1", from: romeo, to: .id(verona))
        fixture.send("2", from: nurse, to: .id(verona))
        for (sequence, wanted) in [(Int64(1), [juliet, nurse]), (2, [nurse])] {
            let alerted = try fixture.store.readAndWait { store throws(StoreError) in
                guard let message = try store.messages.one(in: verona, sequence: sequence, as: .unrestricted) else {
                    throw .notFound("the message")
                }
                return try store.inbox.alerted(
                    by: message, among: [juliet, nurse], try store.inbox.alertChoices(in: verona))
            }
            #expect(alerted == wanted)
        }
        let normal = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.teams.create(
                ChannelName("mantua")!, NewTeam(form: .normal, title: "Mantua", owner: romeo, members: [juliet]))
        }
        let direct = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.ensureDirect(romeo, juliet)
        }
        for id in [normal, direct] {
            #expect(throws: StoreError.refused(.notApplicable)) {
                try self.set(fixture, juliet, id) { ($0.alerts, $0.isPinned) = (.managers, true) }
            }
            #expect(try self.view(fixture, juliet, id) == ConversationPreference())
            _ = try self.set(fixture, juliet, id) { $0.alerts = TeamAlerts.none }
            #expect(try self.view(fixture, juliet, id).isSilenced)
        }
        #expect(try fixture.verified().findings == [])
    }

    @Test("texts have bounds, and only members have a view")
    func refusals() throws {
        let fixture = try Fixture()
        let (romeo, tybalt) = (try fixture.user("romeo"), try fixture.user("tybalt"))
        let verona = try fixture.group("verona", owner: romeo)
        #expect(throws: StoreError.refused(.notMember)) { try self.set(fixture, tybalt, verona) { $0.isPinned = true } }
        #expect(throws: StoreError.invalid("the draft has at most 8192 bytes, not 8193")) {
            try self.set(fixture, romeo, verona) { $0.draft = String(repeating: "x", count: 8_193) }
        }
        #expect(throws: StoreError.invalid("the remark has at most 64 characters, not 65")) {
            try self.set(fixture, romeo, verona) { $0.remark = String(repeating: "é", count: 65) }
        }
        #expect(throws: StoreError.invalid("the settings are no JSON object")) {
            try self.set(fixture, romeo, verona) { $0.settingsMergePatch = [1] }
        }
    }

    @Test("drafts are told by number, apart from what else was set")
    func sync() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let groups = try (0..<3).map { try fixture.group("group\($0)", owner: romeo) }
        let draft = try self.set(fixture, romeo, groups[0]) { $0.draft = "a" }
        _ = try self.set(fixture, romeo, groups[1]) { $0.isPinned = true }
        let other = try self.set(fixture, romeo, groups[2]) { $0.draft = "b" }
        let read = try fixture.store.readAndWait { store throws(StoreError) in
            (
                extras: try store.inbox.conversationExtras(of: romeo, after: 0, limit: 10).map(
                    \.preference.extraVersion),
                named: try store.inbox.conversationExtras(of: romeo, after: draft, limit: 10).map(\.channel?.text)
            )
        }
        #expect(read.extras == [draft, other] && read.named == ["group2"])
    }

    @Test("the list has pinned ones first, then the newest; by change it can be asked on")
    func order() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let groups = try (0..<4).map { try fixture.group("group\($0)", owner: romeo, [juliet]) }
        for index in [2, 0, 1, 3] {
            fixture.clock.advance(milliseconds: 10)
            fixture.send("hi", from: romeo, to: .id(groups[index]))
        }
        _ = try self.set(fixture, juliet, groups[2]) { $0.isPinned = true }
        #expect(try self.recent(fixture, juliet).map(\.conversation.id) == [2, 3, 1, 0].map { groups[$0] })
        let page = try self.recent(fixture, juliet, limit: 2, offset: 1)
        #expect(page.map(\.conversation.id) == [groups[3], groups[1]])
        let changes = try self.recent(fixture, juliet, order: .byChange, limit: 3)
        #expect(changes.map(\.conversation.id) == [0, 1, 3].map { groups[$0] })
        let rest = try self.recent(fixture, juliet, since: try #require(changes.last?.change), order: .byChange)
        #expect(rest.map(\.conversation.id) == [groups[2]] && rest.first?.preference.isPinned == true)
        #expect(try self.recent(fixture, juliet, since: rest[0].change).isEmpty)
    }

    @Test("a conversation that was put away comes back with the next message, and counts from there")
    func hiding() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        fixture.send("1", from: romeo, to: .id(verona))
        let since = try #require(try self.recent(fixture, juliet).first?.change)
        try fixture.store.writeAndWait { store throws(StoreError) in try store.inbox.hideConversation(juliet, verona) }
        #expect(try self.recent(fixture, juliet).isEmpty)
        let told = try self.recent(fixture, juliet, since: since, hidden: true)
        #expect(told.first?.isHidden == true && told.first?.badge == 0)
        #expect(try self.recent(fixture, romeo).count == 1)
        fixture.send("2", from: romeo, to: .id(verona))
        let back = try self.recent(fixture, juliet)
        #expect(back.first?.isHidden == false && back.first?.badge == 1 && back.first?.unread == 1)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.hideConversation(juliet, verona)
            try store.inbox.showConversation(juliet, verona)
        }
        #expect(try self.recent(fixture, juliet).count == 1)
        #expect(try fixture.verified().findings == [])
    }

    @Test("what a person has cleared they are not shown, by whatever way they ask; others are")
    func clearing() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        let sent = (1...6).compactMap { fixture.send("\($0)", from: romeo, to: .id(verona)).accepted?.message.id }
        let ends = try fixture.store.writeAndWait { store throws(StoreError) in
            [
                try store.inbox.clearHistory(juliet, in: verona, through: 3),
                try store.inbox.clearHistory(juliet, in: verona, through: 2),
            ]
        }
        #expect(ends == [3, 3])
        func seen(_ access: HistoryAccess) throws -> [Int] {
            try fixture.store.readAndWait { store throws(StoreError) in
                [
                    try store.messages.latest(in: verona, limit: 10, as: access).count,
                    try store.messages.page(in: verona, before: 5, limit: 10, as: access).count,
                    try store.messages.page(in: verona, after: 0, limit: 10, as: access).count,
                    try store.messages.page(in: verona, around: 4, limit: 10, as: access).count,
                    try store.messages.page(in: verona, around: 3, limit: 10, as: access).count,
                    try store.messages.one(in: verona, sequence: 3, as: access) == nil ? 0 : 1,
                    try store.messages.one(sent[2], in: verona, as: access) == nil ? 0 : 1,
                    try store.messages.one(sent[3], in: verona, as: access) == nil ? 0 : 1,
                ]
            }
        }
        #expect(try seen(.member(juliet)) == [3, 1, 3, 3, 0, 0, 0, 1])
        #expect(try seen(.member(romeo)) == [6, 4, 6, 6, 6, 1, 1, 1])
        #expect(try fixture.unread(juliet) == [verona: 3])
        let missed = try fixture.store.readAndWait { store throws(StoreError) in
            try store.conversations.undelivered(of: juliet, class: .app).map(\.from)
        }
        #expect(missed == [3])
        #expect(try fixture.verified().findings == [])
    }

    @Test("a badge can be set lower and higher; reading and writing end one set by hand")
    func setUnread() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for number in 1...5 { fixture.send("\(number)", from: romeo, to: .id(verona)) }
        func set(_ count: Int64) throws -> ReadChange {
            try fixture.store.writeAndWait { store throws(StoreError) in
                try store.inbox.setUnread(juliet, in: verona, to: count)
            }
        }
        #expect(try set(2) == ReadChange(sequence: 3, unread: 2, badge: 2, hasMoved: true))
        #expect(try set(2) == ReadChange(sequence: 3, unread: 2, badge: 2, hasMoved: false))
        #expect(try set(4) == ReadChange(sequence: 3, unread: 2, badge: 4, hasMoved: true))
        #expect(try set(99) == ReadChange(sequence: 3, unread: 2, badge: 5, hasMoved: true))
        #expect(try self.view(fixture, juliet, verona).markedUnread == 5)
        #expect(try set(0) == ReadChange(sequence: 5, unread: 0, badge: 0, hasMoved: true))
        #expect(try set(1).badge == 1)
        let read = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.clearUnread(juliet, in: verona)
        }
        #expect(read == ReadChange(sequence: 5, unread: 0, badge: 0, hasMoved: true))
        #expect(try set(1).badge == 1)
        fixture.send("6", from: juliet, to: .id(verona))
        #expect(try self.recent(fixture, juliet).first?.badge == 0)
        #expect(throws: StoreError.self) { try set(-1) }
        #expect(throws: StoreError.self) { try set(1_000_001) }
        #expect(try fixture.verified().findings == [])
    }

    @Test("an answer clears the badge, not what is unread")
    func answering() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for number in 1...3 { fixture.send("\(number)", from: romeo, to: .id(verona)) }
        fixture.send("4", from: juliet, to: .id(verona), flags: [])
        fixture.send("5", from: romeo, to: .id(verona))
        let line = try #require(try self.recent(fixture, juliet).first)
        #expect(line.unread == 4 && line.badge == 1 && line.member.readSequence == 0)
    }
}
