import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// A message as apps get it from a business server: the message, what happened to it since, and what is the asker's.
/// Source: TangSengDaoDao server, MsgSyncResp.
struct MessageRow: Sendable {
    let message: Message
    /// The channel as the asker knows it.
    let channelID: String
    let channelType: Int
    let extra: MessageExtra?
    let reactions: [Reaction]
    let asker: UserName
    /// Messages up to here are gone for the asker.
    let clearedThrough: Int64

    /// Placeholder for a payload that is no JSON object or not for the asker, and for one that only the clients can
    /// read.
    private static let contentError = Array(#"{"type":97}"#.utf8)
    private static let signalError = Array(#"{"type":98}"#.utf8)

    func write(to writer: inout JSONWriter) {
        let flags = self.message.content.flags
        writer.beginObject()
        MessageMembers(self.message, channelID: self.channelID, channelType: Int64(self.channelType)).write(to: &writer)
        writer.key("expire")
        writer.integer(Int64(self.message.content.expireSeconds))
        writer.key("payload")
        writer.raw(self.payload)
        writer.key("signal_payload")
        writer.base64(of: flags.contains(.endToEndEncrypted) ? self.message.content.body : [])
        writer.key("is_deleted")
        writer.integer(self.isDeleted ? 1 : 0)
        writer.key("voice_status")
        writer.integer(self.extra?.isHeard == true ? 1 : 0)
        self.writeState(to: &writer)
        writer.key("reactions")
        writer.beginArray()
        for reaction in self.reactions { reaction.row(channel: nil).write(to: &writer) }
        writer.endArray()
        if let extra {
            writer.key("message_extra")
            extra.row.write(to: &writer)
        }
        writer.endObject()
    }

    /// Writes the fields that older apps read from the message itself instead of `message_extra`.
    private func writeState(to writer: inout JSONWriter) {
        writer.key("readed")
        writer.integer(self.extra?.hasRead == true ? 1 : 0)
        writer.key("revoke")
        writer.integer(self.isRecalled ? 1 : 0)
        writer.key("revoker")
        writer.string(self.extra?.recalledBy?.text ?? "")
        writer.key("readed_count")
        writer.integer(Int64(self.extra?.readerCount ?? 0))
        writer.key("unread_count")
        writer.integer(Int64(self.extra?.unreadCount ?? 0))
        writer.key("extra_version")
        writer.integer(self.extra?.revision ?? 0)
    }

    private var isRecalled: Bool { self.extra?.isRecalled == true }

    private var payload: [UInt8] {
        let content = Translation.shown(self.message.content)
        if content.flags.contains(.withdrawn) { return Translation.payload(of: content) }
        guard self.isForAsker else { return Self.contentError }
        if content.flags.contains(.endToEndEncrypted) { return Self.signalError }
        return content.flags.contains(.bodyIsJSONObject) ? content.body : Self.contentError
    }

    private var isDeleted: Bool {
        if self.message.sequence <= self.clearedThrough { return true }
        if let extra, extra.isDeletedForAll || extra.isHidden { return true }
        return !self.isForAsker
    }

    private var isForAsker: Bool { Visibility.shows(self.message, to: self.asker) }
}

/// A payload may say who is to see it: a notice for managers, for example. Apps hide it from others by `is_deleted`.
/// Source: TangSengDaoDao server, `visibles`.
enum Visibility {
    private static let key = Array("\"visibles\"".utf8)

    static func shows(_ message: Message, to asker: UserName) -> Bool {
        let content = message.content
        guard content.flags.contains(.bodyIsJSONObject), Self.mayLimit(content.body),
            let names = (try? JSONValue(parsing: content.body))?["visibles"]?.array, !names.isEmpty
        else { return true }
        return names.contains { $0.string == asker.text }
    }

    private static func mayLimit(_ body: [UInt8]) -> Bool {
        guard body.count >= Self.key.count, let first = Self.key.first else { return false }
        return body.indices.dropLast(Self.key.count - 1).contains { index in
            body[index] == first && body[index...].starts(with: Self.key)
        }
    }
}

extension MessageExtra {
    /// Source: TangSengDaoDao server, messageExtraResp.
    var row: JSONValue {
        let id = Translation.messageID(self.id, shown: self.shownID)
        var members: [(String, JSONValue)] = [
            ("message_id", .integer(id)),
            ("message_id_str", .string("\(id)")),
            ("revoke", .flag(self.isRecalled)),
            ("revoker", .text(self.recalledBy?.text)),
            ("voice_status", .flag(self.isHeard)),
            ("readed", .flag(self.hasRead)),
            ("readed_count", .number(self.readerCount)),
            ("unread_count", .number(self.unreadCount)),
            ("readed_at", .integer((self.readAtMilliseconds ?? 0) / 1_000)),
            ("is_mutual_deleted", .flag(self.isDeletedForAll)),
            ("is_deleted", .flag(self.isDeletedForAll || self.isHidden)),
            ("is_pinned", .flag(self.isPinned)),
            ("edited_at", .integer((self.editedAtMilliseconds ?? 0) / 1_000)),
            ("extra_version", .integer(self.revision)),
        ]
        if let body = self.editedBody.flatMap({
            Translation.shownEdit(
                $0, isJSONObject: self.editedBodyIsJSONObject, isBinary: self.editedBodyIsBinary, of: self.editedWire)
        }) {
            members.append(("content_edit", .stored(body)))
        }
        // What the app itself keeps with the message: `extra` of the iOS SDK's WKMessageExtra.
        if let attributes { members.append(("extra", .stored(attributes))) }
        return .object(members.map { JSONValue.Member($0.0, $0.1) })
    }
}

extension Reaction {
    /// Source: TangSengDaoDao server, reactionResp and reactionSimpleResp.
    ///
    /// - Parameter channel: `nil` inside the message, which names it.
    func row(channel: BusinessChannel?) -> JSONValue {
        let row = JSONValue.fields(
            ("seq", .integer(self.revision)), ("uid", .string(self.user.text)),
            ("name", .string(self.displayName ?? self.user.text)), ("emoji", .string(self.name)),
            ("is_deleted", .flag(self.isRemoved)),
            ("created_at", .string(BusinessTime.text(milliseconds: self.changedAtMilliseconds))))
        guard let channel else { return row }
        let id = Translation.messageID(self.messageID, shown: self.shownID)
        return row.adding(
            .fields(
                ("message_id", .string("\(id)")), ("channel_id", .string(channel.id)),
                ("channel_type", .number(channel.typeNumber))))
    }
}

extension ReadTransaction {
    /// Messages of a conversation the person is in, with everything that belongs to them.
    ///
    /// - Parameter channelID: as the person knows it.
    func rows(
        _ messages: [Message], in id: ConversationID, channelID: String, channelType: Int, for person: UserID,
        named asker: UserName
    ) throws(StoreError) -> [MessageRow] {
        guard !messages.isEmpty else { return [] }
        let sequences = messages.map(\.sequence)
        let extras = try self.messages.extras(of: sequences, in: id, for: person)
        var reactions: [Int64: [Reaction]] = [:]
        for reaction in try self.messages.reactions(of: sequences, in: id, as: .member(person)) {
            reactions[reaction.place.sequence, default: []].append(reaction)
        }
        let cleared = try self.inbox.preference(of: person, in: id).clearedThrough
        return messages.map { message in
            MessageRow(
                message: message, channelID: channelID, channelType: channelType, extra: extras[message.sequence],
                reactions: reactions[message.sequence] ?? [], asker: asker, clearedThrough: cleared)
        }
    }
}
