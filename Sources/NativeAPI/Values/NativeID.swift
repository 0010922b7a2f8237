import ChatModel

/// Texts by which the native API names what the store numbers.
enum NativeID {
    /// Shape of a conversation's id.
    static let conversation = Shape.text(1...18, .digits)
    /// Shape of a message's id: the conversation's, a hyphen, and the place in it.
    static let message = Shape.text(3...37, .places)

    static func text(_ id: ConversationID) -> String { String(id.rawValue) }
    static func text(_ place: MessagePlace) -> String { "\(place.conversation.rawValue)-\(place.sequence)" }

    /// The conversation that a checked text names.
    static func conversation(_ text: String) -> ConversationID { ConversationID(rawValue: Int64(text) ?? 0) }

    /// The place that a checked text names.
    static func place(_ text: String) -> MessagePlace {
        let parts = text.split(separator: "-")
        return MessagePlace(
            ConversationID(rawValue: parts.first.flatMap { Int64($0) } ?? 0),
            parts.last.flatMap { Int64($0) } ?? 0)
    }
}

extension NativeCall {
    /// The conversation that the path names.
    var conversation: ConversationID { NativeID.conversation(self.input.known("conversation")) }
    /// The message that the path names.
    var place: MessagePlace { NativeID.place(self.input.known("message")) }
}

extension Field {
    /// The conversation in a path.
    static let conversation = Field.required("conversation", NativeID.conversation)
    /// The message in a path.
    static let message = Field.required("message", NativeID.message)
    /// The person in a path.
    static let person = Field.required("person", NativeID.person)
    /// Entries of a page.
    static let limit = Field.optional("limit", .integer(NativeBounds.page))
    /// Where a page before ended.
    static let cursor = Field.optional("cursor", .text(1...256, .plain))
    /// Key by which a repeated request is known again.
    static let clientToken = Field.required("clientToken", .text(1...64, .plain))
}

extension NativeID {
    /// Shape of a person's name.
    static let person = Shape.text(1...UserName.maximumScalars, .plain)
}
