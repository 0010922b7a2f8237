/// Asker of a change, and the right it is done by.
package struct Actor: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Right that the action is done by.
    package var authority: Authority

    package init(_ user: UserID, authority: Authority = .user) {
        self.user = user
        self.authority = authority
    }

    /// Actor of an app's own server, which shows the app's master key.
    package static let application = Actor(.system, authority: .application)
    /// The operator, by the console or `ctl`.
    package static let `operator` = Actor(.system, authority: .operator)

    /// Needs no membership, no role and no window of time.
    package var isPrivileged: Bool { self.authority != .user }
}

/// Why a person may not change something. Found inside the transaction; each gateway says it in its own words.
package enum ActionRefusal: Hashable, Sendable {
    /// Nothing by that name, or nothing the person may know of.
    case noSuchConversation
    case noSuchMessage
    case noSuchUser
    case notMember
    /// Only who wrote the message may do this.
    case notAuthor
    /// Only managers and the owner may do this.
    case notManager
    case notOwner
    /// The time in which it is allowed, in seconds, has passed.
    case windowOver(seconds: Int64)
    /// Refused because people who may not send here (banned, blocked, muted) may not say anything in another way
    /// either.
    case mayNotSend
    /// The operator switched this off for this kind of conversation and this role.
    case switchedOff
    /// The message was recalled or deleted.
    case alreadyGone
    /// This cannot be done to such a conversation or message.
    case notApplicable
    /// Nobody acknowledges, or reports as read, what they wrote themselves.
    case ownMessage
    /// More than this many.
    case tooMany(limit: Int)
    /// Somebody changed it meanwhile: read it again.
    case changedMeanwhile
    case disbanded
    /// Nobody comes in here without being invited, or without being let in.
    case joiningClosed
    case alreadyMember
    /// The owner hands the group over first.
    case ownerMustTransfer
    case noSuchRequest
    /// It was answered or withdrawn, or has expired.
    case requestOver
    /// No such file or transfer, or nothing the person may know of.
    case noSuchFile
    /// It is still on its way.
    case fileIncomplete
    /// It is over: succeeded, failed or cancelled.
    case transferOver
    /// Messages or pictures refer to it.
    case fileInUse
    /// A legal hold keeps the person.
    case underHold
    case fileTooLong(limitBytes: Int64)
    /// All files of the person, or of everybody, together.
    case quotaReached(limitBytes: Int64)
    case tooManyUploads(limit: Int64)
    /// In the time that is counted.
    case uploadsTooFast(limit: Int64)
}

extension ActionRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchConversation: "there is no such conversation"
        case .noSuchMessage: "there is no such message"
        case .noSuchUser: "there is no such person"
        case .notMember: "only members may do this"
        case .notAuthor: "only who wrote the message may do this"
        case .notManager: "only managers and the owner may do this"
        case .notOwner: "only the owner may do this"
        case .windowOver(let seconds): "this may be done within \(seconds) seconds only"
        case .mayNotSend: "who may not send here may not do this either"
        case .switchedOff: "the operator has switched this off"
        case .alreadyGone: "the message was recalled or deleted"
        case .notApplicable: "this cannot be done here"
        case .ownMessage: "this cannot be done to a message of one's own"
        case .tooMany(let limit): "there can be \(limit) at most"
        case .changedMeanwhile: "it was changed meanwhile: read it again"
        case .disbanded: "the group was disbanded"
        case .joiningClosed: "this group does not take whoever wants to come in"
        case .alreadyMember: "already a member"
        case .ownerMustTransfer: "the owner has to hand the group over first"
        case .noSuchRequest: "there is no such request"
        case .requestOver: "the request was answered or withdrawn, or has expired"
        case .noSuchFile: "there is no such file"
        case .fileIncomplete: "the file is not complete"
        case .transferOver: "the transfer is over"
        case .fileInUse: "messages or pictures refer to the file"
        case .underHold: "a legal hold keeps this person: remove the hold first"
        case .fileTooLong(let limit): "a file has at most \(limit) bytes"
        case .quotaReached(let limit): "the files may have \(limit) bytes together: delete some first"
        case .tooManyUploads(let limit): "\(limit) uploads are open: finish or cancel one first"
        case .uploadsTooFast(let limit): "more than \(limit) were uploaded in a short time: try again later"
        }
    }
}

/// For how long after sending something may be done to a message.
package enum ActionWindow: Hashable, Sendable {
    case never
    case seconds(Int64)
    case always

    /// True when a message of this age, in seconds, is inside the window.
    package func contains(ageSeconds: Int64) -> Bool {
        switch self {
        case .never: false
        case .seconds(let seconds): ageSeconds <= seconds
        case .always: true
        }
    }
}

/// Rules of the operator for changes of messages, by kind of conversation and role.
package struct MessageRules: Hashable, Sendable {
    /// An author's own message in a direct conversation.
    package var recallInDirect = ActionWindow.seconds(120)
    /// An author's own message anywhere else.
    package var recallInGroups = ActionWindow.seconds(120)
    /// Messages of others, by managers and the owner.
    package var recallByManagers = ActionWindow.always
    /// Window for edits in direct conversations.
    package var editInDirect = ActionWindow.seconds(86_400)
    /// Window for edits in groups.
    package var editInGroups = ActionWindow.seconds(86_400)
    /// True when readers of a message are recorded if its sender asked for receipts.
    package var receiptsInDirect = true
    /// The same in groups.
    package var receiptsInGroups = true
    /// The only names that reactions may have; empty for every name that `Reaction.isPlain` takes.
    package var reactions: Set<String> = []

    package init() {}

    /// True when people may add a reaction of this name.
    package func allowsReaction(_ name: String) -> Bool {
        self.reactions.isEmpty ? Reaction.isPlain(name: name) : self.reactions.contains(name)
    }
}
