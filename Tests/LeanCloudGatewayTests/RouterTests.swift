import TeahouseTesting
import Testing

struct RouterTests {
    @Test("the router leads to where it was asked, for an hour")
    func route() throws {
        let server = try TestServer()
        let reply = try HTTPTestClient.ask(
            port: server.port, "GET", "/v1/route?appId=\(server.leanCloudAppID)&secure=1&_t=1700000000000")
        #expect(reply.status == 200)
        #expect(reply.json["server"]?.string == "ws://127.0.0.1:\(server.port)/")
        #expect(reply.json["secondary"]?.string == "ws://127.0.0.1:\(server.port)/")
        #expect(reply.json["ttl"]?.integer == 3600)
    }

    @Test("the routers for apps without a server name the hosts of every service", arguments: ["/1/route", "/2/route"])
    func hosts(path: String) throws {
        let server = try TestServer()
        let reply = try HTTPTestClient.ask(port: server.port, "GET", "\(path)?appId=\(server.leanCloudAppID)")
        #expect(reply.status == 200)
        for key in ["api_server", "engine_server", "push_server", "rtm_router_server", "stats_server"] {
            #expect(reply.json[key]?.string == "127.0.0.1:\(server.port)")
        }
        #expect(reply.json["ttl"]?.integer == 3600)
    }

    @Test("an IPv6 address keeps its brackets")
    func overIPv6() throws {
        let server = try TestServer()
        let address = "[::1]:\(server.port)"
        let reply = try HTTPTestClient.ask(
            port: server.port, "GET", "/2/route?appId=\(server.leanCloudAppID)", headers: [("Host", address)])
        #expect(reply.json["server"]?.string == "ws://\(address)/")
        #expect(reply.json["api_server"]?.string == address)
    }

    @Test(
        "a public name wins", arguments: [("chat.example.com:7677", "ws"), ("wss://chat.example.com:7677/", "wss")])
    func publicName(name: String, scheme: String) throws {
        let server = try TestServer { $0.leanCloud.publicServer = name }
        let reply = try HTTPTestClient.ask(port: server.port, "GET", "/2/route?appId=\(server.leanCloudAppID)")
        #expect(reply.json["server"]?.string == "\(scheme)://chat.example.com:7677/")
        #expect(reply.json["api_server"]?.string == "chat.example.com:7677")
    }

    @Test("another app is not known, and none is a mistake")
    func otherApp() throws {
        let server = try TestServer()
        let other = try HTTPTestClient.ask(port: server.port, "GET", "/v1/route?appId=somebody-elses-app")
        #expect(other.status == 404)
        #expect(other.json["code"]?.integer == 404)
        #expect(other.json["error"]?.string?.isEmpty == false)
        #expect(try HTTPTestClient.ask(port: server.port, "GET", "/v1/route").status == 400)
    }

    @Test("pages of configured origins may read the answer")
    func origins() throws {
        let server = try TestServer { $0.transport.origins = ["https://app.example"] }
        let target = "/v1/route?appId=\(server.leanCloudAppID)"
        let reply = try HTTPTestClient.ask(
            port: server.port, "GET", target, headers: [("Origin", "https://app.example")])
        #expect(reply.status == 200 && reply.headers["access-control-allow-origin"] == "*")
    }

    @Test(
        "pages of any origin read the answer and the refusals: only on the WebSocket they are told that they may not connect",
        arguments: ["/v1/route", "/1/route", "/2/route"])
    func anyOrigin(path: String) throws {
        let server = try TestServer()
        let origin = [("Origin", "https://elsewhere.example")]
        for query in ["?appId=\(server.leanCloudAppID)", "?appId=another", ""] {
            let reply = try HTTPTestClient.ask(port: server.port, "GET", path + query, headers: origin)
            #expect(reply.headers["access-control-allow-origin"] == "*", "\(query)")
            #expect(reply.status == 200 || reply.json["code"]?.integer != nil, "\(query)")
        }
        let preflight = try HTTPTestClient.ask(
            port: server.port, "OPTIONS", path, headers: origin + [("Access-Control-Request-Method", "GET")])
        #expect(preflight.status == 204 && preflight.headers["access-control-allow-origin"] == "*")
        let post = try HTTPTestClient.ask(port: server.port, "POST", path, headers: origin)
        #expect(post.status == 405 && post.headers["access-control-allow-origin"] == "*")
    }

    @Test("where LeanCloud's clients are not served there is no router and no subprotocol")
    func switchedOff() throws {
        let server = try TestServer { $0.servesLeanCloud = false }
        #expect(try HTTPTestClient.ask(port: server.port, "GET", "/v1/route?appId=x").status == 404)
        #expect(try server.leanCloudSocket().answeredSubprotocol == nil)
    }
}
