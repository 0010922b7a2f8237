package import ChatModel

/// One message for the writer.
package struct Append: Sendable {
    /// Sender of the message.
    package var sender: UserID
    package var authority: Authority
    /// Conversation to store it in.
    package var address: ConversationAddress
    /// `nil` switches deduplication off for this message.
    package var clientToken: ClientToken?
    /// Content of the message.
    package var content: MessageContent
    /// The caller's own mark, returned with the outcome.
    package var ticket: UInt64
    /// Audit entry, written in the transaction that stores the message; `nil` for messages of people.
    package var note: AppendNote?
    /// Result of screening the text; `nil` when nothing was found.
    package var screening: AppendScreening?

    package init(
        sender: UserID, authority: Authority, address: ConversationAddress, clientToken: ClientToken?,
        content: MessageContent, ticket: UInt64
    ) {
        self.sender = sender
        self.authority = authority
        self.address = address
        self.clientToken = clientToken
        self.content = content
        self.ticket = ticket
    }
}

/// Audit entry of a message; on the heap, because nearly every message has none.
package final class AppendNote: Sendable {
    package let note: AuditNote

    package init(_ note: AuditNote) { self.note = note }
}

/// Result of screening a message; on the heap, because nearly every message has none.
package final class AppendScreening: Sendable {
    /// Why it is not to be taken. A message that was taken before is, so that a resend gets the first answer.
    package let refusal: PublishRefusal?
    /// The body as it was sent, for knowing a resend again.
    package let sentBody: [UInt8]
    /// Watched words that it has: they go into a log with its place.
    package let flagged: [String]

    package init(refusal: PublishRefusal?, sentBody: [UInt8], flagged: [String]) {
        self.refusal = refusal
        self.sentBody = sentBody
        self.flagged = flagged
    }
}

/// Result of an `Append`, known once the transaction is on disk.
package enum AppendResult: Sendable {
    /// Taken. A transient message has sequence 0 and was not written.
    case accepted(Accepted)
    /// Not taken; nothing was written.
    case refused(PublishRefusal)
    /// Not taken; nothing was written; the same request may succeed later.
    case failed(StoreError)
}

/// A message that was taken.
package struct Accepted: Sendable {
    package var message: Message
    package var kind: ConversationKind
    /// The app's name of the conversation; `nil` for a direct one.
    package var channel: ChannelName?
    /// `zero` for a transient message to someone one has never written to.
    package var objectID: ObjectID
    /// Everyone in the conversation, the sender included. The array is shared, not copied, between messages.
    package var members: [UserID]
    /// For a direct conversation, the name of the one who is not the sender.
    package var peerName: UserName?
    /// The client token was seen before: `message` is the first one, and nobody is to get it again.
    package var isDuplicate: Bool
    /// Users who got a reminder because the message mentions them by name.
    package var reminded: [UserID] = []
    /// Users who may see a restricted message: its sender and the listed names that the server knows. `nil` when
    /// everybody may.
    package var audience: Set<UserID>?

    package init(
        message: Message, kind: ConversationKind, channel: ChannelName?, objectID: ObjectID, members: [UserID],
        peerName: UserName?, isDuplicate: Bool
    ) {
        self.message = message
        self.kind = kind
        self.channel = channel
        self.objectID = objectID
        self.members = members
        self.peerName = peerName
        self.isDuplicate = isDuplicate
    }
}

/// One outcome, with the caller's mark.
package struct AppendOutcome: Sendable {
    package var ticket: UInt64
    package var result: AppendResult

    package init(ticket: UInt64, result: AppendResult) {
        self.ticket = ticket
        self.result = result
    }
}

/// Failures of the store, beside the refusals of the domain.
package enum StoreError: Error, Hashable, Sendable {
    /// The queue is full. Nothing was written; ask again.
    case busy
    /// The store is stopping or was stopped. Nothing was written.
    case unavailable
    /// No room on the disk. Nothing was written; reading works; writing works again when room returns.
    case full
    /// The disk or the database failed: what was asked may or may not be there. The server stops.
    case fatal(String)
    /// The thing named does not exist.
    case notFound(String)
    /// The thing named exists already.
    case exists(String)
    /// The request breaks a rule; the text says which.
    case invalid(String)
    /// The actor may not do this.
    case refused(ActionRefusal)
    /// Another process holds the data folder.
    case alreadyRunning(String)
    /// The database was written by a newer teahouse.
    case schemaTooNew(found: Int, supported: Int)
    /// A row of the log of events cannot be read.
    case unreadableEvent(number: Int64, EventRowFault)
}

extension StoreError {
    /// Part of the writer's work that a failure ends.
    enum Reach: Sendable {
        /// The request that met it, and no other.
        case request
        /// The batch: it can be asked for again.
        case batch
        /// Every write until there is room on the disk.
        case disk
        /// The server.
        case server
    }

    /// Part of the writer's work that the failure ends.
    var reach: Reach {
        switch self {
        case .fatal: .server
        case .full: .disk
        case .busy: .batch
        case .unavailable, .notFound, .exists, .invalid, .refused, .alreadyRunning, .schemaTooNew, .unreadableEvent:
            .request
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .busy: "the server is busy: nothing was written, ask again in a second"
        case .unavailable: "the store is stopping: nothing was written, ask again when the server is back"
        case .full:
            "no space left on the disk: nothing was written, reading still works; free some room and teahouse goes on by itself"
        case .fatal(let text): "the disk or the database failed: \(text)"
        case .notFound(let what): "\(what) does not exist"
        case .exists(let what): "\(what) exists already"
        case .invalid(let text): text
        case .refused(let refusal): refusal.description
        case .alreadyRunning(let folder):
            "another teahouse is running on \(folder): stop it first, or choose another folder with --data"
        case .schemaTooNew(let found, let supported):
            """
            the database has schema \(found), this teahouse knows up to \(supported): run the newer teahouse, or restore \
            the backup made before the upgrade
            """
        case .unreadableEvent(let number, let fault):
            """
            event number \(number) of the log of events cannot be read: \(fault); `teahouse verify` lists all of them, and \
            each goes when the log is \(EventLogBounds.days) days older
            """
        }
    }
}
