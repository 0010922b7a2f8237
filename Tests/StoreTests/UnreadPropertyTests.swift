import ChatModel
import Execution
import Testing

@testable import Store

/// Messages, readings and views of a few groups, kept as lists and recounted each time.
private struct PlainCount {
    struct Sent {
        let sender: UserID
        let counts: Bool
        /// Who may see it besides the sender; `nil` for everybody.
        let only: Set<UserID>?

        func isFor(_ user: UserID) -> Bool { self.counts && self.sender != user && self.only?.contains(user) != false }
    }

    /// One person in one group.
    struct Place {
        var read: Int
        /// Sequence of the newest own message since joining.
        var own = 0
        var mark: Int64 = 0
        var hidden: Set<Int> = []
    }

    struct Group {
        var messages: [Sent] = []
        var places: [UserID: Place] = [:]
        /// What stays of a person's view after they left.
        var cleared: [UserID: Int] = [:]
        var hiddenThrough: [UserID: Int] = [:]

        func counted(_ user: UserID, after: Int, without hidden: Set<Int>) -> Int64 {
            Int64(
                self.messages.enumerated().count { index, sent in
                    index + 1 > after && sent.isFor(user) && !hidden.contains(index + 1)
                })
        }

        func unread(_ user: UserID) -> Int64 {
            guard let place = self.places[user] else { return 0 }
            return self.counted(user, after: place.read, without: place.hidden)
        }

        /// Without a badge set by hand.
        func natural(_ user: UserID) -> Int64 {
            guard let place = self.places[user] else { return 0 }
            return self.counted(user, after: max(place.read, place.own), without: place.hidden)
        }

        func badge(_ user: UserID) -> Int64 { max(self.natural(user), self.places[user]?.mark ?? 0) }

        mutating func send(_ user: UserID, counts: Bool, only: Set<UserID>?) {
            self.messages.append(Sent(sender: user, counts: counts, only: only))
            self.places[user]?.own = self.messages.count
            self.places[user]?.mark = 0
        }

        mutating func read(_ user: UserID, upTo sequence: Int) {
            guard var place = self.places[user] else { return }
            place.read = max(place.read, min(sequence, self.messages.count))
            place.mark = 0
            self.places[user] = place
        }

        mutating func setUnread(_ user: UserID, _ count: Int64) {
            guard var place = self.places[user] else { return }
            let count = min(count, Int64(self.messages.count))
            place.mark = 0
            if count > self.natural(user) { place.mark = count }
            // The smallest step that leaves as many as were asked for.
            while self.counted(user, after: max(place.read, place.own), without: place.hidden) > count {
                place.read = max(place.read, place.own) + 1
            }
            // Nothing unread means everything is read.
            if count == 0 && self.natural(user) > 0 { place.read = self.messages.count }
            self.places[user] = place
        }
    }

    var groups: [ConversationID: Group] = [:]
}

@Suite("Unread counts and badges")
struct UnreadPropertyTests {
    private enum Step {
        case send(UserID, counts: Bool, only: Set<UserID>?)
        case read(UserID, upTo: Int)
        case setUnread(UserID, Int64)
        case clearUnread(UserID)
        case putAway(UserID)
        case clear(UserID, through: Int)
        case leave(UserID)
        case join(UserID)
        case withhold(UserID, Int)
    }

    private static func small(_ options: inout StoreOptions) {
        options.cachedConversations = 2
        // Every operation is a commit of its own here, and no disk is to be tested.
        options.synchronous = "OFF"
    }

    @Test("equal a recount after each of 10,000 random operations", arguments: [1, 2] as [UInt64])
    func recount(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var fixture = try Fixture(change: Self.small)
        let users = try (0..<4).map { try fixture.user("user\($0)") }
        let groups = try (0..<4).map { try fixture.group("group\($0)", owner: users[0], users) }
        var model = PlainCount()
        for group in groups {
            model.groups[group] = PlainCount.Group(
                places: Dictionary(uniqueKeysWithValues: users.map { ($0, PlainCount.Place(read: 0)) }))
        }
        for number in 1...5_000 {
            let id = groups[Int.random(in: 0..<groups.count, using: &random)]
            let step = Self.step(model.groups[id]!, users, &random)
            let change = try self.perform(step, id, fixture)
            Self.apply(step, to: &model.groups[id]!)
            if let change {
                let user = Self.user(of: step)
                try #require(change.unread == model.groups[id]!.unread(user), "\(number) \(step)")
                try #require(change.badge == model.groups[id]!.badge(user), "\(number) \(step)")
            }
            try self.compare(fixture, model, users, "\(number) \(step)")
            if number == 1_700 { fixture = try fixture.killed(change: Self.small) }
            if number == 3_300 { fixture = try fixture.reopened(change: Self.small) }
        }
        #expect(try fixture.verified().findings == [])
    }

    private static func step(
        _ group: PlainCount.Group, _ users: [UserID], _ random: inout SplitMix
    ) -> Step {
        let user = users[Int.random(in: 0..<users.count, using: &random)]
        let head = group.messages.count
        guard group.places[user] != nil else { return .join(user) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<55:
            var only: Set<UserID>?
            if Int.random(in: 0..<3, using: &random) == 0 {
                only = Set(users.filter { _ in Bool.random(using: &random) })
            }
            return .send(user, counts: Int.random(in: 0..<4, using: &random) > 0, only: only)
        case 55..<67: return .read(user, upTo: Int.random(in: 0...(head + 1), using: &random))
        case 67..<80: return .setUnread(user, Int64.random(in: 0...(group.natural(user) + 2), using: &random))
        case 80..<83: return .clearUnread(user)
        case 83..<86: return .putAway(user)
        case 86..<89: return .clear(user, through: Int.random(in: 0...(head + 1), using: &random))
        case 89..<92: return .leave(user)
        default:
            let candidates = group.messages.indices.filter {
                group.messages[$0].isFor(user)
            }
            guard let index = candidates.randomElement(using: &random) else { return .clearUnread(user) }
            return .withhold(user, index + 1)
        }
    }

    private static func user(of step: Step) -> UserID {
        switch step {
        case .send(let user, _, _), .read(let user, _), .setUnread(let user, _), .clearUnread(let user),
            .putAway(let user), .clear(let user, _), .leave(let user), .join(let user), .withhold(let user, _):
            user
        }
    }

    private func perform(_ step: Step, _ id: ConversationID, _ fixture: Fixture) throws -> ReadChange? {
        if case .send(let user, let counts, let only) = step {
            var append = fixture.append("m", from: user, to: .id(id), flags: counts ? .countsAsUnread : [])
            if let only {
                append.content.envelope = MessageEnvelope(
                    visibleTo: only.sorted().map { UserName("user\($0.rawValue - 1)")! })
            }
            let result = fixture.send([append])[0]
            #expect(result.accepted != nil)
            return nil
        }
        return try fixture.store.writeAndWait { store throws(StoreError) -> ReadChange? in
            switch step {
            case .send: return nil
            case .read(let user, let sequence): return try store.inbox.markRead(user, in: id, upTo: Int64(sequence))
            case .setUnread(let user, let count): return try store.inbox.setUnread(user, in: id, to: count)
            case .clearUnread(let user): return try store.inbox.clearUnread(user, in: id)
            case .putAway(let user): try store.inbox.hideConversation(user, id)
            case .clear(let user, let sequence): try store.inbox.clearHistory(user, in: id, through: Int64(sequence))
            case .leave(let user): try store.conversations.removeMembers([user], from: id)
            case .join(let user): try store.conversations.addMembers([user], to: id)
            case .withhold(let user, let sequence):
                try store.connection.run(
                    "INSERT OR IGNORE INTO hidden_count (user_id, conversation_id, sequence) VALUES (?, ?, ?)", user,
                    id, sequence)
            }
            return nil
        }
    }

    private static func apply(_ step: Step, to group: inout PlainCount.Group) {
        let head = group.messages.count
        switch step {
        case .send(let user, let counts, let only): group.send(user, counts: counts, only: only)
        case .read(let user, let sequence): group.read(user, upTo: sequence)
        case .setUnread(let user, let count): group.setUnread(user, count)
        case .clearUnread(let user): group.read(user, upTo: head)
        case .putAway(let user):
            group.read(user, upTo: head)
            group.hiddenThrough[user] = head
        case .clear(let user, let sequence):
            // Clearing nothing more than before changes nothing.
            guard min(sequence, head) > group.cleared[user, default: 0] else { return }
            group.cleared[user] = min(sequence, head)
            group.read(user, upTo: sequence)
        case .leave(let user): group.places[user] = nil
        case .join(let user): group.places[user] = PlainCount.Place(read: head)
        case .withhold(let user, let sequence): group.places[user]?.hidden.insert(sequence)
        }
    }

    private func compare(_ fixture: Fixture, _ model: PlainCount, _ users: [UserID], _ step: String) throws {
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            try users.map { user throws(StoreError) in
                Found(
                    user: user, unread: try store.inbox.unread(of: user), badges: try store.inbox.badges(of: user),
                    recent: try store.inbox.recent(of: user, includingHidden: true, limit: 100))
            }
        }
        for found in found { try Self.compare(found, model, step) }
    }

    private struct Found {
        let user: UserID
        let unread: [ConversationID: Int64]
        let badges: [ConversationID: Int64]
        let recent: [RecentConversation]
    }

    /// Ends at the first difference: what follows would only repeat it.
    private static func compare(_ found: Found, _ model: PlainCount, _ step: String) throws {
        let user = found.user
        let unread = model.groups.mapValues { $0.unread(user) }.filter { $0.value > 0 }
        let badges = model.groups.mapValues { $0.badge(user) }.filter { $0.value > 0 }
        try #require(found.unread == unread, "\(step)")
        try #require(found.badges == badges, "\(step)")
        for line in found.recent {
            let id = line.conversation.id
            let hiddenThrough = model.groups[id]?.hiddenThrough[user] ?? -1
            try #require(line.unread == unread[id, default: 0] && line.badge == badges[id, default: 0], "\(step)")
            try #require(line.isHidden == (line.conversation.head <= hiddenThrough), "\(step)")
        }
        let places = model.groups.filter { $0.value.places[user] != nil }.keys
        try #require(Set(found.recent.map(\.conversation.id)) == Set(places), "\(step)")
    }
}
