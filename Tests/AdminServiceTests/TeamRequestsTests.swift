import AdminAPI
import ByteCodec
import ChatModel
import Execution
import Store
import Testing

@Suite("Requests about teams") struct TeamRequestsTests {
    private let tybalt = UserName("tybalt")!

    private func furnished(_ form: TeamForm = .advanced) throws -> (Fixture, AdminClient) {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet", "tybalt")
        try fixture.signIn("juliet", .app, handle: 1)
        let client = try fixture.client()
        _ = try client.ask(
            .teams(.create(AdminNewTeam(name: verona, form: form, owner: romeo, members: [juliet]))))
        return (fixture, client)
    }

    private func team(_ client: AdminClient) throws -> AdminTeam {
        guard case .teams(.team(let team)) = try client.ask(.teams(.show(verona))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return team
    }

    private func requests(_ client: AdminClient, waiting: Bool = true) throws -> [AdminJoinRequest] {
        let query = AdminJoinQuery(team: verona, onlyWaiting: waiting)
        guard case .teams(.requests(let requests, nil)) = try client.ask(.teams(.requests(query))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return requests
    }

    /// The lines that the server left in the team, oldest first, once juliet has got so many.
    private func tips(_ fixture: Fixture, _ count: Int) throws -> [JSONValue] {
        fixture.outlet.wait { $0.received.count >= count }
        return try fixture.outlet.received.map { try JSONValue(parsing: Array($0.utf8)) }
    }

    @Test("a team is made, changed and shown, and every change leaves its line")
    func changes() throws {
        let (fixture, client) = try self.furnished()
        var patch = AdminTeamPatch()
        patch.title = "维罗纳"
        patch.introduction = "fair"
        patch.modes.join = .approval
        patch.modes.mute = .members
        patch.memberLimit = 20
        #expect(try client.count(.teams(.set(verona, patch))) > 0)
        #expect(try client.count(.teams(.set(verona, patch))) == 0)
        #expect(try client.count(.teams(.setRole(verona, [juliet], .manager))) == 1)
        let before = Clock.system.wallMilliseconds()
        #expect(try client.count(.teams(.mute(verona, juliet, true, minutes: 5))) == 1)
        let fiveMinutes = before + 300_000...Clock.system.wallMilliseconds() + 300_000
        #expect(fiveMinutes.contains(try fixture.mutedUntil(juliet, in: verona)))
        #expect(try client.count(.teams(.announce(verona, title: "T", text: "tonight"))) == 1)
        _ = try client.ask(.teams(.setNickname(verona, juliet, "J")))
        let shown = try self.team(client)
        #expect(shown.conversation.title == "维罗纳" && shown.introduction == "fair" && shown.memberLimit == 20)
        #expect(shown.modes.join == .approval && shown.modes.mute == .members && shown.modes.invite == .managers)
        #expect(shown.announcement?.body == "tonight" && shown.announcement?.title == "T" && shown.owner == romeo)
        #expect(shown.members.map(\.role) == [.owner, .manager])
        let tips = try self.tips(fixture, 8)
        let events = tips.compactMap { $0["team_event"]?["event"]?.string }
        #expect(
            events == [
                "invited", "updated", "updated", "updated", "allMuted", "managerAdded", "muted", "updated",
            ])
        #expect(tips[0]["content"]?.string == "{0}邀请{1}进入了群" && tips[0]["type"]?.integer == 1_002)
        #expect(tips[0]["extra"]?.array?.map { $0["uid"]?.string } == ["romeo", "juliet"])
        #expect(tips[4]["data"]?["forbidden"]?.string == "1" && tips[4]["type"]?.integer == 1_005)
        #expect(tips[6]["content"]?.string == "{0}被系统管理员禁言")
    }

    @Test("the older words for groups leave the same lines, and none for what is so already")
    func groupLines() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet", "tybalt")
        try fixture.signIn("juliet", .app, handle: 1)
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, owner: romeo, members: [romeo, juliet]))))
        let once: [AdminRequest] = [
            .teams(.add(verona, [self.tybalt])),
            .teams(.mute(verona, self.tybalt, true, minutes: 5)),
            .teams(.mute(verona, self.tybalt, false, minutes: nil)), .teams(.remove(verona, [self.tybalt])),
            .teams(.mute(verona, .members)), .teams(.mute(verona, .none)), .teams(.setNotice(verona, "tonight")),
            .teams(.setBanned(verona, true)), .teams(.setBanned(verona, false)),
        ]
        for request in once { #expect(try client.count(request) == 1, "\(request)") }
        let again: [AdminRequest] = [
            .teams(.add(verona, [juliet])), .teams(.remove(verona, [self.tybalt])),
            .teams(.mute(verona, .none)),
            .teams(.setNotice(verona, "tonight")), .teams(.setBanned(verona, false)),
        ]
        for request in again { #expect(try client.count(request) == 0, "\(request)") }
        _ = try client.ask(.teams(.add(verona, [self.tybalt])))
        let tips = try self.tips(fixture, 8)
        #expect(
            tips.compactMap { $0["team_event"]?["event"]?.string } == [
                "invited", "muted", "unmuted", "removed", "allMuted", "allUnmuted", "updated", "invited",
            ])
        #expect(tips[1]["content"]?.string == "{0}被系统管理员禁言")
    }

    @Test("a dismissed team says so in itself, is dismissed once, and nobody comes in any more")
    func dismissed() throws {
        let (fixture, client) = try self.furnished()
        #expect(try client.count(.teams(.dismiss(verona))) == 1)
        #expect(try client.count(.teams(.dismiss(verona))) == 0)
        #expect(try self.tips(fixture, 2).last?["team_event"]?["event"]?.string == "dismissed")
        #expect(client.refusal(of: .teams(.apply(verona, self.tybalt, postscript: "")))?.code == .refused)
        #expect(client.refusal(of: .send(AdminSend(from: romeo, to: .group(verona), text: "x")))?.code == .refused)
    }

    @Test("a member's invitation asks, the operator's does not, and requests are answered by number")
    func requests() throws {
        let (fixture, client) = try self.furnished()
        let invite = AdminTeamRequest.invite(verona, [self.tybalt], from: romeo, postscript: "come")
        guard case .teams(.invited(let invited)) = try client.ask(.teams(invite)) else {
            Issue.record("no answer")
            return
        }
        #expect(invited.asked == [self.tybalt] && invited.added.isEmpty)
        let waiting = try self.requests(client)
        #expect(waiting.map(\.person) == [self.tybalt] && waiting[0].inviter == romeo)
        #expect(try self.team(client).waitingRequests == 1)
        guard
            case .teams(.request(let done)) = try client.ask(
                .teams(.answer(waiting[0].number, accept: true, reason: "")))
        else {
            Issue.record("no answer")
            return
        }
        #expect(done.state == .accepted)
        #expect(try self.requests(client) == [])
        #expect(try self.requests(client, waiting: false).map(\.state) == [.accepted])
        #expect(client.refusal(of: .teams(.answer(waiting[0].number, accept: false, reason: "")))?.code == .refused)
        #expect(try self.tips(fixture, 2).last?["content"]?.string == "{0}接受{1}的邀请进群")
        #expect(try client.count(.teams(.remove(verona, [self.tybalt]))) == 1)
        let added = AdminTeamRequest.invite(verona, [self.tybalt], from: nil, postscript: "")
        guard case .teams(.invited(let second)) = try client.ask(.teams(added)) else {
            Issue.record("no answer")
            return
        }
        #expect(second.added == [self.tybalt])
    }

    @Test("the owner is another one, and the old one is gone when they wanted")
    func transfer() throws {
        let (fixture, client) = try self.furnished()
        #expect(try client.count(.teams(.transfer(verona, to: juliet, andLeaves: true))) == 2)
        let shown = try self.team(client)
        #expect(shown.owner == juliet && shown.members.map(\.name) == [juliet])
        let events = try self.tips(fixture, 3).compactMap { $0["team_event"]?["event"]?.string }
        #expect(events == ["invited", "ownerChanged", "left"])
    }

    @Test("a card is of who looks, with the setting that keeps them from a row")
    func card() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        func rows(_ viewer: UserName?, member: UserName? = nil) throws -> [AdminCardRow] {
            let query = AdminCardQuery(team: verona, viewer: viewer, member: member, hidden: [.pinned])
            guard case .teams(.card(let rows)) = try client.ask(.teams(.card(query))) else {
                throw AdminError(.protocolError, "another answer was due")
            }
            return rows
        }
        let name = try #require(try rows(juliet).first { $0.name == .name })
        #expect(!name.isEditable && name.refusal == "update-info-mode" && name.value == "verona")
        #expect(try rows(romeo).first { $0.name == .name }?.isEditable == true)
        #expect(try rows(romeo).contains { $0.name == .dismiss })
        #expect(try !rows(juliet).contains { $0.name == .dismiss || $0.name == .pinned })
        let inviter = try rows(romeo, member: juliet).first { $0.name == .memberInviter }
        #expect(inviter?.value == "romeo")
    }

    @Test("what a team of this form does not have, and who and what is unknown, is refused")
    func refused() throws {
        let (fixture, client) = try self.furnished(.normal)
        defer { withExtendedLifetime(fixture) {} }
        #expect(client.refusal(of: .teams(.setRole(verona, [juliet], .manager)))?.code == .refused)
        #expect(client.refusal(of: .teams(.announce(verona, title: nil, text: "x")))?.code == .refused)
        #expect(client.refusal(of: .teams(.setRole(verona, [juliet], .owner)))?.code == .invalid)
        #expect(client.refusal(of: .teams(.show(ChannelName("mantua")!)))?.code == .notFound)
        #expect(client.refusal(of: .teams(.remove(verona, [UserName("nobody")!])))?.code == .notFound)
        #expect(client.refusal(of: .teams(.mute(verona, juliet, true, minutes: 0)))?.code == .invalid)
        #expect(client.refusal(of: .teams(.answer(9, accept: true, reason: "")))?.code == .refused)
        let again = AdminNewTeam(name: verona, form: .normal, members: [])
        #expect(client.refusal(of: .teams(.create(again)))?.code == .exists)
    }
}
