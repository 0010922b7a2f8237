import ByteCodec
package import ChatModel

// The one place where a protocol is chosen by the wire of a message. Another protocol adds its two functions in a file of its
// own, and one line to the switch below.
//
// What the server says itself (`WireFormat.native`) stays stored in the payload words of WuKongIM: rows of that wire exist,
// their bytes are what `verify` has hashes of, and WuKongIM's clients get them without a translation. Whoever reads them here
// does not notice.

extension Content {
    /// Reads what a message holds. Not for clients of the protocol that it came from: these get its bytes.
    package init(of content: MessageContent) {
        if content.flags.contains(.withdrawn) {
            self.init(.withdrawn)
        } else if content.flags.contains(.endToEndEncrypted) {
            self.init(.encrypted)
        } else if content.flags.contains(.binary) {
            self.init(.unreadable)
        } else {
            switch content.wire {
            case .native, .wuKong: self = WuKongContentCodec.decode(content)
            case .leanCloud: self = LeanCloudContentCodec.decode(content)
            }
        }
        let carried = content.carriedMentions
        if !carried.isEmpty { self.mentions = carried }
    }

    /// Kinds of content in a message that was sent or edited. An edited payload says its own kind, as its readers take it.
    package static func kinds(of content: MessageContent) -> Set<ContentKind> {
        var content = content
        if content.wire != .leanCloud, content.kind == .none, content.flags.contains(.bodyIsJSONObject),
            let body = try? JSONValue(parsing: content.body)
        {
            content.kind = WuKongContentCodec.kind(of: body)
        }
        return Content(of: content).kinds
    }

    /// Number of characters (Unicode scalars) that people read of a message: the whole of its text, however long; 0 where
    /// it is for apps, or for the devices of its people alone.
    package static func readableCharacters(of content: MessageContent) -> Int {
        if !content.flags.isDisjoint(with: [.endToEndEncrypted, .binary]) { return 0 }
        guard content.flags.contains(.bodyIsJSONObject) else {
            let isText = content.kind == .text || content.kind == .none
            return isText ? String(decoding: content.body, as: UTF8.self).unicodeScalars.count : 0
        }
        return Content(of: content).text?.unicodeScalars.count ?? 0
    }
}

extension MessageContent {
    /// People whom the message calls by name, as far as they stand beside its body.
    package var carriedMentions: Mentions {
        if let envelope, envelope.mentionsAll || !envelope.mentions.isEmpty {
            return Mentions(all: envelope.mentionsAll, users: envelope.mentions)
        }
        return self.mentions
    }
}

extension MessageSketch {
    /// Makes the sketch of a stored message from its flags, its kind and its body.
    ///
    /// - Parameter kinds: the registered kinds of apps.
    package init(of content: MessageContent, kinds: MessageKinds = .none) {
        self.init(Content(of: content), kind: content.kind, kinds: kinds)
    }
}
