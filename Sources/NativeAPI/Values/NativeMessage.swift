import APIKit
package import ByteCodec
import ChatModel
import ContentTranslation

/// A message as one person sees it: the one place that writes the value `Message`.
package struct NativeMessage: Sendable {
    /// Actions that the person may take with it now.
    struct Rights: Hashable, Sendable {
        /// Milliseconds UTC; `nil` for not at all.
        var editUntil: Int64?
        var recallUntil: Int64?
        var react = false
        var pin = false
    }

    /// Moment that never comes, in a number that every client can hold: 2 to the power of 53, less one.
    package static let always: Int64 = 9_007_199_254_740_991

    let message: Message
    let content: Content
    let extra: MessageExtra?
    let reactions: [ReactionCount]
    /// Place of the message that it answers; `nil` for none, and for one that is not there.
    let replied: MessagePlace?
    let isOwn: Bool
    /// Members but oneself.
    let others: Int
    let rights: Rights
    let isCleared: Bool

    /// Position in the conversation.
    package var sequence: Int64 { self.message.sequence }

    /// Nothing of it is shown any more: deleted for everybody or by the person, cleared, or not for them.
    package var isGone: Bool {
        self.isCleared || self.extra?.isDeletedForAll == true || self.extra?.isHidden == true || self.message.isUnseen
    }

    /// Shown in the place of one that is not for the person: later changes of that one are not theirs to learn.
    package var isStandIn: Bool { self.message.isStandIn }

    private var isRecalled: Bool { self.extra?.isRecalled == true || self.message.content.flags.contains(.withdrawn) }

    private var kind: String {
        if self.isGone { return "withheld" }
        return self.isRecalled ? "recalled" : NativeContentCodec.kind(of: self.content)
    }

    // MARK: Writing

    /// Writes the value.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("id", NativeID.text(MessagePlace(self.message.conversation, self.sequence)))
        writer.text("conversation", NativeID.text(self.message.conversation))
        writer.number("sequence", self.sequence)
        writer.number("revision", self.extra?.revision ?? 0)
        writer.text("sender", self.message.senderName.text)
        writer.number("time", self.message.sentAtMilliseconds)
        writer.text("kind", self.kind)
        if !self.isGone && !self.isRecalled {
            NativeContentCodec.write(self.content, to: &writer) { Self.address($0) }
            self.writeReply(to: &writer)
        }
        writer.flag("isEdited", !self.isGone && !self.isRecalled && self.extra?.editedAtMilliseconds != nil)
        if !self.isGone, self.isRecalled { writer.text("recalledBy", self.extra?.recalledBy?.text) }
        self.writeMarks(to: &writer)
        self.writeRights(to: &writer)
        writer.endObject()
    }

    /// A link needs no session; a file's own path does.
    private static func address(_ file: FileContent) -> NativeFileAddress {
        guard let url = file.url, !url.isEmpty else { return NativeFileAddress() }
        guard let key = FileMention.scan(Array(url.utf8)).first?.key else { return NativeFileAddress(url: url) }
        switch key.kind {
        case .file: return NativeFileAddress(file: key.text, url: FileKey(key.text).map(APIPaths.file))
        case .link: return NativeFileAddress(url: FileLinkKey(key.text).map(APIPaths.link))
        case .transfer: return NativeFileAddress(url: url)
        }
    }

    private func writeReply(to writer: inout JSONWriter) {
        guard let reply = self.content.reply else { return }
        writer.key("replyTo")
        writer.beginObject()
        writer.text("id", self.replied.map(NativeID.text))
        writer.text("sender", reply.sender)
        writer.text("text", reply.words)
        writer.endObject()
    }

    private func writeMarks(to writer: inout JSONWriter) {
        guard !self.isGone, !self.isRecalled else { return }
        if !self.reactions.isEmpty {
            writer.key("reactions")
            writer.beginArray()
            for reaction in self.reactions {
                writer.beginObject()
                writer.text("emoji", reaction.name)
                writer.number("count", Int64(reaction.count))
                writer.flag("isMine", reaction.isOwn)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.flag("isPinned", self.extra?.isPinned ?? false)
        guard self.isOwn else { return }
        writer.text("clientToken", self.message.clientToken.map { String(decoding: $0.bytes, as: UTF8.self) })
        guard self.message.content.flags.contains(.receiptRequested) else { return }
        let read = self.extra?.readerCount ?? 0
        writer.key("receipt")
        writer.beginObject()
        writer.number("read", Int64(read))
        writer.number("of", Int64(self.extra.map { $0.unreadCount + read } ?? self.others))
        writer.endObject()
    }

    private func writeRights(to writer: inout JSONWriter) {
        let rights = self.isGone ? Rights() : self.rights
        writer.key("can")
        writer.beginObject()
        Self.write("edit", rights.editUntil, to: &writer)
        Self.write("recall", rights.recallUntil, to: &writer)
        writer.flag("react", rights.react)
        writer.flag("pin", rights.pin)
        writer.endObject()
    }

    private static func write(_ name: StaticString, _ until: Int64?, to writer: inout JSONWriter) {
        writer.key(name)
        if let until { writer.integer(until) } else { writer.boolean(false) }
    }

    // MARK: Describing

    private static let right = Shape.either([.flag, .count])

    /// Shape of the value.
    static let shape = Shape.object([
        .required("id", NativeID.message), .required("conversation", NativeID.conversation),
        .required("sequence", .count), .required("revision", .count), .required("sender", .anyText),
        .required("time", .count), .required("kind", .choice(NativeContentCodec.kinds)), .optional("text", .anyText),
        .optional("mentions", .either([.constant("all"), .list(.anyText, 0...Shape.most)])),
        .optional(
            "replyTo",
            .object([.optional("id", NativeID.message), .optional("sender", .anyText), .required("text", .anyText)])),
        .optional(
            "attachment",
            .object([
                .optional("file", .anyText), .optional("url", .anyText), .optional("name", .anyText),
                .optional("mediaType", .anyText), .optional("size", .count), .optional("width", .count),
                .optional("height", .count), .optional("seconds", .number(0...FileContent.maximumSeconds)),
            ])),
        .optional(
            "place",
            .object([
                .optional("latitude", Self.anyNumber), .optional("longitude", Self.anyNumber),
                .optional("title", .anyText), .optional("address", .anyText),
            ])),
        .optional("card", .object([.optional("name", .anyText), .optional("displayName", .anyText)])),
        .optional(
            "items",
            .list(
                .object([
                    .optional("sender", .anyText), .optional("text", .anyText), .optional("time", .count),
                    .required("kind", .choice(NativeContentCodec.kinds)),
                ]), 0...Content.maximumForwarded)),
        .optional(
            "custom",
            .object([
                .required("kind", .count), .optional("degrade", .anyText), .required("attributes", .anyObject),
            ])), .required("isEdited", .flag), .optional("recalledBy", .anyText),
        .optional(
            "reactions",
            .list(
                .object([.required("emoji", .anyText), .required("count", .count), .required("isMine", .flag)]),
                0...Shape.most)), .optional("isPinned", .flag), .optional("clientToken", .anyText),
        .optional("receipt", .object([.required("read", .count), .required("of", .count)])),
        .required(
            "can",
            .object([
                .required("edit", Self.right), .required("recall", Self.right), .required("react", .flag),
                .required("pin", .flag),
            ])),
    ])

    private static let anyNumber = Shape.number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
}
