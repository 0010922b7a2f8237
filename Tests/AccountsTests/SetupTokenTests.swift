import ChatModel
import Execution
import Glibc
import Store
import Testing

@testable import Accounts

@Suite("First administrator")
struct SetupTokenTests {
    let fixture: Fixture

    init() throws { self.fixture = try Fixture() }

    func open() throws -> String? { try self.fixture.accounts.wait { self.fixture.accounts.openSetup(then: $0) } }

    /// The path of the token's file.
    func opened() throws -> String { try #require(try self.open()) }

    func setUp(_ token: String, _ name: UserName = romeo, password: String = goodPassword) throws -> UserID {
        try self.fixture.accounts.wait {
            self.fixture.accounts.firstAdministrator(
                setupToken: token, name: name, password: password, address: "192.168.1.7", then: $0)
        }
    }

    @Test("the token is a file for its owner only, works once and is gone")
    func once() throws {
        let path = try #require(try self.open())
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let token = try #require(readLine(of: path))
        #expect(token.utf8.count == 22)
        _ = try self.setUp(" \(token)\n")
        #expect(self.fixture.signIn(romeo, .password(goodPassword)).identity?.role == .administrator)
        #expect(access(path, F_OK) != 0)
        #expect(throws: AccountsError.setup(.done)) { try self.setUp(token, juliet) }
        #expect(try self.open() == nil)
    }

    @Test("two who have it at the same time make one administrator")
    func twoAtOnce() throws {
        let token = try #require(readLine(of: try self.opened()))
        let results = ConditionLock([Result<UserID, AccountsError>]())
        for name in [romeo, juliet] {
            self.fixture.accounts.firstAdministrator(
                setupToken: token, name: name, password: goodPassword, address: "192.168.1.7"
            ) { result in results.change { $0.append(result) } }
        }
        let all = results.wait(until: { $0.count == 2 }, then: { $0 })
        #expect(all.filter { (try? $0.get()) != nil }.count == 1)
        #expect(all.contains(.failure(.setup(.done))))
    }

    @Test("five wrong tries close setup until the next start")
    func tries() throws {
        let path = try #require(try self.open())
        let token = try #require(readLine(of: path))
        for left in [4, 3, 2, 1] {
            #expect(throws: AccountsError.setup(.wrongToken(triesLeft: left))) { try self.setUp("wrong") }
        }
        #expect(throws: AccountsError.setup(.closed)) { try self.setUp("wrong") }
        #expect(throws: AccountsError.setup(.closed)) { try self.setUp(token) }
        #expect(access(path, F_OK) != 0)
        let next = try #require(readLine(of: try self.opened()))
        #expect(next != token)
        _ = try self.setUp(next)
    }

    @Test("a weak password and a taken name cost no try")
    func mistakes() throws {
        try self.fixture.add(juliet)
        let token = try #require(readLine(of: try self.opened()))
        for _ in 0..<6 {
            #expect(throws: AccountsError.password(.tooShort(minimum: 10))) { try self.setUp(token, password: "short") }
            #expect(throws: AccountsError.userExists(juliet)) { try self.setUp(token, juliet) }
        }
        _ = try self.setUp(token)
    }

    @Test("the token is valid for an hour", arguments: [(3_599_999 as Int64, true), (3_600_000, false)])
    func hour(_ milliseconds: Int64, _ isValid: Bool) throws {
        let path = try #require(try self.open())
        let token = try #require(readLine(of: path))
        self.fixture.hands.advance(milliseconds: milliseconds)
        if isValid {
            _ = try self.setUp(token)
        } else {
            #expect(throws: AccountsError.setup(.closed)) { try self.setUp(token) }
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("an administrator made otherwise ends setup", arguments: [false, true])
    func otherwise(_ byRole: Bool) throws {
        let path = try #require(try self.open())
        let token = try #require(readLine(of: path))
        try self.fixture.add(juliet, role: byRole ? .member : .administrator)
        if byRole {
            _ = try self.fixture.accounts.wait {
                self.fixture.accounts.edit(juliet, role: .administrator, then: $0)
            }
        }
        #expect(access(path, F_OK) != 0)
        #expect(throws: AccountsError.setup(.done)) { try self.setUp(token) }
    }

    @Test("a link laid in the file's place is not followed")
    func link() throws {
        let victim = "\(self.fixture.folder)/lock"
        symlink(victim, "\(self.fixture.folder)/setup-token")
        let path = try #require(try self.open())
        #expect(readLine(of: victim) == nil)
        #expect(readLine(of: path)?.utf8.count == 22)
    }
}
