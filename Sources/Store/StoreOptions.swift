package import ChatModel
package import Diagnostics
package import Execution
package import MessageLog

/// How a batch becomes durable and is then told to everyone. Tests replace it to prove that they notice the wrong order.
package typealias CommitHook =
    @Sendable (_ commit: () throws(StoreError) -> Void, _ publish: () -> Void) throws(StoreError) -> Void

/// Options of a store. Every bound has its unit in the name or in its line.
package struct StoreOptions: Sendable {
    /// The data folder; made when it is missing.
    package var folder: String
    /// Requests that may wait; one more is refused as busy.
    package var queueRequests = 4_096
    /// Bytes of message bodies that may wait; more is refused as busy.
    package var queueBytes = 16 * 1024 * 1024
    /// How long a client token is remembered.
    package var tokenDays = 30
    /// A file that is given up when the disk is full, so that deleting and reading positions still can be written.
    package var ballastBytes: Int64 = 64 * 1024 * 1024
    /// Messages are refused as `full` while the disk has less free than this.
    package var stopWritingFreeBytes: Int64 = 256 * 1024 * 1024
    /// Size of the write-ahead log at which a commit is followed by a checkpoint that does not wait for readers.
    package var checkpointLogBytes: Int64 = 4 * 1024 * 1024
    /// Bytes of free pages that stay on the disk for what is written next; above twice as many their blocks are given back.
    package var freeBytesKept: Int64 = 16 * 1024 * 1024
    /// Most members of a group.
    package var groupMembers = 500
    /// Most listeners of a conversation.
    package var listeners = 100_000
    /// Most entries of one of a person's lists, or of one list of a conversation.
    package var listEntries = 2_000
    /// Rules for changes that people make to messages after they were sent.
    package var rules = MessageRules()
    /// How many characters people read of a message. Called for long bodies where their length in characters is bounded, on
    /// the writer's thread.
    package var readableCharacters: @Sendable (MessageContent) -> Int = { content in
        String(decoding: content.body, as: UTF8.self).unicodeScalars.count
    }
    /// Kinds of content in a message. Called where only some are allowed, on the writer's thread.
    package var contentKinds: @Sendable (MessageContent) -> Set<ContentKind> = { $0.kind == .text ? [.text] : [] }
    /// A message of a registered kind with what the server has to say in it, where it goes; `nil` to leave it. On the
    /// writer's thread.
    package var completed: @Sendable (MessageContent, MessageKindEntry, ConversationKind) -> [UInt8]? = { _, _, _ in
        nil
    }
    /// Words the lines that groups show about changes; `nil` for none.
    package var systemMessages: SystemMessageWording?
    /// The texts of a message that people read, for rules with words.
    package var readableTexts: ReceiveFilter.Texts = { content in [String(decoding: content.body, as: UTF8.self)] }
    /// Members see what was said before they joined.
    package var showsBeforeJoining = true
    /// Direct conversations, groups and rooms are deleted in which nothing was said and nothing changed for so long; 0 for
    /// never.
    package var inactiveDays = 0
    /// Rules by which messages and attachments go for their age and number.
    package var retention = RetentionRules()
    /// How long reminders are kept, done or not.
    package var reminderDays = 180
    /// Commands kept for those who are away; the oldest go first.
    package var commands: Int64 = ConversationBounds.commands
    /// Sign-in tokens one person may hold; a new one replaces the one seen longest ago.
    package var tokensPerUser = 64
    /// People the writer keeps in memory.
    package var cachedUsers = 20_000
    /// Conversations the writer keeps in memory.
    package var cachedConversations = 10_000
    /// Memberships, over all conversations, the writer keeps in memory: about 32 bytes each.
    package var cachedMembers = 262_144
    /// Client tokens the writer keeps in memory before it indexes them together; at most about twice as many at a time,
    /// 56 bytes each.
    package var recentTokens = 32_768
    /// Bounds of files and uploads.
    package var files = FileLimits()
    /// Threads that read, besides the one that is kept for sign-ins.
    package var readers = 2
    /// Reads that may wait; one more is refused as busy.
    package var queuedReads = 4_096
    /// Puts each stored message into the queue of events for outside receivers, too.
    package var queuesHooks = false
    /// Clock of the store.
    package var clock = Clock.system
    /// The operator says that the wall clock is right, whatever it says.
    package var trustsClock = false
    /// Log of the store.
    package var log = Log.silent
    /// Acknowledges messages from the log of the server, which the database follows. False writes each batch to the database.
    package var acknowledgesFromLog = true
    /// Bytes that applying the log may write, for which room is there; `nil` for half of the reserve file (`ballastBytes`),
    /// without which nothing is acknowledged from the log.
    package var logRoomBytes: Int?
    /// Records of the log that are applied together, in one transaction.
    package var logAppliedRecords = 16_000
    /// Records of them that are applied between two batches at least: about a millisecond's work.
    package var logSliceRecords = 256
    /// The log is applied only when it has to be, as for a read. For tests.
    package var appliesOnlyWhenAsked = false
    /// The disk below the log, in place of the folder's. For tests.
    package var logDisk: (@Sendable (_ path: String) throws(LogError) -> any LogDisk)?
    /// Opens a folder whose write-ahead log, or log of the server, is damaged, without what came after the damage.
    package var acceptsDamagedLog = false
    /// Called before a start gives a database a newer schema; when it throws, the database stays as it is and the start is
    /// refused.
    package var beforeUpgrade: (@Sendable (SchemaUpgrade) throws(StoreError) -> Void)?
    /// SQLite's `synchronous`: FULL. Only a test server that is meant to lose messages passes another.
    package var synchronous = "FULL"
    /// `nil` for the usual order. Where it is set nothing is acknowledged from the log: the hook is of commits.
    package var commitHook: CommitHook?

    package init(folder: String) { self.folder = folder }

    /// True when messages may be acknowledged from the log, as far as the options say.
    var usesLog: Bool {
        self.acknowledgesFromLog && self.commitHook == nil && (self.logRoomBytes != nil || self.ballastBytes > 0)
    }
}
