import AdminAPI
import AdminService
import ChatModel
import Execution
import Glibc
import Store
import Testing

@Suite("Roles of operators") struct RoleTests {
    /// Operations of observers and of helpers; all others are the administrators'.
    private static let words: [OperatorRole: Set<String>] = [
        .observer: [
            "app.show", "conversation.expiring", "conversation.list", "conversation.of", "conversation.show",
            "file.list", "file.show", "file.verify", "filter.list", "filter.test", "follow.stop", "hook.list",
            "import.list", "invitation.list", "kind.list", "kind.try", "live.look", "live.start", "notice.list",
            "notice.show", "policy.preview", "policy.show", "profile.figures", "profile.show", "request.list",
            "retention.forecast",
            "search.status", "session.list", "setting.effective", "setting.limits", "setting.list", "setting.show",
            "status", "team.announcements", "team.card", "team.show", "transfer.list", "transfer.watch", "user.list",
            "user.show", "word.list", "word.test",
        ],
        .helper: [
            "audit.list", "audit.show", "audit.signIns", "audit.verify", "audit.verifySignIns",
            "conversation.look", "conversation.messages", "follow", "log.list",
            "message.recall", "message.trace", "profile.invalidate", "request.answer", "request.apply",
            "request.withdraw", "session.end", "session.endWhere", "team.invite", "team.mute", "team.nickname",
            "team.remove", "transfer.change", "user.allowlist", "user.details", "user.disable", "user.listed",
            "user.mute", "user.revoke", "word.flagged",
        ],
    ]

    @Test("each operation is of its role, and one that names no role is the administrators'")
    func listed() {
        for request in AdminRequest.everyOperation {
            let least = Self.words.first { $0.value.contains(request.word) }?.key ?? .administrator
            // What was recalled for good does not come back.
            if request.word == "message.recall", request.role == .administrator { continue }
            #expect(request.role == least, "\(request.word)")
        }
        let known = Set(AdminRequest.everyOperation.map(\.word))
        for words in Self.words.values { #expect(words.subtracting(known) == []) }
    }

    @Test("no change and nothing secret is an observer's")
    func observers() {
        for request in AdminRequest.everyOperation where request.role == .observer {
            #expect(!request.isChange && !request.isAudited, "\(request.word)")
        }
        #expect(AdminRequest.conversationDetails(.recall("tea", sequence: 1, forGood: true)).role == .administrator)
        #expect(AdminRequest.conversationDetails(.recall("tea", sequence: 1, forGood: false)).role == .helper)
        #expect(AdminRequest.managerToken.role == .administrator && AdminRequest.setupToken.role == .administrator)
    }

    /// A fixture whose connections come from an account of the machine.
    private func fixture(user: UInt32 = 4_242, groups: Set<UInt32> = [], _ rules: OperatorRules) throws -> Fixture {
        try Fixture(clock: .system) { options in
            options.operators = rules
            options.peer = { _ in OperatorPeer(user: user, groups: groups) }
        }
    }

    private func rules(_ role: OperatorRole, user: UInt32 = 4_242) -> OperatorRules {
        var rules = OperatorRules()
        rules.add(role, user: user)
        return rules
    }

    private func entries(_ fixture: Fixture) throws -> [AuditEntry] {
        try fixture.store.readAndWait { transaction throws(StoreError) in
            var query = AuditQuery()
            query.limit = 500
            return try transaction.audit.entries(query)
        }
    }

    @Test("what a role does not allow is refused by its number, not done, and in the audit log")
    func refused() throws {
        let fixture = try self.fixture(self.rules(.observer))
        try fixture.add("romeo")
        let client = try fixture.client()
        client.who = AdminOperator(name: "ming")
        #expect(client.refusal(of: .showUser(romeo)) == nil)
        let refusal = try #require(client.refusal(of: .setDisabled(romeo, true)))
        #expect(refusal.code == .notAllowed)
        #expect(refusal.reason == AdminError.Reason(number: 151, values: ["user.disable", "helper", "observer"]))
        #expect(client.refusal(of: .setPassword(romeo, "a pot of pu'er tea"))?.reason?.values.last == "observer")
        let user = try fixture.store.readAndWait { transaction throws(StoreError) in
            try transaction.people.user(named: romeo)
        }
        #expect(user?.isDisabled == false && user?.hasPassword == false)
        let entries = try self.entries(fixture)
        #expect(entries.map(\.word) == ["operator.refused", "operator.refused"])
        #expect(entries.map(\.subject) == ["user.password", "user.disable"])
        #expect(entries[1].actor == AuditActor(uid: 4_242, name: "ming", source: .ctl, reason: nil))
        #expect(entries[1].asked == #"{"role":"observer","needed":"helper","leftOut":0}"#)
        #expect(entries.allSatisfy { !$0.asked.contains("pu'er") })
    }

    @Test("a helper disables an account and shows no keys")
    func helper() throws {
        let fixture = try self.fixture(self.rules(.helper))
        try fixture.add("romeo")
        let client = try fixture.client()
        #expect(client.refusal(of: .setDisabled(romeo, true)) == nil)
        #expect(client.refusal(of: .managerToken)?.code == .notAllowed)
        #expect(try self.entries(fixture).map(\.word) == ["operator.refused", "user.disable"])
    }

    @Test("a flood of refusals is counted, not written each")
    func flood() throws {
        let time = ManualClock()
        let rules = self.rules(.observer)
        let fixture = try Fixture(clock: time.clock) { options in
            options.operators = rules
            options.peer = { _ in OperatorPeer(user: 4_242, groups: []) }
        }
        let client = try fixture.client()
        for _ in 1...40 { #expect(client.refusal(of: .managerToken)?.code == .notAllowed) }
        #expect(try self.entries(fixture).count == 30)
        time.advance(milliseconds: 61_000)
        #expect(client.refusal(of: .managerToken)?.code == .notAllowed)
        let newest = try #require(try self.entries(fixture).first)
        #expect(newest.number == 31 && newest.asked.contains(#""leftOut":10"#))
    }

    @Test("an account without a role is turned away, and so is the one that stands for all others")
    func strangers() throws {
        let fixture = try self.fixture(user: 4_243, self.rules(.administrator))
        #expect(throws: AdminError(.notAllowed, "the admin socket belongs to another user")) { try fixture.client() }
        var rules = OperatorRules()
        rules.add(.administrator, user: OperatorRules.nobody)
        rules.add(.administrator, group: OperatorRules.nobody)
        #expect(rules.role(of: OperatorPeer(user: OperatorRules.nobody, groups: [OperatorRules.nobody])) == nil)
        #expect(rules.role(of: OperatorPeer(user: 4_242, groups: [OperatorRules.nobody])) == nil)
    }

    @Test("the highest role of a user and of all their groups counts; root and the server's user are administrators")
    func highest() {
        var rules = OperatorRules()
        rules.add(.observer, user: 4_242)
        rules.add(.helper, group: 50)
        rules.add(.observer, group: 50)
        #expect(rules.role(of: OperatorPeer(user: 4_242, groups: [])) == .observer)
        #expect(rules.role(of: OperatorPeer(user: 4_242, groups: [7, 50])) == .helper)
        #expect(rules.role(of: OperatorPeer(user: 4_244, groups: [50])) == .helper)
        #expect(rules.role(of: OperatorPeer(user: 4_244, groups: [7])) == nil)
        #expect(rules.role(of: OperatorPeer(user: 0, groups: [])) == .administrator)
        #expect(rules.role(of: OperatorPeer(user: geteuid(), groups: [])) == .administrator)
    }

    @Test("a second socket is open to every account, and goes with the server")
    func secondSocket() throws {
        var template = Array("/tmp/teahouse-run-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { rmdir(folder) }
        do {
            let fixture = try Fixture { $0.operators.folder = folder }
            var status = stat()
            #expect(stat("\(folder)/admin.sock", &status) == 0 && status.st_mode & 0o777 == 0o666)
            #expect(stat("\(fixture.folder)/admin.sock", &status) == 0 && status.st_mode & 0o777 == 0o600)
            let client = try AdminClient(dataFolder: folder)
            guard case .status = try client.ask(.status) else {
                Issue.record("no status")
                return
            }
        }
        #expect(access("\(folder)/admin.sock", F_OK) != 0)
    }
}
