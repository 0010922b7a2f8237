import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Who sees what")
struct VisibilityTests {
    private let placeholder = #"{"type":1,"content":"这是群定向消息，仅部分群成员可见"}"#

    private func append(
        _ fixture: Fixture, _ body: String, from sender: UserID, to id: ConversationID, only names: [String]
    ) -> Accepted? {
        var append = fixture.append(body, from: sender, to: .id(id))
        append.content.envelope = MessageEnvelope(visibleTo: names.compactMap { UserName($0) })
        return fixture.send([append])[0].accepted
    }

    private func seen(_ fixture: Fixture, _ id: ConversationID, by user: UserID, skipping: Bool = false) throws
        -> [String]
    {
        try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.latest(in: id, limit: 100, as: .member(user), skippingUnseen: skipping)
        }.map { String(decoding: $0.content.body, as: UTF8.self) }
    }

    private func addRule(_ fixture: Fixture, _ rule: FilterRule) throws {
        _ = try fixture.store.writeAndWait { store throws(StoreError) in try store.moderation.addFilterRule(rule) }
        try self.reload(fixture)
    }

    private func reload(_ fixture: Fixture) throws {
        fixture.store.reloadFilter { _ in }
        // What is written later is done later.
        try fixture.store.writeAndWait { _ throws(StoreError) in }
    }

    @Test("a message for some is theirs and the sender's; the others have its place and the words for it")
    func restricted() throws {
        let fixture = try Fixture()
        let (romeo, juliet, tybalt) = (
            try fixture.user("romeo"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let verona = try fixture.group("verona", owner: romeo, [juliet, tybalt])
        fixture.send("all", from: romeo, to: .id(verona))
        let accepted = self.append(fixture, "secret", from: romeo, to: verona, only: ["juliet", "nobody"])
        #expect(accepted?.audience == [romeo, juliet])
        #expect(try self.seen(fixture, verona, by: romeo) == ["all", "secret"])
        #expect(try self.seen(fixture, verona, by: juliet) == ["all", "secret"])
        #expect(try self.seen(fixture, verona, by: tybalt) == ["all", self.placeholder])
        let one = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.one(in: verona, sequence: 2, as: .member(tybalt))
        }
        #expect(one?.isStandIn == true && one?.content.envelope == nil && one?.sender == romeo && one?.sequence == 2)
        #expect(one?.content.kind == .text && one?.content.flags.contains(.countsAsUnread) == false)
        #expect(try fixture.unread(juliet) == [verona: 2])
        #expect(try fixture.unread(tybalt) == [verona: 1])
        let change = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.setUnread(juliet, in: verona, to: 1)
        }
        #expect(change.unread == 1 && change.sequence == 1, "the newest that counts for her is the one for her")
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.inbox.markRead(juliet, in: verona, upTo: 2)
        }
        #expect(try fixture.unread(juliet) == [:])
        #expect(try fixture.verified().findings == [])
    }

    @Test("between two people the list has no effect")
    func direct() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        var append = fixture.append("hello", from: romeo, to: .direct(UserName("juliet")!))
        append.content.envelope = MessageEnvelope(visibleTo: [UserName("romeo")!])
        let accepted = fixture.send([append])[0].accepted
        let id = try #require(accepted?.message.conversation)
        #expect(accepted?.audience == nil && accepted?.message.content.envelope?.visibleTo?.count == 1, "it is kept")
        #expect(try self.seen(fixture, id, by: juliet) == ["hello"])
        #expect(try fixture.unread(juliet) == [id: 1])
        #expect(try fixture.verified().findings == [])
    }

    @Test("of what a service account says to some, nobody else learns anything, and pages are full without it")
    func service() throws {
        let fixture = try Fixture()
        let (robot, juliet, tybalt) = (
            try fixture.user("robot"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let news = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.createChannel(
                .service, ChannelName("news")!, creator: robot, members: [robot, juliet, tybalt])
        }
        for number in 1...3 {
            fixture.send("n\(number)", from: robot, to: .id(news), authority: .application)
            var append = fixture.append("for juliet \(number)", from: robot, to: .id(news), authority: .application)
            append.content.envelope = MessageEnvelope(visibleTo: [UserName("juliet")!])
            #expect(fixture.send([append])[0].accepted != nil)
        }
        #expect(try self.seen(fixture, news, by: tybalt) == ["n1", "n2", "n3"])
        #expect(try self.seen(fixture, news, by: juliet).count == 6)
        let pages = try fixture.store.readAndWait { store throws(StoreError) in
            [
                try store.messages.latest(in: news, limit: 2, as: .member(tybalt)),
                try store.messages.page(in: news, after: 1, limit: 2, as: .member(tybalt)),
                try store.messages.page(in: news, before: 3, limit: 2, as: .member(tybalt)),
                try [store.messages.one(in: news, sequence: 2, as: .member(tybalt))].compactMap { $0 },
            ].map { $0.map(\.sequence) }
        }
        #expect(pages == [[3, 5], [3, 5], [1], []])
        #expect(try fixture.unread(tybalt) == [news: 3])
    }

    @Test("what a person says into an app's service is for them and the app alone, member or not")
    func mailbox() throws {
        let fixture = try Fixture()
        let (robot, juliet, tybalt) = (
            try fixture.user("robot"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let news = try fixture.store.writeAndWait { store throws(StoreError) in
            let id = try store.apps.createObject(NewObject(.service, creator: robot)).id
            _ = try store.apps.addToObject(["tybalt"], id, by: .application)
            return id
        }
        fixture.send("news", from: robot, to: .id(news), authority: .application)
        for sender in [juliet, tybalt] {
            let accepted = fixture.send("a question", from: sender, to: .id(news)).accepted
            #expect(accepted?.audience == [sender])
        }
        #expect(try self.seen(fixture, news, by: tybalt) == ["news", "a question"])
        #expect(try fixture.unread(tybalt) == [news: 1])
        let shop = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.createChannel(.service, ChannelName("shop")!, creator: robot, members: [tybalt])
        }
        #expect(fixture.send("a question", from: juliet, to: .id(shop)).refusal == .notMember)
        #expect(fixture.send("all", from: tybalt, to: .id(shop)).accepted?.audience == nil)
        #expect(try fixture.verified().findings == [])
    }

    @Test("an edit stays for whom the message was; the others get none of it and cannot touch it")
    func edits() throws {
        let fixture = try Fixture()
        let (romeo, juliet, tybalt) = (
            try fixture.user("romeo"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let verona = try fixture.group("verona", owner: romeo, [juliet, tybalt])
        _ = self.append(fixture, "secret", from: romeo, to: verona, only: ["juliet"])
        let place = MessagePlace(verona, 1)
        let told = Lock<[[UserID]]>([])
        fixture.store.onEvents = { events in
            for event in events { if case .edited = event.change { told.withLock { $0.append(event.receivers) } } }
        }
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.messages.edit(
                place, newBody: Array("new secret".utf8), isJSONObject: false,
                envelope: MessageEnvelope(visibleTo: [UserName("tybalt")!]), by: Actor(romeo))
            _ = try store.messages.setAttributes(of: place, mergePatch: Array(#"{"a":1}"#.utf8), by: Actor(romeo))
        }
        // What was told of changes before is told when the next one is answered.
        try fixture.store.writeAndWait { _ throws(StoreError) in }
        #expect(told.withLock { $0.map { Set($0) } } == [[romeo, juliet]])
        let extras = try fixture.store.readAndWait { store throws(StoreError) in
            try [juliet, tybalt].map { user throws(StoreError) in
                try store.messages.extras(of: [1], in: verona, for: user)[1]
            }
        }
        #expect(extras[0]?.editedBody == Array("new secret".utf8) && extras[0]?.attributes != nil)
        #expect(extras[0]?.editedEnvelope?.visibleTo == [UserName("juliet")!])
        #expect(extras[0]?.unreadCount == 1, "of those it is for")
        #expect(extras[1]?.editedBody == nil && extras[1]?.attributes == nil && extras[1]?.editedEnvelope == nil)
        let edits = try fixture.store.readAndWait { store throws(StoreError) in
            (
                try store.messages.edits(of: place, as: .member(juliet)).count,
                try store.messages.edits(of: place, as: .member(tybalt)).count
            )
        }
        #expect(edits == (1, 0))
        #expect(throws: StoreError.refused(.noSuchMessage)) {
            try fixture.store.writeAndWait { store throws(StoreError) in
                _ = try store.messages.setAttributes(of: place, mergePatch: Array(#"{"b":1}"#.utf8), by: Actor(tybalt))
            }
        }
        #expect(try fixture.verified().findings == [])
    }

    @Test("rules drop and replace for whom they are; the first by number counts, and never against one's own words")
    func filter() throws {
        let fixture = try Fixture()
        let (romeo, juliet, tybalt) = (
            try fixture.user("romeo"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let verona = try fixture.group("verona", owner: romeo, [juliet, tybalt])
        try self.addRule(fixture, FilterRule(receiver: juliet, sender: tybalt, action: .drop))
        try self.addRule(
            fixture, FilterRule(word: "sword", action: .replace(text: "flower", kind: MessageKind(rawValue: 700))))
        fixture.send("a Ｓword", from: tybalt, to: .id(verona))
        fixture.send("peace", from: tybalt, to: .id(verona))
        fixture.send("peace", from: romeo, to: .id(verona))
        let flower = #"{"type":700,"content":"flower"}"#
        #expect(try self.seen(fixture, verona, by: tybalt) == ["a Ｓword", "peace", "peace"])
        #expect(try self.seen(fixture, verona, by: romeo) == [flower, "peace", "peace"])
        let empty = #"{"type":1,"content":""}"#
        #expect(try self.seen(fixture, verona, by: juliet) == [empty, empty, "peace"])
        #expect(try self.seen(fixture, verona, by: juliet, skipping: true) == ["peace"])
        #expect(try fixture.unread(juliet) == [verona: 1], "what she is not shown does not count")
        #expect(try fixture.unread(romeo) == [verona: 2])

        let again = try fixture.reopened()
        #expect(try self.seen(again, verona, by: romeo) == [flower, "peace", "peace"], "they hold after a restart")
        let number = again.store.filter.rules[0].number
        try again.store.writeAndWait { store throws(StoreError) in _ = try store.moderation.removeFilterRule(number) }
        try self.reload(again)
        #expect(try self.seen(again, verona, by: juliet) == [flower, "peace", "peace"])
        #expect(try again.verified().findings == [])
    }

    @Test("a page of one kind has nothing else, whatever stands in the place of some of it")
    func kinds() throws {
        let fixture = try Fixture()
        let (romeo, juliet, tybalt) = (
            try fixture.user("romeo"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let verona = try fixture.group("verona", owner: romeo, [juliet, tybalt])
        for number in 1...3 {
            var append = fixture.append("card \(number)", from: romeo, to: .id(verona))
            append.content.kind = MessageKind(rawValue: 7)
            if number != 2 { append.content.envelope = MessageEnvelope(visibleTo: [UserName("juliet")!]) }
            #expect(fixture.send([append])[0].accepted != nil)
        }
        var query = HistoryQuery(limit: 1)
        query.kind = MessageKind(rawValue: 7)
        let pages = try fixture.store.readAndWait { [query] store throws(StoreError) in
            try [juliet, tybalt].map { user throws(StoreError) in
                try store.messages.history(in: verona, query, as: .member(user)).map { $0.message.sequence }
            }
        }
        #expect(pages == [[3], [2]])
    }

    @Test("the newest message of a conversation is the newest that one is shown")
    func newest() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        fixture.send("tea", from: romeo, to: .id(verona))
        try self.addRule(fixture, FilterRule(word: "poison", action: .drop))
        for _ in 0..<5 { fixture.send("poison", from: romeo, to: .id(verona)) }
        let newest = try fixture.store.readAndWait { store throws(StoreError) in
            guard let conversation = try store.conversations.one(verona) else { return [Int64]() }
            return try [romeo, juliet].map { user throws(StoreError) in
                try store.apps.newestMessage(in: conversation, seenBy: user)?.message.sequence ?? 0
            }
        }
        #expect(newest == [6, 1])
    }

    @Test("what is dropped for everybody counts for nobody; an edit is filtered by its new words")
    func filterForAll() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        fixture.send("tea", from: romeo, to: .id(verona))
        try self.addRule(fixture, FilterRule(word: "poison", action: .drop))
        fixture.send("poison", from: romeo, to: .id(verona))
        #expect(try fixture.unread(juliet) == [verona: 1])
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.messages.edit(
                MessagePlace(verona, 1), newBody: Array("poisoned tea".utf8), isJSONObject: false, by: Actor(romeo))
        }
        let edited = try fixture.store.readAndWait { store throws(StoreError) in
            (
                try store.messages.extras(of: [1], in: verona, for: juliet)[1]?.editedBody,
                try store.messages.extras(of: [1], in: verona, for: romeo)[1]?.editedBody
            )
        }
        #expect(edited.0 == Array(#"{"type":1,"content":""}"#.utf8))
        #expect(edited.1 == Array("poisoned tea".utf8))
        #expect(try fixture.verified().findings == [])
    }

    @Test(
        "a rule that says nothing is not stored",
        arguments: [
            FilterRule(word: "", action: .drop), FilterRule(action: .replace(text: " ", kind: .text)),
            FilterRule(action: .replace(text: "x", kind: .image)),
            FilterRule(action: .replace(text: String(repeating: "x", count: 501), kind: .text)),
        ])
    func badRules(_ rule: FilterRule) throws {
        let fixture = try Fixture()
        #expect(throws: StoreError.self) {
            try fixture.store.writeAndWait { store throws(StoreError) in _ = try store.moderation.addFilterRule(rule) }
        }
    }

    @Test("where the operator has set it, members see only what was said after they came, again and again")
    func beforeJoining() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        fixture.send("1", from: romeo, to: .id(verona))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.removeMembers([juliet], from: verona)
        }
        fixture.send("2", from: romeo, to: .id(verona))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.addMembers([juliet], to: verona)
        }
        fixture.send("3", from: romeo, to: .id(verona))
        #expect(try self.seen(fixture, verona, by: juliet) == ["1", "2", "3"], "the history belongs to the group")
        fixture.store.setShowsBeforeJoining(false)
        #expect(try self.seen(fixture, verona, by: juliet) == ["3"])
        #expect(try self.seen(fixture, verona, by: romeo) == ["1", "2", "3"])
        fixture.store.setShowsBeforeJoining(true)
        #expect(try self.seen(fixture, verona, by: juliet) == ["1", "2", "3"])
    }
}
