import ByteCodec
import ChatModel
import CommandLineKit
import Configuration
import Diagnostics
import Localization
import Server
import Store
import TeahouseTesting
import Testing

/// What an operator sets while the server runs, and what apps and people notice of it.
struct OperatorSettingScenarios {
    private func config(_ server: TestServer, _ name: String, _ query: String) throws -> HTTPReply {
        try server.http("GET", "/api/v1/session-config?\(query)", token: try server.token(name))
    }

    @Test("a text that is too long is refused at the door, apps are told the length, and both hold after a restart")
    func maxInput() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        var juliet = try server.connect("juliet")
        #expect(try juliet.publish("123456", to: "tea", group: true).reason == 1)
        let done = server.ctl("setting", "set", "max_input", "5", "--in", "group/member")
        #expect(done.code == .done && done.output.contains("group/member"), "\(done.error)")
        #expect(try juliet.publish("123456", to: "tea", group: true).reason == 11)
        #expect(try juliet.publish("茶茶茶茶茶", to: "tea", group: true).reason == 1)
        #expect(try juliet.publish("茶茶茶茶茶茶", to: "tea", group: true).reason == 11)
        #expect(try server.connect("romeo").publish("123456", to: "tea", group: true).reason == 1)
        #expect(try juliet.publish("123456", to: "romeo").reason == 1)
        let told = try self.config(server, "juliet", "conversation=tea")
        #expect(told.status == 200 && told.json["settings"]?["max_input"]?.integer == 5, "\(told.text)")
        try server.restart()
        juliet = try server.connect("juliet")
        #expect(try juliet.publish("123456", to: "tea", group: true).reason == 11)
        #expect(server.ctl("setting", "reset", "max_input", "--in", "group/member").code == .done)
        #expect(try juliet.publish("123456", to: "tea", group: true).reason == 1)
    }

    @Test("one conversation has its own length at every door, the others theirs; only an operator sets it")
    func conversationSetting() throws {
        let server = try TestServer()
        let id = try server.group("tea", ["romeo", "juliet"])
        try server.group("wine", ["romeo", "juliet"])
        let (romeo, juliet) = (try NativeClient(server, "romeo"), try server.connect("juliet"))
        let feed = try FeedClient.ready(server, "romeo")
        let done = server.ctl("setting", "set", "max_input", "10", "--conversation", "tea")
        #expect(done.code == .done && done.output.contains("this conversation"), "\(done.error)")
        #expect(try feed.wait(for: "conversation")["conversation"]?["id"]?.string == "\(id.rawValue)")
        #expect(try juliet.publish("12345678901", to: "tea", group: true).reason == 11)
        #expect(try juliet.publish("12345678901", to: "wine", group: true).reason == 1)
        #expect(try juliet.publish("1234567890", to: "tea", group: true).reason == 1)
        let long = #"{"clientToken":"t","kind":"text","text":"12345678901"}"#
        let path = "/conversations/\(id.rawValue)"
        #expect(try romeo.refused("POST", "\(path)/messages", long) == "text_too_long")
        #expect(try romeo.get("\(path)/configuration")["configuration"]?["max_input"]?.integer == 10)
        #expect(try romeo.get("/session")["configuration"]?["max_input"]?.integer == 0)
        let told = try self.config(server, "juliet", "conversation=tea")
        #expect(told.json["settings"]?["max_input"]?.integer == 10, "\(told.text)")
        #expect(try self.config(server, "juliet", "conversation=wine").json["settings"]?["max_input"]?.integer == 0)
        let shown = server.ctl("setting", "show", "max_input")
        #expect(shown.output.contains("tea") && !shown.output.contains("wine"))
        #expect(server.ctl("setting", "list", "--about", "session").output.contains("IN CONVERSATIONS"))
        // The session configuration is read by people, and written by nobody but the operator.
        #expect(try romeo.ask("PATCH", "\(path)/configuration", #"{"max_input":9}"#).status == 405)
        #expect(try romeo.refused("PATCH", path, #"{"max_input":9}"#) == "unknown_field")
        let both = server.ctl("setting", "set", "max_input", "5", "--in", "group", "--conversation", "tea")
        #expect(both.code == .refused)
        #expect(server.ctl("setting", "set", "limits.connections", "50", "--conversation", "tea").code == .refused)
        #expect(server.ctl("setting", "reset", "max_input", "--conversation", "tea").code == .done)
        #expect(try juliet.publish("12345678901", to: "tea", group: true).reason == 1)
    }

    @Test("receipts off in one conversation record nobody there, and readers elsewhere")
    func conversationReceipts() throws {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet"])
        let wine = try server.group("wine", ["romeo", "juliet"])
        let (romeo, juliet) = (try NativeClient(server, "romeo"), try NativeClient(server, "juliet"))
        #expect(server.ctl("setting", "set", "receipts", "off", "--conversation", "tea").code == .done)
        for (id, count) in [(tea, 0), (wine, 1)] {
            let path = "/conversations/\(id.rawValue)"
            try romeo.done(
                "POST", "\(path)/messages", #"{"clientToken":"t\#(count)","kind":"text","text":"tea?"}"#, status: 201)
            try juliet.done("PUT", "\(path)/read", #"{"sequence":1}"#)
            let receipts = try romeo.get("/messages/\(id.rawValue)-1/receipts")
            #expect(receipts["read"]?.array?.count == count, "\(receipts)")
        }
    }

    @Test("a conversation that members only read takes what its owner says; apps learn why the input is gone")
    func readOnly() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let (romeo, juliet) = (try server.connect("romeo"), try server.connectBinary("juliet"))
        #expect(server.ctl("setting", "set", "input_disabled", "on", "--in", "group/member").code == .done)
        #expect(try romeo.publish("hear me", to: "tea", group: true).reason == 1)
        #expect(try juliet.publish("may I", to: "tea", type: 2).reason == 11)
        let member = try self.config(server, "juliet", "conversation=tea").json
        #expect(member["may_write"]?.boolean == false && member["reason"]?.string == "input_disabled")
        #expect(member["role"]?.string == "member" && member["settings"]?["input_disabled"]?.boolean == true)
        let owner = try self.config(server, "romeo", "conversation=tea").json
        #expect(owner["may_write"]?.boolean == true && owner["reason"]?.isNull == true)
        #expect(server.ctl("setting", "set", "input_disabled", "off", "--in", "group/member").code == .done)
        #expect(try juliet.publish("may I", to: "tea", type: 2).reason == 1)
    }

    @Test("apps read menus, placeholders and defaults for a conversation they are in, and for no other")
    func sessionConfig() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        try server.add("tybalt")
        #expect(server.ctl("setting", "set", "menu_hidden", "camera,location", "--in", "group").code == .done)
        #expect(server.ctl("setting", "set", "placeholder.zh-Hans", "说点什么").code == .done)
        let config = try self.config(server, "juliet", "conversation=tea&kind=group").json
        let settings = try #require(config["settings"])
        #expect(settings["menu_items"]?.array?.compactMap(\.string) == ["album", "file", "card", "custom"])
        #expect(settings["menu_hidden"] == nil && settings["show_name"]?.boolean == true)
        #expect(settings["placeholder"]?["zh-Hans"]?.string == "说点什么")
        #expect(settings["page_size"]?.integer == 20 && settings["time_gap"]?.integer == 300)
        #expect(settings["recording_seconds"]?.integer == 60 && settings["receipts"]?.string == "on")
        let direct = try self.config(server, "juliet", "conversation=romeo&kind=direct").json["settings"]
        #expect(direct?["show_name"]?.boolean == false && direct?["menu_items"]?.array?.count == 6)
        #expect(try self.config(server, "tybalt", "conversation=tea").status == 404)
        #expect(try self.config(server, "juliet", "conversation=moon").status == 404)
        #expect(try self.config(server, "juliet", "conversation=tea&kind=planet").status == 400)
        #expect(try self.config(server, "juliet", "kind=group").status == 400)
        #expect(try server.http("GET", "/api/v1/session-config?conversation=tea").status == 401)
        let manager = try server.http(
            "GET", "/api/v1/session-config?conversation=tea", token: try server.managerToken())
        #expect(manager.status == 403)
    }

    @Test("a policy ends the right session at the next sign-in, with the reason of a takeover, also after a restart")
    func policy() throws {
        let server = try TestServer()
        var web = try server.connect("romeo", .web, device: "w")
        var phone = try server.connect("romeo", .app, device: "p")
        let set = server.ctl("policy", "set", "pc-and-web-exclusive")
        #expect(set.code == .done && set.output.contains("*=1 desktop!web"), "\(set.error)")
        try web.settle()
        let desktop = try server.connect("romeo", .desktop, device: "d")
        let last = try web.waitForEnd().last
        #expect(last?["method"]?.string == "disconnect" && last?["params"]?["reasonCode"]?.integer == 12)
        try phone.settle()
        try desktop.settle()
        try server.restart()
        phone = try server.connect("romeo", .app, device: "p")
        let again = try server.connect("romeo", .desktop, device: "d")
        web = try server.connect("romeo", .web, device: "w")
        #expect(try again.waitForEnd().last?["params"]?["reasonCode"]?.integer == 12)
        try phone.settle()
        try web.settle()
    }

    @Test("a preview names who would be signed out and ends nobody; with --end they are")
    func preview() throws {
        let server = try TestServer()
        let first = try server.connect("romeo", .app, device: "a")
        let second = try server.connect("romeo", .app, device: "b")
        let preview = server.ctl("policy", "preview", "one-per-class", "--json").json
        #expect(preview["count"]?.integer == 1 && preview["sessions"]?.array?.first?["deviceID"]?.string == "a")
        try first.settle()
        #expect(server.ctl("policy", "set", "one-per-class", "--end", "--json").json["ended"]?.integer == 1)
        #expect(try first.waitForEnd().last?["params"]?["reasonCode"]?.integer == 12)
        try second.settle()
        let shown = server.ctl("policy", "show")
        #expect(shown.output.contains("one-per-class") && shown.isHarmless)
        #expect(server.ctl("policy", "set", "app=many").code == .usage)
    }

    @Test("a setting of the server that is live holds at once and after a restart; the file holds again after a reset")
    func server() throws {
        let log = Log(level: .warning, write: { _ in })
        let server = try TestServer { options in
            options.settings = Settings.builtIn
            options.log = log
        }
        let first = try server.connect("romeo", .app, device: "a")
        let second = try server.connect("romeo", .app, device: "b")
        #expect(server.ctl("setting", "set", "limits.sessions_per_user", "2").code == .done)
        let third = try server.connect("romeo", .app, device: "c")
        #expect(try first.waitForEnd().last?["method"]?.string == "disconnect")
        try second.settle()
        try third.settle()
        #expect(server.ctl("setting", "set", "log.level", "error").code == .done && log.level == .error)
        #expect(server.ctl("setting", "set", "limits.connections", "77").code == .done)
        func maximum() -> Int64? {
            server.ctl("setting", "limits", "--json").json["limits"]?.array?
                .first { $0["name"]?.string == "connections" }?["maximum"]?.integer
        }
        #expect(maximum() == 77)
        try server.restart()
        #expect(maximum() == 77)
        let shown = server.ctl("setting", "show", "limits.connections", "--json").json
        #expect(shown["value"]?.string == "77" && shown["origin"]?.string == "set at run time")
        #expect(server.ctl("setting", "reset", "limits.connections").code == .done)
        #expect(maximum() == 10_000)
    }

    @Test("the window for recalling closes and opens while the server runs, and apps are told")
    func rules() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let juliet = try server.connect("juliet")
        func recall() throws -> Int {
            let sent = try juliet.publish("oops", to: "tea", group: true)
            let target = "/v1/message/revoke?channel_id=tea&channel_type=2&message_id=\(sent.messageID)"
            return try server.http("POST", target, token: try server.token("juliet"), json: "{}").status
        }
        func told() throws -> Int64? {
            try server.http("GET", "/v1/common/appconfig").json["revoke_second"]?.integer
        }
        #expect(try recall() == 200 && told() == 120)
        #expect(server.ctl("setting", "set", "messages.recall_seconds_group", "0").code == .done)
        #expect(try recall() == 400 && told() == 0)
        try server.restart()
        #expect(try told() == 0)
        #expect(server.ctl("setting", "reset", "messages.recall_seconds_group").code == .done)
        #expect(try told() == 120)
    }

    @Test("what needs a restart, or is none, is refused with its reason and exit code; lists are harmless")
    func refused() throws {
        let server = try TestServer()
        let restart = server.ctl("setting", "set", "tls.enabled", "off")
        #expect(restart.code == .refused && restart.error.contains("needs a restart"))
        #expect(server.ctl("setting", "set", "limits.connections", "3").code == .refused)
        #expect(server.ctl("setting", "set", "max_input", "x").code == .refused)
        #expect(server.ctl("setting", "set", "max_input", "5", "--in", "planet").code == .usage)
        #expect(server.ctl("setting", "show", "moonlight").code == .notFound)
        try server.group("tea", ["romeo", "juliet"])
        for words in [
            ["setting", "list"], ["setting", "list", "--about", "session"], ["setting", "limits"],
            ["setting", "effective", "tea", "--user", "juliet"], ["setting", "show", "menu_items"],
        ] {
            for language in [Language.english, .chinese] {
                let run = server.ctl(words, language)
                #expect(run.code == .done && run.isHarmless && !run.output.contains("setting.about."), "\(run.error)")
                #expect(!run.output.contains("limit.advice.") && !run.output.contains("table."))
            }
        }
    }
}
