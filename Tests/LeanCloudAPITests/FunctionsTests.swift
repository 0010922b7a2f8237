import ByteCodec
import ChatModel
import Hooks
import TeahouseTesting
import Testing

/// An app's cloud functions, as its clients call them.
@Suite("Functions of an app, called by its clients")
struct FunctionsTests {
    private func open(_ behaviour: @escaping HTTPReceiver.Behaviour) throws -> (LeanCloudApp, HTTPReceiver) {
        let receiver = HTTPReceiver(behaviour)
        let hooks = try LeanCloudHookOptions(base: "http://127.0.0.1:\(receiver.port)/app/", functions: [])
        return (try LeanCloudApp { $0.leanCloudHooks = hooks }, receiver)
    }

    @Test(
        "a function gets the parameters, the session and the app, and its answer comes back",
        arguments: ["functions", "call"])
    func called(form: String) throws {
        let (app, receiver) = try self.open { _ in .body(#"{"result":{"signature":"s"}}"#) }
        let session = try app.server.token("romeo", .app)
        let reply = try app.ask(
            "POST", "/1.1/\(form)/sign-in", app.asClient + [("X-LC-Session", session), ("X-LC-Prod", "0")],
            .of(#"{"clientId":"romeo"}"#))
        #expect(reply.status == 200 && reply.json["result"]?["signature"]?.string == "s")
        let asked = try #require(receiver.requests.first)
        #expect(asked.method == "POST" && asked.target == "/app/1.1/\(form)/sign-in")
        #expect(asked.text == #"{"clientId":"romeo"}"#)
        #expect(asked.fields["x-lc-id"] == app.app.appID && asked.fields["x-lc-session"] == session)
        #expect(asked.fields["x-lc-prod"] == "0" && asked.fields["x-real-ip"] == "127.0.0.1")
        #expect(asked.fields["x-lc-sign"]?.hasSuffix(",master") == false)
        // What only this server may call is marked by this key, and by no other.
        #expect(asked.fields["x-lc-hook-key"] == nil && asked.fields["x-lc-key"] == nil)
        #expect(try app.master("POST", "/1.1/\(form)/sign-in").status == 200)
        #expect(receiver.requests.last?.fields["x-lc-sign"]?.hasSuffix(",master") == true)
        #expect(receiver.requests.last?.text == "{}" && receiver.requests.last?.fields["x-lc-session"] == nil)
        app.server.stop()
    }

    @Test("an error of a function is told as it is")
    func failed() throws {
        let (app, receiver) = try self.open { request in
            let body = request.target.hasSuffix("own") ? #"{"code":9,"error":"no tea"}"# : "<html>gone</html>"
            return .answer(400, body)
        }
        let own = try app.ask("POST", "/1.1/functions/own", app.asClient, .of("{}"))
        #expect(own.status == 400 && own.code == 9 && own.json["error"]?.string == "no tea")
        let page = try app.ask("POST", "/1.1/functions/page", app.asClient, .of("{}"))
        #expect(page.status == 400 && page.code == 1, "\(page.status) \(page.text)")
        #expect(receiver.requests.count == 2)
        app.server.stop()
    }

    @Test("nothing is called for who has no key or a bad session, nor by the name of a hook")
    func refused() throws {
        let (app, receiver) = try self.open { _ in .body(#"{"result":1}"#) }
        #expect(try app.ask("POST", "/1.1/functions/f", [("X-LC-Id", app.app.appID)], .of("{}")).status == 401)
        let bad = app.asClient + [("X-LC-Session", "tea_wrong")]
        #expect(try app.ask("POST", "/1.1/functions/f", bad, .of("{}")).code == 211)
        for name in ["_messageReceived", "__on_login", "a%2Fb", ".."] {
            let reply = try app.ask("POST", "/1.1/functions/\(name)", app.asClient, .of("{}"))
            #expect((400...404).contains(reply.status) && reply.code != nil, "\(name): \(reply.text)")
        }
        let cut = try app.server.http(
            "POST", "/1.1/functions/f", headers: app.asClient + [("Content-Type", "application/json")],
            body: Array(#"{"a":"#.utf8))
        #expect(cut.code == 107)
        #expect(receiver.requests.isEmpty)
        let long = try app.server.http(
            "POST", "/1.1/functions/f", headers: app.asClient,
            body: [UInt8](repeating: 0x20, count: 300 * 1024))
        #expect(long.status == 413 && long.code == 1)
        #expect(receiver.requests.isEmpty)
        app.server.stop()
    }

    @Test("a redirect is followed nowhere, and a server that is not there is an error with a number")
    func unreachable() throws {
        let elsewhere = HTTPReceiver { _ in .body(#"{"result":1}"#) }
        let (app, receiver) = try self.open { _ in
            .raw(
                Array(
                    "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(elsewhere.port)/\r\nContent-Length: 0\r\n\r\n"
                        .utf8))
        }
        let moved = try app.ask("POST", "/1.1/functions/f", app.asClient, .of("{}"))
        #expect(moved.status == 502 && moved.code == 1 && elsewhere.requests.isEmpty)
        receiver.change { _ in .close }
        #expect(try app.ask("POST", "/1.1/functions/f", app.asClient, .of("{}")).status == 502)
        app.server.stop()
        let without = try LeanCloudApp()
        #expect(try without.ask("POST", "/1.1/functions/f", without.asClient, .of("{}")).status == 404)
    }
}
