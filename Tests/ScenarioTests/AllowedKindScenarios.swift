import ByteCodec
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// The kinds of content that the operator lets people send, at every gateway.
struct AllowedKindScenarios {
    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    /// A group in which people send texts and cards only, and one with everything.
    private func server() throws -> (server: TestServer, tea: ConversationID, wine: ConversationID) {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet"])
        let wine = try server.group("wine", ["romeo", "juliet"])
        let done = server.ctl("setting", "set", "allowed_kinds", "text,card", "--conversation", "tea")
        #expect(done.code == .done, "\(done.error)")
        return (server, tea, wine)
    }

    @Test("WuKongIM's clients and its HTTP API refuse a kind that is not allowed; texts and kinds of apps pass")
    func wuKong() throws {
        let (server, _, _) = try self.server()
        let token = try server.token("romeo", .web)
        let json = try server.connect("romeo", .web, token: token)
        let binary = try server.connectBinary("juliet")
        let merged = #"{"type":11,"msgs":[{"from_uid":"a","payload":{"type":2,"url":"/p"}}],"users":[]}"#
        let bodies: [(String, Int64)] = [
            (#"{"type":1,"content":"tea"}"#, 1), (#"{"type":7,"uid":"paris","name":"Paris"}"#, 1),
            (#"{"type":500,"name":"own"}"#, 1), (#"{"type":2,"url":"http://tea.example/p"}"#, 11),
            (#"{"type":3,"url":"http://tea.example/p"}"#, 11), (#"{"type":4,"url":"http://tea.example/p"}"#, 11),
            (#"{"type":5,"url":"http://tea.example/p"}"#, 11), (#"{"type":6,"lat":1.5,"lng":2.5}"#, 11),
            (#"{"type":8,"url":"http://tea.example/p"}"#, 11), (#"{"type":14,"content":"rich"}"#, 11), (merged, 11),
        ]
        for (body, reason) in bodies {
            let parameters = #"{"channelId":"tea","channelType":2,"payload":"\#(Self.base64(body))"}"#
            #expect(try json.request("send", parameters)["result"]?["reasonCode"]?.integer == reason, "json \(body)")
            let packet = try binary.sendPacket(content: body, to: "tea", type: 2)
            #expect(Int64(try binary.publish(packet).reason) == reason, "binary \(body)")
            let request =
                #"{"from_uid":"romeo","channel_id":"tea","channel_type":2,"payload":"\#(Self.base64(body))"}"#
            let reply = try server.http("POST", "/message/send", token: token, json: request)
            #expect((reply.status == 200) == (reason == 1), "http \(body): \(reply.json)")
            let words = reply.json["msg"]?.string ?? ""
            if reason != 1 { #expect(words.contains("not allowed there"), "\(reply.json)") }
            let elsewhere = #"{"channelId":"wine","channelType":2,"payload":"\#(Self.base64(body))"}"#
            #expect(try json.request("send", elsewhere)["result"]?["reasonCode"]?.integer == 1, "\(body)")
        }
        // A business server and the operator are not held to it.
        let picture = Self.base64(#"{"type":2,"url":"http://tea.example/p"}"#)
        let sent = #"{"from_uid":"romeo","channel_id":"tea","channel_type":2,"payload":"\#(picture)"}"#
        #expect(try server.manage("/message/send", sent).status == 200)
    }

    @Test("an edit does not make a text what may not be sent")
    func edits() throws {
        let (server, _, _) = try self.server()
        let romeo = try App(server, "romeo")
        let id = try romeo.connect().publish("tea", to: "tea", group: true).messageID
        let place = #""message_id":"\#(id)","channel_id":"tea","channel_type":2"#
        let picture = #"{\"type\":2,\"url\":\"http://tea.example/p\"}"#
        _ = try romeo.isRefused("POST", "message/edit", #"{\#(place),"content_edit":"\#(picture)"}"#)
        try romeo.does("POST", "message/edit", #"{\#(place),"content_edit":"{\"type\":1,\"content\":\"more\"}"}"#)
    }

    @Test("the native API names the setting, also for what is forwarded")
    func native() throws {
        let (server, tea, wine) = try self.server()
        let romeo = try NativeClient(server, "romeo")
        func path(_ id: ConversationID) -> String { "/conversations/\(id.rawValue)/messages" }
        let place = #"{"clientToken":"p","kind":"place","place":{"latitude":1.5,"longitude":2.5}}"#
        let reply = try romeo.ask("POST", path(tea), place)
        #expect(reply.status == 403 && reply.json["code"]?.string == "content_not_allowed", "\(reply.text)")
        #expect(reply.json["setting"]?.string == "allowed_kinds")
        let sent = try romeo.done("POST", path(wine), place, status: 201)
        try romeo.done("POST", path(tea), #"{"clientToken":"t","kind":"text","text":"tea"}"#, status: 201)
        let card = #"{"clientToken":"c","kind":"card","card":{"name":"juliet"}}"#
        try romeo.done("POST", path(tea), card, status: 201)
        let id = try #require(sent["id"]?.string)
        let forwarded = try romeo.done(
            "POST", "/messages/\(id)/forward", #"{"clientToken":"f","to":["\#(tea.rawValue)"]}"#)
        #expect(forwarded["items"]?.array?.first?["problem"]?.string == "content_not_allowed", "\(forwarded)")
        // Whoever may send something may send.
        let rights = try romeo.get("/conversations/\(tea.rawValue)")["rights"]
        #expect(rights?["send"]?.boolean == true)
    }

    @Test("LeanCloud's clients are refused as by an app, with the reason in words; a change of a message too")
    func leanCloud() throws {
        let (server, tea, _) = try self.server()
        let object = try #require(
            try server.server.store.readAndWait { store throws(StoreError) in
                try store.conversations.one(tea)?.objectID
            })
        let romeo = try server.leanCloud("romeo")
        func send(_ text: String) throws -> GenericCommand {
            try romeo.request(.direct) { command in
                command.directMessage = DirectCommand()
                command.directMessage?.cid = object.text
                command.directMessage?.msg = text
            }
        }
        let text = try send(TypedMessage(.text, text: "tea").content)
        #expect(text.ackMessage?.uid != nil && text.ackMessage?.code == nil, "\(text)")
        #expect(try send("plain").ackMessage?.code == nil)
        #expect(try send(#"{"_lctype":7,"_lctext":"own"}"#).ackMessage?.code == nil)
        let picture = #"{"_lctype":-2,"_lcfile":{"url":"http://tea.example/p"}}"#
        let refused = try send(picture)
        #expect(refused.ackMessage?.code == 4402, "\(refused)")
        #expect(refused.ackMessage?.reason?.isEmpty == false)
        let changed = try romeo.request(.patch, .modify) { command in
            var item = PatchItem()
            item.cid = object.text
            item.mid = text.ackMessage?.uid ?? ""
            item.timestamp = text.ackMessage?.t ?? 0
            item.content = Array(picture.utf8)
            var patch = PatchCommand()
            patch.patches = [item]
            command.patchMessage = patch
        }
        #expect(changed.cmd == .error, "\(changed)")
    }
}
