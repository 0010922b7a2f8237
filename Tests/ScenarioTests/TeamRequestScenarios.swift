import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// People ask to join teams over HTTP, and answer each other.
struct TeamRequestScenarios {
    /// A team of an owner, a manager and a member; `outsider` and `other` are none of it.
    private func team(_ house: House, _ name: String, join: TeamJoinMode, form: TeamForm = .advanced) throws {
        try house.add("owner", "manager", "member", "outsider", "other")
        let (owner, manager, member) = (try house.id("owner"), try house.id("manager"), try house.id("member"))
        let channel = ChannelName(name)!
        try house.write { store throws(StoreError) in
            var modes = TeamModesPatch()
            if form == .advanced { modes.join = join }
            let id = try store.createTeam(
                channel, NewTeam(form: form, owner: owner, members: [manager, member], modes: modes))
            if form == .advanced { _ = try store.setRoles([manager], .manager, in: id, by: .operator) }
        }
    }

    private func apply(
        _ house: House, _ token: String, _ team: String, _ json: String = #"{"postscript":"tea?"}"#
    ) throws -> (status: Int, json: JSONValue) {
        try house.http("POST", "/api/v1/teams/\(team)/apply", token: token, json: json)
    }

    private func list(_ house: House, _ token: String, _ query: String = "") throws -> [JSONValue] {
        let reply = try house.http("GET", "/api/v1/requests\(query)", token: token)
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json["requests"]?.array ?? []
    }

    private func answer(
        _ house: House, _ token: String, _ number: Int64, _ word: String
    ) throws -> (status: Int, json: JSONValue) {
        try house.http("POST", "/api/v1/requests/\(number)/\(word)", token: token, json: #"{"reason":"so"}"#)
    }

    /// What the events of the lines in a team are, once there are so many: they come after the answer. Each question is a
    /// request, so that the server's threads have had their turn.
    private func events(_ house: House, _ team: String, _ token: String, count: Int) throws -> [String] {
        for _ in 0..<5000 {
            _ = try self.list(house, token)
            let found = try house.history(.channel(.group, ChannelName(team)!), seenBy: "owner").compactMap {
                (try? JSONValue(parsing: $0.content.body))?["team_event"]?["event"]?.string
            }
            if found.count >= count { return found }
        }
        throw TestClientError(description: "the line never came")
    }

    @Test("who may apply is the same in every mode for every role, and the setting that says no is named")
    func applying() throws {
        let house = try House.withFiles()
        var tokens: [String: String] = [:]
        for name in ["owner", "manager", "member", "outsider"] { tokens[name] = try house.token(name) }
        for mode in TeamJoinMode.allCases { try self.team(house, "team\(mode.rawValue)", join: mode) }
        try self.team(house, "normal", join: .closed, form: .normal)
        for mode in TeamJoinMode.allCases {
            let team = "team\(mode.rawValue)"
            for role in ["owner", "manager", "member"] {
                let inside = try self.apply(house, tokens[role]!, team)
                #expect(inside.status == 409 && inside.json["setting"]?.string == "already-member")
                #expect(inside.json["status"]?.integer == 409 && inside.json["error"]?.string?.isEmpty == false)
            }
            let outside = try self.apply(house, tokens["outsider"]!, team)
            switch mode {
            case .open:
                #expect(outside.status == 200 && outside.json["joined"]?.boolean == true)
                #expect(try self.apply(house, tokens["outsider"]!, team).json["setting"]?.string == "already-member")
            case .approval:
                #expect(outside.status == 200 && outside.json["joined"]?.boolean == false)
                let request = outside.json["request"]
                #expect(request?["kind"]?.string == "apply" && request?["state"]?.string == "waiting")
                #expect(request?["postscript"]?.string == "tea?" && request?["can_withdraw"]?.boolean == true)
                #expect(request?["can_answer"]?.boolean == false && request?["team"]?.string == team)
            case .closed: #expect(outside.status == 403 && outside.json["setting"]?.string == "join-mode")
            }
        }
        let normal = try self.apply(house, tokens["outsider"]!, "normal")
        #expect(normal.status == 400 && normal.json["setting"]?.string == "form")
        let nowhere = try self.apply(house, tokens["outsider"]!, "nowhere")
        #expect(nowhere.status == 404 && nowhere.json["setting"] == nil)
        #expect(try self.apply(house, "wrong", "team0").status == 401)
        // Only coming in leaves a line.
        #expect(try self.events(house, "team0", tokens["outsider"]!, count: 1) == ["joined"])
        #expect(try self.events(house, "team1", tokens["outsider"]!, count: 0) == [])
    }

    @Test(
        "an application is answered by managers and the owner, and taken back by who made it",
        arguments: ["owner", "manager", "member", "outsider", "other"])
    func answering(_ role: String) throws {
        let house = try House.withFiles()
        let (outsider, asker) = (try house.token("outsider"), try house.token(role))
        try self.team(house, "tea", join: .approval)
        let made = try self.apply(house, outsider, "tea")
        let number = try #require(made.json["request"]?["number"]?.integer)
        let mayAnswer = role == "owner" || role == "manager"
        let seen = try self.list(house, asker, "?waiting=1")
        #expect(seen.map { $0["number"]?.integer } == (mayAnswer || role == "outsider" ? [number] : []))
        #expect(seen.allSatisfy { $0["can_answer"]?.boolean == mayAnswer })
        #expect(seen.allSatisfy { $0["can_withdraw"]?.boolean == (role == "outsider") })
        for word in ["accept", "refuse"] where !mayAnswer {
            let refused = try self.answer(house, asker, number, word)
            #expect(refused.status == (role == "member" ? 403 : 404))
            #expect(refused.json["setting"]?.string == (role == "member" ? "role-manager" : nil))
        }
        let withdrawn = try self.answer(house, asker, number, "withdraw")
        #expect(withdrawn.status == (role == "outsider" ? 200 : 404))
        guard mayAnswer else {
            #expect(try self.events(house, "tea", asker, count: 0) == [])
            return
        }
        let accepted = try self.answer(house, asker, number, "accept")
        #expect(accepted.status == 200 && accepted.json["state"]?.string == "accepted")
        #expect(accepted.json["answered_by"]?.string == role && accepted.json["can_answer"]?.boolean == false)
        #expect(try self.events(house, "tea", asker, count: 1) == ["applicationPassed"])
        #expect(try self.answer(house, asker, number, "refuse").status == 410)
        #expect(try self.list(house, outsider).map { $0["state"]?.string } == ["accepted"])
        #expect(try self.list(house, outsider, "?waiting=1") == [])
    }

    @Test(
        "an invitation is answered by whom it asks alone, and taken back by who invited",
        arguments: ["owner", "manager", "member", "outsider", "other"])
    func invitations(_ role: String) throws {
        let house = try House.withFiles()
        let asker = try house.token(role)
        try self.team(house, "tea", join: .closed)
        let (manager, outsider) = (try house.id("manager"), try house.id("outsider"))
        try house.write { store throws(StoreError) in
            guard let team = try store.reading.conversation(.channel(.group, ChannelName("tea")!), seenBy: .system)
            else { return }
            _ = try store.invite([outsider], to: team.id, postscript: "come", by: Actor(manager))
        }
        let seen = try self.list(house, asker)
        #expect(seen.count == (role == "manager" || role == "outsider" ? 1 : 0))
        guard role == "outsider" else {
            #expect(try self.answer(house, asker, 1, "accept").status == 404)
            let withdrawn = try self.answer(house, asker, 1, "withdraw")
            #expect(withdrawn.status == (role == "manager" ? 200 : 404))
            return
        }
        #expect(seen[0]["inviter"]?.string == "manager" && seen[0]["can_answer"]?.boolean == true)
        #expect(try self.answer(house, asker, 1, "withdraw").status == 404)
        let refused = try self.answer(house, asker, 1, "refuse")
        #expect(refused.json["state"]?.string == "refused" && refused.json["reason"]?.string == "so")
        #expect(try self.answer(house, asker, 1, "accept").status == 410)
    }

    @Test("a full team says so by the setting's name, and the request goes on to wait")
    func full() throws {
        let house = try House.withFiles()
        let (outsider, manager) = (try house.token("outsider"), try house.token("manager"))
        try self.team(house, "tea", join: .approval)
        let made = try self.apply(house, outsider, "tea")
        let number = try #require(made.json["request"]?["number"]?.integer)
        try house.write { store throws(StoreError) in
            guard let team = try store.reading.conversation(.channel(.group, ChannelName("tea")!), seenBy: .system)
            else { return }
            try store.setMemberLimit(of: team.id, 3, by: .operator)
        }
        let full = try self.answer(house, manager, number, "accept")
        #expect(full.status == 400 && full.json["setting"]?.string == "full")
        #expect(try self.list(house, manager, "?waiting=1").count == 1)
        #expect(try self.answer(house, manager, 99, "accept").status == 404)
        #expect(try house.http("POST", "/api/v1/requests/x/accept", token: manager, json: "{}").status == 404)
        let long = String(repeating: "x", count: TeamBounds.postscriptScalars + 1)
        #expect(try self.apply(house, outsider, "tea", #"{"postscript":"\#(long)"}"#).status == 400)
    }
}

/// People read what the operator announced, and confirm it; who was deleted does neither.
struct NoticeScenarios {
    @Test("an announcement comes as a message, is read again, and confirmed once")
    func confirm() throws {
        let house = try House.withFiles()
        let (ann, bob) = (try house.token("ann"), try house.token("bob"))
        let client = try house.connect("ann", token: ann)
        defer { withExtendedLifetime(client) {} }
        try house.group("tea", ["ann"])
        #expect(house.ctl("notice", "send", "tonight", "--title", "Tea", "--team", "tea").code == .done)
        let reply = try self.notices(house, ann) { !$0.isEmpty }
        #expect(reply[0]["title"]?.string == "Tea" && reply[0]["text"]?.string == "tonight")
        #expect(reply[0]["confirmed_at"] == .null)
        let number = try #require(reply[0]["number"]?.integer)
        let path = "/api/v1/notices/\(number)/confirm"
        let first = try house.http("POST", path, token: ann, json: "{}")
        #expect(first.status == 200 && first.json["confirmed_at"]?.integer ?? 0 > 0)
        #expect(try house.http("POST", path, token: ann).json["confirmed_at"] == first.json["confirmed_at"])
        #expect(try house.http("POST", path, token: bob).status == 404)
        #expect(try house.http("POST", "/api/v1/notices/x/confirm", token: ann).status == 404)
        #expect(try self.notices(house, bob) { _ in true } == [])
        #expect(try self.notices(house, ann) { _ in true }[0]["confirmed_at"] == first.json["confirmed_at"])
        #expect(house.ctl("notice", "show", String(number), "--people", "confirmed").output.contains("ann"))
    }

    /// Asks until they are as wanted: each question is a request, so that the server's threads have had their turn.
    private func notices(
        _ house: House, _ token: String, until isWanted: ([JSONValue]) -> Bool
    ) throws -> [JSONValue] {
        for _ in 0..<5000 {
            let rows = try house.http("GET", "/api/v1/notices", token: token).json["notices"]?.array ?? []
            if isWanted(rows) { return rows }
        }
        throw TestClientError(description: "the announcement never came")
    }

    @Test("a deleted person is nobody at every door, and what they said is there")
    func deleted() throws {
        let house = try House.withFiles()
        let (ann, bob) = (try house.token("ann"), try house.token("bob"))
        let tea = try house.group("tea", ["bob", "ann"])
        try house.name("ann", "Ann")
        let client = try house.connect("ann", token: ann)
        defer { withExtendedLifetime(client) {} }
        #expect(house.ctl("send", "--from", "ann", "--group", "tea", "farewell").code == .done)
        #expect(house.ctl("user", "delete", "ann", "--yes").output == "user ann deleted, 1 sessions closed\n")
        #expect(try house.http("GET", "/api/v1/notices", token: ann).status == 401)
        #expect(throws: (any Error).self) { try house.connect("ann", token: ann) }
        let shown = try house.profile("ann", token: bob)
        #expect(shown["name"]?.string == "ann" && shown["display_name"] == .null)
        let history = try house.history(.channel(.group, ChannelName("tea")!), seenBy: "bob")
        #expect(history.contains { $0.senderName.text == "ann" })
        #expect(
            try house.manage("/user/token", #"{"uid":"ann","token":"x","device_flag":0,"device_level":1}"#).status
                >= 400)
        #expect(try house.manage("/message/send", Self.message).status >= 400)
        let id = try house.id("ann")
        let member = try house.server.store.readAndWait { store throws(StoreError) in try store.member(id, in: tea) }
        #expect(member == nil)
    }

    private static let message =
        #"{"from_uid":"bob","channel_id":"ann","channel_type":1,"payload":"eyJ0eXBlIjoxLCJjb250ZW50IjoieCJ9"}"#
}
