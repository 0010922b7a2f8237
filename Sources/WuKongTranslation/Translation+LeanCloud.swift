import ByteCodec
package import ChatModel
import LeanCloudWire

/// Bodies that LeanCloud's apps wrote, as WuKongIM's apps read them.
extension Translation {
    /// The content as WuKongIM's clients get it: their own and ours as they are, LeanCloud's in the words of WuKongIM.
    package static func shown(_ content: MessageContent) -> MessageContent {
        guard content.wire == .leanCloud, !content.flags.contains(.withdrawn) else { return content }
        var shown = content
        shown.wire = .wuKong
        shown.flags.subtract([.binary, .bodyIsJSONObject])
        shown.flags.insert(.bodyIsJSONObject)
        (shown.kind, shown.body) = self.wuKongBody(of: content)
        return shown
    }

    /// The new body of an edit in the same way.
    ///
    /// - Parameter wire: whose the body is; `nil` for one of ours.
    package static func shownEdit(
        _ body: [UInt8], isJSONObject: Bool, isBinary: Bool, of wire: WireFormat?
    ) -> [UInt8]? {
        guard wire == .leanCloud else { return isJSONObject ? body : nil }
        let flags: MessageFlags = isBinary ? .binary : isJSONObject ? .bodyIsJSONObject : []
        return self.shown(MessageContent(kind: .none, flags: flags, wire: .leanCloud, body: body)).body
    }

    /// What is left where nothing can be read. Source: WuKongIM's SDKs, content type 97.
    private static let unreadable: (MessageKind, [UInt8]) = (MessageKind(rawValue: 97), Array(#"{"type":97}"#.utf8))

    private static func wuKongBody(of content: MessageContent) -> (MessageKind, [UInt8]) {
        if content.flags.contains(.binary) { return self.unreadable }
        let text = String(decoding: content.body, as: UTF8.self)
        guard let message = TypedMessage(parsing: text) else {
            return (.text, self.payload(1, [("content", .string(text))], content))
        }
        switch message.kind {
        case .text: return (.text, self.payload(1, [("content", .string(message.text ?? ""))], content))
        case .image: return (.image, self.payload(2, self.members(of: message.file, caption: message.text), content))
        case .audio:
            let seconds = message.file?.metadata?.duration.map { JSONValue.integer(Self.whole($0)) }
            return (
                .audio,
                self.payload(
                    4, [("timeTrad", seconds)] + self.members(of: message.file, caption: message.text), content)
            )
        case .video:
            let seconds = message.file?.metadata?.duration.map { JSONValue.integer(Self.whole($0)) }
            let members = [("second", seconds)] + self.members(of: message.file, caption: message.text)
            return (.video, self.payload(5, members, content))
        case .location:
            return (
                .location,
                self.payload(
                    6,
                    [
                        ("lat", message.location.map { .double($0.latitude) }),
                        ("lng", message.location.map { .double($0.longitude) }),
                        ("title", .string(message.text ?? "")), ("address", .string("")),
                    ], content)
            )
        case .file: return (.file, self.payload(8, self.members(of: message.file, caption: message.text), content))
        case .recalled: return (MessageKind(rawValue: 1_006), self.withdrawnPayload)
        default:
            guard let words = self.words(ofUnknown: message) else { return self.unreadable }
            return (.text, self.payload(1, [("content", .string(words))], content))
        }
    }

    /// What a message of a kind that is not known here says of itself. Source: ChatKit-OC, custom messages.
    static func words(ofUnknown message: TypedMessage) -> String? {
        let attributes = message.attributes ?? []
        for name in ["degrade", "summary"] {
            if let words = attributes.first(where: { $0.name == name })?.value.string, !words.isEmpty { return words }
        }
        if let text = message.text, !text.isEmpty { return text }
        let title = attributes.first { $0.name == "typeTitle" }?.value.string
        return title.flatMap { $0.isEmpty ? nil : "[\($0)]" }
    }

    private static func members(of file: TypedMessageFile?, caption: String?) -> [(String, JSONValue?)] {
        [
            ("url", .string(file?.url ?? "")), ("name", file?.name.map { .string($0) }),
            ("size", file?.size.map { .integer($0) }), ("width", file?.metadata?.width.map { .integer($0) }),
            ("height", file?.metadata?.height.map { .integer($0) }),
            ("content", caption.flatMap { $0.isEmpty ? nil : .string($0) }),
        ]
    }

    /// Whole seconds of something that plays for less than a day.
    private static func whole(_ seconds: Double) -> Int64 { Int64(min(max(0, seconds.rounded()), 86_399)) }

    private static func payload(
        _ type: Int64, _ named: [(String, JSONValue?)], _ content: MessageContent
    ) -> [UInt8] {
        var members = [JSONValue.Member("type", .integer(type))]
        members += named.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }
        if let envelope = content.envelope, envelope.mentionsAll || !envelope.mentions.isEmpty {
            var mention = [JSONValue.Member("uids", .array(envelope.mentions.map { .string($0.text) }))]
            if envelope.mentionsAll { mention.insert(JSONValue.Member("all", .integer(1)), at: 0) }
            members.append(JSONValue.Member("mention", .object(mention)))
        }
        return JSONValue.object(members).serialized()
    }
}
