import Broker
import ByteCodec
import ChatModel
import LeanCloudTranslation
import Store

// What the functions are called with. Source: LeanCloud realtime guide, the parameters of each hook.
extension ReadTransaction {
    /// - Returns: `nil` when what it is about is not there.
    func parameters(of question: HookQuestion, at now: Int64) throws(StoreError) -> JSONValue? {
        switch question {
        case .message(let append, let address): return try self.parameters(of: append, from: address, at: now)
        case .update(let update): return try self.parameters(of: update, at: now)
        case .start(let person, let members, let attributes):
            // Who makes it is among them, whether their SDK says so or not; the app's own server is in nothing.
            let isNamed = person == systemUserName || members.contains(person)
            return JSONValue(
                hook: [
                    ("initBy", .string(person.text)), ("members", .names(isNamed ? members : [person] + members)),
                    ("attr", .parsed(attributes)),
                ])
        case .add(let members, let id, let person), .remove(let members, let id, let person):
            return try self.parameters(of: id, by: person, [("members", .names(members))])
        case .change(let id, let person, let attributes):
            return try self.parameters(of: id, by: person, [("attr", .parsed(attributes))])
        case .silence(let id, let person, let isSilenced):
            return try self.parameters(of: id, by: person, [("mute", .boolean(isSilenced))])
        case .sign(let object): return .parsed(object)
        }
    }

    private func parameters(
        of id: ObjectID, by person: UserName, _ more: [(String, JSONValue)]
    ) throws(StoreError) -> JSONValue? {
        guard let conversation = try self.conversations.one(.object(id), seenBy: .system) else { return nil }
        let name = LeanCloudNames.conversationID(id, conversation.kind)
        return JSONValue(hook: [("initBy", .string(person.text)), ("convId", .string(name))], more)
    }

    private func parameters(
        of append: Append, from address: String?, at now: Int64
    ) throws(StoreError) -> JSONValue? {
        guard let sender = try self.people.user(append.sender)?.name else { return nil }
        let conversation = try self.conversations.one(append.address, seenBy: append.sender)
        var peers: [UserName] = []
        if let conversation {
            peers = try self.receivers(of: conversation, but: append.sender, append.content.envelope)
        } else if case .direct(let name) = append.address {
            // Their first message makes the conversation.
            peers = [name]
        } else {
            return nil
        }
        let id = conversation.map { LeanCloudNames.conversationID($0.objectID, $0.kind) }
        return JSONValue(
            hook: [
                ("fromPeer", .string(sender.text)), ("convId", .string(id ?? "")), ("toPeers", .names(peers)),
                ("timestamp", .integer(now)), ("sourceIP", .sourceIP(address)), ("groupId", .null),
            ], JSONValue.members(of: append.content, kind: conversation?.kind))
    }

    private func parameters(of update: HookedUpdate, at now: Int64) throws(StoreError) -> JSONValue? {
        guard let editor = try self.people.user(update.editor)?.name,
            let conversation = try self.conversations.one(update.place.conversation)
        else { return nil }
        return JSONValue(
            hook: [
                ("fromPeer", .string(editor.text)),
                ("convId", .string(LeanCloudNames.conversationID(conversation.objectID, conversation.kind))),
                (
                    "toPeers",
                    .names(try self.receivers(of: conversation, but: update.editor, update.content.envelope))
                ),
                ("msgId", .string(LeanCloudContent.id(of: update.message, update.content))),
                ("timestamp", .integer(now)), ("recall", .boolean(update.isRecall)),
                ("sourceIP", .sourceIP(update.address)),
            ], JSONValue.members(of: update.content, kind: conversation.kind))
    }

    /// Members but one whom a message is for, by number; the first `maximumReceivers`.
    func receivers(
        of conversation: Conversation, but sender: UserID, _ envelope: MessageEnvelope?
    ) throws(StoreError) -> [UserName] {
        // Between two people a list of who may see a message has no effect.
        let visibleTo = conversation.kind == .direct ? nil : envelope?.visibleTo
        let members = try self.conversations.members(of: conversation.id).filter { member in
            member.user != sender && visibleTo?.contains(member.name) ?? true
        }
        return members.prefix(LeanCloudHooks.maximumReceivers).map(\.name)
    }
}

extension JSONValue {
    init(hook members: [(String, JSONValue)], _ more: [(String, JSONValue)] = []) {
        self = .object((members + more).map { Member($0.0, $0.1) })
    }

    static func names(_ names: [UserName]) -> JSONValue { .array(names.map { .string($0.text) }) }

    /// Address without its port, from an address as sessions have it.
    static func sourceIP(_ address: String?) -> JSONValue {
        guard let address else { return .null }
        guard let colon = address.lastIndex(of: ":") else { return .string(address) }
        return .string(String(address[..<colon].filter { $0 != "[" && $0 != "]" }))
    }

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
