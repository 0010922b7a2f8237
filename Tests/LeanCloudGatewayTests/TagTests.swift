import LeanCloudWire
import TeahouseTesting
import Testing

/// One device at a time holds a tag of a person.
struct TagTests {
    static func device(_ name: String, tag: String = "Mobile", comesBack: Bool = false) -> (inout SessionCommand) ->
        Void
    {
        { message in
            message.tag = tag
            message.deviceId = name
            if comesBack { message.r = true }
        }
    }

    static func tom(_ server: TestServer, _ fill: (inout SessionCommand) -> Void) throws -> LeanCloudClient {
        try server.leanCloud("Tom", LeanCloudSubprotocol(.binary, .countsMissedMessages), fill)
    }

    /// What is told to a session that lost, or does not get in.
    static func expectConflict(_ command: GenericCommand, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(command.cmd == .session, sourceLocation: sourceLocation)
        #expect(command.op == .closed, sourceLocation: sourceLocation)
        #expect(command.peerId == "Tom", sourceLocation: sourceLocation)
        #expect(command.sessionMessage?.code == 4111, sourceLocation: sourceLocation)
        #expect(command.sessionMessage?.reason == "SESSION_CONFLICT", sourceLocation: sourceLocation)
    }

    @Test("who insists gets the tag; the loser is told so, and its socket stays for the others on it")
    func forced() throws {
        let server = try TestServer()
        let old = try Self.tom(server, Self.device("phone-1"))
        try old.open("Jerry", token: try server.token("Jerry", .app))
        let new = try Self.tom(server, Self.device("phone-2"))
        let told = try old.wait(.session, .closed)
        Self.expectConflict(told)
        #expect(told.i == nil)
        #expect(try old.request(.session, .refresh).peerId == "Jerry")
        #expect(try new.request(.session, .refresh).op == .refreshed)
    }

    @Test("who does not insist is refused while another device holds the tag, and let in as the same device")
    func unforced() throws {
        let server = try TestServer()
        let token = try server.token("Tom", .app)
        let holder = try Self.tom(server, Self.device("phone-1"))
        let other = try server.leanCloudSocket()
        let refusal = try other.tryToOpen("Tom", token: token, Self.device("phone-2", comesBack: true))
        Self.expectConflict(refusal)
        #expect(refusal.i == other.lastRequest)
        holder.drop()
        let same = try server.leanCloudSocket()
        try same.open("Tom", token: token, Self.device("phone-1", comesBack: true))
    }

    @Test("who was signed out by another device does not come back by itself, but may insist")
    func kickedBefore() throws {
        let server = try TestServer()
        let first = try Self.tom(server, Self.device("phone-1"))
        let second = try Self.tom(server, Self.device("phone-2"))
        _ = try first.wait(.session, .closed)
        let token = try #require(first.sessionToken)
        // As the JavaScript SDK comes back: what it is stands in its token.
        Self.expectConflict(
            try first.tryToOpen("Tom") { message in
                message.st = token
                message.r = true
            })
        try first.open("Tom", token: try server.token("Tom", .app), Self.device("phone-1"))
        Self.expectConflict(try second.wait(.session, .closed))
    }

    @Test("a client that comes back with its token alone still holds its tag")
    func tagInToken() throws {
        let server = try TestServer()
        let client = try Self.tom(server, Self.device("phone-1"))
        client.drop()
        let back = try server.leanCloudSocket()
        try back.open("Tom") { message in
            message.st = client.sessionToken
            message.r = true
        }
        _ = try Self.tom(server, Self.device("phone-2"))
        Self.expectConflict(try back.wait(.session, .closed))
    }

    @Test("any number of devices sign in without a tag, with the reserved one, or with different ones")
    func beside() throws {
        let server = try TestServer()
        let clients = [
            try server.leanCloud("Tom"), try server.leanCloud("Tom"),
            try Self.tom(server, Self.device("a", tag: "default")),
            try Self.tom(server, Self.device("b", tag: "default")),
            try Self.tom(server, Self.device("c", tag: "Mobile")),
            try Self.tom(server, Self.device("c", tag: "Web")),
        ]
        for client in clients {
            #expect(try client.request(.session, .refresh).op == .refreshed)
            #expect(client.waiting.allSatisfy { $0.op != .closed })
        }
    }

    @Test("who holds a tag is known after a restart")
    func restart() throws {
        let server = try TestServer()
        let token = try server.token("Tom", .app)
        let holder = try Self.tom(server, Self.device("phone-1"))
        try server.restart()
        let other = try server.leanCloudSocket()
        Self.expectConflict(try other.tryToOpen("Tom", token: token, Self.device("phone-2", comesBack: true)))
        let same = try server.leanCloudSocket()
        try same.open("Tom") { message in
            message.st = holder.sessionToken
            message.r = true
        }
    }

    @Test("who closes lets go of the tag; the answer has no code")
    func close() throws {
        let server = try TestServer()
        let token = try server.token("Tom", .app)
        let holder = try Self.tom(server, Self.device("phone-1"))
        let answer = try holder.request(.session, .close)
        #expect(answer.op == .closed)
        #expect(answer.sessionMessage?.code == nil)
        #expect(try OpeningTests.sessions(in: server).isEmpty)
        let other = try server.leanCloudSocket()
        try other.open("Tom", token: token, Self.device("phone-2", comesBack: true))
    }

    @Test("a device that reports its real token keeps its tag under it")
    func report() throws {
        let server = try TestServer()
        let token = try server.token("Tom", .app)
        let holder = try Self.tom(server, Self.device("made-up"))
        let answer = try holder.request(.report, .upload) { command in
            var report = ReportCommand()
            report.initiative = true
            report.type = "token"
            report.data = "real-token"
            command.reportMessage = report
        }
        #expect(answer.cmd == .report)
        #expect(answer.op == .uploaded)
        holder.drop()
        let other = try server.leanCloudSocket()
        Self.expectConflict(try other.tryToOpen("Tom", token: token, Self.device("made-up", comesBack: true)))
        let same = try server.leanCloudSocket()
        try same.open("Tom", token: token) { message in
            message.tag = "Mobile"
            message.deviceToken = "real-token"
            message.r = true
        }
    }
}
