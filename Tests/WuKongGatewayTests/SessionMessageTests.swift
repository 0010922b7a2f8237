import Broker
import ChatModel
import Testing
import WuKongWire

@testable import WuKongGateway

struct SessionMessageTests {
    @Test("a ping is answered by its id")
    func ping() {
        let probe = SessionProbe.active()
        let named = probe.receive(.ping(requestID("3")))
        #expect(named == ["pong 3"])
        let nameless = probe.receive(.ping(nil))
        #expect(nameless == ["pong -"])
    }

    @Test("who disconnects is answered where it asked for an answer, and closed with 1000")
    func disconnect() {
        let named = SessionProbe.active().receive(.disconnect(requestID("3")))
        #expect(named == ["pong 3", "close 1000 signed out"])
        let nameless = SessionProbe.active().receive(.disconnect(nil))
        #expect(nameless == ["close 1000 signed out"])
    }

    @Test("what is not served is refused by its id; without one it has no answer")
    func unsupported() {
        let probe = SessionProbe.active()
        let named = probe.receive(.unsupported(requestID("3"), "there is no method x"))
        #expect(named == ["refused 3 -32601: there is no method x"])
        let nameless = probe.receive(.unsupported(nil, "there is no method x"))
        #expect(nameless.isEmpty && probe.session.isActive)
    }

    @Test("a wrong request is refused and the session goes on")
    func invalid() {
        let probe = SessionProbe.active()
        let error = WuKongRequestError(id: requestID("3"), code: .invalidParams, message: "no")
        let named = probe.receive(.invalid(error))
        #expect(named == ["refused 3 -32602: no"])
        let nameless = probe.receive(.invalid(WuKongRequestError(id: nil, code: .invalidParams, message: "no")))
        #expect(nameless.isEmpty && probe.session.isActive)
    }

    @Test("a WebSocket message that is no JSON is refused; a stream that is none ends")
    func malformed() {
        let probe = SessionProbe.active()
        let message = probe.receive(.malformed(nil, "no", endsStream: false))
        #expect(message == ["refused - -32700: no"] && probe.session.isActive)
        let stream = probe.receive(.malformed(requestID("3"), "no", endsStream: true))
        #expect(stream == ["refused 3 -32700: no", "close 1008 not JSON"])
    }

    @Test("bytes of the binary encoding that cannot be followed are logged and close with 1002")
    func broken() {
        let lines = SessionProbe.active().receive(.broken("unknown type 0"))
        #expect(lines == ["log broken: unknown type 0", "close 1002 unknown type 0"])
    }

    @Test(
        "a message to each kind of channel is handed on",
        arguments: [
            ("juliet", 1, .direct(UserName("juliet")!)), ("tea", 2, .channel(.group, ChannelName("tea")!)),
            ("tea", 9, .channel(.room, ChannelName("tea")!)),
        ] as [(String, Int, ConversationAddress)])
    func send(_ channel: String, _ type: Int, _ address: ConversationAddress) {
        let probe = SessionProbe.active()
        let lines = probe.receive(.send(clientMessage(to: channel, type: type), ticket: 9))
        #expect(lines.isEmpty, "its answer comes with its outcome")
        #expect(probe.publishes.count == 1)
        #expect(probe.publishes[0].session == SessionID(rawValue: 5) && probe.publishes[0].ticket == 9)
        #expect(probe.publishes[0].address == address)
        #expect(probe.publishes[0].clientToken == ClientToken(Array("n1".utf8)))
    }

    @Test("a message that cannot be handed on is answered at once")
    func refusedSend() {
        let probe = SessionProbe.active()
        let type = probe.receive(.send(clientMessage(type: 77), ticket: 1))
        #expect(type == ["sent 1 notSupportChannelType id 0 sequence 0"])
        let channel = probe.receive(.send(clientMessage(to: "a@b"), ticket: 2))
        #expect(channel == ["sent 2 channelIDError id 0 sequence 0"])
        let topic = probe.receive(.send(clientMessage(topic: String(repeating: "t", count: 256)), ticket: 3))
        #expect(topic == ["sent 3 notAllowSend id 0 sequence 0"])
        let payload = probe.receive(.unusableSend(.payloadDecodeError, ticket: 4))
        #expect(payload == ["sent 4 payloadDecodeError id 0 sequence 0"])
        #expect(probe.publishes.isEmpty)
    }

    @Test("more messages than may wait for their outcome are too fast, until one is answered")
    func unanswered() {
        let probe = SessionProbe.active { $0.unansweredMessages = 2 }
        for ticket in 1...2 { _ = probe.receive(.send(clientMessage(), ticket: UInt64(ticket))) }
        let third = probe.receive(.send(clientMessage(), ticket: 3))
        #expect(third == ["sent 3 rateLimit id 0 sequence 0"])
        let refusal = probe.published(1, .rateLimited)
        #expect(refusal == ["sent 1 rateLimit id 0 sequence 0"])
        let fourth = probe.receive(.send(clientMessage(), ticket: 4))
        #expect(fourth.isEmpty && probe.publishes.map(\.ticket) == [1, 2, 4])
    }

    @Test("an accepted message is answered with its id and sequence, and counts as delivered to its writer")
    func accepted() {
        let probe = SessionProbe.active()
        _ = probe.receive(.send(clientMessage(), ticket: 1))
        let lines = probe.published(1, accepted(sequence: 4))
        #expect(lines == ["note", "sent 1 success id 7004 sequence 4"])
        #expect(probe.delivered() == [ConversationID(rawValue: 7): 4])
    }

    @Test("a transient message is answered with sequence 0 and is no position")
    func transient() {
        let probe = SessionProbe.active()
        _ = probe.receive(.send(clientMessage(), ticket: 1))
        let lines = probe.published(1, accepted(sequence: 0))
        #expect(lines == ["sent 1 success id 7000 sequence 0"])
        #expect(probe.delivered().isEmpty)
    }

    @Test(
        "what the broker refuses is answered with its reason",
        arguments: [
            (.refused(.blocked), "inBlacklist"), (.busy, "rateLimit"), (.full, "systemError"),
            (.refused(.conversationDisbanded), "disband"),
        ] as [(PublishOutcome, String)])
    func refusals(_ outcome: PublishOutcome, _ reason: String) {
        let probe = SessionProbe.active()
        _ = probe.receive(.send(clientMessage(), ticket: 1))
        let lines = probe.published(1, outcome)
        #expect(lines == ["sent 1 \(reason) id 0 sequence 0"])
    }

    private func accepted(sequence: Int64) -> PublishOutcome {
        .accepted(
            id: MessageID(rawValue: 7000 + sequence), conversation: ConversationID(rawValue: 7), sequence: sequence,
            sentAtMilliseconds: 0, isDuplicate: false, isMasked: false)
    }
}
