import APIKit
import ByteCodec
import ChatModel
import NativeAPI
import Transport

/// First frame of a native client: `{"token":"...","after":"..."}`, both of them optional.
struct FeedSignIn: Hashable {
    /// `nil` for the one of the request that opened the connection.
    var token: String?
    var start = FeedStart.snapshot

    /// - Throws: when there is another member, or one is no text.
    init(_ members: [JSONValue.Member]) throws(APIFailure) {
        for member in members {
            switch (member.name, member.value) {
            case ("token", .string(let text)): self.token = text
            case ("after", .string(let text)): self.start = FeedCursor(text).map { .after($0) } ?? .unknown
            default: throw .bad("the first frame is {\"token\":\"...\",\"after\":\"...\"}")
            }
        }
    }
}

/// Frame of a native client that is signed in: an object with one member.
enum FeedRequest: Hashable {
    /// Asks for a pong with the same number.
    case ping(Int64)
    /// Follows the presence of these people, at most `WatchedPeople.maximum`, and of nobody else.
    case watch(Set<UserName>)
    /// Shows the others of a conversation that somebody writes.
    case typing(ConversationID)

    /// - Throws: when it is none of these, or its value is not what it has to be.
    init(_ members: [JSONValue.Member]) throws(APIFailure) {
        guard members.count == 1, let member = members.first else { throw Self.unknown }
        switch member.name {
        case "ping":
            guard let number = member.value.integer else { throw .bad("ping is a whole number") }
            self = .ping(number)
        case "watch": self = .watch(try Self.names(member.value))
        case "typing":
            guard let text = member.value.string, let number = Int64(text), number > 0, String(number) == text else {
                throw .bad("typing is the id of a conversation")
            }
            self = .typing(ConversationID(rawValue: number))
        default: throw Self.unknown
        }
    }

    private static let unknown = APIFailure.bad("a frame has one of ping, watch, typing")

    private static func names(_ value: JSONValue) throws(APIFailure) -> Set<UserName> {
        guard let list = value.array, list.count <= WatchedPeople.maximum else {
            throw .bad("watch is a list of at most \(WatchedPeople.maximum) names")
        }
        var names: Set<UserName> = []
        for entry in list {
            guard let name = entry.string.flatMap(UserName.init) else {
                throw .bad("watch has something that is no name")
            }
            names.insert(name)
        }
        return names
    }
}

/// Question of a request that waits for events: `after=CURSOR&wait=0...30`, both of them optional.
struct FeedQuestion: Hashable {
    /// Seconds for which a request may wait.
    private static let waitSeconds: ClosedRange<Int64> = 0...30

    /// Longest wait for events, milliseconds; 0 to be answered at once.
    var waitMilliseconds: Int64 = 0
    var start = FeedStart.snapshot

    var waits: Bool { self.waitMilliseconds > 0 }

    /// - Parameter query: as it stands behind `?`; `nil` for none.
    /// - Throws: when there is another field, one stands twice, or the wait is out of bounds.
    init(_ query: String?) throws(APIFailure) {
        guard let query = HTTPQuery(query) else { throw .bad("the query cannot be decoded") }
        for name in query.names where name != "after" && name != "wait" {
            throw Problem(.unknownField, "\(name) is no field here", field: name).failure
        }
        for name in ["after", "wait"] where query.all(name).count > 1 {
            throw Problem(.invalidField, "\(name) stands twice", field: name).failure
        }
        if let text = query["wait"] {
            guard let seconds = Int64(text), Self.waitSeconds.contains(seconds) else {
                throw Problem(.invalidField, "wait must be a whole number from 0 to 30", field: "wait").failure
            }
            self.waitMilliseconds = seconds * 1_000
        }
        guard let text = query["after"] else { return }
        self.start = FeedCursor(text).map { .after($0) } ?? .unknown
    }
}
