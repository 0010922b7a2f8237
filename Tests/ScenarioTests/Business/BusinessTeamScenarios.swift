import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Teams that an operator has made, through the gateway of apps that know nothing of forms and modes.
struct BusinessTeamScenarios {
    /// Requests of an app, and what each is in a team; `juliet` is a member, `tybalt` is outside.
    struct Asking: CustomTestStringConvertible, Sendable {
        let action: TeamAction
        let method: String
        let path: String
        var body = ""

        var testDescription: String { "\(self.method) \(self.path)" }
    }

    static let askings: [Asking] = [
        Asking(action: .updateInfo, method: "PUT", path: "", body: #"{"name":"Mantua"}"#),
        Asking(action: .announce, method: "PUT", path: "", body: #"{"notice":"tonight"}"#),
        Asking(action: .updateAttributes, method: "PUT", path: "", body: #"{"forbidden_add_friend":1}"#),
        Asking(action: .setMode(.invite), method: "PUT", path: "", body: #"{"invite":1}"#),
        Asking(action: .setMode(.mute), method: "POST", path: "/forbidden/1"),
        Asking(action: .invite, method: "POST", path: "/members", body: #"{"members":["tybalt"]}"#),
        Asking(action: .remove(.member), method: "DELETE", path: "/members", body: #"{"members":["juliet"]}"#),
        Asking(action: .remove(.owner), method: "DELETE", path: "/members", body: #"{"members":["escalus"]}"#),
        Asking(action: .leave, method: "POST", path: "/exit"),
        Asking(action: .transferOwnership, method: "POST", path: "/transfer/juliet"),
        Asking(action: .changeRole(.member), method: "POST", path: "/managers", body: #"["juliet"]"#),
        Asking(action: .changeLists, method: "POST", path: "/blacklist/add", body: #"{"uids":["juliet"]}"#),
        Asking(
            action: .mute(.member), method: "POST", path: "/forbidden_with_member",
            body: #"{"member_uid":"juliet","action":1,"key":1}"#),
        Asking(action: .rename(.member), method: "PUT", path: "/members/juliet", body: #"{"remark":"J"}"#),
        Asking(action: .dismiss, method: "DELETE", path: "/disband"),
    ]

    static let roles: [(String, MemberRole)] = [("romeo", .member), ("mercutio", .manager), ("escalus", .owner)]

    private func furnished() throws -> (TestServer, [String: UserID]) {
        let server = try TestServer()
        let names = ["escalus", "mercutio", "romeo", "juliet", "tybalt"]
        for name in names { try server.add(name) }
        let ids = try server.write { store throws(StoreError) in
            var ids: [String: UserID] = [:]
            for name in names { ids[name] = try store.reading.people.user(named: UserName(name)!)?.id }
            return ids
        }
        return (server, ids)
    }

    private func make(
        _ server: TestServer, _ ids: [String: UserID], _ name: String, _ form: TeamForm, _ modes: TeamModesPatch
    ) throws -> Team {
        try server.write { store throws(StoreError) in
            let id = try store.teams.create(
                ChannelName(name)!,
                NewTeam(
                    form: form, owner: ids["escalus"]!,
                    members: [ids["mercutio"]!, ids["romeo"]!, ids["juliet"]!], modes: modes))
            if form == .advanced {
                _ = try store.conversations.setRoles([ids["mercutio"]!], .manager, in: id, by: .operator)
            }
            return try store.reading.teams.one(id, at: store.wallMilliseconds)!
        }
    }

    @Test("what the rules say, an app is told in the words of its API", arguments: TeamForm.allCases)
    func rights(_ form: TeamForm) throws {
        let (server, ids) = try self.furnished()
        var everyone = TeamModesPatch()
        everyone.invite = .everyone
        everyone.updateInfo = .everyone
        everyone.updateAttributes = .everyone
        everyone.ownerLeaving = .successor
        // A normal team has no modes.
        let rounds: [TeamModesPatch] = form == .normal ? [TeamModesPatch()] : [TeamModesPatch(), everyone]
        for (round, modes) in rounds.enumerated() {
            for (name, role) in Self.roles where form == .advanced || role != .manager {
                let app = try App(server, name)
                for (number, asking) in Self.askings.enumerated() {
                    let team = try self.make(server, ids, "\(name)-\(round)-\(number)", form, modes)
                    let due = teamRefusal(asking.action, team.facts(.user, role: role))?.action.description
                    let path = "groups/\(team.conversation.channel!.text)\(asking.path)"
                    let answer = try app.ask(asking.method, path, asking.body)
                    let said = answer.status == 200 ? nil : answer.json["msg"]?.string
                    #expect(said == due, "\(asking) by \(name), round \(round)")
                }
            }
        }
    }

    @Test("whom an app brings in is asked first where the team wants it, and in at once where it does not")
    func asked() throws {
        let (server, ids) = try self.furnished()
        let escalus = try App(server, "escalus")
        let team = try self.make(server, ids, "verona", .advanced, TeamModesPatch())
        try escalus.does("POST", "groups/verona/members", #"{"members":["tybalt"]}"#)
        #expect(try escalus.does("GET", "groups/verona")["member_count"]?.integer == 4)
        let id = team.conversation.id
        let waiting = try server.write { store throws(StoreError) in
            var query = TeamRequestQuery()
            query.team = id
            return try store.reading.teams.requests(query, at: store.wallMilliseconds)
        }
        #expect(waiting.map(\.personName) == [UserName("tybalt")] && waiting[0].inviter == ids["escalus"])
        _ = try server.write { store throws(StoreError) in
            try store.teams.answerRequest(waiting[0].number, accept: true, by: Actor(ids["tybalt"]!))
        }
        #expect(try App(server, "tybalt").does("GET", "groups/verona")["member_count"]?.integer == 5)
        _ = try self.make(server, ids, "mantua", .normal, TeamModesPatch())
        try App(server, "romeo").does("POST", "groups/mantua/members", #"{"members":["tybalt"]}"#)
        #expect(try escalus.does("GET", "groups/mantua")["member_count"]?.integer == 5)
    }

    @Test("a team where nobody may speak is muted for apps, and their switch lets everybody speak")
    func muted() throws {
        let (server, ids) = try self.furnished()
        var modes = TeamModesPatch()
        modes.mute = .everyone
        let team = try self.make(server, ids, "verona", .advanced, modes)
        let escalus = try App(server, "escalus")
        #expect(try escalus.does("GET", "groups/verona")["forbidden"]?.integer == 1)
        try escalus.does("POST", "groups/verona/forbidden/0")
        #expect(try escalus.does("GET", "groups/verona")["forbidden"]?.integer == 0)
        let id = team.conversation.id
        let flags = try server.write { store throws(StoreError) in try store.reading.conversations.one(id)?.flags }
        #expect(flags?.muteMode == TeamMuteMode.none)
    }
}
