import Broker
import ChatModel
import Execution
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// Conversations of an app's own server, large ones, and what reaches people through other gateways.
struct ServiceTests {
    /// A service of an app, which anybody may subscribe to.
    private func makeService(_ server: TestServer) throws -> String {
        try server.add("host")
        let host = try server.id("host")
        return try server.write { transaction throws(StoreError) in
            let id = try transaction.apps.createObject(NewObject(.service, creator: host, title: "news")).id
            return try transaction.reading.conversations.one(id)?.objectID.text ?? ""
        }
    }

    private func subscribe(_ name: String, to cid: String, _ client: LeanCloudClient) throws {
        let answer = try client.conv(.add) { body in
            body.cid = cid
            body.m = [name]
        }
        #expect(answer.op == .added, "\(answer)")
    }

    private func texts(_ cid: String, _ server: TestServer) throws -> [String] {
        let object = try #require(ObjectID(cid))
        let messages = try server.history(.object(object), seenBy: "host")
        return messages.map { String(decoding: $0.content.body, as: UTF8.self) }
    }

    @Test("anybody writes to a service, and is heard by the app alone; subscribing is no news to others")
    func service() throws {
        let server = try TestServer()
        let cid = try self.makeService(server)
        let (tom, jerry) = (try server.client("Tom"), try server.client("Jerry"))
        let spike = try server.client("Spike")
        try self.subscribe("Tom", to: cid, tom)
        try self.subscribe("Jerry", to: cid, jerry)
        #expect(try tom.pushes() == [])
        for (sender, text) in [(spike, "a question"), (tom, "another")] {
            let ack = try sender.say(text, in: cid)
            #expect(ack.code == nil && ack.uid != nil)
        }
        for client in [tom, jerry, spike] {
            try client.settleChanges()
            #expect(try client.messagesWaiting().isEmpty)
        }
        #expect(try jerry.history(cid).isEmpty)
        #expect(try tom.history(cid).map(\.data) == ["another"])
        #expect(try self.texts(cid, server) == ["a question", "another"])
        let jerryID = try server.id("Jerry")
        let unread = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.inbox.unread(of: jerryID)
        }
        #expect(unread.values.allSatisfy { $0 == 0 })
    }

    @Test("a service that was deleted takes nothing, and nobody subscribes to it")
    func deleted() throws {
        let server = try TestServer()
        let cid = try self.makeService(server)
        let (tom, jerry) = (try server.client("Tom"), try server.client("Jerry"))
        try self.subscribe("Tom", to: cid, tom)
        let object = try #require(ObjectID(cid))
        try server.write { transaction throws(StoreError) in
            guard let found = try transaction.reading.conversations.one(.object(object), seenBy: .system) else {
                return
            }
            try transaction.conversations.removeAllMembers(from: found.id, by: .application)
            try transaction.conversations.setFlags(found.flags.union(.disbanded), of: found.id)
        }
        for client in [tom, jerry] {
            #expect(try client.say("a question", in: cid).code == 4401)
            #expect(try client.rows(#"{"sys":true}"#).isEmpty)
        }
        let again = try jerry.conv(.add) { body in
            body.cid = cid
            body.m = ["Jerry"]
        }
        #expect(LeanCloudClient.error(again) == "4303 CONVERSATION_NOT_FOUND")
        #expect(try self.texts(cid, server).isEmpty)
    }

    @Test("nobody else is subscribed by somebody")
    func dragged() throws {
        let server = try TestServer()
        let cid = try self.makeService(server)
        let tom = try server.client("Tom")
        try server.add("Jerry")
        let answer = try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Jerry"]
        }
        #expect(answer.cmd == .error || answer.convMessage?.failedPids.isEmpty == false)
    }

    @Test("a conversation of 500 is made at once, and everybody hears what is said")
    func large() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let cid = try tom.start((1..<500).map { "m\($0)" })
        #expect(try tom.conv(.count) { $0.cid = cid }.convMessage?.count == 500)
        let last = try server.client("m499")
        try tom.say("all of you", in: cid)
        #expect(try last.nextMessage().msg == "all of you")
        let answer = try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["m500"]
        }
        #expect(answer.cmd == .error || answer.convMessage?.failedPids.isEmpty == false)
        #expect(try tom.conv(.count) { $0.cid = cid }.convMessage?.count == 500)
    }

    // MARK: Other doors

    private func command(_ name: String, _ client: TestClient) throws -> Received {
        while true {
            let received = try client.receive()
            if received.parameters["payload"]?["cmd"]?.string == name { return received }
        }
    }

    @Test("a WuKongIM client is told who comes, how the conversation looks, and what was read on another device")
    func wuKongIsTold() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let phone = try server.connect("Jerry")
        let cid = try tom.start(["Jerry", "Ann"])
        // It was made.
        _ = try self.command("channelUpdate", phone)
        try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        let came = try self.command("memberUpdate", phone)
        #expect(came.parameters["payload"]?["param"]?["group_no"]?.string == cid)
        try tom.conv(.update) { body in
            body.cid = cid
            var card = JsonObjectMessage()
            card.data = #"{"name":"Mice"}"#
            body.attr = card
        }
        let card = try self.command("channelUpdate", phone)
        #expect(card.parameters["payload"]?["param"]?["channel_id"]?.string == cid)
        let tablet = try server.client("Jerry")
        try tom.say(typed("hello"), in: cid)
        _ = try tablet.nextMessage()
        try tablet.read(cid)
        let cleared = try self.command("unreadClear", phone)
        #expect(cleared.parameters["payload"]?["param"]?["channel_id"]?.string == cid)
        #expect(cleared.parameters["payload"]?["param"]?["unread"]?.integer == 0)
    }

    @Test("where the operator wants it, strangers learn nothing, nobody lets themselves in, and owners stay")
    func strict() throws {
        let server = try TestServer {
            $0.leanCloud.hidesFromStrangers = true
            $0.leanCloud.joinsByInvitation = true
            $0.leanCloud.ownerStays = true
        }
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry"])
        let spike = try server.client("Spike")
        #expect(try LeanCloudClient.error(spike.conv(.count) { $0.cid = cid }) == "4303 CONVERSATION_NOT_FOUND")
        #expect(try spike.rows(#"{"objectId":"\#(cid)"}"#).isEmpty)
        let joined = try spike.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(LeanCloudClient.error(joined) == "4308 CONVERSATION_NOT_ALLOWED")
        let quit = try tom.conv(.remove) { body in
            body.cid = cid
            body.m = ["Tom"]
        }
        #expect(LeanCloudClient.error(quit) == "4324 CONVERSATION_NEED_OWNER")
        #expect(try tom.conv(.count) { $0.cid = cid }.convMessage?.count == 2)
        // Nobody has made a group there.
        let pair = try tom.start(["Jerry"]) { $0.unique = true }
        let left = try tom.conv(.remove) { body in
            body.cid = pair
            body.m = ["Tom"]
        }
        #expect(left.op == .removed)
    }

    @Test("what is changed or taken back through another door reaches a LeanCloud client as a patch")
    func recalledElsewhere() throws {
        let server = try TestServer()
        _ = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.connect("juliet")
        let sent = try juliet.publish("hi", to: "romeo")
        let message = try romeo.nextMessage()
        let (asker, cid) = (try server.id("juliet"), try #require(message.cid))
        let object = try #require(ObjectID(cid))
        try server.write { transaction throws(StoreError) in
            guard let found = try transaction.reading.conversations.one(.object(object), seenBy: asker) else { return }
            let body = Array(#"{"type":1,"content":"ho"}"#.utf8)
            try transaction.messages.edit(
                MessagePlace(found.id, sent.sequence), newBody: body, isJSONObject: true, by: Actor(asker))
        }
        let edit = try romeo.nextPatch()
        #expect(edit.mid == message.id)
        #expect(edit.data == typed("ho"))
        try server.write { transaction throws(StoreError) in
            guard let found = try transaction.reading.conversations.one(.object(object), seenBy: asker) else { return }
            _ = try transaction.messages.recall(MessagePlace(found.id, sent.sequence), by: Actor(asker))
        }
        let patch = try romeo.nextPatch()
        #expect(patch.mid == message.id)
        #expect(patch.recall == true)
        #expect(patch.data == #"{"_lctype":-127}"#)
    }

    @Test("an edit and a recall over WuKongIM's HTTP API are patches for LeanCloud clients, and the other way round")
    func patchesOverHTTP() throws {
        let server = try TestServer()
        let cid = try server.groupID("verona", ["romeo", "juliet"])
        let token = try server.token("juliet")
        let phone = try server.connect("juliet", token: token)
        let (romeo, tablet) = (try server.leanCloud("romeo"), try server.leanCloud("juliet"))
        let sent = try ["teh", "oops"].map { try phone.publish($0, to: "verona", group: true).messageID }
        let shown = try sent.map { _ in try romeo.nextMessage() }
        for _ in sent { _ = try tablet.nextMessage() }
        let place = #""channel_id":"verona","channel_type":2"#
        let edit = #"{\#(place),"message_id":"\#(sent[0])","content_edit":"{\"type\":1,\"content\":\"tea\"}"}"#
        #expect(try server.http("POST", "/v1/message/edit", token: token, json: edit).status == 200)
        for client in [romeo, tablet] {
            let patch = try client.nextPatch()
            #expect(patch.cid == cid && patch.mid == shown[0].id && patch.timestamp == shown[0].timestamp)
            #expect(patch.data == typed("tea") && patch.from == "juliet" && patch.recall != true)
        }
        let recall = "/v1/message/revoke?channel_id=verona&channel_type=2&message_id=\(sent[1])"
        #expect(try server.http("POST", recall, token: token, json: "").status == 200)
        for client in [romeo, tablet] {
            let patch = try client.nextPatch()
            #expect(patch.mid == shown[1].id && patch.recall == true && patch.data == #"{"_lctype":-127}"#)
        }
        // The other way round: the device is told to ask, and is answered in its own words.
        let own = try ["helo", "bye", "bytes"].map { try romeo.say(typed($0), in: cid) }
        #expect(try romeo.change(cid, own[0].uid, at: own[0].t) { $0.data = typed("hello") }.op == .modified)
        _ = try self.command("syncMessageExtra", phone)
        #expect(try romeo.change(cid, own[1].uid, at: own[1].t) { $0.recall = true }.op == .modified)
        _ = try self.command("messageRevoke", phone)
        #expect(try romeo.change(cid, own[2].uid, at: own[2].t) { $0.binaryMsg = [0xFF, 0x00] }.op == .modified)
        let asked = try server.http(
            "POST", "/v1/message/extra/sync", token: token, json: "{\(place),\"extra_version\":0,\"limit\":100}")
        let extras = try #require(asked.json.array)
        #expect(extras.count == 5)
        #expect(extras[2]["content_edit"]?["content"]?.string == "hello")
        #expect(extras[2]["content_edit"]?["type"]?.integer == 1 && extras[2]["revoke"]?.integer == 0)
        #expect(extras[3]["revoke"]?.integer == 1 && extras[3]["revoker"]?.string == "romeo")
        #expect(extras[3]["content_edit"] == nil)
        #expect(extras[4]["content_edit"]?["type"]?.integer == 97, "nothing that can be read there")
    }

    // MARK: Devices

    @Test("a device that a push SDK registered is whose client opened on it and wants that, until it closes")
    func installation() throws {
        let server = try TestServer { $0.store.readers = 1 }
        try server.add("Tom")
        let tom = try server.id("Tom")
        try server.write { transaction throws(StoreError) in
            var patch = InstallationPatch()
            patch.installationID = "i-1"
            _ = try transaction.apps.register(patch)
        }
        func devices() throws -> [String?] {
            // What sessions look up is found by then, and what they write then is written.
            try server.server.store.readAndWait { _ in }
            try server.write { _ in }
            return try server.server.store.readAndWait { transaction throws(StoreError) in
                try transaction.apps.installations(of: tom).map(\.installationID)
            }
        }
        func open(_ dialect: Dialect) throws -> LeanCloudClient {
            try server.leanCloud("Tom") { message in
                message.configBitmap = ConfigBitmap(rawValue: dialect.introduction.features)
                message.deviceId = "i-1"
            }
        }
        let swift = try open(.swift)
        #expect(try devices() == [])
        swift.drop()
        let java = try open(.java)
        #expect(try devices() == ["i-1"])
        _ = try java.request(.session, .close) { $0.sessionMessage = SessionCommand() }
        #expect(try devices() == [])
    }

    // MARK: Rooms

    @Test("when a room runs low, what is least urgent is refused first")
    func priorities() throws {
        let clock = ManualClock()
        let server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
            $0.broker.perConversation = RateLimit(perSecond: 1, burst: 10)
        }
        let tom = try server.client("Tom")
        let cid = try tom.start(["Tom"]) { $0.transient = true }
        // By the first one it is known to be a room.
        #expect(try tom.say("first", in: cid, priority: 1).code == nil)
        func passing(_ priority: Int32) throws -> Int {
            var count = 0
            while try tom.say("again", in: cid, priority: priority).code == nil { count += 1 }
            return count
        }
        // Of the burst of 10 six tenths are left to what is more urgent than the low ones, two tenths to the high ones.
        #expect(try [passing(3), passing(2), passing(1)] == [3, 4, 2])
        clock.advance(milliseconds: 1_000)
        #expect(try tom.say("low", in: cid, priority: 3).code != nil)
        #expect(try tom.say("high", in: cid, priority: 1).code == nil)
        tom.drop()
        server.stop()
    }
}
