import ByteCodec
import ChatModel
import Server
import Store
import TeahouseTesting
import Testing

/// Messages that are written while people watch.
struct APIStreamScenarios {
    private static let channel = #""channel_id":"tea","channel_type":2"#

    /// A group with an agent in it who has begun message `n1`.
    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.group("tea", ["agent", "juliet"])
        let body =
            #"{"from_uid":"agent",\#(Self.channel),"client_msg_no":"n1","is_stream":1,"payload":"eyJ0eXBlIjoxfQ=="}"#
        #expect(try server.manage("/message/send", body).status == 200)
        return server
    }

    private func step(
        _ server: TestServer, _ id: String, _ type: String, _ more: String = "", token: String? = nil
    ) throws -> (status: Int, json: JSONValue) {
        let token = try token ?? server.managerToken()
        let body =
            #"{\#(Self.channel),"from_uid":"agent","client_msg_no":"n1","event_id":"\#(id)","event_type":"\#(type)"\#(more)}"#
        return try server.http("POST", "/message/event", token: token, json: body)
    }

    private static func delta(_ text: String) -> String { #","payload":{"kind":"text","delta":"\#(text)"}"# }

    private func message(_ server: TestServer, _ more: String = "", token: String? = nil) throws -> JSONValue {
        let token = try token ?? server.managerToken()
        let body = #"{"login_uid":"juliet",\#(Self.channel),"limit":1\#(more)}"#
        let page = try server.http("POST", "/channel/messagesync", token: token, json: body).json
        return page["messages"]?.array?.first ?? .null
    }

    /// The next event a client is shown.
    private func event(_ client: TestClient) throws -> (type: String, data: JSONValue) {
        while let value = try client.next() {
            guard value["method"]?.string == "event" else { continue }
            let data = try JSONValue(parsing: value["params"]?["data"]?.string ?? "")
            return (value["params"]?["type"]?.string ?? "", data)
        }
        throw TestClientError(description: "the server closed before an event came")
    }

    @Test("a message that is written step by step says so from its first word on, in every answer that can")
    func setting() throws {
        let server = try self.server()
        let web = try server.connectBinary("juliet", .web, over: .webSocket)
        let phone = try server.connectBinary("juliet", .app, version: 4)
        let easy = try server.connect("juliet", .desktop)
        let body =
            #"{"from_uid":"agent",\#(Self.channel),"client_msg_no":"n2","is_stream":1,"payload":"eyJ0eXBlIjoxfQ=="}"#
        #expect(try server.manage("/message/send", body).status == 200)
        #expect(try web.receive().packet.setting.contains(.stream))
        #expect(!(try phone.receive().packet.setting.contains(.stream)), "versions before 5 expect other fields then")
        while true {
            let got = try easy.receive()
            guard got.parameters["clientMsgNo"]?.string == "n2" else { continue }
            #expect(got.parameters["setting"]?["stream"]?.boolean == true)
            break
        }
        #expect(try self.message(server)["setting"]?.integer == 2)
        let juliet = try App(server, "juliet", .app)
        #expect(try juliet.history("tea").last?["setting"]?.integer == 2)
        // A message that is gone was not written step by step.
        let agent = try App(server, "agent", .app)
        try agent.does("POST", "message/revoke?channel_id=tea&channel_type=2&client_msg_no=n2")
        #expect(try self.message(server)["setting"]?.integer == 0)
    }

    @Test("deltas are shown as they come and put together for who comes later, until the end")
    func text() throws {
        let server = try self.server()
        let juliet = try server.connect("juliet")
        let first = try self.step(server, "e1", "stream.delta", Self.delta("Good "))
        #expect(first.json["data"]?["msg_event_seq"]?.integer == 1)
        #expect(first.json["data"]?["stream_status"]?.string == "open")
        #expect(first.json["data"]?["event_key"]?.string == "main")
        let shown = try self.event(juliet)
        #expect(shown.type == "stream.delta" && shown.data["payload"]?["delta"]?.string == "Good ")
        #expect(shown.data["client_msg_no"]?.string == "n1" && shown.data["channel_id"]?.string == "tea")
        #expect(try self.step(server, "e2", "stream.delta", Self.delta("morning")).status == 200)
        let open = try self.message(server)
        #expect(open["event_meta"]?["completed"]?.boolean == false && open["end"]?.integer == 0)
        #expect(open["event_meta"]?["events"]?.array?.first?["snapshot"]?["text"]?.string == "Good morning")
        #expect(try self.step(server, "e3", "stream.close", #","payload":{"end_reason":3}"#).status == 200)
        #expect(try self.event(juliet).type == "stream.delta")
        #expect(try self.event(juliet).data["stream_status"]?.string == "closed")
        let closed = try self.message(server)
        #expect(closed["end"]?.integer == 1 && closed["end_reason"]?.integer == 3)
        #expect(closed["stream_data"]?.string == "R29vZCBtb3JuaW5n")
        #expect(closed["event_meta"]?["completed"]?.boolean == true)
        let basic = try self.message(server, #","event_summary_mode":"basic""#)
        #expect(basic["event_meta"]?["events"]?.array?.first?["snapshot"] == nil && basic["stream_data"] == nil)
    }

    @Test("a repeated step, and one after the end, change nothing")
    func repeats() throws {
        let server = try self.server()
        #expect(try self.step(server, "e1", "stream.delta", Self.delta("a")).status == 200)
        let again = try self.step(server, "e1", "stream.delta", Self.delta("a"))
        #expect(again.status == 200 && again.json["data"]?["msg_event_seq"]?.integer == 1)
        #expect(try self.step(server, "e2", "stream.error", #","payload":{"error":"timeout"}"#).status == 200)
        let late = try self.step(server, "e3", "stream.delta", Self.delta("b"))
        #expect(late.json["data"]?["stream_status"]?.string == "error")
        let message = try self.message(server)
        #expect(message["error"]?.string == "timeout" && message["stream_data"]?.string == "YQ==")
    }

    @Test("strands stand beside each other; finish completes the message")
    func lanes() throws {
        let server = try self.server()
        #expect(try self.step(server, "e1", "stream.delta", Self.delta("a")).status == 200)
        let tool = #","event_key":"tool","payload":{"call":1}"#
        #expect(try self.step(server, "e2", "stream.snapshot", tool).status == 200)
        #expect(try self.message(server)["event_meta"]?["open_event_count"]?.integer == 2)
        let finish = try self.step(server, "e3", "stream.finish")
        #expect(finish.json["data"]?["event_key"]?.string == "__finish__")
        let meta = try self.message(server)["event_meta"]
        #expect(meta?["completed"]?.boolean == true && meta?["event_count"]?.integer == 2)
        #expect(
            try self.step(server, "e4", "stream.delta", Self.delta("b")).json["data"]?["msg_event_seq"]?.integer == 3)
    }

    @Test("who was away asks for what is new, by strand if they like; private strands are the sender's")
    func sync() throws {
        let server = try self.server()
        #expect(try self.step(server, "e1", "stream.delta", Self.delta("a")).status == 200)
        let secret = #","event_key":"thoughts","visibility":"private","payload":{"x":1}"#
        #expect(try self.step(server, "e2", "stream.snapshot", secret).status == 200)
        let (juliet, agent) = (try server.token("juliet"), try server.token("agent"))
        func events(_ uid: String, _ token: String, _ more: String) throws -> JSONValue {
            let body = #"{"login_uid":"\#(uid)",\#(Self.channel),"client_msg_no":"n1"\#(more)}"#
            return try server.http("POST", "/message/eventsync", token: token, json: body).json["data"] ?? .null
        }
        let all = try events("juliet", juliet, #","include_private":1"#)
        #expect(all["events"]?.array?.map { $0["event_key"]?.string } == ["main"])
        #expect(all["events"]?.array?.first?["payload"]?["text"]?.string == "a" && all["more"]?.integer == 0)
        let own = try events("agent", agent, #","include_private":1,"limit":1"#)
        #expect(own["more"]?.integer == 1 && own["next_msg_event_seq"]?.integer == 1)
        let rest = try events("agent", agent, #","include_private":1,"from_msg_event_seq":1,"event_key":"thoughts""#)
        #expect(rest["events"]?.array?.count == 1 && rest["filtered_by_event_key"]?.boolean == true)
        #expect(try self.message(server, token: juliet)["event_meta"]?["event_count"]?.integer == 1)
        let missing = try server.manage("/message/eventsync", #"{\#(Self.channel),"client_msg_no":"nx"}"#)
        #expect(missing.status == 200 && missing.json["status"]?.integer == 404)
        let others = #"{"login_uid":"agent",\#(Self.channel),"client_msg_no":"n1"}"#
        #expect(try server.http("POST", "/message/eventsync", token: juliet, json: others).status == 403)
    }

    @Test("an agent writes with its own token into messages of its own only")
    func access() throws {
        let server = try self.server()
        let (agent, juliet) = (try server.token("agent"), try server.token("juliet"))
        #expect(try self.step(server, "e1", "stream.delta", Self.delta("a"), token: agent).status == 200)
        #expect(try self.step(server, "e2", "stream.delta", Self.delta("b"), token: juliet).status == 403)
        let foreign =
            #"{\#(Self.channel),"from_uid":"juliet","client_msg_no":"n1","event_id":"e3","event_type":"stream.delta"}"#
        #expect(try server.http("POST", "/message/event", token: juliet, json: foreign).status == 404)
        #expect(try server.http("POST", "/message/event", json: foreign).status == 401)
    }

    @Test("each side of a person channel is told of the other as the channel")
    func personChannel() throws {
        let server = try TestServer()
        let juliet = try server.connect("juliet")
        let send =
            #"{"from_uid":"agent","channel_id":"juliet","channel_type":1,"client_msg_no":"n1","payload":"eyJ0eXBlIjoxfQ=="}"#
        #expect(try server.manage("/message/send", send).status == 200)
        let body =
            #"{"channel_id":"juliet","channel_type":1,"from_uid":"agent","client_msg_no":"n1","event_id":"e1","event_type":"stream.delta"\#(Self.delta("a"))}"#
        #expect(try server.manage("/message/event", body).status == 200)
        #expect(try self.event(juliet).data["channel_id"]?.string == "agent")
    }

    @Test("what was written is gone with a message that was recalled, and takes no further step")
    func recalled() throws {
        let server = try self.server()
        #expect(try self.step(server, "e1", "stream.delta", Self.delta("a")).status == 200)
        try server.write { transaction throws(StoreError) in
            let tea = ConversationAddress.channel(.group, ChannelName("tea")!)
            guard let found = try transaction.reading.conversations.one(tea, seenBy: .system) else { return }
            _ = try transaction.messages.recall(MessagePlace(found.id, 1), by: .operator)
        }
        #expect(try self.message(server)["event_meta"] == nil)
        #expect(try self.step(server, "e2", "stream.delta", Self.delta("b")).status == 400)
    }

    @Test("it survives a restart, and verify finds nothing wrong")
    func restart() throws {
        let server = try self.server()
        #expect(try self.step(server, "e1", "stream.delta", Self.delta("a")).status == 200)
        try server.restart()
        #expect(
            try self.step(server, "e2", "stream.delta", Self.delta("b")).json["data"]?["msg_event_seq"]?.integer == 2)
        #expect(try self.message(server)["event_meta"]?["events"]?.array?.first?["snapshot"]?["text"]?.string == "ab")
        server.stop()
        #expect(try server.findings().isEmpty)
    }

    @Test(
        "a step that cannot be is refused",
        arguments: [
            (#""event_type":"stream.nonsense","event_id":"e""#, 400), (#""event_type":"stream.delta""#, 400),
            (#""event_type":"stream.delta","event_id":"e","visibility":"x""#, 400),
            (#""event_type":"stream.close","event_id":"e","payload":{"end_reason":256}"#, 400),
            (#""event_type":"stream.delta","event_id":"e","client_msg_no":"nx""#, 404),
        ])
    func refusals(more: String, status: Int) throws {
        let server = try self.server()
        let number = more.contains("client_msg_no") ? "" : #","client_msg_no":"n1""#
        let answer = try server.manage("/message/event", "{\(Self.channel)\(number),\(more)}")
        #expect(answer.status == status, "\(answer.json)")
    }

    @Test("a strand is bounded")
    func bound() throws {
        let server = try TestServer { $0.wuKongAPI.messageBytes = 1 << 20 }
        try server.group("tea", ["agent"])
        let send = #"{"from_uid":"agent",\#(Self.channel),"client_msg_no":"n1","payload":"eyJ0eXBlIjoxfQ=="}"#
        #expect(try server.manage("/message/send", send).status == 200)
        let large = Self.delta(String(repeating: "x", count: 200_000))
        #expect(try self.step(server, "e1", "stream.delta", large).status == 200)
        #expect(try self.step(server, "e2", "stream.delta", large).status == 400)
    }

    @Test("a message that is not kept cannot be written step by step")
    func transient() throws {
        let server = try self.server()
        let body = #"{"header":{"no_persist":1},\#(Self.channel),"is_stream":1,"payload":"e30="}"#
        #expect(try server.manage("/message/send", body).status == 400)
    }
}
