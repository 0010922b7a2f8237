package import ByteCodec
package import ChatModel
package import LeanCloudQuery
package import Store

/// Conversations as rows of the class `_Conversation`.
package enum LeanCloudRows {
    /// Keys that clients may not set: membership changes by other requests, and the rest is the server's.
    package static let readOnlyKeys: Set<String> = [
        "objectId", "m", "c", "mu", "lm", "createdAt", "updatedAt", "unique", "uniqueId", "tr", "sys", "conv_type",
        "temp",
        "ttl", "tempConv", "tempConvTTL", "joined", "joinedAt", "muted", "msg", "bin", "msg_mid", "msg_from",
        "msg_timestamp", "patch_timestamp", "mention_all", "mention_pids", "ACL",
    ]

    /// A row.
    ///
    /// - Parameters:
    ///   - isCompact: without its members.
    ///   - isForClient: whether somebody asks who may have muted it; the app's own server has muted nothing.
    ///   - now: UTC milliseconds; the rest of a temporary one's life is counted from there.
    package static func row(
        _ row: ObjectRow, isCompact: Bool = false, isForClient: Bool = false, newest: StandingMessage? = nil,
        at now: Int64
    ) -> JSONValue {
        let conversation = row.conversation
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(JSONValue.Member(name, value)) }
        add("objectId", .string(LeanCloudNames.conversationID(conversation.objectID, conversation.kind)))
        if let title = conversation.title { add("name", .string(title)) }
        if !isCompact { add("m", .names(row.members)) }
        add("c", .string(row.creator.text))
        if !isCompact { add("mu", .names(row.muting)) }
        if let attributes = row.attributes.flatMap({ try? JSONValue(parsing: $0) }) { add("attr", attributes) }
        // Java reads an object here, and texts below.
        if let lastMessageAt = row.lastMessageAtMilliseconds { add("lm", LeanCloudDates.typed(lastMessageAt)) }
        add("createdAt", .string(LeanCloudDates.text(conversation.createdAtMilliseconds)))
        add("updatedAt", .string(LeanCloudDates.text(conversation.updatedAtMilliseconds)))
        add("unique", .boolean(row.uniqueID != nil))
        if let uniqueID = row.uniqueID { add("uniqueId", .string(uniqueID)) }
        add("tr", .boolean(conversation.kind == .room))
        add("sys", .boolean(conversation.kind == .service))
        add("conv_type", .integer(Int64(LeanCloudNames.type(of: conversation.kind))))
        if let expiresAt = row.expiresAtMilliseconds {
            let seconds = max(0, (expiresAt - now) / 1_000)
            // The C# SDK has names of its own.
            add("temp", .boolean(true))
            add("ttl", .integer(seconds))
            add("tempConv", .boolean(true))
            add("tempConvTTL", .integer(seconds))
        }
        if conversation.kind == .service {
            add("joined", .boolean(row.joinedAtMilliseconds != nil))
            if let joinedAt = row.joinedAtMilliseconds { add("joinedAt", .integer(joinedAt)) }
        }
        // Compact rows do not say who has muted the conversation.
        if isForClient || conversation.kind == .service { add("muted", .boolean(row.isSilenced)) }
        if let newest { members += Self.members(of: newest) }
        let known = Set(members.map(\.name))
        let fields = row.fields.flatMap { try? JSONValue(parsing: $0) }?.object ?? []
        members += fields.filter { !known.contains($0.name) && !Self.readOnlyKeys.contains($0.name) }
        return .object(members)
    }

    /// `bin` is there whenever `msg` is: the C# SDK reads both.
    private static func members(of newest: StandingMessage) -> [JSONValue.Member] {
        let message = newest.message
        let (data, isBinary) =
            switch LeanCloudContent.body(of: message.content) {
            case .text(let text): (text, false)
            case .binary(let bytes): (String(decoding: Base64.encode(bytes), as: UTF8.self), true)
            }
        var members = [
            JSONValue.Member("msg", .string(data)), JSONValue.Member("bin", .boolean(isBinary)),
            JSONValue.Member("msg_mid", .string(LeanCloudContent.id(of: message.id, message.content))),
            JSONValue.Member("msg_from", .string(message.senderName.text)),
            JSONValue.Member("msg_timestamp", .integer(message.sentAtMilliseconds)),
        ]
        if newest.patchedAtMilliseconds > 0 {
            members.append(JSONValue.Member("patch_timestamp", .integer(newest.patchedAtMilliseconds)))
        }
        let mentions = LeanCloudContent.mentions(of: message.content)
        members.append(JSONValue.Member("mention_all", .boolean(mentions.all)))
        members.append(JSONValue.Member("mention_pids", .names(mentions.users)))
        return members
    }
}

extension JSONValue {
    static func names(_ names: [UserName]) -> JSONValue { .array(names.map { .string($0.text) }) }
}

/// A query for conversations, as a client asks.
package struct ObjectSearch: Sendable {
    /// Rows in one answer. Source: the JavaScript SDK asks for 999 ids at a time.
    package static let mostRows = 1_000
    /// When a client says nothing. Source: LeanCloud realtime guide.
    package static let usualRows = 10

    private let query: ObjectQuery
    private let sort: ObjectSort
    /// The newest message first: the order in which rows are found.
    private let isByActivity: Bool
    private let limit: Int
    private let skip: Int
    private let isCompact: Bool
    private let withNewest: Bool
    /// Only conversations that who asks is in.
    package var membersOnly = false

    /// - Parameters:
    ///   - condition: JSON text; `nil` or empty for the conversations of who asks.
    ///   - flag: bit 0 for rows without members, bit 1 for the newest message with each.
    /// - Throws: when a part of it is none, or out of bounds.
    package init(
        where condition: String?, sort: String? = nil, limit: Int32? = nil, skip: Int32? = nil, flag: Int32? = nil
    ) throws(ObjectQueryError) {
        self.query = try ObjectQuery(parsing: condition ?? "")
        let order = sort ?? ""
        if order.isEmpty, let nearest = self.query.nearest {
            self.sort = nearest
            self.isByActivity = false
        } else {
            self.sort = try ObjectSort(parsing: order.isEmpty ? "-lm" : order)
            self.isByActivity = order.isEmpty || order == "-lm"
        }
        let limit = limit.map(Int.init) ?? Self.usualRows
        guard (0...Self.mostRows).contains(limit) else {
            throw ObjectQueryError("the limit is 0 to \(Self.mostRows), not \(limit)")
        }
        let skip = skip.map(Int.init) ?? 0
        guard skip >= 0 else { throw ObjectQueryError("the number of rows to skip is not below 0") }
        self.limit = limit
        self.skip = skip
        self.isCompact = (flag ?? 0) & 1 != 0
        self.withNewest = (flag ?? 0) & 2 != 0
    }

    /// The rows that fit, in order.
    ///
    /// - Throws: `invalid`, with a sentence for developers, when it would take too long; what the store throws.
    package func rows(
        for asker: UserID, called name: UserName, at now: Int64, in reading: ReadTransaction
    ) throws(StoreError) -> [JSONValue] {
        guard self.limit > 0 else { return [] }
        let candidates = try reading.apps.objects(
            self.scan(for: name), seenBy: asker, membersOnly: self.membersOnly, at: now)
        guard candidates.count <= ObjectScanBounds.rows else {
            throw .invalid(
                """
                the query looks at more than \(ObjectScanBounds.rows) conversations: name some by objectId, or people \
                who are in them by m
                """)
        }
        var found = try self.matches(candidates, for: asker, at: now, in: reading)
        if !self.isByActivity { found = self.sort.order(of: found.map(\.json)).map { found[$0] } }
        var rows: [JSONValue] = []
        for match in found.dropFirst(self.skip).prefix(self.limit) {
            let newest =
                try self.withNewest ? reading.apps.newestMessage(in: match.row.conversation, seenBy: asker) : nil
            guard newest != nil || self.isCompact else {
                rows.append(match.json)
                continue
            }
            rows.append(
                LeanCloudRows.row(
                    match.row, isCompact: self.isCompact, isForClient: true, newest: newest, at: now))
        }
        return rows
    }

    private func scan(for name: UserName) -> ObjectScan {
        let hints = self.query.hints
        if let ids = hints.objectIDs {
            return .ids(ids.sorted().compactMap { LeanCloudNames.address(cid: $0)?.objectID })
        }
        if self.query.isEmpty { return .members([name]) }
        // A name that nobody can have is in nothing.
        let names = hints.members.map { UserName($0) }
        if !names.isEmpty { return names.contains(nil) ? .ids([]) : .members(names.compactMap(\.self)) }
        if hints.isRoom == true { return .kind(.room) }
        return hints.isSystem == true ? .kind(.service) : .everything
    }

    /// True when the query looks at conversations beyond named ones, and beyond those of one person.
    package var looksAtMany: Bool {
        self.query.hints.objectIDs == nil && !self.query.isEmpty && self.query.hints.members.isEmpty
    }

    private typealias Match = (row: ObjectRow, json: JSONValue)

    private func matches(
        _ candidates: [ConversationID], for asker: UserID, at now: Int64, in reading: ReadTransaction
    ) throws(StoreError) -> [Match] {
        var effort = QueryEffort()
        var found: [Match] = []
        var people = 0
        var rest = candidates[...]
        while !rest.isEmpty {
            // The default page is small: so is the first look.
            let page = min(ObjectScanBounds.page, self.isByActivity ? max(self.skip + self.limit, 20) : .max)
            for row in try reading.apps.objectRows(Array(rest.prefix(page)), seenBy: asker) {
                people += row.members.count
                let json = LeanCloudRows.row(row, isForClient: true, at: now)
                do throws(ObjectQueryError) {
                    guard try self.query.matches(json, effort: &effort) else { continue }
                } catch {
                    throw .invalid(error.reason)
                }
                found.append((row, json))
            }
            if self.isByActivity && found.count >= self.skip + self.limit { break }
            guard people <= ObjectScanBounds.members else {
                throw .invalid("the query looks at more than \(ObjectScanBounds.members) members: narrow it down")
            }
            rest = rest.dropFirst(page)
        }
        return found
    }
}

extension LeanCloudRows {
    /// Rows of temporary conversations by their ids, those that are still there.
    ///
    /// - Parameter cids: with or without their prefix.
    package static func temporary(
        _ cids: [String], for asker: UserID, at now: Int64, in reading: ReadTransaction
    ) throws(StoreError) -> [JSONValue] {
        let ids = cids.prefix(ObjectSearch.mostRows).compactMap { cid -> ObjectID? in
            guard case .object(let id)? = LeanCloudNames.address(cid: cid) else { return nil }
            return id
        }
        let found = try reading.apps.objects(.ids(ids), seenBy: asker, membersOnly: false, at: now)
        var rows: [JSONValue] = []
        var rest = found[...]
        while !rest.isEmpty {
            for row in try reading.apps.objectRows(Array(rest.prefix(ObjectScanBounds.page)), seenBy: asker) {
                if row.conversation.kind == .temporary { rows.append(self.row(row, isForClient: true, at: now)) }
            }
            rest = rest.dropFirst(ObjectScanBounds.page)
        }
        return rows
    }

    /// The row of one conversation; `nil` when there is none.
    package static func one(
        _ id: ConversationID, for asker: UserID, at now: Int64, in reading: ReadTransaction
    ) throws(StoreError) -> JSONValue? {
        try reading.apps.objectRows([id], seenBy: asker).first.map { self.row($0, at: now) }
    }
}

/// Card that a client gives a conversation it makes: the JSON of `attr`.
package struct LeanCloudCard: Sendable {
    /// Name of the conversation.
    package var name: String?
    /// JSON text of an object.
    package var attributes: [UInt8]?
    /// JSON text of an object.
    package var fields: [UInt8]?

    /// - Throws: when it is no object, or says what is the server's to say.
    package init(parsing text: String?) throws(ObjectQueryError) {
        guard let text, !text.isEmpty else { return }
        let update = try LeanCloudRows.update(parsing: text)
        let row = try update.apply(to: .object([])).row
        var fields: [JSONValue.Member] = []
        for member in row.object ?? [] {
            switch member.name {
            case "name":
                guard member.value.isNull || member.value.string != nil else {
                    throw ObjectQueryError("the name of a conversation is a text")
                }
                self.name = member.value.string
            case "attr":
                guard member.value.isNull || member.value.object != nil else {
                    throw ObjectQueryError("the attr of a conversation is an object")
                }
                self.attributes = member.value.isNull ? nil : member.value.serialized()
            default: fields.append(member)
            }
        }
        if !fields.isEmpty { self.fields = JSONValue.object(fields).serialized() }
    }
}

extension LeanCloudRows {
    /// A change of a row by a client.
    ///
    /// - Throws: when it is none, or touches what is the server's.
    package static func update(parsing text: String) throws(ObjectQueryError) -> ObjectUpdate {
        let update = try ObjectUpdate(parsing: text)
        let kept = update.keys.intersection(Self.readOnlyKeys).sorted()
        guard let first = kept.first else { return update }
        throw ObjectQueryError("the key \(first) cannot be set by a client")
    }
}
