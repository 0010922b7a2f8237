import ChatModel
import Testing

@testable import Store

@Suite("Reminders")
struct ReminderTests {
    private func reminders(_ verona: Verona, of user: UserID, after change: Int64 = 0) throws -> [Reminder] {
        try verona.read { store throws(StoreError) in
            try store.messages.reminders(of: user, after: change, limit: 1_000)
        }
    }

    private func names(_ names: String...) -> [UserName] { names.compactMap { UserName($0) } }

    @Test("a mention makes one for each member it names, but its sender")
    func mention() throws {
        let verona = try Verona()
        var append = verona.fixture.append("x", from: verona.romeo, to: .id(verona.id))
        append.content.mentions = Mentions(users: self.names("juliet", "tybalt", "romeo", "juliet", "nobody"))
        let accepted = try #require(verona.fixture.send([append])[0].accepted)
        // Of five names only the first four are looked at: there are no more members.
        #expect(accepted.reminded == [verona.juliet])
        let made = try self.reminders(verona, of: verona.juliet)
        let reminder = try #require(made.first)
        #expect(made.count == 1 && reminder.kind == .mention && reminder.publisher.text == "romeo")
        #expect(reminder.sequence == 1 && reminder.messageID == accepted.message.id && reminder.locates)
        #expect(reminder.text == "" && reminder.data == nil && !reminder.isDone)
        for other in [verona.romeo, verona.tybalt, verona.mercutio] {
            #expect(try self.reminders(verona, of: other) == [])
        }
        #expect(try verona.isSound() == [])
    }

    @Test("a call to everybody reaches every other member once")
    func everybody() throws {
        let verona = try Verona()
        try verona.say("x", verona.romeo, mentions: Mentions(all: true, users: self.names("juliet")))
        for user in [verona.escalus, verona.mercutio, verona.juliet] {
            #expect(try self.reminders(verona, of: user).count == 1)
        }
        #expect(try self.reminders(verona, of: verona.romeo) == [])
    }

    @Test("a resend, a refused and a transient message make none")
    func none() throws {
        let verona = try Verona()
        let mentions = Mentions(users: self.names("juliet"))
        try verona.say("x", verona.romeo, token: "t1", mentions: mentions)
        try verona.say("x", verona.romeo, token: "t1", mentions: mentions)
        try verona.say("x", verona.romeo, flags: .transient, mentions: mentions)
        var forged = verona.fixture.append("x", from: verona.tybalt, to: .id(verona.id))
        forged.content.mentions = mentions
        #expect(verona.fixture.send([forged])[0].refusal == .notMember)
        #expect(try self.reminders(verona, of: verona.juliet).count == 1)
    }

    @Test("are done by their own person only, and told again by change number")
    func done() throws {
        let verona = try Verona()
        let (juliet, mercutio) = (verona.juliet, verona.mercutio)
        for body in ["1", "2"] { try verona.say(body, verona.romeo, mentions: Mentions(all: true)) }
        let made = try self.reminders(verona, of: juliet)
        let ids = made.map(\.id)
        let seen = try #require(made.last?.change)
        let forged = try verona.write { store throws(StoreError) in
            try store.messages.finishReminders(ids, by: mercutio)
        }
        #expect(forged == ReminderChange(ids: [], change: 0))
        #expect(try self.reminders(verona, of: juliet, after: seen) == [])
        let done = try verona.write { store throws(StoreError) in
            try store.messages.finishReminders([ids[0], ids[0], 999], by: juliet)
        }
        #expect(done.ids == [ids[0]] && done.change > seen)
        let news = try self.reminders(verona, of: juliet, after: seen)
        #expect(news.map(\.id) == [ids[0]] && news.map(\.isDone) == [true] && news.map(\.change) == [done.change])
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.finishReminders(Array(0...100), by: juliet)
            } == .tooMany(limit: 100))
    }

    @Test("of chosen conversations, and not of those the person has left")
    func conversations() throws {
        let verona = try Verona()
        let (juliet, id) = (verona.juliet, verona.id)
        let mantua = try verona.fixture.group("mantua", owner: verona.romeo, [juliet])
        try verona.say("1", verona.romeo, mentions: Mentions(all: true))
        var append = verona.fixture.append("2", from: verona.romeo, to: .id(mantua))
        append.content.mentions = Mentions(all: true)
        _ = verona.fixture.send([append])
        let chosen = try verona.read { store throws(StoreError) in
            try store.messages.reminders(of: juliet, after: 0, conversations: [mantua], limit: 10).map(\.conversation)
        }
        #expect(chosen == [mantua])
        try verona.write { store throws(StoreError) in try store.conversations.removeMembers([juliet], from: id) }
        #expect(try self.reminders(verona, of: juliet).map(\.conversation) == [mantua])
        #expect(try verona.isSound() == [])
    }

    @Test("the business server makes its own kinds")
    func custom() throws {
        let verona = try Verona()
        let (juliet, mercutio) = (verona.juliet, verona.mercutio)
        let packet = NewReminder(
            in: verona.id, kind: ReminderKind(rawValue: 100), text: "a red packet", data: Array(#"{"sum":1}"#.utf8))
        let made = try verona.write { store throws(StoreError) in
            try store.messages.addReminder(packet, for: [juliet, mercutio, juliet], by: .application)
        }
        let reminder = try #require(try self.reminders(verona, of: juliet).first)
        #expect(made.ids.count == 2 && made.ids.contains(reminder.id))
        #expect(reminder.text == "a red packet" && reminder.data == Array(#"{"sum":1}"#.utf8))
        #expect(reminder.sequence == 0 && reminder.messageID == nil && reminder.publisher == systemUserName)
        #expect(try verona.isSound() == [])
    }

    @Test("people make none themselves, and no request makes a broken one")
    func refusals() throws {
        let verona = try Verona()
        let (id, juliet, tybalt, escalus) = (verona.id, verona.juliet, verona.tybalt, verona.escalus)
        let fine = NewReminder(in: id, kind: .announcement, text: "x")
        var (unknown, long, broken, missing) = (fine, fine, fine, fine)
        unknown.kind = ReminderKind(rawValue: 50)
        long.text = String(repeating: "x", count: 1_025)
        broken.data = Array("[]".utf8)
        missing.sequence = 9
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.addReminder(fine, for: [juliet], by: Actor(escalus))
            } == .notApplicable)
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.addReminder(fine, for: [juliet, tybalt], by: .application)
            } == .notMember)
        let absent = missing
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.addReminder(absent, for: [juliet], by: .application)
            } == .noSuchMessage)
        for wrong in [unknown, long, broken] {
            #expect(throws: StoreError.self) {
                try verona.write { store throws(StoreError) in
                    try store.messages.addReminder(wrong, for: [juliet], by: .application)
                }
            }
        }
        #expect(try self.reminders(verona, of: juliet) == [])
    }

    @Test("are forgotten after their horizon")
    func horizon() throws {
        let verona = try Verona { $0.reminderDays = 10 }
        try verona.say("1", verona.romeo, mentions: Mentions(all: true))
        for _ in 0..<9 {
            verona.fixture.clock.advance(milliseconds: 86_400_000)
            verona.fixture.store.runMaintenance()
        }
        try verona.say("2", verona.romeo, mentions: Mentions(all: true))
        #expect(try self.reminders(verona, of: verona.juliet).map(\.sequence) == [1, 2])
        for _ in 0..<3 {
            verona.fixture.clock.advance(milliseconds: 86_400_000)
            verona.fixture.store.runMaintenance()
        }
        #expect(try self.reminders(verona, of: verona.juliet).map(\.sequence) == [2])
    }
}
