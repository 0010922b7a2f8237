import ByteCodec
import ChatModel
import Server
import Store
import TeahouseTesting
import Testing

/// Channels, subscribers and lists over the HTTP API.
struct APIChannelScenarios {
    private func reason(_ client: TestClient, _ channel: String = "tea") throws -> Int {
        try client.publish("x", to: channel, group: true).reason
    }

    @Test("a channel is made with its subscribers, who are added when missing, and changed later")
    func channel() throws {
        let server = try TestServer()
        let body = #"{"channel_id":"tea","channel_type":2,"subscribers":["romeo","juliet"]}"#
        #expect(try server.manage("/channel", body).status == 200)
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        #expect(try romeo.publish("hello", to: "tea", group: true).reason == 1)
        #expect(try juliet.receive().text == "hello")
        #expect(try server.manage("/channel/info", #"{"channel_id":"tea","channel_type":2,"ban":1}"#).status == 200)
        #expect(try self.reason(romeo) == 19)
        #expect(try server.manage("/channel/info", #"{"channel_id":"tea","channel_type":2,"disband":1}"#).status == 200)
        #expect(try self.reason(romeo) == 24)
        #expect(try server.manage("/channel/info", #"{"channel_id":"tea","channel_type":2}"#).status == 200)
        #expect(try self.reason(romeo) == 1)
        let reset = #"{"channel_id":"tea","channel_type":2,"reset":1,"subscribers":["juliet"]}"#
        #expect(try server.manage("/channel", reset).status == 200)
        #expect(try self.reason(romeo) == 3)
    }

    @Test(
        "a channel that cannot be is refused",
        arguments: [
            #"{"channel_id":"","channel_type":2}"#, #"{"channel_id":"a@b","channel_type":2}"#,
            #"{"channel_id":"tea","channel_type":99}"#, #"{"channel_id":"tea","channel_type":2,"ban":7}"#,
            #"{"channel_id":"tea","channel_type":2,"subscribers":["a#b"]}"#, #"{"channel_type":2}"#,
        ],
        ["/channel"])
    func badChannel(body: String, path: String) throws {
        #expect(try TestServer().manage(path, body).status == 400)
    }

    @Test("too many subscribers for a group are refused as a whole")
    func bound() throws {
        let server = try TestServer { $0.store.groupMembers = 3 }
        let four = #"{"channel_id":"tea","channel_type":2,"subscribers":["a","b","c","d"]}"#
        #expect(try server.manage("/channel", four).status == 400)
        let three = #"{"channel_id":"tea","channel_type":2,"subscribers":["a","b","c"]}"#
        #expect(try server.manage("/channel", three).status == 200)
    }

    @Test("the channel of a person is the person: ban and send_ban")
    func personChannel() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        #expect(
            try server.manage("/channel/info", #"{"channel_id":"romeo","channel_type":1,"send_ban":1}"#).status == 200)
        #expect(try romeo.publish("x", to: "juliet").reason == 25)
        #expect(try server.manage("/channel", #"{"channel_id":"romeo","channel_type":1,"ban":1}"#).status == 200)
        #expect(try romeo.waitForEnd().contains { $0["params"]?["reasonCode"]?.integer == 19 })
    }

    @Test("a channel with a send ban says so, one with a ban says that")
    func bans() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.group("tea", ["romeo"])
        for (ban, sendBan, reason) in [(0, 0, 1), (0, 1, 25), (1, 1, 19), (0, 0, 1)] {
            let info = #"{"channel_id":"tea","channel_type":2,"ban":\#(ban),"send_ban":\#(sendBan)}"#
            #expect(try server.manage("/channel/info", info).status == 200)
            #expect(try romeo.publish("x", to: "tea", group: true).reason == reason)
        }
    }

    @Test("subscribers come and go; a stranger is one no more")
    func subscribers() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let add = #"{"channel_id":"tea","channel_type":2,"subscribers":["romeo","juliet"]}"#
        #expect(try server.manage("/channel/subscriber_add", add).status == 200)
        #expect(try self.reason(romeo) == 1)
        let remove = #"{"channel_id":"tea","channel_type":2,"subscribers":["romeo","nobody"]}"#
        #expect(try server.manage("/channel/subscriber_remove", remove).status == 200)
        #expect(try self.reason(romeo) == 3)
        let only = #"{"channel_id":"tea","channel_type":2,"reset":1,"subscribers":["romeo"]}"#
        #expect(try server.manage("/channel/subscriber_add", only).status == 200)
        #expect(try self.reason(romeo) == 1)
        let all = #"{"channel_id":"tea","channel_type":2}"#
        #expect(try server.manage("/channel/subscriber_remove_all", all).status == 200)
        #expect(try self.reason(romeo) == 3)
        for path in ["/channel/subscriber_add", "/channel/subscriber_remove", "/channel/subscriber_remove_all"] {
            #expect(try server.manage(path, #"{"channel_id":"romeo","channel_type":1}"#).status == 400)
            #expect(try server.http("POST", path, token: "wrong", json: add).status == 401)
        }
    }

    @Test("a temporary subscriber hears what is said, and no longer after they were removed")
    func temporary() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo"])
        let (romeo, guest) = (try server.connect("romeo"), try server.connect("guest"))
        let body = #"{"channel_id":"tea","channel_type":2,"temp_subscriber":1,"subscribers":["guest"]}"#
        #expect(try server.manage("/channel/subscriber_add", body).status == 200)
        try romeo.publish("one", to: "tea", group: true)
        #expect(try guest.receive().text == "one")
        #expect(try server.manage("/channel/subscriber_remove", body).status == 200)
        try romeo.publish("two", to: "tea", group: true)
        try guest.settle()
        #expect(guest.waiting.isEmpty)
    }

    @Test("a deleted channel has nobody and keeps its history; made again, it goes on")
    func delete() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connect("romeo")
        try romeo.publish("one", to: "tea", group: true)
        #expect(try server.manage("/channel/delete", #"{"channel_id":"tea","channel_type":2}"#).status == 200)
        #expect(try self.reason(romeo) == 3)
        let again = #"{"channel_id":"tea","channel_type":2,"subscribers":["romeo"]}"#
        #expect(try server.manage("/channel", again).status == 200)
        #expect(try romeo.publish("two", to: "tea", group: true).sequence == 2)
        #expect(try server.manage("/channel/delete", #"{"channel_id":"nothing","channel_type":2}"#).status == 200)
        #expect(try server.manage("/channel/delete", #"{"channel_id":"romeo","channel_type":1}"#).status == 400)
    }

    @Test("the deny list of a group keeps a member from sending", arguments: ["add", "set"])
    func blacklist(change: String) throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connect("romeo")
        let body = #"{"channel_id":"tea","channel_type":2,"uids":["romeo"]}"#
        #expect(try server.manage("/channel/blacklist_\(change)", body).status == 200)
        #expect(try self.reason(romeo) == 4)
        #expect(try server.manage("/channel/blacklist_remove", body).status == 200)
        #expect(try self.reason(romeo) == 1)
        #expect(try server.manage("/channel/blacklist_add", body).status == 200)
        #expect(try server.manage("/channel/blacklist_remove_all", body).status == 200)
        #expect(try self.reason(romeo) == 1)
    }

    @Test("the allow list of a group is who may send, and can be read", arguments: ["add", "set"])
    func whitelist(change: String) throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connect("romeo")
        let body = #"{"channel_id":"tea","channel_type":2,"uids":["juliet"]}"#
        #expect(try server.manage("/channel/whitelist_\(change)", body).status == 200)
        #expect(try self.reason(romeo) == 13)
        let token = try server.managerToken()
        let list = try server.http("GET", "/channel/whitelist?channel_id=tea&channel_type=2", token: token).json
        #expect(list.array?.map { $0["uid"]?.string } == ["juliet"])
        #expect(try server.manage("/channel/whitelist_remove", body).status == 200)
        #expect(try self.reason(romeo) == 1)
        #expect(try server.manage("/channel/whitelist_add", body).status == 200)
        #expect(try server.manage("/channel/whitelist_remove_all", body).status == 200)
        #expect(try self.reason(romeo) == 1)
        #expect(try server.http("GET", "/channel/whitelist?channel_id=tea", token: token).status == 400)
        #expect(try server.http("GET", "/channel/whitelist?channel_id=tea&channel_type=2").status == 401)
    }

    @Test("a person's deny list is theirs: set replaces it")
    func personalList() throws {
        let server = try TestServer()
        let (romeo, tybalt) = (try server.connect("romeo"), try server.connect("tybalt"))
        let set = { (uid: String) in #"{"channel_id":"juliet","channel_type":1,"uids":["\#(uid)"]}"# }
        #expect(try server.manage("/channel/blacklist_add", set("romeo")).status == 200)
        #expect(try romeo.publish("x", to: "juliet").reason == 4)
        #expect(try server.manage("/channel/blacklist_set", set("tybalt")).status == 200)
        #expect(try romeo.publish("x", to: "juliet").reason == 1)
        #expect(try tybalt.publish("x", to: "juliet").reason == 4)
        #expect(
            try server.manage("/channel/blacklist_remove_all", #"{"channel_id":"juliet","channel_type":1}"#).status
                == 200)
        #expect(try tybalt.publish("x", to: "juliet").reason == 1)
    }

    @Test(
        "lists are the manager's",
        arguments: ["blacklist", "whitelist"].flatMap { list in
            ["add", "set", "remove", "remove_all"].map { "/channel/\(list)_\($0)" }
        })
    func listsAreClosed(path: String) throws {
        let server = try TestServer()
        let token = try server.token("romeo")
        let body = #"{"channel_id":"tea","channel_type":2,"uids":["romeo"]}"#
        #expect(try server.http("POST", path, token: token, json: body).status == 401)
        #expect(try server.manage(path, #"{"channel_type":2,"uids":["romeo"]}"#).status == 400)
    }
}
