import ByteCodec
import ChatModel
import Server
import Store
import TeahouseTesting
import Testing

/// Sending, commands and history over the HTTP API.
struct APIMessageScenarios {
    private static func payload(_ text: String) -> String {
        String(decoding: Base64.encode(Array(#"{"type":1,"content":"\#(text)"}"#.utf8)), as: UTF8.self)
    }

    private static func body(_ text: String, _ more: String) -> String {
        #"{"header":{"red_dot":1},"payload":"\#(Self.payload(text))",\#(more)}"#
    }

    /// The texts of an answer's messages.
    private static func texts(_ messages: JSONValue?) -> [String] {
        (messages?.array ?? []).map { message in
            let bytes = Base64.decode(Array((message["payload"]?.string ?? "").utf8)) ?? []
            return (try? JSONValue(parsing: bytes))?["content"]?.string ?? "?"
        }
    }

    // MARK: Sending

    @Test("the manager sends for anybody, to people and groups; a retry with the same number is one message")
    func send() throws {
        let server = try TestServer()
        try server.group("tea", ["juliet"])
        let juliet = try server.connect("juliet")
        let body = Self.body(
            "hello", #""from_uid":"romeo","channel_id":"juliet","channel_type":1,"client_msg_no":"n1""#)
        let first = try server.manage("/message/send", body)
        #expect(first.status == 200 && first.json["data"]?["client_msg_no"]?.string == "n1")
        #expect(try server.manage("/message/send", body).json == first.json)
        let received = try juliet.receive()
        #expect(received.text == "hello" && received.from == "romeo" && received.channel == "romeo")
        #expect(first.json["data"]?["message_idstr"]?.string == received.messageID)
        let group = Self.body("all", #""channel_id":"tea","channel_type":2"#)
        let second = try server.manage("/message/send", group)
        #expect(second.json["data"]?["client_msg_no"]?.string?.utf8.count == 32)
        // What the server itself says has an empty sender, live and in the history, as in webhooks.
        let said = try juliet.receive()
        #expect(said.text == "all" && said.from == "")
        let page = try server.manage(
            "/channel/messagesync", #"{"login_uid":"juliet","channel_id":"tea","channel_type":2}"#)
        #expect(page.json["messages"]?.array?.map { $0["from_uid"]?.string } == [""])
    }

    @Test("a message that is not kept is shown to who is online, and is nowhere afterwards")
    func transient() throws {
        let server = try TestServer()
        try server.group("tea", ["juliet"])
        let juliet = try server.connect("juliet")
        let body =
            #"{"header":{"no_persist":1},"from_uid":"romeo","channel_id":"tea","channel_type":2,"payload":"\#(Self.payload("now"))"}"#
        #expect(try server.manage("/message/send", body).json["data"]?["message_seq"]?.integer == 0)
        let received = try juliet.receive()
        #expect(received.text == "now" && received.sequence == 0)
        #expect(try server.history(.channel(.group, ChannelName("tea")!), seenBy: "juliet").isEmpty)
    }

    @Test(
        "what cannot be sent is refused with the reason",
        arguments: [
            (#""channel_id":"nothing","channel_type":2"#, "no such channel"),
            (#""channel_id":"banned","channel_type":2"#, "reason 19"),
            (#""from_uid":"silent","channel_id":"juliet","channel_type":1"#, "reason 25"),
            (#""channel_id":"a@b","channel_type":2"#, "channel_id"),
            (#""channel_type":2"#, "channel_id is missing"),
            (#""channel_id":"x","channel_type":2,"subscribers":["a"]"#, "channel_id must be empty"),
            (#""subscribers":["a"]"#, "sync_once"),
            (#""channel_id":"juliet","channel_type":1,"expire":-1"#, "expire"),
        ])
    func refusals(more: String, reason: String) throws {
        let server = try TestServer()
        let banned = try server.group("banned", ["juliet"])
        try server.add("silent")
        let silent = try server.id("silent")
        try server.write { transaction throws(StoreError) in
            try transaction.conversations.setFlags([.banned], of: banned)
            try transaction.people.setSendBanned(silent, true)
        }
        let answer = try server.manage("/message/send", Self.body("x", more))
        #expect(answer.status == 400)
        #expect(answer.json["msg"]?.string?.contains(reason) == true, "\(answer.json)")
    }

    @Test("a payload that is no base64, or too long, is refused")
    func payloads() throws {
        let server = try TestServer { $0.wuKongAPI.messageBytes = 1024 }
        let to = #""channel_id":"juliet","channel_type":1"#
        #expect(try server.manage("/message/send", #"{"payload":"{}",\#(to)}"#).status == 400)
        #expect(try server.manage("/message/send", "{\(to)}").status == 400)
        #expect(try server.manage("/message/send", Self.body(String(repeating: "x", count: 1024), to)).status == 400)
    }

    @Test("a person sends for themselves only, to groups of theirs, and gives no commands")
    func person() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        try server.group("coffee", ["juliet"])
        let token = try server.token("romeo")
        let juliet = try server.connect("juliet")
        func send(_ more: String, token: String?) throws -> Int {
            try server.http("POST", "/message/send", token: token, json: Self.body("hi", more)).status
        }
        let mine = #""from_uid":"romeo","channel_id":"tea","channel_type":2"#
        #expect(try send(mine, token: token) == 200)
        #expect(try juliet.receive().from == "romeo")
        #expect(try send(mine, token: nil) == 401)
        #expect(try send(mine, token: "wrong") == 401)
        #expect(try send(#""from_uid":"juliet","channel_id":"tea","channel_type":2"#, token: token) == 403)
        #expect(try send(#""channel_id":"tea","channel_type":2"#, token: token) == 400)
        #expect(try send(#""from_uid":"romeo","channel_id":"coffee","channel_type":2"#, token: token) == 400)
        let command = #"{"header":{"sync_once":1},"from_uid":"romeo","payload":"e30=","subscribers":["juliet"]}"#
        #expect(try server.http("POST", "/message/send", token: token, json: command).status == 403)
        let disguised = #"{"payload":"eyJ0eXBlIjo5OX0=",\#(mine)}"#
        #expect(try server.http("POST", "/message/send", token: token, json: disguised).status == 403)
    }

    @Test("a batch is a message of its own for each receiver, and says who was not reached")
    func batch() throws {
        let server = try TestServer()
        let juliet = try server.connect("juliet")
        try server.add("robot")
        let body = Self.body("news", #""from_uid":"robot","subscribers":["juliet","nurse","juliet"]"#)
        let answer = try server.manage("/message/sendbatch", body)
        #expect(answer.status == 200 && answer.json["data"]?["fail_uids"]?.array?.isEmpty == true)
        #expect(try juliet.receive().text == "news")
        let robotID = try server.id("robot")
        try server.write { transaction throws(StoreError) in try transaction.people.setSendBanned(robotID, true) }
        let failed = try server.manage("/message/sendbatch", body)
        #expect(failed.json["data"]?["fail_uids"]?.array?.map(\.string) == ["juliet", "nurse"])
        #expect(failed.json["data"]?["reason"]?.array?.count == 2)
        #expect(try server.manage("/message/sendbatch", Self.body("x", #""subscribers":[]"#)).status == 400)
        let token = try server.token("romeo")
        #expect(try server.http("POST", "/message/sendbatch", token: token, json: body).status == 401)
    }

    // MARK: Commands

    private func sync(_ server: TestServer, _ uid: String, after: Int = 0, token: String? = nil) throws -> JSONValue {
        let token = try token ?? server.managerToken()
        return try server.http(
            "POST", "/message/sync", token: token, json: #"{"uid":"\#(uid)","message_seq":\#(after),"limit":10}"#
        ).json
    }

    @Test("a command for people is shown at once and kept for who is away, until it is acknowledged")
    func commandsForPeople() throws {
        let server = try TestServer()
        let juliet = try server.connect("juliet")
        let body = #"{"header":{"sync_once":1},"payload":"\#(Self.payload("go"))","subscribers":["juliet","nurse"]}"#
        let answer = try server.manage("/message/send", body)
        #expect(answer.status == 200 && answer.json["data"] == nil)
        #expect(try juliet.receive().text == "go")
        let kept = try self.sync(server, "nurse")
        #expect(Self.texts(kept) == ["go"])
        let sequence = try #require(kept.array?.first?["message_seq"]?.integer)
        #expect(kept.array?.first?["header"]?["sync_once"]?.integer == 1)
        let acknowledge = #"{"uid":"nurse","last_message_seq":\#(sequence)}"#
        #expect(try server.manage("/message/syncack", acknowledge).status == 200)
        #expect(Self.texts(try self.sync(server, "nurse")).isEmpty)
        #expect(Self.texts(try self.sync(server, "stranger")).isEmpty)
    }

    @Test("a command that is not kept is shown only")
    func passingCommand() throws {
        let server = try TestServer()
        let juliet = try server.connect("juliet")
        let body =
            #"{"header":{"sync_once":1,"no_persist":1},"payload":"\#(Self.payload("now"))","subscribers":["juliet"]}"#
        #expect(try server.manage("/message/send", body).status == 200)
        #expect(try juliet.receive().text == "now")
        #expect(Self.texts(try self.sync(server, "juliet")).isEmpty)
    }

    @Test("a command for a channel is for its people, leaves no message, and a person syncs their own log only")
    func commandsForChannels() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let body =
            #"{"header":{"sync_once":1},"from_uid":"romeo","channel_id":"tea","channel_type":2,"payload":"\#(Self.payload("c"))"}"#
        let answer = try server.manage("/message/send", body)
        #expect(answer.status == 200 && answer.json["data"]?["message_id"]?.integer != nil)
        let token = try server.token("juliet")
        let kept = try self.sync(server, "juliet", token: token)
        #expect(Self.texts(kept) == ["c"])
        #expect(kept.array?.first?["channel_id"]?.string == "tea" && kept.array?.first?["channel_type"]?.integer == 2)
        #expect(try server.history(.channel(.group, ChannelName("tea")!), seenBy: "juliet").isEmpty)
        #expect(try self.sync(server, "romeo", token: token)["status"]?.integer == 403)
        let missing = #"{"header":{"sync_once":1},"channel_id":"none","channel_type":2,"payload":"e30="}"#
        #expect(try server.manage("/message/send", missing).status == 404)
        #expect(try server.manage("/message/syncack", #"{"uid":"juliet"}"#).status == 400)
        #expect(try server.manage("/message/syncack", #"{"uid":"none","last_message_seq":1}"#).status == 404)
        let others = #"{"uid":"romeo","last_message_seq":1}"#
        #expect(try server.http("POST", "/message/syncack", token: token, json: others).status == 403)
    }

    // MARK: History

    private func filled(_ count: Int = 5) throws -> TestServer {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connect("romeo")
        for number in 1...count { try romeo.publish("m\(number)", to: "tea", group: true, number: "n\(number)") }
        return server
    }

    private func page(_ server: TestServer, _ more: String, token: String? = nil) throws -> (
        texts: [String], more: Int64
    ) {
        let body = #"{"login_uid":"juliet","channel_id":"tea","channel_type":2,\#(more)}"#
        let token = try token ?? server.managerToken()
        let answer = try server.http("POST", "/channel/messagesync", token: token, json: body)
        #expect(answer.status == 200, "\(answer.json)")
        return (Self.texts(answer.json["messages"]), answer.json["more"]?.integer ?? -1)
    }

    @Test("pages of a channel go down from the newest or a start, up from a start, and end before the end")
    func pages() throws {
        let server = try self.filled()
        let newest = try self.page(server, #""limit":2"#)
        #expect(newest.texts == ["m4", "m5"] && newest.more == 1)
        let down = try self.page(server, #""start_message_seq":4,"end_message_seq":1,"limit":10"#)
        #expect(down.texts == ["m2", "m3", "m4"] && down.more == 0)
        let downShort = try self.page(server, #""start_message_seq":4,"limit":2"#)
        #expect(downShort.texts == ["m3", "m4"] && downShort.more == 1)
        let up = try self.page(server, #""start_message_seq":2,"end_message_seq":5,"pull_mode":1"#)
        #expect(up.texts == ["m2", "m3", "m4"] && up.more == 0)
        let upShort = try self.page(server, #""start_message_seq":2,"limit":2,"pull_mode":1"#)
        #expect(upShort.texts == ["m2", "m3"] && upShort.more == 1)
        #expect(try self.page(server, #""start_message_seq":6,"pull_mode":1"#).texts == [])
        let all = try self.page(server, #""limit":5"#)
        #expect(all.texts.count == 5 && all.more == 0)
    }

    @Test("more messages than the store reads at a time come in one answer, in order")
    func longPage() throws {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connect("romeo")
        for number in 1...1100 {
            let parameters = TestClient.sendParameters(
                "m\(number)", to: "tea", group: true, number: "n\(number)", header: "")
            try romeo.send(raw: #"{"id":"x\#(number)","method":"send","params":\#(parameters)}"#)
        }
        _ = try romeo.answer(to: "x1100")
        let head = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.one(tea)?.head
        }
        #expect(head == 1100)
        let expected = (1...1100).map { "m\($0)" }
        #expect(try self.page(server, #""limit":10000"#).texts == expected)
        #expect(try self.page(server, #""start_message_seq":1,"pull_mode":1,"limit":10000"#).texts == expected)
    }

    @Test("a page of what apps ask for is whole however long its messages are; beyond it `more` is true")
    func longMessages() throws {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet"])
        try server.fill(tea, by: "romeo", count: 110, bytes: 30_000)
        for more in ["", #","start_message_seq":1,"pull_mode":1"#] {
            let whole = try self.page(server, #""limit":100\#(more)"#)
            #expect(whole.texts.count == 100 && whole.more == 1)
            let cut = try self.page(server, #""limit":10000\#(more)"#)
            #expect(cut.texts.count == 100 && cut.more == 1)
        }
        #expect(try self.page(server, #""start_message_seq":10,"limit":100"#).more == 0)
    }

    @Test("a message is worded as WuKongIM does")
    func wording() throws {
        let server = try self.filled(1)
        let body = #"{"login_uid":"juliet","channel_id":"tea","channel_type":2,"limit":1}"#
        let answer = try server.manage("/channel/messagesync", body).json
        let message = try #require(answer["messages"]?.array?.first)
        let names = message.object?.map(\.name) ?? []
        #expect(
            names == [
                "header", "setting", "message_id", "message_idstr", "client_msg_no", "message_seq", "from_uid",
                "channel_id", "channel_type", "timestamp", "expire", "payload",
            ])
        #expect(message["client_msg_no"]?.string == "n1" && message["header"]?["red_dot"]?.integer == 1)
        #expect(message["message_idstr"]?.string == message["message_id"]?.integer.map { String($0) })
    }

    @Test("a person reads channels of theirs; others do not exist for them")
    func personReads() throws {
        let server = try self.filled(1)
        let (juliet, tybalt) = (try server.token("juliet"), try server.token("tybalt"))
        #expect(try self.page(server, #""limit":1"#, token: juliet).texts == ["m1"])
        func status(_ uid: String, _ channel: String, _ token: String) throws -> Int {
            let body = #"{"login_uid":"\#(uid)","channel_id":"\#(channel)","channel_type":2}"#
            return try server.http("POST", "/channel/messagesync", token: token, json: body).status
        }
        #expect(try status("tybalt", "tea", tybalt) == 404)
        #expect(try status("tybalt", "nothing", tybalt) == 404)
        #expect(try status("juliet", "tea", tybalt) == 403)
        let query = "channel_id=tea&channel_type=2&login_uid=tybalt"
        #expect(try server.http("GET", "/channel/max_message_seq?\(query)", token: tybalt).status == 404)
        #expect(try server.http("GET", "/channel/last_message?\(query)", token: tybalt).status == 404)
        #expect(try server.http("GET", "/channel/last_message?\(query)", token: juliet).status == 403)
    }

    @Test("in a person channel each side sees the other as the channel; the stored id names both")
    func personChannel() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        try romeo.publish("hi", to: "juliet", number: "n1")
        for (uid, other) in [("romeo", "juliet"), ("juliet", "romeo")] {
            let body = #"{"login_uid":"\#(uid)","channel_id":"\#(other)","channel_type":1}"#
            let answer = try server.manage("/channel/messagesync", body).json
            #expect(answer["messages"]?.array?.first?["channel_id"]?.string == other)
        }
        let token = try server.managerToken()
        for id in ["romeo%40juliet", "juliet%40romeo"] {
            let query = "channel_id=\(id)&channel_type=1&client_msg_no=n1"
            let message = try server.http("GET", "/message/byclientmsgno?\(query)", token: token).json
            #expect(message["from_uid"]?.string == "romeo" && message["message_seq"]?.integer == 1)
        }
        let nobody = #"{"login_uid":"juliet","channel_id":"nobody","channel_type":1}"#
        #expect(try server.manage("/channel/messagesync", nobody).json["messages"]?.array?.isEmpty == true)
    }

    @Test("messages are picked by sequence, id and client number; the last one and its sequence are told")
    func pick() throws {
        let server = try self.filled()
        let token = try server.managerToken()
        let channel = #""channel_id":"tea","channel_type":2"#
        let last = try server.http("GET", "/channel/last_message?channel_id=tea&channel_type=2", token: token).json
        let id = try #require(last["message_idstr"]?.string)
        #expect(last["message_seq"]?.integer == 5)
        let picked = try server.manage(
            "/messages", #"{\#(channel),"message_seqs":[2,99],"message_ids":["\#(id)"],"client_msg_nos":["n3","nx"]}"#)
        #expect(Self.texts(picked.json["messages"]) == ["m2", "m3", "m5"])
        #expect(
            try server.manage("/message", #"{\#(channel),"message_id":"\#(id)"}"#).json["message_seq"]?.integer == 5)
        #expect(try server.manage("/message", #"{\#(channel),"client_msg_no":"n4"}"#).json["message_seq"]?.integer == 4)
        let missing = try server.manage("/message", #"{\#(channel),"client_msg_no":"nx"}"#)
        #expect(missing.status == 200 && missing.json["status"]?.integer == 404)
        #expect(try server.manage("/message", "{\(channel)}").status == 400)
        #expect(try server.manage("/messages", #"{\#(channel),"message_seqs":["x"]}"#).status == 400)
        let query = "channel_id=tea&channel_type=2"
        #expect(
            try server.http("GET", "/channel/max_message_seq?\(query)", token: token).json["message_seq"]?.integer == 5)
        #expect(
            try server.http("GET", "/channel/max_message_seq?channel_id=x&channel_type=2", token: token).json[
                "message_seq"]?.integer == 0)
        #expect(try server.http("GET", "/message/byclientmsgno?\(query)", token: token).status == 400)
        #expect(try server.http("POST", "/messages", json: "{\(channel)}").status == 401)
    }

    @Test("of a message that was recalled only its type is told")
    func withdrawn() throws {
        let server = try self.filled(2)
        try server.write { transaction throws(StoreError) in
            let tea = ConversationAddress.channel(.group, ChannelName("tea")!)
            guard let found = try transaction.reading.conversations.one(tea, seenBy: .system) else { return }
            _ = try transaction.messages.recall(MessagePlace(found.id, 1), by: .operator)
        }
        let body = #"{"login_uid":"juliet","channel_id":"tea","channel_type":2}"#
        let answer = try server.manage("/channel/messagesync", body).json
        let payload = answer["messages"]?.array?.first?["payload"]?.string ?? ""
        #expect(String(decoding: Base64.decode(Array(payload.utf8)) ?? [], as: UTF8.self) == #"{"type":1006}"#)
    }
}
