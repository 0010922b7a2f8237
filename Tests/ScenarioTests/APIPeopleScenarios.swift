import ByteCodec
import ChatModel
import Server
import Store
import TeahouseTesting
import Testing

/// Tokens, presence, system accounts and connections over the HTTP API.
struct APIPeopleScenarios {
    @Test("a token from the business server signs a new person in, and the next one ends that session")
    func tokens() throws {
        let server = try TestServer()
        #expect(try server.manage("/user/token", #"{"uid":"romeo","token":"one","device_flag":1}"#).status == 200)
        let client = try server.socket()
        try client.signIn("romeo", token: "one", .web)
        #expect(try server.manage("/user/token", #"{"uid":"romeo","token":"one","device_flag":1}"#).status == 200)
        try client.settle()
        #expect(try server.manage("/user/token", #"{"uid":"romeo","token":"two","device_flag":1}"#).status == 200)
        #expect(try client.waitForEnd().contains { $0["method"]?.string == "disconnect" })
        #expect(try server.socket().tryToSignIn("romeo", token: "one", .web)["error"] != nil)
        try server.socket().signIn("romeo", token: "two", .web)
    }

    @Test("a primary device's token ends the class's sessions even when it is the same")
    func primary() throws {
        let server = try TestServer()
        let body = #"{"uid":"romeo","token":"one","device_flag":0,"device_level":1}"#
        #expect(try server.manage("/user/token", body).status == 200)
        let client = try server.socket()
        try client.signIn("romeo", token: "one", .app)
        #expect(try server.manage("/user/token", body).status == 200)
        #expect(try client.waitForEnd().contains { $0["method"]?.string == "disconnect" })
    }

    @Test(
        "a token that cannot be one is refused",
        arguments: [
            #"{"uid":"____system","token":"t"}"#, #"{"uid":"a","token":""}"#,
            #"{"uid":"a","token":"t","device_level":7}"#,
        ])
    func badToken(body: String) throws {
        #expect(try TestServer().manage("/user/token", body).status == 400)
    }

    @Test("device_quit ends the tokens and sessions of one class, or of all")
    func quit() throws {
        let server = try TestServer()
        let token = try server.token("romeo", .web)
        let web = try server.connect("romeo", .web, token: token)
        let app = try server.connect("romeo", .app)
        #expect(try server.manage("/user/device_quit", #"{"uid":"romeo","device_flag":1}"#).status == 200)
        #expect(try web.waitForEnd().contains { $0["method"]?.string == "disconnect" })
        #expect(try server.socket().tryToSignIn("romeo", token: token, .web)["error"] != nil)
        try app.settle()
        #expect(try server.manage("/user/device_quit", #"{"uid":"romeo","device_flag":-1}"#).status == 200)
        #expect(try app.waitForEnd().contains { $0["method"]?.string == "disconnect" })
        #expect(try server.manage("/user/device_quit", #"{"uid":"nobody","device_flag":-1}"#).status == 404)
        #expect(try server.manage("/user/device_quit", #"{"uid":"romeo","device_flag":9}"#).status == 400)
    }

    @Test("onlinestatus lists who is online, by device, and nobody else")
    func online() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo", .web)
        let more = try server.connect("romeo", .app)
        try server.add("juliet")
        let answer = try server.manage("/user/onlinestatus", #"["romeo","juliet","nobody"]"#)
        let entries = (answer.json.array ?? []).map { "\($0["uid"]?.string ?? "")-\($0["device_flag"]?.integer ?? -1)" }
        #expect(answer.status == 200 && Set(entries) == ["romeo-0", "romeo-1"])
        #expect(try server.manage("/user/onlinestatus", #"{"uids":[]}"#).status == 400)
        try romeo.settle()
        try more.settle()
    }

    @Test("a system account may write to who has blocked it, as long as it is one")
    func systemAccounts() throws {
        let server = try TestServer()
        let robot = try server.connect("robot")
        try server.add("juliet")
        let (robotID, julietID) = (try server.id("robot"), try server.id("juliet"))
        try server.write { transaction throws(StoreError) in
            try transaction.people.setListed(owner: julietID, .blocked, robotID, true)
        }
        #expect(try robot.publish("one", to: "juliet").reason == 4)
        #expect(try server.manage("/user/systemuids_add", #"{"uids":["robot"]}"#).status == 200)
        let token = try server.managerToken()
        #expect(try server.http("GET", "/user/systemuids", token: token).text == #"["robot"]"#)
        #expect(try robot.publish("two", to: "juliet").reason == 1)
        #expect(try server.manage("/user/systemuids_remove", #"{"uids":["robot"]}"#).status == 200)
        #expect(try robot.publish("three", to: "juliet").reason == 4)
        #expect(try server.http("GET", "/user/systemuids").status == 401)
        #expect(try server.manage("/user/systemuids_add", #"{"uids":["a@b"]}"#).status == 400)
    }

    @Test("connz shows who is connected; kick tells the client to stay away, remove does not")
    func connections() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo", .web)
        let juliet = try server.connect("juliet")
        let token = try server.managerToken()
        let all = try server.http("GET", "/connz", token: token).json
        #expect(all["total"]?.integer == 2)
        let own = try server.http("GET", "/connz?uid=romeo&limit=1", token: token).json
        let id = try #require(own["connections"]?.array?.first?["id"]?.integer)
        #expect(own["total"]?.integer == 1 && own["connections"]?.array?.first?["device_flag"]?.integer == 1)
        #expect(try server.manage("/conn/kick", #"{"uid":"juliet","conn_id":\#(id)}"#).status == 404)
        #expect(try server.manage("/conn/kick", #"{"uid":"romeo","conn_id":\#(id)}"#).status == 200)
        #expect(try romeo.waitForEnd().contains { $0["method"]?.string == "disconnect" })
        #expect(try server.manage("/conn/remove", #"{"uid":"juliet"}"#).status == 200)
        #expect(try !juliet.waitForEnd().contains { $0["method"]?.string == "disconnect" })
        #expect(try server.http("GET", "/connz").status == 401)
        #expect(try server.http("GET", "/connz?limit=x", token: token).status == 400)
    }

    @Test("varz counts what was sent")
    func metrics() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        try romeo.publish("hello", to: "juliet")
        let varz = try server.http("GET", "/varz", token: try server.managerToken()).json
        #expect(varz["connections"]?.integer == 1 && varz["in_msgs"]?.integer == 1)
        #expect(varz["in_bytes"]?.integer ?? 0 > 0 && varz["out_bytes"]?.integer ?? 0 > 0)
        #expect(varz["slow_clients"]?.integer == 0 && varz["pending_bytes"]?.integer != nil)
        #expect(varz["version"]?.string?.isEmpty == false && varz["limits"]?.array?.isEmpty == false)
        #expect(try server.http("GET", "/varz", token: "wrong").status == 401)
    }

    @Test("one address serves everybody, also in batches")
    func routes() throws {
        let server = try TestServer()
        let reply = try server.http("POST", "/route/batch", json: #"["romeo","juliet"]"#)
        #expect(reply.json.array?.first?["uids"]?.array?.count == 2)
        #expect(reply.json.array?.first?["tcp_addr"]?.string == "127.0.0.1:\(server.port)")
        #expect(try server.http("POST", "/route/batch", json: "{}").status == 400)
        #expect(try server.http("POST", "/route/batch", json: "[1]").status == 400)
    }
}
