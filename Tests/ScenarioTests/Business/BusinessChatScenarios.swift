import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// Reading messages back and changing them, with a second device that was away meanwhile.
struct BusinessChatScenarios {
    /// A group of three with messages of romeo's, one to six.
    private func furnished(_ count: Int = 6) throws -> (TestServer, romeo: App, juliet: App, ids: [String]) {
        let server = try TestServer()
        try server.group("verona", ["romeo", "juliet", "nurse"])
        let romeo = try App(server, "romeo")
        let client = try romeo.connect()
        let ids = try (1...count).map { number in
            try client.publish("message \(number)", to: "verona", group: true, number: "n\(number)").messageID
        }
        return (server, romeo, try App(server, "juliet"), ids)
    }

    @Test("pages of a channel: the newest, older ones down, newer ones up, each with its shape")
    func pages() throws {
        let (_, _, juliet, ids) = try self.furnished()
        let newest = try juliet.history("verona", limit: 2)
        #expect(newest.map(\.text) == ["message 5", "message 6"])
        let row = try #require(newest.last)
        #expect(row["message_idstr"]?.string == ids[5] && row["message_id"]?.integer == Int64(ids[5]))
        #expect(row["client_msg_no"]?.string == "n6" && row["from_uid"]?.string == "romeo")
        #expect(row["channel_id"]?.string == "verona" && row["channel_type"]?.integer == 2)
        #expect(row["header"]?["red_dot"]?.integer == 1 && row["is_deleted"]?.integer == 0)
        #expect(row["reactions"] == .array([]) && row["message_extra"] == nil)
        func page(_ start: Int, _ end: Int, _ mode: Int, _ limit: Int) throws -> (texts: [Int64], more: Int64?) {
            let answer = try juliet.does(
                "POST", "message/channel/sync",
                #"{"channel_id":"verona","channel_type":2,"start_message_seq":\#(start),"end_message_seq":\#(end),"#
                    + #""limit":\#(limit),"pull_mode":\#(mode)}"#)
            return ((answer["messages"]?.array ?? []).map(\.sequence), answer["more"]?.integer)
        }
        #expect(try page(0, 0, 0, 4) == ([3, 4, 5, 6], 1))
        // Source: the mobile SDKs open a chat with start 0, end 0, pull_mode 1 and mean the newest.
        #expect(try page(0, 0, 1, 4) == ([3, 4, 5, 6], 1))
        #expect(try page(0, 0, 1, 10) == ([1, 2, 3, 4, 5, 6], 0))
        #expect(try page(0, 4, 1, 10) == ([1, 2, 3], 0))
        #expect(try page(2, 0, 0, 4) == ([1, 2], 0))
        #expect(try page(5, 2, 0, 10) == ([3, 4, 5], 0))
        #expect(try page(2, 0, 1, 3) == ([2, 3, 4], 1))
        #expect(try page(5, 0, 1, 10) == ([5, 6], 0))
        #expect(try page(2, 4, 1, 10) == ([2, 3], 0))
    }

    @Test("who is not in a group reads nothing of it, and changes nothing in it")
    func strangers() throws {
        let (server, _, juliet, ids) = try self.furnished()
        let tybalt = try App(server, "tybalt")
        #expect(try tybalt.history("verona") == [])
        #expect(try tybalt.extras("verona") == [])
        let one = #""channel_id":"verona","channel_type":2,"message_id":"\#(ids[0])""#
        try tybalt.isRefused("POST", "message/search", #"{"channel_id":"verona","channel_type":2,"keyword":"m"}"#)
        try tybalt.isRefused("POST", "message/edit", "{\(one),\"content_edit\":\"{}\"}")
        try tybalt.isRefused("DELETE", "message", "[{\(one)}]")
        try tybalt.isRefused("DELETE", "message/mutual", "{\(one)}")
        try tybalt.isRefused("PUT", "message/voicereaded", "{\(one)}")
        try tybalt.isRefused("POST", "message/typing", #"{"channel_id":"verona","channel_type":2}"#)
        try tybalt.isRefused("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(ids[0])")
        try tybalt.isRefused("POST", "message/offset", #"{"channel_id":"verona","channel_type":2,"message_seq":3}"#)
        #expect(try juliet.history("verona").count == 6 && juliet.extras("verona") == [])
    }

    @Test("a recalled message: everybody is told, a device that was away finds it by version, its text is gone")
    func recall() throws {
        let (server, romeo, juliet, ids) = try self.furnished()
        let online = try juliet.connect()
        try juliet.isRefused("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(ids[1])")
        try romeo.does(
            "POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(ids[1])&client_msg_no=n2")
        #expect(try online.command("messageRevoke")["message_id"]?.string == ids[1])
        try online.command("syncMessageExtra")
        // By the sender's own number alone.
        try romeo.does("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=&client_msg_no=n3")
        // Once more, because the answer was lost: taken, and nobody is told again, as the log below says.
        try romeo.does("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(ids[1])")
        try juliet.isRefused("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(ids[1])")

        let away = try App(server, "nurse")
        let extras = try away.extras("verona")
        #expect(extras.map(\.number) == [ids[1], ids[2]])
        #expect(extras.allSatisfy { $0["revoke"]?.integer == 1 && $0["revoker"]?.string == "romeo" })
        let version = try #require(extras.last?["extra_version"]?.integer)
        #expect(try away.extras("verona", after: version) == [])
        let row = try away.history("verona")[1]
        #expect(row["revoke"]?.integer == 1 && row["message_extra"]?["revoker"]?.string == "romeo")
        #expect(row["payload"]?["type"]?.integer == 1_006 && row.text == nil)
        // The log of commands has it for devices that were away.
        let log = try away.does("POST", "message/sync", #"{"max_message_seq":0,"limit":50}"#).array ?? []
        #expect(log.filter { $0["payload"]?["cmd"]?.string == "messageRevoke" }.count == 2)
        let last = try #require(log.last?.sequence)
        try away.does("POST", "message/syncack/\(last)")
        #expect(try away.does("POST", "message/sync", #"{"max_message_seq":\#(last)}"#) == .array([]))
    }

    @Test("an edited message keeps what was sent and shows the newest words; only its author edits it")
    func edit() throws {
        let (server, romeo, juliet, ids) = try self.furnished()
        let online = try juliet.connect()
        let content = #""content_edit":"{\"type\":1,\"content\":\"better\"}""#
        let one = #""channel_id":"verona","channel_type":2,"message_id":"\#(ids[3])","message_seq":4"#
        try juliet.isRefused("POST", "message/edit", "{\(one),\(content)}")
        try romeo.does("POST", "message/edit", "{\(one),\(content)}")
        try online.command("syncMessageExtra")
        // Once more, because the answer was lost: the same edit.
        let before = try App(server, "nurse").extras("verona").first?["extra_version"]
        try romeo.does("POST", "message/edit", "{\(one),\(content)}")
        let extra = try #require(try App(server, "nurse").extras("verona").first)
        #expect(extra["extra_version"] == before)
        #expect(extra["content_edit"]?["content"]?.string == "better" && (extra["edited_at"]?.integer ?? 0) > 0)
        #expect(try juliet.history("verona")[3].text == "message 4")
    }

    @Test("deleted for oneself: the person's other devices learn it, others keep it")
    func deleteForOneself() throws {
        let (_, romeo, juliet, ids) = try self.furnished()
        let other = try juliet.other(.desktop).connect()
        try juliet.does(
            "DELETE", "message",
            #"[{"channel_id":"verona","channel_type":2,"message_id":"\#(ids[0])","message_seq":1},"#
                + #"{"channel_id":"verona","channel_type":2,"message_id":"\#(ids[4])","message_seq":5}]"#)
        let told = try other.command("messageDeleted")["messages"]?.array ?? []
        #expect(told.map { $0["message_id"]?.string } == [ids[0], ids[4]])
        #expect(try juliet.history("verona").map { $0["is_deleted"]?.integer } == [1, 0, 0, 0, 1, 0])
        #expect(try romeo.history("verona").allSatisfy { $0["is_deleted"]?.integer == 0 })
        #expect(try juliet.extras("verona").map { $0["is_deleted"]?.integer } == [1, 1])
        #expect(try romeo.extras("verona") == [])
    }

    @Test("deleted for everyone: by its author and by managers")
    func deleteForAll() throws {
        let (server, romeo, juliet, ids) = try self.furnished()
        let online = try juliet.connect()
        let one = #"{"channel_id":"verona","channel_type":2,"message_id":"\#(ids[0])","message_seq":1}"#
        try juliet.isRefused("DELETE", "message/mutual", one)
        try romeo.does("DELETE", "message/mutual", one)
        try online.command("syncMessageExtra")
        let row = try #require(try App(server, "nurse").history("verona").first)
        #expect(row["is_deleted"]?.integer == 1 && row.text == nil)
        #expect(row["message_extra"]?["is_mutual_deleted"]?.integer == 1)
    }

    @Test("an emptied channel is empty for the person on every device, and only for them")
    func clear() throws {
        let (_, romeo, juliet, _) = try self.furnished()
        let other = try juliet.other(.desktop)
        let online = try other.connect()
        try juliet.does("POST", "message/offset", #"{"channel_id":"verona","channel_type":2,"message_seq":4}"#)
        #expect(try online.command("messageEerase")["channel_id"]?.string == "verona")
        #expect(try online.command("unreadClear")["unread"]?.integer == 2)
        #expect(try other.history("verona").map(\.text) == ["message 5", "message 6"])
        #expect(try romeo.history("verona").count == 6)
    }

    @Test("a voice that was played is played on the person's other devices")
    func voice() throws {
        let (_, romeo, juliet, ids) = try self.furnished()
        let online = try juliet.other(.desktop).connect()
        try juliet.does(
            "PUT", "message/voicereaded",
            #"{"channel_id":"verona","channel_type":2,"message_id":\#(ids[2]),"message_seq":3}"#)
        #expect(try online.command("voiceReaded")["message_id"]?.string == ids[2])
        #expect(try juliet.history("verona")[2]["voice_status"]?.integer == 1)
        #expect(try romeo.history("verona")[2]["voice_status"]?.integer == 0)
    }

    @Test("typing is shown to the others and kept for nobody")
    func typing() throws {
        let (server, romeo, juliet, _) = try self.furnished()
        let online = try juliet.connect()
        try romeo.does("POST", "message/typing", #"{"channel_id":"verona","channel_type":2}"#)
        let shown = try online.command("typing")
        #expect(shown["from_uid"]?.string == "romeo" && shown["channel_id"]?.string == "verona")
        let direct = try romeo.connect()
        _ = try direct.publish("hello", to: "juliet")
        try romeo.does("POST", "message/typing", #"{"channel_id":"juliet","channel_type":1}"#)
        // Between two people the receiver knows the channel by the sender.
        #expect(try online.command("typing")["channel_id"]?.string == "romeo")
        let away = try App(server, "nurse")
        #expect(try away.does("POST", "message/sync", #"{"max_message_seq":0}"#) == .array([]))
    }

    @Test("a keyword is found in the newest messages, without regard to capital letters")
    func search() throws {
        let (server, _, juliet, _) = try self.furnished()
        let client = try App(server, "romeo").connect()
        _ = try client.publish("But SOFT what light", to: "verona", group: true)
        let found = try juliet.does(
            "POST", "message/search", #"{"channel_id":"verona","channel_type":2,"keyword":"soft","content_type":1}"#)
        #expect(found.array?.map(\.text) == ["But SOFT what light"])
        let none = try juliet.does(
            "POST", "message/search", #"{"channel_id":"verona","channel_type":2,"keyword":"soft","content_type":2}"#)
        #expect(none == .array([]))
        let reply = try server.http(
            "POST", "/v1/message/search", token: juliet.token,
            body: Array(#"{"channel_id":"verona","channel_type":2,"keyword":"message"}"#.utf8))
        #expect(reply.json.array?.count == 6 && reply.headers["search-complete"] == "1")
        let further = try juliet.does(
            "POST", "message/search",
            #"{"channel_id":"verona","channel_type":2,"keyword":"message","before_message_seq":4}"#)
        #expect(further.array?.count == 3, "only what comes before it")
    }

    @Test("an edited message is found by what it says now, and by its old words no more")
    func searchEdited() throws {
        let (server, romeo, juliet, _) = try self.furnished(1)
        let client = try romeo.connect()
        _ = try client.publish("the nightingale", to: "verona", group: true)
        func found(_ keyword: String) throws -> [String] {
            try juliet.does(
                "POST", "message/search", #"{"channel_id":"verona","channel_type":2,"keyword":"\#(keyword)"}"#
            ).array?.map(\.number) ?? []
        }
        let id = try #require(try found("nightingale").first)
        let content = #"{\"type\":1,\"content\":\"the lark\"}"#
        try romeo.does(
            "POST", "message/edit",
            #"{"channel_id":"verona","channel_type":2,"message_id":"\#(id)","message_seq":2,"#
                + #""content_edit":"\#(content)"}"#)
        #expect(try found("lark") == [id])
        #expect(try found("nightingale") == [])
        withExtendedLifetime(server) {}
    }

    @Test("a search finds nothing in what is for others, nor in what a rule shows otherwise")
    func searchVisible() throws {
        let (server, romeo, juliet, _) = try self.furnished(1)
        let client = try romeo.connect()
        // Ends the text, and goes on with the list.
        _ = try client.publish(
            #"meet at the balcony","onlyVisibleTo":["nurse"],"more":""#, to: "verona", group: true)
        _ = try client.publish("the balcony is high", to: "verona", group: true)
        #expect(server.ctl("filter", "add", "--for", "juliet", "--word", "high", "--text", "low").code == .done)
        let search = #"{"channel_id":"verona","channel_type":2,"keyword":"balcony"}"#
        #expect(try juliet.does("POST", "message/search", search) == .array([]))
        let nurse = try App(server, "nurse").does("POST", "message/search", search)
        #expect(nurse.array?.map(\.text) == ["the balcony is high", "meet at the balcony"])
    }

    @Test("between two people, a channel is the other one for each, also under its stored name")
    func direct() throws {
        let server = try TestServer()
        let (romeo, juliet) = (try App(server, "romeo"), try App(server, "juliet"))
        _ = try romeo.connect().publish("hello", to: "juliet")
        #expect(try romeo.history("juliet", type: 1).map { $0["channel_id"]?.string } == ["juliet"])
        #expect(try juliet.history("romeo", type: 1).map { $0["channel_id"]?.string } == ["romeo"])
        #expect(try juliet.history("romeo@juliet", type: 1).map(\.text) == ["hello"])
        #expect(try App(server, "tybalt").history("romeo@juliet", type: 1) == [])
    }

    @Test("a payload that is no JSON object is told as such, and one for managers does not reach the others")
    func payloads() throws {
        let (server, _, juliet, _) = try self.furnished(1)
        let romeo = try App(server, "romeo")
        try romeo.does("POST", "groups/verona/managers", #"["nurse"]"#)
        try App(server, "juliet").does("POST", "groups/verona/exit")
        #expect(try juliet.history("verona") == [])
        try romeo.does("POST", "groups/verona/members", #"{"members":["juliet"]}"#)
        _ = try romeo.connect().publish("last", to: "verona", group: true)
        let hidden = try juliet.history("verona").filter { $0["is_deleted"]?.integer == 1 }
        #expect(hidden.map { $0["payload"]?.object?.count } == [1] && hidden.first?["payload"]?["type"]?.integer == 97)
        let seen = try romeo.history("verona").filter { $0["payload"]?["type"]?.integer == 1_021 }
        #expect(seen.map { $0["is_deleted"]?.integer } == [0])
    }
}
