import Broker
import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Profiles, friends, blocking, presence.
struct BusinessPeopleScenarios {
    private func two() throws -> (TestServer, romeo: App, juliet: App) {
        let server = try TestServer()
        return (server, try App(server, "romeo"), try App(server, "juliet"))
    }

    /// Makes the two friends over the API.
    private func befriend(_ romeo: App, _ juliet: App) throws {
        try romeo.does("POST", "friend/apply", #"{"to_uid":"juliet","remark":"a tale of two houses"}"#)
        let token = try #require(try juliet.does("GET", "friend/apply").array?.first?["token"]?.string)
        try juliet.does("POST", "friend/sure", #"{"token":"\#(token)"}"#)
    }

    private func friends(_ app: App, after version: Int64 = 0) throws -> [JSONValue] {
        try app.does("GET", "friend/sync?version=\(version)&limit=100&api_version=1").array ?? []
    }

    @Test("a request reaches the other one's devices, and its key makes the two friends on both sides")
    func friendship() throws {
        let (server, romeo, juliet) = try self.two()
        let (his, hers) = (try romeo.connect(), try juliet.connect())
        try romeo.does("POST", "friend/apply", #"{"to_uid":"juliet","remark":"a tale of two houses","vercode":"x"}"#)
        let asked = try hers.command("friendRequest")
        #expect(asked["apply_uid"]?.string == "romeo" && asked["remark"]?.string == "a tale of two houses")
        #expect(try juliet.does("GET", "user/reddot/friendApply")["count"]?.integer == 1)
        // Whoever opens the list has seen it; the request waits on, and counts again when it is asked again.
        try juliet.does("DELETE", "user/reddot/friendApply")
        #expect(try juliet.does("GET", "user/reddot/friendApply")["count"]?.integer == 0)
        #expect(try juliet.does("GET", "friend/apply").array?.map { $0["status"]?.integer } == [0])
        try romeo.does("POST", "friend/apply", #"{"to_uid":"juliet","remark":"again"}"#)
        let again = try hers.command("friendRequest")
        #expect(try juliet.does("GET", "user/reddot/friendApply")["count"]?.integer == 1)
        let token = try #require(again["token"]?.string)
        try romeo.isRefused("POST", "friend/sure", #"{"token":"\#(token)"}"#)
        try juliet.does("POST", "friend/sure", #"{"token":"\#(token)"}"#)
        let (one, other) = (try server.id("romeo"), try server.id("juliet"))
        let words = try server.server.store.readAndWait { store throws(StoreError) in
            var words: [UserID] = []
            for found in try store.conversations.page(of: one) where found.conversation.kind == .direct {
                words += try store.messages.latest(in: found.conversation.id, limit: 10, as: .unrestricted).map(
                    \.sender)
            }
            return words
        }
        #expect(words == [other, one], "the first words are in the commit of the friendship")
        #expect(try his.command("friendAccept")["from_uid"]?.string == "juliet")
        #expect(try self.friends(romeo).map { $0["uid"]?.string } == ["juliet"])
        #expect(try self.friends(juliet).map { $0["follow"]?.integer } == [1])
        try juliet.isRefused("POST", "friend/sure", #"{"token":"\#(token)"}"#)
        try romeo.isRefused("POST", "friend/apply", #"{"to_uid":"juliet"}"#)
        #expect(try juliet.does("GET", "user/reddot/friendApply")["count"]?.integer == 0)
        #expect(try juliet.does("GET", "friend/apply").array?.map { $0["status"]?.integer } == [1])
    }

    @Test("nobody befriends themselves, nobody, or who has blocked them")
    func impossible() throws {
        let (_, romeo, juliet) = try self.two()
        try romeo.isRefused("POST", "friend/apply", #"{"to_uid":"romeo"}"#)
        try romeo.isRefused("POST", "friend/apply", #"{"to_uid":"nobody"}"#)
        try juliet.does("POST", "user/blacklist/romeo")
        try romeo.isRefused("POST", "friend/apply", #"{"to_uid":"juliet"}"#)
    }

    @Test("a refused request cannot be accepted any more, a discarded one leaves the list")
    func refusal() throws {
        let (_, romeo, juliet) = try self.two()
        try romeo.does("POST", "friend/apply", #"{"to_uid":"juliet"}"#)
        let token = try #require(try juliet.does("GET", "friend/apply").array?.first?["token"]?.string)
        try juliet.does("PUT", "friend/refuse/romeo")
        try juliet.isRefused("PUT", "friend/refuse/romeo")
        try juliet.isRefused("POST", "friend/sure", #"{"token":"\#(token)"}"#)
        try juliet.does("DELETE", "friend/apply/romeo")
        #expect(try juliet.does("GET", "friend/apply") == .array([]))
        try juliet.isRefused("DELETE", "friend/apply/nobody")
    }

    @Test("a remark is the person's own; the end of a friendship reaches a device that was away by version")
    func remarkAndEnd() throws {
        let (server, romeo, juliet) = try self.two()
        try self.befriend(romeo, juliet)
        let version = try #require(try self.friends(romeo).last?["version"]?.integer)
        let online = try romeo.connect()
        try romeo.does("PUT", "friend/remark", #"{"uid":"juliet","remark":"the sun"}"#)
        #expect(try online.command("channelUpdate")["channel_id"]?.string == "juliet")
        #expect(try self.friends(romeo, after: version).map { $0["remark"]?.string } == ["the sun"])
        #expect(try romeo.does("GET", "channels/juliet/1")["remark"]?.string == "the sun")
        let hers = try #require(try self.friends(juliet).last?["version"]?.integer)
        try juliet.does("DELETE", "friends/romeo")
        #expect(try online.command("friendDeleted")["uid"]?.string == "juliet")
        #expect(try self.friends(romeo, after: version).map { $0["is_deleted"]?.integer } == [1])
        #expect(try self.friends(juliet, after: hers).map { $0["is_deleted"]?.integer } == [1])
        try juliet.isRefused("DELETE", "friends/romeo")
        try romeo.isRefused("PUT", "friend/remark", #"{"uid":"juliet","remark":"x"}"#)
        #expect(try romeo.does("GET", "users/juliet")["follow"]?.integer == 0)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("what a person does too often is told and not kept, what a business server sends in their name is kept")
    func rateOfKeptCommands() throws {
        let server = try TestServer { $0.broker.keptCommands = RateLimit(perSecond: 0, burst: 2) }
        let (romeo, juliet) = (try App(server, "romeo"), try App(server, "juliet"))
        try self.befriend(romeo, juliet)
        let online = try romeo.connect()
        for remark in ["sun", "moon", "star"] {
            try romeo.does("PUT", "friend/remark", #"{"uid":"juliet","remark":"\#(remark)"}"#)
            try online.command("channelUpdate")
        }
        let body = #"{"header":{"sync_once":1},"from_uid":"romeo","subscribers":["romeo"],"#
        let payload = String(decoding: Base64.encode(Array(#"{"type":99,"cmd":"told"}"#.utf8)), as: UTF8.self)
        #expect(try server.manage("/message/send", body + #""payload":"\#(payload)"}"#).status == 200)
        try online.command("told")
        let kept = try romeo.does("POST", "message/sync", #"{"max_message_seq":0,"limit":100}"#).array ?? []
        #expect(kept.map { $0["payload"]?["cmd"]?.string } == ["friendAccept", "channelUpdate", "told"])
    }

    @Test("a profile is changed by its owner and shown to others, what is private stays private")
    func profile() throws {
        let (_, romeo, juliet) = try self.two()
        try self.befriend(romeo, juliet)
        let online = try juliet.connect()
        try romeo.does("PUT", "user/current", #"{"name":"Romeo","sex":1,"phone":"0123"}"#)
        #expect(try online.command("channelUpdate")["channel_id"]?.string == "romeo")
        let seen = try juliet.does("GET", "users/romeo")
        #expect(seen["name"]?.string == "Romeo" && seen["sex"]?.integer == 1 && seen["phone"] == nil)
        #expect(try romeo.does("GET", "user/current")["phone"]?.string == "0123")
        let card = try juliet.does("GET", "channels/romeo/1")
        #expect(card["name"]?.string == "Romeo" && card["follow"]?.integer == 1)
        try juliet.isRefused("GET", "users/nobody")
        try juliet.isRefused("GET", "channels/nobody/1")
        let found = try juliet.does("GET", "user/search?keyword=romeo")
        #expect(found["exist"]?.integer == 1 && found["data"]?["uid"]?.string == "romeo")
        #expect(try juliet.does("GET", "user/search?keyword=rom")["exist"]?.integer == 0)
    }

    @Test("settings of the apps are kept and given to the person's next device")
    func settings() throws {
        let (_, romeo, _) = try self.two()
        #expect(try romeo.does("GET", "user/my/setting")["voice_on"]?.integer == 1)
        try romeo.does("PUT", "user/my/setting", #"{"voice_on":0,"mute_of_app":1}"#)
        let other = try romeo.other(.desktop).does("GET", "user/my/setting")
        #expect(other["voice_on"]?.integer == 0 && other["mute_of_app"]?.integer == 1)
    }

    @Test("what one sets about another person is seen on one's own devices only")
    func personalSettings() throws {
        let (_, romeo, juliet) = try self.two()
        let online = try romeo.other(.desktop).connect()
        try romeo.does("PUT", "users/juliet/setting", #"{"mute":1,"top":1,"receipt":0,"remark":"sun"}"#)
        #expect(try online.command("channelUpdate")["channel_id"]?.string == "juliet")
        let seen = try romeo.does("GET", "users/juliet")
        #expect(seen["mute"]?.integer == 1 && seen["top"]?.integer == 1 && seen["receipt"]?.integer == 0)
        #expect(seen["remark"]?.string == "sun")
        #expect(try juliet.does("GET", "users/romeo")["mute"]?.integer == 0)
        try romeo.isRefused("PUT", "users/nobody/setting", #"{"mute":1}"#)
    }

    @Test("who is blocked cannot write, and is let in again")
    func blocking() throws {
        let (_, romeo, juliet) = try self.two()
        let client = try romeo.connect()
        try juliet.does("POST", "user/blacklist/romeo")
        #expect(try juliet.does("GET", "user/blacklists").array?.map { $0["uid"]?.string } == ["romeo"])
        #expect(try client.publish("hello", to: "juliet").reason == 4)
        #expect(try juliet.does("GET", "users/romeo")["status"]?.integer == 2)
        try juliet.does("DELETE", "user/blacklist/romeo")
        #expect(try juliet.does("GET", "user/blacklists") == .array([]))
        #expect(try client.publish("hello", to: "juliet").reason == 1)
        try juliet.isRefused("POST", "user/blacklist/juliet")
    }

    @Test("who is online: of people asked for, of friends, of one's own computers")
    func presence() throws {
        let (_, romeo, juliet) = try self.two()
        try self.befriend(romeo, juliet)
        let asked = try romeo.does("POST", "user/online", #"["juliet","nobody"]"#).array ?? []
        #expect(asked.map { $0["uid"]?.string } == ["juliet"] && asked[0]["online"]?.integer == 0)
        let client = try juliet.connect()
        let computer = try romeo.other(.desktop).connect()
        try client.settle()
        try computer.settle()
        let now = try romeo.does("GET", "user/online")
        #expect(now["friends"]?.array?.map { $0["uid"]?.string } == ["juliet"])
        #expect(now["pc"]?["online"]?.integer == 1 && now["pc"]?["device_flag"]?.integer == 2)
        try romeo.isRefused("POST", "user/online", #"["a@b"]"#)
    }

    @Test("where people see only whom they know, no answer tells how a stranger stands or when they were there last")
    func strangers() throws {
        let server = try TestServer { $0.profiles.service.visibility = .acquainted }
        let (romeo, tybalt) = (try App(server, "romeo"), try App(server, "tybalt"))
        let client = try tybalt.connect()
        try client.settle()
        func shown() throws -> [JSONValue?] {
            let asked = try romeo.does("POST", "user/online", #"["tybalt"]"#).array?.first
            let card = try romeo.does("GET", "users/tybalt")
            let found = try romeo.does("GET", "user/search?keyword=tybalt")["data"]
            return [
                asked?["online"], card["online"], found?["online"],
                try romeo.does("GET", "channels/tybalt/1")["online"],
            ]
        }
        #expect(try shown() == [.integer(0), .integer(0), .integer(0), .integer(0)])
        let (one, other) = (try server.id("romeo"), try server.id("tybalt"))
        try server.write { store throws(StoreError) in _ = try store.conversations.ensureDirect(one, other) }
        #expect(try shown() == [.integer(1), .integer(1), .integer(1), .integer(1)])
    }
}
