import AdminAPI
import ChatModel
import Glibc
import Store
import Testing

@Suite("Operators' changes in the audit log") struct AuditRequestsTests {
    /// The log, the oldest first.
    private func entries(of fixture: Fixture) throws -> [AuditEntry] {
        var query = AuditQuery()
        query.limit = 500
        guard case .audit(.list(let entries, nil)) = try fixture.client().ask(.audit(.list(query))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return entries.reversed().map(\.entry)
    }

    @Test("every change has its entry, with who asked, why, and what was before and after")
    func changes() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        client.who = AdminOperator(name: "ming", source: .console, reason: "he left")
        _ = try client.ask(.addUser(AdminNewUser(name: romeo, password: "a cup of longjing")))
        _ = try client.ask(.addUser(AdminNewUser(name: juliet)))
        _ = try client.ask(.setDisabled(romeo, true))
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo]))))
        _ = try client.ask(.teams(.add(verona, [juliet])))
        _ = try client.ask(.setPassword(juliet, "a pot of pu'er tea"))
        let found = try self.entries(of: fixture)
        #expect(
            found.map(\.word) == [
                "user.add", "user.add", "user.disable", "team.create", "team.invite", "user.password",
            ])
        #expect(found.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(found.map(\.subject) == ["romeo", "juliet", "romeo", "verona", "verona", "juliet"])
        let actor = AuditActor(uid: geteuid(), name: "ming", source: .console, reason: "he left")
        #expect(found.allSatisfy { $0.actor == actor && $0.stage == .done })
        #expect(found[0].before == nil && found[0].after?.contains(#""password":true"#) == true)
        #expect(found[2].before?.contains(#""disabled":false"#) == true)
        #expect(found[2].after?.contains(#""disabled":true"#) == true)
        #expect(found[4].before?.contains(#""members":1,"among":[]"#) == true)
        #expect(found[4].after?.contains(#""members":2,"among":["juliet"]"#) == true)
    }

    @Test(
        "an entry of before, when groups had words of their own, is found by its word and by today's",
        arguments: [
            ("group.create", [2, 1]), ("team.create", [2, 1]), ("group", [2, 1]), ("team", [2, 1]), ("group.add", []),
        ] as [(String, [Int64])])
    func formerWords(_ what: String, _ numbers: [Int64]) throws {
        let fixture = try Fixture()
        let note = AuditNote(
            actor: AuditActor(uid: 7), word: "group.create", subject: "tea", asked: "{}",
            state: { _ throws(StoreError) in nil })
        try fixture.store.writeAndWait { transaction throws(StoreError) in try transaction.audit.noteAsked(note) }
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: []))))
        var query = AuditQuery()
        query.what = what
        guard case .audit(.list(let found, nil)) = try client.ask(.audit(.list(query))) else {
            Issue.record("no list")
            return
        }
        #expect(found.map(\.entry.number) == numbers)
    }

    @Test("passwords, tokens and the words of messages are not in it")
    func secrets() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        _ = try client.ask(.addUser(AdminNewUser(name: romeo, password: "a cup of longjing")))
        _ = try client.ask(.setPassword(romeo, "a pot of pu'er tea"))
        guard case .token(let token?) = try client.ask(.issueToken(romeo, .web, .primary)) else { return }
        _ = try client.ask(.importUsers([AdminImportRow(name: juliet)], [.app]))
        _ = try client.ask(.send(AdminSend(from: romeo, to: .user(juliet), text: "by yonder moon")))
        let found = try self.entries(of: fixture)
        let all = found.map { "\($0.asked)\($0.before ?? "")\($0.after ?? "")" }.joined()
        for secret in ["longjing", "pu'er", token, "yonder", "tea_"] { #expect(!all.contains(secret)) }
        #expect(found[0].asked.contains(#""password":"(set)""#) && found[1].asked.contains(#""password":"(changed)""#))
        #expect(found[2].before?.contains(#""tokens":0"#) == true && found[2].after?.contains(#""tokens":1"#) == true)
        #expect(
            found.map(\.word).last == "send" && found[4].after?.hasPrefix(#"{"conversation":1,"sequence":1"#) == true)
        #expect(found[3].subject == "juliet" && found[3].word == "user.import")
    }

    @Test("what was refused, and what only looks, leaves none")
    func refusals() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let refused: [AdminRequest] = [
            .addUser(AdminNewUser(name: romeo)), .setDisabled(juliet, true), .setPassword(romeo, "short"),
            .teams(.add(verona, [romeo])),
            .send(AdminSend(from: romeo, to: .user(juliet), text: "?")),
            .endSessions(ids: [], user: juliet),
        ]
        for request in refused { #expect(client.refusal(of: request) != nil) }
        for request in [AdminRequest.status, .listUsers(after: nil), .showUser(romeo)] { _ = try client.ask(request) }
        #expect(try self.entries(of: fixture).isEmpty)
    }

    @Test("sessions end after their entry is there")
    func sessions() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        try fixture.signIn("romeo", .app, handle: 1)
        let client = try fixture.client()
        #expect(try client.count(.endSessions(ids: [], user: romeo)) == 1)
        let found = try self.entries(of: fixture)
        #expect(found.map(\.word) == ["session.end"] && found[0].stage == .asked && found[0].subject == "romeo")
    }

    @Test("a long list comes page by page, and the chain can be checked while the server runs")
    func pages() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let long = String(repeating: "x", count: 4_000)
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: []))))
        for number in 0..<30 {
            _ = try client.ask(.teams(.setNotice(verona, "\(number)\(long)")))
        }
        var numbers: [Int64] = []
        var query = AuditQuery()
        query.limit = 500
        repeat {
            guard case .audit(.list(let page, let next)) = try client.ask(.audit(.list(query))) else { return }
            numbers += page.map(\.entry.number)
            query.before = next
        } while query.before != nil
        #expect(numbers == (1...31).reversed())
        guard case .audit(.checked(let check)) = try client.ask(.audit(.verify)) else { return }
        #expect(check.count == 31 && check.problems.isEmpty && check.hash.count == 64)
        guard case .audit(.one(let last)) = try client.ask(.audit(.show(31))) else { return }
        #expect(last.hash == check.hash)
        #expect(client.refusal(of: .audit(.show(32)))?.code == .notFound)
    }

    @Test("an operator's name is one line", arguments: ["", "a\nb", String(repeating: "x", count: 65)])
    func badName(_ name: String) throws {
        let fixture = try Fixture()
        defer { withExtendedLifetime(fixture) {} }
        let client = try fixture.client()
        client.who = AdminOperator(name: name)
        #expect(client.refusal(of: .status)?.code == .invalid)
    }
}
