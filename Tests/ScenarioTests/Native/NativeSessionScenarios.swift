import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// Coming in and going out by the native API.
struct NativeSessionScenarios {
    private func server(_ name: String, password: String) throws -> TestServer {
        let server = try TestServer()
        let accounts = server.server.accounts
        _ = try accounts.wait {
            accounts.addUser(UserName(name)!, displayName: "罗密欧", password: password, then: $0)
        }
        return server
    }

    @Test("who is not signed in reads what the page needs, and the description of the API")
    func welcome() throws {
        let server = try TestServer()
        let anyone = try NativeClient(server)
        let welcome = try anyone.done("GET", "/welcome")
        #expect(welcome["needsSetup"]?.boolean == true && welcome["passwordsAllowed"]?.boolean == true)
        #expect(welcome["isSecure"]?.boolean == false && welcome["languages"]?.array?.count == 2)
        let accounts = server.server.accounts
        _ = try accounts.wait {
            accounts.addUser(UserName("掌柜")!, role: .administrator, password: "一壶龙井茶配一碟花生米", then: $0)
        }
        #expect(try anyone.get("/welcome")["needsSetup"]?.boolean == false)
        let document = try anyone.done("GET", "/openapi.json")
        #expect(document["openapi"]?.string == "3.1.0" && document["paths"]?["/sessions"]?["post"] != nil)
        #expect(try anyone.refused("GET", "/session") == "signed_out")
        #expect(try anyone.refused("POST", "/welcome") == "method_not_allowed")
        #expect(try anyone.refused("GET", "/welcome?colour=red") == "unknown_field")
    }

    @Test("a name and a password give a token; devices are listed, and signed out one by one or all others at once")
    func devices() throws {
        let server = try self.server("罗密欧", password: "一壶龙井茶配一碟花生米")
        var first = try NativeClient(server)
        let body = #"{"name":"罗密欧","password":"一壶龙井茶配一碟花生米"}"#
        let made = try first.done("POST", "/sessions", body, status: 201)
        #expect(made["user"]?["name"]?.string == "罗密欧")
        first.token = try #require(made["token"]?.string)
        var second = try NativeClient(server)
        second.token = try second.done("POST", "/sessions", body, status: 201)["token"]?.string
        var third = try NativeClient(server)
        third.token = try third.done("POST", "/sessions", body, status: 201)["token"]?.string
        let devices = try #require(try first.get("/sessions")["items"]?.array)
        #expect(devices.count == 3 && devices.filter { $0["isThis"]?.boolean == true }.count == 1)
        #expect(devices.allSatisfy { $0["device"]?.string == "web" })
        let own = try #require(
            try second.get("/sessions")["items"]?.array?.first { $0["isThis"]?.boolean == true }?["id"]?.string)
        #expect(try first.ask("DELETE", "/sessions/\(own)").status == 204)
        #expect(try second.refused("GET", "/session") == "signed_out")
        #expect(try first.refused("DELETE", "/sessions/\(own)") == "no_such_session")
        #expect(try first.ask("DELETE", "/sessions").status == 204)
        #expect(try third.refused("GET", "/session") == "signed_out")
        #expect(try first.get("/session")["user"]?["name"]?.string == "罗密欧")
        #expect(try first.ask("DELETE", "/session").status == 204)
        #expect(try first.refused("GET", "/session") == "signed_out")
    }

    @Test("who shows the present password gets a new one; the other devices stay, or end with it")
    func password() throws {
        let server = try self.server("罗密欧", password: "一壶龙井茶配一碟花生米")
        var first = try NativeClient(server)
        func signIn(_ password: String) -> String { #"{"name":"罗密欧","password":"\#(password)"}"# }
        first.token = try first.done("POST", "/sessions", signIn("一壶龙井茶配一碟花生米"), status: 201)["token"]?.string
        var second = try NativeClient(server)
        second.token = try second.done("POST", "/sessions", signIn("一壶龙井茶配一碟花生米"), status: 201)["token"]?.string
        let wrong = try first.ask("PUT", "/me/password", #"{"current":"错","password":"一壶碧螺春配一碟瓜子"}"#)
        #expect(wrong.status == 403 && wrong.json["code"]?.string == "wrong_password")
        #expect(wrong.json["field"]?.string == "current")
        let weak = try first.ask("PUT", "/me/password", #"{"current":"一壶龙井茶配一碟花生米","password":"短"}"#)
        #expect(weak.status == 409 && weak.json["field"]?.string == "password")
        #expect(try first.refused("PUT", "/me/password", #"{"password":"一壶碧螺春配一碟瓜子"}"#) == "missing_field")
        let change = #"{"current":"一壶龙井茶配一碟花生米","password":"一壶碧螺春配一碟瓜子"}"#
        #expect(try NativeClient(server).refused("PUT", "/me/password", change) == "signed_out")
        try first.done("PUT", "/me/password", change, status: 204)
        #expect(
            try second.refused("POST", "/sessions", signIn("一壶龙井茶配一碟花生米")) == "wrong_credentials")
        #expect(try second.get("/session")["user"]?["name"]?.string == "罗密欧")
        try first.done(
            "PUT", "/me/password",
            #"{"current":"一壶碧螺春配一碟瓜子","password":"一壶铁观音配一碟桂花糕","endsOthers":true}"#, status: 204)
        #expect(try second.refused("GET", "/session") == "signed_out")
        #expect(try first.get("/session")["user"]?["name"]?.string == "罗密欧")
        try second.done("POST", "/sessions", signIn("一壶铁观音配一碟桂花糕"), status: 201)
    }

    @Test("a wrong password, an unknown person and a field too many are told apart, in the language asked for")
    func refusals() throws {
        let server = try self.server("罗密欧", password: "一壶龙井茶配一碟花生米")
        let anyone = try NativeClient(server)
        #expect(try anyone.refused("POST", "/sessions", #"{"name":"罗密欧","password":"错"}"#) == "wrong_credentials")
        #expect(try anyone.refused("POST", "/sessions", #"{"name":"无名","password":"错"}"#) == "wrong_credentials")
        #expect(try anyone.refused("POST", "/sessions", #"{"name":"罗密欧"}"#) == "missing_field")
        #expect(try anyone.refused("POST", "/sessions", "{") == "invalid_request")
        let extra = try anyone.ask(
            "POST", "/sessions", #"{"name":"罗密欧","password":"x","colour":"red"}"#, language: "zh-CN")
        #expect(extra.status == 400 && extra.json["code"]?.string == "unknown_field")
        #expect(extra.json["field"]?.string == "colour" && extra.json["title"]?.string == "请求中有未知的字段")
        #expect(extra.headers["content-language"] == "zh-Hans")
    }

    @Test("404 is for what the path names; what a body names and is not there, and a cursor of another list, are 409")
    func places() throws {
        let server = try TestServer()
        let romeo = try NativeClient(server, "罗密欧")
        let made = try romeo.done("POST", "/conversations", #"{"kind":"group","title":"茶","members":[]}"#, status: 201)
        let id = try #require(made["id"]?.string)
        func refusal(_ method: String, _ path: String, _ json: String = "") throws -> String {
            let code = try romeo.refused(method, path, json)
            return "\(try romeo.ask(method, path, json).status) \(code)"
        }
        #expect(try refusal("GET", "/people/nobody") == "404 no_such_user")
        #expect(try refusal("POST", "/conversations/\(id)/members", #"{"members":["无名氏"]}"#) == "409 no_such_user")
        #expect(try refusal("PUT", "/me/avatar", #"{"file":"none"}"#) == "409 no_such_file")
        #expect(try refusal("GET", "/conversations?cursor=moon") == "409 unusable_field")
        // A path with control characters has the form of every other problem.
        #expect(try refusal("GET", "/people/%07") == "400 invalid_request")
        // A body of `null` is not the same as none, and a whole number may be written with a fraction of zero.
        #expect(try refusal("PATCH", "/me", "null") == "400 invalid_request")
        try romeo.done("PATCH", "/me")
        try romeo.done("PUT", "/conversations/\(id)/read", #"{"sequence":1.0}"#)
    }

    @Test("the session tells every setting of conversations, also what the operator set")
    func configuration() throws {
        let server = try TestServer()
        let romeo = try NativeClient(server, "罗密欧")
        #expect(try romeo.done("GET", "/session")["limits"]?["textCharacters"]?.integer == 5_000)
        #expect(server.ctl("setting", "set", "max_input", "5").code == .done)
        #expect(server.ctl("setting", "set", "theme.accent", "#3a7d5c").code == .done)
        #expect(server.ctl("setting", "set", "allowed_kinds", "text,picture").code == .done)
        let session = try romeo.done("GET", "/session")
        #expect(session["configuration"]?["max_input"]?.integer == 5)
        #expect(session["configuration"]?.object?.count == SessionSetting.all.count)
        #expect(session["configuration"]?["theme.accent"]?.string == "#3a7d5c")
        #expect(session["configuration"]?["allowed_kinds"]?.array?.compactMap(\.string) == ["text", "picture"])
        #expect(session["configuration"]?["auto_play"]?.boolean == false)
        #expect(session["limits"]?["textCharacters"]?.integer == 5)
        #expect((session["time"]?.integer ?? 0) > 1_600_000_000_000)
    }
}
