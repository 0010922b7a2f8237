import ChatModel
import Execution
import Testing

@testable import Store

@Suite("The lines that groups show about changes")
struct SystemMessageTests {
    /// One line for each event: its gateway and how many people it happened to.
    private static let wording: SystemMessageWording = { events, context throws(StoreError) in
        var lines: [MessageContent] = []
        for event in events {
            let people = try context.people(event.subjects).map(\.name).joined(separator: ",")
            let text = "\(event.origin.gateway) \(context.form) \(people) \(try context.managers().count)"
            lines.append(
                MessageContent(kind: .text, flags: .countsAsUnread, wire: .native, body: Array(text.utf8)))
        }
        return lines
    }

    private func lines(_ verona: Verona) throws -> [String] {
        let id = verona.id
        let messages = try verona.read { store throws(StoreError) in
            try store.messages.latest(in: id, limit: 10, as: .unrestricted)
        }
        return messages.map { message in
            let text = String(decoding: message.content.body, as: UTF8.self)
            return "\(message.sequence) \(message.sender == .system) \(text)"
        }
    }

    /// Outcomes that the writer tells from now on.
    private func listening(_ verona: Verona) -> Lock<[AppendOutcome]> {
        let told = Lock<[AppendOutcome]>([])
        verona.fixture.store.onOutcomes = { outcomes in told.withLock { $0 += outcomes } }
        return told
    }

    /// A group that is worded from now on.
    private func stage(hooks: Bool = false) throws -> Verona {
        var verona = try Verona()
        verona.fixture = try verona.fixture.reopened { options in
            options.systemMessages = Self.wording
            options.queuesHooks = hooks
        }
        return verona
    }

    @Test("a line is in the history and unread when its change is answered, and a refused change leaves none")
    func together() throws {
        let verona = try self.stage()
        let (id, romeo, tybalt) = (verona.id, verona.romeo, verona.tybalt)
        let told = self.listening(verona)
        try verona.write { store throws(StoreError) in
            store.origin = EventOrigin(.app)
            try store.conversations.addMembers([tybalt], to: id, by: Actor(romeo))
            try store.conversations.setMemberMuted(tybalt, untilMilliseconds: .max, in: id, by: .operator)
        }
        #expect(try self.lines(verona) == ["1 true app advanced tybalt 2", "2 true app advanced tybalt 2"])
        let accepted = told.withLock { $0.filter { $0.ticket == Append.unasked }.compactMap(\.result.accepted) }
        #expect(accepted.map(\.message.sequence) == [1, 2] && accepted.allSatisfy { $0.members.contains(tybalt) })
        #expect(try verona.fixture.unread(tybalt)[id] == 2)
        let refusal = verona.refusal { store throws(StoreError) in
            try store.conversations.setNickname(of: romeo, "R", in: id, by: Actor(romeo))
            try store.conversations.setRoles([romeo], .manager, in: id, by: Actor(romeo))
        }
        #expect(refusal == .notOwner)
        #expect(try self.lines(verona).count == 2)
        #expect(try verona.isSound() == [])
    }

    @Test("a message that goes with a change is in its commit, and is not there when the change is undone")
    func said() throws {
        let verona = try Verona()
        let (id, romeo) = (verona.id, verona.romeo)
        let told = self.listening(verona)
        let content = MessageContent(kind: .text, flags: .countsAsUnread, wire: .native, body: Array("hello".utf8))
        let refusal = verona.refusal { store throws(StoreError) in
            store.say(content, as: romeo, authority: .application, to: .id(id))
            throw .refused(.notOwner)
        }
        #expect(refusal == .notOwner)
        #expect(try self.lines(verona).isEmpty)
        try verona.write { store throws(StoreError) in
            store.say(content, as: romeo, authority: .application, to: .id(id))
            try store.conversations.setTitle("Fair Verona", of: id)
        }
        #expect(try self.lines(verona) == ["1 false hello"])
        #expect(told.withLock { $0.compactMap(\.result.accepted).count } == 1)
    }

    @Test("the change and its line are one commit, also when the batch is done again message by message")
    func oneCommit() throws {
        let commits = Lock<[String]>([])
        let batches = Lock(0)
        let box = Lock<Fixture?>(nil)
        var verona = try Verona()
        let id = verona.id
        verona.fixture = try verona.fixture.reopened { options in
            options.systemMessages = Self.wording
            options.commitHook = { commit, publish throws(StoreError) in
                let batch = batches.withLock { batches in
                    batches += 1
                    return batches
                }
                // The first one fails as a whole, so that each of its requests is done alone.
                if batch == 1 { throw .invalid("the batch") }
                try commit()
                commits.withLock { $0.append(Self.left(by: box.withLock { $0 }, id)) }
                publish()
            }
        }
        box.withLock { [fixture = verona.fixture] in $0 = fixture }
        defer { box.withLock { $0 = nil } }
        let tybalt = verona.tybalt
        try verona.write { store throws(StoreError) in try store.conversations.addMembers([tybalt], to: id) }
        #expect(commits.withLock { $0 } == ["5 members, 1 lines"], "a kill falls before this commit or behind it")
        #expect(try self.lines(verona) == ["1 true server advanced tybalt 2"])
    }

    /// The members and messages that a killed server would leave behind at this moment.
    private static func left(by fixture: Fixture?, _ id: ConversationID) -> String {
        do {
            // On the writer's thread, which therefore changes nothing meanwhile.
            guard let fixture else { return "no store" }
            let copy = try Fixture(fixture.folder.copied(), clock: fixture.clock)
            return try copy.store.readAndWait { store throws(StoreError) in
                let lines = try store.messages.latest(in: id, limit: 10, as: .unrestricted)
                return "\(try store.conversations.members(of: id).count) members, \(lines.count) lines"
            }
        } catch {
            return "\(error)"
        }
    }

    @Test("a line goes to receivers outside like every message")
    func hooks() throws {
        let verona = try self.stage(hooks: true)
        let (id, tybalt) = (verona.id, verona.tybalt)
        let before = try verona.fixture.store.readAndWait { store throws(StoreError) in
            try store.connection.first("SELECT count(*) FROM hook_queue") { row throws(StoreError) in row.int64(0) }
                ?? 0
        }
        try verona.write { store throws(StoreError) in try store.conversations.addMembers([tybalt], to: id) }
        let after = try verona.fixture.store.readAndWait { store throws(StoreError) in
            try store.connection.first("SELECT count(*) FROM hook_queue") { row throws(StoreError) in row.int64(0) }
                ?? 0
        }
        #expect(after == before + 1)
    }

    @Test("what a banned group does not take is left out and the change stays; one that was over is told nothing")
    func leftOut() throws {
        let verona = try self.stage()
        let (id, escalus, romeo) = (verona.id, verona.escalus, verona.romeo)
        try verona.write { store throws(StoreError) in try store.conversations.setFlags([.banned], of: id) }
        #expect(try self.lines(verona) == [])
        try verona.write { store throws(StoreError) in
            try store.conversations.setFlags([], of: id)
            try store.conversations.disband(id, by: Actor(escalus))
        }
        let told = try self.lines(verona)
        #expect(told.count == 2, "that it is over is its last word")
        try verona.write { store throws(StoreError) in _ = try store.people.deleteUser(romeo) }
        #expect(try self.lines(verona) == told)
        #expect(try verona.isSound() == [])
    }

    @Test("nothing is said where nobody is left")
    func empty() throws {
        let verona = try self.stage()
        let id = verona.id
        try verona.write { store throws(StoreError) in try store.conversations.removeAllMembers(from: id, by: .operator)
        }
        #expect(try self.lines(verona) == [])
    }
}
