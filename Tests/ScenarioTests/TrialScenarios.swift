import APIKit
import AdminAPI
import ByteCodec
import ChatModel
import Server
import Store
import TeahouseTesting
import Testing

/// The trial mode: requests without a token, as WuKongIM's open demo page makes them.
struct TrialScenarios {
    private func server(
        on folder: TemporaryFolder = TemporaryFolder(), _ configure: @escaping (inout ServerOptions) -> Void = { _ in }
    ) throws -> TestServer {
        try TestServer(on: folder) { options in
            options.wuKongAPI.trial = TrialSettings()
            configure(&options)
        }
    }

    private func token(_ uid: String, _ token: String = "secret") -> String {
        #"{"uid":"\#(uid)","token":"\#(token)","device_flag":1,"device_level":0}"#
    }

    private func add(_ uid: String, to channel: String) -> String {
        #"{"channel_id":"\#(channel)","channel_type":2,"subscribers":["\#(uid)"]}"#
    }

    @Test("two people sign in, make a group, talk, and read what was said, all without the manager")
    func trial() throws {
        let server = try self.server()
        for uid in ["ming", "lan"] {
            #expect(try server.http("POST", "/user/token", json: self.token(uid)).status == 200)
            #expect(try server.http("POST", "/channel/subscriber_add", json: self.add(uid, to: "tea")).status == 200)
        }
        let ming = try server.connect("ming", .web, token: "secret")
        let lan = try server.connect("lan", .web, token: "secret")
        #expect(try ming.publish("hello", to: "tea", group: true).reason == 1)
        var heard = try lan.receive()
        // A command about the new members, which is written after the route has answered, may come first; it has no text.
        while heard.text.isEmpty { heard = try lan.receive() }
        #expect(heard.text == "hello")
        let page = #"{"login_uid":"lan","channel_id":"tea","channel_type":2,"start_message_seq":0,"limit":30}"#
        let history = try server.http("POST", "/channel/messagesync", json: page)
        #expect(history.status == 200 && history.json["messages"]?.array?.count == 1)
        let list = try server.http("POST", "/conversation/sync", json: #"{"uid":"lan","msg_count":1}"#)
        #expect(list.status == 200 && list.json.array?.count == 1)
        let clear = #"{"uid":"lan","channel_id":"tea","channel_type":2,"unread":0}"#
        #expect(try server.http("POST", "/conversations/clearUnread", json: clear).status == 200)
        let group = #"{"channel_id":"milk","channel_type":2,"subscribers":["ming","lan"]}"#
        #expect(try server.http("POST", "/channel", json: group).status == 200)
        #expect(try lan.publish("x", to: "milk", group: true).reason == 1)
        // Again, with another token: the page signs in anew.
        #expect(try server.http("POST", "/user/token", json: self.token("ming", "other")).status == 200)
    }

    @Test("without the mode nothing of it is there, and with it no more than it names")
    func off() throws {
        let server = try TestServer()
        #expect(try server.http("POST", "/user/token", json: self.token("ming")).status == 401)
        let trial = try self.server()
        for path in ["/user/device_quit", "/channel/delete", "/message/sendbatch", "/channel/blacklist_add"] {
            #expect(try trial.http("POST", path, json: #"{"uid":"ming"}"#).status == 401, "\(path)")
        }
        let send = #"{"from_uid":"ming","channel_id":"lan","channel_type":1,"payload":"e30="}"#
        #expect(try trial.http("POST", "/message/send", json: send).status == 401)
        // A wrong token is no missing one.
        #expect(try trial.http("POST", "/user/token", token: "wrong", json: self.token("ming")).status == 401)
    }

    @Test("nobody's account can be taken over, read or put into a group; the refusal says why")
    func realPeople() throws {
        let server = try self.server()
        let romeo = try server.token("romeo")
        let refused = try server.http("POST", "/user/token", json: self.token("romeo"))
        #expect(refused.status == 400)
        #expect(refused.json["msg"]?.string?.contains("not made by the trial mode") == true)
        #expect(try server.http("POST", "/channel/subscriber_add", json: self.add("romeo", to: "tea")).status == 400)
        let sync = #"{"uid":"romeo","msg_count":1}"#
        #expect(try server.http("POST", "/conversation/sync", json: sync).status == 403)
        #expect(try server.http("POST", "/conversation/sync", token: romeo, json: sync).status == 200)
        #expect(try server.http("POST", "/user/token", json: self.token("____system")).status == 400)
        _ = try server.connect("romeo", token: romeo)
    }

    @Test("a group that the trial did not make, or that holds somebody else, stays closed to it")
    func realGroups() throws {
        let server = try self.server()
        try server.group("court", ["romeo"])
        #expect(try server.http("POST", "/user/token", json: self.token("ming")).status == 200)
        #expect(try server.http("POST", "/channel/subscriber_add", json: self.add("ming", to: "court")).status == 400)
        #expect(try server.http("POST", "/channel", json: self.add("ming", to: "court")).status == 400)
        #expect(try server.http("POST", "/channel/subscriber_add", json: self.add("ming", to: "tea")).status == 200)
        #expect(try server.manage("/channel/subscriber_add", self.add("romeo", to: "tea")).status == 200)
        #expect(try server.http("POST", "/channel/subscriber_add", json: self.add("lan", to: "tea")).status == 400)
        let person = #"{"channel_id":"ming","channel_type":1,"ban":1}"#
        #expect(try server.http("POST", "/channel", json: person).status == 400)
        let community = #"{"channel_id":"town","channel_type":4,"subscribers":["ming"]}"#
        #expect(try server.http("POST", "/channel", json: community).status == 400)
    }

    @Test("a token of the manager or the operator takes a person out of the trial")
    func adopted() throws {
        let server = try self.server()
        for uid in ["ming", "lan"] {
            #expect(try server.http("POST", "/user/token", json: self.token(uid)).status == 200)
        }
        #expect(try server.manage("/user/token", self.token("ming", "real")).status == 200)
        _ = try server.token("lan")
        for uid in ["ming", "lan"] {
            #expect(try server.http("POST", "/user/token", json: self.token(uid)).status == 400)
            let sync = #"{"uid":"\#(uid)","msg_count":1}"#
            #expect(try server.http("POST", "/conversation/sync", json: sync).status == 403)
        }
        _ = try server.connect("ming", .web, token: "real")
    }

    @Test("people and groups of the trial are bounded, by name")
    func bounds() throws {
        let server = try self.server { options in
            options.wuKongAPI.trial?.maximumPeople = 2
            options.wuKongAPI.trial?.maximumChannels = 1
        }
        #expect(try server.http("POST", "/user/token", json: self.token("a")).status == 200)
        #expect(try server.http("POST", "/channel/subscriber_add", json: self.add("b", to: "tea")).status == 200)
        let third = try server.http("POST", "/user/token", json: self.token("c"))
        #expect(third.status == 400 && third.json["msg"]?.string?.contains("wukong.trial_people") == true)
        #expect(try server.http("POST", "/user/token", json: self.token("a")).status == 200)
        let second = try server.http("POST", "/channel/subscriber_add", json: self.add("a", to: "milk"))
        #expect(second.status == 400 && second.json["msg"]?.string?.contains("wukong.trial_channels") == true)
    }

    @Test("one address asks without a token at a bounded rate, loopback too")
    func rate() throws {
        let server = try self.server { $0.wuKongAPI.trial?.perAddress = .init(perSecond: 0.001, burst: 2) }
        let statuses = try (0..<3).map { _ in
            try server.http("POST", "/user/token", json: self.token("ming")).status
        }
        #expect(statuses == [200, 200, 429])
        #expect(try server.manage("/user/token", self.token("romeo")).status == 200)
    }

    @Test(
        "a request that somebody passed on is not of the trial",
        arguments: ["Forwarded", "Via", "X-Forwarded-For", "X-Real-IP", "X-Forwarded-Proto"])
    func forwarded(field: String) throws {
        let server = try self.server()
        let reply = try server.http(
            "POST", "/user/token", headers: [(field, "192.168.1.5")], body: Array(self.token("ming").utf8))
        #expect(reply.status == 401)
        #expect(reply.json["msg"]?.string?.contains("without a proxy") == true)
    }

    @Test("a configured proxy is not of the trial, whether it introduces a client or not", arguments: [true, false])
    func proxy(introduces: Bool) throws {
        let server = try self.server { $0.transport.proxies = ["127.0.0.1"] }
        let client = try server.socket()
        let body = self.token("ming")
        let introduction = introduces ? "PROXY TCP4 192.168.1.5 192.168.1.1 56324 7677\r\n" : ""
        try client.send(
            raw: introduction + "POST /user/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.everything().hasPrefix("HTTP/1.1 401"))
    }

    @Test("tokens of the trial end at the first start without it; what is real stays")
    func ended() throws {
        let folder = TemporaryFolder()
        let server = try self.server(on: folder)
        #expect(try server.http("POST", "/user/token", json: self.token("ming")).status == 200)
        let romeo = try server.token("romeo")
        server.stop()
        let later = try TestServer(on: folder)
        let ming = try later.socket()
        #expect(throws: (any Error).self) { try ming.signIn("ming", token: "secret", .web) }
        _ = try later.connect("romeo", token: romeo)
        #expect(try later.id("ming") != .system)
    }

    @Test(
        "the operator's status says that the mode is on, and not that it is when it is off", arguments: [true, false])
    func status(isOn: Bool) throws {
        let server = try isOn ? self.server() : TestServer()
        let client = try AdminClient(dataFolder: server.folder.path)
        guard case .status(let status) = try client.ask(.status) else {
            Issue.record("no status")
            return
        }
        #expect(status.troubles.contains { $0.contains("wukong.trial = false") } == isOn)
    }
}
