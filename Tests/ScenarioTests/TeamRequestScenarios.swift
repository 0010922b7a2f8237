import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// People ask to join teams over HTTP, and answer each other.
struct TeamRequestScenarios {
    /// A team of an owner, a manager and a member; `outsider` and `other` are none of it.
    private func team(_ server: TestServer, _ name: String, join: TeamJoinMode, form: TeamForm = .advanced) throws {
        try server.add("owner", "manager", "member", "outsider", "other")
        let (owner, manager, member) = (try server.id("owner"), try server.id("manager"), try server.id("member"))
        let channel = ChannelName(name)!
        try server.write { store throws(StoreError) in
            var modes = TeamModesPatch()
            if form == .advanced { modes.join = join }
            let id = try store.teams.create(
                channel, NewTeam(form: form, owner: owner, members: [manager, member], modes: modes))
            if form == .advanced { _ = try store.conversations.setRoles([manager], .manager, in: id, by: .operator) }
        }
    }

    private func apply(
        _ server: TestServer, _ token: String, _ team: String, _ json: String = #"{"postscript":"tea?"}"#
    ) throws -> (status: Int, json: JSONValue) {
        try server.http("POST", "/api/v1/teams/\(team)/apply", token: token, json: json)
    }

    private func list(_ server: TestServer, _ token: String, _ query: String = "") throws -> [JSONValue] {
        let reply = try server.http("GET", "/api/v1/requests\(query)", token: token)
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json["items"]?.array ?? []
    }

    private func answer(
        _ server: TestServer, _ token: String, _ number: Int64, _ word: String
    ) throws -> (status: Int, json: JSONValue) {
        try server.http("POST", "/api/v1/requests/\(number)/\(word)", token: token, json: #"{"reason":"so"}"#)
    }

    /// Events of the lines in a team, once there are so many: they come after the answer. Each question is
    /// a request, so that the server's threads have had their turn.
    private func events(_ server: TestServer, _ team: String, _ token: String, count: Int) throws -> [String] {
        for _ in 0..<5000 {
            _ = try self.list(server, token)
            let found = try server.history(.channel(.group, ChannelName(team)!), seenBy: "owner").compactMap {
                (try? JSONValue(parsing: $0.content.body))?["team_event"]?["event"]?.string
            }
            if found.count >= count { return found }
        }
        throw TestClientError(description: "the line never came")
    }

    @Test("who may apply is the same in every mode for every role, and the setting that says no is named")
    func applying() throws {
        let server = try TestServer.withFiles()
        var tokens: [String: String] = [:]
        for name in ["owner", "manager", "member", "outsider"] { tokens[name] = try server.token(name) }
        for mode in TeamJoinMode.allCases { try self.team(server, "team\(mode.rawValue)", join: mode) }
        try self.team(server, "normal", join: .closed, form: .normal)
        for mode in TeamJoinMode.allCases {
            let team = "team\(mode.rawValue)"
            for role in ["owner", "manager", "member"] {
                let inside = try self.apply(server, tokens[role]!, team)
                #expect(inside.status == 409 && inside.json["setting"]?.string == "already-member")
                #expect(inside.json["status"]?.integer == 409 && inside.json["error"]?.string?.isEmpty == false)
            }
            let outside = try self.apply(server, tokens["outsider"]!, team)
            switch mode {
            case .open:
                #expect(outside.status == 200 && outside.json["joined"]?.boolean == true)
                #expect(try self.apply(server, tokens["outsider"]!, team).json["setting"]?.string == "already-member")
            case .approval:
                #expect(outside.status == 200 && outside.json["joined"]?.boolean == false)
                let request = outside.json["request"]
                #expect(request?["kind"]?.string == "apply" && request?["state"]?.string == "waiting")
                #expect(request?["postscript"]?.string == "tea?" && request?["can_withdraw"]?.boolean == true)
                #expect(request?["can_answer"]?.boolean == false && request?["team"]?.string == team)
            case .closed: #expect(outside.status == 403 && outside.json["setting"]?.string == "join-mode")
            }
        }
        let normal = try self.apply(server, tokens["outsider"]!, "normal")
        #expect(normal.status == 400 && normal.json["setting"]?.string == "form")
        let nowhere = try self.apply(server, tokens["outsider"]!, "nowhere")
        #expect(nowhere.status == 404 && nowhere.json["setting"] == nil)
        #expect(try self.apply(server, "wrong", "team0").status == 401)
        // Only coming in leaves a line.
        #expect(try self.events(server, "team0", tokens["outsider"]!, count: 1) == ["joined"])
        #expect(try self.events(server, "team1", tokens["outsider"]!, count: 0) == [])
    }

    @Test(
        "an application is answered by managers and the owner, and taken back by who made it",
        arguments: ["owner", "manager", "member", "outsider", "other"])
    func answering(_ role: String) throws {
        let server = try TestServer.withFiles()
        let (outsider, asker) = (try server.token("outsider"), try server.token(role))
        try self.team(server, "tea", join: .approval)
        let made = try self.apply(server, outsider, "tea")
        let number = try #require(made.json["request"]?["number"]?.integer)
        let mayAnswer = role == "owner" || role == "manager"
        let seen = try self.list(server, asker, "?waiting=true")
        #expect(seen.map { $0["id"]?.string } == (mayAnswer || role == "outsider" ? [String(number)] : []))
        #expect(seen.allSatisfy { $0["canAnswer"]?.boolean == mayAnswer })
        #expect(seen.allSatisfy { $0["canWithdraw"]?.boolean == (role == "outsider") })
        for word in ["accept", "refuse"] where !mayAnswer {
            let refused = try self.answer(server, asker, number, word)
            #expect(refused.status == (role == "member" ? 403 : 404))
            #expect(refused.json["setting"]?.string == (role == "member" ? "role-manager" : nil))
        }
        let withdrawn = try self.answer(server, asker, number, "withdraw")
        #expect(withdrawn.status == (role == "outsider" ? 200 : 404))
        guard mayAnswer else {
            #expect(try self.events(server, "tea", asker, count: 0) == [])
            return
        }
        let accepted = try self.answer(server, asker, number, "accept")
        #expect(accepted.status == 200 && accepted.json["state"]?.string == "accepted")
        #expect(accepted.json["answered_by"]?.string == role && accepted.json["can_answer"]?.boolean == false)
        #expect(try self.events(server, "tea", asker, count: 1) == ["applicationPassed"])
        #expect(try self.answer(server, asker, number, "refuse").status == 410)
        #expect(try self.list(server, outsider).map { $0["state"]?.string } == ["accepted"])
        #expect(try self.list(server, outsider, "?waiting=true") == [])
    }

    @Test(
        "an invitation is answered by whom it asks alone, and taken back by who invited",
        arguments: ["owner", "manager", "member", "outsider", "other"])
    func invitations(_ role: String) throws {
        let server = try TestServer.withFiles()
        let asker = try server.token(role)
        try self.team(server, "tea", join: .closed)
        let (manager, outsider) = (try server.id("manager"), try server.id("outsider"))
        try server.write { store throws(StoreError) in
            guard let team = try store.reading.conversations.one(.channel(.group, ChannelName("tea")!), seenBy: .system)
            else { return }
            _ = try store.teams.invite([outsider], to: team.id, postscript: "come", by: Actor(manager))
        }
        let seen = try self.list(server, asker)
        #expect(seen.count == (role == "manager" || role == "outsider" ? 1 : 0))
        guard role == "outsider" else {
            #expect(try self.answer(server, asker, 1, "accept").status == 404)
            let withdrawn = try self.answer(server, asker, 1, "withdraw")
            #expect(withdrawn.status == (role == "manager" ? 200 : 404))
            return
        }
        #expect(seen[0]["from"]?["name"]?.string == "manager" && seen[0]["canAnswer"]?.boolean == true)
        #expect(try self.answer(server, asker, 1, "withdraw").status == 404)
        let refused = try self.answer(server, asker, 1, "refuse")
        #expect(refused.json["state"]?.string == "refused" && refused.json["reason"]?.string == "so")
        #expect(try self.answer(server, asker, 1, "accept").status == 410)
    }

    @Test("a full team says so by the setting's name, and the request goes on to wait")
    func full() throws {
        let server = try TestServer.withFiles()
        let (outsider, manager) = (try server.token("outsider"), try server.token("manager"))
        try self.team(server, "tea", join: .approval)
        let made = try self.apply(server, outsider, "tea")
        let number = try #require(made.json["request"]?["number"]?.integer)
        try server.write { store throws(StoreError) in
            guard let team = try store.reading.conversations.one(.channel(.group, ChannelName("tea")!), seenBy: .system)
            else { return }
            try store.teams.setMemberLimit(of: team.id, 3, by: .operator)
        }
        let full = try self.answer(server, manager, number, "accept")
        #expect(full.status == 400 && full.json["setting"]?.string == "full")
        #expect(try self.list(server, manager, "?waiting=true").count == 1)
        #expect(try self.answer(server, manager, 99, "accept").status == 404)
        #expect(try server.http("POST", "/api/v1/requests/x/accept", token: manager, json: "{}").status == 404)
        let long = String(repeating: "x", count: TeamBounds.postscriptScalars + 1)
        #expect(try self.apply(server, outsider, "tea", #"{"postscript":"\#(long)"}"#).status == 400)
    }
}

/// People read what the operator announced, and confirm it; who was deleted does neither.
struct AnnouncementScenarios {
    @Test("an announcement comes as a message, is read again, and confirmed once")
    func confirm() throws {
        let server = try TestServer.withFiles()
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        let client = try server.connect("ann", token: ann)
        defer { withExtendedLifetime(client) {} }
        try server.group("tea", ["ann"])
        #expect(server.ctl("notice", "send", "tonight", "--title", "Tea", "--team", "tea").code == .done)
        let reply = try self.announcements(server, ann) { !$0.isEmpty }
        #expect(reply[0]["title"]?.string == "Tea" && reply[0]["body"]?.string == "tonight")
        #expect(reply[0]["confirmedAt"] == nil && reply[0]["needsConfirmation"]?.boolean == true)
        let number = try #require(reply[0]["id"]?.string)
        let path = "/api/v1/notices/\(number)/confirm"
        #expect(try server.http("POST", path, token: ann, json: "{}").status == 204)
        let first = try self.announcements(server, ann) { _ in true }[0]["confirmedAt"]
        #expect(first?.integer ?? 0 > 0)
        #expect(try server.http("POST", path, token: ann).status == 204)
        #expect(try server.http("POST", path, token: bob).status == 404)
        #expect(try server.http("POST", "/api/v1/notices/x/confirm", token: ann).status == 400)
        #expect(try self.announcements(server, bob) { _ in true } == [])
        #expect(try self.announcements(server, ann) { _ in true }[0]["confirmedAt"] == first)
        #expect(server.ctl("notice", "show", number, "--people", "confirmed").output.contains("ann"))
    }

    /// Asks until they are as wanted: each question is a request, so that the server's threads have had their turn.
    private func announcements(
        _ server: TestServer, _ token: String, until isWanted: ([JSONValue]) -> Bool
    ) throws -> [JSONValue] {
        for _ in 0..<5000 {
            let rows = try server.http("GET", "/api/v1/notices", token: token).json["items"]?.array ?? []
            if isWanted(rows) { return rows }
        }
        throw TestClientError(description: "the announcement never came")
    }

    @Test("a deleted person is nobody at every door, and what they said is there")
    func deleted() throws {
        let server = try TestServer.withFiles()
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        let tea = try server.group("tea", ["bob", "ann"])
        try server.name("ann", "Ann")
        let client = try server.connect("ann", token: ann)
        defer { withExtendedLifetime(client) {} }
        #expect(server.ctl("send", "--from", "ann", "--group", "tea", "farewell").code == .done)
        #expect(server.ctl("user", "delete", "ann", "--yes").output == "user ann deleted, 1 sessions closed\n")
        #expect(try server.http("GET", "/api/v1/notices", token: ann).status == 401)
        #expect(throws: (any Error).self) { try server.connect("ann", token: ann) }
        let shown = try server.profile("ann", token: bob)
        #expect(shown["name"]?.string == "ann" && shown["display_name"] == .null)
        let history = try server.history(.channel(.group, ChannelName("tea")!), seenBy: "bob")
        #expect(history.contains { $0.senderName.text == "ann" })
        #expect(
            try server.manage("/user/token", #"{"uid":"ann","token":"x","device_flag":0,"device_level":1}"#).status
                >= 400)
        #expect(try server.manage("/message/send", Self.message).status >= 400)
        let id = try server.id("ann")
        let member = try server.server.store.readAndWait { store throws(StoreError) in
            try store.conversations.member(id, in: tea)
        }
        #expect(member == nil)
    }

    private static let message =
        #"{"from_uid":"bob","channel_id":"ann","channel_type":1,"payload":"eyJ0eXBlIjoxLCJjb250ZW50IjoieCJ9"}"#
}
