import ChatModel
import Execution
import Testing

@testable import Store

/// A small generator with a seed, so that a failing run can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var z = self.state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// The same promises, kept in the plainest way: everything recounted from a list.
private struct Model {
    struct Sent {
        let sender: UserID
        let body: String
        let counts: Bool
    }

    struct Group {
        var messages: [Sent] = []
        var read: [UserID: Int] = [:]
        var tokens: [String: Int] = [:]
    }

    enum Answer: Equatable {
        case stored(Int64)
        case repeated(Int64)
        case refused(PublishRefusal)
    }

    var groups: [ConversationID: Group] = [:]

    mutating func send(_ append: Append, token: String?, to id: ConversationID) -> Answer {
        let key = token.map { "\(append.sender.rawValue) \($0)" }
        let body = String(decoding: append.content.body, as: UTF8.self)
        guard var group = self.groups[id] else { return .refused(.noSuchConversation) }
        let known = key.flatMap { group.tokens[$0] }
        let isSame = known.map { group.messages[$0 - 1].body == body } ?? false
        if let known, isSame { return .repeated(Int64(known)) }
        guard group.read[append.sender] != nil else { return .refused(.notMember) }
        guard known == nil else { return .refused(.tokenConflict) }
        group.messages.append(
            Sent(sender: append.sender, body: body, counts: append.content.flags.contains(.countsAsUnread)))
        if let key { group.tokens[key] = group.messages.count }
        self.groups[id] = group
        return .stored(Int64(group.messages.count))
    }

    func unread(_ user: UserID) -> [ConversationID: Int64] {
        var unread: [ConversationID: Int64] = [:]
        for (id, group) in self.groups {
            guard let read = group.read[user] else { continue }
            let count = group.messages[read...].count { $0.counts && $0.sender != user }
            if count > 0 { unread[id] = Int64(count) }
        }
        return unread
    }
}

@Suite("Any order of operations")
struct PropertyTests {
    /// What was asked, what the model answered, to be compared when the store has answered.
    private struct Pending {
        var appends: [Append] = []
        var answers: [Model.Answer] = []
    }

    @Test("gives the sequences, resends and unread counts of a plain recount", arguments: [1, 2, 3] as [UInt64])
    func agreesWithModel(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var fixture = try Fixture { options in
            options.cachedConversations = 3
            options.cachedUsers = 4
            options.recentTokens = 40
        }
        let users = try (0..<6).map { try fixture.user("user\($0)") }
        let groups = try (0..<5).map { try fixture.group("group\($0)", owner: users[$0], users) }
        var model = Model()
        for group in groups {
            model.groups[group] = Model.Group(read: Dictionary(uniqueKeysWithValues: users.map { ($0, 0) }))
        }
        var pending = Pending()
        for step in 1...3_400 {
            self.step(fixture, &model, &pending, users, groups, &random)
            if step % 170 == 0 {
                try self.compare(fixture, model, &pending, users)
            }
            if step == 1_190 { fixture = try fixture.killed { $0.recentTokens = 40 } }
            if step == 2_210 { fixture = try fixture.reopened { $0.recentTokens = 25 } }
        }
        #expect(try fixture.verified().findings == [])
    }

    private func step(
        _ fixture: Fixture, _ model: inout Model, _ pending: inout Pending, _ users: [UserID],
        _ groups: [ConversationID],
        _ random: inout SplitMix
    ) {
        let user = users.randomElement(using: &random)!
        let group = groups.randomElement(using: &random)!
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<14:
            let token = Bool.random(using: &random) ? "t\(Int.random(in: 0..<60, using: &random))" : nil
            let body = "b\(Int.random(in: 0..<2, using: &random))"
            let flags: MessageFlags = Int.random(in: 0..<4, using: &random) == 0 ? [] : .countsAsUnread
            let append = fixture.append(body, from: user, to: .id(group), token: token, flags: flags)
            pending.answers.append(model.send(append, token: token, to: group))
            pending.appends.append(append)
            fixture.store.append([append])
        case 14..<18:
            let head = model.groups[group]?.messages.count ?? 0
            let upTo = Int.random(in: 0...(head + 1), using: &random)
            if let read = model.groups[group]?.read[user] {
                model.groups[group]?.read[user] = max(read, min(upTo, head))
            }
            fixture.store.write(
                { store throws(StoreError) in try store.inbox.markRead(user, in: group, upTo: Int64(upTo)) },
                then: { _ in })
        case 18:
            model.groups[group]?.read[user] = nil
            fixture.store.write(
                { store throws(StoreError) in try store.conversations.removeMembers([user], from: group) },
                then: { _ in })
        default:
            let head = model.groups[group]?.messages.count ?? 0
            if model.groups[group]?.read[user] == nil { model.groups[group]?.read[user] = head }
            fixture.store.write(
                { store throws(StoreError) in try store.conversations.addMembers([user], to: group) }, then: { _ in })
        }
    }

    private func compare(_ fixture: Fixture, _ model: Model, _ pending: inout Pending, _ users: [UserID]) throws {
        let results = fixture.results(of: pending.appends)
        let answers: [Model.Answer?] = results.map { result in
            switch result {
            case .accepted(let accepted):
                accepted.isDuplicate ? .repeated(accepted.message.sequence) : .stored(accepted.message.sequence)
            case .refused(let refusal): .refused(refusal)
            case .failed: nil
            }
        }
        #expect(answers == pending.answers)
        pending = Pending()
        // Behind everything asked so far.
        try fixture.store.writeAndWait { _ throws(StoreError) in }
        for user in users { #expect(try fixture.unread(user) == model.unread(user)) }
    }
}
