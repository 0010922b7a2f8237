import Broker
import ByteCodec
import ChatModel
import Execution
import LeanCloudWire
import TeahouseTesting
import Testing

/// Each request has its answer, whatever is wrong with it or with how many there are.
struct AnswerTests {
    private static let binary = LeanCloudSubprotocol(.binary, .countsMissedMessages)
    private static let base64 = LeanCloudSubprotocol(.base64, .countsMissedMessages)

    @Test(
        "what is no command is answered with the number that can be read",
        arguments: [
            // `direct` 7 of Tom whose text is not UTF-8, and cut in its middle, and behind a field that does not exist.
            "0802 2203546f6d 2807 c206030a01ff", "0802 2807 c206050a01", "0802 2807 0701", "2807 0802 c20600ff",
        ], [Self.binary, Self.base64])
    func unreadable(digits: String, subprotocol: LeanCloudSubprotocol) throws {
        let server = try TestServer()
        let client = try server.leanCloud("Tom", subprotocol)
        let bytes = try #require(Hex.decode(digits.filter { $0 != " " }))
        try client.send(frame: subprotocol.usesTextFrames ? .text(Base64.encode(bytes)) : .binary(bytes))
        let answer = try client.wait(.error)
        #expect(answer.i == 7 && answer.errorMessage?.reason == "UNPARSEABLE_RAW_MESSAGE")
        try client.settle()
    }

    @Test("where no number can be read the connection is told", arguments: ["07", "2aff", "ffffffffffffffffffffff"])
    func unreadableNumber(digits: String) throws {
        let server = try TestServer()
        let client = try server.leanCloud("Tom")
        try client.send(frame: .binary(try #require(Hex.decode(digits))))
        let answer = try client.wait(.error)
        #expect(answer.i == nil && answer.errorMessage?.code == 4114)
    }

    @Test("a thousand messages at once are each taken or refused, and the session goes on", arguments: Dialect.allCases)
    func burst(dialect: Dialect) throws {
        let server = try TestServer { $0.broker.perUser = RateLimit(perSecond: 0.001, burst: 30) }
        let cid = try server.directID("Tom", "Jerry")
        let tom = try server.client("Tom", dialect)
        let numbers = (1...1_000).map { Int32($0 + 10_000) }
        for number in numbers {
            try tom.send(
                .with { command in
                    command.cmd = .direct
                    command.i = number
                    command.directMessage = DirectCommand()
                    command.directMessage?.cid = cid
                    command.directMessage?.msg = "\(number)"
                })
        }
        var codes: [Int32?: Int] = [:]
        for number in numbers {
            let answer = try tom.wait("the answer to \(number)") { $0.i == number }
            // The C# SDK of old looks for no code in an acknowledgement.
            #expect((answer.cmd == .error) == (dialect == .cSharp && answer.ackMessage == nil))
            codes[answer.errorMessage?.code ?? answer.ackMessage?.code, default: 0] += 1
        }
        #expect(codes == [nil: 30, 4116: 970])
        #expect(try tom.request(.session, .refresh).op == .refreshed)
    }

    @Test("above so many refusals in a second the rest waits until it is over")
    func heldBack() throws {
        let clock = ManualClock()
        let server = try TestServer {
            $0.clock = clock.clock
            $0.leanCloud.refusalsPerSecond = 5
            $0.broker.perUser = RateLimit(perSecond: 0.001, burst: 1)
        }
        let cid = try server.directID("Tom", "Jerry")
        let (tom, jerry) = (try server.client("Tom"), try server.client("Jerry"))
        #expect(try tom.say("taken", in: cid).code == nil)
        for _ in 0..<5 { #expect(try tom.say("refused", in: cid).code == 4116) }
        try tom.send(
            .with { command in
                command.cmd = .direct
                command.i = 99
                command.directMessage = DirectCommand()
                command.directMessage?.cid = cid
                command.directMessage?.msg = "waits"
            })
        // Jerry's are read and answered by the same thread.
        for _ in 0..<3 { try jerry.settle() }
        #expect(try Self.rateLimited(server) == 5)
        clock.advance(milliseconds: 1_001)
        try jerry.settle()
        #expect(try tom.wait("the last one") { $0.i == 99 }.ackMessage?.code == 4116)
        for client in [tom, jerry] { client.drop() }
        server.stop()
    }

    private static func rateLimited(_ server: TestServer) throws -> Int64 {
        let found = ConditionLock<BrokerMetrics?>(nil)
        server.server.broker.metrics { metrics in found.change { $0 = metrics } }
        return try #require(found.wait(until: { $0 != nil }, then: { $0 })).rateLimited
    }

    @Test("a page of more than a thousand messages, or fewer than none, is refused", arguments: [1_001, -1, 1_000, 0])
    func pages(limit: Int32) throws {
        let server = try TestServer()
        let cid = try server.directID("Tom", "Jerry")
        let tom = try server.client("Tom")
        for isOld in [false, true] {
            let answer = try tom.request(.logs) { command in
                command.logsMessage = LogsCommand()
                command.logsMessage?.cid = cid
                if isOld { command.logsMessage?.l = limit } else { command.logsMessage?.limit = limit }
            }
            let isPage = (0...1_000).contains(limit)
            #expect(LeanCloudClient.error(answer) == (isPage ? nil : "4311 CONVERSATION_LOG_FAILED"))
        }
    }
}

extension GenericCommand {
    static func with(_ fill: (inout GenericCommand) -> Void) -> GenericCommand {
        var command = GenericCommand()
        fill(&command)
        return command
    }
}
