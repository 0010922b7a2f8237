import ChatModel
import Execution
import Store
import TeahouseTesting
import Testing

/// A message from one person to others, over real sockets and a real database.
struct MessageScenarios {
    @Test("one to one: acknowledged with id and sequence, received with the sender as the channel")
    func oneToOne() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let first = try romeo.publish("你好 🍵", to: "juliet")
        #expect(first.reason == 1 && first.sequence == 1)
        let received = try juliet.receive()
        #expect(received.text == "你好 🍵")
        #expect(received.from == "romeo" && received.channel == "romeo" && received.channelType == 1)
        #expect(received.messageID == first.messageID && received.sequence == 1)
        let answer = try juliet.publish("good morrow", to: "romeo")
        #expect(answer.sequence == 2, "one conversation per pair")
        #expect(try romeo.receive().text == "good morrow")
    }

    @Test("the sender's other devices get it with the peer as the channel, the sending one does not")
    func ownDevices() throws {
        let server = try TestServer()
        let desktop = try server.connect("romeo", .desktop)
        let phone = try server.connect("romeo", .app)
        let juliet = try server.connect("juliet")
        try desktop.publish("hi", to: "juliet")
        let copy = try phone.receive()
        #expect(copy.channel == "juliet" && copy.from == "romeo")
        #expect(copy.parameters["header"]?["redDot"]?.boolean != true, "not unread for its sender")
        #expect(try juliet.receive().parameters["header"]?["redDot"]?.boolean == true)
        try desktop.settle()
        #expect(desktop.waiting.isEmpty)
    }

    @Test("a group of 500: everyone else gets every message once, in order")
    func bigGroup() throws {
        let server = try TestServer()
        let names = (0..<500).map { "u\($0)" }
        try server.group("tea", names)
        let clients = try names.prefix(40).map { try server.connect($0) }
        for number in 0..<20 { try clients[number % 2].publish("m\(number)", to: "tea", group: true) }
        for (index, client) in clients.enumerated() {
            let expected = (0..<20).filter { index > 1 || $0 % 2 != index }.map { "m\($0)" }
            let got = try client.receive(expected.count)
            #expect(got == expected)
        }
        #expect(try server.history(.channel(.group, ChannelName("tea")!), seenBy: "u499").count == 20)
    }

    @Test("one session's messages without an answer have a bound; the one above it is refused, the others arrive")
    func unansweredBound() throws {
        let server = try TestServer { $0.wuKong.unansweredMessages = 3 }
        let (romeo, juliet) = (try server.connect("romeo"), try server.connect("juliet"))
        let (gate, isHeld) = (ConditionLock(false), ConditionLock(false))
        server.server.store.write { _ throws(StoreError) in
            isHeld.change { $0 = true }
            gate.wait(until: { $0 }, then: { _ in })
        } then: { _ in
        }
        isHeld.wait(until: { $0 }, then: { _ in })
        for number in 1...4 {
            let parameters = TestClient.sendParameters(
                "m\(number)", to: "juliet", group: false, number: nil, header: "\"redDot\":true")
            try romeo.send(raw: "{\"id\":\"s\(number)\",\"method\":\"send\",\"params\":\(parameters)}")
        }
        #expect(try romeo.answer(to: "s4")["result"]?["reasonCode"]?.integer == 22)
        gate.change { $0 = true }
        for number in 1...3 {
            #expect(try romeo.answer(to: "s\(number)")["result"]?["reasonCode"]?.integer == 1)
        }
        #expect(try juliet.receive(3) == ["m1", "m2", "m3"])
        #expect(try romeo.publish("m5", to: "juliet").reason == 1)
    }

    @Test("who was away gets what was missed at the next sign-in, once, and then what is new")
    func offlineAndBack() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        for number in 0..<30 { try romeo.publish("m\(number)", to: "juliet") }
        let juliet = try server.connect("juliet")
        #expect(try juliet.receive(30) == (0..<30).map { "m\($0)" })
        try romeo.publish("live", to: "juliet")
        #expect(try juliet.receive().text == "live")
        try juliet.settle()
        juliet.drop()
        try romeo.publish("while away", to: "juliet")
        let again = try server.connect("juliet")
        #expect(try again.receive().text == "while away")
        try again.settle()
        #expect(again.waiting.isEmpty, "nothing that was acknowledged comes again")
    }

    @Test("one's own messages do not come back at the next sign-in")
    func ownMessages() throws {
        let server = try TestServer()
        try server.add("juliet")
        let romeo = try server.connect("romeo")
        try romeo.publish("one", to: "juliet")
        try romeo.settle()
        romeo.drop()
        let again = try server.connect("romeo")
        try again.settle()
        #expect(again.waiting.isEmpty)
    }

    @Test("a resend with the same number is answered with the first id and nobody gets it twice")
    func resend() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let first = try romeo.publish("once", to: "juliet", number: "n-1")
        let second = try romeo.publish("once", to: "juliet", number: "n-1")
        #expect(first == second)
        let other = try romeo.publish("twice?", to: "juliet", number: "n-1")
        #expect(other.reason == 11, "the same number with another body is refused")
        try romeo.publish("last", to: "juliet", number: "n-2")
        #expect(try juliet.receive(2) == ["once", "last"])
    }

    @Test("a restart in the middle loses nothing and keeps resends recognisable")
    func restart() throws {
        let server = try TestServer()
        let token = try server.token("romeo")
        var romeo = try server.connect("romeo", token: token)
        try server.add("juliet")
        let before = try romeo.publish("before", to: "juliet", number: "n-1")
        try server.restart()
        #expect(try romeo.waitForEnd().isEmpty, "the socket closes without a disconnect, so that SDKs come back")
        romeo = try server.connect("romeo", token: token)
        #expect(try romeo.publish("before", to: "juliet", number: "n-1") == before)
        #expect(try romeo.publish("after", to: "juliet").sequence == 2)
        let juliet = try server.connect("juliet")
        #expect(try juliet.receive(2) == ["before", "after"])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a message that is not to be stored is routed with sequence 0 and never seen again")
    func transient() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        try romeo.publish("stored", to: "juliet")
        let typing = try romeo.publish("typing", to: "juliet", header: "\"noPersist\":true")
        #expect(typing.reason == 1 && typing.sequence == 0)
        #expect(try juliet.receive(2) == ["stored", "typing"])
        #expect(try server.history(.direct(UserName("juliet")!), seenBy: "romeo").count == 1)
    }

    @Test("an unacknowledged message is sent again, marked as a repeat, and then given up")
    func redelivery() throws {
        let server = try TestServer {
            $0.wuKong.redeliverySeconds = 0
            $0.wuKong.redeliveryAttempts = 2
        }
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        juliet.acknowledges = false
        try romeo.publish("hello", to: "juliet")
        #expect(try juliet.receive().parameters["header"]?["dup"]?.boolean != true)
        let second = try juliet.receive()
        #expect(second.text == "hello" && second.parameters["header"]?["dup"]?.boolean == true)
    }

    @Test("a message that was recalled is not sent again with its body, in either encoding")
    func recalledBeforeItIsAcknowledged() throws {
        let server = try TestServer {
            $0.wuKong.redeliverySeconds = 0
            $0.wuKong.redeliveryAttempts = 3
        }
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let phone = try server.connectBinary("juliet", .app)
        juliet.acknowledges = false
        phone.acknowledges = false
        let sent = try romeo.publish("regretted", to: "juliet")
        let author = try server.id("romeo")
        #expect(try juliet.receive().text == "regretted" && phone.receive().text == "regretted")
        let place = try #require(try server.history(.direct(UserName("juliet")!), seenBy: "romeo").last)
        try server.write { transaction throws(StoreError) in
            try transaction.messages.recall(MessagePlace(place.conversation, place.sequence), by: Actor(author))
        }
        // What comes behind this one comes after the recall.
        try romeo.publish("marker", to: "juliet")
        while try juliet.receive().text != "marker" {}
        while try phone.receive().text != "marker" {}
        var again = try juliet.receive()
        while again.messageID != sent.messageID { again = try juliet.receive() }
        #expect(again.parameters["header"]?["dup"]?.boolean == true && again.text.isEmpty)
        #expect(again.parameters["payload"]?["type"]?.integer == 1006)
        var repeated = try phone.receive()
        while repeated.packet.messageID != place.id.rawValue { repeated = try phone.receive() }
        #expect(repeated.packet.header.dup && repeated.text != "regretted")
    }
}
