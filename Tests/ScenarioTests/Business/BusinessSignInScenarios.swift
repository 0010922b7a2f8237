import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// An app's way in: an account, a token that is good for both gateways, the address of the other gateway.
struct BusinessSignInScenarios {
    private func add(_ name: String, password: String, to server: TestServer) throws {
        let accounts = server.server.accounts
        _ = try accounts.wait {
            accounts.addUser(UserName(name)!, displayName: "Romeo M.", password: password, then: $0)
        }
    }

    @Test(
        "a password gives a token for the HTTP API and the connection alike",
        arguments: ["user/login", "user/usernamelogin"])
    func signIn(path: String) throws {
        let server = try TestServer()
        try self.add("romeo", password: "wherefore art thou", to: server)
        let answer = try server.http(
            "POST", "/v1/\(path)", json: #"{"username":"romeo","password":"wherefore art thou","flag":1}"#)
        #expect(answer.status == 200 && answer.json["uid"]?.string == "romeo")
        #expect(answer.json["name"]?.string == "Romeo M." && answer.json["setting"]?["voice_on"]?.integer == 1)
        let token = try #require(answer.json["token"]?.string)
        let client = try server.socket()
        try client.signIn("romeo", token: token, .web)
        let own = try server.http("GET", "/v1/user/current", token: token)
        #expect(own.status == 200 && own.json["uid"]?.string == "romeo" && own.json["online"]?.integer == 1)
        let address = try server.http("GET", "/v1/users/romeo/im", token: token)
        #expect(address.json["tcp_addr"]?.string == "127.0.0.1:\(server.port)")
        #expect(try server.http("GET", "/v1/users/juliet/im", token: token).status == 400)
    }

    @Test(
        "who is wrong is told so with a 400, for a 401 would end a session",
        arguments: [
            #"{"username":"romeo","password":"something else","flag":0}"#,
            #"{"username":"nobody","password":"wherefore art thou","flag":0}"#,
            #"{"username":"romeo","password":"wherefore art thou","flag":7}"#, #"{"username":"romeo"}"#,
            #"{"username":"ro@meo","password":"wherefore art thou"}"#, "[]",
        ])
    func wrong(body: String) throws {
        let server = try TestServer()
        try self.add("romeo", password: "wherefore art thou", to: server)
        let answer = try server.http("POST", "/v1/user/login", json: body)
        #expect(answer.status == 400 && answer.json["msg"]?.string?.isEmpty == false)
    }

    @Test("nobody registers unless the operator lets them")
    func registration() throws {
        let body = #"{"username":"juliet","password":"what is in a name","name":"Juliet","flag":0}"#
        let closed = try TestServer()
        let refused = try closed.http("POST", "/v1/user/usernameregister", json: body)
        #expect(refused.status == 400 && refused.json["msg"]?.string?.contains("operator") == true)
        #expect(try closed.http("GET", "/v1/common/appconfig").json["register_off"]?.integer == 1)

        let open = try TestServer { $0.business.registrationIsOpen = true }
        #expect(try open.http("GET", "/v1/common/appconfig").json["register_off"]?.integer == 0)
        let made = try open.http("POST", "/v1/user/usernameregister", json: body)
        #expect(made.status == 200 && made.json["name"]?.string == "Juliet")
        let token = try #require(made.json["token"]?.string)
        #expect(try open.http("GET", "/v1/users/juliet", token: token).status == 200)
        #expect(try open.http("POST", "/v1/user/register", json: body).status == 400)
        let short = #"{"username":"tybalt","password":"short"}"#
        #expect(try open.http("POST", "/v1/user/usernameregister", json: short).status == 400)
    }

    @Test("a token that is nobody's, and one that several people were given, are refused with 401")
    func tokens() throws {
        let server = try TestServer()
        _ = try server.manage("/user/token", #"{"uid":"romeo","token":"shared","device_flag":0}"#)
        #expect(try server.http("GET", "/v1/user/current", token: "shared").status == 200)
        _ = try server.manage("/user/token", #"{"uid":"juliet","token":"shared","device_flag":0}"#)
        let other = try TestServer()
        _ = try other.manage("/user/token", #"{"uid":"romeo","token":"shared","device_flag":0}"#)
        _ = try other.manage("/user/token", #"{"uid":"juliet","token":"shared","device_flag":0}"#)
        let shared = try other.http("GET", "/v1/user/current", token: "shared")
        #expect(shared.status == 401 && shared.json["msg"]?.string?.contains("several people") == true)
        #expect(try server.http("GET", "/v1/user/current", token: "nobody's").status == 401)
    }

    @Test("a phone ends the sessions on computers")
    func computers() throws {
        let server = try TestServer()
        let phone = try App(server, "romeo")
        let computer = try phone.other(.desktop)
        let client = try computer.connect()
        try phone.does("POST", "user/pc/quit")
        _ = try client.waitForEnd()
        #expect(try computer.ask("GET", "user/current").status == 401)
        #expect(try phone.ask("GET", "user/current").status == 200)
    }

    @Test("what apps ask at their start is answered; what does not exist here says so")
    func start() throws {
        let server = try TestServer()
        let app = try App(server, "romeo")
        #expect(try server.http("GET", "/v1/common/appmodule").json == .array([]))
        #expect(try app.does("POST", "robot/sync", "[]") == .array([]))
        #expect(try app.does("GET", "message/prohibit_words/sync?version=0") == .array([]))
        #expect(try app.does("GET", "message/sync/sensitivewords?version=0")["list"]?.array == [])
        #expect(try server.http("GET", "/v1/common/appconfig").json["revoke_second"]?.integer == 120)
        for (path, word) in [("user/device_token", "pushed"), ("nothing", "business.md")] {
            let answer = try app.ask("POST", path, "{}")
            #expect(answer.status == 404 && answer.json["msg"]?.string?.contains(word) == true)
        }
    }
}
