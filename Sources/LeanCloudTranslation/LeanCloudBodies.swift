import Broker
import ByteCodec
package import ChatModel

/// Bodies as LeanCloud's apps write them.
package struct LeanCloudBodies: MessageBodyReading {
    package init() {}

    /// Source: TypedMessage, `_lctext`; ChatKit-OC, what custom messages say of themselves in their attributes. Of an
    /// object that is no typed message the texts under `content` and `text`; what is no object is one text.
    package func rewriting(_ content: MessageContent, _ rewrite: (String) -> String?) -> [UInt8]? {
        if !content.flags.isDisjoint(with: [.endToEndEncrypted, .binary]) { return nil }
        guard content.flags.contains(.bodyIsJSONObject), let texts = Self.texts(of: content.body) else {
            return rewrite(String(decoding: content.body, as: UTF8.self)).map { Array($0.utf8) }
        }
        return texts.rewriting(content.body, rewrite)
    }

    private static func texts(of body: [UInt8]) -> BodyTexts? {
        BodyTexts(of: body) { (reader, texts) throws(JSONError) in
            try Self.collect(from: &reader, isInAttributes: false, &texts)
        }
    }

    private static func collect(
        from reader: inout JSONReader, isInAttributes: Bool, _ texts: inout BodyTexts
    ) throws(JSONError) {
        try reader.readObject { (key, reader) throws(JSONError) in
            switch try reader.peek() {
            case .string where isInAttributes ? Self.isAttributeText(key) : Self.isText(key):
                try texts.take(from: &reader)
            case .object where !isInAttributes && key == "_lcattrs":
                try Self.collect(from: &reader, isInAttributes: true, &texts)
            default: try reader.skipValue()
            }
        }
    }

    private static func isText(_ key: JSONKey) -> Bool { key == "_lctext" || key == "content" || key == "text" }

    private static func isAttributeText(_ key: JSONKey) -> Bool {
        key == "degrade" || key == "summary" || key == "typeTitle"
    }

    /// The fields of an app's own kind stand in the object or in its attributes.
    package func problem(of content: MessageContent, as entry: MessageKindEntry) -> KindProblem? {
        if !content.flags.isDisjoint(with: [.endToEndEncrypted, .withdrawn]) { return nil }
        guard content.flags.contains(.bodyIsJSONObject), let body = try? JSONValue(parsing: content.body) else {
            return .noObject
        }
        let attributes = body["_lcattrs"]
        let field = { (name: String) in body[name] ?? attributes?[name] }
        if let version = field("version")?.integer, version > entry.version { return .newerVersion(version) }
        return entry.requiredFields.first { field($0)?.isNull ?? true }.map { .missing($0) }
    }
}
