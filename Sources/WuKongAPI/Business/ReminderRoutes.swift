import APIKit
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Routes for reminders: messages that mention the person, requests to join.
enum ReminderRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/message/reminder/sync", Self.sync),
        Route("POST", "/v1/message/reminder/done", Self.finish),
    ]

    /// Text that apps show for a mention, which is stored without words. Source: TangSengDaoDao server, its reminders.
    private static let mentionText = "[有人@我]"

    @Sendable static func sync(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let version = max(0, try fields.integer("version"))
        let limit = try fields.limit(otherwise: 100)
        let wanted = Set(try fields.texts("channel_ids", most: 1_000))
        let person = call.person
        call.read { store throws(StoreError) in
            let reminders = try store.messages.reminders(of: person.user, after: version, limit: limit)
            var rows: [JSONValue] = []
            for reminder in reminders {
                let row = try store.row(
                    of: reminder, for: person.name, user: person.user, mention: Self.mentionText)
                if let row { rows.append(row) }
            }
            return rows
        } answer: { rows in
            .json(
                .array(
                    rows.filter { row in
                        wanted.isEmpty || row["channel_id"]?.string.map(wanted.contains) == true
                    }))
        }
    }

    @Sendable static func finish(_ call: BusinessCall) throws(APIFailure) {
        guard let elements = call.request.body.array, (1...MessageLimits.placesPerCall).contains(elements.count) else {
            throw .bad("expected an array of 1 to \(MessageLimits.placesPerCall) numbers as the body")
        }
        let ids = elements.compactMap { $0.integer ?? $0.string.flatMap { Int64($0) } }
        guard ids.count == elements.count else { throw .bad("the body holds something that is no number") }
        let user = call.user
        call.write { store throws(StoreError) in
            try store.messages.finishReminders(ids, by: user)
        } answer: { _ in
            .ok
        }
    }
}

extension ReadTransaction {
    /// A reminder as apps get it. Source: TangSengDaoDao server, reminderResp.
    ///
    /// - Returns: `nil` when its conversation is gone.
    fileprivate func row(
        of reminder: Reminder, for name: UserName, user: UserID, mention: String
    ) throws(StoreError) -> JSONValue? {
        guard let conversation = try self.conversations.one(reminder.conversation) else { return nil }
        var other: UserName?
        if let pair = try self.conversations.directPair(of: conversation.id) {
            other = try self.people.user(pair.low == user ? pair.high : pair.low)?.name
        }
        let text = reminder.text.isEmpty && reminder.kind == .mention ? mention : reminder.text
        return .fields(
            ("id", .integer(reminder.id)),
            ("channel_id", .string(Translation.channelID(channel: conversation.channel, other: other))),
            ("channel_type", .integer(Int64(Translation.channelType(conversation.kind).rawValue))),
            ("publisher", .string(reminder.publisher.text)), ("message_seq", .integer(reminder.sequence)),
            ("message_id", .string("\(reminder.messageID?.rawValue ?? 0)")),
            ("reminder_type", .number(reminder.kind.rawValue)), ("uid", .string(name.text)), ("text", .string(text)),
            ("data", .stored(reminder.data)), ("is_locate", .flag(reminder.locates)),
            ("version", .integer(reminder.change)), ("done", .flag(reminder.isDone)))
    }
}
