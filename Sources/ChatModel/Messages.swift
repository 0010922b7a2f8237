/// The protocol a message came from; the numbers are stored. The same wire gets its bytes back exactly.
package enum WireFormat: Int64, Sendable {
    /// Our own clients, `ctl`, the system.
    case native = 0
    case wuKong = 1
    case leanCloud = 2
}

/// Switches of a message; the bits are stored.
package struct MessageFlags: OptionSet, Hashable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Never stored, never redelivered, no sequence; acknowledged when routed.
    package static let transient = MessageFlags(rawValue: 1)
    /// Counts as unread for those who have not read it (WuKongIM redDot).
    package static let countsAsUnread = MessageFlags(rawValue: 2)
    /// To be consumed once, by one device (WuKongIM syncOnce).
    package static let syncOnce = MessageFlags(rawValue: 4)
    /// The sender asked for receipts.
    package static let receiptRequested = MessageFlags(rawValue: 8)
    /// The body is one JSON object: a wire that can carry JSON as it is may do so.
    package static let bodyIsJSONObject = MessageFlags(rawValue: 16)
    /// The body is encrypted between the clients (WuKongIM signal).
    package static let endToEndEncrypted = MessageFlags(rawValue: 32)
    /// Recalled or deleted for everyone: the body is empty, and each gateway says so in its own words.
    package static let withdrawn = MessageFlags(rawValue: 64)
    /// The word list has changed the body: it is not as it was sent.
    package static let masked = MessageFlags(rawValue: 128)
    /// The body is no text (LeanCloud's binary messages).
    package static let binary = MessageFlags(rawValue: 256)
    /// For its sender and those in `MessageEnvelope.visibleTo` only. Set by the store when it takes the message, so
    /// that it stays what it was when the conversation becomes another kind.
    package static let restricted = MessageFlags(rawValue: 512)
    /// Stands in the place of a message that this reader is shown otherwise or not at all. Never stored.
    package static let standIn = MessageFlags(rawValue: 1024)
    /// Nothing is shown of the message whose place this is; a gateway whose protocol needs no sequences leaves it out.
    /// Never stored.
    package static let unseen = MessageFlags(rawValue: 2048)
    /// Written step by step while people watch (WuKongIM stream).
    package static let stream = MessageFlags(rawValue: 4096)
    /// Flags that no sender can set.
    package static let ofTheServer: MessageFlags = [.restricted, .standIn, .unseen]
}

/// Kind of a message; negative numbers are built in, positive ones custom, 0 stands for none.
package struct MessageKind: Hashable, Sendable {
    package var rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let none = MessageKind(rawValue: 0)
    package static let text = MessageKind(rawValue: -1)
    package static let image = MessageKind(rawValue: -2)
    package static let audio = MessageKind(rawValue: -3)
    package static let video = MessageKind(rawValue: -4)
    package static let location = MessageKind(rawValue: -5)
    package static let file = MessageKind(rawValue: -6)
}

extension MessageContent {
    /// True when apps carry the message out instead of showing it. Source: WuKongIM's SDKs, content type 99 CMD; in
    /// other protocols the number is free.
    package var isCommand: Bool { self.wire == .wuKong && self.kind.rawValue == 99 }
}

/// People whom a message calls by name: each of them who is a member gets a reminder.
package struct Mentions: Hashable, Sendable {
    /// True when everybody is mentioned.
    package var all: Bool
    /// People mentioned by name.
    package var users: [UserName]

    package init(all: Bool = false, users: [UserName] = []) {
        self.all = all
        self.users = users
    }

    /// Value without an entry.
    package static let none = Mentions()
    /// True when there is none.
    package var isEmpty: Bool { !self.all && self.users.isEmpty }
}

/// Fields of a message beside its body, for the translations. A class, because nearly every message has none.
package final class MessageEnvelope: Hashable, Sendable {
    /// Calls everyone by name.
    package let mentionsAll: Bool
    /// People mentioned by name.
    package let mentions: [UserName]
    /// Most names in `visibleTo`; those that follow are passed over.
    package static let maximumVisibleTo = 500

    /// Only these and the sender may see the message; everybody when `nil`. Of no effect between two people.
    package let visibleTo: [UserName]?
    /// JSON text for notifications outside, as it was sent.
    package let pushData: String?
    /// The id that its protocol shows instead of one of ours: of a will, which was promised before it was sent, and of
    /// what was imported.
    package let shownID: String?
    /// Client number that its sender gave it at the server that it was imported from.
    package let shownNumber: String?

    package init(
        mentionsAll: Bool = false, mentions: [UserName] = [], visibleTo: [UserName]? = nil, pushData: String? = nil,
        shownID: String? = nil, shownNumber: String? = nil
    ) {
        self.mentionsAll = mentionsAll
        self.mentions = mentions
        self.visibleTo = visibleTo.map { Array($0.prefix(Self.maximumVisibleTo)) }
        self.pushData = pushData
        self.shownID = shownID
        self.shownNumber = shownNumber
    }

    /// True when there is none.
    package var isEmpty: Bool {
        !self.mentionsAll && self.mentions.isEmpty && self.visibleTo == nil && self.pushData == nil
            && self.shownID == nil && self.shownNumber == nil
    }

    /// The same for these people only, or for everybody.
    package func visible(to names: [UserName]?) -> MessageEnvelope {
        MessageEnvelope(
            mentionsAll: self.mentionsAll, mentions: self.mentions, visibleTo: names, pushData: self.pushData,
            shownID: self.shownID, shownNumber: self.shownNumber)
    }

    package static func == (left: MessageEnvelope, right: MessageEnvelope) -> Bool {
        left === right
            || left.mentionsAll == right.mentionsAll && left.mentions == right.mentions
                && left.visibleTo == right.visibleTo && left.pushData == right.pushData
                && left.shownID == right.shownID && left.shownNumber == right.shownNumber
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.mentionsAll)
        hasher.combine(self.mentions)
        hasher.combine(self.visibleTo)
        hasher.combine(self.pushData)
        hasher.combine(self.shownID)
        hasher.combine(self.shownNumber)
    }
}

/// Content as the sender gives it; the store adds id, sequence and time.
package struct MessageContent: Hashable, Sendable {
    /// Kind of the message.
    package var kind: MessageKind
    /// Flags of the message.
    package var flags: MessageFlags
    /// Protocol that it came by.
    package var wire: WireFormat
    /// The sender's bytes, unchanged.
    package var body: [UInt8]
    /// Seconds after which clients hide it; 0 is never. Carried, not acted on.
    package var expireSeconds: UInt32
    /// Carried, not acted on (WuKongIM topic). At most 255 bytes.
    package var topic: String?
    /// Read from the body by the gateway it came through; not stored beside it.
    package var mentions = Mentions.none
    /// Stored beside the body.
    package var envelope: MessageEnvelope?
    /// Names of files in the body refer to them. False for what the server words itself out of texts that people chose:
    /// a title with the name of a file must not open it to a group. Not stored.
    package var namesFiles = true

    package init(
        kind: MessageKind, flags: MessageFlags, wire: WireFormat, body: [UInt8], expireSeconds: UInt32 = 0,
        topic: String? = nil
    ) {
        self.kind = kind
        self.flags = flags
        self.wire = wire
        self.body = body
        self.expireSeconds = expireSeconds
        self.topic = topic
    }
}

/// A message with what the store gave it. A class, because one message is shared by every delivery of it.
package final class Message: Sendable {
    /// Conversation concerned.
    package let conversation: ConversationID
    /// Position in the conversation, from 1; 0 for a transient message.
    package let sequence: Int64
    /// Identifies the message.
    package let id: MessageID
    /// Sender.
    package let sender: UserID
    /// Name of the sender.
    package let senderName: UserName
    /// UTC milliseconds; never falls within a conversation.
    package let sentAtMilliseconds: Int64
    /// Sender's key for spotting a resend; `nil` for none.
    package let clientToken: ClientToken?
    /// Content of the message or command.
    package let content: MessageContent

    package init(
        conversation: ConversationID, sequence: Int64, id: MessageID, sender: UserID, senderName: UserName,
        sentAtMilliseconds: Int64, clientToken: ClientToken?, content: MessageContent
    ) {
        self.conversation = conversation
        self.sequence = sequence
        self.id = id
        self.sender = sender
        self.senderName = senderName
        self.sentAtMilliseconds = sentAtMilliseconds
        self.clientToken = clientToken
        self.content = content
    }

    /// Message without its body, as it is shown after it was recalled or deleted for everyone.
    package var withdrawn: Message {
        var content = self.content
        content.flags = content.flags.union(.withdrawn).subtracting(.bodyIsJSONObject)
        content.body = []
        return self.saying(content)
    }

    /// The same message with something else in it.
    package func saying(_ content: MessageContent) -> Message {
        Message(
            conversation: self.conversation, sequence: self.sequence, id: self.id, sender: self.sender,
            senderName: self.senderName, sentAtMilliseconds: self.sentAtMilliseconds, clientToken: self.clientToken,
            content: content)
    }
}
