import ByteCodec
import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

extension LeanCloudApp {
    /// A conversation of these people, made by the app's own server.
    func conversation(_ names: String..., unique: Bool = false) throws -> String {
        let reply = try self.master(
            "POST", "/1.2/rtm/conversations",
            .object([
                .init("m", .array(names.map { .string($0) })), .init("name", .string("talk")),
                .init("unique", .boolean(unique)),
            ]))
        guard let id = reply.json["objectId"]?.string else {
            throw TestClientError(description: "no conversation: \(reply.text)")
        }
        return id
    }

    /// Sends a text in somebody's name.
    @discardableResult
    func send(_ text: String, from name: String, to id: String, _ more: String = "") throws -> HTTPReply {
        try self.master(
            "POST", "/1.2/rtm/conversations/\(id)/messages",
            .of(#"{"from_client":"\#(name)","message":"\#(text)"\#(more)}"#))
    }

    func texts(_ reply: HTTPReply) -> [String] { (reply.json.array ?? []).compactMap { $0["data"]?.string } }
}

/// Conversations, people and messages, as an app's own server handles them.
struct RealtimeTests {
    // MARK: Conversations

    @Test func conversationsAreMadeFoundChangedAndDeleted() throws {
        let app = try LeanCloudApp()
        let made = try app.master(
            "POST", "/1.2/rtm/conversations",
            .of(#"{"name":"first","m":["Tom","Jerry","Ann"],"attr":{"a":1},"colour":"red"}"#))
        #expect(made.status == 200)
        let id = try #require(made.json["objectId"]?.string)
        #expect(made.json["m"] == .of(#"["Tom","Jerry","Ann"]"#))
        #expect(made.json["colour"]?.string == "red")
        let found = try app.master("GET", "/1.2/rtm/conversations?where=%7B%22name%22%3A%22first%22%7D")
        #expect(found.json["results"]?.array?.count == 1)
        let changed = try app.master("PUT", "/1.2/rtm/conversations/\(id)", .of(#"{"name":"second","attr.b":2}"#))
        #expect(changed.status == 200 && changed.json["objectId"]?.string == id)
        let row = try app.master("GET", "/1.1/classes/_Conversation/\(id)")
        #expect(row.json["name"]?.string == "second")
        #expect(row.json["attr"] == .of(#"{"a":1,"b":2}"#))
        #expect(try app.master("DELETE", "/1.2/rtm/conversations/\(id)").json == .object([]))
        #expect(try app.master("GET", "/1.1/classes/_Conversation/\(id)").code == 101)
        #expect(try app.master("GET", "/1.2/rtm/conversations").json["results"] == .array([]))
        #expect(try app.send("late", from: "Tom", to: id).status == 404)
    }

    @Test func aUniqueConversationIsTheSameOneAgain() throws {
        let app = try LeanCloudApp()
        let one = try app.conversation("BillGates", "SteveJobs", unique: true)
        #expect(try app.conversation("SteveJobs", "BillGates", unique: true) == one)
        let row = try app.master("GET", "/1.1/classes/_Conversation/\(one)")
        // The id in LeanCloud's own documentation.
        #expect(row.json["uniqueId"]?.string == "6c7b0e5afcae9aa1139a0afa25833dec")
    }

    @Test func eachKindHasAPathOfItsOwn() throws {
        let app = try LeanCloudApp()
        let talk = try app.conversation("Tom", "Jerry", "Ann")
        let room = try #require(
            try app.master("POST", "/1.2/rtm/chatrooms", .of(#"{"name":"room"}"#)).json["objectId"]?.string)
        let service = try #require(
            try app.master("POST", "/1.2/rtm/service-conversations", .of(#"{"name":"news"}"#)).json["objectId"]?.string)
        let ids = { (path: String) throws -> [String?] in
            (try app.master("GET", path).json["results"]?.array ?? []).map { $0["objectId"]?.string }
        }
        #expect(try ids("/1.2/rtm/conversations") == [talk])
        #expect(try ids("/1.2/rtm/chatrooms") == [room])
        #expect(try ids("/1.2/rtm/service-conversations") == [service])
        #expect(try ids("/1.2/rtm/all-conversations") == [talk, room, service])
        #expect(try app.master("PUT", "/1.2/rtm/chatrooms/\(talk)", .of(#"{"name":"x"}"#)).status == 400)
    }

    @Test func theClassTakesPeopleByOperations() throws {
        let app = try LeanCloudApp()
        let made = try app.master(
            "POST", "/1.1/classes/_Conversation", .of(#"{"name":"n","m":{"__op":"Add","objects":["Tom","Ann"]}}"#))
        #expect(made.status == 201)
        let id = try #require(made.json["objectId"]?.string)
        let path = "/1.1/classes/_Conversation/\(id)"
        #expect(try app.master("PUT", path, .of(#"{"m":{"__op":"AddUnique","objects":["Jerry"]}}"#)).status == 200)
        #expect(try app.master("PUT", path, .of(#"{"m":{"__op":"Remove","objects":["Tom"]}}"#)).status == 200)
        #expect(try app.master("GET", path).json["m"] == .of(#"["Ann","Jerry"]"#))
        let counted = try app.master("GET", "/1.1/classes/_Conversation?limit=0&count=1&order=-updatedAt&keys=name")
        #expect(counted.json == .of(#"{"results":[],"count":1}"#))
        #expect(try app.master("GET", "/1.1/classes/_Conversation?where=%7B%22%24bad%22%3A1%7D").status == 400)
        #expect(try app.master("GET", "/1.1/classes/_Conversation?limit=1001").status == 400)
    }

    // MARK: People

    @Test func peopleComeAndGo() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.2/rtm/conversations/\(id)"
        let added = try app.master("POST", path + "/members", .of(#"{"client_ids":["Bob"]}"#))
        #expect(added.status == 200 && added.json["updatedAt"]?.string?.hasSuffix("Z") == true)
        #expect(try app.master("DELETE", path + "/members", .of(#"{"client_ids":["Ann"]}"#)).status == 200)
        #expect(try app.master("GET", path + "/members").json == .of(#"{"result":["Tom","Jerry","Bob"]}"#))
        #expect(try app.master("POST", path + "/members", .of(#"{"client_ids":[]}"#)).status == 400)
        #expect(try app.master("POST", path + "/mutes", .of(#"{"client_ids":["Bob"]}"#)).status == 200)
        #expect(try app.master("GET", path + "/mutes").json == .of(#"{"result":["Bob"]}"#))
        #expect(try app.master("POST", path + "/permanent-silenceds", .of(#"{"client_ids":["Bob"]}"#)).status == 200)
        #expect(try app.master("GET", path + "/permanent-silenceds").json == .of(#"{"client_ids":["Bob"]}"#))
        #expect(try app.master("POST", path + "/blacklists", .of(#"{"client_ids":["Bob"]}"#)).status == 200)
        #expect(try app.master("GET", path + "/blacklists").json == .of(#"{"client_ids":["Bob"]}"#))
        #expect(try app.master("GET", path + "/members").json == .of(#"{"result":["Tom","Jerry"]}"#))
        let asked = #"{"client_id":"Tom","ttl":90000}"#
        #expect(try app.master("POST", path + "/temporary-silenceds", .of(asked)).status == 400)
    }

    @Test func rolesAreGivenAndReadWithASessionToken() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.2/rtm/conversations/\(id)/member-infos"
        let set = try app.master("POST", path, .of(#"{"clientId":"Jerry","role":"Manager"}"#))
        let info = try #require(set.json["objectId"]?.string)
        let tom = try app.server.leanCloud("Tom")
        let token = try #require(tom.sessionToken)
        let query = "/1.1/classes/_ConversationMemberInfo?client_id=Tom&where=%7B%22cid%22%3A%22\(id)%22%7D"
        let rows = try app.ask("GET", query, app.asClient + [("X-LC-IM-Session-Token", token)])
        #expect(rows.json["results"]?.array?.first?["clientId"]?.string == "Jerry")
        #expect(rows.json["results"]?.array?.first?["role"]?.string == "Manager")
        #expect(try app.ask("GET", query, app.asClient).status == 401)
        // Whose it is says the path.
        let change = { (body: String) throws -> HTTPReply in try app.master("PUT", path + "/\(info)", .of(body)) }
        #expect(try change(#"{"clientId":"Ann","role":"Member"}"#).status == 400)
        #expect(try change(#"{"role":"Owner"}"#).code == 4320)
        #expect(try change("{}").json["objectId"]?.string == info)
        #expect(try app.master("GET", path).json["results"]?.array?.first?["clientId"]?.string == "Jerry")
        #expect(try change(#"{"role":"Member"}"#).status == 200)
        #expect(try app.master("GET", path).json["results"] == .array([]))
        #expect(try change(#"{"clientId":"Jerry","role":"Manager"}"#).json["objectId"]?.string == info)
        #expect(try app.master("DELETE", path + "/\(info)").status == 200)
        #expect(try app.master("GET", path).json["results"] == .array([]))
    }

    // MARK: Messages

    @Test func whatIsSentReachesALiveSessionAndTheHistory() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let jerry = try app.server.leanCloud("Jerry")
        let sent = try app.send("hello", from: "Tom", to: id)
        #expect(sent.status == 200)
        let message = try #require(sent.json["msg-id"]?.string)
        let direct = try #require(try jerry.wait(.direct).directMessage)
        #expect(direct.msg == "hello" && direct.cid == id && direct.fromPeerId == "Tom" && direct.id == message)
        let history = try app.master("GET", "/1.2/rtm/conversations/\(id)/messages")
        let row = try #require(history.json.array?.first)
        #expect(row["data"]?.string == "hello" && row["msg-id"]?.string == message && row["bin"]?.boolean == false)
        #expect(row["conv-id"]?.string == id && row["from"]?.string == "Tom" && row["is-room"]?.boolean == false)
    }

    @Test func theSendersDevicesGetItUnlessToldOtherwise() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let tom = try app.server.leanCloud("Tom")
        try app.send("hidden", from: "Tom", to: id, #","no_sync":true"#)
        try app.send("shown", from: "Tom", to: id)
        #expect(try tom.wait(.direct).directMessage?.msg == "shown")
    }

    @Test func aPageOfHistoryHasTheBoundsOfTheGuide() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        var marks: [(time: Int64, id: String)] = []
        for text in ["1", "2", "3"] {
            let sent = try app.send(text, from: "Tom", to: id)
            marks.append(
                (try #require(sent.json["timestamp"]?.integer), try #require(sent.json["msg-id"]?.string)))
        }
        let path = "/1.2/rtm/conversations/\(id)/messages"
        let between = { (from: Int, to: Int, more: String) throws -> [String] in
            app.texts(
                try app.master(
                    "GET",
                    "\(path)?timestamp=\(marks[from].time)&msgid=\(marks[from].id)"
                        + "&till_timestamp=\(marks[to].time)&till_msgid=\(marks[to].id)\(more)"))
        }
        // Source: LeanCloud realtime REST guide v2, the table of examples.
        #expect(try between(2, 0, "") == ["2"])
        #expect(try between(2, 0, "&include_start=true") == ["3", "2"])
        #expect(try between(2, 0, "&include_stop=true") == ["2", "1"])
        #expect(try between(0, 2, "&reversed=true") == ["2"])
        #expect(try between(0, 2, "&reversed=true&include_start=true") == ["1", "2"])
        #expect(try between(0, 2, "&reversed=true&include_stop=true") == ["2", "3"])
        #expect(app.texts(try app.master("GET", path + "?limit=2")) == ["3", "2"])
        #expect(try app.master("GET", path + "?limit=1001").status == 400)
        #expect(try app.master("GET", path + "?msgid=\(marks[0].id)").status == 400)
    }

    @Test func messagesAreEditedTakenBackAndDeleted() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let jerry = try app.server.leanCloud("Jerry")
        let sent = try app.send("before", from: "Tom", to: id)
        let time = try #require(sent.json["timestamp"]?.integer)
        let path = "/1.2/rtm/conversations/\(id)/messages/\(try #require(sent.json["msg-id"]?.string))"
        let edit = { (from: String) throws -> HTTPReply in
            try app.master(
                "PUT", path, .of(#"{"from_client":"\#(from)","message":"after","timestamp":\#(time)}"#))
        }
        #expect(try edit("Jerry").code == 4403)
        #expect(try edit("Tom").status == 200)
        #expect(try jerry.wait(.patch, .modify).patchMessage?.patches.first?.data == "after")
        let all = "/1.2/rtm/conversations/\(id)/messages"
        #expect(app.texts(try app.master("GET", all)) == ["after"])
        let recall = JSONValue.of(#"{"from_client":"Tom","timestamp":\#(time)}"#)
        #expect(try app.master("PUT", path + "/recall", recall).status == 200)
        // Once more, because the answer was lost.
        #expect(try app.master("PUT", path + "/recall", recall).status == 200)
        #expect(app.texts(try app.master("GET", all)).first?.contains("-127") == true)
        #expect(try app.master("DELETE", path + "?from_client=Tom&timestamp=\(time)").status == 200)
        #expect(app.texts(try app.master("GET", all)).isEmpty)
        #expect(try edit("Tom").status == 404 || edit("Tom").status == 400)
    }

    @Test("a deletion that is sent again is answered as the first time, by either path, and nobody is told twice")
    func repeatedDeletion() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let jerry = try app.server.leanCloud("Jerry")
        for isOld in [false, true] {
            let sent = try app.send("gone", from: "Tom", to: id)
            let (time, message) = (
                try #require(sent.json["timestamp"]?.integer), try #require(sent.json["msg-id"]?.string)
            )
            let path = { (name: String) -> String in
                isOld
                    ? "/1.1/rtm/messages/logs?convid=\(id)&msgid=\(message)&timestamp=\(time)&from=\(name)"
                    : "/1.2/rtm/conversations/\(id)/messages/\(message)?from_client=\(name)&timestamp=\(time)"
            }
            let told = { () throws -> Int in
                try app.server.settle()
                try jerry.settle()
                defer { jerry.forgetWaiting() }
                return jerry.waiting.count { $0.cmd == .patch }
            }
            #expect(try told() == 0)
            let first = try app.master("DELETE", path("Tom"))
            #expect(first.status == 200 && first.json == .object([]), "\(first.text)")
            #expect(try told() == 1)
            let again = try app.master("DELETE", path("Tom"))
            #expect(again.status == 200 && again.json == first.json, "\(again.text)")
            #expect(try told() == 0)
            // It is still its sender's alone.
            #expect(try app.master("DELETE", path("Jerry")).code == 4403)
        }
        #expect(app.texts(try app.master("GET", "/1.2/rtm/conversations/\(id)/messages")).isEmpty)
    }

    @Test func wholeAppAndOnePersonsMessagesComeNewestFirst() throws {
        let app = try LeanCloudApp()
        let (one, two) = (try app.conversation("Tom", "Jerry", "Ann"), try app.conversation("Tom", "Bob", "Ann"))
        var last: HTTPReply?
        for (text, from, id) in [("1", "Tom", one), ("2", "Bob", two), ("3", "Jerry", one), ("4", "Tom", two)] {
            last = try app.send(text, from: from, to: id)
        }
        #expect(app.texts(try app.master("GET", "/1.2/rtm/messages")) == ["4", "3", "2", "1"])
        #expect(app.texts(try app.master("GET", "/1.2/rtm/messages?reversed=True&limit=3")) == ["1", "2", "3"])
        #expect(app.texts(try app.master("GET", "/1.2/rtm/clients/Tom/messages")) == ["4", "1"])
        let (time, id) = (
            try #require(last?.json["timestamp"]?.integer), try #require(last?.json["msg-id"]?.string)
        )
        let next = try app.master("GET", "/1.2/rtm/messages?timestamp=\(time)&msgid=\(id)&limit=2")
        #expect(app.texts(next) == ["3", "2"])
    }

    @Test func theHistoryIsForItsPeopleWithTheAppKey() throws {
        let app = try LeanCloudApp { $0.accounts.app.signsHistory = true }
        let id = try app.conversation("Tom", "Jerry", "Ann")
        try app.send("secret", from: "Tom", to: id)
        let desk = app.server.server.accounts.app
        let now = Clock.system.wallMilliseconds()
        let path = "/1.2/rtm/conversations/\(id)/messages"
        let ask = { (name: String, signature: String) throws -> HTTPReply in
            try app.ask(
                "GET", "\(path)?client_id=\(name)&nonce=n\(name)&signature_ts=\(now)&signature=\(signature)",
                app.asClient)
        }
        let sign = { (name: String) throws -> String in
            try #require(
                desk.sign(.history(client: name, conversation: id), timestamp: now, nonce: "n\(name)")?.signature)
        }
        #expect(try app.ask("GET", path, app.asClient).status == 400)
        #expect(try ask("Tom", String(repeating: "0", count: 40)).code == 4102)
        #expect(app.texts(try ask("Tom", try sign("Tom"))) == ["secret"])
        #expect(try ask("Eve", try sign("Eve")).status == 404)
    }

    @Test func whatIsForSomeIsKeptFromOthersAndTheAppItselfReadsIt() throws {
        let app = try LeanCloudApp { $0.accounts.app.signsHistory = false }
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.2/rtm/conversations/\(id)/messages"
        let ann = try app.server.leanCloud("Ann")
        let secret = #"{"_lctype":-1,"_lctext":"secret","_lcattrs":{"onlyVisibleTo":["Jerry"]}}"#
        #expect(try app.master("POST", path, .of(#"{"from_client":"Tom","message":\#(secret)}"#)).status == 200)
        let placeholder = #"{"_lctype":-1,"_lctext":"这是群定向消息，仅部分群成员可见"}"#
        #expect(try ann.wait(.direct).directMessage?.msg == placeholder)
        let read = { (name: String) throws -> [String] in
            app.texts(try app.ask("GET", "\(path)?client_id=\(name)", app.asClient))
        }
        #expect(try read("Jerry") == [secret])
        #expect(try read("Tom") == [secret])
        #expect(try read("Ann") == [placeholder])
        #expect(app.texts(try app.master("GET", path)) == [secret])
    }

    @Test func wrongMessagesAreRefused() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.2/rtm/conversations/\(id)/messages"
        for body in [
            "{}", #"{"from_client":"Tom"}"#, #"{"from_client":"Tom","message":1}"#,
            #"{"from_client":"","message":"a"}"#, #"{"from_client":"Tom","message":"a","priority":"urgent"}"#,
            #"{"from_client":"Tom","message":"a","mention_client_ids":"Tom"}"#,
            #"{"from_client":"\#(String(repeating: "x", count: 65))","message":"a"}"#,
        ] {
            #expect(try app.master("POST", path, .of(body)).status == 400, "\(body)")
        }
        for other in ["0123456789abcdef01234567", "x%27%20OR%201=1", "..%2F..%2F"] {
            #expect(try app.send("a", from: "Tom", to: other).status == 404, "\(other)")
        }
    }

    // MARK: Services, rooms, clients

    @Test func subscribersAreCountedListedAndWrittenTo() throws {
        let app = try LeanCloudApp()
        let made = try app.master("POST", "/1.2/rtm/service-conversations", .of(#"{"name":"news"}"#))
        let path = "/1.2/rtm/service-conversations/\(try #require(made.json["objectId"]?.string))"
        for name in ["Tom", "Jerry"] {
            #expect(try app.master("POST", path + "/subscribers", .of(#"{"client_id":"\#(name)"}"#)).status == 200)
        }
        #expect(try app.master("GET", path + "/subscribers/count").json == .of(#"{"count":2}"#))
        let page = try app.master("GET", path + "/subscribers?client_id=Tom")
        #expect(page.json.array?.compactMap { $0["subscriber"]?.string } == ["Jerry"])
        #expect(try app.master("GET", path + "/subscribers?limit=51").status == 400)
        let tom = try app.server.leanCloud("Tom")
        let sent = try app.master("POST", path + "/broadcasts", .of(#"{"from_client":"admin","message":"news"}"#))
        #expect(sent.json["msg-id"]?.string != nil)
        #expect(try tom.wait(.direct).directMessage?.msg == "news")
        #expect(app.texts(try app.master("GET", path + "/subscribers/Tom/messages")) == ["news"])
        #expect(try app.master("GET", "/1.2/rtm/clients/Tom/service-conversations").json.array?.count == 1)
        #expect(try app.master("DELETE", path + "/subscribers/Tom").status == 200)
        #expect(try app.master("GET", path + "/subscribers/count").json == .of(#"{"count":1}"#))
        // A client may be called like that.
        #expect(try app.master("POST", path + "/subscribers", .of(#"{"client_id":"count"}"#)).status == 200)
        #expect(try app.master("DELETE", path + "/subscribers/count").status == 200)
        #expect(try app.master("GET", path + "/subscribers/count").json == .of(#"{"count":1}"#))
    }

    @Test func whatIsForSomeSubscribersIsSeenByNobodyElse() throws {
        let app = try LeanCloudApp()
        let made = try app.master("POST", "/1.2/rtm/service-conversations", .of(#"{"name":"news"}"#))
        let path = "/1.2/rtm/service-conversations/\(try #require(made.json["objectId"]?.string))"
        for name in ["Tom", "Jerry"] {
            #expect(try app.master("POST", path + "/subscribers", .of(#"{"client_id":"\#(name)"}"#)).status == 200)
        }
        let (tom, jerry) = (try app.server.leanCloud("Tom"), try app.server.leanCloud("Jerry"))
        let send = { (more: String) throws -> HTTPReply in
            try app.master("POST", path + "/messages", .of(#"{"from_client":"admin","message":"for one"\#(more)}"#))
        }
        #expect(try send(#","to_clients":["Tom"]"#).status == 200)
        #expect(try tom.wait(.direct).directMessage?.msg == "for one")
        #expect(app.texts(try app.master("GET", path + "/subscribers/Tom/messages")) == ["for one"])
        #expect(app.texts(try app.master("GET", path + "/subscribers/Jerry/messages")).isEmpty)
        try jerry.settle()
        #expect(!jerry.waiting.contains { $0.cmd == .direct })
        #expect(try send("").status == 400)
        // Who does not subscribe would never see it: nobody gets it, and the app hears why.
        let strange = try send(#","to_clients":["Tom","Spike","Nobody"]"#)
        #expect(strange.code == 4401 && strange.text.contains("Spike, Nobody"), "\(strange.text)")
        #expect(app.texts(try app.master("GET", path + "/subscribers/Tom/messages")) == ["for one"])
        let many = (0..<21).map { "\"c\($0)\"" }.joined(separator: ",")
        #expect(try send(#","to_clients":[\#(many)]"#).status == 400)
    }

    @Test func aTransientBroadcastReachesEverybodyWhoIsSignedIn() throws {
        let app = try LeanCloudApp()
        let made = try app.master("POST", "/1.2/rtm/service-conversations", .of(#"{"name":"news"}"#))
        let id = try #require(made.json["objectId"]?.string)
        let talk = try app.conversation("Tom", "Jerry", "Ann")
        let (tom, jerry) = (try app.server.leanCloud("Tom"), try app.server.leanCloud("Jerry"))
        let send = { (path: String, from: String, cid: String, more: String) throws -> HTTPReply in
            try app.master(
                "POST", path, .of(#"{"\#(from)":"admin","conv_id":"\#(cid)","message":"to all"\#(more)}"#))
        }
        let path = "/1.2/rtm/broadcasts"
        let sent = try send(path, "from_client", id, #","transient":true"#)
        let message = try #require(sent.json["msg-id"]?.string)
        for client in [tom, jerry] {
            let direct = try #require(try client.wait(.direct).directMessage)
            #expect(direct.msg == "to all" && direct.cid == id && direct.id == message && direct.transient == true)
        }
        let old = try send("/1.1/rtm/broadcast", "from_peer", id, #","transient":true"#)
        #expect(old.json["result"]?["msg-id"]?.string != nil)
        #expect(try tom.wait(.direct).directMessage?.msg == "to all")
        // Nothing is kept of it, and nobody was subscribed by it.
        #expect(try app.master("GET", path + "?conv_id=\(id)").json == .array([]))
        let subscribers = "/1.2/rtm/service-conversations/\(id)/subscribers"
        #expect(try app.master("GET", subscribers).json == .array([]))
        #expect(try app.master("GET", subscribers + "/Tom/messages").status >= 400)
        #expect(try app.master("DELETE", path + "/\(message)").status == 404)
        // What would wait for those who are away is refused, in words.
        let kept = try send(path, "from_client", id, "")
        #expect(kept.code == 4401 && kept.text.contains("subscribers"), "\(kept.text)")
        #expect(try send(path, "from_client", talk, #","transient":true"#).status == 400)
        #expect(try app.ask("POST", path, app.asClient, .of("{}")).code == 119)
    }

    @Test("a conversation made by REST takes as many members as a group, and not one more")
    func manyMembers() throws {
        let app = try LeanCloudApp { $0.store.groupMembers = 700 }
        let people = { (count: Int) -> JSONValue in
            let names = (0..<count).map { "\"person\($0)\"" }.joined(separator: ",")
            return JSONValue.of("{\"name\":\"crowd\",\"m\":[\(names)]}")
        }
        for path in ["/1.2/rtm/conversations", "/1.1/classes/_Conversation"] {
            let made = try app.master("POST", path, people(699))
            #expect((200...201).contains(made.status), "\(path): \(made.text)")
            #expect(try app.master("POST", path, people(701)).code == 4304, "\(path)")
        }
    }

    @Test("the session token of a connection looks people up, and changes nobody")
    func profilesByConnectionToken() throws {
        let app = try LeanCloudApp()
        let jerry = try app.server.leanCloud("Jerry")
        let token = try #require(jerry.sessionToken)
        let asked = JSONValue.of(#"{"ids":["Jerry","Tom"]}"#)
        let fields = [("token", token), ("X-LC-IM-Session-Token", token), ("Authorization", "Bearer \(token)")]
        for headers in fields.map({ [$0] }) {
            let deadline = Clock.system.now().advanced(bySeconds: 60)
            var reply = try app.ask("POST", "/api/v1/profiles", headers, asked)
            // On a busy machine the first answer may be a placeholder.
            while reply.json["profiles"]?.array?.first?["is_known"]?.boolean == false, Clock.system.now() < deadline {
                reply = try app.ask("POST", "/api/v1/profiles", headers, asked)
            }
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.json["profiles"]?.array?.first?["is_known"]?.boolean != false)
            #expect(try app.ask("GET", "/api/v1/profiles/Jerry", headers).status == 200)
            let change = try app.ask("PUT", "/api/v1/profiles/me", headers, .of(#"{"display_name":"Tom"}"#))
            #expect(change.status == 401)
        }
        #expect(try app.ask("POST", "/api/v1/profiles", [("token", token + "x")], asked).status == 401)
        app.server.stop()
    }

    @Test("unread counts are told to the client itself and to the master key, and to nobody with the app key alone")
    func unreadCounts() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        try app.send("a", from: "Tom", to: id)
        let (jerry, tom) = (try app.server.token("Jerry", .app), try app.server.token("Tom", .app))
        for path in [
            "/1.2/rtm/clients/Jerry/unread-count", "/1.2/rtm/clients/Jerry/unread-count?conv_id=\(id)",
            "/1.1/rtm/messages/unread/Jerry", "/1.1/rtm/messages/unread/Jerry/\(id)",
        ] {
            let own = try app.ask("GET", path, app.asClient + [("X-LC-Session", jerry)])
            #expect(own.json == .of(#"{"count":1}"#), "\(path)")
            #expect(try app.master("GET", path).json == .of(#"{"count":1}"#))
            for headers in [app.asClient, app.asClient + [("X-LC-Session", tom)]] {
                let other = try app.ask("GET", path, headers)
                #expect(other.status == 401 && other.code == 119 && other.json["count"] == nil, "\(path)")
            }
            let bad = try app.ask("GET", path, app.asClient + [("X-LC-IM-Session-Token", "made-up")])
            #expect(bad.status == 401)
        }
    }

    @Test func clientsAreSeenCountedAndSentAway() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let jerry = try app.server.leanCloud("Jerry")
        let asked = JSONValue.of(#"{"client_ids":["Tom","Jerry","Nobody"]}"#)
        #expect(try app.master("POST", "/1.2/rtm/clients/check-online", asked).json == .of(#"{"results":["Jerry"]}"#))
        #expect(try app.master("GET", "/1.2/rtm/stats").json["result"]?["online_user_count"]?.integer == 1)
        try app.send("a", from: "Tom", to: id)
        let count = try app.master("GET", "/1.2/rtm/clients/Jerry/unread-count?conv_id=\(id)")
        #expect(count.json == .of(#"{"count":1}"#))
        for method in ["GET", "POST", "DELETE"] {
            let list = try app.master(method, "/1.2/rtm/clients/Jerry/blacklists", .of(#"{"conv_id":"\#(id)"}"#))
            #expect(list.status == 400 && list.code == 4544)
        }
        let reason = String(repeating: "x", count: 21)
        let long = try app.master("POST", "/1.2/rtm/clients/Jerry/kick", .of(#"{"reason":"\#(reason)"}"#))
        #expect(long.status == 400)
        #expect(try app.master("POST", "/1.2/rtm/clients/Jerry/kick", .of(#"{"reason":"why"}"#)).json == .object([]))
        let closed = try #require(try jerry.wait(.session, .closed).sessionMessage)
        #expect(closed.code == 4115)
    }

    @Test func whatWasMissedIsToldInBothShapes() throws {
        let app = try LeanCloudApp()
        let tom = try app.server.leanCloud("Tom")
        let token = try #require(tom.sessionToken)
        _ = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.1/rtm/notifications?client_id=Tom&start_ts=1"
        let headers = app.asClient + [("X-LC-IM-Session-Token", token)]
        let javaScript = try app.ask("GET", path + "&notification_type=permanent", headers)
        #expect(javaScript.json["notifications"]?.array?.contains { $0["op"]?.string == "joined" } == true)
        let swift = try app.ask("GET", path, headers)
        #expect(
            swift.json["droppable"]?["notifications"]?.array?.contains { $0["op"]?.string == "members-joined" } == true)
        #expect(try app.ask("GET", path, app.asClient).status == 401)
        let other = try app.ask("GET", "/1.1/rtm/notifications?client_id=Jerry&start_ts=1", headers)
        #expect(other.status == 401 && other.code == 4112)
    }

    @Test func receiptsTemporaryOnesAndCardsAreAmongWhatWasMissed() throws {
        let app = try LeanCloudApp()
        let (tom, jerry) = (try app.server.leanCloud("Tom"), try app.server.leanCloud("Jerry"))
        let token = try #require(tom.sessionToken)
        let id = try app.conversation("Tom", "Jerry", unique: true)
        let ack = try tom.request(.direct) { command in
            var direct = DirectCommand()
            direct.cid = id
            direct.msg = "asked"
            direct.r = true
            command.directMessage = direct
        }
        let message = try #require(ack.ackMessage?.uid)
        _ = try jerry.wait(.direct)
        tom.drop()
        var read = GenericCommand()
        read.cmd = .read
        var tuple = ReadTuple()
        tuple.cid = id
        read.readMessage = ReadCommand()
        read.readMessage?.convs = [tuple]
        try jerry.send(read)
        _ = try jerry.wait(.unread)
        #expect(try app.master("PUT", "/1.2/rtm/conversations/\(id)", .of(#"{"attr.n":1}"#)).status == 200)
        let temporary = try jerry.request(.conv, .start) { command in
            command.convMessage = ConvCommand()
            command.convMessage?.m = ["Tom"]
            command.convMessage?.tempConv = true
        }
        let temporaryID = try #require(temporary.convMessage?.cid)

        let path = "/1.1/rtm/notifications?client_id=Tom&start_ts=1"
        let headers = app.asClient + [("X-LC-IM-Session-Token", token)]
        func rows(_ json: JSONValue?) -> [JSONValue] { json?["notifications"]?.array ?? [] }
        let swift = try app.ask("GET", path, headers).json
        let personal = rows(swift["permanent"])
        let receipt = try #require(personal.last { $0["cmd"]?.string == "rcp" })
        #expect(receipt["id"]?.string == message && receipt["cid"]?.string == id)
        #expect(receipt["read"]?.boolean == true && receipt["from"]?.string == "Jerry")
        let joined = try #require(personal.last { $0["op"]?.string == "joined" })
        #expect(joined["cid"]?.string == temporaryID && joined["tempConv"]?.boolean == true)
        #expect(joined["initBy"]?.string == "Jerry")
        let updated = try #require(rows(swift["droppable"]).last { $0["op"]?.string == "updated" })
        #expect(updated["cid"]?.string == id && updated["attrModified"] == .of(#"{"attr":{"n":1}}"#))
        let javaScript = rows(try app.ask("GET", path + "&notification_type=permanent", headers).json)
        #expect(javaScript.contains { $0["cmd"]?.string == "rcp" && $0["id"]?.string == message })
        #expect(javaScript.allSatisfy { $0["notificationType"]?.integer == 1 })
        // What came after a moment, and nothing before it.
        let last = try #require(joined["serverTs"]?.integer)
        let later = try app.ask("GET", "/1.1/rtm/notifications?client_id=Tom&start_ts=\(last)", headers).json
        #expect(rows(later["permanent"]).allSatisfy { $0["op"]?.string == "joined" })
    }

    @Test func clientsAndSubscribersAreHandledByTheOldPaths() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let jerry = try app.server.leanCloud("Jerry")
        let asked = JSONValue.of(#"{"peers":["Tom","Jerry"]}"#)
        #expect(try app.master("POST", "/1.1/rtm/online", asked).json == .of(#"{"results":["Jerry"]}"#))
        // Unless it says that it is not, a message is transient here.
        let path = "/1.1/rtm/messages"
        let body = #"{"from_peer":"Tom","conv_id":"\#(id)","message":"passing"}"#
        #expect(try app.master("POST", path, .of(body)).status == 200)
        #expect(try jerry.wait(.direct).directMessage?.transient == true)
        #expect(try app.master("GET", "\(path)/history?convid=\(id)").json == .array([]))
        let kept = try app.send("kept", from: "Tom", to: id)
        for unread in ["\(path)/unread/Ann", "\(path)/unread/Ann/\(id)"] {
            #expect(try app.master("GET", unread).json == .of(#"{"count":1}"#))
            #expect(try app.ask("GET", unread, app.asClient).code == 119)
        }
        let (time, message) = (
            try #require(kept.json["timestamp"]?.integer), try #require(kept.json["msg-id"]?.string)
        )
        let log = "\(path)/logs?convid=\(id)&msgid=\(message)&timestamp=\(time)"
        #expect(try app.master("DELETE", "\(log)&from=Jerry").code == 4403)
        #expect(try app.master("DELETE", "\(log)&from=Tom").json == .object([]))
        #expect(try app.master("GET", "\(path)/history?convid=\(id)").json == .array([]))
        let silence = "/1.1/rtm/conversation/blacklist"
        let silenced = JSONValue.of(#"{"client_id":"Jerry","conv_id":"\#(id)","ttl":50}"#)
        #expect(try app.master("POST", silence, silenced).json == .object([]))
        let isSilent = { () throws -> Bool in
            let person = try app.server.id("Jerry")
            return try app.server.server.store.readAndWait { store throws(StoreError) in
                guard let object = ObjectID(id),
                    let found = try store.conversations.one(.object(object), seenBy: person),
                    let member = try store.conversations.member(person, in: found.id)
                else { return false }
                return member.mutedUntilMilliseconds > Clock.system.wallMilliseconds()
            }
        }
        #expect(try isSilent())
        #expect(try app.master("DELETE", "\(silence)?client_id=Jerry&conv_id=\(id)").status == 200)
        #expect(try !isSilent())
        let made = try app.master("POST", "/1.2/rtm/service-conversations", .of(#"{"name":"news"}"#))
        let service = try #require(made.json["objectId"]?.string)
        let (subscription, count) = (
            "/1.1/rtm/conversation/subscription", "/1.2/rtm/service-conversations/\(service)/subscribers/count"
        )
        let whom = JSONValue.of(#"{"client_id":"Tom","conv_id":"\#(service)"}"#)
        #expect(try app.master("POST", subscription, whom).json == .object([]))
        #expect(try app.master("GET", count).json == .of(#"{"count":1}"#))
        #expect(try app.master("DELETE", "\(subscription)?client_id=Tom&conv_id=\(service)").status == 200)
        #expect(try app.master("GET", count).json == .of(#"{"count":0}"#))
        let room = try #require(
            try app.master("POST", "/1.2/rtm/chatrooms", .of(#"{"name":"room"}"#)).json["objectId"]?.string)
        let onlines = "/1.1/rtm/transient_group/onlines?gid=\(room)"
        #expect(try app.ask("GET", onlines, app.asClient).json == .of(#"{"result":0}"#))
        let kicked = JSONValue.of(#"{"client_id":"Jerry","reason":"why"}"#)
        #expect(try app.master("POST", "/1.1/rtm/client/kick", kicked).json == .object([]))
        #expect(try jerry.wait(.session, .closed).sessionMessage?.code == 4115)
        for (method, target) in [
            ("POST", "/1.1/rtm/online"), ("POST", "/1.1/rtm/client/kick"), ("POST", subscription),
            ("POST", silence), ("DELETE", log),
        ] {
            #expect(try app.ask(method, target, app.asClient, .of("{}")).code == 119, "\(target)")
        }
    }

    @Test func oldPathsAndBatchesWork() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let sent = try app.master(
            "POST", "/1.1/rtm/messages",
            .of(#"{"from_peer":"Tom","conv_id":"\#(id)","message":"old","transient":false}"#))
        let result = try #require(sent.json["result"])
        let (message, time) = (try #require(result["msg-id"]?.string), try #require(result["timestamp"]?.integer))
        #expect(app.texts(try app.master("GET", "/1.1/rtm/messages/history?convid=\(id)")) == ["old"])
        let patch =
            #"{"from_peer":"Tom","conv_id":"\#(id)","msg_id":"\#(message)","timestamp":\#(time),"message":"new"}"#
        #expect(try app.master("PUT", "/1.1/rtm/patch/message", .of(patch)).json == .of(#"{"result":{}}"#))
        #expect(app.texts(try app.master("GET", "/1.1/rtm/messages/history?from=Tom&limit=1")) == ["new"])
        let batch = try app.master(
            "POST", "/1.1/batch",
            .of(
                #"""
                {"requests":[{"method":"PUT","path":"/1.1/classes/_Conversation/\#(id)","body":{"name":"b"}},
                {"method":"DELETE","path":"/1.1/classes/_Conversation/0123456789abcdef01234567"}]}
                """#))
        #expect(batch.json.array?.first?["success"]?["objectId"]?.string == id)
        #expect(batch.json.array?.last?["error"]?["code"]?.integer == 4303)
        #expect(try app.ask("POST", "/1.1/stats/collect", []).json == .object([]))
    }

    @Test("of several switches a temporary conversation counts before a unique one; one that is over says so")
    func switches() throws {
        let clock = ManualClock()
        let app = try LeanCloudApp {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
        }
        let body = JSONValue.of(#"{"m":["Tom","Jerry"],"unique":true,"tempConv":true,"tempConvTTL":60}"#)
        let first = try app.master("POST", "/1.2/rtm/conversations", body).json
        let id = try #require(first["objectId"]?.string)
        #expect(id.hasPrefix("_tmp:") && first["unique"]?.boolean == false && first["muted"] == nil)
        #expect(try app.master("POST", "/1.2/rtm/conversations", body).json["objectId"]?.string == id)
        clock.advance(milliseconds: 61_000)
        let message = JSONValue.of(#"{"from_client":"Tom","message":"late"}"#)
        let old = JSONValue.of(#"{"from_peer":"Tom","conv_id":"\#(id)","message":"late"}"#)
        let answers = [
            try app.master("POST", "/1.2/rtm/conversations/\(id)/messages", message),
            try app.master("POST", "/1.1/rtm/messages", old),
            try app.master("GET", "/1.2/rtm/conversations/\(id)/messages"),
            try app.master("GET", "/1.1/rtm/messages/history?convid=\(id)"),
            try app.master("POST", "/1.2/rtm/conversations/\(id)/members", .of(#"{"client_ids":["Spike"]}"#)),
        ]
        for answer in answers { #expect(answer.code == 4323 && answer.status == 404) }
        let limit = try app.master("GET", "/1.2/rtm/conversations/\(id)/messages?limit=1001")
        #expect(limit.status == 400)
        app.server.stop()
    }
}
