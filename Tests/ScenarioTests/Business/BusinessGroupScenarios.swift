import ByteCodec
import ChatModel
import Execution
import TeahouseTesting
import Testing

/// Groups as apps make and change them.
struct BusinessGroupScenarios {
    /// A group that romeo made with juliet and nurse over the API; its number.
    private func furnished() throws -> (TestServer, romeo: App, juliet: App, nurse: App, group: String) {
        let server = try TestServer()
        try server.add("romeo", "juliet", "nurse", "tybalt")
        let romeo = try App(server, "romeo")
        let made = try romeo.does("POST", "group/create", #"{"name":"Verona","members":["juliet","nurse"]}"#)
        let group = try #require(made["group_no"]?.string)
        return (server, romeo, try App(server, "juliet"), try App(server, "nurse"), group)
    }

    private func members(_ app: App, _ group: String) throws -> [String: Int64] {
        let rows = try app.does("GET", "groups/\(group)/members?limit=100&page=1").array ?? []
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["uid"]?.string ?? "", $0["role"]?.integer ?? -1) })
    }

    /// The types of the notices in a group, oldest first; the newest may still be on its way.
    private func announcements(_ app: App, _ group: String, until type: Int64) throws -> [Int64] {
        let client = try app.other(.web).connect()
        while true {
            let types = try app.history(group).compactMap { $0["payload"]?["type"]?.integer }
            if types.contains(type) { return types }
            _ = try client.receive()
        }
    }

    @Test("a group is made with its people, its maker as the owner, a name and a notice")
    func create() throws {
        let (_, romeo, juliet, _, group) = try self.furnished()
        #expect(try self.members(juliet, group) == ["romeo": 1, "juliet": 0, "nurse": 0])
        let card = try juliet.does("GET", "groups/\(group)")
        #expect(card["name"]?.string == "Verona" && card["member_count"]?.integer == 3 && card["role"]?.integer == 0)
        #expect(try romeo.does("GET", "groups/\(group)/detail")["role"]?.integer == 1)
        let types = try self.announcements(juliet, group, until: 1_001)
        #expect(types == [1_001])
        let notice = try #require(try juliet.history(group).first)
        #expect(notice["payload"]?["creator"]?.string == "romeo")
        #expect(notice["payload"]?["extra"]?.array?.map { $0["uid"]?.string } == ["juliet", "nurse"])
        let unnamed = try romeo.does("POST", "group/create", #"{"members":["juliet","juliet","romeo"]}"#)
        #expect(unnamed["name"]?.string == "romeo、juliet" && unnamed["member_count"]?.integer == 2)
        try romeo.isRefused("POST", "group/create", #"{"members":["nobody"]}"#)
    }

    @Test("who has blocked somebody is not brought into their groups")
    func blocked() throws {
        let (server, romeo, _, _, group) = try self.furnished()
        try App(server, "tybalt").does("POST", "user/blacklist/romeo")
        try romeo.does("POST", "groups/\(group)/members", #"{"members":["tybalt"]}"#)
        #expect(try self.members(romeo, group).count == 3)
    }

    @Test("strangers see nothing of a group")
    func strangers() throws {
        let (server, _, _, _, group) = try self.furnished()
        let tybalt = try App(server, "tybalt")
        for path in ["groups/\(group)", "groups/\(group)/members", "groups/\(group)/membersync", "channels/\(group)/2"]
        {
            try tybalt.isRefused("GET", path)
        }
        try tybalt.isRefused("POST", "groups/\(group)/members", #"{"members":["tybalt"]}"#)
        try tybalt.isRefused("PUT", "groups/\(group)", #"{"name":"Mantua"}"#)
        try tybalt.isRefused("POST", "groups/\(group)/exit")
        try tybalt.isRefused("DELETE", "groups/\(group)/disband")
    }

    @Test("name and notice are changed by managers, told in the group, and shown on the channel's card")
    func change() throws {
        let (_, romeo, juliet, _, group) = try self.furnished()
        let online = try juliet.connect()
        try juliet.isRefused("PUT", "groups/\(group)", #"{"name":"Mantua"}"#)
        try romeo.does("PUT", "groups/\(group)", #"{"name":"Mantua","notice":"a plague"}"#)
        #expect(try online.command("channelUpdate")["channel_id"]?.string == group)
        let card = try juliet.does("GET", "channels/\(group)/2")
        #expect(card["name"]?.string == "Mantua" && card["notice"]?.string == "a plague")
        #expect(card["channel"]?["channel_type"]?.integer == 2 && card["extra"]?["member_count"]?.integer == 3)
        #expect(try self.announcements(juliet, group, until: 1_005).contains(1_005))
    }

    @Test("what a person sets about a group is theirs alone")
    func settings() throws {
        let (_, _, juliet, nurse, group) = try self.furnished()
        let other = try juliet.other(.desktop)
        let online = try other.connect()
        try juliet.does("PUT", "groups/\(group)/setting", #"{"mute":1,"top":1,"save":1,"show_nick":1,"remark":"home"}"#)
        try online.command("channelUpdate")
        let own = try other.does("GET", "groups/\(group)")
        #expect(own["mute"]?.integer == 1 && own["top"]?.integer == 1 && own["save"]?.integer == 1)
        #expect(own["show_nick"]?.integer == 1 && own["remark"]?.string == "home")
        #expect(try nurse.does("GET", "groups/\(group)")["mute"]?.integer == 0)
        #expect(try juliet.does("GET", "group/my").array?.map { $0["group_no"]?.string } == [group])
        #expect(try nurse.does("GET", "group/my") == .array([]))
    }

    @Test("owner and managers change every setting of a team that its card shows; all of a request holds or none")
    func modes() throws {
        let (server, romeo, juliet, nurse, group) = try self.furnished()
        func modes(_ app: App) throws -> [Int64?] {
            let card = try app.does("GET", "groups/\(group)")
            return ["team_type", "join_mode", "invite_mode", "be_invite_mode", "update_info_mode", "mute_mode"]
                .map { card[$0]?.integer }
        }
        #expect(try modes(juliet) == [1, 2, 1, 1, 0, 0])
        let all =
            #"{"join_mode":1,"invite_mode":0,"be_invite_mode":0,"update_info_mode":1,"mute_mode":3,"#
            + #""introduction":"two households"}"#
        try juliet.isRefused("PUT", "groups/\(group)/setting", all)
        #expect(try modes(juliet) == [1, 2, 1, 1, 0, 0])
        try romeo.does("PUT", "groups/\(group)/setting", all)
        #expect(try modes(juliet) == [1, 1, 0, 0, 1, 3])
        let card = try nurse.does("GET", "groups/\(group)/detail")
        #expect(card["introduction"]?.string == "two households")
        // The same settings in the words of the open server, and at the other doors.
        #expect(card["invite"]?.integer == 1 && card["forbidden"]?.integer == 1)
        let native = try NativeClient(server, "romeo")
        let id = try #require(try native.get("/conversations")["items"]?.array?.first?["id"]?.string)
        let rows = try native.get("/conversations/\(id)/card")["rows"]?.array ?? []
        func value(_ row: String) -> String? { rows.first { $0["row"]?.string == row }?["value"]?.string }
        #expect(value("join") == "approval" && value("muteAll") == "everyone" && value("beInvited") == "approval")
        for wrong in [
            #"{"join_mode":3}"#, #"{"mute_mode":2}"#, #"{"be_invite_mode":"0"}"#, #"{"invite":0,"invite_mode":1}"#,
            #"{"forbidden":0,"mute_mode":0}"#, #"{"name":"Mantua","join_mode":7}"#,
        ] {
            try romeo.isRefused("PUT", "groups/\(group)/setting", wrong)
        }
        #expect(try modes(romeo) == [1, 1, 0, 0, 1, 3])
        try romeo.does("POST", "groups/\(group)/managers", #"["juliet"]"#)
        try juliet.does("PUT", "groups/\(group)/setting", #"{"mute_mode":0,"join_mode":0}"#)
        #expect(try modes(nurse) == [1, 0, 0, 0, 1, 0])
        // A member edits the card now, but not the rights.
        try nurse.does("PUT", "groups/\(group)/setting", #"{"introduction":""}"#)
        try nurse.isRefused("PUT", "groups/\(group)/setting", #"{"introduction":"x","update_info_mode":0}"#)
        #expect(try nurse.does("GET", "groups/\(group)")["introduction"]?.string ?? "" == "")
    }

    @Test("people come and go; a device that was away follows by version, who was removed learns it too")
    func members() throws {
        let (server, romeo, juliet, nurse, group) = try self.furnished()
        let all = try juliet.does("GET", "groups/\(group)/membersync?version=0&limit=100").array ?? []
        #expect(Set(all.compactMap { $0["uid"]?.string }) == ["romeo", "juliet", "nurse"])
        let version = all.compactMap { $0["version"]?.integer }.max() ?? 0
        let removed = try nurse.connect()
        let online = try juliet.connect()
        try juliet.does("POST", "groups/\(group)/members", #"{"members":["tybalt"]}"#)
        #expect(try online.command("memberUpdate")["group_no"]?.string == group)
        try juliet.isRefused("DELETE", "groups/\(group)/members", #"{"members":["nurse"]}"#)
        try romeo.does("DELETE", "groups/\(group)/members", #"{"members":["nurse"]}"#)
        #expect(try removed.command("channelUpdate")["channel_id"]?.string == group)
        let changed = try juliet.does("GET", "groups/\(group)/membersync?version=\(version)&limit=100").array ?? []
        let gone = changed.filter { $0["is_deleted"]?.integer == 1 }.map { $0["uid"]?.string }
        #expect(gone == ["nurse"] && changed.contains { $0["uid"]?.string == "tybalt" })
        #expect(try nurse.history(group) == [])
        #expect(try self.announcements(juliet, group, until: 1_003).contains(1_002))
        try romeo.does("POST", "groups/\(group)/members_delete", #"{"members":["tybalt"]}"#)
        #expect(try self.members(romeo, group).count == 2)
        #expect(try juliet.does("GET", "groups/\(group)/members?keyword=ROM").array?.count == 1)
        _ = server
    }

    @Test("the owner makes managers and hands the group over; leaving is told to managers")
    func roles() throws {
        let (_, romeo, juliet, nurse, group) = try self.furnished()
        try juliet.isRefused("POST", "groups/\(group)/managers", #"["juliet"]"#)
        try romeo.does("POST", "groups/\(group)/managers", #"["juliet","nurse"]"#)
        #expect(try self.members(romeo, group) == ["romeo": 1, "juliet": 2, "nurse": 2])
        try romeo.does("DELETE", "groups/\(group)/managers", #"["nurse"]"#)
        try juliet.isRefused("POST", "groups/\(group)/transfer/juliet")
        try romeo.does("POST", "groups/\(group)/transfer/juliet")
        #expect(try self.members(romeo, group)["juliet"] == 1)
        #expect(try self.announcements(romeo, group, until: 1_008).contains(1_008))
        try nurse.does("POST", "groups/\(group)/exit")
        #expect(try self.members(romeo, group).count == 2)
        try nurse.isRefused("POST", "groups/\(group)/exit")
        try romeo.does("PUT", "groups/\(group)/members/romeo", #"{"remark":"the one"}"#)
        try romeo.isRefused("PUT", "groups/\(group)/members/juliet", #"{"remark":"x"}"#)
        let rows = try juliet.does("GET", "groups/\(group)/members").array ?? []
        #expect(rows.contains { $0["remark"]?.string == "the one" })
    }

    @Test("muting everybody, one member for a while, and a deny list silence those they are for")
    func silence() throws {
        let (_, romeo, juliet, nurse, group) = try self.furnished()
        let (speaker, other) = (try juliet.connect(), try nurse.connect())
        try juliet.isRefused("POST", "groups/\(group)/forbidden/1")
        try romeo.does("POST", "groups/\(group)/forbidden/1")
        #expect(try speaker.publish("may I", to: group, group: true).reason != 1)
        #expect(try romeo.does("GET", "groups/\(group)")["forbidden"]?.integer == 1)
        try romeo.does("PUT", "groups/\(group)/setting", #"{"forbidden":0}"#)
        #expect(try speaker.publish("thanks", to: group, group: true).reason == 1)

        #expect(try juliet.does("GET", "group/forbidden_times").array?.count == 6)
        let mute = #"{"member_uid":"juliet","action":1,"key":2}"#
        let before = Clock.system.wallMilliseconds() / 1_000
        try nurse.isRefused("POST", "groups/\(group)/forbidden_with_member", mute)
        try romeo.does("POST", "groups/\(group)/forbidden_with_member", mute)
        #expect(try speaker.publish("not now", to: group, group: true).reason != 1)
        // The second choice is ten minutes.
        let until = try juliet.does("GET", "groups/\(group)")["forbidden_expir_time"]?.integer ?? 0
        #expect((before + 600...Clock.system.wallMilliseconds() / 1_000 + 600).contains(until))
        try romeo.does("POST", "groups/\(group)/forbidden_with_member", #"{"member_uid":"juliet","action":0}"#)
        #expect(try speaker.publish("again", to: group, group: true).reason == 1)

        try juliet.isRefused("POST", "groups/\(group)/blacklist/add", #"{"uids":["nurse"]}"#)
        try romeo.does("POST", "groups/\(group)/blacklist/add", #"{"uids":["nurse"]}"#)
        #expect(try other.publish("hear me", to: group, group: true).reason != 1)
        let rows = try romeo.does("GET", "groups/\(group)/members").array ?? []
        #expect(rows.first { $0["uid"]?.string == "nurse" }?["status"]?.integer == 2)
        try romeo.does("POST", "groups/\(group)/blacklist/remove", #"{"uids":["nurse"]}"#)
        #expect(try other.publish("thanks", to: group, group: true).reason == 1)
    }

    @Test("a disbanded group says so, and nobody writes in it")
    func disband() throws {
        let (server, romeo, juliet, _, group) = try self.furnished()
        let online = try juliet.connect()
        try juliet.isRefused("DELETE", "groups/\(group)/disband")
        try romeo.does("DELETE", "groups/\(group)/disband")
        try online.command("channelUpdate")
        #expect(try juliet.does("GET", "groups/\(group)")["status"]?.integer == 2)
        #expect(try online.publish("hello", to: group, group: true).reason == 24)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("where invitations need a manager, members cannot bring people")
    func consent() throws {
        let (_, romeo, juliet, _, group) = try self.furnished()
        try romeo.does("PUT", "groups/\(group)/setting", #"{"invite":1,"forbidden_add_friend":1}"#)
        try juliet.isRefused("POST", "groups/\(group)/members", #"{"members":["tybalt"]}"#)
        try romeo.does("POST", "groups/\(group)/members", #"{"members":["tybalt"]}"#)
        let card = try juliet.does("GET", "groups/\(group)")
        #expect(card["invite"]?.integer == 1 && card["forbidden_add_friend"]?.integer == 1)
    }
}
