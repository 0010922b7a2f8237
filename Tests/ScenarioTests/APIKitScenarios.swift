import ByteCodec
import Server
import TeahouseTesting
import Testing

/// The HTTP API's own rules, whatever is asked for.
struct APIKitScenarios {
    @Test("anybody may ask for the address, which is the one they asked")
    func route() throws {
        let server = try TestServer()
        let reply = try server.http("GET", "/route?uid=romeo")
        #expect(reply.status == 200)
        #expect(reply.json["tcp_addr"]?.string == "127.0.0.1:\(server.port)")
        #expect(reply.json["ws_addr"]?.string == "ws://127.0.0.1:\(server.port)")
        #expect(try server.http("GET", "/health").text == #"{"status":"ok"}"#)
        #expect(try server.http("HEAD", "/health").body.isEmpty)
    }

    @Test("an IPv6 address keeps its brackets, and a port that is not written is the scheme's own")
    func routeOverIPv6() throws {
        let server = try TestServer()
        for (host, address) in [("[::1]:\(server.port)", "[::1]:\(server.port)"), ("[::1]", "[::1]:80")] {
            let reply = try server.http("GET", "/route?uid=romeo", headers: [("Host", host)])
            #expect(reply.json["tcp_addr"]?.string == address)
            #expect(reply.json["ws_addr"]?.string == "ws://\(address)")
        }
    }

    @Test("the manager's rows are closed to everybody else")
    func manager() throws {
        let server = try TestServer()
        let token = try server.token("romeo")
        let body = #"{"uid":"romeo","token":"t","device_flag":0}"#
        #expect(try server.http("POST", "/user/token", json: body).status == 401)
        let person = try server.http("POST", "/user/token", token: token, json: body)
        #expect(person.status == 401 && person.json["status"]?.integer == 401)
        #expect(person.json["msg"]?.string?.isEmpty == false)
        #expect(try server.manage("/user/token", body).status == 200)
    }

    @Test("who guesses the manager's token is slowed down, the manager is not")
    func guessing() throws {
        let server = try TestServer()
        let statuses = try (0..<7).map {
            try server.http("POST", "/user/token", token: "wrong\($0)", json: "{}").status
        }
        #expect(statuses.first == 401 && statuses.last == 429)
        #expect(try server.manage("/user/token", #"{"uid":"romeo","token":"t"}"#).status == 200)
    }

    @Test("the manager's token outlives a restart")
    func restart() throws {
        let server = try TestServer()
        let token = try server.managerToken()
        try server.restart()
        #expect(try server.managerToken() == token)
        #expect(try server.http("POST", "/user/token", token: token, json: #"{"uid":"a","token":"t"}"#).status == 200)
    }

    @Test("paths that are not served say why; paths of other doors are theirs")
    func paths() throws {
        let server = try TestServer()
        let tags = try server.http("GET", "/tags")
        #expect(tags.status == 404 && tags.json["msg"]?.string?.contains("fan-out") == true)
        let unknown = try server.http("POST", "/user/nothing")
        #expect(unknown.status == 404 && unknown.json["status"]?.integer == 404)
        let method = try server.http("GET", "/user/token")
        #expect(method.status == 405 && method.headers["allow"] == "POST")
        #expect(try server.http("GET", "/").text.contains("teahouse"))
    }

    @Test("bodies are bounded, for strangers more than for the manager")
    func bodies() throws {
        let server = try TestServer()
        let large = #"{"uid":"romeo","token":"t","more":""# + String(repeating: "x", count: 100_000) + #""}"#
        #expect(try server.http("POST", "/user/token", token: "wrong", json: large).status == 413)
        #expect(try server.manage("/user/token", large).status == 200)
        let huge = String(repeating: " ", count: 1 << 20) + #"{"uid":"romeo","token":"t"}"#
        #expect(try server.manage("/user/token", huge).status == 413)
    }

    @Test(
        "a body that is no JSON, too deep, or of the wrong type is refused with the reason",
        arguments: [
            ("{", "ends too early"), ("[1]", "JSON object"), (#"{"uid":1,"token":"t"}"#, "uid must be a text"),
            (#"{"uid":"a@b","token":"t"}"#, "uid"), (#"{"token":"t"}"#, "uid is missing"),
            (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), "deeper"),
            (#"{"uid":"a","token":"t","device_flag":99}"#, "device_flag"), ("", "JSON object"),
        ])
    func badBodies(body: String, reason: String) throws {
        let server = try TestServer()
        let answer = try server.manage("/user/token", body)
        #expect(answer.status == 400 && answer.json["status"]?.integer == 400)
        #expect(answer.json["msg"]?.string?.contains(reason) == true)
    }

    @Test("a query that cannot be decoded is refused")
    func query() throws {
        let server = try TestServer()
        #expect(try server.http("GET", "/route?uid=%zz").status == 400)
    }

    @Test("a page of a foreign origin is refused, one of a configured origin may read the answer")
    func origins() throws {
        let server = try TestServer { $0.transport.origins = ["https://app.example.com"] }
        let foreign = try server.http("GET", "/route", headers: [("Origin", "https://evil.example")])
        #expect(foreign.status == 403)
        let own = try server.http("GET", "/route", headers: [("Origin", "https://app.example.com")])
        #expect(own.status == 200 && own.headers["access-control-allow-origin"] == "https://app.example.com")
    }

    @Test("one request after the other is answered in order on one connection")
    func pipelining() throws {
        let server = try TestServer()
        let client = try server.socket()
        let one = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let two = "GET /tags HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try client.send(raw: one + two)
        let text = try client.everything()
        let answers = text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(answers == ["200", "404"])
    }

    @Test("the API can be switched off; the front door stays")
    func switchedOff() throws {
        let server = try TestServer { $0.servesWuKongAPI = false }
        #expect(try server.http("GET", "/route").status == 404)
        #expect(try server.http("GET", "/health").status == 200)
        let token = try server.managerToken()
        #expect(try server.http("GET", "/connz", token: token).status == 404)
        #expect(try server.http("POST", "/api/v1/profiles", token: token, json: #"{"ids":["x"]}"#).status == 200)
    }

    @Test("who asks too fast is told when to ask again; the manager is not")
    func rate() throws {
        let server = try TestServer { $0.wuKongAPI.perPerson = .init(perSecond: 0.001, burst: 2) }
        let (romeo, juliet) = (try server.token("romeo"), try server.token("juliet"))
        func ask(_ uid: String, _ token: String) throws -> HTTPReply {
            let body = #"{"uid":"\#(uid)","msg_count":1}"#
            return try server.http("POST", "/conversation/sync", token: token, body: Array(body.utf8))
        }
        let replies = try (0..<3).map { _ in try ask("romeo", romeo) }
        #expect(replies.map(\.status) == [200, 200, 429] && replies.last?.headers["retry-after"] == "1")
        #expect(try ask("juliet", juliet).status == 200)
        let token = try server.managerToken()
        for _ in 0..<5 { #expect(try ask("romeo", token).status == 200) }
    }

    @Test("an app that asks for each of 500 conversations when it starts is refused nothing")
    func start() throws {
        // TangSengDaoDaoWeb asks for the channel of each conversation that it shows. 20 more come each second.
        let server = try TestServer { $0.wuKongAPI.perPerson.perSecond = 0.001 }
        let romeo = try server.token("romeo")
        try server.group("verona", ["romeo", "juliet"])
        let statuses = try (0..<500).map { _ in try server.http("GET", "/v1/channels/verona/2", token: romeo).status }
        #expect(Set(statuses) == [200])
    }

    @Test("people send over HTTP no faster and no more than on a session; a business server has no such bound")
    func messageRate() throws {
        let server = try TestServer { options in
            options.broker.perUser = .init(perSecond: 0.001, burst: 2)
            options.broker.bodyBytes = 1024
        }
        let romeo = try server.token("romeo")
        try server.add("juliet")
        func send(_ token: String, _ payload: [UInt8]) throws -> HTTPReply {
            let payload = String(decoding: Base64.encode(payload), as: UTF8.self)
            let body = #"{"from_uid":"romeo","channel_id":"juliet","channel_type":1,"payload":"\#(payload)"}"#
            return try server.http("POST", "/message/send", token: token, body: Array(body.utf8))
        }
        let small = Array(#"{"type":1}"#.utf8)
        let long = Array(#"{"type":1,"content":"\#(String(repeating: "x", count: 2000))"}"#.utf8)
        #expect(try send(romeo, long).status == 400)
        let replies = try (0..<3).map { _ in try send(romeo, small) }
        #expect(replies.map(\.status) == [200, 200, 503] && replies.last?.headers["retry-after"] == "1")
        let token = try server.managerToken()
        for _ in 0..<3 { #expect(try send(token, small).status == 200) }
        #expect(try send(token, long).status == 200)
    }

    @Test("with too many requests waiting the next one is told to come again")
    func waiting() throws {
        let server = try TestServer { $0.wuKongAPI.waitingRequests = 0 }
        let reply = try server.http("GET", "/health")
        #expect(reply.status == 503 && reply.headers["retry-after"] == "1")
    }

    @Test("a full disk refuses messages with 507, and reading goes on")
    func full() throws {
        let server = try TestServer { $0.store.stopWritingFreeBytes = .max }
        let send = #"{"from_uid":"romeo","channel_id":"juliet","channel_type":1,"payload":"e30="}"#
        let answer = try server.manage("/message/send", send)
        #expect(answer.status == 507 && answer.json["status"]?.integer == 507)
        #expect(try server.manage("/conversation/sync", #"{"uid":"romeo","msg_count":1}"#).status == 200)
    }

    @Test("a disabled person's token is refused with 403")
    func disabled() throws {
        let server = try TestServer()
        let token = try server.token("romeo")
        #expect(try server.manage("/channel/info", #"{"channel_id":"romeo","channel_type":1,"ban":1}"#).status == 200)
        let body = #"{"uid":"romeo","msg_count":1}"#
        #expect(try server.http("POST", "/conversation/sync", token: token, json: body).status == 403)
    }
}
