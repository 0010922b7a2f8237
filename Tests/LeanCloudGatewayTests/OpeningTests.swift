import Accounts
import Broker
import ByteCodec
import ChatModel
import Execution
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

struct OpeningTests {
    static let subprotocols = LeanCloudSubprotocol.Format.allCases.flatMap { format in
        LeanCloudSubprotocol.Version.allCases.map { LeanCloudSubprotocol(format, $0) }
    }

    @Test("a client signs in with a device token, in every format and version", arguments: subprotocols)
    func opens(subprotocol: LeanCloudSubprotocol) throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket(subprotocol, path: "/any/path")
        let answer = try client.open("Tom", token: try server.token("Tom", .app))
        #expect(client.answeredSubprotocol == subprotocol.name)
        #expect(answer.peerId == "Tom")
        #expect(answer.service == 2)
        #expect(answer.serverTs != nil)
        #expect(answer.sessionMessage?.st?.isEmpty == false)
        #expect(answer.sessionMessage?.stTtl == 172_800)
    }

    /// The first frames of two SDKs, as they were seen on a wire.
    static let goldenFrames: [(hex: String, name: String)] = [
        (
            "080010011a20746561686f7573652d6170702d303030303030303030302d4d645958624d4d492203546f6d2801b20648220d6a732f"
                + "352e302e302d72632e37280032035765623a2461383432386436652d653361302d343938342d393633632d38646237646133"
                + "3136623063900189fdfbc89f349801bb01", "Tom"
        ),
        (
            "080010011a20746561686f7573652d6170702d303030303030303030302d4d645958624d4d492205546f6d43532801b2062d22214c"
                + "65616e436c6f75642d4353686172702d53444b2f322e332e312d6465762e31372800320250439801ab01", "TomCS"
        ),
    ]

    @Test("the first frames of the JavaScript and C# SDKs open sessions with their tags", arguments: [0, 1])
    func golden(index: Int) throws {
        let (hex, name) = Self.goldenFrames[index]
        let server = try TestServer {
            $0.appID = "teahouse-app-0000000000-MdYXbMMI"
            $0.accounts.app.signIn = .open
        }
        let client = try server.leanCloudSocket()
        try client.send(frame: .binary(try #require(Hex.decode(hex))))
        let answer = try client.wait(.session, .opened)
        #expect(answer.i == 1)
        #expect(answer.peerId == name)
        let session = try #require(try Self.sessions(in: server).first)
        #expect(session.tag?.name == (index == 0 ? "Web" : "PC"))
        #expect(session.deviceClass == (index == 0 ? .web : .desktop))
        #expect(session.protocolName == "lc.protobuf2.3")
    }

    static func sessions(in server: TestServer) throws -> [SessionDescription] {
        let found = ConditionLock<[SessionDescription]?>(nil)
        server.server.broker.sessions(of: nil) { sessions in found.change { $0 = sessions } }
        return try #require(found.wait(until: { $0 != nil }, then: { $0 }))
    }

    @Test("negative numbers and zero are numbers of requests", arguments: [Int32(-65_536), -1, 0])
    func numbers(number: Int32) throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket()
        var message = SessionCommand()
        message.s = try server.token("Tom", .app)
        var command = GenericCommand()
        command.cmd = .session
        command.op = .open
        command.appId = server.leanCloudAppID
        command.peerId = "Tom"
        command.i = number
        command.sessionMessage = message
        try client.send(command)
        #expect(try client.wait(.session, .opened).i == number)
    }

    @Test("a device may announce itself before its clients open, and is not counted as one")
    func pushLogin() throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket()
        var command = GenericCommand()
        command.cmd = .login
        command.appId = server.leanCloudAppID
        command.installationId = "a-phone"
        try client.send(command)
        let answer = try client.wait(.loggedin)
        #expect(answer.service == 0)
        #expect(answer.i == nil)
        #expect(try Self.sessions(in: server).isEmpty)
        try client.open("Tom", token: try server.token("Tom", .app))
    }

    @Test("two clients on one socket: commands without a name are from the first one that is there")
    func twoClients() throws {
        let server = try TestServer()
        let client = try server.leanCloud("Tom")
        try client.open("Jerry", token: try server.token("Jerry", .app))
        #expect(try client.request(.session, .refresh).peerId == "Tom")
        client.peer = "Jerry"
        #expect(try client.request(.session, .refresh).peerId == "Jerry")
        client.peer = "Tom"
        #expect(try client.request(.session, .close).op == .closed)
        #expect(try client.request(.session, .refresh).errorMessage?.code == 4105)
        client.peer = nil
        #expect(try client.request(.session, .refresh).peerId == "Jerry")
    }

    @Test("the same client once more on the same socket is the same session")
    func twice() throws {
        let server = try TestServer()
        let client = try server.leanCloud("Tom")
        let token = try server.token("Tom", .app)
        let again = try client.open("Tom", token: token)
        #expect(again.sessionMessage?.st != nil)
        #expect(try Self.sessions(in: server).count == 1)
    }

    @Test("who has no name gets one, where everybody is believed")
    func anonymous() throws {
        let server = try TestServer { $0.accounts.app.signIn = .open }
        let client = try server.leanCloudSocket()
        let name = try #require(try client.tryToOpen(nil).peerId)
        #expect(name.utf8.count == 32)
        #expect(try client.request(.session, .refresh).peerId == name)
    }

    // MARK: Refusals

    @Test("one client more than a connection may have is told 4113, and the others stay")
    func crowd() throws {
        let server = try TestServer {
            $0.accounts.app.signIn = .open
            $0.leanCloud.clientsPerConnection = 2
        }
        let client = try server.leanCloudSocket()
        for name in ["Tom", "Jerry"] { try client.open(name) }
        let refusal = try client.tryToOpen("Spike")
        #expect(refusal.errorMessage?.code == 4113)
        #expect(refusal.errorMessage?.reason == "APP_QUOTA_EXCEEDED")
        client.peer = "Jerry"
        #expect(try client.request(.session, .refresh).peerId == "Jerry")
    }

    @Test(
        "what is not served is told so with 4114, and the session goes on",
        arguments: [CommandType.data, .room, .presence, .pubsub, .logout, .unread, .rcp, .goaway])
    func notServed(cmd: CommandType) throws {
        let server = try TestServer()
        let tom = try server.leanCloud("Tom")
        let answer = try tom.request(cmd)
        #expect(answer.cmd == .error && answer.i == tom.lastRequest && answer.peerId == "Tom")
        #expect(answer.errorMessage?.code == 4114)
        #expect(answer.errorMessage?.reason == "UNPARSEABLE_RAW_MESSAGE")
        #expect(try tom.request(.session, .refresh).op == .refreshed)
    }

    @Test("client ids have 1 to 64 characters")
    func names() throws {
        let server = try TestServer { $0.accounts.app.signIn = .open }
        let client = try server.leanCloudSocket()
        let refusal = try client.tryToOpen(String(repeating: "茶", count: 65))
        #expect(refusal.errorMessage?.code == 4103)
        #expect(refusal.errorMessage?.reason == "INVALID_LOGIN")
        try client.open(String(repeating: "茶", count: 64))
    }

    @Test("another app is refused and closed with 4100", arguments: [CommandType.session, .login])
    func otherApp(cmd: CommandType) throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket()
        var command = GenericCommand()
        command.cmd = cmd
        command.op = cmd == .session ? .open : nil
        command.appId = "somebody-elses-app"
        command.peerId = "Tom"
        command.i = 7
        try client.send(command)
        let last = try #require(try client.waitForEnd().last)
        #expect(last.errorMessage?.code == 4100)
        #expect(last.errorMessage?.reason == "APP_NOT_AVAILABLE")
        #expect(last.i == 7)
        #expect(client.closeCode == 4100)
    }

    @Test("commands before a session get 4105, those nobody can read 4114, long ones 4109; the socket stays")
    func unasked() throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket()
        let early = try client.request(.conv, .query)
        #expect(early.errorMessage?.code == 4105)
        #expect(early.errorMessage?.reason == "SESSION_REQUIRED")
        try client.send(frame: .binary([0xFF, 0xFF]))
        let unread = try client.wait(.error)
        #expect(unread.errorMessage?.code == 4114)
        #expect(unread.i == nil)
        try client.send(frame: .binary([UInt8](repeating: 0, count: 6000)))
        #expect(try client.wait(.error).errorMessage?.code == 4109)
        try client.settle()
    }

    @Test("a request that is too long is told so by its number")
    func tooLong() throws {
        let server = try TestServer()
        let tom = try server.leanCloud("Tom")
        let answer = try tom.request(.direct) { command in
            var message = DirectCommand()
            message.cid = "551260efe4b01608686c3e0f"
            message.msg = String(repeating: "茶", count: 2000)
            command.directMessage = message
        }
        #expect(answer.errorMessage?.code == 4109)
        #expect(answer.errorMessage?.reason == "FRAME_TOO_LONG")
    }

    @Test("a page of a foreign origin is told so and closed with 4110")
    func origin() throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket(fields: [("Origin", "https://elsewhere.example")])
        let told = try client.waitForEnd()
        #expect(told.map { $0.errorMessage?.code } == [4110])
        #expect(client.closeCode == 4110)
    }

    @Test("a wrong token gets 4102, who is disabled 4103")
    func refusals() throws {
        let server = try TestServer()
        let token = try server.token("Tom", .app)
        let client = try server.leanCloudSocket()
        let wrong = try client.tryToOpen("Tom", token: "nonsense")
        #expect(wrong.errorMessage?.code == 4102)
        #expect(wrong.errorMessage?.reason == "SIGNATURE_FAILED")
        let user = try server.id("Tom")
        try server.write { transaction throws(StoreError) in try transaction.people.setDisabled(user, true) }
        #expect(try client.tryToOpen("Tom", token: token).errorMessage?.code == 4103)
    }

    @Test("a signature of the app's server lets in, again while its time lasts")
    func signature() throws {
        let server = try TestServer { $0.accounts.app.signIn = .signature }
        let app = server.server.accounts.app
        let now = Clock.system.wallMilliseconds()
        let signed = try #require(app.sign(.open(client: "Tom"), timestamp: now, nonce: "n1"))
        let client = try server.leanCloudSocket()
        #expect(try client.tryToOpen("Tom").errorMessage?.code == 4102)
        let sign: (inout SessionCommand) -> Void = { message in
            message.s = signed.signature
            message.t = now
            message.n = "n1"
        }
        try client.open("Tom", sign)
        let other = try server.leanCloudSocket()
        try other.open("Tom", sign)
        let strict = try TestServer {
            $0.accounts.app.signIn = .signature
            $0.accounts.app.signaturesAreForOneUse = true
        }
        let once = try #require(strict.server.accounts.app.sign(.open(client: "Tom"), timestamp: now, nonce: "n1"))
        for code in [nil, Int32(4102)] {
            let answer = try strict.leanCloudSocket().tryToOpen("Tom") { message in
                message.s = once.signature
                message.t = now
                message.n = "n1"
            }
            #expect(answer.errorMessage?.code == code)
        }
    }

    // MARK: Coming back

    @Test("who comes back in vain is told so once; the JavaScript SDK lets go of the client, and signs in anew")
    func releasedJavaScript() throws {
        let server = try TestServer { $0.accounts.app.signIn = .signature }
        let client = try server.leanCloudSocket()
        // It has a token of before: it asks again by itself, with nothing.
        let expired = try client.tryToOpen("Tom") { message in
            message.st = "of before"
            message.r = true
        }
        #expect(expired.errorMessage?.code == 4112 && expired.i == client.lastRequest)
        let unsigned = try client.tryToOpen("Tom") { $0.r = true }
        #expect(unsigned.errorMessage?.code == 4102 && unsigned.i == client.lastRequest)
        let told = try client.wait(.session, .closed)
        #expect(told.i == nil && told.peerId == "Tom" && told.service == 2)
        #expect(told.sessionMessage?.code == 4112 && told.sessionMessage?.reason == "SESSION_TOKEN_EXPIRED")
        try client.settle()
        #expect(client.waiting.isEmpty)
    }

    @Test("other SDKs hear of it by the answer alone", arguments: [Dialect.swift, .java, .cSharp])
    func refusedOthers(dialect: Dialect) throws {
        let server = try TestServer { $0.accounts.app.signIn = .signature }
        let client = try server.leanCloudSocket()
        let answer = try client.tryToOpen("Tom") { message in
            message.ua = dialect.introduction.ua
            message.r = true
        }
        #expect(answer.errorMessage?.code == 4102)
        try client.settle()
        #expect(client.waiting.isEmpty)
    }

    @Test("a tag that another device has taken ends the JavaScript SDK's client as well")
    func conflictingJavaScript() throws {
        let server = try TestServer()
        let token = try server.token("Tom", .app)
        let (first, second) = (try server.leanCloudSocket(), try server.leanCloudSocket())
        for (client, device) in [(first, "a"), (second, "b")] {
            try client.open("Tom", token: token) { message in
                message.tag = "phone"
                message.deviceId = device
            }
        }
        let st = try #require(first.sessionToken)
        let back = try server.leanCloudSocket()
        let answer = try back.tryToOpen("Tom") { message in
            message.st = st
            message.r = true
        }
        #expect(answer.op == .closed && answer.sessionMessage?.code == 4111)
        let told = try back.wait(.session, .closed)
        #expect(told.i == nil && told.sessionMessage?.code == 4111)
    }

    @Test("who comes back and is to wait gets no answer, and after a while the socket closes for another try")
    func turnedAway() throws {
        let clock = ManualClock()
        let server = try TestServer {
            $0.clock = clock.clock
            $0.accounts.clock = clock.clock
        }
        let other = try server.leanCloud("Jerry")
        for _ in 0..<5 {
            let wrong = try server.leanCloudSocket().tryToOpen("Tom", token: "wrong")
            #expect(wrong.errorMessage?.code == 4102)
        }
        let client = try server.leanCloudSocket()
        var command = GenericCommand()
        command.cmd = .session
        command.op = .open
        command.i = 7
        command.appId = server.leanCloudAppID
        command.peerId = "Tom"
        command.sessionMessage = SessionCommand()
        command.sessionMessage?.r = true
        command.sessionMessage?.s = "wrong"
        try client.send(command)
        try client.settle()
        #expect(client.waiting.isEmpty)
        clock.advance(milliseconds: 5_000)
        try other.settle()
        #expect(try client.waitForEnd().isEmpty)
        #expect(client.closeCode == 1013)
    }

    @Test("the session token lets in again; a wrong one and an expired one get 4112")
    func reopening() throws {
        let clock = ManualClock()
        let server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
            $0.accounts.clock = clock.clock
        }
        let first = try server.leanCloud("Tom")
        let token = try #require(first.sessionToken)
        first.drop()
        let back: (String) -> (inout SessionCommand) -> Void = { token in
            { message in
                message.st = token
                message.r = true
            }
        }
        let client = try server.leanCloudSocket()
        let wrong = try client.tryToOpen("Tom", back("nonsense"))
        #expect(wrong.errorMessage?.code == 4112)
        #expect(wrong.errorMessage?.reason == "SESSION_TOKEN_EXPIRED")
        #expect(wrong.i == client.lastRequest)
        #expect(try client.tryToOpen("Jerry", back(token)).errorMessage?.code == 4112)
        try client.open("Tom", back(token))
        clock.advance(milliseconds: 173_000_000)
        let late = try server.leanCloudSocket()
        #expect(try late.tryToOpen("Tom", back(token)).errorMessage?.code == 4112)
    }

    @Test("refreshing gives a token that begins anew")
    func refresh() throws {
        let server = try TestServer()
        let client = try server.leanCloud("Tom")
        let answer = try client.request(.session, .refresh)
        #expect(answer.op == .refreshed)
        #expect(answer.sessionMessage?.stTtl == 172_800)
        let again = try server.leanCloudSocket()
        try again.open("Tom") { $0.st = answer.sessionMessage?.st }
    }

    @Test("an echo comes back with the number it came with, or without")
    func echo() throws {
        let server = try TestServer()
        let client = try server.leanCloudSocket()
        #expect(try client.request(.echo).cmd == .echo)
        var command = GenericCommand()
        command.cmd = .echo
        command.peerId = server.leanCloudAppID
        try client.send(command)
        #expect(try client.wait(.echo).i == nil)
    }
}
