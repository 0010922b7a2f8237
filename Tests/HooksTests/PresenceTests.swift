import Broker
import ChatModel
import Execution
import Glibc
import Store
import TeahouseTesting
import Testing

@testable import Hooks

@Suite("Who is woken, and who is online")
struct PresenceTests {
    @Test("those without a primary device online are listed, the sender never")
    func offline() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.offline] }
        try rig.group("verona", "romeo", "juliet", "nurse", "tybalt", "paris")
        try rig.signIn("juliet", .app, .primary)
        try rig.signIn("nurse", .web, .secondary)
        try rig.signIn("tybalt", .desktop, .primary)
        try rig.signIn("tybalt", .web, .secondary)
        try rig.say("hi", from: "romeo", group: "verona")
        let request = try #require(receiver.wait { !$0.isEmpty }?.first)
        #expect(Set(request.receivers) == ["nurse", "paris"])
        #expect(request.receivers.count == 2)
        #expect(request.json["channel_id"]?.string == "verona")
        #expect(request.json["channel_type"]?.integer == 2)
    }

    @Test("who has silenced the notifications of a conversation is not woken for it")
    func silenced() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.offline] }
        try rig.group("verona", "romeo", "juliet", "nurse")
        try rig.group("mantua", "romeo", "juliet", "nurse")
        try rig.store.writeAndWait { transaction throws(StoreError) in
            let juliet = try transaction.reading.people.user(named: UserName("juliet")!)!.id
            let verona = ConversationAddress.channel(.group, ChannelName("verona")!)
            let id = try transaction.reading.conversations.one(verona, seenBy: juliet)!.id
            var patch = PreferencePatch()
            patch.isSilenced = true
            try transaction.inbox.setPreference(juliet, in: id, patch)
        }
        try rig.say("hi", from: "romeo", group: "verona")
        try rig.say("hi", from: "romeo", group: "mantua")
        let requests = try #require(receiver.wait { $0.count >= 2 })
        let receivers = Dictionary(
            uniqueKeysWithValues: requests.map { ($0.json["channel_id"]?.string, Set($0.receivers)) })
        #expect(receivers == ["verona": ["nurse"], "mantua": ["juliet", "nurse"]])
    }

    @Test("who hears of managers only is woken by owner and managers, as they are when it is told")
    func managersOnly() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.offline] }
        try rig.group("verona", "romeo", "juliet", "nurse")
        try rig.store.writeAndWait { transaction throws(StoreError) in
            let juliet = try transaction.reading.people.user(named: UserName("juliet")!)!.id
            let verona = ConversationAddress.channel(.group, ChannelName("verona")!)
            let id = try transaction.reading.conversations.one(verona, seenBy: juliet)!.id
            var patch = PreferencePatch()
            patch.alerts = .managers
            try transaction.inbox.setPreference(juliet, in: id, patch)
        }
        try rig.say("owner", from: "romeo", group: "verona")
        #expect(Set(try #require(receiver.wait { $0.count >= 1 }).last?.receivers ?? []) == ["juliet", "nurse"])
        try rig.say("member", from: "nurse", group: "verona")
        #expect(try #require(receiver.wait { $0.count >= 2 }).last?.receivers == ["romeo"])
    }

    @Test("nobody is woken when everybody is there")
    func allOnline() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.offline, .messages] }
        try rig.signIn("juliet")
        try rig.say("hi", from: "romeo", to: "juliet")
        #expect(receiver.wait { $0.notified == ["hi"] } != nil)
        try rig.broker.endAll(of: "juliet", rig)
        try rig.say("are you there", from: "romeo", to: "juliet")
        let requests = try #require(receiver.wait { $0.of(.offline).count >= 1 && $0.notified.count >= 2 })
        #expect(requests.of(.offline).map(\.payloads) == [["are you there"]])
    }

    @Test("in a topic, the members of its community are woken")
    func topic() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.offline] }
        let people = try rig.add("romeo", "juliet")
        try rig.store.writeAndWait { transaction throws(StoreError) in
            try transaction.conversations.createChannel(
                .community, ChannelName("verona")!, creator: people[0], members: people)
            try transaction.conversations.createChannel(
                .communityTopic, ChannelName("verona@balcony")!, creator: .system)
        }
        try rig.say("hi", from: "romeo", to: .channel(.communityTopic, ChannelName("verona@balcony")!))
        let request = try #require(receiver.wait { !$0.isEmpty }?.first)
        #expect(request.receivers == ["juliet"])
        #expect(request.json["channel_type"]?.integer == 5)
    }

    @Test("nobody is woken for an agent")
    func agent() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.offline, .messages] }
        try rig.add("romeo", "helper")
        try rig.say("hi", from: "helper", to: .channel(.agent, ChannelName("romeo@helper")!))
        try rig.say("there", from: "helper", to: "romeo")
        // Notices and wakings of one page go side by side, in any order; the next page goes after all of them.
        #expect(receiver.wait { $0.notified == ["hi", "there"] } != nil)
        try rig.say("last", from: "helper", to: "romeo")
        let requests = try #require(receiver.wait { $0.of(.offline).contains { $0.payloads == ["last"] } })
        #expect(requests.of(.offline).map(\.payloads) == [["there"], ["last"]])
    }

    @Test("devices that come and go are told with the devices that are online afterwards")
    func onlineStatus() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address) { $0.events = [.onlineStatus] }
        let app = try rig.signIn("mer-cutio", .app, .secondary)
        let second = try rig.signIn("mer-cutio", .app, .secondary)
        let web = try rig.signIn("mer-cutio", .web, .secondary)
        rig.broker.closed(second, .closedByPeer)
        rig.broker.closed(app, .closedByPeer)
        rig.broker.closed(web, .closedByPeer)
        let requests = try #require(receiver.wait { requests in requests.flatMap(\.lines).count >= 6 })
        #expect(requests.allSatisfy { $0.event == "user.onlinestatus" })
        #expect(
            requests.flatMap(\.lines) == [
                "mer-cutio-0-1-\(app.rawValue)-1-1", "mer-cutio-0-1-\(second.rawValue)-2-2",
                "mer-cutio-1-1-\(web.rawValue)-1-3", "mer-cutio-0-0-\(second.rawValue)-1-2",
                "mer-cutio-0-0-\(app.rawValue)-0-1", "mer-cutio-1-0-\(web.rawValue)-0-0",
            ])
    }

    @Test("who came while the store was busy is told later, once")
    func busyStore() throws {
        let receiver = HTTPReceiver()
        let rig = try Rig(receiver.address, queueRequests: 1) {
            $0.events = [.onlineStatus]
        }
        let romeo = try rig.add("romeo")[0]
        // The writer is held with the only request that the queue takes: what comes now is turned away.
        let (gate, isHeld) = (ConditionLock(false), ConditionLock(false))
        rig.store.write { _ throws(StoreError) in
            isHeld.change { $0 = true }
            gate.wait(until: { $0 }, then: { _ in })
        } then: { _ in
        }
        isHeld.wait(until: { $0 }, then: { _ in })
        let session = rig.signIn("romeo", as: romeo)
        try waitUntil { rig.store.metrics.busyRefusals > 0 }
        gate.change { $0 = true }
        let requests = try #require(receiver.wait { !$0.flatMap(\.lines).isEmpty })
        #expect(requests.flatMap(\.lines) == ["romeo-0-1-\(session.rawValue)-1-1"])
        #expect(!rig.lines.contain("dropped"))
    }

    @Test("that everybody is gone after a stop is told at the next start")
    func goneAfterStop() throws {
        let receiver = HTTPReceiver { _ in .status(500) }
        let rig = try Rig(receiver.address) { $0.events = [.onlineStatus] }
        let session = try rig.signIn("romeo")
        #expect(receiver.wait { !$0.isEmpty } != nil)
        rig.broker.closed(session, .serverStopping)
        rig.stop()
        receiver.change { _ in .status(200) }
        let again = try Rig(receiver.address, on: rig.folder) { $0.events = [.onlineStatus] }
        let gone = "romeo-0-0-\(session.rawValue)-0-0"
        let requests = try #require(receiver.wait { $0.flatMap(\.lines).contains(gone) })
        // An attempt of the server that stopped may be read late: it is in front of these.
        #expect(requests.flatMap(\.lines).suffix(2) == ["romeo-0-1-\(session.rawValue)-1-1", gone])
        again.stop()
    }
}

extension ReceivedRequest {
    /// The lines of `user.onlinestatus`.
    var lines: [String] { (self.json.array ?? []).compactMap(\.string) }
}

extension Broker {
    /// Ends a person's sessions and waits for it.
    func endAll(of name: String, _ rig: Rig) throws {
        let user = try rig.add(name)[0]
        let done = ConditionLock(false)
        self.end(allOf: user, deviceClass: nil, reason: .signedOut) { _ in done.change { $0 = true } }
        done.wait(until: { $0 }, then: { _ in })
    }
}
