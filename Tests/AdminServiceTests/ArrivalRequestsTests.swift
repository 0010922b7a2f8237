import Accounts
import AdminAPI
import ChatModel
import Store
import Testing

/// People whom an app on another server knew.
struct ArrivalRequestsTests {
    /// Hash of the word "password". Source: LeanCloud data export guide, "Passwords of _User".
    private static let salt = "h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2"
    private static let hash = "tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug=="

    private var tom: AdminArrival {
        AdminArrival(
            name: UserName("5512602ae4b01608686c3e0e")!, username: "tom", email: "tom@verona.it",
            phone: "+8613800000000", fields: #"{"nickname":"小明","age":17}"#,
            createdAtMilliseconds: 1_400_000_000_000, displayName: "小明", avatar: "https://a/b.png", salt: Self.salt,
            hash: Self.hash)
    }

    private func bring(
        _ rows: [AdminArrival], isDryRun: Bool = false, to fixture: Fixture
    ) throws -> [AdminArrivalResult] {
        guard case .brought(let results) = try fixture.client().ask(.people(.bring(rows, isDryRun: isDryRun))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return results
    }

    /// How somebody is kept.
    private struct Kept: Equatable {
        var app: AppUser
        var hash: String?
        var displayName: String?
        var avatar: String?
    }

    private func kept(_ name: UserName, in fixture: Fixture) throws -> Kept? {
        try fixture.store.readAndWait { store throws(StoreError) in
            guard let app = try store.apps.appUser(named: name) else { return nil }
            let profile = try store.people.profile(of: app.user)
            return Kept(
                app: app, hash: try store.people.passwordHash(of: app.user), displayName: profile?.displayName,
                avatar: profile?.avatar)
        }
    }

    private func audit(of fixture: Fixture) throws -> [AuditEntry] {
        try fixture.store.readAndWait { store throws(StoreError) in try store.audit.entries(AuditQuery()) }
    }

    @Test("somebody arrives as the app knew them, without a token, and once is enough")
    func arrives() throws {
        let fixture = try Fixture()
        let tom = self.tom
        #expect(
            try self.bring([tom], isDryRun: true, to: fixture) == [AdminArrivalResult(name: tom.name, username: "tom")])
        #expect(try self.kept(tom.name, in: fixture) == nil)
        #expect(try self.bring([tom], to: fixture) == [AdminArrivalResult(name: tom.name, username: "tom")])
        let kept = try #require(try self.kept(tom.name, in: fixture))
        #expect(kept.app.username == "tom" && kept.app.email == tom.email && kept.app.phone == tom.phone)
        #expect(kept.app.fields.map { String(decoding: $0, as: UTF8.self) } == tom.fields)
        #expect(kept.app.createdAtMilliseconds == 1_400_000_000_000)
        #expect(kept.displayName == "小明" && kept.avatar == "https://a/b.png")
        #expect(kept.hash == "leancloud$\(Self.salt)$\(Self.hash)")
        let tokens = try fixture.store.readAndWait { store throws(StoreError) in try store.messages.counts().tokens }
        #expect(tokens == 0)
        let again = AdminArrivalResult(
            name: tom.name, username: "tom", existed: true, changed: false, password: .kept)
        #expect(try self.bring([tom], isDryRun: true, to: fixture) == [again])
        #expect(try self.bring([tom], to: fixture) == [again])
        #expect(try self.kept(tom.name, in: fixture) == kept)
        let entries = try self.audit(of: fixture)
        #expect(entries.map(\.word) == ["user.bring"] && entries.map(\.subject) == [tom.name.text])
        let noted = entries.map { "\($0.asked)\($0.before ?? "")\($0.after ?? "")" }.joined()
        #expect(noted.contains(#""password":true"#))
        for secret in [Self.salt, Self.hash, "leancloud$", "verona.it", "+861"] { #expect(!noted.contains(secret)) }
    }

    @Test("of who is here only what is missing is set, and no password is put back")
    func missing() throws {
        let fixture = try Fixture()
        let tom = self.tom
        _ = try fixture.accounts.wait {
            fixture.accounts.addUser(tom.name, displayName: "Tom", password: "a cup of longjing", then: $0)
        }
        let before = try #require(try self.kept(tom.name, in: fixture))
        #expect(
            try self.bring([tom], to: fixture) == [
                AdminArrivalResult(name: tom.name, username: "tom", existed: true, changed: true, password: .kept)
            ])
        let kept = try #require(try self.kept(tom.name, in: fixture))
        #expect(kept.hash == before.hash && kept.displayName == "Tom" && kept.avatar == "https://a/b.png")
        #expect(kept.app.username == "tom" && kept.app.createdAtMilliseconds == 1_400_000_000_000)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.apps.setAppUser(
                kept.app.user, AppUserPatch(username: "thomas", phone: "", fields: Array(#"{"age":18}"#.utf8)))
        }
        _ = try self.bring([tom], to: fixture)
        let later = try #require(try self.kept(tom.name, in: fixture)).app
        #expect(later.username == "thomas" && later.email == tom.email && later.phone == tom.phone)
        #expect(later.fields.map { String(decoding: $0, as: UTF8.self) } == #"{"age":18,"nickname":"小明"}"#)
    }

    @Test("who cannot be here is told of, and the others come")
    func refused() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        try fixture.add("gone")
        _ = try fixture.accounts.wait {
            fixture.accounts.delete(UserName("gone")!, by: .server, then: $0)
        }
        var bare = AdminArrival(name: UserName("bare")!, username: "bare")
        bare.salt = Self.salt
        bare.hash = "dG9vIHNob3J0"
        var second = self.tom
        second.name = UserName("second")!
        second.username = "second"
        let rows = [
            self.tom, second, AdminArrival(name: UserName("x")!, username: "romeo"),
            AdminArrival(name: UserName("gone")!, username: "g"), AdminArrival(name: systemUserName, username: "s"),
            AdminArrival(name: UserName("list")!, username: "l", fields: "[]"), bare,
        ]
        let results = try self.bring(rows, to: fixture)
        #expect(results.map(\.name) == rows.map(\.name))
        #expect(results.map { $0.error == nil } == [true, false, false, false, false, false, true])
        #expect(results[1].error == "somebody else has the email address tom@verona.it")
        #expect(results[2].error == "somebody else has the username romeo")
        #expect(results[6].password == .missing)
        for name in ["second", "x", "list"] { #expect(try self.kept(UserName(name)!, in: fixture) == nil) }
        #expect(try self.audit(of: fixture).filter { $0.word == "user.bring" }.count == 2)
    }
}
