import ByteCodec
import ChatModel
import Execution
import Store
import TeahouseTesting
import Testing

/// Numbers that are the same for the same seed. Source: SplitMix64.
private struct Random {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        value ^= value >> 31
        return Int(value % UInt64(bound))
    }
}

/// State of a client that does what the feed tells it, as the page does.
private struct FeedModel {
    /// Values of the conversations, by id.
    private(set) var conversations: [String: [String: JSONValue]] = [:]
    /// Values of the messages by sequence, of each conversation.
    private(set) var messages: [String: [Int64: [String: JSONValue]]] = [:]
    /// Values of people, by name.
    private(set) var people: [String: [String: JSONValue]] = [:]
    private var applied: Set<String> = []
    private var lastPosition: Int64 = -1
    private var gone: Set<String> = []
    /// Promises that were not kept.
    private(set) var broken: [String] = []
    private let snapshot: (String?) throws -> FeedSnapshot

    init(_ snapshot: @escaping (String?) throws -> FeedSnapshot) throws {
        self.snapshot = snapshot
        try self.load(nil)
    }

    private mutating func load(_ id: String?) throws {
        let now = try self.snapshot(id)
        if let id {
            self.conversations[id] = now.conversations[id]
            self.messages[id] = now.messages[id]
        } else {
            self.conversations = now.conversations
            self.messages = now.messages
        }
        for (name, person) in now.people { self.people[name] = person }
    }

    mutating func apply(_ event: JSONValue) throws {
        let type = event["type"]?.string ?? ""
        if let text = event["cursor"]?.string {
            guard let cursor = FeedCursor(text) else { return self.broken.append("no cursor: \(text)") }
            // At least once: what comes again is passed over.
            guard self.applied.insert(text).inserted else { return }
            if cursor.position < self.lastPosition { self.broken.append("out of order: \(event)") }
            self.lastPosition = cursor.position
        }
        let id =
            event["message"]?["conversation"]?.string ?? event["conversation"]?["id"]?.string
            ?? event["conversation"]?.string ?? ""
        // Whoever came again and left before it was told hears the newest state: `gone` once more.
        if !id.isEmpty, self.gone.contains(id), type != "conversation", type != "gone" {
            self.broken.append("after gone: \(event)")
        }
        if let summary = event["summary"] {
            if self.conversations[id] == nil { try self.load(id) }
            self.conversations[id] = FeedSnapshot.view(ofConversation: summary)
        }
        switch type {
        case "message", "message_changed":
            guard let message = event["message"], let sequence = message["sequence"]?.integer else { return }
            if self.messages[id] == nil { try self.load(id) }
            self.messages[id]?[sequence] = FeedSnapshot.view(ofMessage: message)
        case "conversation":
            let isNew = self.conversations[id] == nil || event["isNew"]?.boolean == true
            self.gone.remove(id)
            if isNew { try self.load(id) }
            self.conversations[id] = event["conversation"].map(FeedSnapshot.view(ofConversation:))
        case "gone":
            self.gone.insert(id)
            self.conversations[id] = nil
            self.messages[id] = nil
        case "profile":
            guard let user = event["user"], let name = user["name"]?.string else { return }
            self.people[name] = FeedSnapshot.view(ofPerson: user)
        case "gap": try self.load(event["scope"]?.string == "conversation" ? id : nil)
        default: return
        }
    }
}

/// State of conversations and messages, in the fields that are compared.
private struct FeedSnapshot {
    var conversations: [String: [String: JSONValue]] = [:]
    var messages: [String: [Int64: [String: JSONValue]]] = [:]
    /// People whom the person may know; of one conversation, those in it.
    var people: [String: [String: JSONValue]] = [:]

    /// The same fields of a value of the API.
    static func view(ofPerson value: JSONValue) -> [String: JSONValue] {
        ["displayName": value["displayName"] ?? .null, "remark": value["remark"] ?? .string("")]
    }

    static func view(of row: ProfileRow, _ name: UserName, remark: String?) -> [String: JSONValue] {
        ["displayName": .string(row.displayName ?? name.text), "remark": .string(remark ?? "")]
    }

    /// The same fields of a value of the API.
    static func view(ofConversation value: JSONValue) -> [String: JSONValue] {
        var view: [String: JSONValue] = [:]
        for name in ["unread", "headSequence", "readSequence", "revision", "memberCount"] { view[name] = value[name] }
        view["draft"] = value["draft"] ?? .string("")
        return view
    }

    static func view(of recent: RecentConversation) -> [String: JSONValue] {
        [
            "unread": .integer(recent.unread), "headSequence": .integer(recent.conversation.head),
            "readSequence": .integer(recent.member.readSequence), "revision": .integer(recent.conversation.revision),
            "memberCount": .integer(Int64(recent.conversation.memberCount)),
            "draft": .string(recent.preference.draft ?? ""),
        ]
    }

    /// The same fields of a value of the API.
    static func view(ofMessage value: JSONValue) -> [String: JSONValue] {
        let reactions = value["reactions"]?.array ?? []
        let isRecalled = value["kind"]?.string == "recalled"
        let isText = value["kind"]?.string == "text"
        return [
            "text": isText ? value["text"] ?? .null : .null, "isRecalled": .boolean(isRecalled),
            "reactions": .integer(reactions.compactMap { $0["count"]?.integer }.reduce(0, +)),
        ]
    }

    static func view(of message: Message, isRecalled: Bool, reactions: Int) -> [String: JSONValue] {
        let body = try? JSONValue(parsing: message.content.body)
        let isText = !isRecalled && body?["type"]?.integer == 1
        return [
            "text": isText ? body?["content"] ?? .null : .null, "isRecalled": .boolean(isRecalled),
            "reactions": .integer(isRecalled ? 0 : Int64(reactions)),
        ]
    }
}

/// A server, people who do things, and a native client that comes and goes.
private final class FeedStage {
    private let server: TestServer
    private var random: Random
    private let groups: [ConversationID]
    private let juliet: UserID
    private var client: FeedClient?
    private var model: FeedModel
    private var cursor: String

    init(seed: Int) throws {
        let server = try TestServer.withFiles()
        self.server = server
        self.random = Random(state: UInt64(seed))
        self.groups = try ["verona", "mantua"].map { try server.group($0, ["romeo", "juliet", "nurse"]) }
        let juliet = try server.id("juliet")
        self.juliet = juliet
        let client = try FeedClient.ready(server, "juliet")
        self.cursor = client.cursor
        self.client = client
        self.model = try FeedModel { [unowned server] id in try Self.snapshot(server, juliet, id) }
    }

    /// State that the store has for somebody, in the fields that are compared.
    private static func snapshot(
        _ server: TestServer, _ person: UserID, _ only: String?
    ) throws -> FeedSnapshot {
        try server.server.store.readAndWait { store throws(StoreError) in
            var snapshot = FeedSnapshot()
            snapshot.people = try self.people(store, person, only)
            for found in try store.conversations.page(of: person) {
                let id = found.conversation.id
                guard only == nil || only == "\(id.rawValue)", let recent = try store.inbox.recent(of: person, in: id)
                else {
                    continue
                }
                snapshot.conversations["\(id.rawValue)"] = FeedSnapshot.view(of: recent)
                var messages: [Int64: [String: JSONValue]] = [:]
                let page = try store.messages.latest(in: id, limit: 1_000, as: .member(person))
                let sequences = page.map(\.sequence)
                let extras = try store.messages.extras(of: sequences, in: id, for: person)
                let reactions = try store.messages.reactionCounts(of: sequences, in: id, for: person)
                for message in page {
                    let extra = extras[message.sequence]
                    let now = extra.flatMap { message.edited($0) } ?? message
                    let count = reactions.filter { $0.sequence == message.sequence }.map(\.count).reduce(0, +)
                    messages[message.sequence] = FeedSnapshot.view(
                        of: now, isRecalled: extra?.isRecalled ?? false, reactions: count)
                }
                snapshot.messages["\(id.rawValue)"] = messages
            }
            return snapshot
        }
    }

    private static func people(
        _ store: ReadTransaction, _ person: UserID, _ only: String?
    ) throws(StoreError) -> [String: [String: JSONValue]] {
        var names = try store.profiles.acquaintances(
            of: person, among: ["romeo", "juliet", "nurse"].map { UserName($0)! })
        if let id = only.flatMap({ Int64($0) }).map(ConversationID.init(rawValue:)) {
            names.formIntersection(try store.profiles.memberNames(of: id))
        }
        let remarks = try store.profiles.remarks(by: person).friends
        var people: [String: [String: JSONValue]] = [:]
        for (name, row) in try store.profiles.profileRows(names) {
            people[name.text] = FeedSnapshot.view(of: row, name, remark: remarks[row.user])
        }
        return people
    }

    // MARK: What happens

    func step() throws {
        let group = self.groups[self.random.next(below: self.groups.count)]
        let person = try self.server.id(["romeo", "nurse"][self.random.next(below: 2)])
        let juliet = self.juliet
        switch self.random.next(below: 21) {
        case 0...4: try self.publish(to: .id(group), by: person)
        case 5: try self.publish(to: .direct(UserName("juliet")!), by: person)
        case 6:
            try self.change(in: group) { store, place throws(StoreError) in
                _ = try store.messages.recall(place, by: .operator)
            }
        case 7:
            let body = Array(#"{"type":1,"content":"edited \#(self.random.next(below: 100))"}"#.utf8)
            try self.change(in: group) { store, place throws(StoreError) in
                _ = try store.messages.edit(place, newBody: body, isJSONObject: true, by: .operator)
            }
        case 8:
            try self.change(in: group) { store, place throws(StoreError) in
                _ = try store.messages.toggleReaction(place, name: "👍", by: person)
            }
        case 9: try self.write { store throws(StoreError) in _ = try store.inbox.clearUnread(juliet, in: group) }
        case 10:
            try self.write { store throws(StoreError) in
                if try store.reading.conversations.member(juliet, in: group) == nil {
                    _ = try store.conversations.addMembers([juliet], to: group)
                } else {
                    _ = try store.conversations.removeMembers([juliet], from: group)
                }
            }
        case 11:
            let name = "name \(self.random.next(below: 100))"
            try self.write { store throws(StoreError) in
                try store.conversations.setNickname(of: person, name, in: group, by: .operator)
            }
        case 12:
            var patch = PreferencePatch()
            patch.draft = "draft \(self.random.next(below: 100))"
            let draft = patch
            try self.write { store throws(StoreError) in _ = try store.inbox.setPreference(juliet, in: group, draft) }
        case 13, 14: try self.hear()
        case 15: self.cut()
        case 16:
            let name = "shown \(self.random.next(below: 100))"
            try self.write { store throws(StoreError) in try store.people.setDisplayName(person, name) }
        case 17: try self.changeFriendship(with: person)
        case 18: if self.random.next(below: 4) == 0 { try self.restart() }
        default: try self.comeBack()
        }
    }

    /// Makes juliet somebody's friend, or calls that friend otherwise, or ends it.
    private func changeFriendship(with person: UserID) throws {
        let juliet = self.juliet
        let (choice, number) = (self.random.next(below: 3), self.random.next(below: 100))
        try self.write { store throws(StoreError) in
            if choice == 0 {
                _ = try store.friends.remove(person, of: juliet)
            } else if try store.friends.make(juliet, person).isNew == false {
                try store.friends.setRemark(person, of: juliet, "remark \(number)")
            }
        }
    }

    private func publish(to address: ConversationAddress, by person: UserID) throws {
        let body = #"{"type":1,"content":"text \#(self.random.next(below: 1_000))"}"#
        let content = MessageContent(
            kind: .text, flags: [.countsAsUnread, .bodyIsJSONObject], wire: .native, body: Array(body.utf8))
        let isDone = ConditionLock(false)
        self.server.server.broker.publish(as: person, authority: .user, to: address, token: nil, content: content) {
            _ in
            isDone.change { $0 = true }
        }
        isDone.wait(until: { $0 }, then: { _ in })
    }

    /// Changes one of the messages, if there is any; what a rule refuses changes nothing.
    private func change(
        in id: ConversationID, _ body: @escaping @Sendable (WriteTransaction, MessagePlace) throws(StoreError) -> Void
    ) throws {
        let head = try self.server.server.store.readAndWait { store throws(StoreError) in
            try store.conversations.one(id)?.head ?? 0
        }
        guard head > 0 else { return }
        let place = MessagePlace(id, 1 + Int64(self.random.next(below: Int(head))))
        try self.write { store throws(StoreError) in try body(store, place) }
    }

    private func write(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) throws {
        do {
            try self.server.write(body)
        } catch StoreError.refused, StoreError.notFound, StoreError.invalid {
            return
        }
    }

    // MARK: The client

    /// Takes what has come, or leaves it: a client that reads slowly.
    private func hear() throws {
        guard let client = self.client else { return try self.comeBack() }
        for event in try client.pending() { try self.take(event) }
    }

    private func take(_ event: JSONValue) throws {
        try self.model.apply(event)
        if let cursor = event["cursor"]?.string { self.cursor = cursor }
    }

    private func cut() {
        self.client?.drop()
        self.client = nil
    }

    private func comeBack() throws {
        guard self.client == nil else { return }
        self.client = try FeedClient.ready(self.server, "juliet", after: self.cursor)
    }

    private func restart() throws {
        self.cut()
        try self.server.restart()
    }

    // MARK: The end

    /// Lets everything come to rest: a conversation that is made now is the last thing told.
    func settle() throws {
        try self.comeBack()
        try self.server.settle()
        let last = try self.server.group("last", ["juliet"])
        let client = try #require(self.client)
        while let event = try client.next() {
            try self.take(event)
            if event["conversation"]?["id"]?.string == "\(last.rawValue)" { break }
        }
    }

    func check(_ seed: Int) throws {
        #expect(self.model.broken.isEmpty, "seed \(seed): \(self.model.broken)")
        let now = try Self.snapshot(self.server, self.juliet, nil)
        #expect(Set(self.model.conversations.keys) == Set(now.conversations.keys), "seed \(seed)")
        for (name, person) in now.people {
            #expect(self.model.people[name] == person, "seed \(seed), person \(name)")
        }
        for (id, value) in now.conversations {
            #expect(self.model.conversations[id] == value, "seed \(seed), conversation \(id)")
            #expect(self.model.messages[id] == now.messages[id], "seed \(seed), messages of \(id)")
        }
    }
}

struct FeedPropertyScenarios {
    @Test("after quiet a client that did what it was told knows what the server shows", arguments: 1...6)
    func sameState(_ seed: Int) throws {
        let stage = try FeedStage(seed: seed)
        for _ in 0..<150 { try stage.step() }
        try stage.settle()
        try stage.check(seed)
    }
}
