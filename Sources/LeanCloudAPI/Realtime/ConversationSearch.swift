import APIKit
import ByteCodec
import ChatModel
import LeanCloudQuery
import LeanCloudTranslation
import Store

/// A query for conversations by the app's own server, which sees all of them.
///
/// Source: LeanCloud REST guide, "Queries": `where`, `order`, `limit`, `skip`, `count` and `keys`.
struct ConversationSearch: Sendable {
    private let resource: RealtimeResource?
    private let query: ObjectQuery
    /// `nil` for the order in which they were made; the nearest first when the query is for what is near.
    private let sort: ObjectSort?
    private let limit: Int
    private let skip: Int
    private let counts: Bool
    private let keys: KeyChoice

    init(_ call: RealtimeCall, _ resource: RealtimeResource?) throws(APIFailure) {
        let page = try call.page()
        self.limit = page.limit
        self.skip = page.skip
        self.counts = try call.isOn("count")
        self.keys = KeyChoice(call.request.query["keys"] ?? "")
        self.resource = resource
        do throws(ObjectQueryError) {
            self.query = try ObjectQuery(parsing: call.request.query["where"] ?? "")
            let order = call.request.query["order"] ?? ""
            self.sort = order.isEmpty ? self.query.nearest : try ObjectSort(parsing: order)
        } catch {
            throw APIFailure(400, error.reason, code: LeanCloudFault.conversationQueryFailed.code)
        }
    }

    /// `{"results":[...]}`, with `count` when it was asked for.
    func answer(at now: Int64, in reading: ReadTransaction) throws(StoreError) -> JSONValue {
        let found = try self.find(at: now, in: reading)
        var members = [JSONValue.Member("results", .array(found.rows.map { self.keys.chosen(of: $0) }))]
        if self.counts { members.append(JSONValue.Member("count", .integer(Int64(found.count)))) }
        return .object(members)
    }

    private func find(
        at now: Int64, in reading: ReadTransaction
    ) throws(StoreError) -> (rows: [JSONValue], count: Int) {
        if self.query.isEmpty, self.sort == nil { return try self.page(at: now, in: reading) }
        let candidates = try self.candidates(at: now, in: reading)
        var effort = QueryEffort()
        var rows: [JSONValue] = []
        var rest = candidates[...]
        while !rest.isEmpty {
            for row in try reading.apps.objectRows(Array(rest.prefix(ObjectScanBounds.page)), seenBy: .system) {
                guard self.covers(row.conversation, expiresAt: row.expiresAtMilliseconds, at: now) else { continue }
                let json = LeanCloudRows.row(row, at: now)
                do throws(ObjectQueryError) {
                    if try self.query.matches(json, effort: &effort) { rows.append(json) }
                } catch {
                    throw .invalid(error.reason)
                }
            }
            rest = rest.dropFirst(ObjectScanBounds.page)
        }
        if let sort = self.sort { rows = sort.sorted(rows) }
        return (Array(rows.dropFirst(self.skip).prefix(self.limit)), rows.count)
    }

    private func covers(_ conversation: Conversation, expiresAt: Int64?, at now: Int64) -> Bool {
        !conversation.flags.contains(.disbanded) && self.resource?.covers(conversation.kind) ?? true
            && expiresAt.map { $0 > now } ?? true
    }

    /// Without a condition or an order any number of conversations may be walked through, page by page.
    private func page(
        at now: Int64, in reading: ReadTransaction
    ) throws(StoreError) -> (rows: [JSONValue], count: Int) {
        var chosen: [ConversationID] = []
        var count = 0
        try self.forEach(in: reading) { conversation in
            guard self.covers(conversation, expiresAt: nil, at: now) else { return true }
            count += 1
            if count > self.skip, chosen.count < self.limit { chosen.append(conversation.id) }
            return self.counts || chosen.count < self.limit
        }
        guard !chosen.isEmpty else { return ([], count) }
        return (try reading.apps.objectRows(chosen, seenBy: .system).map { LeanCloudRows.row($0, at: now) }, count)
    }

    /// All conversations in the order in which they were made, until the body says that it is enough.
    private func forEach(
        in reading: ReadTransaction, _ body: (Conversation) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var last = ConversationID(rawValue: 0)
        while true {
            let page = try reading.conversations.all(after: last, limit: 1_000)
            for conversation in page {
                guard try body(conversation) else { return }
            }
            guard page.count == 1_000, let end = page.last else { return }
            last = end.id
        }
    }

    private func candidates(at now: Int64, in reading: ReadTransaction) throws(StoreError) -> [ConversationID] {
        let hints = self.query.hints
        if let ids = hints.objectIDs {
            let addresses = ids.sorted().prefix(ObjectScanBounds.rows).compactMap { LeanCloudNames.address(cid: $0) }
            var found: [ConversationID] = []
            for address in addresses {
                if let known = try reading.conversations.one(address, seenBy: .system) { found.append(known.id) }
            }
            return found
        }
        if let first = hints.members.first {
            let names = hints.members.compactMap { UserName($0) }
            // Who is in it sees it: in their eyes nothing of theirs is left out.
            guard names.count == hints.members.count, let name = UserName(first),
                let user = try reading.people.user(named: name)
            else { return [] }
            let found = try reading.apps.objects(.members(names), seenBy: user.id, membersOnly: false, at: now)
            return try Self.bounded(found).sorted()
        }
        var found: [ConversationID] = []
        try self.forEach(in: reading) { conversation in
            if self.covers(conversation, expiresAt: nil, at: now) { found.append(conversation.id) }
            return found.count <= ObjectScanBounds.rows
        }
        return try Self.bounded(found)
    }

    private static func bounded(_ found: [ConversationID]) throws(StoreError) -> [ConversationID] {
        guard found.count <= ObjectScanBounds.rows else {
            throw .invalid(
                """
                the query looks at more than \(ObjectScanBounds.rows) conversations: name some by objectId, or people who \
                are in them by m
                """)
        }
        return found
    }
}

/// Columns of a row that the answer has. Source: LeanCloud REST guide, `keys`; a minus sign leaves a column out.
struct KeyChoice: Sendable {
    private var wanted: Set<String> = []
    private var unwanted: Set<String> = []

    init(_ text: String) {
        for part in text.split(separator: ",").prefix(64) {
            let name = part.split(separator: ".").first.map(String.init) ?? ""
            if name.hasPrefix("-") { self.unwanted.insert(String(name.dropFirst())) } else { self.wanted.insert(name) }
        }
    }

    func chosen(of row: JSONValue) -> JSONValue {
        guard !self.wanted.isEmpty || !self.unwanted.isEmpty, let members = row.object else { return row }
        let kept: Set<String> = ["objectId", "createdAt", "updatedAt"]
        return .object(
            members.filter { member in
                if kept.contains(member.name) { return true }
                guard !self.unwanted.contains(member.name) else { return false }
                return self.wanted.isEmpty || self.wanted.contains(member.name)
            })
    }
}
