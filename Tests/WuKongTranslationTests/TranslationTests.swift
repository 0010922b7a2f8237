import Broker
import ChatModel
import Store
import Testing
import WuKongWire

@testable import WuKongTranslation

struct TranslationTests {
    @Test(
        "channel ids and types become addresses, unless the id is built of others or the type is none",
        arguments: [
            ("juliet", 1, ConversationAddress.direct(UserName("juliet")!)),
            ("tea", 2, .channel(.group, ChannelName("tea")!)),
            ("tea", 9, .channel(.room, ChannelName("tea")!)), ("tea", 0, nil), ("tea", 13, nil),
            ("town@square", 5, .channel(.communityTopic, ChannelName("town@square")!)),
            ("square", 5, .channel(.communityTopic, ChannelName("square")!)),
            ("romeo@bot", 11, .channel(.agent, ChannelName("romeo@bot")!)),
            ("a@b@c", 5, nil), ("@b", 11, nil), ("a@", 11, nil), ("a@b#", 5, nil), ("a@b", 12, nil), ("", 11, nil),
            ("tea", 300, nil), ("tea", -1, nil),
            ("a@b", 1, nil), ("a#b", 2, nil), ("a&b", 1, nil), ("", 1, nil), ("", 2, nil),
        ])
    func addresses(channel: String, type: Int, expected: ConversationAddress?) {
        #expect(Translation.address(channelID: channel, type: type) == expected)
    }

    @Test(
        "each kind of conversation is one channel type, and the other way round", arguments: ConversationKind.allCases)
    func kindsAndTypes(kind: ConversationKind) {
        #expect(Translation.conversationKind(Translation.channelType(kind)) == kind)
    }

    @Test(
        "content types that every dialect has become the built-in kinds, the others keep their number",
        arguments: [(1, -1), (2, -2), (4, -3), (5, -4), (6, -5), (8, -6), (3, 3), (99, 99), (0, 0), (-5, 0)])
    func kinds(contentType: Int, kind: Int32) {
        #expect(Translation.kind(contentType: contentType).rawValue == kind)
    }

    @Test(
        "each refusal has its reason code",
        arguments: zip(
            PublishRefusal.allCases,
            [19, 25, 19, 25, 24, 5, 5, 4, 13, 3, 11, 11, 11, 11, 11, 11, 11, 23, 11, 11, 11, 11, 11]))
    func refusals(refusal: PublishRefusal, code: Int) {
        #expect(Translation.reason(.refused(refusal)).rawValue == code)
    }

    @Test("the server itself has an empty uid as a sender, everybody else their own")
    func senders() {
        #expect(Translation.senderUID(systemUserName) == "")
        #expect(Translation.senderUID(UserName("romeo")!) == "romeo")
    }

    @Test("busy and too fast are 22, a full disk is 15")
    func states() {
        #expect(Translation.reason(.busy).rawValue == 22)
        #expect(Translation.reason(.rateLimited).rawValue == 22)
        #expect(Translation.reason(.full).rawValue == 15)
    }

    static func delivery(_ kind: ConversationKind, _ flags: MessageFlags) -> Delivery {
        let content = MessageContent(
            kind: .text, flags: flags, wire: .wuKong, body: Array("{}".utf8), expireSeconds: 60, topic: "t")
        let message = Message(
            conversation: ConversationID(rawValue: 1), sequence: 7, id: MessageID(rawValue: 9),
            sender: UserID(rawValue: 1), senderName: UserName("romeo")!, sentAtMilliseconds: 1_700_000_000_999,
            clientToken: ClientToken(Array("n".utf8)), content: content)
        return Delivery(
            message: message, kind: kind, channel: kind == .group ? ChannelName("tea") : nil,
            peerName: kind == .direct ? UserName("juliet") : nil, origin: 0)
    }

    @Test("in a person channel the receiver sees the sender, the sender's devices see the peer")
    func personChannel() {
        let delivery = Self.delivery(.direct, [.countsAsUnread, .receiptRequested])
        let theirs = Translation.received(delivery, isOwn: false, isRepeat: false)
        #expect(theirs.channelID == "romeo" && theirs.channelType == .person && theirs.fromUID == "romeo")
        #expect(theirs.header == WuKongHeader(redDot: true))
        #expect(theirs.setting == [.receipt, .topic] && theirs.expire == 60)
        #expect(theirs.timestampSeconds == 1_700_000_000)
        let own = Translation.received(delivery, isOwn: true, isRepeat: true)
        #expect(own.channelID == "juliet" && own.header == WuKongHeader(dup: true))
    }

    @Test("in a group everyone sees the group")
    func groupChannel() {
        let delivery = Self.delivery(.group, [.transient, .syncOnce, .endToEndEncrypted])
        let received = Translation.received(delivery, isOwn: true, isRepeat: false)
        #expect(received.channelID == "tea" && received.channelType == .group)
        #expect(received.header == WuKongHeader(noPersist: true, syncOnce: true))
        #expect(received.setting == [.signal, .topic])
    }

    @Test(
        "a person channel is stored under both uids, the larger checksum first, whoever asks",
        arguments: [("alice", "bob", "bob@alice"), ("u1", "u2", "u2@u1"), ("1001", "1002", "1001@1002")])
    func personChannelIDs(one: String, other: String, expected: String) throws {
        let (one, other) = (UserName(one)!, UserName(other)!)
        #expect(Translation.personChannelID(one, other) == expected)
        #expect(Translation.personChannelID(other, one) == expected)
        let people = try #require(Translation.people(ofPersonChannel: expected))
        #expect([people.first, people.second].sorted { $0.text < $1.text } == [one, other])
    }

    @Test("anything but two uids is no person channel", arguments: ["", "a", "a@", "@a", "a@b@c", "a#@b"])
    func noPersonChannel(id: String) { #expect(Translation.people(ofPersonChannel: id) == nil) }

    @Test("device flags and classes stand for each other; 99 and the rest for nothing", arguments: -1...100)
    func devices(flag: Int) {
        let deviceClass = Translation.deviceClass(flag)
        #expect((deviceClass != nil) == (0...2).contains(flag))
        if let deviceClass { #expect(Translation.deviceFlag(deviceClass) == flag) }
    }

    @Test("a sender's header and setting come out again")
    func flags() {
        let header = WuKongHeader(noPersist: true, redDot: true, syncOnce: true)
        let flags = Translation.flags(header: header, setting: [.receipt, .signal, .stream], payloadIsJSONObject: true)
        #expect(Translation.header(of: flags) == header)
        let content = MessageContent(kind: .text, flags: flags, wire: .wuKong, body: [])
        #expect(Translation.setting(of: content) == [.receipt, .signal, .stream])
        var gone = content
        gone.flags.insert(.withdrawn)
        #expect(Translation.setting(of: gone) == [.receipt, .signal], "what is gone was not written step by step")
    }

    @Test("a payload's facts become kind, flag and mentions, the same from both encodings")
    func contents() throws {
        let payload = Array("{\"type\":2,\"mention\":{\"all\":1,\"uids\":[\"juliet\",\"a@b\",\"\"]}}".utf8)
        let header = WuKongHeader(redDot: true)
        let content = try Translation.accepted(
            payload: payload, header: header, setting: .receipt, topic: "t", expire: 9, from: .user)
        #expect(content.kind == .image && content.body == payload && content.topic == "t" && content.expireSeconds == 9)
        #expect(content.flags == [.countsAsUnread, .receiptRequested, .bodyIsJSONObject])
        #expect(content.mentions == Mentions(all: true, users: [UserName("juliet")!]))
        let parameters = SendParameters(
            clientMessageNumber: "n", channelID: "tea", channelType: 2, payload: payload,
            facts: PayloadFacts(of: payload), header: header, setting: .receipt, topic: "t", expire: 9)
        #expect(try Translation.accepted(parameters) == content)
    }

    @Test("a recalled message is told as content type 1006; a topic that no SDK can be told is left out")
    func withdrawn() {
        let message = Self.delivery(.group, [.withdrawn]).message
        let told = Translation.received(message, channelID: "tea", channelType: .group, isOwn: false)
        #expect(told.payload == Array("{\"type\":1006}".utf8) && told.payloadIsJSONObject)
        let content = MessageContent(
            kind: .text, flags: [], wire: .native, body: [], topic: String(repeating: "t", count: 256))
        #expect(Translation.setting(of: content) == [])
    }
}
