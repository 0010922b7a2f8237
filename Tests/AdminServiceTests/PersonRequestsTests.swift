import AdminAPI
import ByteCodec
import ChatModel
import Execution
import Store
import Testing

@Suite("A whole person, and announcements, for operators") struct PersonRequestsTests {
    private func details(_ name: UserName, _ client: AdminClient) throws -> AdminPersonDetails {
        guard case .details(let details) = try client.ask(.people(.details(name))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return details
    }

    private func entries(_ client: AdminClient) throws -> [AuditEntry] {
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery()))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return entries.map(\.entry)
    }

    @Test("a page about a person has friends, conversations, teams, files, tokens and the last ends")
    func details() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        try fixture.store.writeAndWait { store throws(StoreError) in
            let (one, other) = (try store.people.ensureUser(romeo).id, try store.people.ensureUser(juliet).id)
            try store.friends.make(one, other)
            try store.friends.setRemark(other, of: one, "J")
        }
        let team = AdminNewTeam(name: verona, form: .advanced, owner: juliet, members: [romeo])
        _ = try client.ask(.teams(.create(team)))
        _ = try client.ask(.send(AdminSend(from: juliet, to: .user(romeo), text: "hist")))
        _ = try client.ask(.issueToken(romeo, .web, .primary))
        try fixture.signIn("romeo", .app, handle: 1)
        _ = try client.ask(.endSessions(ids: [], user: romeo))
        let found = try self.details(romeo, client)
        #expect(found.friendCount == 1 && found.friends.map(\.name) == [juliet] && found.friends[0].remark == "J")
        #expect(found.teamCount == 1 && found.teams.map(\.team) == [verona] && found.teams[0].role == .member)
        let talk = try #require(found.recent.first { $0.kind == .direct })
        #expect(talk.conversation == "juliet,romeo" && talk.unread == 1 && talk.badge == 1)
        #expect(found.files.count == 0 && found.files.bytes == 0 && found.files.quotaBytes ?? 0 > 0)
        #expect(found.tokens.map(\.token.device) == [.web] && found.tokens[0].issuedAtMilliseconds > 0)
        #expect(found.ends.map(\.reason) == ["kicked"] && found.ends[0].deviceID == "phone-1")
        #expect(try self.details(juliet, client).ends == [])
        #expect(client.refusal(of: .people(.details(UserName("nobody")!)))?.code == .notFound)
    }

    @Test("a deleted person is signed out, leaves their teams with a line, and the audit log says what went")
    func delete() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet", "tybalt")
        let client = try fixture.client()
        let team = AdminNewTeam(name: verona, form: .advanced, owner: romeo, members: [juliet, UserName("tybalt")!])
        try fixture.signIn("juliet", .app, handle: 1)
        _ = try client.ask(.teams(.create(team)))
        try fixture.signIn("romeo", .app, handle: 2)
        _ = try client.ask(.issueToken(romeo, .app, .primary))
        #expect(try client.count(.people(.delete(romeo))) == 1)
        fixture.outlet.wait { $0.ended[2] == .disabled && $0.received.count >= 3 }
        let events = try fixture.outlet.received.map {
            try JSONValue(parsing: Array($0.utf8))["team_event"]?["event"]?.string
        }
        // The lines go to everybody who is there: romeo's device is none of them any more.
        #expect(events.suffix(2) == ["ownerChanged", "left"])
        let entry = try #require(try self.entries(client).first)
        #expect(entry.word == "user.delete" && entry.subject == "romeo" && entry.stage == .done)
        #expect(entry.before?.contains(#""deleted":false"#) == true && entry.before?.contains(#""tokens":1"#) == true)
        #expect(entry.after?.contains(#""deleted":true"#) == true && entry.after?.contains(#""teams":0"#) == true)
        #expect(try self.details(romeo, client).deletedAtMilliseconds != nil)
        let refused: [AdminRequest] = [
            .people(.delete(romeo)), .setDisabled(romeo, false), .setPassword(romeo, "a cup of longjing"),
            .issueToken(romeo, .app, .primary), .setSendBanned(romeo, false),
            .teams(.add(verona, [romeo])),
            .people(.edit(AdminUserEdit(name: romeo, displayName: "R"))),
            .send(AdminSend(from: juliet, to: .user(romeo), text: "?")), .people(.delete(systemUserName)),
            .profiles(.set(AdminProfileChange(name: romeo, displayName: "R"))),
        ]
        for request in refused { #expect(client.refusal(of: request) != nil, "\(request)") }
        #expect(client.refusal(of: .addUser(AdminNewUser(name: romeo)))?.code == .exists)
        guard case .previewed(let previews) = try client.ask(.people(.preview([AdminImportRow(name: romeo)]))) else {
            return
        }
        #expect(previews.map(\.outcome) == [.refused])
    }

    @Test("an announcement reaches everybody as a message of the house, and says who confirmed it")
    func announce() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        try fixture.signIn("romeo", .app, handle: 1)
        let client = try fixture.client()
        client.who = AdminOperator(name: "ming")
        let send = AdminRequest.announcements(.send(AdminNewAnnouncement(title: "T", text: "tea\nat eight")))
        guard case .announcements(.one(let made, let people, nil)) = try client.ask(send) else { return }
        #expect(made.number == 1 && made.sender == "ming" && people == [])
        fixture.outlet.wait { $0.received.count == 1 }
        let body = try JSONValue(parsing: Array(fixture.outlet.received[0].utf8))
        #expect(body["content"]?.string == "T\ntea\nat eight" && body["notice"]?.integer == 1)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.announcements.confirm(1, by: try store.people.ensureUser(romeo).id)
        }
        let show = AdminRequest.announcements(.show(1, .confirmed, after: nil))
        guard case .announcements(.one(let shown, let confirmed, nil)) = try client.ask(show) else { return }
        #expect(shown.receivers == 2 && shown.confirmed == 1 && confirmed.map(\.name) == [romeo])
        guard case .announcements(.list(let all, nil)) = try client.ask(.announcements(.list(before: nil))) else {
            return
        }
        #expect(all.map(\.number) == [1])
        #expect(try self.entries(client).first?.word == "notice.send")
    }

    @Test("two announcements in a row, one for a team, come in their order and once to each")
    func twoInARow() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        try fixture.signIn("romeo", .app, handle: 1)
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, form: .normal, owner: juliet, members: []))))
        _ = try client.ask(.announcements(.send(AdminNewAnnouncement(text: "for verona", teams: [verona]))))
        _ = try client.ask(.announcements(.send(AdminNewAnnouncement(text: "for all"))))
        fixture.outlet.wait { $0.received.contains { $0.contains("for all") } }
        #expect(fixture.outlet.received.count == 1)
    }

    @Test("one without words, with control characters, or for nobody is refused and leaves no trace")
    func wrongAnnouncements() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let wrong = [
            AdminNewAnnouncement(text: " \n"), AdminNewAnnouncement(text: "a\u{1B}[2J"),
            AdminNewAnnouncement(title: "a\nb", text: "t"),
            AdminNewAnnouncement(text: "t", teams: [verona]),
            AdminNewAnnouncement(text: String(repeating: "x", count: AnnouncementBounds.textBytes + 1)),
        ]
        for notice in wrong { #expect(client.refusal(of: .announcements(.send(notice))) != nil) }
        #expect(client.refusal(of: .announcements(.show(1, .all, after: nil)))?.code == .notFound)
        #expect(try self.entries(client) == [])
    }
}
