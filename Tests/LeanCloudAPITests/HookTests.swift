import ByteCodec
import HTTPClient
import Hooks
import TeahouseTesting
import Testing

/// An app's cloud functions are asked about what the app's own server changes too.
@Suite("LeanCloud's hooks over HTTP", .timeLimit(.minutes(2)))
struct HookTests {
    @Test("conversations, members and alerts are refused with 4305, and nothing has changed")
    func refused() throws {
        let receiver = HTTPReceiver { request in
            request.target.hasSuffix("Start") || request.target.hasSuffix("Started")
                ? .body(#"{"result":{}}"#) : .body(#"{"result":{"reject":true,"code":7,"detail":"no"}}"#)
        }
        let hooks = try LeanCloudHookOptions(base: "http://127.0.0.1:\(receiver.port)")
        let app = try LeanCloudApp { $0.leanCloudHooks = hooks }
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.2/rtm/conversations/\(id)"
        for reply in [
            try app.master("POST", "\(path)/members", .of(#"{"client_ids":["Spike"]}"#)),
            try app.master("DELETE", "\(path)/members", .of(#"{"client_ids":["Ann"]}"#)),
            try app.master("POST", "\(path)/mutes", .of(#"{"client_ids":["Ann"]}"#)),
            try app.master("PUT", path, .of(#"{"name":"other"}"#)),
        ] {
            #expect(reply.status == 400 && reply.code == 4305, "\(reply.text)")
        }
        let row = try app.master("GET", "/1.1/classes/_Conversation/\(id)")
        #expect(row.json["name"]?.string == "talk")
        #expect(row.json["m"] == .of(#"["Tom","Jerry","Ann"]"#))
        app.house.stop()
    }
}
