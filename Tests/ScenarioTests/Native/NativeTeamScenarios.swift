import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Cards of teams and requests to join them by the native API.
struct NativeTeamScenarios {
    /// A team of an owner, a manager and a member, and its id.
    private func team(_ server: TestServer, join: TeamJoinMode = .approval) throws -> String {
        try server.add("owner", "manager", "member", "outsider")
        let (owner, manager, member) = (try server.id("owner"), try server.id("manager"), try server.id("member"))
        let id = try server.write { store throws(StoreError) in
            var modes = TeamModesPatch()
            modes.join = join
            let id = try store.teams.create(
                ChannelName("tea")!,
                NewTeam(form: .advanced, title: "茶馆", owner: owner, members: [manager, member], modes: modes))
            _ = try store.conversations.setRoles([manager], .manager, in: id, by: .operator)
            return id
        }
        return String(id.rawValue)
    }

    private static func row(_ card: JSONValue, _ word: String) -> JSONValue? {
        card["rows"]?.array?.first { $0["row"]?.string == word }
    }

    private static func actions(_ card: JSONValue) -> [String] {
        (card["actions"]?.array ?? []).filter { $0["allowed"]?.boolean == true }.compactMap { $0["action"]?.string }
    }

    @Test("the card shows each person their rows, and names the setting that says no")
    func card() throws {
        let server = try TestServer()
        let id = try self.team(server)
        let (owner, member) = (try NativeClient(server, "owner"), try NativeClient(server, "member"))
        let full = try owner.done("GET", "/conversations/\(id)/card")
        #expect(full["form"]?.string == "advanced" && full["kind"]?.string == "group")
        #expect(
            Self.row(full, "title")?["value"]?.string == "茶馆" && Self.row(full, "title")?["canChange"]?.boolean == true)
        let join = try #require(Self.row(full, "join"))
        #expect(join["value"]?.string == "approval" && join["choices"]?.array?.count == 3)
        #expect(Set(Self.actions(full)) == ["invite", "dismiss", "handOver", "handOverAndLeave", "clearHistory"])
        let own = try member.done("GET", "/conversations/\(id)/card")
        #expect(Self.row(own, "join") == nil && Self.row(own, "members")?["value"]?.string == "3")
        let title = try #require(Self.row(own, "title"))
        #expect(title["canChange"]?.boolean == false && title["no"]?["code"]?.string == "not_manager")
        #expect(title["no"]?["setting"]?.string == "update-info-mode")
        #expect(Self.row(own, "announcement")?["canChange"]?.boolean == false)
        #expect(Self.row(own, "nickname")?["canChange"]?.boolean == true)
        #expect(Set(Self.actions(own)) == ["leave", "clearHistory"])
        let chinese = try member.ask("GET", "/conversations/\(id)/card", language: "zh-CN").json
        #expect(Self.row(chinese, "notify")?["label"]?.string != Self.row(own, "notify")?["label"]?.string)
        let outsider = try NativeClient(server, "outsider")
        #expect(try outsider.refused("GET", "/conversations/\(id)/card") == "no_such_conversation")
    }

    @Test("rows are changed by their words, all or none, by who may")
    func patch() throws {
        let server = try TestServer()
        let id = try self.team(server)
        let (owner, member) = (try NativeClient(server, "owner"), try NativeClient(server, "member"))
        let path = "/conversations/\(id)"
        let all = """
            {"title":"新茶馆","introduction":"喝茶","announcement":"今晚","nickname":"掌柜","join":"open","invite":"everyone",
            "beInvited":"none","updateInfo":"managers","muteAll":"members","notify":"none","pin":true}
            """
        let changed = try owner.done("PATCH", path, all)
        #expect(changed["title"]?.string == "新茶馆" && changed["isPinned"]?.boolean == true)
        #expect(changed["isMuted"]?.boolean == true)
        let card = try owner.get("\(path)/card")
        let expected = [
            "title": "新茶馆", "introduction": "喝茶", "announcement": "今晚", "nickname": "掌柜", "join": "open",
            "invite": "everyone", "beInvited": "none", "updateInfo": "managers", "muteAll": "members", "notify": "none",
            "pin": "true",
        ]
        for (word, value) in expected { #expect(Self.row(card, word)?["value"]?.string == value, "\(word)") }
        let reply = try member.ask("PATCH", path, #"{"nickname":"客人","title":"我的"}"#)
        #expect(reply.json["code"]?.string == "not_manager" && reply.json["setting"]?.string == "update-info-mode")
        let own = try member.get("\(path)/card")
        #expect(Self.row(own, "nickname")?["value"] == nil && Self.row(own, "title")?["value"]?.string == "新茶馆")
        #expect(try owner.refused("PATCH", path, #"{"join":"moon"}"#) == "invalid_field")
        #expect(try owner.refused("PATCH", path, #"{"picture":"nothing"}"#) == "no_such_file")
    }

    @Test("of an advanced team one may hear of owner and managers only; elsewhere of everything or nothing")
    func alerts() throws {
        let server = try TestServer()
        let id = try self.team(server)
        let member = try NativeClient(server, "member")
        let path = "/conversations/\(id)"
        func row(_ path: String) throws -> JSONValue? { Self.row(try member.get("\(path)/card"), "notify") }
        #expect(try row(path)?["choices"]?.array?.compactMap { $0["value"]?.string } == ["all", "none", "managers"])
        let changed = try member.done("PATCH", path, #"{"notify":"managers"}"#)
        #expect(changed["isMuted"]?.boolean == false)
        #expect(try row(path)?["value"]?.string == "managers")
        try member.done("PATCH", "\(path)/settings", #"{"isMuted":false}"#)
        #expect(try row(path)?["value"]?.string == "managers")
        try member.done("PATCH", "\(path)/settings", #"{"isMuted":true}"#)
        #expect(try row(path)?["value"]?.string == "none")
        let direct = try #require(
            try member.done("POST", "/conversations", #"{"kind":"direct","with":"owner"}"#, status: 201)["id"]?.string)
        #expect(try row("/conversations/\(direct)")?["choices"]?.array?.count == 2)
        #expect(try member.refused("PATCH", "/conversations/\(direct)", #"{"notify":"managers"}"#) == "not_applicable")
    }

    @Test("a team is handed over, left in the same step, and dismissed by its owner alone; history is cleared for one")
    func ending() throws {
        let server = try TestServer()
        let id = try self.team(server)
        let (owner, manager) = (try NativeClient(server, "owner"), try NativeClient(server, "manager"))
        let say = #"{"clientToken":"e1","kind":"text","text":"好"}"#
        try manager.done("POST", "/conversations/\(id)/messages", say, status: 201)
        #expect(try manager.ask("DELETE", "/conversations/\(id)/messages").status == 204)
        #expect(try manager.get("/conversations/\(id)/messages")["items"]?.array?.isEmpty == true)
        #expect(try owner.get("/conversations/\(id)/messages")["items"]?.array?.isEmpty == false)
        #expect(try manager.refused("POST", "/conversations/\(id)/owner", #"{"name":"member"}"#) == "not_owner")
        #expect(try owner.refused("POST", "/conversations/\(id)/owner", #"{"name":"outsider"}"#) == "no_such_user")
        #expect(
            try owner.ask("POST", "/conversations/\(id)/owner", #"{"name":"manager","leave":true}"#).status == 204)
        #expect(try owner.refused("GET", "/conversations/\(id)") == "no_such_conversation")
        #expect(try manager.get("/conversations/\(id)")["role"]?.string == "owner")
        let member = try NativeClient(server, "member")
        #expect(try member.refused("DELETE", "/conversations/\(id)/team") == "not_owner")
        #expect(try manager.ask("DELETE", "/conversations/\(id)/team").status == 204)
        let over = #"{"clientToken":"e2","kind":"text","text":"再见"}"#
        #expect(try manager.refused("POST", "/conversations/\(id)/messages", over) == "disbanded")
    }

    @Test("a team is found, asked to be let into, and answered by its managers; who asked takes it back")
    func requests() throws {
        let server = try TestServer()
        let id = try self.team(server)
        let (manager, outsider) = (try NativeClient(server, "manager"), try NativeClient(server, "outsider"))
        let member = try NativeClient(server, "member")
        let found = try outsider.done("GET", "/teams?query=%E8%8C%B6")["items"]?.array
        #expect(found?.count == 1 && found?.first?["id"]?.string == id && found?.first?["joined"]?.boolean == false)
        #expect(found?.first?["mayJoin"]?.boolean == true && found?.first?["join"]?.string == "approval")
        #expect(try member.get("/teams?query=TEA")["items"]?.array?.first?["joined"]?.boolean == true)
        let path = "/conversations/\(id)/requests"
        let made = try outsider.done("POST", path, #"{"text":"让我进来"}"#, status: 201)
        #expect(made["joined"]?.boolean == false && made["request"]?["canWithdraw"]?.boolean == true)
        let number = try #require(made["request"]?["id"]?.string)
        #expect(try member.refused("POST", path, "{}") == "already_member")
        let seen = try manager.get("/requests?waiting=true")["items"]?.array
        #expect(seen?.count == 1 && seen?.first?["kind"]?.string == "join" && seen?.first?["title"]?.string == "茶馆")
        #expect(seen?.first?["person"]?["name"]?.string == "outsider" && seen?.first?["text"]?.string == "让我进来")
        #expect(try member.get("/requests")["items"]?.array?.isEmpty == true)
        #expect(try outsider.refused("POST", "/requests/\(number)", #"{"accept":true}"#) == "no_such_request")
        #expect(try member.refused("POST", "/requests/\(number)", #"{"accept":true}"#) == "not_manager")
        let accepted = try manager.done("POST", "/requests/\(number)", #"{"accept":true,"text":"欢迎"}"#)
        #expect(accepted["state"]?.string == "accepted" && accepted["reason"]?.string == "欢迎")
        #expect(try outsider.get("/conversations/\(id)")["role"]?.string == "member")
        #expect(try outsider.refused("DELETE", "/requests/\(number)") == "over")
        #expect(try manager.refused("POST", "/requests/99", #"{"accept":true}"#) == "no_such_request")
        try manager.done("PATCH", "/conversations/\(id)", #"{"join":"closed"}"#)
        #expect(try outsider.get("/teams?query=tea")["items"]?.array?.isEmpty == true)
        let late = try NativeClient(server, "late")
        let refused = try late.ask("POST", path, "{}")
        #expect(refused.json["code"]?.string == "joining_closed" && refused.json["setting"]?.string == "join-mode")
        #expect(try late.refused("POST", "/conversations/999999/requests", "{}") == "no_such_conversation")
    }

    @Test("an open team is joined at once")
    func open() throws {
        let server = try TestServer()
        let id = try self.team(server, join: .open)
        let outsider = try NativeClient(server, "outsider")
        #expect(try outsider.done("POST", "/conversations/\(id)/requests", status: 201)["joined"]?.boolean == true)
        #expect(try outsider.get("/conversations/\(id)")["memberCount"]?.integer == 4)
    }
}
