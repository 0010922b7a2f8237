/// Options of a pull.
package struct PullOptions: Sendable {
    /// `https://api.example.com`; without a path.
    package var source: String
    /// ID of the app.
    package var app: String
    /// Master key of the app.
    package var masterKey: String
    /// Where it goes.
    package var folder: String
    /// Classes beside the usual ones.
    package var classes: [String] = []
    /// All classes that the source lists.
    package var allClasses = false
    /// The console's export of `_User`.
    package var users: String?
    /// True when files are fetched.
    package var files = true
    /// True when messages are fetched.
    package var messages = true
    /// The history of every conversation is asked for by itself too.
    package var everyConversation = false
    /// Requests in a second.
    package var rate = 10
    /// UTC milliseconds; messages before are left there.
    package var since: Int64 = 0
    /// How far back a later pull, and each hour of following, read again for edits and recalls.
    package var overlapHours = 48
    /// Goes on until somebody says stop.
    package var follow = false
    /// Pause between two rounds of following, seconds.
    package var followSeconds = 5
    /// Addresses of files in private networks are fetched too.
    package var privateFiles = false
    /// More certificate authorities than the system's, PEM.
    package var caFile: String?
    /// Files at the same time.
    package var fileThreads = 4

    package init(source: String, app: String, masterKey: String, folder: String) {
        self.source = source
        self.app = app
        self.masterKey = masterKey
        self.folder = folder
    }

    /// Classes that every pull has. Source: LeanCloud realtime guides; those of the last line are there for some apps only.
    static let usualClasses = [
        "_User", "_Conversation", "_Installation", "_File", "_Role", "_ConversationMemberInfo", "_Friendship",
        "_Followee",
        "_Follower", "_FriendshipRequest", "_SysMessage",
    ]

    /// Classes in the order in which they are pulled.
    ///
    /// - Parameter listed: what the source lists.
    func classNames(listed: [String] = []) -> [String] {
        var names: [String] = []
        for name in Self.usualClasses + self.classes + listed.sorted() where !names.contains(name) && Self.isClass(name)
        {
            names.append(name)
        }
        return names
    }

    /// Source: LeanCloud storage guide: letters, digits and underscores.
    package static func isClass(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
