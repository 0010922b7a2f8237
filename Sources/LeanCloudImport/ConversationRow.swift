import ByteCodec
package import ChatModel
import LeanCloudTranslation
package import Store

/// Rows of the class `_Conversation`. Pure.
package enum ConversationRow {
    /// A conversation of a row, with what had to be left out of it.
    package struct Reading: Hashable, Sendable {
        /// Conversation as the store takes it.
        package var conversation: ImportedConversation
        /// Sentences about members of the row that were left out.
        package var left: [String] = []
    }

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - line: a line of `classes/_Conversation.jsonl`.
    ///   - subscribers: of a system conversation.
    ///   - roles: roles that rows of `_ConversationMemberInfo` say.
    package static func read(
        _ line: [UInt8], subscribers: [UserName] = [], roles: [UserName: MemberRole] = [:]
    ) throws(RowProblem) -> Reading {
        let row = try SourceRow(parsing: line)
        guard let id = try row.text("objectId") else { throw .noID }
        guard let objectID = ObjectID(id), ChannelName(id) != nil else { throw .badID("objectId") }
        let created = row.date("createdAt") ?? row.date("lm") ?? row.date("updatedAt")
        guard let created else { throw .noTime }
        var conversation = ImportedConversation(
            Self.form(row), objectID: objectID, createdAtMilliseconds: created,
            updatedAtMilliseconds: max(created, row.date("updatedAt") ?? created),
            digest: Self.digest(line, subscribers, roles))
        conversation.lastMessageAtMilliseconds = row.date("lm")
        conversation.roles = roles
        var reading = Reading(conversation: conversation)
        try Self.readPeople(row, subscribers, &reading)
        Self.readCard(row, &reading)
        return reading
    }

    /// Source: LeanCloud realtime guide, `tr` and `sys`.
    private static func form(_ row: SourceRow) -> ImportedConversation.Form {
        if row.isTrue("tr") { return .room }
        if row.isTrue("sys") { return .service }
        return row.isTrue("unique") ? .unique : .group
    }

    private static func readPeople(
        _ row: SourceRow, _ subscribers: [UserName], _ reading: inout Reading
    ) throws(RowProblem) {
        var names = row.texts("m")
        if case .service = reading.conversation.form { names += subscribers.map(\.text) }
        var seen: Set<UserName> = []
        for name in names {
            guard let user = UserName(name) else {
                reading.left.append("member \(name.prefix(100)): no name that somebody can have here")
                continue
            }
            if seen.insert(user).inserted { reading.conversation.members.append(user) }
        }
        reading.conversation.creator = try row.text("c").flatMap { UserName($0) }
        reading.conversation.silencedBy = row.texts("mu").compactMap { UserName($0) }
    }

    private static func readCard(_ row: SourceRow, _ reading: inout Reading) {
        if let title = row["name"]?.string, !title.isEmpty {
            let scalars = title.unicodeScalars
            if scalars.count > ConversationBounds.titleScalars {
                reading.left.append("name: the end of \(scalars.count) characters")
                reading.conversation.title = String(
                    String.UnicodeScalarView(scalars.prefix(ConversationBounds.titleScalars)))
            } else {
                reading.conversation.title = title
            }
        }
        if let attributes = row["attr"], attributes.object?.isEmpty == false {
            let text = String(decoding: attributes.serialized(), as: UTF8.self)
            if text.utf8.count > ConversationBounds.attributesBytes {
                reading.left.append("attr: \(text.utf8.count) bytes, at most \(ConversationBounds.attributesBytes)")
            } else {
                reading.conversation.attributes = text
            }
        }
        let own = row.members.filter {
            !LeanCloudRows.readOnlyKeys.contains($0.name) && $0.name != "name" && $0.name != "attr" && !$0.value.isNull
        }
        guard !own.isEmpty else { return }
        let text = String(decoding: JSONValue.object(own).serialized(), as: UTF8.self)
        if text.utf8.count > ObjectBounds.fieldsBytes {
            reading.left.append("own fields: \(text.utf8.count) bytes, at most \(ObjectBounds.fieldsBytes)")
        } else {
            reading.conversation.fields = text
        }
    }

    private static func digest(_ line: [UInt8], _ subscribers: [UserName], _ roles: [UserName: MemberRole]) -> Int64 {
        var text = line
        for name in subscribers { text += Array(name.text.utf8) + [0] }
        for name in roles.keys.sorted(by: { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }) {
            text += Array(name.text.utf8) + [UInt8(truncatingIfNeeded: roles[name]?.rawValue ?? 0)]
        }
        return Int64(bitPattern: StableHash.xxh64(text))
    }
}

/// Rows of the class `_ConversationMemberInfo`. Source: LeanCloud realtime guide, roles of members.
package struct MemberRoleRow: Hashable, Sendable {
    /// Conversation that the role is of.
    package var conversation: ObjectID
    /// Member with the role.
    package var name: UserName
    /// Role of the member.
    package var role: MemberRole

    /// - Parameter line: a line of `classes/_ConversationMemberInfo.jsonl`.
    package init(parsing line: [UInt8]) throws(RowProblem) {
        let row = try SourceRow(parsing: line)
        guard let cid = try row.text("cid"), let conversation = ObjectID(cid) else { throw .noConversation }
        guard let id = try row.text("clientId"), let name = UserName(id) else {
            throw .badID("clientId")
        }
        self.conversation = conversation
        self.name = name
        switch try row.text("role")?.lowercased() {
        case "owner": self.role = .owner
        case "manager": self.role = .manager
        default: self.role = .member
        }
    }
}

/// Rows of `subscribers.jsonl`.
package struct SubscriberRow: Hashable, Sendable {
    /// System conversation that is listened to.
    package var conversation: ObjectID
    /// Subscriber's name.
    package var name: UserName

    /// - Parameter line: a line of `subscribers.jsonl`.
    package init(parsing line: [UInt8]) throws(RowProblem) {
        let row = try SourceRow(parsing: line)
        guard let id = try row.text("conv_id"), let conversation = ObjectID(id) else { throw .noConversation }
        guard let text = try row.text("subscriber"), let name = UserName(text) else { throw .badID("subscriber") }
        self.conversation = conversation
        self.name = name
    }
}
