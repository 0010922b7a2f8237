import ChatModel
import Testing

@testable import Store

@Suite("Deleting for oneself, voices and receipts")
struct MessageMarkTests {
    private func hide(_ verona: Verona, _ sequences: [Int64], _ user: UserID) throws(StoreError) -> [MessageChange] {
        let id = verona.id
        return try verona.write { store throws(StoreError) in
            try store.messages.hide(sequences.map { MessagePlace(id, $0) }, for: user)
        }
    }

    private func read(_ verona: Verona, upTo sequence: Int64, _ user: UserID) throws -> ReadChange {
        let id = verona.id
        return try verona.write { store throws(StoreError) in try store.inbox.markRead(user, in: id, upTo: sequence) }
    }

    private func hiddenCounts(_ verona: Verona) throws -> [String] {
        try verona.read { store throws(StoreError) in
            try store.connection.query("SELECT user_id, sequence FROM hidden_count ORDER BY 1, 2") {
                row throws(StoreError) in "\(row.int64(0)) \(row.int64(1))"
            }
        }
    }

    // MARK: Deleting for oneself

    @Test("hides from one person only, and unread messages of others stop counting")
    func hide() throws {
        let verona = try Verona()
        for body in ["1", "2", "3", "4"] { try verona.say(body, verona.romeo) }
        try verona.say("own", verona.juliet)
        try verona.say("silent", verona.romeo, flags: [])
        _ = try self.read(verona, upTo: 1, verona.juliet)
        let before = try verona.revision()
        let changes = try self.hide(verona, [1, 2, 3, 5, 6, 2, 99], verona.juliet)
        #expect(changes.map(\.place.sequence) == [1, 2, 3, 5, 6])
        #expect(changes.map(\.revision) == (1...5).map { before + $0 })
        #expect(changes.allSatisfy { $0.members == [verona.juliet] })
        // 1 was read, 5 is their own, 6 never counted.
        #expect(try self.hiddenCounts(verona) == ["\(verona.juliet.rawValue) 2", "\(verona.juliet.rawValue) 3"])
        #expect(try verona.fixture.unread(verona.juliet) == [verona.id: 1])
        #expect(try verona.fixture.unread(verona.mercutio) == [verona.id: 5])
        #expect(try verona.extra(MessagePlace(verona.id, 2), for: verona.juliet)?.isHidden == true)
        #expect(try verona.extra(MessagePlace(verona.id, 2), for: verona.romeo) == nil)
        #expect(try self.hide(verona, [2, 3], verona.juliet) == [])
        #expect(try verona.revision() == before + 5)
        #expect(try self.read(verona, upTo: 2, verona.juliet).unread == 1)
        #expect(try self.read(verona, upTo: 3, verona.juliet).unread == 1)
        #expect(try self.read(verona, upTo: 4, verona.juliet).unread == 0)
        #expect(try self.hide(verona, [4], verona.juliet).count == 1)
        #expect(try self.hiddenCounts(verona).count == 2)
        #expect(try verona.isSound() == [])
    }

    @Test("to others the conversation has not changed, to the person it has")
    func personalChange() throws {
        let verona = try Verona()
        let (juliet, romeo) = (verona.juliet, verona.romeo)
        try verona.say("1", romeo)
        let seen = try verona.read { store throws(StoreError) in
            try store.conversations.page(of: romeo).map(\.change).max()
        }
        let newest = seen ?? 0
        _ = try self.hide(verona, [1], juliet)
        let (theirs, hers) = try verona.read { store throws(StoreError) in
            (
                try store.conversations.changed(of: romeo, since: newest).count,
                try store.conversations.changed(of: juliet, since: newest).count
            )
        }
        #expect(theirs == 0 && hers == 1)
    }

    @Test("of more than 100 at once, or as no member, nothing is hidden")
    func refusals() throws {
        let verona = try Verona()
        let (id, juliet, tybalt) = (verona.id, verona.juliet, verona.tybalt)
        try verona.say("1", verona.romeo)
        let many = (1...101).map { MessagePlace(id, $0) }
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.hide(many, for: juliet) }
                == .tooMany(limit: 100))
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.hide([many[0]], for: tybalt) } == .notMember
        )
        #expect(try verona.extra(many[0], for: juliet) == nil)
    }

    @Test("who leaves and comes back has read all, and what they hid stays hidden")
    func comeBack() throws {
        let verona = try Verona()
        let (id, juliet) = (verona.id, verona.juliet)
        for body in ["1", "2"] { try verona.say(body, verona.romeo) }
        _ = try self.hide(verona, [2], juliet)
        try verona.write { store throws(StoreError) in
            try store.conversations.removeMembers([juliet], from: id)
            try store.conversations.addMembers([juliet], to: id)
        }
        #expect(try verona.fixture.unread(juliet) == [:])
        #expect(try verona.extra(MessagePlace(id, 2), for: juliet)?.isHidden == true)
        #expect(try verona.isSound() == [])
    }

    // MARK: Voice

    @Test("a voice is played once, by one person, who may hide the message as well")
    func heard() throws {
        let verona = try Verona()
        let (juliet, tybalt) = (verona.juliet, verona.tybalt)
        let place = try verona.say("voice", verona.romeo)
        let change = try verona.write { store throws(StoreError) in try store.messages.markHeard(place, by: juliet) }
        let again = try verona.write { store throws(StoreError) in try store.messages.markHeard(place, by: juliet) }
        #expect(change.members == [juliet] && again.members == [] && again.revision == 0)
        _ = try self.hide(verona, [place.sequence], juliet)
        let extra = try #require(try verona.extra(place, for: juliet))
        #expect(extra.isHeard && extra.isHidden && extra.revision == change.revision + 1)
        #expect(try verona.extra(place, for: verona.romeo) == nil)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.markHeard(place, by: tybalt) } == .notMember
        )
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.markHeard(MessagePlace(place.conversation, 9), by: juliet)
            } == .noSuchMessage)
    }

    // MARK: Receipts

    private func report(
        _ verona: Verona, _ sequences: [Int64], _ user: UserID
    ) throws(StoreError) -> [MessageChange] {
        let id = verona.id
        return try verona.write { store throws(StoreError) in try store.messages.markRead(sequences, in: id, by: user) }
    }

    @Test("readers are noted once, of messages of others that ask for it")
    func receipts() throws {
        let verona = try Verona()
        try verona.say("1", verona.romeo)
        try verona.say("2", verona.romeo, flags: .countsAsUnread)
        try verona.say("3", verona.juliet)
        try verona.say("4", verona.romeo)
        let gone = try verona.say("5", verona.romeo)
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in try store.messages.recall(gone, by: Actor(romeo)) }
        let before = try verona.revision()
        let changes = try self.report(verona, [1, 2, 3, 4, 5, 1, 99, -1], verona.juliet)
        #expect(changes.map(\.place.sequence) == [1, 4] && changes.map(\.revision) == [before + 1, before + 2])
        #expect(changes.allSatisfy { $0.members == verona.everyone })
        #expect(try self.report(verona, [1, 4], verona.juliet) == [])
        _ = try self.report(verona, [1], verona.mercutio)
        let mine = try #require(try verona.extra(MessagePlace(verona.id, 1), for: verona.juliet))
        #expect(mine.readerCount == 2 && mine.unreadCount == 1 && mine.hasRead)
        #expect(mine.readAtMilliseconds == verona.fixture.clock.clock.wallMilliseconds())
        let theirs = try #require(try verona.extra(MessagePlace(verona.id, 1), for: verona.romeo))
        #expect(theirs.readerCount == 2 && !theirs.hasRead)
        #expect(try verona.fixture.member(verona.juliet, in: verona.id).readSequence == 0)
        #expect(try verona.isSound() == [])
    }

    @Test("who has read and who has not, page by page")
    func lists() throws {
        let verona = try Verona()
        let place = try verona.say("1", verona.romeo)
        for reader in [verona.juliet, verona.mercutio] { _ = try self.report(verona, [1], reader) }
        let (juliet, mercutio) = (verona.juliet, verona.mercutio)
        let (first, second, not) = try verona.read { store throws(StoreError) in
            (
                try store.messages.readers(of: place, limit: 1, as: .member(juliet)),
                try store.messages.readers(of: place, after: mercutio, limit: 9, as: .member(juliet)),
                try store.messages.nonReaders(of: place, limit: 9, as: .member(juliet))
            )
        }
        #expect(first.map(\.name.text) == ["mercutio"] && second.map(\.name.text) == ["juliet"])
        #expect(not.map(\.name.text) == ["escalus"] && not.allSatisfy { $0.readAtMilliseconds == nil })
        #expect(first.allSatisfy { $0.readAtMilliseconds != nil })
    }

    @Test("a message of the business server waits for every member")
    func unreadOfTheSystem() throws {
        let verona = try Verona()
        let sent = verona.fixture.send(
            "x", from: .system, to: .id(verona.id), flags: .receiptRequested, authority: .application)
        let sequence = try #require(sent.accepted).message.sequence
        _ = try self.report(verona, [sequence], verona.juliet)
        #expect(try verona.extra(MessagePlace(verona.id, sequence))?.unreadCount == 3)
    }

    @Test("are refused for strangers, and skipped where the operator switched them off")
    func receiptRefusals() throws {
        let verona = try Verona { $0.rules.receiptsInGroups = false }
        let (id, tybalt, juliet) = (verona.id, verona.tybalt, verona.juliet)
        try verona.say("1", verona.romeo)
        #expect(
            verona.refusal { store throws(StoreError) in try store.messages.markRead([1], in: id, by: tybalt) }
                == .notMember)
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.markRead(Array(repeating: 1, count: 101), in: id, by: juliet)
            } == .tooMany(limit: 100))
        #expect(try self.report(verona, [1], juliet) == [])
    }

    // MARK: Reading them all

    @Test("changes come by revision, page by page, without a gap between one's own and those of all")
    func pages() throws {
        let verona = try Verona()
        let (id, juliet, romeo) = (verona.id, verona.juliet, verona.romeo)
        let places = try (0..<6).map { try verona.say("\($0)", romeo) }
        let start = try verona.revision()
        try verona.write { store throws(StoreError) in
            try store.messages.hide([places[0]], for: juliet)
            try store.messages.edit(places[1], newBody: [1], isJSONObject: false, by: Actor(romeo))
            try store.messages.markHeard(places[2], by: juliet)
            try store.messages.markRead([places[3].sequence, places[4].sequence], in: id, by: juliet)
            try store.messages.hide([places[1]], for: juliet)
            try store.messages.hide([places[5]], for: romeo)
        }
        var seen: [Int64] = []
        var revision = start
        while true {
            let from = revision
            let page = try verona.read { store throws(StoreError) in
                try store.messages.extras(in: id, after: from, limit: 2, for: juliet)
            }
            guard let last = page.last else { break }
            #expect(page.map(\.revision) == page.map(\.revision).sorted())
            seen += page.map(\.place.sequence)
            revision = last.revision
        }
        #expect(seen == [1, 2, 3, 4, 5, 2])
        #expect(revision == start + 6)
        let all = try verona.read { store throws(StoreError) in
            try store.messages.extras(in: id, after: start, limit: 100, for: juliet).map(\.place.sequence)
        }
        #expect(all == [1, 3, 4, 5, 2])
    }

    enum Reading: CaseIterable {
        case changes, page, edits, readers, nonReaders, pins, reactions, reactionPage, counts
    }

    @Test("nothing is told to somebody outside", arguments: Reading.allCases)
    func access(_ reading: Reading) throws {
        let verona = try Verona()
        let (id, tybalt) = (verona.id, verona.tybalt)
        let place = try verona.say("1", verona.romeo)
        #expect(throws: StoreError.notFound("the conversation")) {
            try verona.read { store throws(StoreError) in
                switch reading {
                case .changes: try store.messages.extras(in: id, after: 0, limit: 1, for: tybalt).count
                case .page: try store.messages.extras(of: [1], in: id, for: tybalt).count
                case .edits: try store.messages.edits(of: place, as: .member(tybalt)).count
                case .readers: try store.messages.readers(of: place, limit: 1, as: .member(tybalt)).count
                case .nonReaders: try store.messages.nonReaders(of: place, limit: 1, as: .member(tybalt)).count
                case .pins: try store.messages.pinned(in: id, limit: 1, as: .member(tybalt)).count
                case .reactions: try store.messages.reactions(in: id, after: 0, limit: 1, as: .member(tybalt)).count
                case .reactionPage: try store.messages.reactions(of: [1], in: id, as: .member(tybalt)).count
                case .counts: try store.messages.reactionCounts(of: [1], in: id, for: tybalt).count
                }
            }
        }
    }

    @Test("a message is found by its id")
    func place() throws {
        let verona = try Verona()
        let id = verona.id
        let places = try (0..<5).map { try verona.say("\($0)", verona.romeo) }
        for place in places {
            let message = try verona.message(place).id
            let found = try verona.read { store throws(StoreError) in
                (
                    try store.messages.place(of: message, in: id),
                    try store.messages.place(of: MessageID(rawValue: message.rawValue + 9), in: id)
                )
            }
            #expect(found.0 == place && found.1 == nil)
        }
    }
}
