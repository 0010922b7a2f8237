import ChatModel
import Testing

@testable import Store

@Suite("The word list and message kinds in the store") struct WordTests {
    private func add(_ rules: [WordRule], to house: House) throws -> Int {
        try house.store.writeAndWait { transaction throws(StoreError) in try transaction.addWordRules(rules) }
    }

    private func rules(_ house: House) throws -> [WordRule] {
        try house.store.readAndWait { reading throws(StoreError) in try reading.wordRules() }
    }

    private func flagged(_ house: House) throws -> [FlaggedMessage] {
        try house.store.readAndWait { reading throws(StoreError) in
            try reading.flaggedMessages(before: nil, limit: 1_000)
        }
    }

    @Test("rules are there after a restart; a word that comes again, in any spelling, changes its rule")
    func rules() throws {
        let house = try House()
        #expect(try self.add([WordRule("Tea", .mask), WordRule("外挂", .refuse)], to: house) == 2)
        #expect(try self.add([WordRule("Tea", .mask)], to: house) == 0)
        #expect(try self.add([WordRule("ＴＥＡ", .flag)], to: house) == 1)
        let again = try house.reopened()
        #expect(try self.rules(again) == [WordRule("ＴＥＡ", .flag), WordRule("外挂", .refuse)])
        let page = try again.store.readAndWait { reading throws(StoreError) in
            (try reading.wordRules(after: nil, limit: 1), try reading.wordRules(after: "tea", limit: 5))
        }
        #expect(page.0.map(\.word) == ["ＴＥＡ"] && page.1.map(\.word) == ["外挂"])
        let removed = try again.store.writeAndWait { transaction throws(StoreError) in
            try transaction.removeWordRules(["tea", "none"])
        }
        #expect(try removed == 1 && self.rules(again).map(\.word) == ["外挂"])
        #expect(try again.verified().findings == [])
    }

    @Test("a bad word stops all of a request, and so does one rule too many")
    func bounds() throws {
        let house = try House()
        #expect(throws: StoreError.self) { try self.add([WordRule("a", .mask), WordRule(" ", .mask)], to: house) }
        #expect(try self.rules(house) == [])
        let most = (0..<WordRule.maximumRules).map { WordRule("w\($0)", .mask) }
        #expect(try self.add(most, to: house) == WordRule.maximumRules)
        #expect(throws: StoreError.self) { try self.add([WordRule("more", .mask)], to: house) }
        #expect(try self.add([WordRule("w7", .flag)], to: house) == 1)
    }

    @Test("watched words are kept with the message's place, its resend adds nothing, and the oldest go")
    func flaggedLog() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        var append = house.append("x", from: romeo, to: .id(verona), token: "t1")
        append.screening = AppendScreening(refusal: nil, sentBody: append.content.body, flagged: ["a", "b"])
        var again = append
        again.ticket = 1_000
        #expect(house.send([append])[0].accepted?.isDuplicate == false)
        #expect(house.send([again])[0].accepted?.isDuplicate == true)
        var transient = house.append("x", from: romeo, to: .id(verona), flags: .transient)
        transient.screening = AppendScreening(refusal: nil, sentBody: [], flagged: ["c"])
        #expect(house.send([transient])[0].accepted != nil)
        let log = try self.flagged(house)
        #expect(log.map(\.word) == ["c", "b", "a"] && log.map(\.sequence) == [0, 1, 1])
        #expect(log.allSatisfy { $0.conversation == verona && $0.sender.text == "romeo" })
        try house.store.writeAndWait { transaction throws(StoreError) in
            let words = Array(repeating: "d", count: Int(FlaggedMessage.maximumKept))
            try transaction.addFlagged(words, at: MessagePlace(verona, 1), by: romeo)
        }
        let older = try house.store.readAndWait { reading throws(StoreError) in
            try reading.flaggedMessages(before: 5, limit: 10)
        }
        #expect(older.map(\.number) == [4] && older.map(\.word) == ["d"])
        #expect(try house.verified().findings == [])
    }

    @Test("what a rule refuses is not taken; what was taken before the rule gets its first answer")
    func refused() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        let first = house.send("x", from: romeo, to: .id(verona), token: "t1")
        func refused(_ token: String) -> AppendResult {
            var append = house.append("x", from: romeo, to: .id(verona), token: token)
            append.screening = AppendScreening(
                refusal: .wordNotAllowed, sentBody: append.content.body, flagged: [])
            return house.send([append])[0]
        }
        #expect(refused("t2").refusal == .wordNotAllowed)
        #expect(refused("t1").accepted?.message.id == first.accepted?.message.id)
        #expect(try house.bodies(verona) == ["x"])
    }

    @Test("a masked message is known again, whatever the list says by then")
    func masked() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        func send(_ masked: String?, _ token: String) -> Accepted? {
            var append = house.append("sent", from: romeo, to: .id(verona), token: token)
            if let masked {
                append.screening = AppendScreening(refusal: nil, sentBody: append.content.body, flagged: [])
                append.content.body = Array(masked.utf8)
                append.content.flags.insert(.masked)
            }
            return house.send([append])[0].accepted
        }
        #expect(send("s**t", "t1")?.isDuplicate == false)
        #expect(send(nil, "t2")?.isDuplicate == false)
        for (masked, token) in [("s**t", "t1"), ("**nt", "t1"), (nil, "t1"), ("s**t", "t2")] {
            let again = send(masked, token)
            #expect(again?.isDuplicate == true)
            #expect(again?.message.content.flags.contains(.masked) == (token == "t1"))
        }
        #expect(try house.bodies(verona) == ["s**t", "sent"])
        #expect(try house.verified().findings == [])
    }

    @Test("kinds have free names, change as a whole, and are there after a restart")
    func kinds() throws {
        let house = try House()
        let gift = MessageKindEntry(
            kind: MessageKind(rawValue: 500), name: "gift", version: 3, requiredFields: ["amount", "\""],
            fileFields: ["picture"], degrade: "d", typeTitle: "红包", summary: "s", digest: "{amount}")
        var other = gift
        other.kind = MessageKind(rawValue: 501)
        try house.store.writeAndWait { transaction throws(StoreError) in try transaction.setMessageKind(gift) }
        let taken = other
        #expect(throws: StoreError.exists("a message kind with the name gift")) {
            try house.store.writeAndWait { transaction throws(StoreError) in try transaction.setMessageKind(taken) }
        }
        other.name = "other"
        other.degrade = ""
        let broken = other
        #expect(throws: StoreError.invalid("degrade is missing")) {
            try house.store.writeAndWait { transaction throws(StoreError) in try transaction.setMessageKind(broken) }
        }
        try house.store.writeAndWait { transaction throws(StoreError) in
            try transaction.setMessageKindDisabled(gift.kind, true)
        }
        let again = try house.reopened()
        var expected = gift
        expected.isDisabled = true
        #expect(
            try again.store.readAndWait { reading throws(StoreError) in try reading.messageKinds() } == [expected])
        try again.store.writeAndWait { transaction throws(StoreError) in try transaction.removeMessageKind(gift.kind) }
        #expect(throws: StoreError.self) {
            try again.store.writeAndWait { transaction throws(StoreError) in
                try transaction.removeMessageKind(gift.kind)
            }
        }
    }
}
