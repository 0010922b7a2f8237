import ByteCodec
import ChatModel

/// The sender's name that a message in a room brings along: nobody has to be asked about people who come and go.
enum CarriedName {
    /// Members of the body that hold it, the first one counts. Sources: `NIMMessageChatroomExtension.roomNickname` of
    /// NIMSDK; `from_name` as the notices of groups have it.
    private static let members = ["roomNickname", "from_name"]

    /// `nil` when there is none, or it is no name that could be set.
    static func read(_ content: MessageContent) -> String? {
        guard content.flags.contains(.bodyIsJSONObject), let body = try? JSONValue(parsing: content.body) else {
            return nil
        }
        let found = Self.members.lazy.compactMap { body[$0]?.string }.first { !$0.isEmpty }
        return found.flatMap { Self.isName($0) ? $0 : nil }
    }

    private static func isName(_ text: String) -> Bool {
        text.unicodeScalars.count <= PeopleLimits.nameScalars
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}
