import ByteCodec
package import ChatModel
package import LeanCloudWire
import Localization
import WuKongTranslation

/// Messages in LeanCloud's words and in ours. Pure.
package enum LeanCloudContent {
    /// What a message holds: text, which mostly is the JSON of a typed message, or bytes.
    package enum Body: Hashable, Sendable {
        case text(String)
        case binary([UInt8])
    }

    /// Most people that a message may call by name or be meant for; more are not looked at.
    package static let maximumPeople = 500

    // MARK: From clients

    /// What a client wants said.
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

    /// What somebody wants said, counted and kept.
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

    /// What an edited message carries beside its body: the names that the edit calls; the rest stays what it was.
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

    /// Whom a message is for, when it says so. Source: ChatKit-OC, the list in the attributes of a message; other apps
    /// write it beside them.
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

    /// What a client gets: its own bytes as they were sent, everybody else's as a typed message.
    package static func body(of content: MessageContent) -> Body {
        if content.flags.contains(.withdrawn) { return .text(TypedMessage.recalled.content) }
        guard content.wire == .leanCloud else { return .text(self.typed(content).content) }
        return content.flags.contains(.binary)
            ? .binary(content.body) : .text(String(decoding: content.body, as: UTF8.self))
    }

    /// Whom a message calls by name.
    package static func mentions(of content: MessageContent) -> Mentions {
        if let envelope = content.envelope { return Mentions(all: envelope.mentionsAll, users: envelope.mentions) }
        if content.wire == .leanCloud || !content.mentions.isEmpty { return content.mentions }
        guard content.flags.contains(.bodyIsJSONObject), let body = try? JSONValue(parsing: content.body),
            let mention = body["mention"]
        else { return .none }
        // Source: WuKongIM's SDKs, `mention` with `all` as a number or a switch, and `uids`.
        let all = mention["all"]?.integer == 1 || mention["all"]?.boolean == true
        return Mentions(all: all, users: self.names((mention["uids"]?.array ?? []).compactMap(\.string)))
    }

    /// Source: the fields of WuKongIM's messages, and TypedMessage of LeanCloud's SDKs.
    private static func typed(_ content: MessageContent) -> TypedMessage {
        let object = content.flags.contains(.bodyIsJSONObject) ? try? JSONValue(parsing: content.body) : nil
        guard let body = object, !content.flags.contains(.endToEndEncrypted) else { return self.words(of: content) }
        let caption = body["content"]?.string
        // The operator's rules may show a text as a kind of the app's own.
        if content.flags.contains(.standIn), content.kind.rawValue > 0 {
            return TypedMessage(TypedMessageKind(rawValue: Int64(content.kind.rawValue)), text: caption)
        }
        switch content.kind {
        case .text: return TypedMessage(.text, text: caption ?? "")
        case .image: return TypedMessage(.image, text: caption, file: self.file(body))
        case self.animation: return TypedMessage(.image, text: caption, file: self.animated(body))
        case .audio: return TypedMessage(.audio, text: caption, file: self.file(body, duration: body["timeTrad"]))
        case .video: return TypedMessage(.video, text: caption, file: self.file(body, duration: body["second"]))
        case .file: return TypedMessage(.file, text: caption, file: self.file(body))
        case .location:
            guard let latitude = self.number(body["lat"]), let longitude = self.number(body["lng"]) else {
                return self.words(of: content)
            }
            return TypedMessage(
                .location, text: body["title"]?.string ?? body["address"]?.string,
                location: TypedMessageLocation(latitude: latitude, longitude: longitude))
        default: return self.words(of: content)
        }
    }

    /// Source: WuKongIM's SDKs, the content type of moving pictures.
    private static let animation = MessageKind(rawValue: 3)

    /// The words that people read of it; of what is no text, what it is before them, as lists show it.
    private static func words(of content: MessageContent) -> TypedMessage {
        let sketch = Translation.sketch(of: content)
        switch sketch.form {
        case .text: return TypedMessage(.text, text: sketch.words)
        case .richText, .tip, .teamNotice, .custom, .unknown:
            return TypedMessage(.text, text: sketch.words.isEmpty ? self.name(of: sketch.form) : sketch.words)
        default:
            let parts = [self.name(of: sketch.form), sketch.words].filter { !$0.isEmpty }
            return TypedMessage(.text, text: parts.joined(separator: " "))
        }
    }

    private static func name(of form: MessageSketch.Form) -> String {
        switch form {
        case .teamNotice: self.texts("digest.teamNotice.advanced")
        case .text, .tip, .custom: self.texts("digest.unknown")
        default: self.texts("digest.\(form.rawValue)")
        }
    }

    /// In the language in which the house writes into conversations.
    private static let texts = Texts(installed: .chinese)

    private static func file(_ body: JSONValue, duration: JSONValue? = nil) -> TypedMessageFile {
        let name = body["name"]?.string
        var metadata = TypedMessageFileMetadata(name: name, format: name.flatMap(self.ending))
        metadata.width = self.whole(body["width"])
        metadata.height = self.whole(body["height"])
        metadata.duration = self.number(duration)
        metadata.size = self.whole(body["size"])
        return TypedMessageFile(url: body["url"]?.string, metadata: metadata)
    }

    /// Source: WuKongIM's sample of a moving picture, which is 100 wide and high where it does not say.
    private static func animated(_ body: JSONValue) -> TypedMessageFile {
        var file = self.file(body)
        var metadata = file.metadata ?? TypedMessageFileMetadata()
        metadata.width = metadata.width ?? 100
        metadata.height = metadata.height ?? 100
        file.metadata = metadata
        return file
    }

    private static func ending(of name: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, (1...8).contains(last.utf8.count) else { return nil }
        return String(last)
    }

    private static func number(_ value: JSONValue?) -> Double? {
        value.flatMap { $0.double ?? $0.integer.map { Double($0) } }
    }

    private static func whole(_ value: JSONValue?) -> Int64? {
        value.flatMap { $0.integer ?? $0.double.flatMap { Int64(exactly: $0.rounded()) } }
    }
}
