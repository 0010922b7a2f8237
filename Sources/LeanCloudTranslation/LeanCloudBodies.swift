import Broker
import ByteCodec
package import ChatModel
import ContentTranslation

/// Bodies as LeanCloud's apps write them.
package struct LeanCloudBodies: MessageBodyReading {
    package init() {}

    /// Source: TypedMessage, `_lctext` and the name of a file; ChatKit-OC, what custom messages say of themselves in their
    /// attributes, where apps also put the texts of their own kinds. Of an object that is no typed message the texts under
    /// `content` and `text`; what is no object is one text.
    package func rewriting(_ content: MessageContent, _ rewrite: (String) -> String?) -> [UInt8]? {
        if !content.flags.isDisjoint(with: [.endToEndEncrypted, .binary]) { return nil }
        guard content.flags.contains(.bodyIsJSONObject), let texts = Self.texts(of: content.body) else {
            return rewrite(String(decoding: content.body, as: UTF8.self)).map { Array($0.utf8) }
        }
        return texts.rewriting(content.body, rewrite)
    }

    private static func texts(of body: [UInt8]) -> BodyTexts? {
        BodyTexts(of: body) { (reader, texts) throws(JSONError) in
            try Self.collect(from: &reader, in: .message, &texts)
        }
    }

    /// Where in a body something stands.
    private enum Part {
        case message
        case attributes
        case file

        /// Source: the same fields as in the bodies of WuKongIM's apps, whose kinds have them too.
        private static let ownTexts: Set<String> = [
            "content", "text", "name", "title", "subtitle", "subTitle", "summary", "description", "address",
        ]

        func isText(_ key: String) -> Bool {
            switch self {
            case .message: key == "_lctext" || Self.ownTexts.contains(key)
            case .attributes: key == "degrade" || key == "typeTitle" || Self.ownTexts.contains(key)
            case .file: key == "name"
            }
        }

        /// Part under a key; `nil` for keys that nobody reads.
        func part(_ key: String) -> Part? {
            switch self {
            case .message: key == "_lcattrs" ? .attributes : key == "_lcfile" ? .file : nil
            case .file: key == "metaData" ? .file : nil
            case .attributes: nil
            }
        }
    }

    private static func collect(
        from reader: inout JSONReader, in part: Part, _ texts: inout BodyTexts
    ) throws(JSONError) {
        try reader.readObject { (key, reader) throws(JSONError) in
            let name = key.text
            switch try reader.peek() {
            case .string where part.isText(name): try texts.takeText(from: &reader)
            case .object:
                if let inner = part.part(name) {
                    try Self.collect(from: &reader, in: inner, &texts)
                } else {
                    try reader.skipValue()
                }
            case .array, .string, .number, .boolean, .null: try reader.skipValue()
            }
        }
    }

    /// The fields of an app's own kind stand in the object or in its attributes.
    package func problem(of content: MessageContent, as entry: MessageKindEntry) -> KindProblem? {
        if !content.flags.isDisjoint(with: [.endToEndEncrypted, .withdrawn]) { return nil }
        return LeanCloudContentCodec.custom(content).problem(as: entry)
    }

    private static let conversationType = LeanCloudContentCodec.conversationType

    /// The body of a registered kind that wants `conversationType` among its attributes, with it: 0 between two people,
    /// 1 elsewhere. What its sender said of it stays, and so does every other byte.
    ///
    /// - Returns: `nil` when there is nothing to say.
    @Sendable package static func completed(
        _ content: MessageContent, as entry: MessageKindEntry, in kind: ConversationKind
    ) -> [UInt8]? {
        guard content.wire == .leanCloud, content.flags.contains(.bodyIsJSONObject),
            content.flags.isDisjoint(with: [.endToEndEncrypted, .binary]),
            entry.requiredFields.contains(self.conversationType), let value = try? JSONValue(parsing: content.body),
            let members = value.object, value[self.conversationType] == nil
        else { return nil }
        let field = "\"\(self.conversationType)\":\(kind == .direct ? 0 : 1)"
        var body = content.body
        guard let attributes = value["_lcattrs"] else {
            guard let start = body.firstIndex(of: UInt8(ascii: "{")) else { return nil }
            body.insert(contentsOf: "\"_lcattrs\":{\(field)}\(members.isEmpty ? "" : ",")".utf8, at: start + 1)
            return body
        }
        guard let own = attributes.object, attributes[self.conversationType] == nil,
            let start = self.attributesStart(content.body)
        else { return nil }
        body.insert(contentsOf: "\(field)\(own.isEmpty ? "" : ",")".utf8, at: start + 1)
        return body
    }

    /// Where the object of the attributes begins.
    private static func attributesStart(_ body: [UInt8]) -> Int? {
        body.withUnsafeBytes { bytes in
            var start: Int?
            var reader = JSONReader(bytes)
            do throws(JSONError) {
                try reader.readObject { (key, reader) throws(JSONError) in
                    if key == "_lcattrs", try reader.peek() == .object { start = reader.offset }
                    try reader.skipValue()
                }
                return start
            } catch {
                return nil
            }
        }
    }
}
