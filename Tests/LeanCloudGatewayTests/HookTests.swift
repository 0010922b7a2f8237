import ByteCodec
import ChatModel
import Execution
import HTTPClient
import Hooks
import LeanCloudWire
import Server
import Store
import TeahouseTesting
import Testing

/// An app's cloud functions are asked before a client changes a conversation.
@Suite("LeanCloud's hooks of conversations")
struct HookTests {
    private static func server(
        _ receiver: HTTPReceiver, _ change: @escaping (inout LeanCloudHookOptions) -> Void = { _ in },
        _ configure: @escaping (inout ServerOptions) -> Void = { _ in }
    ) throws -> TestServer {
        var hooks = try LeanCloudHookOptions(base: "http://127.0.0.1:\(receiver.port)")
        change(&hooks)
        return try TestServer { options in
            configure(&options)
            options.leanCloudHooks = hooks
        }
    }

    private static func parameters(_ request: ReceivedRequest) -> JSONValue {
        (try? JSONValue(parsing: request.body)) ?? .null
    }

    private static func function(_ request: ReceivedRequest) -> String {
        String(request.target.split(separator: "/").last ?? "")
    }

    private static func asked(_ receiver: HTTPReceiver, _ function: String, _ count: Int = 1) throws -> [JSONValue] {
        let requests = try #require(
            receiver.wait { $0.filter { Self.function($0) == function }.count >= count })
        return requests.filter { Self.function($0) == function }.map(Self.parameters)
    }

    private static func expectRefused(_ answer: GenericCommand) {
        #expect(LeanCloudClient.error(answer) == "4305 CONVERSATION_REJECTED_BY_APP")
        #expect(answer.errorMessage?.appCode == 7 && answer.errorMessage?.appMsg == "no")
    }

    private static func card(_ text: String) -> JsonObjectMessage {
        var message = JsonObjectMessage()
        message.data = text
        return message
    }

    private static let refusal = #"{"result":{"reject":true,"code":7,"detail":"no"}}"#

    @Test("a function may refuse that a conversation is made, changed, or that somebody comes or is sent away")
    func refused() throws {
        let refused = Lock<Set<String>>(["_conversationStart"])
        let receiver = HTTPReceiver { request in
            refused.withLock { $0.contains(Self.function(request)) } ? .body(Self.refusal) : .body(#"{"result":{}}"#)
        }
        let server = try Self.server(receiver)
        let tom = try server.client("Tom")
        Self.expectRefused(
            try tom.conv(.start) { body in
                body.m = ["Jerry", "Spike"]
                body.attr = Self.card(#"{"name":"talk"}"#)
            })
        let started = try #require(try Self.asked(receiver, "_conversationStart").first)
        #expect(started["initBy"]?.string == "Tom" && started["attr"]?["name"]?.string == "talk")
        // Tom did not name himself.
        #expect(started["members"]?.array?.map(\.string) == ["Tom", "Jerry", "Spike"])
        refused.withLock { $0 = [] }
        let cid = try tom.start(["Jerry", "Spike"])
        #expect(try Self.asked(receiver, "_conversationStarted").first?["convId"]?.string == cid)
        refused.withLock { $0 = ["_conversationAdd", "_conversationRemove", "_conversationUpdate"] }
        func named(_ name: String) -> (inout ConvCommand) -> Void {
            { body in
                body.cid = cid
                body.m = [name]
            }
        }
        Self.expectRefused(try tom.conv(.add, named("Ann")))
        Self.expectRefused(try tom.conv(.remove, named("Jerry")))
        Self.expectRefused(try tom.conv(.mute) { $0.cid = cid })
        let added = try #require(try Self.asked(receiver, "_conversationAdd").first)
        #expect(added["convId"]?.string == cid && added["members"]?.array?.map(\.string) == ["Ann"])
        #expect(try Self.asked(receiver, "_conversationUpdate").first?["mute"]?.boolean == true)
        // Who goes alone is not held up.
        let spike = try server.client("Spike")
        #expect(try spike.conv(.remove, named("Spike")).op == .removed)
        #expect(try Self.asked(receiver, "_conversationRemove").count == 1)
    }

    @Test("a function may change what a card is set to and whether somebody wants alerts")
    func changed() throws {
        let receiver = HTTPReceiver { request in
            guard Self.function(request) == "_conversationUpdate" else { return .body(#"{"result":{}}"#) }
            let isMute = Self.parameters(request)["mute"] != nil
            return .body(isMute ? #"{"result":{"mute":false}}"# : #"{"result":{"attr":{"name":"quiet"}}}"#)
        }
        let server = try Self.server(receiver)
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry", "Spike"])
        let answer = try tom.conv(.update) { body in
            body.cid = cid
            body.attr = Self.card(#"{"name":"loud"}"#)
        }
        #expect(answer.op == .updated)
        #expect(try tom.conv(.mute) { $0.cid = cid }.op == .updated)
        let row = try #require(try tom.rows(#"{"objectId":"\#(cid)"}"#).first)
        #expect(row["name"]?.string == "quiet" && row["mu"]?.array?.isEmpty != false)
    }

    @Test("a function may refuse an edit; it is told the id that apps know the message by, and from where it came")
    func edits() throws {
        let receiver = HTTPReceiver { request in
            Self.function(request) == "_messageUpdate"
                ? .body(#"{"result":{"drop":true,"code":9,"detail":"late"}}"#) : .body(#"{"result":{}}"#)
        }
        let server = try Self.server(receiver)
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry", "Spike"])
        let ack = try tom.say(typed("hello"), in: cid)
        let answer = try tom.change(cid, ack.uid, at: ack.t) { $0.data = typed("good bye") }
        #expect(LeanCloudClient.error(answer) == "4405 MESSAGE_UPDATE_REJECTED_BY_APP")
        #expect(answer.errorMessage?.appCode == 9 && answer.errorMessage?.appMsg == "late")
        let update = try #require(try Self.asked(receiver, "_messageUpdate").first)
        #expect(update["msgId"]?.string == ack.uid && ack.uid?.count == 22)
        #expect(update["sourceIP"]?.string == "127.0.0.1" && update["recall"]?.boolean == false)
        let received = try #require(try Self.asked(receiver, "_messageReceived").first)
        #expect(received["sourceIP"]?.string == "127.0.0.1")
        let sent = try #require(try Self.asked(receiver, "_messageSent").first)
        #expect(sent["msgId"]?.string == ack.uid && sent["sourceIP"]?.string == "127.0.0.1")
        #expect(try tom.history(cid).map(\.data) == [typed("hello")])
    }

    @Test("how somebody came and went is told: by themselves, with the link, for another device of the tag")
    func presence() throws {
        let receiver = HTTPReceiver { _ in .body(#"{"result":{}}"#) }
        let server = try Self.server(receiver) { hooks in
            hooks.addresses = hooks.addresses.filter { $0.key.hasPrefix("_client") }
        }
        let first = try TagTests.tom(server, TagTests.device("phone-1"))
        let came = try #require(try Self.asked(receiver, "_clientOnline").first)
        #expect(came["peerId"]?.string == "Tom" && came["reconnect"]?.integer == 0)
        #expect(came["tag"] != .null && came["sourceIP"]?.string == "127.0.0.1")
        let second = try TagTests.tom(server, TagTests.device("phone-2"))
        TagTests.expectConflict(try first.wait(.session, .closed))
        let lost = try #require(try Self.asked(receiver, "_clientOffline", 1).last)
        #expect(lost["closeCode"]?.integer == 3 && lost["sourceIP"]?.string == "127.0.0.1")
        second.drop()
        let broken = try #require(try Self.asked(receiver, "_clientOffline", 2).last)
        #expect(broken["closeCode"]?.integer == 2 && broken["sourceIP"] == nil)
        let back = try server.leanCloudSocket()
        try back.open("Tom") { message in
            message.st = second.sessionToken
            message.r = true
        }
        let again = try #require(try Self.asked(receiver, "_clientOnline", 3).last)
        #expect(again["reconnect"]?.integer == 1)
        #expect(try back.request(.session, .close) { $0.sessionMessage = SessionCommand() }.op == .closed)
        let left = try #require(try Self.asked(receiver, "_clientOffline", 3).last)
        #expect(left["closeCode"]?.integer == 1 && left["sourceIP"]?.string == "127.0.0.1")
    }

    @Test("who goes alone is told of too; of a message for all nobody is named; temporary ids are those of clients")
    func told() throws {
        let receiver = HTTPReceiver { _ in .body(#"{"result":{}}"#) }
        let server = try Self.server(receiver)
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry", "Spike"])
        try tom.say(typed("one"), in: cid) { $0.mentionPids = ["Jerry"] }
        try tom.say(typed("all"), in: cid) { $0.mentionAll = true }
        let away = try Self.asked(receiver, "_receiversOffline", 2)
        #expect(away[0]["mentionOfflinePeers"]?.array?.map(\.string) == ["Jerry"])
        #expect(away[0]["mentionAll"]?.boolean == false)
        #expect(away[1]["mentionOfflinePeers"] == .array([]) && away[1]["mentionAll"]?.boolean == true)
        let spike = try server.client("Spike")
        let quit = try spike.conv(.remove) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(quit.op == .removed)
        let gone = try #require(try Self.asked(receiver, "_conversationRemoved").first)
        #expect(gone["convId"]?.string == cid && gone["initBy"]?.string == "Spike")
        #expect(gone["members"]?.array?.map(\.string) == ["Spike"])
        let temporary = try tom.start(["Jerry"]) { $0.tempConv = true }
        #expect(try Self.asked(receiver, "_conversationStarted", 2).last?["convId"]?.string == temporary)
    }

    @Test("of receivers who are away those are named whom the message alerts")
    func alerts() throws {
        let receiver = HTTPReceiver { _ in .body(#"{"result":{}}"#) }
        let server = try Self.server(receiver)
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry", "Spike", "Butch"])
        try tom.say(typed("all are told of"), in: cid)
        _ = try Self.asked(receiver, "_receiversOffline")
        try server.write { store throws(StoreError) in
            for (name, alerts) in [("Jerry", TeamAlerts.managers), ("Spike", TeamAlerts.none)] {
                let user = try store.reading.people.user(named: UserName(name)!)!.id
                let id = try store.reading.inbox.recent(of: user, limit: 1)[0].conversation.id
                var patch = PreferencePatch()
                patch.alerts = alerts
                try store.inbox.setPreference(user, in: id, patch)
            }
        }
        try tom.say(typed("of the owner"), in: cid)
        let butch = try server.client("Butch")
        try butch.say(typed("of a member"), in: cid)
        try tom.say(typed("again"), in: cid)
        let away = try Self.asked(receiver, "_receiversOffline", 3)
        #expect(away[0]["offlinePeers"]?.array?.count == 3)
        #expect(Set(away[1]["offlinePeers"]?.array?.compactMap(\.string) ?? []) == ["Jerry", "Butch"])
        // Of Butch's nobody who is away wants an alert: it is not told at all.
        #expect(away[2]["offlinePeers"]?.array?.compactMap(\.string) == ["Jerry"])
    }

    @Test(
        "a function that the app does not have is looked for every three minutes, and holds up no other one",
        arguments: LeanCloudHookOptions.FailurePolicy.allCases)
    func absent(_ policy: LeanCloudHookOptions.FailurePolicy) throws {
        let receiver = HTTPReceiver { request in
            Self.function(request) == "_conversationAdd" ? .status(404) : .body(#"{"result":{"reject":true}}"#)
        }
        let clock = ManualClock()
        let server = try Self.server(receiver) { hooks in
            hooks.addresses = hooks.addresses.filter { ["_conversationAdd", "_conversationUpdate"].contains($0.key) }
            hooks.onFailure = policy
        } _: { options in
            options.clock = clock.clock
        }
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry", "Spike"])
        let add = { (number: Int) throws in try tom.add("guest\(number)", to: cid) }
        guard policy == .ignore else {
            // A wrong address lets nothing through.
            #expect(try LeanCloudClient.error(add(0)) == "4305 CONVERSATION_REJECTED_BY_APP")
            return
        }
        for number in 1...7 { #expect(try add(number).op == .added) }
        #expect(try Self.asked(receiver, "_conversationAdd").count == 1)
        #expect(try LeanCloudClient.error(tom.conv(.mute) { $0.cid = cid }) == "4305 CONVERSATION_REJECTED_BY_APP")
        for _ in 1...3 {
            // Nobody is idle for long.
            clock.advance(milliseconds: 60_000)
            try tom.settle()
        }
        #expect(try add(8).op == .added)
        #expect(try Self.asked(receiver, "_conversationAdd", 2).count == 2)
    }

    @Test("after five failures in a row nobody is asked for 30 seconds, then again")
    func breaker() throws {
        let isWell = Lock(false)
        let receiver = HTTPReceiver { _ in isWell.withLock { $0 } ? .body(#"{"result":{}}"#) : .status(500) }
        let clock = ManualClock()
        let server = try Self.server(receiver) { hooks in
            hooks.addresses = hooks.addresses.filter { $0.key == "_conversationAdd" }
        } _: { options in
            options.clock = clock.clock
        }
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry", "Spike"])
        let add = { (number: Int) throws in try tom.add("guest\(number)", to: cid) }
        for number in 1...7 { #expect(try add(number).op == .added) }
        #expect(receiver.requests.count == 5)
        isWell.withLock { $0 = true }
        clock.advance(milliseconds: 30_000)
        #expect(try add(8).op == .added)
        #expect(receiver.requests.count == 6)
    }
}

extension LeanCloudClient {
    fileprivate func add(_ name: String, to cid: String) throws -> GenericCommand {
        try self.conv(.add) { body in
            body.cid = cid
            body.m = [name]
        }
    }
}
