import ByteCodec
import ChatModel
import CommandLineKit
import Store
import TeahouseTesting
import Testing

/// The word list and message kinds through the whole server.
struct ModerationScenarios {
    @Test("a session's words are refused, masked and watched; a change of the list holds for the next message")
    func words() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        #expect(try romeo.publish("外挂 damn tea", to: "juliet").reason == 1)
        #expect(try juliet.receive().text == "外挂 damn tea")
        for (word, action) in [("外挂", "refuse"), ("damn", "mask"), ("tea", "flag")] {
            #expect(server.ctl("word", "add", word, "--action", action).code == .done)
        }
        let refused = try romeo.publish("卖外\u{200B}挂", to: "juliet")
        #expect(refused.reason == 11, "not allowed to send")
        let masked = try romeo.publish("Ｄamn it", to: "juliet")
        #expect(masked.reason == 1)
        #expect(try juliet.receive().text == "**** it", "what was refused never came")
        let watched = try romeo.publish("cup of tea", to: "juliet")
        #expect(try juliet.receive().text == "cup of tea")
        let flagged = server.ctl("word", "flagged", "--json").json["messages"]?.array ?? []
        #expect(flagged.map { $0["word"]?.string } == ["tea"])
        #expect(flagged.first?["sequence"]?.integer == watched.sequence)
        #expect(flagged.first?["conversationName"]?.string == "juliet,romeo")
        let kept = try server.history(.direct(UserName("juliet")!), seenBy: "romeo")
        #expect(kept.count == 3 && !kept.contains { String(decoding: $0.content.body, as: UTF8.self).contains("卖") })

        #expect(server.ctl("word", "remove", "外挂").code == .done)
        #expect(try romeo.publish("外挂", to: "juliet").reason == 1)
        #expect(try juliet.receive().text == "外挂")
        // Commands of the operator pass.
        #expect(server.ctl("send", "--from", "romeo", "--to", "juliet", "damn").code == .done)
        #expect(try juliet.receive().text == "damn")
    }

    @Test("the list holds after a restart, for transient messages, and over HTTP for messages and edits")
    func everywhere() throws {
        let server = try TestServer()
        try server.group("verona", ["romeo", "juliet"])
        #expect(server.ctl("word", "add", "外挂", "--action", "refuse").code == .done)
        #expect(server.ctl("word", "add", "damn", "tea", "--action", "mask").code == .done)
        #expect(server.ctl("word", "add", "tea", "--action", "flag").code == .done)
        try server.restart()
        let romeo = try App(server, "romeo")
        let online = try App(server, "juliet").connect()
        let device = try romeo.connect()
        let sent = try device.publish("hello", to: "verona", group: true)
        #expect(try online.receive().text == "hello")
        let transient = try device.publish("外挂", to: "verona", group: true, header: "\"noPersist\":true")
        #expect(transient.reason == 11)

        let place = #""channel_id":"verona","channel_type":2,"message_id":"\#(sent.messageID)","message_seq":1"#
        func edit(_ text: String) -> String { #"{\#(place),"content_edit":"{\"type\":1,\"content\":\"\#(text)\"}"}"# }
        #expect(try romeo.isRefused("POST", "message/edit", edit("外挂")).contains("not allowed"))
        try romeo.does("POST", "message/edit", edit("damn tea"))
        let extra = try #require(try romeo.extras("verona").first)
        #expect(extra["content_edit"]?["content"]?.string == "**** tea")
        let flagged = server.ctl("word", "flagged", "--json").json["messages"]?.array ?? []
        #expect(flagged.map { $0["sequence"]?.integer } == [1])
    }

    @Test("operators see a registered kind by its digest, and the text for old apps where it cannot be read")
    func kinds() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        #expect(server.ctl("kind", "set", "500", "--sample", "card").code == .done)
        func publish(_ body: String) throws {
            let payload = String(decoding: Base64.encode(Array(body.utf8)), as: UTF8.self)
            let answer = try romeo.request("send", #"{"channelId":"juliet","channelType":1,"payload":"\#(payload)"}"#)
            #expect(answer["result"]?["reasonCode"]?.integer == 1)
        }
        try publish(#"{"type":500,"clientId":"tom","name":"Tom"}"#)
        try publish(#"{"type":500,"name":"Tom"}"#)
        let shown = server.ctl("conversation", "messages", "juliet,romeo").output
        #expect(shown.contains("[Card] Tom") && shown.contains("cannot show the message"), "\(shown)")
        #expect(server.ctl("kind", "show", "500", "--json").json["undecodable"]?.integer == 1)
    }
}
