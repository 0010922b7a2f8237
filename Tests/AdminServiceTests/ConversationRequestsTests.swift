import AdminAPI
import ChatModel
import Execution
import Store
import Testing

@Suite("Requests about conversations") struct ConversationRequestsTests {
    private func conversation(_ client: AdminClient, _ request: AdminRequest) throws -> AdminConversationDetail {
        guard case .conversation(let detail) = try client.ask(request) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return detail
    }

    private func messages(_ client: AdminClient, _ conversation: String, before: Int64?) throws -> [AdminMessage] {
        let request = AdminRequest.listMessages(conversation: conversation, before: before, limit: 500)
        guard case .messages(let messages) = try client.ask(request) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return messages
    }

    @Test("a group is made, changed, banned and found by name and number")
    func group() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet", "nurse")
        let client = try fixture.client()
        let new = AdminNewTeam(name: verona, title: "维罗纳", members: [romeo, juliet])
        let made = try self.conversation(client, .teams(.create(new)))
        #expect(made.conversation.name == "verona" && made.conversation.title == "维罗纳")
        #expect(Set(made.members.map(\.name)) == [romeo, juliet])
        #expect(client.refusal(of: .teams(.create(new)))?.code == .exists)
        var modes = AdminTeamPatch()
        modes.introduction = "fair"
        let formless = AdminNewTeam(name: ChannelName("mantua")!, members: [], settings: modes)
        #expect(client.refusal(of: .teams(.create(formless)))?.code == .invalid)
        let nurse = UserName("nurse")!
        #expect(try client.count(.teams(.add(verona, [nurse, romeo]))) == 1)
        #expect(try client.count(.teams(.remove(verona, [juliet]))) == 1)
        #expect(try client.count(.teams(.setBanned(verona, true))) == 1)
        #expect(try client.count(.teams(.setBanned(verona, true))) == 0)
        let shown = try self.conversation(client, .showConversation("id:\(made.conversation.number)"))
        #expect(shown == (try self.conversation(client, .showConversation("verona"))))
        #expect(Set(shown.members.map(\.name)) == [romeo, nurse])
        #expect(shown.conversation.isBanned)
        guard case .conversations(let all, nil) = try client.ask(.listConversations(after: nil)) else {
            Issue.record("no list")
            return
        }
        #expect(all == [shown.conversation])
    }

    @Test("a group and a member are muted, and an announcement is set, once each")
    func muting() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo]))))
        let requests: [AdminRequest] = [
            .teams(.mute(verona, .members)), .teams(.mute(verona, romeo, true, minutes: nil)),
            .teams(.mute(verona, romeo, false, minutes: nil)), .teams(.mute(verona, .none)),
            .teams(.setNotice(verona, "tonight")), .teams(.setNotice(verona, "")),
        ]
        for request in requests {
            #expect(try client.count(request) == 1)
            #expect(try client.count(request) == 0)
        }
        let before = Clock.system.wallMilliseconds()
        #expect(try client.count(.teams(.mute(verona, romeo, true, minutes: 5))) == 1)
        let fiveMinutes = before + 300_000...Clock.system.wallMilliseconds() + 300_000
        #expect(fiveMinutes.contains(try fixture.mutedUntil(romeo, in: verona)))
        #expect(client.refusal(of: .teams(.mute(verona, juliet, true, minutes: 5)))?.code == .notFound)
        #expect(client.refusal(of: .teams(.mute(verona, romeo, true, minutes: 0)))?.code == .invalid)
    }

    @Test(
        "unknown people and groups are named in the refusal",
        arguments: [
            (.teams(.create(AdminNewTeam(name: verona, members: [juliet]))), "juliet"),
            (.teams(.add(verona, [romeo])), "verona"),
            (.teams(.remove(verona, [juliet])), "juliet"),
            (.teams(.setBanned(verona, true)), "verona"), (.teams(.mute(verona, .members)), "verona"),
            (.teams(.setNotice(verona, "")), "verona"), (.showConversation("verona"), "verona"),
            (.showConversation("romeo,juliet"), "romeo,juliet"), (.showConversation("id:9"), "id:9"),
            (.listMessages(conversation: "", before: nil, limit: 1), "conversation"),
            (.follow(conversation: "verona", withSessions: false), "verona"),
        ] as [(AdminRequest, String)])
    func unknown(_ request: AdminRequest, _ name: String) throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let error = try fixture.client().refusal(of: request)
        #expect(error?.code == .notFound)
        #expect(error?.message.contains(name) == true)
    }

    @Test("a message reaches the session, the history and those who follow")
    func send() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        try fixture.signIn("juliet", .app, handle: 1)
        let client = try fixture.client()
        let follower = try fixture.client()
        #expect(try follower.ask(.follow(conversation: nil, withSessions: true)) == .following)
        let text = "你好\n\u{1B}"
        guard case .sent(let sent) = try client.ask(.send(AdminSend(from: romeo, to: .user(juliet), text: text)))
        else {
            Issue.record("not sent")
            return
        }
        #expect(sent.sequence == 1 && sent.text == text && sent.conversationName == "juliet,romeo")
        fixture.outlet.wait { $0.received == [#"{"type":1,"content":"你好\n\u001b"}"#] }
        #expect(try follower.nextEvent() == .message(sent))
        #expect(try self.messages(client, "romeo,juliet", before: nil) == [sent])
        #expect(try self.messages(client, "juliet,romeo", before: 1).isEmpty)
        guard case .sessions(let sessions, nil) = try client.ask(.listSessions(juliet, after: nil)) else {
            Issue.record("no sessions")
            return
        }
        #expect(try client.count(.endSessions(ids: sessions.map(\.id), user: nil)) == 1)
        // What waits for a device is told where sessions are listed, not with its end.
        var ended = try #require(sessions.first)
        (ended.activeAtMilliseconds, ended.queuedBytes, ended.unacknowledged) = (nil, nil, nil)
        #expect(try follower.nextEvent() == .ended(ended, reason: "kicked"))
    }

    @Test("sending is refused in words")
    func sendRefused() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let cases: [(AdminSend, AdminError.Code)] = [
            (AdminSend(from: juliet, to: .user(romeo), text: "x"), .notFound),
            (AdminSend(from: romeo, to: .user(juliet), text: "x"), .notFound),
            (AdminSend(from: romeo, to: .group(verona), text: "x"), .notFound),
        ]
        for (send, code) in cases { #expect(client.refusal(of: .send(send))?.code == code) }
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo]))))
        _ = try client.ask(.teams(.setBanned(verona, true)))
        let banned = AdminRequest.send(AdminSend(from: romeo, to: .group(verona), text: "x"))
        #expect(client.refusal(of: banned)?.code == .refused)
    }

    @Test("who follows one conversation hears of no other, and nothing after stopping")
    func followOne() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo, juliet]))))
        let follow = try client.send(.follow(conversation: "verona", withSessions: false))
        #expect(try client.nextAnswer().id == follow)
        _ = try client.ask(.send(AdminSend(from: romeo, to: .user(juliet), text: "private")))
        _ = try client.ask(.send(AdminSend(from: romeo, to: .group(verona), text: "public")))
        guard case .message(let heard) = try client.nextEvent() else {
            Issue.record("no message")
            return
        }
        #expect(heard.text == "public")
        #expect(try client.ask(.stopFollowing(follow)) == .done)
        _ = try client.ask(.send(AdminSend(from: romeo, to: .group(verona), text: "later")))
        let again = try client.send(.follow(conversation: nil, withSessions: false))
        #expect(try client.nextAnswer().id == again)
        _ = try client.ask(.send(AdminSend(from: romeo, to: .group(verona), text: "last")))
        guard case .message(let last) = try client.nextEvent() else {
            Issue.record("no message")
            return
        }
        #expect(last.text == "last")
    }

    @Test("long texts are cut between characters, page after page still fits a line")
    func longTexts() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        let text = String(repeating: "\u{1}", count: 1 + AdminProtocol.maximumTextBytes - 3) + "茶茶茶"
        for _ in 0..<AdminProtocol.pageMessages + 1 {
            let outcome = fixture.append(text, from: "romeo", to: juliet)
            #expect(outcome)
        }
        let page = try self.messages(client, "romeo,juliet", before: nil)
        #expect(page.map(\.sequence) == Array(2...Int64(AdminProtocol.pageMessages) + 1))
        #expect(page.allSatisfy { $0.isCut && $0.text.utf8.count == AdminProtocol.maximumTextBytes - 2 })
        #expect(try self.messages(client, "romeo,juliet", before: 2).map(\.sequence) == [1])
    }

    @Test("status counts what is there")
    func status() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.send(AdminSend(from: romeo, to: .user(juliet), text: "x")))
        guard case .status(let status) = try client.ask(.status) else {
            Issue.record("no status")
            return
        }
        #expect(status.version == "1.0" && status.dataFolder == fixture.folder)
        #expect(status.addresses == ["127.0.0.1:7677"] && status.troubles.isEmpty)
        let metrics = Dictionary(uniqueKeysWithValues: status.metrics.map { ($0.name, $0.value) })
        #expect(metrics["users"] == 2 && metrics["messages"] == 1 && metrics["conversations"] == 1)
        #expect(status.limits.contains { $0.name == "commit_queue_requests" && $0.maximum > 0 })
    }
}

extension Fixture {
    /// Sends a plain body by the operator's right, and waits.
    func append(_ text: String, from sender: String, to other: UserName) -> Bool {
        let done = ConditionLock<Bool?>(nil)
        self.store.read({ transaction throws(StoreError) in
            try transaction.people.user(named: UserName(sender)!)?.id ?? .system
        }) { found in
            guard case .success(let user) = found else { return done.change { $0 = false } }
            let content = MessageContent(kind: .text, flags: [], wire: .native, body: Array(text.utf8))
            self.broker.publish(as: user, authority: .operator, to: .direct(other), token: nil, content: content) {
                if case .accepted = $0 { done.change { $0 = true } } else { done.change { $0 = false } }
            }
        }
        return done.wait(until: { $0 != nil }, then: { $0 ?? false })
    }
}
