import ByteCodec
import ChatModel
import Execution
import HTTPClient
import Store
import TeahouseTesting
import Testing
import WuKongWire

@testable import Hooks

@Suite("Datasource")
struct DatasourceTests {
    /// Answers by command.
    private static func source(_ answers: [String: String]) -> HTTPReceiver {
        HTTPReceiver { request in
            let command = request.json["cmd"]?.string ?? ""
            return answers[command].map { .body($0) } ?? .status(500)
        }
    }

    private static let verona = [
        "getSubscribers": #"["romeo","juliet","tybalt","bad@uid"]"#,
        "getChannelInfo": #"{"large":1,"ban":0,"disband":1}"#,
        "getBlacklist": #"["tybalt"]"#, "getWhitelist": "null", "getSystemUIDs": #"["prince"]"#,
    ]

    private final class Asker {
        private let receiver: HTTPReceiver
        let client: HTTPClient
        let datasource: DatasourceClient

        init(_ receiver: HTTPReceiver, timeout: Int64 = 20_000) throws {
            self.receiver = receiver
            self.client = try HTTPClient(HTTPClientOptions())
            self.datasource = DatasourceClient(
                address: try HTTPAddress(receiver.address), client: self.client, secret: nil,
                timeoutMilliseconds: timeout)
        }

        deinit { self.client.stop() }

        func channel(_ id: String) throws(DatasourceError) -> SourcedChannel? {
            let answer = ConditionLock<Result<SourcedChannel?, DatasourceError>?>(nil)
            self.datasource.channel(id: id, type: .group) { result in answer.change { $0 = result } }
            return try answer.wait(until: { $0 != nil }, then: { $0! }).get()
        }
    }

    @Test("a channel is asked for in WuKongIM's words")
    func channel() throws {
        let receiver = Self.source(Self.verona)
        let channel = try #require(try Asker(receiver).channel("verona"))
        #expect(channel.subscribers.map(\.text) == ["romeo", "juliet", "tybalt"])
        #expect(channel.denied.map(\.text) == ["tybalt"])
        #expect(channel.allowed.isEmpty)
        #expect(channel.isDisbanded && !channel.isBanned)
        #expect(
            receiver.requests.first?.text
                == #"{"cmd":"getSubscribers","data":{"channel_id":"verona","channel_type":2}}"#)
    }

    @Test("a channel without subscribers does not exist, and nothing more is asked", arguments: ["[]", "null"])
    func unknown(answer: String) throws {
        let receiver = Self.source(["getSubscribers": answer])
        #expect(try Asker(receiver).channel("mantua") == nil)
        #expect(receiver.requests.count == 1)
    }

    @Test(
        "an answer that is none is an error",
        arguments: [
            (#"{"a":1}"#, DatasourceError.badAnswer(command: "getSubscribers")),
            ("[1]", .badAnswer(command: "getSubscribers")), ("<html>", .badAnswer(command: "getSubscribers")),
        ])
    func badAnswers(answer: String, error: DatasourceError) throws {
        let receiver = Self.source(["getSubscribers": answer])
        #expect(throws: error) { try Asker(receiver).channel("verona") }
    }

    @Test("a datasource that refuses or does not answer in time is an error")
    func failures() throws {
        #expect(throws: DatasourceError.refused(status: 500)) { try Asker(Self.source([:])).channel("verona") }
        let silent = HTTPReceiver { _ in .silence }
        #expect(throws: DatasourceError.unreachable("127.0.0.1 did not answer in time")) {
            try Asker(silent, timeout: 50).channel("verona")
        }
    }

    @Test("many questions about one channel at the same time are one")
    func coalesces() throws {
        let gate = ConditionLock(false)
        let receiver = HTTPReceiver { request in
            gate.wait(until: { $0 }, then: { _ in })
            return .body(Self.verona[request.json["cmd"]?.string ?? ""] ?? "null")
        }
        let asker = try Asker(receiver)
        let answers = ConditionLock(0)
        for _ in 0..<10 {
            asker.datasource.channel(id: "verona", type: .group) { _ in answers.change { $0 += 1 } }
        }
        gate.change { $0 = true }
        answers.wait(until: { $0 == 10 }, then: { _ in })
        #expect(receiver.requests.count == 4)
    }

    @Test("more channels at the same time than the bound are refused as busy")
    func bound() throws {
        let receiver = HTTPReceiver { _ in .silence }
        let asker = try Asker(receiver)
        let refused = Lock<[DatasourceError]>([])
        for number in 0...DatasourceClient.maximumChannels {
            asker.datasource.channel(id: "c\(number)", type: .group) { result in
                if case .failure(let error) = result { refused.withLock { $0.append(error) } }
            }
        }
        #expect(refused.withLock { $0 } == [.busy])
    }

    @Test("system accounts are listed")
    func systemUIDs() throws {
        let answer = ConditionLock<Result<[UserName], DatasourceError>?>(nil)
        let asker = try Asker(Self.source(Self.verona))
        asker.datasource.systemUIDs { result in answer.change { $0 = result } }
        #expect(try answer.wait(until: { $0 != nil }, then: { $0! }).get().map(\.text) == ["prince"])
    }

    @Test("an unknown channel is made as described, once, and messages go there")
    func importing() throws {
        var answers = Self.verona
        answers["getChannelInfo"] = "{}"
        let receiver = Self.source(answers)
        let rig = try Rig(nil)
        let asker = try Asker(receiver)
        func imported() throws -> ConversationID? {
            let answer = ConditionLock<Result<ConversationID?, DatasourceError>?>(nil)
            asker.datasource.importChannel(id: "verona", type: .group, into: rig.store) { result in
                answer.change { $0 = result }
            }
            return try answer.wait(until: { $0 != nil }, then: { $0! }).get()
        }
        let made = try #require(try imported())
        #expect(try imported() == made)
        let members = try rig.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.members(of: made).map(\.name.text)
        }
        #expect(members == ["romeo", "juliet", "tybalt"])
        try rig.say("hi", from: "romeo", group: "verona")
    }

    @Test(
        "channels that make themselves are not asked for", arguments: [WuKongChannelType.person, .agent])
    func notAsked(type: WuKongChannelType) throws {
        let receiver = Self.source(Self.verona)
        let rig = try Rig(nil)
        let asker = try Asker(receiver)
        let answer = ConditionLock<Result<ConversationID?, DatasourceError>?>(nil)
        asker.datasource.importChannel(id: "verona", type: type, into: rig.store) { result in
            answer.change { $0 = result }
        }
        #expect(try answer.wait(until: { $0 != nil }, then: { $0! }).get() == nil)
        #expect(receiver.requests.isEmpty)
    }
}
