import ChatModel
import Store
import Testing

@testable import Search

/// A small generator with a seed, so that a failing run can be repeated.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var z = self.state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Messages of a few groups, kept as lists and looked through each time.
private struct PlainSearch {
    struct Said {
        let place: MessagePlace
        let sender: UserID
        /// `nil` when it was taken back.
        var text: String?
        var hiddenFor: Set<UserID> = []
    }

    var said: [Said] = []
    var members: [ConversationID: Set<UserID>] = [:]
    var cleared: [ConversationID: [UserID: Int64]] = [:]

    /// The newest first.
    func find(_ query: String, for user: UserID?, in id: ConversationID?, from sender: UserID?) throws -> [String] {
        let terms = try SearchTerms(query)
        return self.said.reversed().compactMap { said in
            guard let text = said.text, id ?? said.place.conversation == said.place.conversation,
                sender ?? said.sender == said.sender, terms.match(FoldedText(text))
            else { return nil }
            if let user {
                let cleared = self.cleared[said.place.conversation]?[user] ?? 0
                guard self.members[said.place.conversation]?.contains(user) == true, said.place.sequence > cleared,
                    !said.hiddenFor.contains(user)
                else { return nil }
            }
            return text
        }
    }
}

@Suite("Search, against looking through everything")
struct SearchPropertyTests {
    private static let words = [
        "今天", "下雨", "明天", "天气", "雨天", "你好", "好吗", "world", "word", "wonder", "Café", "cafe", "iPhone", "15", "👍", "👍🏽",
        "パーティー",
        "a", "ab", "ＡＢＣ",
    ]
    private static let queries = [
        "今天", "天", "下雨", "雨天", "天下雨", "wor", "word", "won world", "cafe", "i", "iphone 15", "👍", "ー", "a", "ab", "abc",
        "下雨 👍", "你好吗",
    ]

    private static func text(_ random: inout SplitMix, _ number: Int) -> String {
        let count = Int.random(in: 1...5, using: &random)
        let words = (0..<count).map { _ in Self.words.randomElement(using: &random)! }
        return words.joined(separator: Bool.random(using: &random) ? " " : "") + ", n\(number)"
    }

    @Test(
        "finds the same after any edits, recalls, comings and goings, kills and starts",
        arguments: [1, 2, 3] as [UInt64])
    func same(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var fixture = try SearchFixture()
        let users = try (0..<4).map { try fixture.user("user\($0)") }
        let groups = try (0..<3).map { try fixture.group("group\($0)", users) }
        var model = PlainSearch()
        for group in groups { model.members[group] = Set(users) }
        for number in 1...600 {
            try Self.step(fixture, &model, users, groups, number, &random)
            if number % 97 == 0 { fixture = try fixture.killed() }
            if number == 250 { try fixture.reopen() }
            if number == 400 { fixture.index.rebuild() }
            if number % 40 == 0 { try Self.compare(fixture, model, users, groups, &random) }
        }
    }

    private static func step(
        _ fixture: SearchFixture, _ model: inout PlainSearch, _ users: [UserID], _ groups: [ConversationID],
        _ number: Int, _ random: inout SplitMix
    ) throws {
        let user = users.randomElement(using: &random)!
        let group = groups.randomElement(using: &random)!
        let isMember = model.members[group]!.contains(user)
        let index = model.said.indices.randomElement(using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60:
            guard isMember else { return }
            let text = Self.text(&random, number)
            let place = try fixture.say(text, user, in: group)
            model.said.append(PlainSearch.Said(place: place, sender: user, text: text))
        case 60..<75:
            guard let index, model.said[index].text != nil else { return }
            let (place, text) = (model.said[index].place, Self.text(&random, number))
            _ = try fixture.write { store throws(StoreError) in
                try store.messages.edit(place, newBody: Array(text.utf8), isJSONObject: false, by: .operator)
            }
            model.said[index].text = text
        case 75..<83:
            guard let index, model.said[index].text != nil else { return }
            let place = model.said[index].place
            _ = try fixture.write { store throws(StoreError) in try store.messages.recall(place, by: .operator) }
            model.said[index].text = nil
        case 83..<88:
            guard let index, model.members[model.said[index].place.conversation]!.contains(user) else { return }
            let place = model.said[index].place
            let cleared = model.cleared[place.conversation]?[user] ?? 0
            guard model.said[index].text != nil, place.sequence > cleared else { return }
            _ = try fixture.write { store throws(StoreError) in try store.messages.hide([place], for: user) }
            model.said[index].hiddenFor.insert(user)
        case 88..<91:
            guard isMember, let last = model.said.last(where: { $0.place.conversation == group }) else { return }
            let through = Int64.random(in: 1...last.place.sequence, using: &random)
            _ = try fixture.write { store throws(StoreError) in
                try store.inbox.clearHistory(user, in: group, through: through)
            }
            model.cleared[group, default: [:]][user] = max(model.cleared[group]?[user] ?? 0, through)
        default:
            guard user != users[0] else { return }
            _ = try fixture.write { store throws(StoreError) in
                if isMember { return try store.conversations.removeMembers([user], from: group) }
                return try store.conversations.addMembers([user], to: group)
            }
            if isMember { model.members[group]!.remove(user) } else { model.members[group]!.insert(user) }
        }
    }

    private static func compare(
        _ fixture: SearchFixture, _ model: PlainSearch, _ users: [UserID], _ groups: [ConversationID],
        _ random: inout SplitMix
    ) throws {
        fixture.index.catchUp()
        for query in self.queries {
            let user = Int.random(in: 0..<5, using: &random) == 0 ? nil : users.randomElement(using: &random)
            let access = user.map { HistoryAccess.member($0) } ?? .unrestricted
            let sender = Int.random(in: 0..<4, using: &random) == 0 ? users.randomElement(using: &random) : nil
            let limit = [3, 100].randomElement(using: &random)!
            let wanted = try model.find(query, for: user, in: nil, from: sender)
            let found = try fixture.find(query, as: access, limit: limit) { $0.sender = sender }
            #expect(found == wanted, "\(query)")
            let group = groups.randomElement(using: &random)!
            if let user, model.members[group]?.contains(user) != true { continue }
            let wantedInOne = try model.find(query, for: user, in: group, from: sender)
            let foundInOne = try fixture.find(query, as: access, limit: limit) {
                $0.sender = sender
                $0.conversation = group
            }
            #expect(foundInOne == wantedInOne, "\(query) in one")
        }
    }
}
