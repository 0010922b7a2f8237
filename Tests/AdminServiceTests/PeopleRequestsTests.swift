import AdminAPI
import ChatModel
import Store
import Testing

@Suite("Accounts and sessions, for operators") struct PeopleRequestsTests {
    private func user(_ name: UserName, _ client: AdminClient) throws -> AdminUser {
        guard case .user(let detail) = try client.ask(.showUser(name)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return detail.user
    }

    @Test("an edit changes what is said, all of it or nothing")
    func edit() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.count(.people(.edit(AdminUserEdit(name: romeo, displayName: "R", externalID: "7"))))
        var found = try self.user(romeo, client)
        #expect(found.displayName == "R" && found.externalID == "7" && found.role == .member)
        // The external id is romeo's, so that juliet's name stays too.
        let both = AdminRequest.people(.edit(AdminUserEdit(name: juliet, displayName: "J", externalID: "7")))
        #expect(client.refusal(of: both)?.code == .exists)
        found = try self.user(juliet, client)
        #expect(found.displayName == nil && found.externalID == nil)
        _ = try client.count(.people(.edit(AdminUserEdit(name: romeo, displayName: "", externalID: ""))))
        found = try self.user(romeo, client)
        #expect(found.displayName == nil && found.externalID == nil)
        #expect(
            client.refusal(of: .people(.edit(AdminUserEdit(name: UserName("x")!, displayName: "X"))))?.code == .notFound
        )
        guard case .audit(.list(let entries, nil)) = try client.ask(.audit(.list(AuditQuery()))) else { return }
        #expect(entries.map(\.entry.word) == ["user.edit", "user.edit"])
        #expect(entries[0].entry.before?.contains(#""displayName":"R""#) == true)
    }

    @Test("another role ends the sessions, the same one does not")
    func role() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        try fixture.signIn("romeo", .app, handle: 1)
        let client = try fixture.client()
        #expect(try client.count(.people(.edit(AdminUserEdit(name: romeo, role: .member)))) == 0)
        #expect(try client.count(.people(.edit(AdminUserEdit(name: romeo, role: .administrator)))) == 1)
        #expect(try self.user(romeo, client).role == .administrator)
    }

    @Test("a preview says what an import would do, and does nothing")
    func preview() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let rows = [
            AdminImportRow(name: romeo), AdminImportRow(name: juliet), AdminImportRow(name: juliet),
            AdminImportRow(name: UserName("nurse")!, displayName: "a\nb"), AdminImportRow(name: systemUserName),
        ]
        guard case .previewed(let found) = try client.ask(.people(.preview(rows))) else { return }
        #expect(found.map(\.outcome) == [.exists, .new, .again, .refused, .refused])
        #expect(found.map { $0.problem != nil } == [false, false, false, true, true])
        #expect(client.refusal(of: .showUser(juliet))?.code == .notFound)
    }

    @Test("a filter ends the sessions it means; a dry run only says which")
    func filter() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        try fixture.signIn("romeo", .app, handle: 1)
        try fixture.signIn("romeo", .web, handle: 2)
        try fixture.signIn("juliet", .web, handle: 3)
        let client = try fixture.client()
        let web = AdminSessionFilter(device: .web, address: "127.0.0.")
        guard case .sessions(let meant, nil) = try client.ask(.people(.endSessions(web, isDryRun: true))) else {
            return
        }
        #expect(meant.map(\.device) == [.web, .web])
        #expect(try client.sessions().count == 3)
        #expect(try client.count(.people(.endSessions(AdminSessionFilter(isEncrypted: true), isDryRun: false))) == 0)
        #expect(try client.count(.people(.endSessions(web, isDryRun: false))) == 2)
        #expect(try client.sessions().map(\.device) == [.app])
        #expect(
            client.refusal(of: .people(.endSessions(AdminSessionFilter(), isDryRun: false)))?.code == .invalid)
    }
}
