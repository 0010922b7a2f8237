import Broker
import ByteCodec
package import ChatModel
import ContentTranslation

/// Bodies as WuKongIM's apps write them, which are also those of our own gateways.
package struct WuKongBodies: MessageBodyReading {
    package init() {}

    /// Source: the fields that WuKongIM's SDKs write for people to read: the text of a message, names of files and
    /// people, titles and addresses of places, and the same in the message that one answers (`reply`, `payload`) and in
    /// those that one forwards (`msgs`, `payload`). An app's own kinds mostly have them too. A body that is no JSON
    /// object is one text.
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
                try texts.takeText(from: &reader)
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
            case .string, .object, .array, .number, .boolean, .null: try reader.skipValue()
            }
        }
    }

    private static func isText(_ key: JSONKey) -> Bool {
        key == "content" || key == "_lctext" || key == "text" || key == "name" || key == "title" || key == "subtitle"
            || key == "subTitle" || key == "summary" || key == "description" || key == "address"
    }

    /// Problem of a content of a registered kind; `nil` when it fits.
    package func problem(of content: MessageContent, as entry: MessageKindEntry) -> KindProblem? {
        if content.flags.contains(.endToEndEncrypted) || content.flags.contains(.withdrawn) { return nil }
        return WuKongContentCodec.custom(content).problem(as: entry)
    }
}

/// Message kinds of apps.
extension Translation {
    /// True when no message of WuKongIM's own has this number.
    package static func isFree(_ kind: MessageKind) -> Bool { WuKongContentCodec.isFree(kind) }

    /// The number of ChatKit's name cards. That of WuKongIM's texts is another one inside, so it may be registered.
    package static let nameCardKind = MessageKind(rawValue: 1)
}
