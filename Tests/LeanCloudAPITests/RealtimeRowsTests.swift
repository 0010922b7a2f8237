import ByteCodec
import Execution
import LeanCloudWire
import TeahouseTesting
import Testing

/// Rows of the realtime REST guide that are about lists of people, chat rooms and system conversations, each with what
/// it does to clients that are signed in.
struct RealtimeRowsTests {
    // MARK: Tools

    private func made(_ resource: String, _ body: String, _ app: LeanCloudApp) throws -> String {
        let reply = try app.master("POST", "/1.2/rtm/\(resource)", .of(body))
        return try #require(reply.json["objectId"]?.string, "\(reply.text)")
    }

    private func join(_ cid: String, _ name: String, _ client: LeanCloudClient) throws -> GenericCommand {
        try client.request(.conv, .add) { command in
            var body = ConvCommand()
            body.cid = cid
            body.m = [name]
            command.convMessage = body
        }
    }

    private func say(_ text: String, in cid: String, _ client: LeanCloudClient) throws -> AckCommand {
        let answer = try client.request(.direct) { command in
            var direct = DirectCommand()
            direct.cid = cid
            direct.msg = text
            command.directMessage = direct
        }
        return try #require(answer.ackMessage, "\(answer)")
    }

    private func clientIDs(_ names: String...) -> JSONValue {
        .object([.init("client_ids", .array(names.map { .string($0) }))])
    }

    // MARK: Lists of people

    @Test func alertsSilenceAndBlockingAreTakenBack() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.2/rtm/conversations/\(id)"
        for (list, empty) in [("mutes", #"{"result":[]}"#), ("permanent-silenceds", #"{"client_ids":[]}"#)] {
            let changed = try app.master("POST", "\(path)/\(list)", self.clientIDs("Ann", "Jerry"))
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try app.master("DELETE", "\(path)/\(list)", self.clientIDs("Ann", "Jerry")).status == 200)
            #expect(try app.master("GET", "\(path)/\(list)").json == .of(empty))
        }
        // Everything but the members changes with the conversation.
        #expect(try app.master("PUT", path, .of(#"{"mu":["Ann"],"name":"mice"}"#)).status == 200)
        #expect(try app.master("GET", path + "/mutes").json == .of(#"{"result":["Ann"]}"#))
        #expect(try app.master("PUT", path, .of(#"{"m":["Ann"]}"#)).status == 400)
        let blocked = try app.master("POST", path + "/blacklists", self.clientIDs("Bob", "Cai", "Dora"))
        #expect(blocked.json == .object([]))
        let first = try app.master("GET", path + "/blacklists?limit=2")
        #expect(first.json == .of(#"{"client_ids":["Bob","Cai"],"next":"2"}"#))
        #expect(try app.master("GET", path + "/blacklists?limit=2&next=2").json == .of(#"{"client_ids":["Dora"]}"#))
        let bob = try app.server.leanCloud("Bob")
        #expect(try self.join(id, "Bob", bob).errorMessage?.code == 4548)
        #expect(try app.master("DELETE", path + "/blacklists", self.clientIDs("Bob")).json == .object([]))
        #expect(try self.join(id, "Bob", bob).op == .added)
    }

    @Test func whoIsSilencedForAWhileIsHeardAgainWhenItIsTakenBack() throws {
        let app = try LeanCloudApp()
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.2/rtm/conversations/\(id)/temporary-silenceds"
        let jerry = try app.server.leanCloud("Jerry")
        #expect(try app.master("POST", path, .of(#"{"client_id":"Jerry","ttl":50}"#)).json == .object([]))
        #expect(try self.say("quiet", in: id, jerry).code == 4563)
        // The list has those who are silent for good.
        let list = "/1.2/rtm/conversations/\(id)/permanent-silenceds"
        #expect(try app.master("GET", list).json == .of(#"{"client_ids":[]}"#))
        #expect(try app.master("DELETE", path + "?client_id=Jerry").json == .object([]))
        #expect(try self.say("heard", in: id, jerry).code == nil)
    }

    // MARK: Rooms

    @Test func aRoomHasVisitorsMessagesAndPeopleWhoDoNotComeBack() throws {
        let app = try LeanCloudApp()
        let id = try self.made("chatrooms", #"{"name":"room"}"#, app)
        let path = "/1.2/rtm/chatrooms/\(id)"
        let (tom, jerry) = (try app.server.leanCloud("Tom"), try app.server.leanCloud("Jerry"))
        #expect(try self.join(id, "Tom", tom).op == .added)
        #expect(try self.join(id, "Jerry", jerry).op == .added)
        #expect(try app.master("GET", path + "/members").json == .of(#"{"result":["Jerry","Tom"]}"#))
        #expect(try app.master("GET", path + "/members/online-count").json == .of(#"{"result":2}"#))
        let sent = try app.master("POST", path + "/messages", .of(#"{"from_client":"Tom","message":"hello"}"#))
        let (message, time) = (
            try #require(sent.json["msg-id"]?.string), try #require(sent.json["timestamp"]?.integer)
        )
        #expect(try jerry.wait(.direct).directMessage?.msg == "hello")
        let history = { () throws -> [JSONValue] in try app.master("GET", path + "/messages").json.array ?? [] }
        #expect(try history().first?["is-room"]?.boolean == true)
        let one = "\(path)/messages/\(message)"
        let edit = JSONValue.of(#"{"from_client":"Tom","message":"good bye","timestamp":\#(time)}"#)
        #expect(try app.master("PUT", one, edit).status == 200)
        #expect(try history().compactMap { $0["data"]?.string } == ["good bye"])
        let recall = JSONValue.of(#"{"from_client":"Tom","timestamp":\#(time)}"#)
        #expect(try app.master("PUT", one + "/recall", recall).status == 200)
        #expect(try app.master("DELETE", "\(one)?from_client=Tom&timestamp=\(time)").status == 200)
        #expect(try history().isEmpty)
        #expect(try app.master("POST", path + "/blacklists", self.clientIDs("Jerry")).json == .object([]))
        #expect(try app.master("GET", path + "/blacklists").json == .of(#"{"client_ids":["Jerry"]}"#))
        #expect(try app.master("GET", path + "/members").json == .of(#"{"result":["Tom"]}"#))
        #expect(try self.join(id, "Jerry", jerry).errorMessage?.code == 4548)
        #expect(try self.say("again", in: id, jerry).code == 4548)
        #expect(try app.master("DELETE", path + "/blacklists", self.clientIDs("Jerry")).json == .object([]))
        #expect(try self.join(id, "Jerry", jerry).op == .added)
        #expect(try app.master("DELETE", path).json == .object([]))
        #expect(try self.say("late", in: id, jerry).code == 4401)
    }

    // MARK: System conversations

    @Test func aSystemConversationIsChangedTakenBackAndOver() throws {
        let app = try LeanCloudApp()
        let id = try self.made("service-conversations", #"{"name":"news"}"#, app)
        let path = "/1.2/rtm/service-conversations/\(id)"
        #expect(try app.master("PUT", path, .of(#"{"name":"olds"}"#)).json["objectId"]?.string == id)
        #expect(try app.master("POST", path + "/subscribers", .of(#"{"client_id":"Tom"}"#)).status == 200)
        let tom = try app.server.leanCloud("Tom")
        let sent = try app.master(
            "POST", path + "/messages", .of(#"{"from_client":"admin","to_clients":["Tom"],"message":"before"}"#))
        let (message, time) = (
            try #require(sent.json["msg-id"]?.string), try #require(sent.json["timestamp"]?.integer)
        )
        let whom = #""from_client":"admin","to_clients":["Tom"],"timestamp":\#(time)"#
        let one = "\(path)/messages/\(message)"
        let texts = { () throws -> [String] in app.texts(try app.master("GET", path + "/subscribers/Tom/messages")) }
        #expect(try app.master("PUT", one, .of("{\(whom),\"message\":\"after\"}")).status == 200)
        #expect(try tom.wait(.patch, .modify).patchMessage?.patches.first?.data == "after")
        #expect(try texts() == ["after"])
        #expect(try app.master("PUT", one + "/recall", .of("{\(whom)}")).status == 200)
        #expect(try texts().first?.contains("-127") == true)
        let gone = "\(path)/subscribers/Tom/messages/\(message)?from_client=admin&timestamp=\(time)"
        #expect(try app.master("DELETE", gone).json == .object([]))
        #expect(try texts() == [])
        #expect(try app.master("POST", path + "/blacklists", self.clientIDs("Tom")).json == .object([]))
        #expect(try app.master("GET", path + "/subscribers/count").json == .of(#"{"count":0}"#))
        #expect(try self.join(id, "Tom", tom).errorMessage?.code == 4548)
        #expect(try app.master("DELETE", path + "/blacklists", self.clientIDs("Tom")).json == .object([]))
        #expect(try self.say("a question", in: id, tom).code == nil)
        #expect(try app.master("DELETE", path).json == .object([]))
        #expect(try self.say("late", in: id, tom).code == 4401)
        #expect(try app.master("GET", "/1.2/rtm/service-conversations").json["results"] == .array([]))
    }

    @Test func whatSomebodySubscribesToComesInPagesBothWays() throws {
        let clock = ManualClock()
        let app = try LeanCloudApp {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
        }
        var ids: [String] = []
        for name in ["one", "two", "three"] {
            let id = try self.made("service-conversations", #"{"name":"\#(name)"}"#, app)
            let path = "/1.2/rtm/service-conversations/\(id)/subscribers"
            #expect(try app.master("POST", path, .of(#"{"client_id":"Tom"}"#)).status == 200)
            clock.advance(milliseconds: 10)
            ids.append(id)
        }
        let path = "/1.2/rtm/clients/Tom/service-conversations"
        let list = { (query: String) throws -> [JSONValue] in
            try #require(try app.master("GET", path + query).json.array)
        }
        let names = { (rows: [JSONValue]) in rows.compactMap { $0["conv_id"]?.string } }
        let first = try list("?limit=2")
        #expect(names(first) == Array(ids[..<2]))
        let time = try #require(first.last?["timestamp"]?.integer)
        #expect(names(try list("?conv_id=\(ids[1])&timestamp=\(time)")) == [ids[2]])
        #expect(names(try list("?conv_id=\(ids[1])&timestamp=\(time)&direction=old")) == [ids[0]])
        #expect(names(try list("?direction=old")) == ids.reversed())
        #expect(try app.master("GET", path + "?conv_id=\(ids[1])").status == 400)
    }

    // MARK: Signing in

    @Test func whoSignedInToTheAppOpensAConnectionWithTheSignatureForIt() throws {
        let app = try LeanCloudApp {
            $0.accounts.app.registrationIsOpen = true
            $0.accounts.app.signIn = .signature
        }
        let made = try app.ask(
            "POST", "/1.1/users", app.asClient, .of(#"{"username":"romeo","password":"correct horse battery"}"#))
        let id = try #require(made.json["objectId"]?.string)
        let token = try #require(made.json["sessionToken"]?.string)
        let signed = try app.ask("GET", "/1.2/rtm/clients/sign?session_token=\(token)", app.asClient)
        #expect(signed.json["client_id"]?.string == id, "\(signed.text)")
        let client = try app.server.leanCloudSocket()
        let open = { (name: String) throws -> GenericCommand in
            try client.tryToOpen(name) { message in
                message.s = signed.json["signature"]?.string
                message.t = signed.json["timestamp"]?.integer
                message.n = signed.json["nonce"]?.string
            }
        }
        #expect(try open("somebody").errorMessage?.code == 4102)
        #expect(try open(id).op == .opened)
        let wrong = try app.ask("GET", "/1.2/rtm/clients/sign?session_token=none", app.asClient)
        #expect(wrong.status == 401 && wrong.code == 211, "\(wrong.text)")
        #expect(try app.ask("GET", "/1.1/statistics/apps/x/sendPolicy", []).json == .object([]))
    }
}
