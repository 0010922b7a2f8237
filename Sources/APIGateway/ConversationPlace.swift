import APIKit
import ByteCodec
import ChatModel

/// A conversation as clients of our own gateways name it: `{"kind":"group","id":"verona"}`.
struct ConversationPlace: Hashable, Sendable {
    var kind: ConversationKind
    var name: ChannelName

    private static let words: [ConversationKind: String] = [.group: "group", .room: "room", .community: "community"]

    /// Reads one; a group when no kind is said.
    init(_ fields: APIFields) throws(APIFailure) {
        let word = try fields.optionalText("kind") ?? "group"
        guard let kind = Self.words.first(where: { $0.value == word })?.key else {
            throw .bad("kind is none of group, room, community")
        }
        guard let name = ChannelName(try fields.text("id")) else { throw .bad("conversation.id is no name") }
        self.kind = kind
        self.name = name
    }

    var address: ConversationAddress { .channel(self.kind, self.name) }

    var json: JSONValue {
        .object([
            JSONValue.Member("kind", .string(Self.words[self.kind] ?? "")),
            JSONValue.Member("id", .string(self.name.text)),
        ])
    }
}
