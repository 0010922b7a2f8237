import Broker
import ByteCodec
package import ChatModel

/// Bodies as WuKongIM's apps write them, which are also those of our own doors.
package struct WuKongBodies: MessageBodyReading {
    package init() {}

    /// Source: the fields that WuKongIM's SDKs write for people to read: the text of a message, names of files and people,
    /// titles and addresses of places, and the same in the message that one answers (`reply`, `payload`) and in those that
    /// one forwards (`msgs`, `payload`). An app's own kinds mostly have them too. A body that is no JSON object is one text.
    package func rewriting(_ content: MessageContent, _ rewrite: (String) -> String?) -> [UInt8]? {
        if content.flags.contains(.endToEndEncrypted) { return nil }
        guard content.flags.contains(.bodyIsJSONObject), let texts = Self.texts(of: content.body) else {
            return rewrite(String(decoding: content.body, as: UTF8.self)).map { Array($0.utf8) }
        }
        return texts.rewriting(content.body, rewrite)
    }

    private static func texts(of body: [UInt8]) -> BodyTexts? {
        BodyTexts(of: body) { (reader, texts) throws(JSONError) in
            try Self.collect(from: &reader, &texts)
        }
    }

    private static func collect(
        from reader: inout JSONReader, _ texts: inout BodyTexts
    ) throws(JSONError) {
        try reader.readObject { (key, reader) throws(JSONError) in
            switch try reader.peek() {
            case .string where Self.isText(key):
                try texts.take(from: &reader)
            case .object where key == "reply" || key == "payload":
                try Self.collect(from: &reader, &texts)
            case .array where key == "msgs":
                try reader.readArray { reader throws(JSONError) in
                    if try reader.peek() == .object {
                        try Self.collect(from: &reader, &texts)
                    } else {
                        try reader.skipValue()
                    }
                }
            default: try reader.skipValue()
            }
        }
    }

    private static func isText(_ key: JSONKey) -> Bool {
        key == "content" || key == "_lctext" || key == "text" || key == "name" || key == "title" || key == "subtitle"
            || key == "subTitle" || key == "summary" || key == "description" || key == "address"
    }

    package func problem(of content: MessageContent, as entry: MessageKindEntry) -> KindProblem? {
        if content.flags.contains(.endToEndEncrypted) || content.flags.contains(.withdrawn) { return nil }
        guard content.flags.contains(.bodyIsJSONObject), let body = try? JSONValue(parsing: content.body) else {
            return .noObject
        }
        return Self.problem(of: body, as: entry)
    }

    static func problem(of body: JSONValue, as entry: MessageKindEntry) -> KindProblem? {
        if let version = body["version"]?.integer, version > entry.version { return .newerVersion(version) }
        return entry.requiredFields.first { body[$0]?.isNull ?? true }.map { .missing($0) }
    }
}

/// Message kinds of apps.
extension Translation {
    /// Whether no message of WuKongIM's own has this number.
    package static func isFree(_ kind: MessageKind) -> Bool {
        kind.rawValue > 0 && self.kind(contentType: Int(kind.rawValue)) == kind
            && self.form(contentType: kind.rawValue) == .custom
    }

    /// The number of ChatKit's name cards. That of WuKongIM's texts is another one inside, so it may be registered.
    package static let nameCardKind = MessageKind(rawValue: 1)

    /// What lists show of a message of a registered kind.
    ///
    /// - Parameter body: `nil` when it is no JSON object.
    static func line(of body: JSONValue?, as entry: MessageKindEntry) -> String {
        guard let body, !entry.isDisabled, WuKongBodies.problem(of: body, as: entry) == nil else {
            return entry.degrade
        }
        return entry.digest.isEmpty ? "[\(entry.typeTitle)]" : self.bounded(self.filled(entry.digest, from: body))
    }

    /// A template with the fields of a body in the places of `{field}`; of `{one|other}` the first that is there. What is
    /// not there, or is no text or number, leaves nothing. What looks like a place inside a field stays text.
    private static func filled(_ template: String, from body: JSONValue) -> String {
        var result = ""
        var rest = Substring(template)
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}") else { break }
            let names = rest[rest.index(after: open)..<close].split(separator: "|")
            result += names.lazy.compactMap { self.text(of: body[String($0)]) }.first ?? ""
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// What a digest has of a field; `nil` for what has no words.
    private static func text(of value: JSONValue?) -> String? {
        switch value {
        case .string(let text)? where !text.isEmpty: self.bounded(text)
        case .integer(let number)?: String(number)
        case .double(let number)?: String(number)
        default: nil
        }
    }
}
