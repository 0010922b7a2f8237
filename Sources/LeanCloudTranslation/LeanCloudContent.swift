import ByteCodec
package import ChatModel
import ContentTranslation
package import LeanCloudWire

/// Messages in LeanCloud's words and in ours. Pure.
package enum LeanCloudContent {
    /// Body of a message: text, which mostly is the JSON of a typed message, or bytes.
    package enum Body: Hashable, Sendable {
        case text(String)
        case binary([UInt8])
    }

    /// Most people that a message may call by name or be meant for; more are not looked at.
    package static let maximumPeople = 500

    // MARK: From clients

    /// Content of a client's message.
    ///
    /// - Parameter shownID: the id that was promised for it; `nil` for one of ours.
    /// - Returns: `nil` without content.
    package static func content(of direct: DirectCommand, shownID: String? = nil) -> MessageContent? {
        guard let body = self.body(text: direct.msg, binary: direct.binaryMsg) else { return nil }
        var content = self.content(
            body, mentionsAll: direct.mentionAll ?? false, mentions: direct.mentionPids, pushData: direct.pushData,
            shownID: shownID)
        if direct.r == true { content.flags.insert(.receiptRequested) }
        // A last will reaches who is there when it comes true.
        if direct.transient == true || direct.will == true { self.makeTransient(&content) }
        return content
    }

    /// Source: the SDKs, which set one of both; bytes count when an empty text stands beside them.
    package static func body(text: String?, binary: [UInt8]?) -> Body? {
        binary.map { .binary($0) } ?? text.map { .text($0) }
    }

    /// Content to publish, with its counted and stored fields.
    package static func content(
        _ body: Body, mentionsAll: Bool = false, mentions: [String] = [], pushData: String? = nil,
        shownID: String? = nil
    ) -> MessageContent {
        var (kind, flags) = (MessageKind.none, MessageFlags.countsAsUnread)
        var visibleTo: [UserName]?
        let bytes: [UInt8]
        switch body {
        case .binary(let content):
            bytes = content
            flags.insert(.binary)
        case .text(let text):
            bytes = Array(text.utf8)
            if let plain = bytes.withUnsafeBytes(TypedMessage.plainKind) {
                flags.insert(.bodyIsJSONObject)
                kind = self.kind(plain)
            } else if let value = self.object(text) {
                flags.insert(.bodyIsJSONObject)
                let message = TypedMessage(value)
                kind = message.map { self.kind($0.kind) } ?? .none
                visibleTo = self.visibleTo(message?.attributes) ?? self.visibleTo(value.object)
            }
        }
        var content = MessageContent(kind: kind, flags: flags, wire: .leanCloud, body: bytes)
        let names = self.names(mentions)
        let envelope = MessageEnvelope(
            mentionsAll: mentionsAll, mentions: names, visibleTo: visibleTo, pushData: pushData, shownID: shownID)
        content.mentions = Mentions(all: mentionsAll, users: names)
        if !envelope.isEmpty { content.envelope = envelope }
        return content
    }

    /// Neither stored nor counted.
    package static func makeTransient(_ content: inout MessageContent) {
        content.flags.insert(.transient)
        content.flags.remove(.countsAsUnread)
    }

    /// Envelope of an edited message: the names that the edit calls; the rest stays as it was.
    package static func envelope(of edit: MessageContent, after before: MessageEnvelope?) -> MessageEnvelope {
        MessageEnvelope(
            mentionsAll: edit.mentions.all, mentions: edit.mentions.users, visibleTo: before?.visibleTo,
            pushData: before?.pushData, shownID: before?.shownID)
    }

    /// 0 for what is no number of ours.
    private static func kind(_ kind: TypedMessageKind) -> MessageKind {
        MessageKind(rawValue: Int32(exactly: kind.rawValue) ?? 0)
    }

    private static func object(_ text: String) -> JSONValue? {
        guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let value = try? JSONValue(parsing: text),
            value.object != nil
        else { return nil }
        return value
    }

    /// Audience of a message, when it names one. Source: ChatKit-OC, the list in the attributes of a message; other
    /// apps write it beside them.
    private static func visibleTo(_ members: [JSONValue.Member]?) -> [UserName]? {
        for name in ["OnlyVisiableForPartClientIds", "onlyVisibleTo"] {
            guard let list = members?.first(where: { $0.name == name })?.value.array, !list.isEmpty else { continue }
            return self.names(list.compactMap(\.string))
        }
        return nil
    }

    private static func names(_ texts: [String]) -> [UserName] {
        var seen: Set<UserName> = []
        return texts.prefix(self.maximumPeople).compactMap { UserName($0) }.filter { seen.insert($0).inserted }
    }

    // MARK: For clients

    /// Body for a client: its own bytes as they were sent, everybody else's as a typed message.
    package static func body(of content: MessageContent) -> Body { self.worded(content).body }

    /// People whom a message mentions.
    package static func mentions(of content: MessageContent) -> Mentions { self.worded(content).mentions }

    /// Body that a client gets, and people whom it calls by name. A body of another protocol is read once for both.
    static func worded(_ content: MessageContent) -> (body: Body, mentions: Mentions) {
        guard content.wire == .leanCloud else {
            let neutral = Content(of: content)
            return (.text(LeanCloudContentCodec.encode(neutral)), neutral.mentions)
        }
        let mentions = content.envelope.map { Mentions(all: $0.mentionsAll, users: $0.mentions) } ?? content.mentions
        if content.flags.contains(.withdrawn) { return (.text(TypedMessage.recalled.content), mentions) }
        let isBinary = content.flags.contains(.binary)
        return (isBinary ? .binary(content.body) : .text(String(decoding: content.body, as: UTF8.self)), mentions)
    }
}
