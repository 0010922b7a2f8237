import ChatModel
import Testing

@testable import Store

@Suite("The word list and message kinds in the store") struct WordTests {
    private func add(_ rules: [WordRule], to fixture: Fixture) throws -> Int {
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.moderation.addWordRules(rules)
        }
    }

    private func rules(_ fixture: Fixture) throws -> [WordRule] {
        try fixture.store.readAndWait { reading throws(StoreError) in try reading.moderation.wordRules() }
    }

    private func flagged(_ fixture: Fixture) throws -> [FlaggedMessage] {
        try fixture.store.readAndWait { reading throws(StoreError) in
            try reading.moderation.flaggedMessages(before: nil, limit: 1_000)
        }
    }

    @Test("rules are there after a restart; a word that comes again, in any spelling, changes its rule")
    func rules() throws {
        let fixture = try Fixture()
        #expect(try self.add([WordRule("Tea", .mask), WordRule("外挂", .refuse)], to: fixture) == 2)
        #expect(try self.add([WordRule("Tea", .mask)], to: fixture) == 0)
        #expect(try self.add([WordRule("ＴＥＡ", .flag)], to: fixture) == 1)
        let again = try fixture.reopened()
        #expect(try self.rules(again) == [WordRule("ＴＥＡ", .flag), WordRule("外挂", .refuse)])
        let page = try again.store.readAndWait { reading throws(StoreError) in
            (
                try reading.moderation.wordRules(after: nil, limit: 1),
                try reading.moderation.wordRules(after: "tea", limit: 5)
            )
        }
        #expect(page.0.map(\.word) == ["ＴＥＡ"] && page.1.map(\.word) == ["外挂"])
        let removed = try again.store.writeAndWait { transaction throws(StoreError) in
            try transaction.moderation.removeWordRules(["tea", "none"])
        }
        #expect(try removed == 1 && self.rules(again).map(\.word) == ["外挂"])
        #expect(try again.verified().findings == [])
    }

    @Test("a bad word stops all of a request, and so does one rule too many")
    func bounds() throws {
        let fixture = try Fixture()
        #expect(throws: StoreError.self) { try self.add([WordRule("a", .mask), WordRule(" ", .mask)], to: fixture) }
        #expect(try self.rules(fixture) == [])
        let most = (0..<WordRule.maximumRules).map { WordRule("w\($0)", .mask) }
        #expect(try self.add(most, to: fixture) == WordRule.maximumRules)
        #expect(throws: StoreError.self) { try self.add([WordRule("more", .mask)], to: fixture) }
        #expect(try self.add([WordRule("w7", .flag)], to: fixture) == 1)
    }

    @Test("watched words are kept with the message's place, its resend adds nothing, and the oldest go")
    func flaggedLog() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        var append = fixture.append("x", from: romeo, to: .id(verona), token: "t1")
        append.screening = AppendScreening(refusal: nil, sentBody: append.content.body, flagged: ["a", "b"])
        var again = append
        again.ticket = 1_000
        #expect(fixture.send([append])[0].accepted?.isDuplicate == false)
        #expect(fixture.send([again])[0].accepted?.isDuplicate == true)
        var transient = fixture.append("x", from: romeo, to: .id(verona), flags: .transient)
        transient.screening = AppendScreening(refusal: nil, sentBody: [], flagged: ["c"])
        #expect(fixture.send([transient])[0].accepted != nil)
        let log = try self.flagged(fixture)
        #expect(log.map(\.word) == ["c", "b", "a"] && log.map(\.sequence) == [0, 1, 1])
        #expect(log.allSatisfy { $0.conversation == verona && $0.sender.text == "romeo" })
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            let words = Array(repeating: "d", count: Int(FlaggedMessage.maximumKept))
            try transaction.moderation.addFlagged(words, at: MessagePlace(verona, 1), by: romeo)
        }
        let older = try fixture.store.readAndWait { reading throws(StoreError) in
            try reading.moderation.flaggedMessages(before: 5, limit: 10)
        }
        #expect(older.map(\.number) == [4] && older.map(\.word) == ["d"])
        #expect(try fixture.verified().findings == [])
    }

    @Test("what a rule refuses is not taken; what was taken before the rule gets its first answer")
    func refused() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let first = fixture.send("x", from: romeo, to: .id(verona), token: "t1")
        func refused(_ token: String) -> AppendResult {
            var append = fixture.append("x", from: romeo, to: .id(verona), token: token)
            append.screening = AppendScreening(
                refusal: .wordNotAllowed, sentBody: append.content.body, flagged: [])
            return fixture.send([append])[0]
        }
        #expect(refused("t2").refusal == .wordNotAllowed)
        #expect(refused("t1").accepted?.message.id == first.accepted?.message.id)
        #expect(try fixture.bodies(verona) == ["x"])
    }

    @Test("a masked message is known again, whatever the list says by then")
    func masked() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        func send(_ masked: String?, _ token: String) -> Accepted? {
            var append = fixture.append("sent", from: romeo, to: .id(verona), token: token)
            if let masked {
                append.screening = AppendScreening(refusal: nil, sentBody: append.content.body, flagged: [])
                append.content.body = Array(masked.utf8)
                append.content.flags.insert(.masked)
            }
            return fixture.send([append])[0].accepted
        }
        #expect(send("s**t", "t1")?.isDuplicate == false)
        #expect(send(nil, "t2")?.isDuplicate == false)
        for (masked, token) in [("s**t", "t1"), ("**nt", "t1"), (nil, "t1"), ("s**t", "t2")] {
            let again = send(masked, token)
            #expect(again?.isDuplicate == true)
            #expect(again?.message.content.flags.contains(.masked) == (token == "t1"))
        }
        #expect(try fixture.bodies(verona) == ["s**t", "sent"])
        #expect(try fixture.verified().findings == [])
    }

    @Test("kinds have free names, change as a whole, and are there after a restart")
    func kinds() throws {
        let fixture = try Fixture()
        let gift = MessageKindEntry(
            kind: MessageKind(rawValue: 500), name: "gift", version: 3, requiredFields: ["amount", "\""],
            fileFields: ["picture"], degrade: "d", typeTitle: "红包", summary: "s", digest: "{amount}")
        var other = gift
        other.kind = MessageKind(rawValue: 501)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.moderation.setMessageKind(gift)
        }
        let taken = other
        #expect(throws: StoreError.exists("a message kind with the name gift")) {
            try fixture.store.writeAndWait { transaction throws(StoreError) in
                try transaction.moderation.setMessageKind(taken)
            }
        }
        other.name = "other"
        other.degrade = ""
        let broken = other
        #expect(throws: StoreError.invalid("degrade is missing")) {
            try fixture.store.writeAndWait { transaction throws(StoreError) in
                try transaction.moderation.setMessageKind(broken)
            }
        }
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.moderation.setMessageKindDisabled(gift.kind, true)
        }
        let again = try fixture.reopened()
        var expected = gift
        expected.isDisabled = true
        #expect(
            try again.store.readAndWait { reading throws(StoreError) in try reading.moderation.messageKinds() } == [
                expected
            ])
        try again.store.writeAndWait { transaction throws(StoreError) in
            try transaction.moderation.removeMessageKind(gift.kind)
        }
        #expect(throws: StoreError.self) {
            try again.store.writeAndWait { transaction throws(StoreError) in
                try transaction.moderation.removeMessageKind(gift.kind)
            }
        }
    }
}
