import AdminAPI
import ChatModel
import Execution
import Store
import Testing

@testable import AdminService

@Suite("Conversations and messages, for operators") struct ConversationListRequestsTests {
    /// Romeo and juliet in verona, where romeo said 1 to 5.
    private func furnished(
        clock: Clock = .system, _ change: (inout AdminServiceOptions) -> Void = { _ in }
    ) throws -> (Fixture, AdminClient) {
        let fixture = try Fixture(clock: clock, change)
        try fixture.add("romeo", "juliet", "nurse")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo, juliet]))))
        for number in 1...5 {
            _ = try client.ask(.send(AdminSend(from: romeo, to: .group(verona), text: "m\(number)")))
        }
        return (fixture, client)
    }

    private func lastEntry(_ client: AdminClient) throws -> AuditEntry? {
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery()))) else { return nil }
        return entries.first?.entry
    }

    private func conversation(_ client: AdminClient, _ request: AdminConversationRequest) throws -> AdminConversation {
        guard case .conversation(let detail) = try client.ask(.conversationDetails(request)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return detail.conversation
    }

    @Test("two people's conversation is made once, a room once and for all")
    func made() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        let direct = try self.conversation(client, .createDirect(romeo, juliet))
        #expect(direct.kind == .direct && direct.name == "juliet,romeo" && direct.memberCount == 2)
        #expect(try self.conversation(client, .createDirect(juliet, romeo)).number == direct.number)
        let ball = try self.conversation(client, .createRoom(ChannelName("ball")!, title: "舞会"))
        #expect(ball.kind == .room && ball.title == "舞会")
        #expect(try self.lastEntry(client)?.after?.contains("舞会") == true)
        #expect(try client.count(.conversationDetails(.rename("ball", title: "假面舞会"))) == 1)
        #expect(
            client.refusal(of: .conversationDetails(.createRoom(ChannelName("ball")!, title: nil)))?.code == .exists)
        #expect(client.refusal(of: .conversationDetails(.createDirect(romeo, UserName("tybalt")!)))?.code == .notFound)
    }

    @Test("another title, and none")
    func renamed() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        #expect(try client.count(.conversationDetails(.rename("verona", title: "维罗纳"))) == 1)
        #expect(try client.count(.conversationDetails(.rename("verona", title: "维罗纳"))) == 0)
        #expect(try client.count(.conversationDetails(.rename("verona", title: nil))) == 1)
        let entry = try self.lastEntry(client)
        #expect(entry?.before?.contains("维罗纳") == true && entry?.after?.contains("维罗纳") == false)
        #expect(client.refusal(of: .conversationDetails(.rename("verona", title: "a\nb")))?.code == .invalid)
        _ = try client.ask(.conversationDetails(.createDirect(romeo, juliet)))
        #expect(client.refusal(of: .conversationDetails(.rename("romeo,juliet", title: "us")))?.code == .invalid)
    }

    private func attributes(_ client: AdminClient) throws -> String? {
        guard case .conversation(let detail) = try client.ask(.showConversation("verona")) else { return "no answer" }
        return detail.attributes
    }

    @Test("attributes are merged key by key, noted with what was before, and bounded")
    func attributes() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        func set(_ patch: String) -> AdminRequest { .conversationDetails(.setAttributes("verona", patch: patch)) }
        #expect(try self.attributes(client) == nil)
        #expect(try client.count(set(#"{"color":"green","seat":{"row":1,"place":2}}"#)) == 1)
        #expect(try client.count(set(#"{"color":"red","seat":{"row":null}}"#)) == 1)
        #expect(try self.attributes(client) == #"{"color":"red","seat":{"place":2}}"#)
        let entry = try self.lastEntry(client)
        let changed = entry?.fields.filter(\.hasChanged) ?? []
        #expect(changed.map(\.name) == ["attributes.color", "attributes.seat.row"])
        #expect(changed.first?.before == "green" && changed.first?.after == "red")
        #expect(try client.count(set(#"{"color":"red"}"#)) == 0)
        for wrong in ["", "7", "[]", "{", "{\"a\":\"" + String(repeating: "x", count: 20_000) + "\"}"] {
            #expect(client.refusal(of: set(wrong))?.code == .invalid)
        }
        let large = "{\"color\":null,\"none\":\"" + String(repeating: "x", count: 65_536) + "\"}"
        #expect(client.refusal(of: set(large))?.message.contains("65536 bytes") == true)
        #expect(try client.count(set(#"{"color":null,"seat":null}"#)) == 1)
        #expect(try self.attributes(client) == nil)
        _ = try client.ask(.conversationDetails(.createDirect(romeo, juliet)))
        let direct = client.refusal(of: .conversationDetails(.setAttributes("romeo,juliet", patch: "{}")))
        #expect(direct?.code == .invalid && direct?.message.contains("two people") == true)
    }

    @Test("the system writes into a room; a conversation of two takes messages from the two alone")
    func written() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        let ball = ChannelName("ball")!
        #expect(
            client.refusal(of: .send(AdminSend(from: systemUserName, to: .room(ball), text: "x")))?.code == .notFound)
        _ = try client.ask(.conversationDetails(.createRoom(ball, title: nil)))
        let direct = try self.conversation(client, .createDirect(romeo, juliet))
        for target in [AdminSend.Target.room(ball), .conversation("ball"), .conversation("verona")] {
            let answer = try client.ask(.send(AdminSend(from: systemUserName, to: target, text: "hear")))
            guard case .sent(let message) = answer else {
                Issue.record("not sent")
                continue
            }
            #expect(message.conversationName == (target == .conversation("verona") ? "verona" : "ball"))
        }
        for name in ["juliet,romeo", "id:\(direct.number)"] {
            let stranger = client.refusal(
                of: .send(AdminSend(from: systemUserName, to: .conversation(name), text: "x")))
            #expect(stranger?.code == .refused && stranger?.message.contains("no third") == true)
        }
        let own = try client.ask(.send(AdminSend(from: romeo, to: .conversation("romeo,juliet"), text: "me")))
        guard case .sent(let message) = own else {
            Issue.record("not sent")
            return
        }
        #expect(message.conversation == direct.number && message.conversationName == "juliet,romeo")
        let nowhere = AdminSend(from: romeo, to: .conversation("nowhere"), text: "x")
        #expect(client.refusal(of: .send(nowhere))?.code == .notFound)
    }

    @Test("a deleted group has nobody in it, takes nothing, and keeps its history for operators")
    func deleted() throws {
        let (fixture, client) = try self.furnished()
        #expect(try client.count(.conversationDetails(.delete("verona"))) == 1)
        #expect(try client.count(.conversationDetails(.delete("verona"))) == 0)
        guard case .conversation(let detail) = try client.ask(.showConversation("verona")) else { return }
        #expect(detail.members.isEmpty && detail.conversation.isDisbanded && detail.conversation.head == 5)
        #expect(client.refusal(of: .send(AdminSend(from: romeo, to: .group(verona), text: "?")))?.code == .refused)
        let romeos = try fixture.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.page(of: try transaction.people.user(named: romeo)!.id).count
        }
        #expect(romeos == 0)
        guard
            case .conversationDetails(.exported(let messages, nil)) = try client.ask(
                .conversationDetails(.export("verona", after: 0)))
        else {
            return
        }
        #expect(messages.count == 5)
        _ = try client.ask(.conversationDetails(.createDirect(romeo, juliet)))
        #expect(client.refusal(of: .conversationDetails(.delete("romeo,juliet")))?.code == .invalid)
    }

    @Test("pages before, after and around a sequence, and from a time on")
    func look() throws {
        let clock = ManualClock()
        let (fixture, client) = try self.furnished(clock: clock.clock)
        defer { withExtendedLifetime(fixture) {} }
        clock.advance(milliseconds: 60_000)
        let later = clock.clock.wallMilliseconds()
        _ = try client.ask(.send(AdminSend(from: juliet, to: .group(verona), text: "m6")))
        let texts: (AdminConversationPlace, Int64) throws -> [String] = { place, limit in
            guard
                case .messages(let messages) = try client.ask(
                    .conversationDetails(.look("verona", place, limit: limit)))
            else {
                return []
            }
            return messages.map(\.text)
        }
        #expect(try texts(.before(3), 20) == ["m1", "m2"] && texts(.before(.max), 2) == ["m5", "m6"])
        #expect(try texts(.after(4), 20) == ["m5", "m6"] && texts(.around(3), 3) == ["m2", "m3", "m4"])
        #expect(try texts(.since(later), 20) == ["m6"] && texts(.since(later + 1), 20) == [])
        #expect(try texts(.since(0), 2) == ["m1", "m2"])
    }

    @Test("the operator changes words, however old; everybody sees the new ones, and the former ones stay")
    func edit() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        func change(_ sequence: Int64, _ text: String) -> AdminRequest {
            .conversationDetails(.edit("verona", sequence: sequence, text: text))
        }
        #expect(try client.ask(change(2, "茶在三楼")) == .done)
        // The same words again are no further edit.
        #expect(try client.ask(change(2, "茶在三楼")) == .done)
        guard
            case .messages(let messages) = try client.ask(
                .conversationDetails(.look("verona", .around(2), limit: 1)))
        else {
            Issue.record("no messages")
            return
        }
        #expect(messages.map(\.text) == ["茶在三楼"] && messages.map(\.editCount) == [1])
        guard
            case .conversationDetails(.trace(let trace)) = try client.ask(
                .conversationDetails(.trace("verona", sequence: 2, after: nil)))
        else {
            Issue.record("no trace")
            return
        }
        #expect(trace.former.map(\.text) == ["m2"])
        #expect(client.refusal(of: change(2, " \n"))?.code == .invalid)
        #expect(client.refusal(of: change(99, "x"))?.code == .notFound)
        #expect(try client.ask(.conversationDetails(.recall("verona", sequence: 3, forGood: false))) == .done)
        #expect(client.refusal(of: change(3, "x")) != nil)
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery()))) else {
            Issue.record("no entries")
            return
        }
        // The audit log keeps for ever: the words are the message's alone.
        let edits = entries.map(\.entry).filter { $0.word == "message.edit" }
        #expect(!edits.isEmpty && edits.allSatisfy { !$0.asked.contains("茶") && $0.asked.contains("(12 bytes)") })
    }

    @Test("the operator takes back what is old, and the devices are told after the commit")
    func recall() throws {
        let told = ConditionLock<[Int64]>([])
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        fixture.broker.listen { events in
            for case .recalled(let message) in events.map(\.change) { told.change { $0.append(message.sequence) } }
        }
        #expect(try client.ask(.conversationDetails(.recall("verona", sequence: 2, forGood: false))) == .done)
        #expect(try client.ask(.conversationDetails(.recall("verona", sequence: 3, forGood: true))) == .done)
        #expect(told.wait(until: { $0.count >= 2 }, then: { $0 }) == [2, 3])
        // Again, as after an answer that was lost: nobody is told twice.
        #expect(try client.ask(.conversationDetails(.recall("verona", sequence: 2, forGood: false))) == .done)
        #expect(
            client.refusal(of: .conversationDetails(.recall("verona", sequence: 9, forGood: false)))?.code == .refused)
        guard
            case .conversationDetails(.exported(let messages, nil)) = try client.ask(
                .conversationDetails(.export("verona", after: 1)))
        else {
            return
        }
        #expect(messages.map(\.isRecalled) == [true, false, false, false])
        #expect(messages.map(\.isDeletedForAll) == [false, true, false, false])
        #expect(messages[0].body.isEmpty && messages[2].body == Array(#"{"type":1,"content":"m4"}"#.utf8))
    }

    @Test("a trace tells of each member: devices, reading, sessions, and why they do not see it")
    func trace() throws {
        let (fixture, client) = try self.furnished()
        try fixture.signIn("juliet", .web, handle: 7)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            let (low, high) = (
                try transaction.reading.people.user(named: romeo)!.id,
                try transaction.reading.people.user(named: juliet)!.id
            )
            let id = try transaction.reading.conversations.one(.channel(.group, verona), seenBy: .system)!.id
            try transaction.inbox.recordDelivered([
                DeliveredPosition(user: high, deviceClass: .app, conversation: id, sequence: 3),
                DeliveredPosition(user: high, deviceClass: .web, conversation: id, sequence: 2),
            ])
            try transaction.inbox.markRead(high, in: id, upTo: 3)
            _ = try transaction.messages.hide([MessagePlace(id, 3)], for: low)
        }
        guard
            case .conversationDetails(.trace(let trace)) = try client.ask(
                .conversationDetails(.trace("verona", sequence: 3, after: nil)))
        else {
            return
        }
        #expect(trace.message.text == "m3" && trace.next == nil && !trace.isRecalled)
        let (sender, other) = (trace.people[0], trace.people[1])
        #expect(sender.name == romeo && sender.isSender && sender.withheld == .deletedBySelf)
        #expect(sender.sessions.isEmpty && sender.deliveredTo.isEmpty)
        #expect(other.name == juliet && other.isRead && !other.isSender && other.withheld == nil)
        #expect(other.deliveredTo == [.app] && other.waitingFor == [.web] && other.sessions.map(\.device) == [.web])
        #expect(client.refusal(of: .conversationDetails(.trace("verona", sequence: 6, after: nil)))?.code == .notFound)
    }

    @Test("a trace says when, as far as it is known, and claims nothing of who came later")
    func times() throws {
        let clock = ManualClock()
        let (fixture, client) = try self.furnished(clock: clock.clock)
        let address = ConversationAddress.channel(.group, verona)
        func trace(_ sequence: Int64) throws -> [AdminTraceRow] {
            guard
                case .conversationDetails(.trace(let trace)) = try client.ask(
                    .conversationDetails(.trace("verona", sequence: sequence, after: nil)))
            else { return [] }
            return trace.people
        }
        func step(upTo sequence: Int64) throws -> Int64 {
            clock.advance(milliseconds: 1_000)
            try fixture.store.writeAndWait { transaction throws(StoreError) in
                let user = try transaction.reading.people.user(named: juliet)!.id
                let id = try transaction.reading.conversations.one(address, seenBy: .system)!.id
                try transaction.inbox.recordDelivered([
                    DeliveredPosition(user: user, deviceClass: .app, conversation: id, sequence: sequence)
                ])
                try transaction.inbox.markRead(user, in: id, upTo: sequence)
            }
            return clock.clock.wallMilliseconds()
        }
        let (first, second) = (try step(upTo: 2), try step(upTo: 4))
        clock.advance(milliseconds: 1_000)
        _ = try client.ask(.teams(.add(verona, [UserName("nurse")!])))
        for (sequence, arrival) in [
            (Int64(3), AdminTraceTime(atMilliseconds: second, isExact: true)),
            (4, AdminTraceTime(atMilliseconds: second, isExact: true)),
            (2, AdminTraceTime(atMilliseconds: second, isExact: false)),
        ] {
            let people = try trace(sequence)
            let (reader, nurse) = (people[1], people[2])
            #expect(reader.isRead && reader.read == arrival && reader.delivered == arrival, "message \(sequence)")
            #expect(!nurse.isRead && nurse.cameLater && nurse.read == nil && nurse.withheld == nil)
        }
        #expect(first < second)
        let unread = try trace(5)[1]
        #expect(!unread.isRead && unread.read == nil && unread.delivered == nil && unread.waitingFor == [.app])
        fixture.store.setShowsBeforeJoining(false)
        #expect(try trace(5)[2].withheld == .beforeJoining)
    }

    @Test("an edited message is shown as people see it, and what it said before beside it")
    func edited() throws {
        let (fixture, client) = try self.furnished()
        let address = ConversationAddress.channel(.group, verona)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            let id = try transaction.reading.conversations.one(address, seenBy: .system)!.id
            for (sequence, text) in [(Int64(2), "two"), (2, "zwei"), (3, "three")] {
                try transaction.messages.edit(
                    MessagePlace(id, sequence), newBody: Array(#"{"type":1,"content":"\#(text)"}"#.utf8),
                    isJSONObject: true, by: .operator)
            }
            try transaction.messages.recall(MessagePlace(id, 3), by: .operator)
        }
        let look = AdminRequest.conversationDetails(.look("verona", .before(.max), limit: 20))
        for request in [look, .listMessages(conversation: "verona", before: nil, limit: 20)] {
            guard case .messages(let messages) = try client.ask(request) else { continue }
            #expect(messages.map(\.text) == ["m1", "zwei", "", "m4", "m5"])
            #expect(messages.map(\.editCount) == [0, 2, 0, 0, 0])
            #expect(messages.map(\.isWithdrawn) == [false, false, true, false, false])
        }
        func former(_ sequence: Int64) throws -> (text: String, former: [AdminMessageVersion]) {
            guard
                case .conversationDetails(.trace(let trace)) = try client.ask(
                    .conversationDetails(.trace("verona", sequence: sequence, after: nil)))
            else { return ("", []) }
            return (trace.message.text, trace.former)
        }
        #expect(try former(1) == ("m1", []))
        let two = try former(2)
        #expect(two.text == "zwei" && two.former.map(\.text) == ["m2", "two"])
        #expect(two.former.map(\.number) == [0, 1] && two.former[0].editor == "romeo")
        #expect(try former(3).former.map(\.text) == ["m3", "three"], "of one that was taken back, all")
        guard
            case .conversationDetails(.exported(let page, _)) = try client.ask(
                .conversationDetails(.export("verona", after: 0)))
        else { return }
        #expect(String(decoding: page[1].body, as: UTF8.self).contains("zwei"))
        #expect(page[1].former.map(\.number) == [0, 1] && page[1].editCount == 2)
        #expect(page[0].former.isEmpty && page[2].former.isEmpty && page[2].body.isEmpty)
    }

    @Test("with another's eyes: what they see and nothing else, with a reason and an entry in the audit log")
    func seeAs() throws {
        let (fixture, client) = try self.furnished()
        let request = AdminRequest.conversationDetails(.seeAs("verona", juliet, before: nil, limit: 20))
        #expect(client.refusal(of: request)?.code == .invalid)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            let user = try transaction.reading.people.user(named: juliet)!.id
            let id = try transaction.reading.conversations.one(.channel(.group, verona), seenBy: .system)!.id
            _ = try transaction.messages.hide([MessagePlace(id, 4)], for: user)
            try transaction.messages.recall(MessagePlace(id, 5), by: .operator)
            try transaction.messages.edit(
                MessagePlace(id, 3), newBody: Array(#"{"type":1,"content":"new"}"#.utf8), isJSONObject: true,
                by: .operator)
        }
        client.who = AdminOperator(name: "ming", reason: "a message is missing")
        guard case .conversationDetails(.seen(let seen)) = try client.ask(request) else { return }
        #expect(seen.messages.map(\.message.text) == ["m1", "m2", "new", ""])
        #expect(seen.messages.map(\.isEdited) == [false, false, true, false])
        #expect(seen.messages.map(\.isRecalled) == [false, false, false, true])
        #expect(seen.withheld == [AdminWithheld(sequence: 4, reason: .deletedBySelf)] && seen.next == nil)
        let entry = try self.lastEntry(client)
        #expect(entry?.word == "conversation.seeAs" && entry?.actor.reason == "a message is missing")
        #expect(entry?.stage == .asked && entry?.asked.contains("juliet") == true)
        // Who is not in it sees nothing.
        #expect(
            client.refusal(of: .conversationDetails(.seeAs("verona", UserName("nurse")!, before: nil, limit: 20)))?.code
                == .notFound)
    }

    @Test("an export comes page by page, and each page is in the audit log")
    func export() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        let long = String(repeating: "x", count: 20_000)
        for _ in 0..<10 { _ = try client.ask(.send(AdminSend(from: romeo, to: .group(verona), text: long))) }
        var sequences: [Int64] = []
        var (after, pages) = (Int64(0), 0)
        while true {
            guard
                case .conversationDetails(.exported(let page, let next)) = try client.ask(
                    .conversationDetails(.export("verona", after: after)))
            else { return }
            sequences += page.map(\.sequence)
            pages += 1
            guard let next else { break }
            after = next
        }
        #expect(sequences == Array(1...15) && pages == 2)
        var query = AuditQuery()
        query.what = "conversation.export"
        guard case .audit(.list(let entries, nil)) = try client.ask(.audit(.list(query))) else { return }
        #expect(entries.count == 2)
    }
}
