import Broker
import ByteCodec
import ChatModel
import Diagnostics
import Store
import TeahouseTesting
import Testing
import WuKongWire

/// Refusals, and the words that people get for them.
struct RefusalScenarios {
    @Test("a wrong token is an error object with code 2, and the connection closes")
    func wrongToken() throws {
        let server = try TestServer()
        try server.add("romeo")
        let client = try server.socket()
        let answer = try client.tryToSignIn("romeo", token: "wrong")
        #expect(answer["error"]?["code"]?.integer == 2 && answer["result"] == nil)
        #expect(try client.waitForEnd().isEmpty)
    }

    @Test("a token of another device class, of another person, or revoked is a wrong token")
    func tokenOfAnother() throws {
        let server = try TestServer()
        let romeo = try server.token("romeo", .web)
        try server.add("juliet")
        #expect(try server.socket().tryToSignIn("romeo", token: romeo, .desktop)["error"]?["code"]?.integer == 2)
        #expect(try server.socket().tryToSignIn("juliet", token: romeo, .web)["error"]?["code"]?.integer == 2)
        let accounts = server.server.accounts
        _ = try accounts.wait { accounts.revokeTokens(of: UserName("romeo")!, then: $0) }
        #expect(try server.socket().tryToSignIn("romeo", token: romeo, .web)["error"]?["code"]?.integer == 2)
    }

    @Test("a disabled person is refused with code 19")
    func disabled() throws {
        let server = try TestServer()
        let token = try server.token("romeo")
        let accounts = server.server.accounts
        _ = try accounts.wait { accounts.setDisabled(UserName("romeo")!, true, then: $0) }
        #expect(try server.socket().tryToSignIn("romeo", token: token)["error"]?["code"]?.integer == 19)
    }

    @Test("nothing but connect is taken before the sign-in")
    func firstMessage() throws {
        let server = try TestServer()
        let client = try server.socket()
        try client.send(raw: "{\"id\":\"1\",\"method\":\"ping\",\"params\":{}}")
        #expect(try client.waitForEnd().isEmpty)
    }

    @Test("somebody who has not signed in cannot make the server hold much")
    func flood() throws {
        let server = try TestServer()
        let client = try server.socket()
        try client.send(raw: "{\"id\":\"" + String(repeating: "x", count: 20_000))
        #expect(try client.waitForEnd().isEmpty)
    }

    @Test("a blocked sender gets reason 4, and messages flow again when unblocked")
    func blocked() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let (romeoID, julietID) = (try server.id("romeo"), try server.id("juliet"))
        try server.write { transaction throws(StoreError) in
            try transaction.people.setListed(owner: julietID, .blocked, romeoID, true)
        }
        #expect(try romeo.publish("psst", to: "juliet").reason == 4)
        #expect(try juliet.publish("still possible", to: "romeo").reason == 1)
        try server.write { transaction throws(StoreError) in
            try transaction.people.setListed(owner: julietID, .blocked, romeoID, false)
        }
        #expect(try romeo.publish("hello", to: "juliet").reason == 1)
        // Her devices are told of the block as well.
        var heard = try juliet.receive()
        while heard.parameters["payload"]?["type"]?.integer == 99 { heard = try juliet.receive() }
        #expect(heard.text == "hello")
    }

    @Test("somebody who takes messages from a list only is not reached by others")
    func allowlist() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        let (romeoID, julietID) = (try server.id("romeo"), try server.id("juliet"))
        try server.write { transaction throws(StoreError) in try transaction.people.setAllowlistOnly(julietID, true) }
        #expect(try romeo.publish("hello", to: "juliet").reason == 13)
        try server.write { transaction throws(StoreError) in
            try transaction.people.setListed(owner: julietID, .allowed, romeoID, true)
        }
        #expect(try romeo.publish("hello", to: "juliet").reason == 1)
    }

    @Test("groups: strangers get 3, banned groups 19, disbanded ones 24, unknown ones 5, silenced people 25")
    func groups() throws {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connect("romeo")
        let tybalt = try server.connect("tybalt")
        #expect(try tybalt.publish("x", to: "tea", group: true).reason == 3)
        #expect(try romeo.publish("x", to: "coffee", group: true).reason == 5)
        try server.write { transaction throws(StoreError) in try transaction.conversations.setFlags([.banned], of: tea)
        }
        #expect(try romeo.publish("x", to: "tea", group: true).reason == 19)
        try server.write { transaction throws(StoreError) in
            try transaction.conversations.setFlags([.disbanded], of: tea)
        }
        #expect(try romeo.publish("x", to: "tea", group: true).reason == 24)
        try server.write { transaction throws(StoreError) in try transaction.conversations.setFlags([], of: tea) }
        let id = try server.id("romeo")
        try server.write { transaction throws(StoreError) in try transaction.people.setSendBanned(id, true) }
        #expect(try romeo.publish("x", to: "tea", group: true).reason == 25)
    }

    @Test("who was removed sends nothing and gets nothing, on a socket that was open before")
    func removed() throws {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet", "tybalt"])
        let romeo = try server.connect("romeo")
        let tybalt = try server.connect("tybalt")
        try romeo.publish("one", to: "tea", group: true)
        #expect(try tybalt.receive().text == "one")
        let id = try server.id("tybalt")
        try server.write { transaction throws(StoreError) in
            _ = try transaction.conversations.removeMembers([id], from: tea)
        }
        try romeo.publish("two", to: "tea", group: true)
        #expect(try tybalt.publish("x", to: "tea", group: true).reason == 3)
        // The app is told to synchronise, by commands; nothing that is said reaches it.
        let commands = tybalt.waiting.map { $0.parameters["payload"]?["cmd"]?.string }
        #expect(commands.allSatisfy { $0 != nil })
    }

    @Test("who sends too fast gets reason 22, others do not")
    func rate() throws {
        let server = try TestServer { $0.broker.perUser = .init(perSecond: 0.001, burst: 3) }
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let reasons = try (0..<5).map { try romeo.publish("m\($0)", to: "juliet").reason }
        #expect(reasons == [1, 1, 1, 22, 22])
        #expect(try juliet.publish("slowly", to: "romeo").reason == 1)
    }

    @Test("with the limits as they are, what an SDK sends after a reconnect is taken, and nobody else is slowed down")
    func offlineQueue() throws {
        let server = try TestServer { options in
            options.broker.perUser = BrokerLimits().perUser
            options.broker.perConversation = BrokerLimits().perConversation
        }
        try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connectBinary("romeo")
        let juliet = try server.connectBinary("juliet")
        // Source: flushSendingQueue of the JS SDK: all that had no answer, one after the other.
        let queue = try (0..<500).map { try romeo.sendPacket("m\($0)", to: "tea", type: 2, number: "n\($0)") }
        try romeo.send(raw: queue.flatMap { send in romeo.bytes { $0.send(send, version: .latest) } })
        #expect(try juliet.publish("meanwhile", to: "tea", type: 2).reason == 1)
        let reasons = try queue.map { try romeo.acknowledgement(of: $0.clientSequence).reason }
        #expect(reasons.allSatisfy { $0 == 1 })
    }

    @Test("a request that cannot be read is answered all the same, and the connection goes on")
    func unreadable() throws {
        let server = try TestServer { $0.wuKong.frameBytes = 4096 }
        let client = try server.connect("romeo")
        try server.add("juliet")
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        for (id, params) in [
            ("double", #"{"channelId":"juliet","channelId":"nurse","channelType":1,"payload":"aGk="}"#),
            ("payload", #"{"channelId":"juliet","channelType":1,"payload":{"type":1,"type":99}}"#),
            ("deep", #"{"channelId":"juliet","channelType":1,"payload":\#(deep)}"#),
        ] {
            try client.send(raw: #"{"id":"\#(id)","method":"send","params":\#(params)}"#)
            #expect(try client.answer(to: id)["error"]?["code"]?.integer == -32700, "\(id)")
        }
        #expect(try client.publish("tea", to: "juliet").reason == 1)
    }

    @Test("a message that is longer than may be sent gets its answer, so that no SDK sends it for ever")
    func tooLong() throws {
        let server = try TestServer { options in
            options.wuKong.frameBytes = 64 * 1024
            options.transportLimits.messageBytes = Limit(name: "message_bytes", unit: "bytes", maximum: 64 * 1024)
        }
        try server.add("juliet")
        let long = String(repeating: "x", count: 100_000)
        let phone = try server.connectBinary("romeo")
        #expect(try phone.publish(try phone.sendPacket(long, to: "juliet")).reason == 11)
        #expect(try phone.publish("tea", to: "juliet").reason == 1, "the stream goes on behind it")
        let page = try server.connectBinary("romeo", .web, over: .webSocket)
        #expect(try page.publish(try page.sendPacket(long, to: "juliet")).reason == 11)
    }

    @Test("a business server that renews a token does not have the operator blamed for it")
    func renewed() throws {
        let server = try TestServer()
        let token = try server.token("romeo", .app, level: .primary)
        let romeo = try server.connectBinary("romeo", level: .primary, token: token)
        let body = #"{"uid":"romeo","token":"another","device_flag":0,"device_level":1}"#
        #expect(try server.manage("/user/token", body).status == 200)
        let last = try romeo.waitForEnd().last
        guard case .disconnect(let reason, let text) = last else { return #expect(Bool(false), "\(last as Any)") }
        #expect(reason == 12 && text.contains("token") && !text.contains("operator"))
    }

    @Test("a session that is refused too often is closed, without a disconnect, so that it may come back")
    func refusals() throws {
        let server = try TestServer {
            $0.broker.perUser = .init(perSecond: 0.001, burst: 1)
            $0.broker.refusalsBeforeClose = 5
        }
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        for number in 0..<6 {
            let parameters = TestClient.sendParameters("x", to: "juliet", group: false, number: nil, header: "")
            try romeo.send(raw: "{\"id\":\"m\(number)\",\"method\":\"send\",\"params\":\(parameters)}")
        }
        let values = try romeo.waitForEnd()
        #expect(!values.contains { $0["method"]?.string == "disconnect" })
        #expect(values.contains { $0["result"]?["reasonCode"]?.integer == 22 })
    }

    @Test("a body over the bound is refused, one at the bound is taken")
    func bodyBound() throws {
        let server = try TestServer { $0.broker.bodyBytes = 2048 }
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        let frame = "{\"type\":1,\"content\":\"\"}".utf8.count
        let most = String(repeating: "a", count: 2048 - frame)
        #expect(try romeo.publish(most, to: "juliet").reason == 1)
        #expect(try romeo.publish(most + "a", to: "juliet").reason == 11)
    }

    @Test("channel types that there are not get reason 23, and ids with reserved characters 16")
    func channelTypes() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let none = try romeo.request("send", "{\"channelId\":\"x\",\"channelType\":13,\"payload\":\"e30=\"}")
        #expect(none["result"]?["reasonCode"]?.integer == 23)
        let reserved = try romeo.request("send", "{\"channelId\":\"a@b\",\"channelType\":1,\"payload\":\"e30=\"}")
        #expect(reserved["result"]?["reasonCode"]?.integer == 16)
    }
}
