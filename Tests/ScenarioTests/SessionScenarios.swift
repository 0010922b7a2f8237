import Broker
import ChatModel
import Execution
import Server
import Store
import TeahouseTesting
import Testing
import Transport

/// Sessions beside each other, sessions that end, servers beside each other.
struct SessionScenarios {
    @Test("a primary device ends the older session of its class with reason 12; other classes stay")
    func takeover() throws {
        let server = try TestServer()
        let old = try server.connect("romeo", .desktop, level: .primary, device: "a")
        let phone = try server.connect("romeo", .app, level: .primary, device: "b")
        let new = try server.connect("romeo", .desktop, level: .primary, device: "c")
        let last = try old.waitForEnd().last
        #expect(last?["method"]?.string == "disconnect" && last?["id"] == nil)
        #expect(last?["params"]?["reasonCode"]?.integer == 12)
        try phone.settle()
        try new.settle()
    }

    @Test("the same device again ends its older session silently; a secondary device ends nobody's")
    func sameDevice() throws {
        let server = try TestServer()
        let first = try server.connect("romeo", .desktop, device: "a")
        let second = try server.connect("romeo", .desktop, device: "b")
        try first.settle()
        let again = try server.connect("romeo", .desktop, device: "a")
        #expect(try first.waitForEnd().isEmpty)
        try second.settle()
        try again.settle()
    }

    @Test("an operator's kick is told with its reason and ends the session")
    func kick() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let ended = ConditionLock(-1)
        server.server.broker.end(
            allOf: try server.id("romeo"), deviceClass: nil, reason: .kickedByOperator("maintenance")
        ) { count in ended.change { $0 = count } }
        let last = try romeo.waitForEnd().last
        #expect(last?["params"]?["reasonCode"]?.integer == 12)
        #expect(last?["params"]?["reason"]?.string == "maintenance")
        #expect(ended.wait(until: { $0 >= 0 }, then: { $0 }) == 1)
    }

    @Test("one session more than allowed ends the oldest")
    func tooManySessions() throws {
        let server = try TestServer { $0.broker.sessionsPerUser = 2 }
        let first = try server.connect("romeo", .desktop, device: "a")
        let second = try server.connect("romeo", .desktop, device: "b")
        let third = try server.connect("romeo", .desktop, device: "c")
        #expect(try first.waitForEnd().last?["method"]?.string == "disconnect")
        try second.settle()
        try third.settle()
    }

    @Test("somebody who does not read holds up nobody, and gets everything when they read again")
    func slowConsumer() throws {
        let server = try TestServer {
            $0.transportLimits.outboxBytes = .init(name: "outbox", unit: "bytes", maximum: 65_536)
            $0.transportLimits.outboxLowWaterBytes = 16_384
            $0.transportLimits.outboxCeilingBytes = 1 << 20
            // How long the others take is up to the machine: nobody is ended for it here.
            $0.transportLimits.stallSeconds = 3600
            $0.wuKong.idleSeconds = 3600
        }
        try server.group("tea", ["romeo", "juliet", "sloth"])
        let sloth = try server.connect("sloth")
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let body = String(repeating: "x", count: 8000)
        // Far more than the socket buffers of both sides hold.
        let count = 2000
        for number in 0..<count { try romeo.publish("\(number) \(body)", to: "tea", group: true) }
        for number in 0..<count { #expect(try juliet.receive().sequence == Int64(number + 1)) }
        let got = try (0..<count).map { _ in try sloth.receive().sequence }
        #expect(got == (1...Int64(count)).map { $0 })
    }

    private func measures(_ server: TestServer) throws -> [String: SessionMeasure] {
        let answer = ConditionLock<[String: SessionMeasure]?>(nil)
        let broker = server.server.broker
        broker.sessions(of: nil) { sessions in
            broker.measure(sessions.map(\.id)) { found in
                var named: [String: SessionMeasure] = [:]
                for session in sessions { named[session.userName.text] = found[session.id] }
                answer.change { $0 = named }
            }
        }
        return answer.wait(until: { $0 != nil }, then: { $0 }) ?? [:]
    }

    @Test("a session says when something last came from it, and what it has not acknowledged or read")
    func measures() throws {
        let server = try TestServer()
        let began = Clock.system.wallMilliseconds()
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        juliet.acknowledges = false
        for number in 1...3 { try romeo.publish("\(number)", to: "juliet") }
        let received = try juliet.receive(3)
        #expect(received == ["1", "2", "3"])
        let some = try self.measures(server)
        #expect(some.count == 2 && some["juliet"]?.unacknowledged == 3 && some["romeo"]?.unacknowledged == 0)
        let active = try #require(some["juliet"]?.activeAtMilliseconds)
        // The two clocks are read one after the other.
        #expect(active >= began - 1 && active <= Clock.system.wallMilliseconds() + 1)
        #expect(some["juliet"]?.queuedBytes == 0)
    }

    /// Why a server does not start; `nil` when it does, which it should not.
    static func refusal(_ options: ServerOptions) -> ServerError? {
        do throws(ServerError) {
            try TeahouseServer(options).stop(deadlineMilliseconds: 0)
            return nil
        } catch {
            return error
        }
    }

    @Test("a second server on the same folder, or on the same port, is refused and changes nothing")
    func secondServer() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let sameFolder = ServerOptions(
            folder: server.folder.path, listeners: [ListenAddress(host: "127.0.0.1", port: 0)])
        let onFolder = Self.refusal(sameFolder)
        #expect(onFolder?.description == StoreError.alreadyRunning(server.folder.path).description)
        let other = TemporaryFolder()
        var samePort = ServerOptions(
            folder: other.path, listeners: [ListenAddress(host: "127.0.0.1", port: server.port)])
        samePort.store.ballastBytes = 0
        let onPort = Self.refusal(samePort)
        #expect(onPort?.description.contains("in use") == true)
        try romeo.settle()
        // The folder of the refused one is free again.
        samePort.transport.listeners = [ListenAddress(host: "127.0.0.1", port: 0)]
        try TeahouseServer(samePort).stop(deadlineMilliseconds: 100)
    }

    @Test("several requests in one write, and one request cut at every byte")
    func framing() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try romeo.send(raw: "{\"id\":\"a\",\"method\":\"ping\"} {\"id\":\"b\",\"method\":\"ping\"}\n{\"id\":\"c\",")
        for byte in "\"method\":\"ping\",\"params\":null}".utf8 { try romeo.send(raw: [byte]) }
        for id in ["a", "b", "c"] { #expect(try romeo.answer(to: id)["result"]?.object == []) }
    }

    @Test("a request that is wrong is answered with its id and the session goes on")
    func wrongRequests() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        #expect(try romeo.request("dance", "{}")["error"]?["code"]?.integer == -32601)
        #expect(try romeo.request("send", "{\"channelType\":1}")["error"]?["code"]?.integer == -32602)
        #expect(try romeo.request("subscribe", "{\"channelId\":\"x\",\"channelType\":2}")["error"] != nil)
        try romeo.settle()
    }

    @Test("a notification that is wrong gets no answer, and the session goes on")
    func wrongNotifications() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try romeo.send(raw: "{\"method\":\"recvack\",\"params\":{\"messageId\":[]}}{\"method\":\"dance\"}")
        try romeo.send(raw: "{\"id\":\"after\",\"method\":\"ping\"}")
        #expect(try romeo.next()?["id"]?.string == "after")
    }

    @Test("messages that were sent before the sign-in was answered are taken after it, in order")
    func eager() throws {
        let server = try TestServer()
        let token = try server.token("romeo")
        let juliet = try server.connect("juliet")
        let romeo = try server.socket()
        var text =
            "{\"id\":\"in\",\"method\":\"connect\",\"params\":{\"uid\":\"romeo\",\"token\":\"\(token)\",\"deviceFlag\":2}}"
        for number in 0..<3 {
            let parameters = TestClient.sendParameters(
                "m\(number)", to: "juliet", group: false, number: nil, header: "")
            text += "{\"id\":\"m\(number)\",\"method\":\"send\",\"params\":\(parameters)}"
        }
        try romeo.send(raw: text)
        #expect(try romeo.answer(to: "in")["result"]?["reasonCode"]?.integer == 1)
        #expect(try juliet.receive(3) == ["m0", "m1", "m2"])
    }
}
