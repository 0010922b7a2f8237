/// Signature by an app's own server: a client's proof that it may do one thing.
///
/// Source: LeanCloud realtime guide, "Signature": HMAC-SHA1 under the app's master key, in hexadecimal; `s`, `t` and
/// `n` of the commands.
package struct ActionSignature: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// 40 hexadecimal digits, in either case.
    package var signature: String
    /// When it was signed, in seconds or milliseconds since 1970: which of the two is seen from its size. Signed with
    /// the digits that were sent.
    package var timestamp: Int64
    /// Nonce, chosen by the signing server so that no two signatures are the same.
    package var nonce: String

    package init(signature: String, timestamp: Int64, nonce: String) {
        self.signature = signature
        self.timestamp = timestamp
        self.nonce = nonce
    }

    /// The time it was signed at, in milliseconds.
    package var signedAtMilliseconds: Int64 { Self.milliseconds(self.timestamp) }

    /// Below this a time is in seconds: the year 5138, or in milliseconds March 1973.
    private static let firstOfMilliseconds: Int64 = 100_000_000_000

    /// A time in seconds or milliseconds as milliseconds.
    static func milliseconds(_ timestamp: Int64) -> Int64 {
        (0..<Self.firstOfMilliseconds).contains(timestamp) ? timestamp * 1_000 : timestamp
    }

    package var description: String { "(a signature)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Action that a signature allows.
package enum SignedAction: Hashable, Sendable {
    case open(client: String)
    /// Creates a conversation.
    case start(client: String, members: [String])
    /// Adds others, or joins.
    case invite(client: String, conversation: String, members: [String])
    /// Removes others, or leaves.
    case kick(client: String, conversation: String, members: [String])
    case block(client: String, conversation: String, members: [String])
    case unblock(client: String, conversation: String, members: [String])
    /// Reads the history over HTTP.
    case history(client: String, conversation: String)

    /// The last field of what is signed where there is one, and the word for logs and metrics.
    package var word: String {
        switch self {
        case .open: "open"
        case .start: "start"
        case .invite: "invite"
        case .kick: "kick"
        case .block: "conversation-block-clients"
        case .unblock: "conversation-unblock-clients"
        case .history: "history"
        }
    }

    /// All words that this action may be signed with.
    private var words: [String] {
        switch self {
        case .invite(let client, _, let members): [self.word, "add"] + (members == [client] ? ["join"] : [])
        case .kick: [self.word, "remove"]
        case .open, .start, .block, .unblock, .history: [self.word]
        }
    }

    /// Client that the action is for.
    package var client: String {
        switch self {
        case .open(let client), .start(let client, _), .invite(let client, _, _), .kick(let client, _, _),
            .block(let client, _, _), .unblock(let client, _, _), .history(let client, _):
            client
        }
    }

    /// Everything that may be signed for this action. The first one is what the guide says today.
    ///
    /// The members of a new conversation are signed with its creator by one SDK and without by others. Of the history
    /// the guide's text and its sample have nonce and time the other way round. Older SDKs name other actions to the
    /// app's server: `join` and `add` for `invite`, `remove` for `kick`.
    func texts(appID: String, timestamp: String, nonce: String) -> [String] {
        let start = "\(appID):\(self.client)"
        switch self {
        case .open: return ["\(start)::\(timestamp):\(nonce)"]
        case .start(let client, let members):
            return Self.memberLists(members, creator: client).map { "\(start):\($0):\(timestamp):\(nonce)" }
        case .invite(_, let conversation, let members), .kick(_, let conversation, let members),
            .block(_, let conversation, let members), .unblock(_, let conversation, let members):
            let text = "\(start):\(conversation):\(Self.joined(members)):\(timestamp):\(nonce)"
            return self.words.map { "\(text):\($0)" }
        case .history(_, let conversation):
            return [
                "\(start):\(conversation):\(nonce):\(timestamp)", "\(start):\(conversation):\(timestamp):\(nonce)",
            ]
        }
    }

    private static func memberLists(_ members: [String], creator: String) -> [String] {
        let isCreator: (String) -> Bool = { $0.utf8.elementsEqual(creator.utf8) }
        let others = members.filter { !isCreator($0) }
        var lists = [Self.joined(members)]
        for list in [Self.joined(others), Self.joined(others + [creator])] where !lists.contains(list) {
            lists.append(list)
        }
        return lists
    }

    /// Ascending by bytes, with colons between.
    private static func joined(_ members: [String]) -> String {
        members.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: ":")
    }
}

/// Verdict on a signature.
package enum SignatureVerdict: Hashable, Sendable {
    case valid
    /// There is none.
    case missing
    /// It was made with another key, or for something else.
    case wrong
    /// It is right, and signed too long ago, or too far ahead of this server's clock.
    case expired
    /// It is right, and was used before for the same.
    case replayed
}
