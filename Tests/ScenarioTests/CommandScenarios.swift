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
        _ command: NewCommand, isKept: Bool, causedBy person: UserID? = nil, in house: House
    ) throws -> StoredCommand {
        let answer = ConditionLock<Result<StoredCommand, StoreError>?>(nil)
        house.server.broker.publishCommand(command, isKept: isKept, causedBy: person) { result in
            answer.change { $0 = result }
        }
        return try answer.wait(until: { $0 != nil }, then: { $0 })!.get()
    }

    /// How far a person has acknowledged commands, once that is `sequence`.
    private static func waitForPosition(_ sequence: Int64, of user: UserID, in house: House) throws {
        try waitUntil {
            try house.server.store.readAndWait { transaction throws(StoreError) in
                try transaction.commandPosition(user)
            } == sequence
        }
    }

    @Test("a command that is not kept reaches who is online, in both encodings, and leaves nothing behind")
    func transient() throws {
        let house = try House()
        let tea = try house.group("tea", ["romeo", "juliet", "away"])
        let romeo = try house.connect("romeo")
        let juliet = try house.connectBinary("juliet")
        let sent = try Self.publish(Self.command(.conversation(tea)), isKept: false, in: house)
        #expect(sent.sequence == 0)
        let json = try romeo.receive()
        #expect(json.channel == "tea" && json.parameters["header"]?["noPersist"]?.boolean == true)
        #expect(json.parameters["payload"]?["cmd"]?.string == "memberUpdate")
        let packet = try juliet.receive().packet
        #expect(packet.messageID == sent.id.rawValue && packet.header == WuKongHeader(noPersist: true))
        let away = try house.id("away")
        let kept = try house.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands(for: away, after: 0, limit: 10).count
        }
        #expect(kept == 0)
    }

    @Test("a kept command is sent again until it is acknowledged, which counts for the person")
    func kept() throws {
        let house = try House { $0.wuKong.redeliverySeconds = 0 }
        let juliets = try {
            try house.add("juliet"); return try house.id("juliet")
        }()
        let juliet = try house.connectBinary("juliet")
        juliet.acknowledges = false
        let sent = try Self.publish(
            Self.command(.people([juliets]), channel: "news", kind: .service), isKept: true, in: house)
        let first = try juliet.receive().packet
        #expect(first.channelID == "news" && first.channelType == 6 && first.sequence == UInt32(sent.sequence))
        #expect(first.header == WuKongHeader(syncOnce: true))
        juliet.acknowledges = true
        #expect(try juliet.receive().packet.header == WuKongHeader(syncOnce: true, dup: true))
        try Self.waitForPosition(sent.sequence, of: juliets, in: house)
    }

    @Test("an acknowledgement without syncOnce says that a command arrived, and does not consume it")
    func arrivedOnly() throws {
        let house = try House()
        try house.add("juliet", "romeo")
        let juliets = try house.id("juliet")
        let juliet = try house.connectBinary("juliet")
        juliet.acknowledges = false
        try Self.publish(Self.command(.people([juliets]), channel: "news", kind: .service), isKept: true, in: house)
        let packet = try juliet.receive().packet
        try juliet.acknowledge(packet, header: WuKongHeader())
        // Its own message takes the same way, behind the acknowledgement: reactor, broker, writer.
        #expect(try juliet.publish("done", to: "romeo").reason == 1)
        let position = try house.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commandPosition(juliets)
        }
        #expect(position == 0)
        let waiting = try house.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands(for: juliets, after: position, limit: 10).count
        }
        #expect(waiting == 1)
    }

    @Test("what one person causes above the rate reaches who is online and is not kept; others have rates of their own")
    func rate() throws {
        let house = try House { $0.broker.keptCommands = RateLimit(perSecond: 0, burst: 2) }
        try house.add("romeo", "juliet", "nurse")
        let (romeo, juliet, nurse) = (try house.id("romeo"), try house.id("juliet"), try house.id("nurse"))
        let online = try house.connectBinary("juliet")
        let command = Self.command(.people([juliet, nurse]), channel: "news", kind: .service)
        let kept = try [romeo, romeo, romeo, nurse, nil].map { person in
            let sent = try Self.publish(command, isKept: true, causedBy: person, in: house)
            let packet = try online.receive().packet
            #expect(packet.messageID == sent.id.rawValue && packet.sequence == UInt32(sent.sequence))
            #expect(packet.header.noPersist == (sent.sequence == 0))
            return sent.sequence > 0
        }
        #expect(kept == [true, true, false, true, true])
        try Self.publish(command, isKept: false, causedBy: romeo, in: house)
        let log = try house.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands(for: nurse, after: 0, limit: 10).count
        }
        #expect(log == 4)
        #expect(Self.figures(house).commandsNotKept == 1)
    }

    private static func figures(_ house: House) -> BrokerFigures {
        let answer = ConditionLock<BrokerFigures?>(nil)
        house.server.broker.figures { figures in answer.change { $0 = figures } }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    @Test("a secondary device's acknowledgement does not count while a primary one is online")
    func primarySpeaks() throws {
        let house = try House()
        let phone = try house.connectBinary("juliet", .app, level: .primary)
        phone.acknowledges = false
        let page = try house.connectBinary("juliet", .web)
        let juliets = try house.id("juliet")
        let command = Self.command(.people([juliets]), channel: "news", kind: .service)
        let first = try Self.publish(command, isKept: true, in: house)
        _ = try page.receive()
        let second = try Self.publish(command, isKept: true, in: house)
        phone.acknowledges = true
        _ = try page.receive()
        try page.settle()
        // The phone acknowledges both; the position follows in order.
        #expect(try phone.receive().packet.sequence == UInt32(first.sequence))
        try Self.waitForPosition(first.sequence, of: juliets, in: house)
        #expect(try phone.receive().packet.sequence == UInt32(second.sequence))
        try Self.waitForPosition(second.sequence, of: juliets, in: house)
    }

    @Test("a command in a direct conversation shows each of the two the other one")
    func direct() throws {
        let house = try House()
        let romeo = try house.connectBinary("romeo")
        let juliet = try house.connect("juliet")
        try romeo.publish("hello", to: "juliet")
        _ = try juliet.receive()
        let romeos = try house.id("romeo")
        let conversation = try #require(try house.history(.direct(UserName("juliet")!), seenBy: "romeo").first)
        try Self.publish(
            Self.command(.conversation(conversation.conversation), from: romeos, channel: "", kind: .direct),
            isKept: false, in: house)
        #expect(try juliet.receive().channel == "romeo")
        #expect(try romeo.receive().packet.channelID == "juliet")
    }
}
