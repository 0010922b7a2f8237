import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// People, conversations and messages by the native API.
struct NativeChatScenarios {
    /// Two people with a conversation, and its id.
    private func pair(_ server: TestServer) throws -> (romeo: NativeClient, juliet: NativeClient, id: String) {
        let (romeo, juliet) = (try NativeClient(server, "罗密欧"), try NativeClient(server, "朱丽叶"))
        let made = try romeo.done("POST", "/conversations", #"{"kind":"direct","with":"朱丽叶"}"#, status: 201)
        return (romeo, juliet, try #require(made["id"]?.string))
    }

    @discardableResult
    private func say(
        _ text: String, _ token: String, in id: String, by client: NativeClient, more: String = ""
    ) throws -> JSONValue {
        try client.done(
            "POST", "/conversations/\(id)/messages",
            #"{"clientToken":"\#(token)","kind":"text","text":"\#(text)"\#(more)}"#, status: 201)
    }

    @Test("two people talk: the list shows digest and unread, reading empties it, and a repeated token is one message")
    func talk() throws {
        let server = try TestServer()
        let (romeo, juliet, id) = try self.pair(server)
        let first = try self.say("早上好，喝茶吗？", "t1", in: id, by: romeo)
        #expect(first["kind"]?.string == "text" && first["sequence"]?.integer == 1)
        #expect(first["clientToken"]?.string == "t1" && first["receipt"]?["of"]?.integer == 1)
        let again = try self.say("早上好，喝茶吗？", "t1", in: id, by: romeo)
        #expect(again["id"] == first["id"])
        let conflict = try romeo.refused(
            "POST", "/conversations/\(id)/messages", #"{"clientToken":"t1","kind":"text","text":"不喝"}"#)
        #expect(conflict == "token_conflict")
        let list = try #require(try juliet.get("/conversations")["items"]?.array)
        #expect(list.count == 1 && list[0]["unread"]?.integer == 1 && list[0]["kind"]?.string == "direct")
        #expect(list[0]["digest"]?["text"]?.string == "早上好，喝茶吗？")
        #expect(list[0]["with"]?["name"]?.string == "罗密欧" && list[0]["rights"]?["send"]?.boolean == true)
        let read = try juliet.done("PUT", "/conversations/\(id)/read", #"{"sequence":1}"#)
        #expect(read["unread"]?.integer == 0 && read["readSequence"]?.integer == 1)
        let receipts = try romeo.get("/messages/\(id)-1/receipts")
        #expect(receipts["read"]?.array?.first?["name"]?.string == "朱丽叶")
        #expect(try romeo.get("/messages/\(id)-1")["receipt"]?["read"]?.integer == 1)
    }

    @Test("history goes both ways and around, and nobody else reads it")
    func history() throws {
        let server = try TestServer()
        let (romeo, juliet, id) = try self.pair(server)
        for number in 1...9 { try self.say("第\(number)杯茶", "h\(number)", in: id, by: romeo) }
        func texts(_ query: String) throws -> [String] {
            let page = try juliet.done("GET", "/conversations/\(id)/messages?\(query)")
            return page["items"]?.array?.compactMap { $0["text"]?.string } ?? []
        }
        #expect(try texts("limit=2") == ["第8杯茶", "第9杯茶"])
        #expect(try texts("before=3&limit=5") == ["第1杯茶", "第2杯茶"])
        #expect(try texts("after=7") == ["第8杯茶", "第9杯茶"])
        #expect(try texts("around=5&limit=3") == ["第4杯茶", "第5杯茶", "第6杯茶"])
        let page = try juliet.get("/conversations/\(id)/messages?around=5&limit=3")
        #expect(page["hasBefore"]?.boolean == true && page["hasAfter"]?.boolean == true)
        #expect(page["first"]?.integer == 4 && page["last"]?.integer == 6)
        #expect(try juliet.refused("GET", "/conversations/\(id)/messages?before=3&after=1") == "unusable_field")
        #expect(try juliet.refused("GET", "/conversations/\(id)/messages?limit=101") == "invalid_field")
        let tybalt = try NativeClient(server, "提伯尔特")
        #expect(try tybalt.refused("GET", "/conversations/\(id)/messages") == "no_such_conversation")
        #expect(try tybalt.refused("GET", "/conversations/\(id)") == "no_such_conversation")
        #expect(try tybalt.refused("GET", "/messages/\(id)-1") == "no_such_message")
        #expect(try tybalt.refused("POST", "/messages/\(id)-1/recall") == "no_such_message")
        #expect(
            try tybalt.refused(
                "POST", "/conversations/\(id)/messages", #"{"clientToken":"x","kind":"text","text":"我也要"}"#)
                == "no_such_conversation")
    }

    @Test("a message is edited, answered, reacted to, pinned, recalled, and deleted for one person")
    func changes() throws {
        let server = try TestServer()
        let (romeo, juliet, id) = try self.pair(server)
        try self.say("龙井茶", "c1", in: id, by: romeo)
        let edited = try romeo.done("PATCH", "/messages/\(id)-1", #"{"text":"碧螺春"}"#)
        #expect(edited["text"]?.string == "碧螺春" && edited["isEdited"]?.boolean == true)
        #expect(try juliet.refused("PATCH", "/messages/\(id)-1", #"{"text":"咖啡"}"#) == "not_author")
        let answer = try self.say("好茶", "c2", in: id, by: juliet, more: #","replyTo":"\#(id)-1""#)
        #expect(answer["replyTo"]?["id"]?.string == "\(id)-1" && answer["replyTo"]?["text"]?.string == "碧螺春")
        let emoji = "%F0%9F%8D%B5"
        for _ in 0..<2 {
            let reacted = try juliet.done("PUT", "/messages/\(id)-1/reactions/\(emoji)")
            #expect(reacted["reactions"]?.array?.first?["emoji"]?.string == "🍵")
            #expect(reacted["reactions"]?.array?.first?["count"]?.integer == 1)
        }
        #expect(try romeo.get("/messages/\(id)-1")["reactions"]?.array?.first?["isMine"]?.boolean == false)
        #expect(try juliet.done("DELETE", "/messages/\(id)-1/reactions/\(emoji)")["reactions"] == nil)
        #expect(try juliet.done("PUT", "/messages/\(id)-1/pin")["isPinned"]?.boolean == true)
        #expect(try juliet.done("DELETE", "/messages/\(id)-1/pin")["isPinned"]?.boolean == false)
        #expect(try juliet.ask("DELETE", "/messages/\(id)-2").status == 204)
        let left = try juliet.get("/conversations/\(id)/messages")["items"]?.array
        #expect(left?.count == 1 && left?.first?["sequence"]?.integer == 1)
        #expect(try romeo.get("/conversations/\(id)/messages")["items"]?.array?.count == 2)
        let recalled = try romeo.done("POST", "/messages/\(id)-1/recall")
        #expect(recalled["kind"]?.string == "recalled" && recalled["text"] == nil)
        #expect(recalled["recalledBy"]?.string == "罗密欧" && recalled["can"]?["edit"]?.boolean == false)
        #expect(try juliet.get("/messages/\(id)-1")["text"] == nil)
        #expect(try juliet.refused("POST", "/messages/\(id)-2/recall") == "no_such_message")
    }

    @Test("a group is made once per token; a card, a place and a mention reach its members; a message is forwarded")
    func group() throws {
        let server = try TestServer()
        let (romeo, juliet, direct) = try self.pair(server)
        let tybalt = try NativeClient(server, "提伯尔特")
        let body = #"{"kind":"group","title":"茶友会","members":["朱丽叶"],"clientToken":"g1"}"#
        let made = try romeo.done("POST", "/conversations", body, status: 201)
        let id = try #require(made["id"]?.string)
        #expect(made["title"]?.string == "茶友会" && made["role"]?.string == "owner" && made["memberCount"]?.integer == 2)
        #expect(try romeo.done("POST", "/conversations", body, status: 201)["id"]?.string == id)
        #expect(try romeo.refused("POST", "/conversations", #"{"kind":"moon"}"#) == "invalid_field")
        let nobody = #"{"kind":"group","title":"空","members":["无名氏"]}"#
        #expect(try romeo.refused("POST", "/conversations", nobody) == "no_such_user")
        try self.say("来喝茶", "g2", in: id, by: romeo, more: #","mentions":["朱丽叶"]"#)
        #expect(try juliet.get("/conversations/\(id)")["mentioned"]?.boolean == true)
        let sent = try #require(try juliet.get("/conversations/\(id)")["headSequence"]?.integer)
        let seen = try juliet.get("/messages/\(id)-\(sent)")
        #expect(seen["mentions"]?.array?.first?.string == "朱丽叶")
        try romeo.done(
            "POST", "/conversations/\(id)/messages",
            #"{"clientToken":"g3","kind":"place","place":{"latitude":30.25,"longitude":120.17,"title":"西湖"}}"#,
            status: 201)
        let place = try juliet.get("/messages/\(id)-\(sent + 1)")
        #expect(place["place"]?["title"]?.string == "西湖" && place["kind"]?.string == "place")
        let forwarded = try juliet.done(
            "POST", "/messages/\(id)-\(sent)/forward", #"{"to":["\#(direct)","999999"],"clientToken":"f1"}"#)
        #expect(forwarded["items"]?.array?.count == 2)
        #expect(forwarded["items"]?.array?[1]["problem"]?.string == "no_such_conversation")
        let newest = try romeo.get("/conversations/\(direct)/messages?limit=1")["items"]?.array?.first
        #expect(newest?["text"]?.string == "来喝茶" && newest?["sender"]?.string == "朱丽叶" && newest?["mentions"] == nil)
        #expect(try juliet.refused("PATCH", "/conversations/\(id)", #"{"title":"酒友会"}"#) == "not_manager")
        let renamed = try romeo.done("PATCH", "/conversations/\(id)", #"{"title":"茶友会二"}"#)
        #expect(renamed["title"]?.string == "茶友会二")
        #expect(try tybalt.refused("PATCH", "/conversations/\(id)", #"{"title":"x"}"#) == "no_such_conversation")
        #expect(try juliet.ask("POST", "/conversations/\(id)/leave").status == 204)
        #expect(try juliet.refused("GET", "/conversations/\(id)") == "no_such_conversation")
    }

    @Test("draft, pin, mute, remark and hiding are the person's own; the list comes in pages that miss nothing")
    func own() throws {
        let server = try TestServer()
        let (romeo, juliet, id) = try self.pair(server)
        try self.say("你好", "o1", in: id, by: romeo)
        for number in 1...3 {
            try romeo.done(
                "POST", "/conversations", #"{"kind":"group","title":"茶会\#(number)","members":[]}"#, status: 201)
        }
        let set = try romeo.done(
            "PATCH", "/conversations/\(id)/settings", #"{"isPinned":true,"isMuted":true,"remark":"小朱"}"#)
        #expect(set["isPinned"]?.boolean == true && set["isMuted"]?.boolean == true && set["title"]?.string == "小朱")
        #expect(try romeo.ask("PUT", "/conversations/\(id)/draft", #"{"text":"还没写完"}"#).status == 204)
        #expect(try romeo.get("/conversations/\(id)")["draft"]?.string == "还没写完")
        #expect(try juliet.get("/conversations/\(id)")["draft"] == nil)
        #expect(try juliet.get("/conversations/\(id)")["isPinned"]?.boolean == false)
        var ids: [String] = []
        var path = "/conversations?limit=2"
        while true {
            let page = try romeo.done("GET", path)
            ids += page["items"]?.array?.compactMap { $0["id"]?.string } ?? []
            guard let next = page["next"]?.string else { break }
            path = "/conversations?limit=2&cursor=\(next)"
        }
        #expect(ids.count == 4 && Set(ids).count == 4 && ids.first == id)
        #expect(try romeo.refused("GET", "/conversations?cursor=moon") == "unusable_field")
        #expect(try juliet.ask("DELETE", "/conversations/\(id)").status == 204)
        #expect(try juliet.get("/conversations")["items"]?.array?.isEmpty == true)
        try self.say("还在吗", "o2", in: id, by: romeo)
        #expect(try juliet.get("/conversations")["items"]?.array?.count == 1)
    }

    @Test("people are found by name and by display name, and change what they say of themselves")
    func people() throws {
        let server = try TestServer()
        let romeo = try NativeClient(server, "罗密欧")
        _ = try NativeClient(server, "朱丽叶")
        let me = try romeo.done("PATCH", "/me", #"{"displayName":"蒙太古家的儿子"}"#)
        #expect(me["displayName"]?.string == "蒙太古家的儿子" && me["name"]?.string == "罗密欧")
        let query = "%E8%92%99%E5%A4%AA%E5%8F%A4"
        let found = try romeo.done("GET", "/people?query=\(query)")["items"]?.array
        #expect(found?.count == 1 && found?.first?["name"]?.string == "罗密欧")
        #expect(try romeo.get("/people")["items"]?.array?.count == 2)
        let first = try romeo.done("GET", "/people?limit=1")
        #expect(first["items"]?.array?.count == 1 && first["next"] != nil)
        #expect(try romeo.get("/people/%E6%9C%B1%E4%B8%BD%E5%8F%B6")["name"]?.string == "朱丽叶")
        #expect(try romeo.refused("GET", "/people/nobody") == "no_such_user")
    }

    @Test("an uploaded picture is sent, shown by a link that needs no token, and only who can read it may send it")
    func attachment() throws {
        let server = try TestServer()
        let (romeo, juliet, id) = try self.pair(server)
        let upload = try romeo.ask("PUT", "/files/%E8%8C%B6.txt", "西湖龙井")
        let key = try #require(upload.json["id"]?.string, "\(upload.text)")
        func send(_ token: String) -> String {
            #"{"clientToken":"\#(token)","kind":"file","attachment":{"file":"\#(key)","name":"茶.txt","size":12,"#
                + #""mediaType":"text/plain"}}"#
        }
        let path = "/conversations/\(id)/messages"
        #expect(try juliet.refused("POST", path, send("a0")) == "no_such_file")
        let sent = try romeo.done("POST", path, send("a1"), status: 201)
        #expect(sent["attachment"]?["name"]?.string == "茶.txt" && sent["attachment"]?["size"]?.integer == 12)
        let url = try #require(try juliet.get("/messages/\(id)-1")["attachment"]?["url"]?.string)
        #expect(url.hasPrefix("/f/"))
        #expect(try server.http("GET", url).text == "西湖龙井")
        #expect(try romeo.refused("POST", path, #"{"clientToken":"a2","kind":"file"}"#) == "missing_field")
        #expect(try romeo.done("POST", "/messages/\(id)-1/recall")["attachment"] == nil)
        #expect(try server.http("GET", url).status == 404)
    }

    @Test("members are listed, found, brought in, made managers, muted and taken out, by who may")
    func members() throws {
        let server = try TestServer()
        let (romeo, juliet, _) = try self.pair(server)
        let tybalt = try NativeClient(server, "提伯尔特")
        let body = #"{"kind":"group","title":"茶友会","members":["朱丽叶"]}"#
        let id = try #require(try romeo.done("POST", "/conversations", body, status: 201)["id"]?.string)
        #expect(try tybalt.refused("GET", "/conversations/\(id)/members") == "no_such_conversation")
        let added = try juliet.done("POST", "/conversations/\(id)/members", #"{"members":["提伯尔特"]}"#)
        #expect(added["added"]?.array?.first?.string == "提伯尔特")
        let all = try #require(try tybalt.get("/conversations/\(id)/members")["items"]?.array)
        #expect(all.count == 3 && all[0]["role"]?.string == "owner" && all[0]["user"]?["name"]?.string == "罗密欧")
        let page = try tybalt.done("GET", "/conversations/\(id)/members?limit=2")
        #expect(page["items"]?.array?.count == 2 && page["next"] != nil)
        let person = "%E6%8F%90%E4%BC%AF%E5%B0%94%E7%89%B9"
        let found = try romeo.get("/conversations/\(id)/members?query=%E6%8F%90")["items"]?.array
        #expect(found?.count == 1 && found?.first?["user"]?["name"]?.string == "提伯尔特")
        let path = "/conversations/\(id)/members/\(person)"
        #expect(try juliet.refused("DELETE", path) == "not_manager")
        let update = try juliet.get("/conversations/\(id)")["rights"]?["update"]
        #expect(update?["no"]?.string == "not_manager" && update?["setting"]?.string == "update-info-mode")
        #expect(try romeo.done("PATCH", path, #"{"role":"manager","nickname":"猫王"}"#)["role"]?.string == "manager")
        let muted = try romeo.done("PATCH", path, #"{"role":"member","mutedUntil":9007199254740991}"#)
        #expect(muted["mutedUntil"]?.integer == 9_007_199_254_740_991 && muted["nickname"]?.string == "猫王")
        let send = try tybalt.get("/conversations/\(id)")["rights"]?["send"]
        #expect(send?["no"]?.string == "muted")
        let say = #"{"clientToken":"m1","kind":"text","text":"喵"}"#
        #expect(try tybalt.refused("POST", "/conversations/\(id)/messages", say) == "muted")
        #expect(try romeo.ask("DELETE", path).status == 204)
        #expect(try romeo.refused("DELETE", path) == "no_such_user")
        #expect(try tybalt.refused("GET", "/conversations/\(id)") == "no_such_conversation")
    }

    @Test("what WuKongIM's clients say and what the native API says reach each other")
    func wires() throws {
        let server = try TestServer()
        let (romeo, juliet, id) = try self.pair(server)
        let app = try server.connect("朱丽叶")
        #expect(try app.publish("从应用来的话", to: "罗密欧").reason == 1)
        let newest = try romeo.get("/conversations/\(id)/messages?limit=1")["items"]?.array?.first
        #expect(newest?["text"]?.string == "从应用来的话" && newest?["sender"]?.string == "朱丽叶")
        try self.say("从网页来的话", "w1", in: id, by: romeo)
        let stored = try server.history(.direct(UserName("罗密欧")!), seenBy: "朱丽叶")
        #expect(stored.count == 2 && String(decoding: stored[1].content.body, as: UTF8.self).contains("从网页来的话"))
        #expect(try juliet.get("/conversations/\(id)")["headSequence"]?.integer == 2)
    }
}
