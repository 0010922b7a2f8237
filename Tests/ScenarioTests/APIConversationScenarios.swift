import ByteCodec
import ChatModel
import Server
import Store
import TeahouseTesting
import Testing

/// A person's list of conversations over the HTTP API.
struct APIConversationScenarios {
    /// juliet has two messages of romeo's in `tea` and one of tybalt's to herself.
    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        try server.add("tybalt")
        let romeo = try server.connect("romeo")
        let tybalt = try server.connect("tybalt")
        try romeo.publish("one", to: "tea", group: true, number: "n1")
        try romeo.publish("two", to: "tea", group: true, number: "n2")
        try tybalt.publish("hi", to: "juliet", number: "n3")
        return server
    }

    private func sync(_ server: TestServer, _ more: String = #""msg_count":10"#, token: String? = nil) throws
        -> [JSONValue]
    {
        let token = try token ?? server.managerToken()
        let answer = try server.http("POST", "/conversation/sync", token: token, json: #"{"uid":"juliet",\#(more)}"#)
        #expect(answer.status == 200, "\(answer.json)")
        return answer.json.array ?? []
    }

    private func ids(_ lines: [JSONValue]) -> [String] { lines.map { $0["channel_id"]?.string ?? "" } }

    @Test("the list is newest first, counts what is unread, and brings the newest messages first")
    func list() throws {
        let server = try self.server()
        let lines = try self.sync(server)
        #expect(self.ids(lines) == ["tybalt", "tea"])
        let tea = lines[1]
        #expect(tea["unread"]?.integer == 2 && tea["last_msg_seq"]?.integer == 2)
        #expect(tea["last_client_msg_no"]?.string == "n2" && tea["channel_type"]?.integer == 2)
        #expect(tea["recents"]?.array?.map { $0["message_seq"]?.integer } == [2, 1])
        #expect(lines[0]["channel_type"]?.integer == 1 && lines[0]["recents"]?.array?.count == 1)
        #expect(try self.sync(server, #""msg_count":1"#)[1]["recents"]?.array?.count == 1)
        #expect(try self.sync(server, #""msg_count":0"#).isEmpty)
    }

    @Test("after a version only what has changed comes, also by reading elsewhere")
    func versions() throws {
        let server = try self.server()
        let version = try #require(try self.sync(server).compactMap { $0["version"]?.integer }.max())
        #expect(version > 1_900_000_000_000_000_000)
        #expect(try self.sync(server, #""msg_count":1,"version":\#(version)"#).isEmpty)
        #expect(try self.sync(server, #""msg_count":1,"version":\#(Int64(Double(version)))"#).isEmpty)
        let romeo = try server.connect("romeo")
        try romeo.publish("three", to: "tea", group: true)
        let changed = try self.sync(
            server, #""msg_count":5,"version":\#(version),"last_msg_seqs":"tea:2:2|tybalt:1:1""#)
        #expect(self.ids(changed) == ["tea"])
        #expect(changed[0]["recents"]?.array?.map { $0["message_seq"]?.integer } == [3])
        #expect(try self.sync(server, #""msg_count":1,"version":1790000000000000000"#).count == 2)
    }

    @Test("pages and filters")
    func pages() throws {
        let server = try self.server()
        #expect(self.ids(try self.sync(server, #""msg_count":1,"page":1,"page_size":1"#)) == ["tybalt"])
        #expect(self.ids(try self.sync(server, #""msg_count":1,"page":2,"page_size":1"#)) == ["tea"])
        #expect(self.ids(try self.sync(server, #""msg_count":1,"page":3,"page_size":1"#)) == [])
        #expect(self.ids(try self.sync(server, #""msg_count":1,"exclude_channel_types":[1]"#)) == ["tea"])
        let clear = #"{"uid":"juliet","channel_id":"tybalt","channel_type":1}"#
        #expect(try server.manage("/conversations/clearUnread", clear).status == 200)
        #expect(self.ids(try self.sync(server, #""msg_count":1,"only_unread":1"#)) == ["tea"])
    }

    @Test("a person sees their own list")
    func own() throws {
        let server = try self.server()
        #expect(try self.sync(server, token: try server.token("juliet")).count == 2)
    }

    @Test(
        "nobody sees or changes the list of another person",
        arguments: [
            "/conversation/sync", "/conversation/syncByChannels", "/conversation/syncMessages",
            "/conversation/channels", "/conversations/clearUnread", "/conversations/setUnread", "/conversations/delete",
        ])
    func access(path: String) throws {
        let server = try self.server()
        let body = #"{"uid":"juliet","msg_count":1,"channel_id":"tea","channel_type":2,"unread":0}"#
        #expect(try server.http("POST", path, token: try server.token("romeo"), json: body).status == 403)
        #expect(try server.http("POST", path, json: body).status == 401)
        #expect(try server.manage(path, #"{"msg_count":1}"#).status == 400)
    }

    @Test("reading, setting and raising the number; another person's stays")
    func unread() throws {
        let server = try self.server()
        func unread() throws -> [Int64?] { try self.sync(server).map { $0["unread"]?.integer } }
        let tea = #""uid":"juliet","channel_id":"tea","channel_type":2"#
        #expect(try server.manage("/conversations/clearUnread", #"{\#(tea),"message_seq":1}"#).status == 200)
        #expect(try unread() == [1, 1])
        #expect(try server.manage("/conversations/clearUnread", "{\(tea)}").status == 200)
        #expect(try unread() == [1, 0])
        #expect(try server.manage("/conversations/setUnread", #"{\#(tea),"unread":7}"#).status == 200)
        #expect(try unread() == [1, 2])
        #expect(try server.manage("/conversations/setUnread", #"{\#(tea),"unread":0}"#).status == 200)
        #expect(try unread() == [1, 0])
        #expect(try server.manage("/conversations/setUnread", #"{\#(tea),"unread":-1}"#).status == 400)
        let stranger = #"{"uid":"tybalt","channel_id":"tea","channel_type":2}"#
        #expect(try server.manage("/conversations/clearUnread", stranger).status == 404)
        let nobody = #"{"uid":"juliet","channel_id":"stranger","channel_type":1}"#
        #expect(try server.manage("/conversations/clearUnread", nobody).status == 200)
    }

    @Test("a deleted line is gone until there is another message")
    func delete() throws {
        let server = try self.server()
        let body = #"{"uid":"juliet","channel_id":"tea","channel_type":2}"#
        #expect(try server.manage("/conversations/delete", body).status == 200)
        #expect(self.ids(try self.sync(server)) == ["tybalt"])
        let romeo = try server.connect("romeo")
        try romeo.publish("three", to: "tea", group: true)
        let lines = try self.sync(server)
        #expect(self.ids(lines) == ["tea", "tybalt"] && lines[0]["unread"]?.integer == 1)
        #expect(
            try server.manage("/conversations/delete", #"{"uid":"nobody","channel_id":"tea","channel_type":2}"#).status
                == 404)
    }

    @Test("lines and messages of chosen channels")
    func chosen() throws {
        let server = try self.server()
        let channels =
            #""channels":[{"channel_id":"tea","channel_type":2,"last_msg_seq":1},{"channel_id":"x","channel_type":2}]"#
        let lines = try server.manage("/conversation/syncByChannels", #"{"uid":"juliet",\#(channels)}"#).json
        #expect(self.ids(lines.array ?? []) == ["tea"] && lines.array?.first?["unread"]?.integer == 2)
        let messages = try server.manage("/conversation/syncMessages", #"{"uid":"juliet",\#(channels)}"#).json
        let tea = try #require(messages.array?.first)
        #expect(messages.array?.count == 1 && tea["user_last_msg_seq"]?.integer == 0)
        #expect(tea["messages"]?.array?.map { $0["message_seq"]?.integer } == [2])
        let all = #"{"uid":"romeo","channels":[{"channel_id":"tea","channel_type":2}],"msg_count":1,"order_by_last":1}"#
        let newest = try server.manage("/conversation/syncMessages", all).json.array?.first
        #expect(newest?["messages"]?.array?.map { $0["message_seq"]?.integer } == [2])
        #expect(newest?["user_last_msg_seq"]?.integer == 2)
        let bad = #"{"uid":"juliet","channels":[{"channel_id":"tea","channel_type":77}]}"#
        #expect(try server.manage("/conversation/syncByChannels", bad).status == 400)
    }

    @Test("messages of many channels share one page: beyond it each channel has one")
    func sharedPage() throws {
        let server = try TestServer()
        for channel in ["tea", "coffee"] {
            try server.fill(try server.group(channel, ["romeo", "juliet"]), by: "romeo", count: 40, bytes: 30_000)
        }
        let channels = #""channels":[{"channel_id":"tea","channel_type":2},{"channel_id":"coffee","channel_type":2}]"#
        for (order, last) in [("0", [1]), ("1", [40])] as [(String, [Int64])] {
            let request = #"{"uid":"juliet","msg_count":200,"order_by_last":\#(order),\#(channels)}"#
            let answer = try server.manage("/conversation/syncMessages", request).json.array ?? []
            let found = answer.map { $0["messages"]?.array?.compactMap { $0["message_seq"]?.integer } ?? [] }
            #expect(found.map(\.count) == [35, 1] && found.last == last)
        }
    }

    @Test("channels are listed by the ids under which WuKongIM stores them")
    func channels() throws {
        let server = try self.server()
        let list = try server.manage("/conversation/channels", #"{"uid":"juliet"}"#).json.array ?? []
        #expect(Set(self.ids(list)).contains("tea") && list.count == 2)
        let person = try #require(list.first { $0["channel_type"]?.integer == 1 }?["channel_id"]?.string)
        #expect(person == "juliet@tybalt" || person == "tybalt@juliet")
    }
}
