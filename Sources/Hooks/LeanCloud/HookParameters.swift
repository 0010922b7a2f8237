import Broker
import ByteCodec
import ChatModel
import Store

// What the functions are called with. Source: LeanCloud realtime guide, the parameters of each hook.
extension ReadTransaction {
    /// - Returns: `nil` when what it is about is not there.
    func parameters(of question: HookQuestion, at now: Int64) throws(StoreError) -> JSONValue? {
        switch question {
        case .message(let append): try self.parameters(of: append, at: now)
        case .update(let update): try self.parameters(of: update, at: now)
        case .start(let person, let members, let attributes):
            JSONValue(hook: [
                ("initBy", .string(person.text)), ("members", .names(members)), ("attr", .parsed(attributes)),
            ])
        case .add(let members, let conversation, let person), .remove(let members, let conversation, let person):
            JSONValue(hook: [
                ("initBy", .string(person.text)), ("members", .names(members)), ("convId", .string(conversation.text)),
            ])
        case .change(let conversation, let person, let attributes):
            JSONValue(hook: [
                ("initBy", .string(person.text)), ("convId", .string(conversation.text)), ("attr", .parsed(attributes)),
            ])
        case .mute(let conversation, let person, let isMuted):
            JSONValue(hook: [
                ("initBy", .string(person.text)), ("convId", .string(conversation.text)), ("mute", .boolean(isMuted)),
            ])
        }
    }

    private func parameters(of append: Append, at now: Int64) throws(StoreError) -> JSONValue? {
        guard let sender = try self.user(append.sender)?.name else { return nil }
        let conversation = try self.conversation(append.address, seenBy: append.sender)
        var peers: [UserName] = []
        if let conversation {
            peers = try self.receivers(of: conversation, but: append.sender)
        } else if case .direct(let name) = append.address {
            // Their first message makes the conversation.
            peers = [name]
        } else {
            return nil
        }
        return JSONValue(
            hook: [
                ("fromPeer", .string(sender.text)), ("convId", .string(conversation?.objectID.text ?? "")),
                ("toPeers", .names(peers)), ("timestamp", .integer(now)), ("groupId", .null),
            ], JSONValue.members(of: append.content, kind: conversation?.kind))
    }

    private func parameters(of update: HookedUpdate, at now: Int64) throws(StoreError) -> JSONValue? {
        guard let editor = try self.user(update.editor)?.name,
            let conversation = try self.conversation(update.place.conversation)
        else { return nil }
        return JSONValue(
            hook: [
                ("fromPeer", .string(editor.text)), ("convId", .string(conversation.objectID.text)),
                ("toPeers", .names(try self.receivers(of: conversation, but: update.editor))),
                ("msgId", .string(String(update.message.rawValue))), ("timestamp", .integer(now)),
                ("recall", .boolean(update.isRecall)),
            ], JSONValue.members(of: update.content, kind: conversation.kind))
    }

    /// Members but one, by number; the first `maximumReceivers`.
    func receivers(of conversation: Conversation, but sender: UserID) throws(StoreError) -> [UserName] {
        let members = try self.members(of: conversation.id).filter { $0.user != sender }
        return members.prefix(LeanCloudHooks.maximumReceivers).map(\.name)
    }
}

extension JSONValue {
    init(hook members: [(String, JSONValue)], _ more: [(String, JSONValue)] = []) {
        self = .object((members + more).map { Member($0.0, $0.1) })
    }

    static func names(_ names: [UserName]) -> JSONValue { .array(names.map { .string($0.text) }) }

    static func parsed(_ object: [UInt8]) -> JSONValue { (try? JSONValue(parsing: object)) ?? .object([]) }

    static func members(of content: MessageContent, kind: ConversationKind?) -> [(String, JSONValue)] {
        let isBinary = content.flags.contains(.binary)
        let body = isBinary ? Base64.encode(content.body) : content.body
        return [
            ("transient", .boolean(content.flags.contains(.transient))), ("bin", .boolean(isBinary)),
            ("content", .string(String(decoding: body, as: UTF8.self))),
            ("receipt", .boolean(content.flags.contains(.receiptRequested))),
            ("system", .boolean(kind == .service)),
        ]
    }
}
