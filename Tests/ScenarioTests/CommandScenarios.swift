import Broker
import ChatModel
import Execution
import Store
import TeahouseTesting
import Testing
import WuKongWire

/// Commands on their way to devices.
struct CommandScenarios {
    private static func command(
        _ target: CommandTarget, from sender: UserID = .system, channel: String = "tea",
        kind: ConversationKind = .group
    ) -> NewCommand {
        NewCommand(
            target: target, sender: sender, channel: channel, kind: kind,
            content: MessageContent(
                kind: MessageKind(rawValue: 99), flags: [.bodyIsJSONObject], wire: .wuKong,
                body: Array("{\"type\":99,\"cmd\":\"memberUpdate\"}".utf8)))
    }

    @discardableResult
    private static func publish(
        _ command: NewCommand, isKept: Bool, causedBy person: UserID? = nil, in server: TestServer
    ) throws -> StoredCommand {
        let answer = ConditionLock<Result<StoredCommand, StoreError>?>(nil)
        server.server.broker.publishCommand(command, isKept: isKept, causedBy: person) { result in
            answer.change { $0 = result }
        }
        return try answer.wait(until: { $0 != nil }, then: { $0 })!.get()
    }

    /// How far a person has acknowledged commands, once that is `sequence`.
    private static func waitForPosition(_ sequence: Int64, of user: UserID, in server: TestServer) throws {
        try waitUntil {
            try server.server.store.readAndWait { transaction throws(StoreError) in
                try transaction.commands.position(user)
            } == sequence
        }
    }

    @Test("a command that is not kept reaches who is online, in both encodings, and leaves nothing behind")
    func transient() throws {
        let server = try TestServer()
        let tea = try server.group("tea", ["romeo", "juliet", "away"])
        let romeo = try server.connect("romeo")
        let juliet = try server.connectBinary("juliet")
        let sent = try Self.publish(Self.command(.conversation(tea)), isKept: false, in: server)
        #expect(sent.sequence == 0)
        let json = try romeo.receive()
        #expect(json.channel == "tea" && json.parameters["header"]?["noPersist"]?.boolean == true)
        #expect(json.parameters["payload"]?["cmd"]?.string == "memberUpdate")
        let packet = try juliet.receive().packet
        #expect(packet.messageID == sent.id.rawValue && packet.header == WuKongHeader(noPersist: true))
        let away = try server.id("away")
        let kept = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands.page(for: away, after: 0, limit: 10).count
        }
        #expect(kept == 0)
    }

    @Test("a kept command is sent again until it is acknowledged, which counts for the person")
    func kept() throws {
        let server = try TestServer { $0.wuKong.redeliverySeconds = 0 }
        let juliets = try {
            try server.add("juliet"); return try server.id("juliet")
        }()
        let juliet = try server.connectBinary("juliet")
        juliet.acknowledges = false
        let sent = try Self.publish(
            Self.command(.people([juliets]), channel: "news", kind: .service), isKept: true, in: server)
        let first = try juliet.receive().packet
        #expect(first.channelID == "news" && first.channelType == 6 && first.sequence == UInt32(sent.sequence))
        #expect(first.header == WuKongHeader(syncOnce: true))
        juliet.acknowledges = true
        #expect(try juliet.receive().packet.header == WuKongHeader(syncOnce: true, dup: true))
        try Self.waitForPosition(sent.sequence, of: juliets, in: server)
    }

    @Test("an acknowledgement without syncOnce says that a command arrived, and does not consume it")
    func arrivedOnly() throws {
        let server = try TestServer()
        try server.add("juliet", "romeo")
        let juliets = try server.id("juliet")
        let juliet = try server.connectBinary("juliet")
        juliet.acknowledges = false
        try Self.publish(Self.command(.people([juliets]), channel: "news", kind: .service), isKept: true, in: server)
        let packet = try juliet.receive().packet
        try juliet.acknowledge(packet, header: WuKongHeader())
        // Its own message takes the same way, behind the acknowledgement: reactor, broker, writer.
        #expect(try juliet.publish("done", to: "romeo").reason == 1)
        let position = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands.position(juliets)
        }
        #expect(position == 0)
        let waiting = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands.page(for: juliets, after: position, limit: 10).count
        }
        #expect(waiting == 1)
    }

    @Test("what one person causes above the rate reaches who is online and is not kept; others have rates of their own")
    func rate() throws {
        let server = try TestServer { $0.broker.keptCommands = RateLimit(perSecond: 0, burst: 2) }
        try server.add("romeo", "juliet", "nurse")
        let (romeo, juliet, nurse) = (try server.id("romeo"), try server.id("juliet"), try server.id("nurse"))
        let online = try server.connectBinary("juliet")
        let command = Self.command(.people([juliet, nurse]), channel: "news", kind: .service)
        let kept = try [romeo, romeo, romeo, nurse, nil].map { person in
            let sent = try Self.publish(command, isKept: true, causedBy: person, in: server)
            let packet = try online.receive().packet
            #expect(packet.messageID == sent.id.rawValue && packet.sequence == UInt32(sent.sequence))
            #expect(packet.header.noPersist == (sent.sequence == 0))
            return sent.sequence > 0
        }
        #expect(kept == [true, true, false, true, true])
        try Self.publish(command, isKept: false, causedBy: romeo, in: server)
        let log = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands.page(for: nurse, after: 0, limit: 10).count
        }
        #expect(log == 4)
        #expect(Self.metrics(server).commandsNotKept == 1)
    }

    private static func metrics(_ server: TestServer) -> BrokerMetrics {
        let answer = ConditionLock<BrokerMetrics?>(nil)
        server.server.broker.metrics { metrics in answer.change { $0 = metrics } }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    @Test("a secondary device's acknowledgement does not count while a primary one is online")
    func primarySpeaks() throws {
        let server = try TestServer()
        let phone = try server.connectBinary("juliet", .app, level: .primary)
        phone.acknowledges = false
        let page = try server.connectBinary("juliet", .web)
        let juliets = try server.id("juliet")
        let command = Self.command(.people([juliets]), channel: "news", kind: .service)
        let first = try Self.publish(command, isKept: true, in: server)
        _ = try page.receive()
        let second = try Self.publish(command, isKept: true, in: server)
        phone.acknowledges = true
        _ = try page.receive()
        try page.settle()
        // The phone acknowledges both; the position follows in order.
        #expect(try phone.receive().packet.sequence == UInt32(first.sequence))
        try Self.waitForPosition(first.sequence, of: juliets, in: server)
        #expect(try phone.receive().packet.sequence == UInt32(second.sequence))
        try Self.waitForPosition(second.sequence, of: juliets, in: server)
    }

    @Test("a command in a direct conversation shows each of the two the other one")
    func direct() throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo")
        let juliet = try server.connect("juliet")
        try romeo.publish("hello", to: "juliet")
        _ = try juliet.receive()
        let romeos = try server.id("romeo")
        let conversation = try #require(try server.history(.direct(UserName("juliet")!), seenBy: "romeo").first)
        try Self.publish(
            Self.command(.conversation(conversation.conversation), from: romeos, channel: "", kind: .direct),
            isKept: false, in: server)
        #expect(try juliet.receive().channel == "romeo")
        #expect(try romeo.receive().packet.channelID == "juliet")
    }
}
