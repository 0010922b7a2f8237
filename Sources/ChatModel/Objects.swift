/// A conversation as LeanCloud's apps ask for it.
package struct NewObject: Sendable {
    /// Form.
    package enum Form: Hashable, Sendable {
        /// A group of its own each time.
        case normal
        /// The one conversation of exactly these people; of two it is their direct one.
        case unique
        /// Gone after so many seconds; while it lives it is the only one of exactly these people, unless another one is wanted
        /// beside it.
        case temporary(seconds: Int64, beside: Bool = false)
        /// A chat room, which nobody is a member of.
        case room
        /// A system conversation, which people subscribe to.
        case service

        /// A conversation by the switches of a request, of which SDKs set more than one: a room beats a temporary
        /// conversation, and that one a unique one.
        ///
        /// Source: the C# SDK, `LCIMConversationController.cs`, sends `unique` with rooms and temporary conversations unless
        /// told otherwise; the Java SDK, `LCIMClient.java`, with temporary ones; the JavaScript SDK 5, `im-client.js`, with
        /// all it makes but rooms. Of a temporary one the Swift SDK, `IMClient.swift`, says nothing and finds the living one;
        /// the JavaScript SDK 4 says that it is not unique, which its next version mends.
        ///
        /// - Parameter isUnique: `nil` when the request does not say.
        package init(isRoom: Bool, isTemporary: Bool, isUnique: Bool?, temporarySeconds: Int64) {
            self =
                if isRoom {
                    .room
                } else if isTemporary {
                    .temporary(seconds: temporarySeconds, beside: isUnique == false)
                } else {
                    isUnique == true ? .unique : .normal
                }
        }
    }

    /// Form of the value.
    package var form: Form
    /// Person who created it.
    package var creator: UserID
    /// The others; the creator is one of them in any case, but in a room and a service.
    package var members: [UserName]
    /// Title; `nil` for none.
    package var title: String?
    /// JSON text of an object.
    package var attributes: [UInt8]?
    /// JSON text of an object: what an app keeps beside name and attributes.
    package var fields: [UInt8]?
    /// True when unknown people are added.
    package var makesPeople: Bool
    /// The name of a new one; `nil` for one that nobody can guess.
    package var objectID: ObjectID?

    package init(
        _ form: Form, creator: UserID, members: [UserName] = [], title: String? = nil, attributes: [UInt8]? = nil,
        fields: [UInt8]? = nil, makesPeople: Bool = true, objectID: ObjectID? = nil
    ) {
        self.form = form
        self.creator = creator
        self.members = members
        self.title = title
        self.attributes = attributes
        self.fields = fields
        self.makesPeople = makesPeople
        self.objectID = objectID
    }
}

/// Bounds of what LeanCloud's apps make.
package enum ObjectBounds {
    /// Members of a temporary conversation. Source: LeanCloud realtime guide, temporary conversations.
    package static let temporaryMembers = 10
    /// How long a temporary conversation lives when nothing is said. Source: the same.
    package static let temporarySeconds: Int64 = 86_400
    /// The longest life of one. Source: the same.
    package static let longestTemporarySeconds: Int64 = 30 * 86_400
    /// Bytes of an app's own fields beside name and attributes, as JSON text.
    package static let fieldsBytes = ConversationBounds.attributesBytes
    /// People in one request about members.
    package static let peoplePerRequest = 500
    /// People of one request that makes a conversation: more than any `limits.group_members`, which is what refuses.
    package static let peoplePerCreation = 100_000
}

/// Why somebody was not added, removed, silenced or blocked, when others were.
package enum PersonRefusal: Hashable, Sendable {
    /// Nobody has this name, and nobody is made.
    case unknown
    /// May not come back.
    case blocked
    case notMember
    /// Refused because the other person's rank is not below the asker's.
    case outranked
    /// There would be no owner any more.
    case ownerStays
}

/// Outcome of a request about several people.
package struct PeopleOutcome: Hashable, Sendable {
    /// For whom it is as asked now, also where it was before.
    package var done: [UserName] = []
    /// People for whom it failed.
    package var failed: [Failure] = []
    /// When the conversation changed last, UTC milliseconds.
    package var updatedAtMilliseconds: Int64 = 0

    /// Person for whom it failed.
    package struct Failure: Hashable, Sendable {
        /// Name.
        package var name: String
        /// Reason of the refusal.
        package var refusal: PersonRefusal

        package init(_ name: String, _ refusal: PersonRefusal) {
            self.name = name
            self.refusal = refusal
        }
    }

    package init() {}
}
