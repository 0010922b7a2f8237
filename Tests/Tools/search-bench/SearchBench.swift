import ChatModel
import Diagnostics
import Execution
import Glibc
import Search
import Store

/// Measures the search index: fills a folder with messages, has them indexed, and asks what people ask.
///
/// Seven of ten words are Chinese, of characters as frequent as 1/rank. One person is in 200 of 2,000 groups, another one in
/// three; `天气` is in one message of five, and every 5,000th message has a word of its own.
@main
struct SearchBench {
    static let groups = 2_000
    static let people = 200
    static let rounds = 400
    static let common = "天气"

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            print("usage: search-bench FOLDER [messages]")
            exit(64)
        }
        do throws(StoreError) {
            try self.run(arguments[1], count: arguments.count > 2 ? Int(arguments[2]) ?? 1_000_000 : 1_000_000)
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    private static func run(_ folder: String, count: Int) throws(StoreError) {
        var options = StoreOptions(folder: folder)
        options.synchronous = "OFF"
        let store = try Store(options)
        let known = try store.readAndWait { reading throws(StoreError) in try reading.messages.counts().messages }
        if known == 0 { try self.fill(store, count) }
        let start = Clock.system.now()
        let index = SearchIndex(store, folder: folder, clock: .system, log: Log(level: .info, write: { print($0) }))
        index.catchUp()
        let seconds = Double(Clock.system.now().nanoseconds - start.nanoseconds) / 1e9
        let status = index.currentStatus
        print(
            "index: \(status.documents) messages in \(self.rounded(seconds)) s, "
                + "\(self.rounded(seconds * 1e6 / Double(max(1, status.documents)))) us each, "
                + "\(status.bytes / max(1, status.documents)) bytes each")
        try self.ask(store, index)
        index.stop()
        store.close()
    }

    // MARK: Messages

    private static func fill(_ store: Store, _ count: Int) throws(StoreError) {
        let users = try store.writeAndWait { transaction throws(StoreError) in
            var users: [UserID] = []
            for number in 0..<Self.people {
                users.append(try transaction.people.createUser(UserName("user\(number)")!))
            }
            return users
        }
        // user0 is in the first 200 groups, user1 in the first three, the others in all.
        try store.writeAndWait { transaction throws(StoreError) in
            for number in 0..<Self.groups {
                var members = Array(users[2..<10])
                if number < 200 { members.append(users[0]) }
                if number < 3 { members.append(users[1]) }
                try transaction.conversations.createChannel(
                    .group, ChannelName("group\(number)")!, creator: users[2], members: members)
            }
        }
        let done = ConditionLock(0)
        store.onOutcomes = { outcomes in
            for outcome in outcomes {
                guard case .accepted = outcome.result else { fatalError("not taken: \(outcome.result)") }
            }
            done.change { $0 += outcomes.count }
        }
        var random = SplitMix(state: 1)
        var sent = 0
        while sent < count {
            let batch = (0..<min(1_000, count - sent)).map { offset in
                let number = sent + offset
                return Append(
                    sender: users[2 + Int.random(in: 0..<8, using: &random)], authority: .user,
                    address: .channel(
                        .group, ChannelName("group\(Int.random(in: 0..<Self.groups, using: &random))")!),
                    clientToken: nil,
                    content: MessageContent(
                        kind: .text, flags: .countsAsUnread, wire: .native,
                        body: Array(Self.text(number, &random).utf8)),
                    ticket: UInt64(number))
            }
            sent += batch.count
            store.append(batch)
            done.wait(until: { $0 >= sent - 2_000 }, then: { _ in })
        }
        done.wait(until: { $0 == count }, then: { _ in })
        print("filled with \(count) messages")
    }

    /// About 100 bytes.
    private static func text(_ number: Int, _ random: inout SplitMix) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 4...16, using: &random) {
            if Int.random(in: 0..<10, using: &random) < 7 {
                for _ in 0..<2 { text.unicodeScalars.append(Self.character(&random)) }
            } else {
                text += " \(Self.word(Self.rank(20_000, &random))) "
            }
        }
        if number % 5 == 0 { text += "，\(Self.common)不错" }
        if number % 5_000 == 0 { text += " rareword\(number / 5_000)" }
        return text
    }

    private static func character(_ random: inout SplitMix) -> Unicode.Scalar {
        Unicode.Scalar(UInt32(0x4E00 + Self.rank(5_000, &random)))!
    }

    /// A number below `count`, about as often as 1/(number + 1).
    private static func rank(_ count: Int, _ random: inout SplitMix) -> Int {
        min(count - 1, Int(exp(Double.random(in: 0..<1, using: &random) * log(Double(count)))) - 1)
    }

    private static func word(_ number: Int) -> String {
        var word = ""
        var rest = number + 7
        while rest > 0 {
            word.unicodeScalars.append(Unicode.Scalar(UInt8(97 + rest % 26)))
            word.unicodeScalars.append(Unicode.Scalar(UInt8([97, 101, 105, 111, 117][rest % 5])))
            rest /= 26
        }
        return word
    }

    // MARK: Questions

    private static func ask(_ store: Store, _ index: SearchIndex) throws(StoreError) {
        let (busy, quiet) = try store.readAndWait { reading throws(StoreError) in
            (
                try reading.people.user(named: UserName("user0")!)!.id,
                try reading.people.user(named: UserName("user1")!)!.id
            )
        }
        let questions: [(String, UserID?, @Sendable (Int) -> String)] = [
            ("rare word, everything", nil, { "rareword\($0 % 200)" }),
            ("rare word, 200 conversations", busy, { "rareword\($0 % 200)" }),
            ("bigram of every fifth message, 200 conversations", busy, { _ in Self.common }),
            ("bigram of every fifth message, 3 conversations", quiet, { _ in Self.common }),
            ("prefix of two letters, 200 conversations", busy, { String(Self.word($0 % 500).prefix(2)) }),
            ("prefix of four letters, 200 conversations", busy, { String(Self.word($0 % 2_000).prefix(4)) }),
            ("two bigrams, 200 conversations", busy, { _ in "天气不错" }),
            ("two frequent characters apart, 3 conversations", quiet, { _ in "一 丁" }),
            ("nothing found, 200 conversations", busy, { _ in "没有这个词语" }),
            ("by kind and sender alone, 200 conversations", busy, { _ in "" }),
        ]
        for (name, user, text) in questions {
            let access = user.map { HistoryAccess.member($0) } ?? .unrestricted
            let (times, hits, cut) = try store.readAndWait { reading throws(StoreError) in
                var times: [Double] = []
                var (hits, cut) = (0, 0)
                for round in 0..<Self.rounds {
                    guard let terms = try? SearchTerms(text(round)) else { fatalError("not a query") }
                    var query = SearchQuery(terms)
                    query.limit = 20
                    if terms.isEmpty { query.kinds = [.text] }
                    let start = Clock.system.now()
                    let page = try index.search(query, in: reading, as: access)
                    times.append(Double(Clock.system.now().nanoseconds - start.nanoseconds) / 1e6)
                    hits += page.hits.count
                    if page.next != nil, page.hits.count < query.limit { cut += 1 }
                }
                return (times.sorted(), hits, cut)
            }
            print(
                "\(name): p50 \(self.rounded(times[Self.rounds / 2])) ms, p99 \(self.rounded(times[Self.rounds * 99 / 100])) ms, "
                    + "\(self.rounded(Double(hits) / Double(Self.rounds))) hits, \(cut) cut short")
        }
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// A small generator with a seed: every run asks for the same.
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
