import Accounts
import ByteCodec
import Execution
import HTTPClient
import Hooks
import TeahouseTesting
import Testing

/// An app's cloud functions are asked about what the app's own server changes too.
@Suite("LeanCloud's hooks over HTTP")
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
        app.server.stop()
    }

    @Test("a list of people that is replaced in the class is asked about as who comes, goes and is muted")
    func lists() throws {
        let receiver = HTTPReceiver { request in
            .body(request.text.contains("mute") ? #"{"result":{"mute":false}}"# : #"{"result":{}}"#)
        }
        let hooks = try LeanCloudHookOptions(
            base: "http://127.0.0.1:\(receiver.port)",
            functions: ["_conversationAdd", "_conversationRemove", "_conversationUpdate"])
        let app = try LeanCloudApp { $0.leanCloudHooks = hooks }
        let id = try app.conversation("Tom", "Jerry", "Ann")
        let path = "/1.1/classes/_Conversation/\(id)"
        let asked = { (function: String) -> [JSONValue] in
            receiver.requests.filter { $0.target.hasSuffix(function) }.map { .of($0.text) }
        }
        let change = JSONValue.of(#"{"m":["Tom","Ann","Spike"],"mu":["Ann"],"name":"mice"}"#)
        #expect(try app.master("PUT", path, change).status == 200)
        #expect(asked("Add").map { $0["members"] } == [.of(#"["Spike"]"#)])
        #expect(asked("Remove").map { $0["members"] } == [.of(#"["Jerry"]"#)])
        let (alert, card) = (try #require(asked("Update").first), try #require(asked("Update").last))
        #expect(alert["mute"]?.boolean == true && alert["initBy"]?.string == "Ann")
        #expect(card["attr"] == .of(#"{"name":"mice"}"#))
        let row = { () throws -> JSONValue in try app.master("GET", path).json }
        #expect(try row()["m"] == .of(#"["Tom","Ann","Spike"]"#))
        // The function wanted it otherwise.
        #expect(try row()["mu"]?.array?.isEmpty != false && row()["name"]?.string == "mice")
        receiver.change { _ in .body(#"{"result":{"reject":true}}"#) }
        #expect(try app.master("PUT", path, .of(#"{"m":["Tom","Ann","Bob"]}"#)).code == 4305)
        #expect(try row()["m"] == .of(#"["Tom","Ann","Spike"]"#))
        app.server.stop()
    }

    @Test("who makes a conversation is among its people; whom the app's server sends away is told as sent away")
    func peopleToldOf() throws {
        let receiver = HTTPReceiver { _ in .body(#"{"result":{}}"#) }
        let hooks = try LeanCloudHookOptions(
            base: "http://127.0.0.1:\(receiver.port)", functions: ["_conversationStart", "_clientOffline"])
        let app = try LeanCloudApp { $0.leanCloudHooks = hooks }
        let make = { (body: String) throws -> JSONValue in
            _ = try app.master("POST", "/1.2/rtm/conversations", .of(body))
            return .of(try #require(receiver.requests.last).text)
        }
        let named = try make(#"{"c":"Tom","m":["Jerry","Ann"]}"#)
        #expect(named["initBy"]?.string == "Tom" && named["members"] == .of(#"["Tom","Jerry","Ann"]"#))
        #expect(try make(#"{"m":["Jerry","Ann"]}"#)["members"] == .of(#"["Jerry","Ann"]"#))
        let jerry = try app.server.leanCloud("Jerry")
        #expect(try app.master("POST", "/1.2/rtm/clients/Jerry/kick", .of(#"{"reason":"why"}"#)).status == 200)
        _ = try jerry.wait(.session, .closed)
        let told = try #require(receiver.wait { $0.contains { $0.target.hasSuffix("_clientOffline") } }?.last)
        #expect(JSONValue.of(told.text)["closeCode"]?.integer == 4)
        app.server.stop()
    }

    @Test("who signed in to the app gets a signature unless the function says no")
    func signatures() throws {
        let receiver = HTTPReceiver { _ in .body(#"{"result":{"result":true}}"#) }
        var hooks = try LeanCloudHookOptions(
            base: "http://127.0.0.1:\(receiver.port)", functions: ["_rtmClientSign"])
        hooks.key = "a key of the app"
        let wanted = hooks
        let app = try LeanCloudApp { options in
            options.accounts.app.registrationIsOpen = true
            options.leanCloudHooks = wanted
        }
        let made = try app.ask(
            "POST", "/1.1/users", app.asClient, .of(#"{"username":"romeo","password":"correct horse battery"}"#))
        let id = try #require(made.json["objectId"]?.string)
        let token = try #require(made.json["sessionToken"]?.string)
        let request = JSONValue.of(#"{"session_token":"\#(token)"}"#)
        let signed = try app.ask("POST", "/1.1/rtm/sign", app.asClient, request)
        #expect(signed.status == 200 && signed.json["client_id"]?.string == id, "\(signed.text)")
        let asked = try #require(receiver.requests.first)
        #expect(asked.target == "/1.1/functions/_rtmClientSign")
        #expect(JSONValue.of(asked.text)["username"]?.string == "romeo")
        // As LeanEngine's SDKs ask for it.
        #expect(asked.fields["x-lc-id"] == app.app.appID && asked.fields["x-lc-hook-key"] == "a key of the app")
        let sign = try #require(asked.fields["x-lc-sign"])
        let keys = app.server.server.accounts.app.keys
        #expect(keys.verifyRESTSign(sign, now: Clock.system.wallMilliseconds()) == .client)
        receiver.change { _ in .body(#"{"result":{"result":false,"error":"banned"}}"#) }
        let refused = try app.ask("POST", "/1.1/rtm/sign", app.asClient, request)
        #expect(refused.code == 4102 && refused.text.contains("banned"), "\(refused.text)")
        app.server.stop()
    }
}
