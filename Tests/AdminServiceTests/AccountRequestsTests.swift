import Accounts
import AdminAPI
import ChatModel
import Glibc
import Store
import Testing

@Suite("Requests about people") struct AccountRequestsTests {
    @Test("a person is added, listed, shown, and cannot be added again")
    func add() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let new = AdminNewUser(
            name: romeo, role: .administrator, displayName: "罗密欧", password: "wherefore art thou")
        #expect(try client.ask(.addUser(new)) == .done)
        guard case .users(let users, nil) = try client.ask(.listUsers(after: nil)) else {
            Issue.record("no list")
            return
        }
        #expect(users.map(\.name) == [romeo])
        #expect(users.first?.displayName == "罗密欧")
        #expect(users.first?.role == .administrator)
        #expect(users.first?.hasPassword == true)
        guard case .user(let detail) = try client.ask(.showUser(romeo)) else {
            Issue.record("no person")
            return
        }
        #expect(detail.user == users.first)
        #expect(detail.tokens.isEmpty && detail.sessions.isEmpty && detail.blocked.isEmpty)
        #expect(client.refusal(of: .addUser(new))?.code == .exists)
        #expect(client.refusal(of: .showUser(juliet))?.code == .notFound)
    }

    @Test("bad passwords and display names are refused in words")
    func refused() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        #expect(client.refusal(of: .addUser(AdminNewUser(name: romeo, password: "short")))?.code == .invalid)
        let title = String(repeating: "x", count: 129)
        #expect(client.refusal(of: .addUser(AdminNewUser(name: romeo, displayName: title)))?.code == .invalid)
        #expect(client.refusal(of: .addUser(AdminNewUser(name: romeo, displayName: "\u{1B}")))?.code == .invalid)
        #expect(client.refusal(of: .showUser(romeo))?.code == .notFound)
    }

    @Test("a token is shown once and signs its device in; revoking ends it and the sessions of its class alone")
    func tokens() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        guard case .token(let token?) = try client.ask(.issueToken(romeo, .app, .primary)) else {
            Issue.record("no token")
            return
        }
        #expect(token.hasPrefix("tea_"))
        _ = try client.ask(.issueToken(romeo, .web, .secondary))
        try fixture.signIn("romeo", .app, handle: 1)
        try fixture.signIn("romeo", .web, handle: 2)
        #expect(try client.sessions().map(\.device) == [.app, .web])
        #expect(try client.count(.revoke(romeo, .app)) == 1)
        fixture.outlet.wait { $0.ended[1] == .signedOut }
        #expect(try client.sessions().map(\.device) == [.web])
        guard case .user(let detail) = try client.ask(.showUser(romeo)) else {
            Issue.record("no person")
            return
        }
        #expect(detail.tokens.map(\.device) == [.web])
        #expect(detail.sessions.map(\.deviceID) == ["phone-2"])
    }

    @Test("listed sessions say when something last came from them and what waits; one that is over by then does not")
    func measures() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        #expect(try client.sessions().isEmpty)
        try fixture.signIn("romeo", .app, handle: 4)
        try fixture.signIn("romeo", .web, handle: 9)
        let listed = try client.sessions()
        #expect(listed.map(\.activeAtMilliseconds) == [4_000, nil] && listed.map(\.queuedBytes) == [40, nil])
        #expect(listed.map(\.unacknowledged) == [4, nil])
        guard case .user(let detail) = try client.ask(.showUser(romeo)) else {
            Issue.record("no person")
            return
        }
        #expect(detail.sessions == listed)
    }

    @Test("a disabled account and a new password end the sessions")
    func disable() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        try fixture.signIn("romeo", .app, handle: 1)
        #expect(try client.count(.setDisabled(romeo, true)) == 1)
        fixture.outlet.wait { $0.ended[1] == .disabled }
        guard case .user(let detail) = try client.ask(.showUser(romeo)) else {
            Issue.record("no person")
            return
        }
        #expect(detail.user.isDisabled)
        #expect(try client.count(.setDisabled(romeo, false)) == 0)
        try fixture.signIn("romeo", .app, handle: 2)
        #expect(try client.count(.setPassword(romeo, "a rose by any other name")) == 1)
        fixture.outlet.wait { $0.ended[2] == .signedOut }
    }

    @Test("blocking and allowing are listed once and taken back")
    func lists() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        let block = AdminRequest.setListed(owner: juliet, .blocked, other: romeo, true)
        #expect(try client.count(block) == 1)
        #expect(try client.count(block) == 0)
        #expect(try client.count(.setListed(owner: juliet, .allowed, other: romeo, true)) == 1)
        guard case .user(let detail) = try client.ask(.showUser(juliet)) else {
            Issue.record("no person")
            return
        }
        #expect(detail.blocked == ["romeo"] && detail.allowed == ["romeo"])
        #expect(try client.count(.setListed(owner: juliet, .blocked, other: romeo, false)) == 1)
        let oneself = AdminRequest.setListed(owner: juliet, .blocked, other: juliet, true)
        #expect(client.refusal(of: oneself)?.code == .invalid)
        let unknown = AdminRequest.setListed(owner: juliet, .blocked, other: UserName("nobody")!, true)
        #expect(client.refusal(of: unknown)?.code == .notFound)
    }

    @Test("muting and the allow list as the only way are switched on and off")
    func switches() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        for isOn in [true, false] {
            #expect(try client.count(.setSendBanned(romeo, isOn)) == 1)
            #expect(try client.count(.setSendBanned(romeo, isOn)) == 0)
            #expect(try client.count(.setAllowlistOnly(romeo, isOn)) == 1)
            #expect(try client.count(.setAllowlistOnly(romeo, isOn)) == 0)
            guard case .user(let detail) = try client.ask(.showUser(romeo)) else {
                Issue.record("no person")
                return
            }
            #expect(detail.user.isSendBanned == isOn && detail.isAllowlistOnly == isOn)
        }
    }

    @Test("an import makes people and tokens, in order, and gives those who exist a token")
    func imported() throws {
        let fixture = try Fixture()
        try fixture.add("user3")
        let client = try fixture.client()
        var rows = (0..<AdminProtocol.importRows).map { AdminImportRow(name: UserName("user\($0)")!) }
        rows[7].displayName = "\u{7}"
        guard case .imported(let results) = try client.ask(.importUsers(rows, [.app, .desktop])) else {
            Issue.record("no results")
            return
        }
        #expect(results.map(\.name) == rows.map(\.name))
        #expect(results.filter { $0.existed }.map(\.name.text) == ["user3"])
        #expect(results.filter { $0.token == nil }.map(\.name.text) == ["user7"])
        #expect(Set(results.compactMap(\.token)).count == rows.count - 1)
        #expect(results[7].error != nil)
        let counts = try fixture.store.readAndWait { transaction throws(StoreError) in try transaction.messages.counts()
        }
        #expect(counts.users == Int64(rows.count - 1))
        #expect(counts.tokens == Int64(2 * (rows.count - 1)))
    }

    @Test("a list longer than a page goes on where the page ended")
    func pages() throws {
        let fixture = try Fixture()
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            for number in 0..<AdminProtocol.pageRows + 3 { try transaction.people.createUser(UserName("u\(number)")!) }
        }
        let client = try fixture.client()
        guard case .users(let first, let next?) = try client.ask(.listUsers(after: nil)),
            case .users(let second, nil) = try client.ask(.listUsers(after: next))
        else {
            Issue.record("no two pages")
            return
        }
        #expect(first.count == AdminProtocol.pageRows)
        #expect(second.map(\.name.text) == ["u500", "u501", "u502"])
    }

    @Test("the key of the HTTP API is shown once there is one")
    func managerToken() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        #expect(try client.ask(.managerToken) == .token(nil))
        _ = try ManagerToken(folder: fixture.folder)
        defer { unlink(ManagerToken.path(in: fixture.folder)) }
        #expect(try client.ask(.managerToken) == .token(try ManagerToken.text(in: fixture.folder)))
    }

    @Test("the setup token is shown while there is one")
    func setupToken() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        #expect(try client.ask(.setupToken) == .token(nil))
        let path = try fixture.accounts.wait { fixture.accounts.openSetup(then: $0) }
        #expect(path != nil)
        guard case .token(let token?) = try client.ask(.setupToken) else {
            Issue.record("no token")
            return
        }
        _ = try fixture.accounts.wait {
            fixture.accounts.firstAdministrator(
                setupToken: token, name: romeo, password: "wherefore art thou", address: "test", then: $0)
        }
        #expect(try client.ask(.setupToken) == .token(nil))
    }
}
