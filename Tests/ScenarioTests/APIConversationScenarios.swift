import ByteCodec
import ChatModel
import Server
import Store
import TeahouseTesting
import Testing

/// A person's list of conversations over the HTTP API.
struct APIConversationScenarios {
    /// juliet has two messages of romeo's in `tea` and one of tybalt's to herself.
    private func house() throws -> House {
        let house = try House()
        try house.group("tea", ["romeo", "juliet"])
        try house.add("tybalt")
        let romeo = try house.connect("romeo")
        let tybalt = try house.connect("tybalt")
        try romeo.publish("one", to: "tea", group: true, number: "n1")
        try romeo.publish("two", to: "tea", group: true, number: "n2")
        try tybalt.publish("hi", to: "juliet", number: "n3")
        return house
    }

    private func sync(_ house: House, _ more: String = #""msg_count":10"#, token: String? = nil) throws -> [JSONValue] {
        let token = try token ?? house.managerToken()
        let answer = try house.http("POST", "/conversation/sync", token: token, json: #"{"uid":"juliet",\#(more)}"#)
        #expect(answer.status == 200, "\(answer.json)")
        return answer.json.array ?? []
    }

    private func ids(_ lines: [JSONValue]) -> [String] { lines.map { $0["channel_id"]?.string ?? "" } }

    @Test("the list is newest first, counts what is unread, and brings the newest messages first")
    func list() throws {
        let house = try self.house()
        let lines = try self.sync(house)
        #expect(self.ids(lines) == ["tybalt", "tea"])
        let tea = lines[1]
        #expect(tea["unread"]?.integer == 2 && tea["last_msg_seq"]?.integer == 2)
        #expect(tea["last_client_msg_no"]?.string == "n2" && tea["channel_type"]?.integer == 2)
        #expect(tea["recents"]?.array?.map { $0["message_seq"]?.integer } == [2, 1])
        #expect(lines[0]["channel_type"]?.integer == 1 && lines[0]["recents"]?.array?.count == 1)
        #expect(try self.sync(house, #""msg_count":1"#)[1]["recents"]?.array?.count == 1)
        #expect(try self.sync(house, #""msg_count":0"#).isEmpty)
    }

    @Test("after a version only what has changed comes, also by reading elsewhere")
    func versions() throws {
        let house = try self.house()
        let version = try #require(try self.sync(house).compactMap { $0["version"]?.integer }.max())
        #expect(version > 1_900_000_000_000_000_000)
        #expect(try self.sync(house, #""msg_count":1,"version":\#(version)"#).isEmpty)
        #expect(try self.sync(house, #""msg_count":1,"version":\#(Int64(Double(version)))"#).isEmpty)
        let romeo = try house.connect("romeo")
        try romeo.publish("three", to: "tea", group: true)
        let changed = try self.sync(house, #""msg_count":5,"version":\#(version),"last_msg_seqs":"tea:2:2|tybalt:1:1""#)
        #expect(self.ids(changed) == ["tea"])
        #expect(changed[0]["recents"]?.array?.map { $0["message_seq"]?.integer } == [3])
        #expect(try self.sync(house, #""msg_count":1,"version":1790000000000000000"#).count == 2)
    }

    @Test("pages and filters")
    func pages() throws {
        let house = try self.house()
        #expect(self.ids(try self.sync(house, #""msg_count":1,"page":1,"page_size":1"#)) == ["tybalt"])
        #expect(self.ids(try self.sync(house, #""msg_count":1,"page":2,"page_size":1"#)) == ["tea"])
        #expect(self.ids(try self.sync(house, #""msg_count":1,"page":3,"page_size":1"#)) == [])
        #expect(self.ids(try self.sync(house, #""msg_count":1,"exclude_channel_types":[1]"#)) == ["tea"])
        let clear = #"{"uid":"juliet","channel_id":"tybalt","channel_type":1}"#
        #expect(try house.manage("/conversations/clearUnread", clear).status == 200)
        #expect(self.ids(try self.sync(house, #""msg_count":1,"only_unread":1"#)) == ["tea"])
    }

    @Test("a person sees their own list")
    func own() throws {
        let house = try self.house()
        #expect(try self.sync(house, token: try house.token("juliet")).count == 2)
    }

    @Test(
        "nobody sees or changes the list of another person",
        arguments: [
            "/conversation/sync", "/conversation/syncByChannels", "/conversation/syncMessages",
            "/conversation/channels", "/conversations/clearUnread", "/conversations/setUnread", "/conversations/delete",
        ])
    func access(path: String) throws {
        let house = try self.house()
        let body = #"{"uid":"juliet","msg_count":1,"channel_id":"tea","channel_type":2,"unread":0}"#
        #expect(try house.http("POST", path, token: try house.token("romeo"), json: body).status == 403)
        #expect(try house.http("POST", path, json: body).status == 401)
        #expect(try house.manage(path, #"{"msg_count":1}"#).status == 400)
    }

    @Test("reading, setting and raising the number; another person's stays")
    func unread() throws {
        let house = try self.house()
        func unread() throws -> [Int64?] { try self.sync(house).map { $0["unread"]?.integer } }
        let tea = #""uid":"juliet","channel_id":"tea","channel_type":2"#
        #expect(try house.manage("/conversations/clearUnread", #"{\#(tea),"message_seq":1}"#).status == 200)
        #expect(try unread() == [1, 1])
        #expect(try house.manage("/conversations/clearUnread", "{\(tea)}").status == 200)
        #expect(try unread() == [1, 0])
        #expect(try house.manage("/conversations/setUnread", #"{\#(tea),"unread":7}"#).status == 200)
        #expect(try unread() == [1, 2])
        #expect(try house.manage("/conversations/setUnread", #"{\#(tea),"unread":0}"#).status == 200)
        #expect(try unread() == [1, 0])
        #expect(try house.manage("/conversations/setUnread", #"{\#(tea),"unread":-1}"#).status == 400)
        let stranger = #"{"uid":"tybalt","channel_id":"tea","channel_type":2}"#
        #expect(try house.manage("/conversations/clearUnread", stranger).status == 404)
        let nobody = #"{"uid":"juliet","channel_id":"stranger","channel_type":1}"#
        #expect(try house.manage("/conversations/clearUnread", nobody).status == 200)
    }

    @Test("a deleted line is gone until there is another message")
    func delete() throws {
        let house = try self.house()
        let body = #"{"uid":"juliet","channel_id":"tea","channel_type":2}"#
        #expect(try house.manage("/conversations/delete", body).status == 200)
        #expect(self.ids(try self.sync(house)) == ["tybalt"])
        let romeo = try house.connect("romeo")
        try romeo.publish("three", to: "tea", group: true)
        let lines = try self.sync(house)
        #expect(self.ids(lines) == ["tea", "tybalt"] && lines[0]["unread"]?.integer == 1)
        #expect(
            try house.manage("/conversations/delete", #"{"uid":"nobody","channel_id":"tea","channel_type":2}"#).status
                == 404)
    }

    @Test("lines and messages of chosen channels")
    func chosen() throws {
        let house = try self.house()
        let channels =
            #""channels":[{"channel_id":"tea","channel_type":2,"last_msg_seq":1},{"channel_id":"x","channel_type":2}]"#
        let lines = try house.manage("/conversation/syncByChannels", #"{"uid":"juliet",\#(channels)}"#).json
        #expect(self.ids(lines.array ?? []) == ["tea"] && lines.array?.first?["unread"]?.integer == 2)
        let messages = try house.manage("/conversation/syncMessages", #"{"uid":"juliet",\#(channels)}"#).json
        let tea = try #require(messages.array?.first)
        #expect(messages.array?.count == 1 && tea["user_last_msg_seq"]?.integer == 0)
        #expect(tea["messages"]?.array?.map { $0["message_seq"]?.integer } == [2])
        let all = #"{"uid":"romeo","channels":[{"channel_id":"tea","channel_type":2}],"msg_count":1,"order_by_last":1}"#
        let newest = try house.manage("/conversation/syncMessages", all).json.array?.first
        #expect(newest?["messages"]?.array?.map { $0["message_seq"]?.integer } == [2])
        #expect(newest?["user_last_msg_seq"]?.integer == 2)
        let bad = #"{"uid":"juliet","channels":[{"channel_id":"tea","channel_type":77}]}"#
        #expect(try house.manage("/conversation/syncByChannels", bad).status == 400)
    }

    @Test("channels are listed by the ids under which WuKongIM stores them")
    func channels() throws {
        let house = try self.house()
        let list = try house.manage("/conversation/channels", #"{"uid":"juliet"}"#).json.array ?? []
        #expect(Set(self.ids(list)).contains("tea") && list.count == 2)
        let person = try #require(list.first { $0["channel_type"]?.integer == 1 }?["channel_id"]?.string)
        #expect(person == "juliet@tybalt" || person == "tybalt@juliet")
    }
}
