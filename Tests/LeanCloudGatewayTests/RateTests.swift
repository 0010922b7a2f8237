import Broker
import ChatModel
import Execution
import LeanCloudWire
import TeahouseTesting
import Testing

/// How much a client may ask, and how long its commands are.
struct RateTests {
    private let clock = ManualClock()
    private let server: TestServer

    init() throws {
        let clock = self.clock
        self.server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
            $0.leanCloud.requestRate = RateLimit(perSecond: 0.1, burst: 6)
            $0.leanCloud.historyRate = RateLimit(perSecond: 0.1, burst: 2)
        }
    }

    private func logs(_ client: LeanCloudClient, _ cid: String) throws -> String? {
        LeanCloudClient.error(
            try client.request(.logs) { command in
                var logs = LogsCommand()
                logs.cid = cid
                command.logsMessage = logs
            })
    }

    @Test("who asks too often in a minute is told so by conversations with 4318 and else with 4116; others go on")
    func requests() throws {
        let cid = try self.server.directID("Tom", "Jerry")
        let (tom, tablet) = (try self.server.leanCloud("Tom"), try self.server.leanCloud("Tom"))
        let jerry = try self.server.leanCloud("Jerry")
        for _ in 0..<3 {
            #expect(try tom.conv(.count) { $0.cid = cid }.op == .result)
            #expect(try tablet.request(.session, .refresh).op == .refreshed)
        }
        let conversation = "4318 CONVERSATION_API_QUOTA_EXCEEDED"
        let other = "4116 MESSAGE_SENT_QUOTA_EXCEEDED"
        for client in [tom, tablet] {
            #expect(LeanCloudClient.error(try client.conv(.count) { $0.cid = cid }) == conversation)
            #expect(LeanCloudClient.error(try client.request(.blacklist, .query)) == conversation)
            #expect(LeanCloudClient.error(try client.request(.session, .refresh)) == other)
            #expect(LeanCloudClient.error(try client.request(.session, .query)) == other)
            #expect(LeanCloudClient.error(try client.request(.patch, .modify)) == other)
            #expect(LeanCloudClient.error(try client.tryToOpen("Tom")) == other)
        }
        // What others ask, pages of history, messages and leaving are counted by themselves, or not at all.
        #expect(try jerry.conv(.count) { $0.cid = cid }.op == .result)
        #expect(try self.logs(tom, cid) == nil)
        #expect(try self.logs(tablet, cid) == nil)
        #expect(try self.logs(tom, cid) == conversation)
        #expect(try tom.say("hello", in: cid).code == nil)
        #expect(try jerry.nextMessage().msg == "hello")
        #expect(try tablet.request(.session, .close).op == .closed)
        self.clock.advance(milliseconds: 10_000)
        #expect(try tom.conv(.count) { $0.cid = cid }.op == .result)
        #expect(try self.logs(tom, cid) == nil)
        #expect(try self.logs(tom, cid) == conversation)
        // A server that stops waits for its clients, by a clock that stands still here.
        for client in [tom, tablet, jerry] { client.drop() }
        self.server.stop()
    }

    @Test("how long a command may be is the operator's to say")
    func length() throws {
        let server = try TestServer { $0.leanCloud.commandBytes = 8 * 1024 }
        let cid = try server.directID("Tom", "Jerry")
        let (tom, jerry) = (try server.leanCloud("Tom"), try server.leanCloud("Jerry"))
        let text = String(repeating: "x", count: 7 * 1024)
        #expect(try tom.say(text, in: cid).code == nil)
        #expect(try jerry.nextMessage().msg == text)
        let answer = try tom.request(.direct) { command in
            var direct = DirectCommand()
            direct.cid = cid
            direct.msg = String(repeating: "x", count: 8 * 1024)
            command.directMessage = direct
        }
        #expect(LeanCloudClient.error(answer) == "4109 FRAME_TOO_LONG")
    }
}
