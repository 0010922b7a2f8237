import Broker
import ChatModel
import Execution
import TeahouseTesting
import Testing
import WuKongWire

/// Messages with the binary encoding.
struct BinaryMessageScenarios {
    @Test(
        "a message arrives as the receiver sees it, in every version and over both carriers",
        arguments: [UInt8(2), 3, 4, 5], BinaryClient.Carrier.allCases)
    func personChannel(version: UInt8, carrier: BinaryClient.Carrier) throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo", over: carrier, version: version)
        let juliet = try server.connectBinary("juliet", over: carrier, version: version)
        var send = try romeo.sendPacket(
            "hello", to: "juliet", number: "n-1", setting: [.receipt, .topic], topic: "tea")
        send.expire = 60
        let answer = try romeo.publish(send)
        #expect(answer.reason == 1 && answer.sequence == 1 && answer.header == WuKongHeader(redDot: true))
        let received = try juliet.receive()
        let packet = received.packet
        #expect(received.text == "hello" && packet.fromUID == "romeo" && packet.channelID == "romeo")
        #expect(packet.channelType == 1 && packet.messageID == answer.messageID && packet.sequence == 1)
        #expect(packet.clientMessageNumber == "n-1" && packet.topic == "tea" && packet.setting == [.receipt, .topic])
        #expect(packet.expire == (version >= 3 ? 60 : 0) && packet.header == WuKongHeader(redDot: true))
        #expect(juliet.forged == 0)
    }

    @Test("the sender's other devices see the peer, without a red dot; the sending session gets nothing")
    func ownDevices() throws {
        let server = try TestServer()
        let phone = try server.connectBinary("romeo", .app)
        let page = try server.connectBinary("romeo", .web, over: .webSocket)
        try server.add("juliet")
        try phone.publish("hello", to: "juliet")
        let copy = try page.receive().packet
        #expect(copy.channelID == "juliet" && copy.fromUID == "romeo" && copy.header == WuKongHeader())
        try phone.settle()
        #expect(phone.waiting.isEmpty)
    }

    @Test("JSON and binary clients of all versions share a group")
    func mixedGroup() throws {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet", "old", "page"])
        let romeo = try server.connect("romeo")
        let juliet = try server.connectBinary("juliet")
        let old = try server.connectBinary("old", version: 2)
        let page = try server.connectBinary("page", .web, over: .webSocket)
        try romeo.publish("from json", to: "tea", group: true)
        try juliet.publish("from binary", to: "tea", type: 2)
        for client in [old, page] {
            let first = try client.receive()
            #expect(first.text == "from json" && first.packet.channelID == "tea" && first.packet.channelType == 2)
            #expect(try client.receive().text == "from binary")
        }
        #expect(try juliet.receive().text == "from json")
        #expect(try romeo.receive().text == "from binary")
    }

    @Test("SENDACK repeats client sequence and flags exactly; a resend gets the first answer")
    func acknowledgements() throws {
        let server = try TestServer()
        try server.add("juliet")
        let romeo = try server.connectBinary("romeo")
        let flags = WuKongHeader(redDot: true, syncOnce: true, dup: true)
        var send = try romeo.sendPacket("one", to: "juliet", number: "n-1", header: flags)
        let first = try romeo.publish(send)
        #expect(first.header == flags && first.clientSequence == send.clientSequence && first.messageID > 0)
        send = try romeo.sendPacket("one", to: "juliet", number: "n-1")
        let again = try romeo.publish(send)
        #expect(again.messageID == first.messageID && again.sequence == first.sequence && again.reason == 1)
        let transient = try romeo.publish("typing", to: "juliet", header: WuKongHeader(noPersist: true))
        #expect(transient.reason == 1 && transient.sequence == 0)
    }

    enum Spoiled: CaseIterable {
        case messageKey, emptyKey, channel, number, payload, payloadOfAnotherSession
    }

    @Test("a SEND that was changed on the way is answered with 9 and goes nowhere", arguments: Spoiled.allCases)
    func forgedSend(spoiled: Spoiled) throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo")
        let juliet = try server.connectBinary("juliet")
        var send = try romeo.sendPacket("hello", to: "juliet", number: "n-1")
        switch spoiled {
        case .messageKey: send.messageKey[0] ^= 1
        case .emptyKey: send.messageKey = []
        case .channel: send.channelID = "romeo"
        case .number: send.clientMessageNumber = "n-2"
        case .payload: send.payload = Array(send.payload.reversed())
        case .payloadOfAnotherSession: send.payload = try juliet.sendPacket("hello", to: "romeo").payload
        }
        let answer = try romeo.publish(send)
        #expect(answer.reason == 9 && answer.messageID == 0 && answer.clientSequence == send.clientSequence)
        #expect(try romeo.publish("real", to: "juliet").reason == 1)
        #expect(try juliet.receive().text == "real")
    }

    @Test("refusals have their reasons: no such channel 5, not a member 3, channel type 23, reserved id 16")
    func refusals() throws {
        let server = try TestServer()
        try server.group("tea", ["juliet"])
        let romeo = try server.connectBinary("romeo")
        #expect(try romeo.publish("x", to: "none", type: 2).reason == 5)
        #expect(try romeo.publish("x", to: "tea", type: 2).reason == 3)
        #expect(try romeo.publish("x", to: "tea", type: 13).reason == 23)
        #expect(try romeo.publish("x", to: "a@b", type: 1).reason == 16)
        let long = String(repeating: "t", count: 256)
        #expect(try romeo.publish(romeo.sendPacket("x", to: "juliet", setting: .topic, topic: long)).reason == 11)
    }

    @Test("a person cannot send a command, in neither encoding")
    func commandsAreTheServers() throws {
        let server = try TestServer()
        try server.add("juliet")
        let romeo = try server.connectBinary("romeo")
        let command = try romeo.sendPacket(content: "{\"type\":99,\"cmd\":\"messageRevoke\"}", to: "juliet")
        #expect(try romeo.publish(command).reason == 11)
        let page = try server.connect("romeo", .web)
        let answer = try page.request(
            "send", "{\"channelId\":\"juliet\",\"channelType\":1,\"payload\":{\"type\":99,\"cmd\":\"x\"}}")
        #expect(answer["result"]?["reasonCode"]?.integer == 11)
    }

    @Test("an unacknowledged message comes again with the resend flag, and its key is right; acknowledged it does not")
    func redelivery() throws {
        let server = try TestServer {
            $0.wuKong.redeliverySeconds = 0
            $0.wuKong.redeliveryAttempts = 2
        }
        let romeo = try server.connectBinary("romeo")
        let juliet = try server.connectBinary("juliet", version: 4)
        juliet.acknowledges = false
        try romeo.publish("hello", to: "juliet")
        let first = try juliet.receive().packet
        let second = try juliet.receive()
        #expect(!first.header.dup && second.packet.header == WuKongHeader(redDot: true, dup: true))
        #expect(second.text == "hello" && second.packet.messageID == first.messageID)
    }

    @Test("nothing is sent at sign-in: the app fetches history; what is acknowledged counts for its device class")
    func noCatchUp() throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo")
        try server.add("juliet")
        try romeo.publish("while away", to: "juliet")
        let juliet = try server.connectBinary("juliet")
        try romeo.publish("live", to: "juliet")
        #expect(try juliet.receive().text == "live")
    }

    @Test("who does not read fast enough gets all that was held back, and nothing from before the sign-in")
    func slowConsumer() throws {
        let server = try TestServer {
            $0.transportLimits.outboxBytes = .init(name: "outbox", unit: "bytes", maximum: 65_536)
            $0.transportLimits.outboxLowWaterBytes = 16_384
            $0.transportLimits.outboxCeilingBytes = 1 << 20
            $0.transportLimits.stallSeconds = 3600
            $0.wuKong.idleSeconds = 3600
        }
        try server.group("tea", ["romeo", "sloth"])
        try server.group("old", ["romeo", "sloth"])
        let romeo = try server.connectBinary("romeo")
        for number in 0..<3 { try romeo.publish("before \(number)", to: "old", type: 2) }
        let sloth = try server.connectBinary("sloth")
        let body = String(repeating: "x", count: 8000)
        let count: UInt32 = 1000
        for number in 0..<count { try romeo.publish("\(number) \(body)", to: "tea", type: 2) }
        let got = try (0..<count).map { _ in try sloth.receive().packet }
        #expect(got.map(\.sequence) == Array(1...count) && got.allSatisfy { $0.channelID == "tea" })
        try sloth.settle()
        #expect(sloth.waiting.isEmpty && sloth.forged == 0)
    }

    @Test("five hundred sessions with keys of their own get every message of their group, and can read it")
    func largeGroup() throws {
        let server = try TestServer()
        let names = (0..<500).map { "member\($0)" }
        try server.group("tea", names)
        let clients = try names.map { try server.connectBinary($0) }
        for number in 1...5 { try clients[0].publish("\(number)", to: "tea", type: 2) }
        for client in clients.dropFirst() {
            #expect(try client.receive(5) == ["1", "2", "3", "4", "5"])
            #expect(client.forged == 0)
        }
    }

    @Test("events reach the members who are online, in version 5 and JSON; older versions hear nothing")
    func events() throws {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet", "old"])
        let romeo = try server.connect("romeo")
        let juliet = try server.connectBinary("juliet")
        let old = try server.connectBinary("old", version: 4)
        let stranger = try server.connectBinary("stranger")
        let broker = server.server.broker
        let juliets = try server.id("juliet")
        for (number, user) in [(1, nil), (2, juliets), (3, nil)] as [(Int, UserID?)] {
            let event = StreamEvent(
                id: "e\(number)", type: "stream.delta", timestampMilliseconds: 1_700_000_000_123,
                data: Array("{\"n\":\(number)}".utf8))!
            broker.publishEvent(event, in: tea, only: user)
        }
        for number in 1...3 { #expect(try juliet.event() == ("stream.delta", "{\"n\":\(number)}")) }
        for number in [1, 3] {
            let event = try romeo.next()
            #expect(event?["method"]?.string == "event" && event?["id"] == nil)
            #expect(event?["params"]?["id"]?.string == "e\(number)")
            #expect(event?["params"]?["data"]?.string == "{\"n\":\(number)}")
        }
        try old.settle()
        try stranger.settle()
        #expect(old.waitingEvents == 0 && stranger.waitingEvents == 0)
    }
}
