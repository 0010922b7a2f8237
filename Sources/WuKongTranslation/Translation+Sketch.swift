package import ByteCodec
package import ChatModel
import LeanCloudWire

/// What people are shown of a stored message.
extension Translation {
    /// What a stored message is, from its flags, its kind and its body. Pure; a body that is no JSON object is taken for
    /// the text itself where the message says that it is text, and for unknown elsewhere.
    ///
    /// Source: the content types of WuKongIM's SDKs and the fields they write: `content`; `name`, `size`; `title`,
    /// `address`; `timeTrad` and `second`; `reply` with `from_name` and `payload`; `extra` of system messages, whose
    /// names replace `{0}`, `{1}` … in `content`.
    ///
    /// - Parameter kinds: what is known of apps' own kinds.
    package static func sketch(of content: MessageContent, kinds: MessageKinds = .none) -> MessageSketch {
        var sketch = self.sketch(ofBodyIn: content)
        guard sketch.form == .custom, var entry = kinds[content.kind] else { return sketch }
        let isObject = content.flags.contains(.bodyIsJSONObject)
        var body = isObject ? try? JSONValue(parsing: content.body) : nil
        if content.wire == .leanCloud, let own = body {
            body = self.withAttributes(own)
            entry = self.worded(entry, by: own["_lcattrs"])
        }
        sketch.line = self.line(of: body, as: entry)
        if sketch.line != entry.degrade { sketch.summary = entry.summary }
        return sketch
    }

    /// A body of LeanCloud's with the fields of its attributes beside its own, as the fields of registered kinds are
    /// looked for there.
    package static func withAttributes(_ body: JSONValue) -> JSONValue {
        guard let members = body.object, let attributes = body["_lcattrs"]?.object else { return body }
        return .object(members + attributes.filter { body[$0.name] == nil })
    }

    /// What a sender says in place of the registered texts. Source: ChatKit-OC, custom messages: `degrade`, `typeTitle`
    /// and `summary` in the attributes; `conversationType` there is the server's to say.
    package static func worded(_ entry: MessageKindEntry, by attributes: JSONValue?) -> MessageKindEntry {
        var entry = entry
        entry.requiredFields.removeAll { $0 == "conversationType" }
        let text = { (name: String) -> String? in
            attributes?[name]?.string.flatMap { $0.isEmpty ? nil : self.bounded($0) }
        }
        if let degrade = text("degrade") { entry.degrade = degrade }
        if let title = text("typeTitle") { entry.typeTitle = title }
        if let summary = text("summary") { entry.summary = summary }
        return entry
    }

    private static func sketch(ofBodyIn content: MessageContent) -> MessageSketch {
        if content.flags.contains(.withdrawn) { return MessageSketch(.withdrawn, kind: content.kind) }
        if content.flags.contains(.endToEndEncrypted) { return MessageSketch(.encrypted, kind: content.kind) }
        if content.wire == .leanCloud { return Self.leanCloudSketch(of: content) }
        guard content.flags.contains(.bodyIsJSONObject), let body = try? JSONValue(parsing: content.body) else {
            return Self.plainSketch(of: content)
        }
        let form = Self.form(of: content.kind)
        var sketch = MessageSketch(form, kind: content.kind, words: Self.words(of: form, body))
        sketch.seconds = Self.seconds(body, form)
        if form == .file { sketch.bytes = body["size"]?.integer.flatMap { $0 >= 0 ? $0 : nil } }
        sketch.quote = Self.quote(body["reply"])
        return sketch
    }

    /// How many characters (Unicode scalars) people read of a message: the whole of its text, however long; 0 where it is
    /// for apps, or for the devices of its people alone.
    package static func readableCharacters(of content: MessageContent) -> Int {
        if !content.flags.isDisjoint(with: [.endToEndEncrypted, .binary]) { return 0 }
        guard content.flags.contains(.bodyIsJSONObject), let body = try? JSONValue(parsing: content.body) else {
            let isText = content.kind == .text || content.kind == .none
            return isText ? String(decoding: content.body, as: UTF8.self).unicodeScalars.count : 0
        }
        return (body["content"]?.string ?? body["_lctext"]?.string ?? "").unicodeScalars.count
    }

    /// Of what LeanCloud's apps wrote: that of the same message in WuKongIM's words. Their own kinds have numbers of their
    /// own, whatever WuKongIM means by these.
    private static func leanCloudSketch(of content: MessageContent) -> MessageSketch {
        if content.flags.contains(.binary) { return MessageSketch(.unknown, kind: content.kind) }
        if content.kind.rawValue > 0 {
            let message = TypedMessage(parsing: String(decoding: content.body, as: UTF8.self))
            let words = message.flatMap { Self.words(ofUnknown: $0) } ?? ""
            return MessageSketch(.custom, kind: content.kind, words: Self.bounded(words))
        }
        var sketch = Self.sketch(ofBodyIn: Self.shown(content))
        sketch.kind = content.kind
        return sketch
    }

    /// The forms of WuKongIM's content types that are not built-in kinds inside. 9989 is the end of a call, by voice for
    /// all that its number says.
    static func form(contentType: Int32) -> MessageSketch.Form {
        switch contentType {
        case 3: .animation
        case 7: .card
        case 11: .forwarded
        case 12, 13: .sticker
        case 14: .richText
        case 97, 98, ...0: .unknown
        case 99: .command
        case 1_006: .withdrawn
        case 1_001...1_003, 1_005, 1_007...1_009, 1_020...1_022: .teamNotice
        case 1_000...2_000: .tip
        case 9_989: .voiceCall
        default: .custom
        }
    }

    private static func form(of kind: MessageKind) -> MessageSketch.Form {
        switch kind {
        case .text: .text
        case .image: .image
        case .audio: .voice
        case .video: .video
        case .location: .location
        case .file: .file
        default: Self.form(contentType: kind.rawValue)
        }
    }

    private static func plainSketch(of content: MessageContent) -> MessageSketch {
        let form = Self.form(of: content.kind)
        let isText = form == .text || content.kind == .none && content.wire == .native
        guard isText else { return MessageSketch(form == .text ? .unknown : form, kind: content.kind) }
        return MessageSketch(
            .text, kind: content.kind, words: Self.bounded(String(decoding: content.body, as: UTF8.self)))
    }

    private static func words(of form: MessageSketch.Form, _ body: JSONValue) -> String {
        let text: String? =
            switch form {
            case .text, .richText, .custom, .unknown: body["content"]?.string ?? body["_lctext"]?.string
            case .tip, .teamNotice: Self.filled(body)
            case .file, .card: body["name"]?.string
            case .location: body["title"]?.string ?? body["address"]?.string
            case .command: body["cmd"]?.string
            default: nil
            }
        return Self.bounded(text ?? "")
    }

    /// Seconds, of what plays: a whole number or the start of one, below a day.
    private static func seconds(_ body: JSONValue, _ form: MessageSketch.Form) -> Int64? {
        let value: JSONValue? =
            switch form {
            case .voice: body["timeTrad"]
            case .video, .voiceCall, .videoCall: body["second"]
            default: nil
            }
        switch value {
        case .integer(let seconds)? where (0..<86_400).contains(seconds): return seconds
        case .double(let seconds)? where (0..<86_400).contains(seconds): return Int64(seconds)
        default: return nil
        }
    }

    private static func quote(_ reply: JSONValue?) -> MessageSketch.Quote? {
        guard let payload = reply?["payload"], payload.object != nil else { return nil }
        let type = payload["type"]?.integer ?? 0
        let form = Self.form(of: Self.kind(contentType: Int(clamping: type)))
        return MessageSketch.Quote(
            sender: Self.bounded(reply?["from_name"]?.string ?? reply?["from_uid"]?.string ?? ""), form: form,
            words: Self.words(of: form, payload))
    }

    /// The words of a system message with its people in their places. What looks like a place inside a name stays text.
    private static func filled(_ body: JSONValue) -> String? {
        guard let template = body["content"]?.string else { return nil }
        let people = (body["extra"]?.array ?? []).map { $0["name"]?.string ?? $0["uid"]?.string ?? "" }
        var result = ""
        var rest = Substring(Self.bounded(template))
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            let close = digits.endIndex
            if let index = Int(digits), people.indices.contains(index), close < rest.endIndex, rest[close] == "}" {
                result += people[index]
                rest = rest[rest.index(after: close)...]
            } else {
                result += "{"
                rest = rest.dropFirst()
            }
            if result.utf8.count > MessageSketch.maximumWordBytes { return result }
        }
        return result + rest
    }

    /// At most `maximumWordBytes`, not ending inside a character.
    static func bounded(_ text: String) -> String {
        let maximum = MessageSketch.maximumWordBytes
        guard text.utf8.count > maximum else { return text }
        var bytes = Array(text.utf8.prefix(maximum + 1))
        // The first byte that goes is not inside a character: its later bytes are 10xxxxxx.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}
