import Broker
import ChatModel
import Execution
import Store
import TeahouseTesting
import Testing
import WuKongWire

/// Signing in with the binary encoding, and being signed out.
struct BinarySignInScenarios {
    @Test(
        "each version signs in over TCP and WebSocket and is told what the session speaks",
        arguments: [UInt8(2), 3, 4, 5, 9], BinaryClient.Carrier.allCases)
    func versions(version: UInt8, carrier: BinaryClient.Carrier) throws {
        let server = try TestServer()
        let client = try server.binarySocket(over: carrier, version: version)
        let token = try server.token("romeo", .app)
        let answer = try client.tryToSignIn(client.connectPacket("romeo", token: token, .app))
        #expect(answer.reason == 1 && answer.salt.utf8.count == 16 && answer.serverKey.utf8.count == 44)
        #expect(answer.serverVersion == (version > 3 ? min(version, 5) : nil))
        #expect(answer.nodeID == (version > 3 ? 1 : nil))
        try client.settle()
        let sessions = ConditionLock<[SessionDescription]?>(nil)
        server.server.broker.sessions(of: nil) { found in sessions.change { $0 = found } }
        let session = sessions.wait(until: { $0 != nil }, then: { $0 })?.first
        #expect(session?.protocolName == "wukong-\(min(version, 5))" && session?.deviceClass == .app)
    }

    @Test("two sessions never share a salt")
    func salts() throws {
        let server = try TestServer()
        let salts = try (0..<3).map { number in
            let client = try server.binarySocket()
            let token = try server.token("romeo", .app)
            return try client.tryToSignIn(
                client.connectPacket("romeo", token: token, .app, device: "\(number)")
            ).salt
        }
        #expect(Set(salts).count == 3)
    }

    enum Fault: CaseIterable {
        case token, uid, emptyUID, systemDevice, emptyKey, badKey, weakKey
    }

    @Test(
        "a refused sign-in is told its reason in a whole CONNACK, then the connection ends", arguments: Fault.allCases)
    func refusals(fault: Fault) throws {
        let server = try TestServer()
        let client = try server.binarySocket()
        let token = try server.token("romeo", .app)
        var connect = client.connectPacket("romeo", token: token, .app)
        var reason: UInt8 = 2
        switch fault {
        case .token: connect.token = "wrong"
        case .uid: connect.uid = "ro@meo"
        case .emptyUID: connect.uid = ""
        case .systemDevice: connect.deviceFlag = 99
        case .emptyKey: (connect.clientKey, reason) = ("", 21)
        case .badKey: connect.clientKey = "not a key"
        case .weakKey: connect.clientKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        }
        let answer = try client.tryToSignIn(connect)
        #expect(answer.reason == reason && answer.serverKey.isEmpty && answer.salt.isEmpty)
        #expect(answer.serverVersion == 5 && answer.nodeID == 1)
        #expect(try client.waitForEnd().isEmpty)
    }

    @Test("who is disabled is refused with 19")
    func disabled() throws {
        let server = try TestServer()
        let token = try server.token("romeo", .app)
        let romeo = try server.id("romeo")
        try server.write { transaction throws(StoreError) in try transaction.people.setDisabled(romeo, true) }
        let client = try server.binarySocket(version: 4)
        #expect(try client.tryToSignIn(client.connectPacket("romeo", token: token, .app)).reason == 19)
    }

    @Test(
        "who says anything before CONNECT, or no frame at all, is closed without a word",
        arguments: [
            [0x1F, 0xFF, 0xFF, 0xFF, 0xFF],  // a length of more than four bytes
            [0x14, 0x02, 0x05, 0x00],  // CONNECT that ends in its first fields
            [0x10, 0xFF, 0xFF, 0x7F],  // longer than is allowed
        ] as [[UInt8]])
    func notConnect(bytes: [UInt8]) throws {
        let server = try TestServer()
        let client = try server.binarySocket()
        try client.send(raw: bytes)
        #expect(try client.waitForEnd().isEmpty)
    }

    @Test("over WebSocket, a first packet that is no CONNECT ends the connection", arguments: [[0x70], [0x90, 0x03]])
    func notConnectOverWebSocket(bytes: [UInt8]) throws {
        let server = try TestServer()
        let client = try server.binarySocket(over: .webSocket)
        try client.send(raw: bytes + [0, 0, 0])
        #expect(try client.waitForEnd().isEmpty)
    }

    @Test("a second CONNECT ends the connection")
    func secondConnect() throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo")
        try romeo.send(raw: romeo.bytes { $0.connect(romeo.connectPacket("romeo", token: "", .app)) })
        #expect(try romeo.waitForEnd().isEmpty)
    }

    @Test("an operator's kick is DISCONNECT 12 with its text; DISCONNECT from the client ends the session")
    func kick() throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo")
        let juliet = try server.connectBinary("juliet")
        server.server.broker.end(
            allOf: try server.id("romeo"), deviceClass: nil, reason: .kickedByOperator("maintenance"))
        #expect(try romeo.waitForEnd() == [.disconnect(reason: 12, text: "maintenance")])
        try juliet.send(raw: juliet.bytes { $0.disconnect(reason: 0, text: "") })
        #expect(try juliet.waitForEnd().isEmpty)
    }

    @Test("a primary device ends the older session of its class with 12, the same device silently")
    func takeover() throws {
        let server = try TestServer()
        let old = try server.connectBinary("romeo", .app, level: .primary, device: "a")
        let same = try server.connectBinary("romeo", .app, level: .primary, device: "a")
        #expect(try old.waitForEnd().isEmpty)
        let new = try server.connectBinary("romeo", .app, level: .primary, device: "b")
        #expect(try same.waitForEnd() == [.disconnect(reason: 12, text: "signed in on another device")])
        try new.settle()
    }

    @Test("what is sent right behind CONNECT waits for the sign-in")
    func early() throws {
        let server = try TestServer()
        let token = try server.token("romeo", .app)
        let client = try server.binarySocket()
        try client.send(
            raw: client.bytes {
                $0.connect(client.connectPacket("romeo", token: token, .app))
                $0.ping()
                $0.ping()
            })
        #expect(try client.finishSignIn().reason == 1)
        #expect(try client.next() == .pong)
        #expect(try client.next() == .pong)
    }

    @Test("SUB is read and not answered")
    func subscribe() throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo")
        let wish = BinarySubscribe(
            setting: [], number: "1", channelID: "tea", channelType: 2, action: .subscribe, parameter: "")
        try romeo.send(raw: romeo.bytes { $0.subscribe(wish) })
        try romeo.send(raw: romeo.bytes { $0.ping() })
        #expect(try romeo.next() == .pong)
    }
}
