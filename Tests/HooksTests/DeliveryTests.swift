import ByteCodec
import ChatModel
import Execution
import Glibc
import HTTPClient
import Store
import TeahouseTesting
import Testing

@testable import Hooks

@Suite("Delivery of events")
struct DeliveryTests {
    @Test("stored messages arrive together, in order, and nothing is left behind")
    func notify() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.messages] }
        try rig.add("juliet")
        for number in 1...5 { try rig.say("m\(number)", from: "romeo", to: "juliet") }
        let requests = try #require(receiver.wait { $0.notified.count >= 5 })
        #expect(requests.notified == ["m1", "m2", "m3", "m4", "m5"])
        #expect(requests.allSatisfy { $0.method == "POST" && $0.target == "/hook?event=msg.notify" })
        rig.stop()
        #expect(try Rig(nil, on: rig.folder).waiting() == 0)
    }

    @Test("a message is worded as WuKongIM words it")
    func wording() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address)
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        let requests = try #require(receiver.wait { !$0.of(.messages).isEmpty && !$0.of(.offline).isEmpty })
        let message = try #require(requests.of(.messages)[0].json.array?.first)
        let id = try #require(message["message_id"]?.integer)
        let members = try #require(message.object)
        #expect(
            members.map(\.name) == [
                "header", "setting", "message_id", "message_idstr", "client_msg_no", "message_seq", "from_uid",
                "channel_id", "channel_type", "expire", "timestamp", "payload",
            ])
        #expect(message["header"]?.serialized() == Array("{\"no_persist\":0,\"red_dot\":1,\"sync_once\":0}".utf8))
        #expect(message["message_idstr"]?.string == String(id))
        #expect(message["client_msg_no"]?.string == "token-hi")
        #expect(message["message_seq"]?.integer == 1)
        #expect(message["from_uid"]?.string == "romeo")
        #expect(message["channel_id"]?.string == "juliet")
        #expect(message["channel_type"]?.integer == 1)
        #expect(message["payload"]?.string == "aGk=")
        let offline = requests.of(.offline)[0]
        #expect(offline.json["channel_id"]?.string == "juliet")
        #expect(offline.json["message_id"]?.integer == id)
        #expect(offline.fields["x-teahouse-event-id"] == "offline-\(id)")
        #expect(requests.of(.messages)[0].fields["x-teahouse-event-id"] == "notify-\(id)-\(id)")
    }

    @Test("what the server itself says has an empty sender")
    func system() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.messages] }
        try rig.add("juliet")
        try rig.say("news", from: systemUserName.text, to: "juliet")
        let message = try #require(receiver.wait { !$0.isEmpty }?.first?.json.array?.first)
        #expect(message["from_uid"]?.string == "")
        #expect(message["channel_id"]?.string == "juliet")
    }

    @Test("transient messages are nobody's business")
    func transient() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address)
        try rig.add("juliet")
        try rig.say("typing", from: "romeo", to: .direct(UserName("juliet")!), flags: .transient)
        try rig.say("stored", from: "romeo", to: "juliet")
        let requests = try #require(receiver.wait { !$0.of(.messages).isEmpty })
        #expect(requests.notified == ["stored"])
    }

    @Test("nothing is queued and nothing sent when hooks are off")
    func off() throws {
        let rig = try Rig(nil)
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        #expect(try rig.waiting() == 0)
    }

    @Test("only events that are in focus are sent")
    func focus() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.offline] }
        try rig.signIn("romeo")
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        try rig.say("there", from: "romeo", to: "juliet")
        let requests = try #require(receiver.wait { $0.count >= 2 })
        #expect(requests.map(\.event) == ["msg.offline", "msg.offline"])
    }

    @Test(
        "what the receiver does not take is sent again, and the order stays",
        arguments: [ReceiverReply.status(500), .status(302), .status(201), .close])
    func retries(reply: ReceiverReply) throws {
        let failures = Lock(0)
        let receiver = HTTPReceiver { _ in
            failures.withLock { failures in
                failures += 1
                return failures % 3 == 0 ? .status(200) : reply
            }
        }
        let rig = try Rig(receiver.address) { $0.events = [.messages] }
        try rig.add("juliet")
        for number in 1...20 { try rig.say("m\(number)", from: "romeo", to: "juliet") }
        #expect(receiver.wait { $0.notified.contains("m20") } != nil)
        while try rig.waiting() > 0 { #expect(receiver.wait { !$0.isEmpty } != nil) }
        var seen: [String] = []
        for text in receiver.requests.notified where !seen.contains(text) { seen.append(text) }
        #expect(seen == (1...20).map { "m\($0)" })
        #expect(rig.lines.contain("hook_failed"))
    }

    @Test("each attempt has the same id and body")
    func sameAttempt() throws {
        let receiver = HTTPReceiver { _ in .status(503) }
        let rig = try Rig(receiver.address) { $0.events = [.offline] }
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        let requests = try #require(receiver.wait { $0.count >= 3 })
        #expect(Set(requests.map { $0.fields["x-teahouse-event-id"] }).count == 1)
        #expect(Set(requests.map(\.body)).count == 1)
        let metrics = try #require(rig.hooks).metrics
        #expect(metrics.lastError == "127.0.0.1 answered 503")
        #expect(metrics.failures >= 2)
    }

    @Test("a receiver that answers too late is asked again")
    func timeout() throws {
        let receiver = HTTPReceiver { $0.connection == 1 ? .silence : .status(200) }
        let rig = try Rig(receiver.address) {
            $0.events = [.messages]
            $0.timeoutMilliseconds = 50
        }
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        let requests = try #require(receiver.wait { $0.count >= 2 })
        // Asked a third time where the second answer is late, too.
        #expect(requests.prefix(2).map(\.payloads) == [["hi"], ["hi"]])
    }

    @Test("a receiver that comes back on its port gets everything; chat went on meanwhile")
    func comesBack() throws {
        let first = HTTPReceiver()
        let port = first.port
        let rig = try Rig(first.address) { $0.events = [.messages] }
        try rig.add("juliet")
        try rig.say("m1", from: "romeo", to: "juliet")
        #expect(first.wait { $0.notified == ["m1"] } != nil)
        first.stop()
        for number in 2...300 { try rig.say("m\(number)", from: "romeo", to: "juliet") }
        let second = HTTPReceiver(port: port)
        let requests = try #require(second.wait { $0.notified.contains("m300") })
        #expect(requests.notified.last == "m300")
        #expect(Set(requests.notified).isSuperset(of: (2...300).map { "m\($0)" }))
        #expect(requests.of(.messages).allSatisfy { $0.payloads.count <= 100 })
    }

    @Test("what was not taken survives a restart of the server")
    func restart() throws {
        let receiver = HTTPReceiver { _ in .status(500) }
        let rig = try Rig(receiver.address) { $0.events = [.messages] }
        try rig.add("juliet")
        for number in 1...3 { try rig.say("m\(number)", from: "romeo", to: "juliet") }
        #expect(receiver.wait { !$0.isEmpty } != nil)
        rig.stop()
        let later = HTTPReceiver()
        let again = try Rig(later.address, on: rig.folder) { $0.events = [.messages] }
        let requests = try #require(later.wait { $0.notified.count >= 3 })
        #expect(requests.notified == ["m1", "m2", "m3"])
        again.stop()
    }

    @Test("what was not taken survives a kill of the server")
    func kill() throws {
        let receiver = HTTPReceiver { _ in .silence }
        let rig = try Rig(receiver.address) { $0.events = [.messages] }
        try rig.add("juliet")
        for number in 1...3 { try rig.say("m\(number)", from: "romeo", to: "juliet") }
        #expect(receiver.wait { !$0.isEmpty } != nil)
        // The files as they are at this moment are what a kill leaves. The writer is held meanwhile: after a quiet second
        // it would move one into the other.
        let left = TemporaryFolder()
        let copied = try rig.store.writeAndWait { [path = rig.folder.path] _ throws(StoreError) in
            ["teahouse.db", "teahouse.db-wal"].allSatisfy { name in
                (try? copyFile("\(path)/\(name)", "\(left.path)/\(name)")) != nil
            }
        }
        try #require(copied)
        let later = HTTPReceiver()
        let again = try Rig(later.address, on: left) { $0.events = [.messages] }
        let requests = try #require(later.wait { $0.notified.count >= 3 })
        #expect(requests.notified == ["m1", "m2", "m3"])
        again.stop()
    }

    @Test("an event that is too old is given up, and the operator is told")
    func giveUp() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) {
            $0.events = [.messages]
            $0.giveUpMilliseconds = -60_000
        }
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        let hooks = try #require(rig.hooks)
        try waitUntil { try hooks.metrics.dropped >= 1 && rig.waiting() == 0 }
        #expect(receiver.requests.isEmpty)
        #expect(rig.lines.contain("hook_events_dropped"))
    }

    @Test("a queue that is too long loses its oldest events")
    func bound() throws {
        let receiver = HTTPReceiver { _ in .status(500) }
        let rig = try Rig(receiver.address) {
            $0.events = [.messages]
            $0.queueEvents = 5
        }
        try rig.add("juliet")
        for number in 1...20 { try rig.say("m\(number)", from: "romeo", to: "juliet") }
        try waitUntil { try rig.waiting() <= 5 }
        let oldest = try rig.store.readAndWait { transaction throws(StoreError) in
            try transaction.hooks.oldest(limit: 100).map(\.subject)
        }
        #expect(oldest.last == .message(ConversationID(rawValue: 1), sequence: 20))
        #expect(oldest.count == 5)
    }

    @Test("requests are signed with the secret")
    func signed() throws {
        let receiver = HTTPReceiver()
        let secret = Array("a secret of enough bytes".utf8)
        let rig = try Rig(receiver.address) {
            $0.events = [.messages]
            $0.secret = secret
        }
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        let request = try #require(receiver.wait { !$0.isEmpty }?.first)
        let signature = try #require(request.fields["x-teahouse-signature"])
        let seconds = try #require(Int64(signature.dropFirst(2).prefix { $0 != "," }))
        #expect(abs(seconds - Clock.system.wallMilliseconds() / 1000) < 60)
        #expect(signature == RequestSignature.text(secret: secret, unixSeconds: seconds, body: request.body))
    }

    @Test("our own doors are never told")
    func ownDoors() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address, rule: AddressRule(ownPorts: [receiver.port])) { $0.events = [.messages] }
        try rig.add("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        let hooks = try #require(rig.hooks)
        try waitUntil { hooks.metrics.failures >= 2 }
        #expect(hooks.metrics.lastError?.contains("teahouse itself") == true)
        #expect(receiver.requests.isEmpty)
    }
}

/// Copies a file that may be written to meanwhile.
func copyFile(_ from: String, _ to: String) throws {
    guard let source = fopen(from, "r"), let target = fopen(to, "w") else {
        throw RigError(description: "cannot copy \(from)")
    }
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&room, 1, room.count, source), count > 0 { fwrite(room, 1, count, target) }
    fclose(source)
    fclose(target)
}
