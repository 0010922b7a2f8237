import Broker
import Execution
import LeanCloudWire
import TeahouseTesting
import Testing

/// Who is there, and how sessions end.
struct EndTests {
    @Test("who is online, in the order of the question; no more than 20 at a time")
    func presence() throws {
        let server = try TestServer()
        let tom = try server.leanCloud("Tom")
        let jerry = try server.leanCloud("Jerry")
        let spike = try server.connect("Spike")
        let ask: ([String]) throws -> GenericCommand = { names in
            try tom.request(.session, .query) { command in
                var message = SessionCommand()
                message.sessionPeerIds = names
                command.sessionMessage = message
            }
        }
        let answer = try ask(["Spike", "Nobody", "Jerry", "Tom"])
        #expect(answer.op == .queryResult)
        #expect(answer.sessionMessage?.onlineSessionPeerIds == ["Spike", "Jerry", "Tom"])
        _ = try jerry.request(.session, .close)
        #expect(try ask(["Jerry", "Spike"]).sessionMessage?.onlineSessionPeerIds == ["Spike"])
        #expect(try ask((0..<21).map { "p\($0)" }).cmd == .error)
        try spike.settle()
    }

    @Test("where people see only whom they know, a stranger is never online")
    func strangers() throws {
        let server = try TestServer { $0.profiles.service.visibility = .acquainted }
        _ = try server.directID("Tom", "Jerry")
        let tom = try server.leanCloud("Tom")
        let jerry = try server.leanCloud("Jerry")
        let spike = try server.leanCloud("Spike")
        func online() throws -> [String]? {
            let answer = try tom.request(.session, .query) { command in
                command.sessionMessage = SessionCommand()
                command.sessionMessage?.sessionPeerIds = ["Spike", "Tom", "Jerry"]
            }
            return answer.sessionMessage?.onlineSessionPeerIds
        }
        #expect(try online() == ["Tom", "Jerry"])
        _ = try server.directID("Tom", "Spike")
        #expect(try online() == ["Spike", "Tom", "Jerry"])
        try jerry.settle()
        try spike.settle()
    }

    @Test("who is kicked is told why; the socket closes with the last session on it")
    func kick() throws {
        let server = try TestServer()
        let client = try server.leanCloud("Tom")
        try client.open("Jerry", token: try server.token("Jerry", .app))
        let broker = server.server.broker
        broker.end(allOf: try server.id("Tom"), deviceClass: nil, reason: .kickedByOperator("maintenance"))
        let told = try client.wait(.session, .closed)
        #expect(told.peerId == "Tom")
        #expect(told.sessionMessage?.code == 4115)
        #expect(told.sessionMessage?.reason == "KICKED_BY_APP")
        #expect(told.sessionMessage?.detail == "maintenance")
        client.peer = "Jerry"
        #expect(try client.request(.session, .refresh).op == .refreshed)
        broker.end(allOf: try server.id("Jerry"), deviceClass: nil, reason: .kickedByOperator("maintenance"))
        #expect(try client.waitForEnd().last?.peerId == "Jerry")
        #expect(client.closeCode == 4115)
    }

    @Test("a revoked token ends the session with 4112, and the socket stays")
    func signedOut() throws {
        let server = try TestServer()
        let client = try server.leanCloud("Tom")
        server.server.broker.end(allOf: try server.id("Tom"), deviceClass: nil, reason: .signedOut)
        #expect(try client.wait(.session, .closed).sessionMessage?.code == 4112)
        try client.settle()
    }

    @Test("a server that stops closes with 1012, and tells the Java SDK alone before", arguments: Dialect.allCases)
    func drain(dialect: Dialect) throws {
        let server = try TestServer()
        let client = try server.client("Tom", dialect)
        server.stop()
        let told = try client.waitForEnd()
        #expect(told.map(\.cmd) == (dialect == .java ? [.goaway] : []))
        #expect(told.first?.i == nil)
        #expect(client.closeCode == 1012)
    }

    @Test("a device that has announced itself for pushes is told too, one of live queries not", arguments: [nil, 0, 1])
    func drainAnnounced(service: Int32?) throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket()
        try client.send(
            GenericCommand.with { command in
                command.cmd = .login
                command.appId = server.leanCloudAppID
                command.service = service
            })
        _ = try client.wait(.loggedin)
        server.stop()
        #expect(try client.waitForEnd().map(\.cmd) == (service == 1 ? [] : [.goaway]))
    }

    private static func timed() throws -> (server: TestServer, clock: ManualClock) {
        let clock = ManualClock()
        return (try TestServer { $0.clock = clock.clock }, clock)
    }

    @Test("who says nothing for 400 seconds is told 4107 and closed")
    func idle() throws {
        let (server, clock) = try Self.timed()
        let silent = try server.leanCloud("Tom")
        let other = try server.leanCloud("Jerry")
        clock.advance(milliseconds: 390_000)
        try other.settle()
        try other.settle()
        clock.advance(milliseconds: 20_000)
        try other.settle()
        let told = try silent.waitForEnd()
        #expect(told.last?.errorMessage?.code == 4107)
        #expect(told.last?.errorMessage?.reason == "READ_TIMEOUT")
        try other.settle()
    }

    @Test("who signs nobody in is told 4108 and closed soon, who has announced its device late")
    func signInTime() throws {
        let (server, clock) = try Self.timed()
        let other = try server.leanCloud("Jerry")
        let silent = try server.leanCloudSocket()
        try silent.settle()
        let announced = try server.leanCloudSocket()
        var login = GenericCommand()
        login.cmd = .login
        login.appId = server.leanCloudAppID
        try announced.send(login)
        _ = try announced.wait(.loggedin)
        clock.advance(milliseconds: 60_000)
        try other.settle()
        #expect(try silent.waitForEnd().last?.errorMessage?.code == 4108)
        try announced.settle()
        for _ in 0..<2 {
            clock.advance(milliseconds: 300_000)
            try other.settle()
        }
        #expect(try announced.waitForEnd().last?.errorMessage?.code == 4108)
    }
}
