package import ChatModel
import ContentTranslation

/// Bodies that apps of other protocols wrote, as WuKongIM's apps read them.
extension Translation {
    /// The content as WuKongIM's clients get it: their own and the server's as they are, all others in the words of WuKongIM.
    package static func shown(_ content: MessageContent) -> MessageContent {
        guard !self.isOwn(content.wire), !content.flags.contains(.withdrawn) else { return content }
        var shown = content
        shown.wire = .wuKong
        shown.flags.remove(.binary)
        shown.flags.insert(.bodyIsJSONObject)
        (shown.kind, shown.body) = WuKongContentCodec.encode(Content(of: content))
        return shown
    }

    /// The new body of an edit in the same way.
    ///
    /// - Parameter wire: whose the body is; `nil` for one of ours.
    package static func shownEdit(
        _ body: [UInt8], isJSONObject: Bool, isBinary: Bool, of wire: WireFormat?
    ) -> [UInt8]? {
        guard let wire, !self.isOwn(wire) else { return isJSONObject ? body : nil }
        let flags: MessageFlags = isBinary ? .binary : isJSONObject ? .bodyIsJSONObject : []
        return self.shown(MessageContent(kind: .none, flags: flags, wire: wire, body: body)).body
    }

    /// True for the server's own messages, which are stored in the words of WuKongIM.
    private static func isOwn(_ wire: WireFormat) -> Bool { wire == .wuKong || wire == .native }
}
