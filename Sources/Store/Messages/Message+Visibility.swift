import ByteCodec
package import ChatModel

// Messages as those see them whom they are not for, or for whom the operator's rules have something else.
extension Message {
    /// Text shown in place of a message for others. Source: ChatKit-OC, the text of its visibility list.
    package static let placeholderText = "这是群定向消息，仅部分群成员可见"

    /// Not for everybody, and still there to be read.
    package var isRestricted: Bool {
        self.content.flags.contains(.restricted) && !self.content.flags.contains(.withdrawn)
    }

    /// True when the message is for this person too; always for one without restriction.
    package func isFor(_ name: UserName) -> Bool {
        guard self.isRestricted else { return true }
        return name == self.senderName || self.content.envelope?.visibleTo?.contains(name) == true
    }

    /// Form of a restricted message for people it is not for: a placeholder that does not count; `nil` in a service.
    package func forOthers(in kind: ConversationKind) -> Message? {
        guard kind != .service else { return nil }
        return self.saying(self.standIn(.replace(text: Self.placeholderText, kind: .text), counts: false))
    }

    /// The message as a rule of the operator's has somebody see it.
    package func filtered(by action: FilterAction) -> Message { self.saying(self.standIn(action, counts: true)) }

    private func standIn(_ action: FilterAction, counts: Bool) -> MessageContent {
        let kept: MessageFlags = counts ? [.transient, .countsAsUnread, .restricted] : [.transient, .restricted]
        var flags = self.content.flags.intersection(kept).union([.standIn, .bodyIsJSONObject])
        switch action {
        case .drop:
            flags.insert(.unseen)
            flags.remove(.countsAsUnread)
            return MessageContent(
                kind: .text, flags: flags, wire: .native, body: textBody(""), expireSeconds: self.content.expireSeconds)
        case .replace(let text, let kind):
            return MessageContent(
                kind: kind, flags: flags, wire: .native, body: textBody(text, kind: kind),
                expireSeconds: self.content.expireSeconds)
        }
    }
}

/// A body of our own that says a text.
///
/// - Parameter kind: a kind of an app's own carries the text under `content` too.
private func textBody(_ text: String, kind: MessageKind = .text) -> [UInt8] {
    var json = JSONWriter(capacity: text.utf8.count + 32)
    json.beginObject()
    json.key("type")
    json.integer(kind.rawValue > 0 ? Int64(kind.rawValue) : 1)
    json.key("content")
    json.string(text)
    json.endObject()
    return json.bytes
}
