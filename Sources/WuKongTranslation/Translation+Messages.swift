package import Broker
package import ChatModel
import ContentTranslation
package import WuKongWire

/// Messages.
extension Translation {
    /// Kind of a content type. Types that mean the same in every dialect are the negative built-in ones inside; all
    /// others keep their number.
    package static func kind(contentType: Int) -> MessageKind { WuKongContentCodec.kind(contentType: contentType) }

    /// Most bytes of a topic. Source: none in WuKongIM; a string of its binary encoding has 32,767 at most.
    package static let maximumTopicBytes = 255

    /// The content of a message that a client of the JSON encoding sends.
    package static func accepted(_ parameters: SendParameters) throws(PayloadRefusal) -> MessageContent {
        try self.check(parameters.facts, from: .user)
        return self.content(
            payload: parameters.payload, parameters.facts, header: parameters.header, setting: parameters.setting,
            topic: parameters.topic, expire: parameters.expire)
    }

    /// The content of a message whose payload came from outside as bytes: every gateway makes it here, so that what is
    /// a command and what nobody can read for certain is decided in one place.
    ///
    /// - Parameter authority: of whoever wrote the payload. Only people are refused commands.
    package static func accepted(
        payload: [UInt8], header: WuKongHeader, setting: WuKongSetting, topic: String?, expire: UInt32,
        from authority: Authority
    ) throws(PayloadRefusal) -> MessageContent {
        let facts = PayloadFacts(of: payload)
        try self.check(facts, from: authority)
        return self.content(
            payload: payload, facts, header: header, setting: setting, topic: topic, expire: expire)
    }

    private static func check(_ facts: PayloadFacts, from authority: Authority) throws(PayloadRefusal) {
        if let fault = facts.fault { throw .unclear(fault) }
        if facts.isCommand, authority == .user { throw .command }
    }

    /// The content of a message that this server words itself. What comes from outside goes through `accepted`.
    package static func content(
        payload: [UInt8], header: WuKongHeader, setting: WuKongSetting, topic: String?, expire: UInt32
    ) -> MessageContent {
        self.content(
            payload: payload, PayloadFacts(of: payload), header: header, setting: setting, topic: topic,
            expire: expire)
    }

    private static func content(
        payload: [UInt8], _ facts: PayloadFacts, header: WuKongHeader, setting: WuKongSetting, topic: String?,
        expire: UInt32
    ) -> MessageContent {
        var content = MessageContent(
            kind: self.kind(contentType: facts.contentType),
            flags: self.flags(header: header, setting: setting, payloadIsJSONObject: facts.isJSONObject),
            wire: .wuKong, body: payload, expireSeconds: expire, topic: topic)
        content.mentions = self.mentions(all: facts.mentionsAll, uids: facts.mentionedUIDs)
        content.envelope = self.envelope(visibleTo: facts.visibleUIDs)
        return content
    }

    /// `nil` when everybody may see the message. Of a list in which nobody has a name that can exist, nobody may.
    private static func envelope(visibleTo uids: [String]) -> MessageEnvelope? {
        uids.isEmpty ? nil : MessageEnvelope(visibleTo: uids.compactMap { self.userName($0) })
    }

    private static func mentions(all: Bool, uids: [String]) -> Mentions {
        Mentions(all: all, users: uids.compactMap { self.userName($0) })
    }

    /// Flags for a sender's header and setting.
    package static func flags(
        header: WuKongHeader, setting: WuKongSetting, payloadIsJSONObject: Bool
    ) -> MessageFlags {
        var flags: MessageFlags = []
        if header.noPersist { flags.insert(.transient) }
        if header.redDot { flags.insert(.countsAsUnread) }
        if header.syncOnce { flags.insert(.syncOnce) }
        if setting.contains(.receipt) { flags.insert(.receiptRequested) }
        if setting.contains(.signal) { flags.insert(.endToEndEncrypted) }
        if setting.contains(.stream) { flags.insert(.stream) }
        if payloadIsJSONObject { flags.insert(.bodyIsJSONObject) }
        return flags
    }

    /// A message as one of its receivers is told it.
    ///
    /// In a person channel the receiver sees the sender as the channel; the sender's own other devices see the peer,
    /// and for them it does not count as unread. Source: WuKongIM server, fan-out of person channels.
    package static func received(_ delivery: Delivery, isOwn: Bool, isRepeat: Bool) -> ReceivedMessage {
        let sender = delivery.message.senderName
        let other = isOwn ? delivery.peerName ?? sender : sender
        return self.received(
            delivery.message, channelID: self.channelID(channel: delivery.channel, other: other),
            channelType: self.channelType(delivery.kind), isOwn: isOwn, isRepeat: isRepeat)
    }

    /// A message of a channel, as somebody sees it who knows the channel by this id.
    ///
    /// - Parameter isOwn: whether that is the sender.
    package static func received(
        _ message: Message, channelID: String, channelType: WuKongChannelType, isOwn: Bool, isRepeat: Bool = false
    ) -> ReceivedMessage {
        let content = self.shown(message.content)
        var header = self.header(of: content.flags)
        header.redDot = header.redDot && !isOwn
        header.dup = isRepeat
        let isWithdrawn = content.flags.contains(.withdrawn)
        return ReceivedMessage(
            header: header, setting: self.setting(of: content),
            messageID: self.messageID(message.id, shown: content.envelope?.shownID),
            sequence: message.sequence, timestampSeconds: message.sentAtMilliseconds / 1000, channelID: channelID,
            channelType: channelType, fromUID: self.senderUID(message.senderName), payload: self.payload(of: content),
            payloadIsJSONObject: isWithdrawn || content.flags.contains(.bodyIsJSONObject),
            clientMessageNumber: self.clientToken(of: message).map { String(decoding: $0.bytes, as: UTF8.self) },
            topic: self.topic(of: content), expire: content.expireSeconds)
    }

    /// Number by which clients know a message: of an imported one the number that it had at its source.
    package static func messageID(_ id: MessageID, shown: String?) -> Int64 {
        guard let shown, let number = Int64(shown), number > 0 else { return id.rawValue }
        return number
    }

    /// Client number of a message: of an imported one the number that it had at its source.
    package static func clientToken(of message: Message) -> ClientToken? {
        message.clientToken ?? message.content.envelope?.shownNumber.flatMap { ClientToken(Array($0.utf8)) }
    }

    /// The payload that receivers get.
    package static func payload(of content: MessageContent) -> [UInt8] {
        content.flags.contains(.withdrawn) ? WuKongContentCodec.withdrawnPayload : self.shown(content).body
    }

    /// A topic that came through another gateway may be longer than an SDK can be told.
    private static func topic(of content: MessageContent) -> String? {
        content.topic.flatMap { $0.utf8.count <= self.maximumTopicBytes ? $0 : nil }
    }

    /// Header that receivers get; `dup` is for the caller to set.
    package static func header(of flags: MessageFlags) -> WuKongHeader {
        WuKongHeader(
            noPersist: flags.contains(.transient), redDot: flags.contains(.countsAsUnread),
            syncOnce: flags.contains(.syncOnce))
    }

    /// Setting that receivers get, as far as it follows from the content.
    package static func setting(of content: MessageContent) -> WuKongSetting {
        var setting: WuKongSetting = []
        if content.flags.contains(.receiptRequested) { setting.insert(.receipt) }
        if content.flags.contains(.endToEndEncrypted) { setting.insert(.signal) }
        if self.topic(of: content) != nil { setting.insert(.topic) }
        // What stands in the place of a message that is gone was not written step by step.
        if content.flags.contains(.stream), content.flags.isDisjoint(with: [.withdrawn, .standIn]) {
            setting.insert(.stream)
        }
        return setting
    }
}

/// Why a payload is not taken.
package enum PayloadRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its readers would not agree on what it says.
    case unclear(PayloadFault)
    /// It is a command, which only servers send: who could send one might make other people's apps forget messages.
    case command

    /// Reason code on the wire.
    package var reason: WuKongReason {
        switch self {
        case .unclear: .payloadDecodeError
        case .command: .notAllowSend
        }
    }

    package var description: String {
        switch self {
        case .unclear(let fault): "the payload cannot be taken: \(fault)"
        case .command: "commands are sent with the manager's token only"
        }
    }
}
