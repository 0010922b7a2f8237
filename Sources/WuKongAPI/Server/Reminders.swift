import APIKit
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Reminders that a business server makes: a request to join, something to be confirmed, a kind of its own. Not in the
/// original, whose apps expect them of their own server.
enum Reminders {
    /// Makes one for each of the people in `uids`, or for all members without it.
    @Sendable static func add(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        if channel.person != nil, channel.people == nil {
            throw .bad("a person channel is named by both of its people: one@other")
        }
        let draft = try ReminderDraft(fields)
        let names = fields.member("uids") == nil ? nil : try fields.uids("uids", most: Channels.maximumUIDs)
        let publisher = try fields.optionalText("publisher") == nil ? nil : try fields.uid("publisher")
        services.write(reply, by: .business) { transaction throws(StoreError) in
            guard let conversation = try channel.conversation(seenBy: nil, transaction.reading) else {
                throw .refused(.noSuchConversation)
            }
            var actor = Actor.application
            if let publisher { actor.user = try transaction.reading.knownPerson(publisher) }
            var users: [UserID] = []
            if let names {
                for name in names { users.append(try transaction.reading.knownPerson(name)) }
            } else {
                users = try transaction.reading.conversations.members(of: conversation.id).map(\.user)
            }
            let reminder = try draft.reminder(in: conversation.id, transaction.reading)
            return try transaction.messages.addReminder(reminder, for: users, by: actor)
        } answer: { made in
            .ok(.fields(("ids", .array(made.ids.map(JSONValue.integer))), ("version", .integer(made.change))))
        }
    }

    /// Ends reminders, whoever they were made for. Those that are over, and numbers of none, are skipped.
    @Sendable static func finish(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let ids = try request.fields().integers("ids", most: MessageLimits.placesPerCall)
        services.write(reply, by: .business) { transaction throws(StoreError) in
            try transaction.messages.endReminders(ids)
        } answer: { _ in
            .ok
        }
    }
}

/// A reminder as the request has it.
private struct ReminderDraft: Sendable {
    private var sequence: Int64
    private var messageID: Int64
    private var kind: ReminderKind
    private var text: String
    private var data: [UInt8]?
    private var locates: Bool

    init(_ fields: APIFields) throws(APIFailure) {
        self.sequence = try fields.largeInteger("message_seq") ?? 0
        self.messageID = try fields.largeInteger("message_id") ?? 0
        guard self.sequence >= 0, self.messageID >= 0 else { throw .bad("a message's number is not below 0") }
        self.kind = ReminderKind(rawValue: Int(clamping: try fields.integer("reminder_type")))
        self.text = try fields.optionalText("text") ?? ""
        self.locates = try fields.isOn("is_locate")
        switch fields.member("data") {
        case nil, .null?: self.data = nil
        case let data?: self.data = data.serialized()
        }
    }

    /// - Throws: `refused(.noSuchMessage)` for a message that is not there.
    func reminder(in id: ConversationID, _ transaction: ReadTransaction) throws(StoreError) -> NewReminder {
        var sequence = self.sequence
        if self.messageID > 0 {
            guard let place = try transaction.messages.place(of: MessageID(rawValue: self.messageID), in: id) else {
                throw .refused(.noSuchMessage)
            }
            sequence = place.sequence
        }
        return NewReminder(
            in: id, sequence: sequence, kind: self.kind, text: self.text, data: self.data, locates: self.locates)
    }
}
