import ByteCodec
package import ChatModel
import LeanCloudTranslation
import LeanCloudWire
package import Store

/// Rows of `messages/DAY.jsonl`. Pure.
package struct MessageRow: Hashable, Sendable {
    /// Conversation that the message was said in.
    package var conversation: ObjectID
    /// Message as the store takes it.
    package var message: ImportedMessage

    /// - Parameters:
    ///   - line: a line as the REST API gave it.
    ///   - rewrite: gives text with the addresses of files here.
    package init(parsing line: [UInt8], rewrite: (String) -> String = { $0 }) throws(RowProblem) {
        let row = try SourceRow(parsing: line)
        guard let cid = try row.text("conv-id") else { throw .noConversation }
        guard !cid.hasPrefix(LeanCloudObjectID.temporaryPrefix) else { throw .temporary }
        guard let conversation = ObjectID(cid) else { throw .badID("conv-id") }
        guard let id = try row.text("msg-id") else { throw .noID }
        guard id.utf8.count <= ImportedMessage.maximumIDBytes else { throw .badID("msg-id") }
        guard let time = row.integer("timestamp").flatMap(SourceRow.bounded), time > 0 else { throw .noTime }
        guard let from = try row.text("from"), let sender = UserName(from) else { throw .badID("from") }
        let body = try Self.body(row, rewrite)
        let content = LeanCloudContent.content(
            body, mentionsAll: row.isTrue("mention-all") || row.isTrue("mention_all"),
            mentions: row.texts("mention-pids") + row.texts("mention_pids"))
        self.conversation = conversation
        self.message = ImportedMessage(foreignID: id, sender: sender, sentAtMilliseconds: time, content: content)
        // A number of ours, in a folder that was exported from such a server.
        self.message.id = LeanCloudNames.messageID(id)
        self.message.isRecalled = Int64(content.kind.rawValue) == TypedMessageKind.recalled.rawValue
        self.message.patchedAtMilliseconds = max(0, row.integer("patch-timestamp") ?? 0)
    }

    /// Source: LeanCloud realtime REST guide: `data` is text, or base64 where `bin` says so. Old rows have an object.
    private static func body(
        _ row: SourceRow, _ rewrite: (String) -> String
    ) throws(RowProblem) -> LeanCloudContent.Body {
        guard let data = row["data"] else { throw .noContent }
        guard let text = data.string else {
            guard data.object != nil else { throw .badMember("data") }
            return .text(rewrite(String(decoding: data.serialized(), as: UTF8.self)))
        }
        guard row.isTrue("bin") else { return .text(rewrite(text)) }
        guard let bytes = Base64.decode(Array(text.utf8)) else { throw .badMember("data") }
        return .binary(bytes)
    }
}
