import ByteCodec
import WuKongWire

/// A channel as a WuKongIM server stores it.
package struct SourceChannel: Hashable, Sendable {
    /// ID; of a person channel both uids joined, in WuKongIM's order.
    package let id: String
    /// Type, 1...255.
    package let type: Int64

    /// Bytes of an id that no server gives: longer ones are named and left there.
    static let maximumIDBytes = 1_024
    static let person = Int64(WuKongChannelType.person.rawValue)
    /// Suffix of the id of a channel that carries commands, which are read once and kept nowhere.
    /// Source: WuKongIM v2.2.5, `internal/options`, `IsCmdChannel`.
    private static let commandSuffix = "____cmd"

    /// - Returns: `nil` for an id or type that no channel has.
    package init?(id: String, type: Int64) {
        guard (1...Self.maximumIDBytes).contains(id.utf8.count), (1...255).contains(type) else { return nil }
        self.id = id
        self.type = type
    }

    /// The channel that two people share, whoever asks and in whatever order they are named.
    package init?(of one: String, and other: String) {
        self.init(id: PersonChannel.fakeID(of: one, and: other), type: Self.person)
    }

    var isOfCommands: Bool { self.id.hasSuffix(Self.commandSuffix) }

    /// The two uids of a person channel; `nil` for another one, and where the id does not say two.
    var people: (first: String, second: String)? {
        guard self.type == Self.person else { return nil }
        let parts = self.id.split(separator: PersonChannel.separator, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    func write(to json: inout JSONWriter) {
        json.key("channel_id")
        json.string(self.id)
        json.key("channel_type")
        json.integer(self.type)
    }
}

/// Names that the operator gives in a file: a line for a user or for a channel, which may have its subscribers.
package enum NamedSource: Hashable, Sendable {
    case user(String)
    case channel(SourceChannel, subscribers: [String]?)

    /// - Returns: `nil` for a line that names neither. Of a person channel both uids joined by `@`, in any order.
    package init?(line: [UInt8]) {
        guard let value = try? JSONValue(parsing: line) else { return nil }
        if let uid = value["uid"]?.string {
            guard (1...SourceChannel.maximumIDBytes).contains(uid.utf8.count) else { return nil }
            self = .user(uid)
            return
        }
        guard let id = value["channel_id"]?.string, let type = value["channel_type"]?.integer,
            var channel = SourceChannel(id: id, type: type)
        else { return nil }
        if type == SourceChannel.person {
            guard let (first, second) = channel.people, let sorted = SourceChannel(of: first, and: second) else {
                return nil
            }
            channel = sorted
        }
        self = .channel(channel, subscribers: value["subscribers"]?.array?.compactMap(\.string))
    }
}
