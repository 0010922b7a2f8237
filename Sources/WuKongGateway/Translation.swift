import Accounts
import Broker
import ChatModel
import WuKongWire

/// WuKongIM's words and numbers for what the house says, and the other way round. Pure.
enum Translation {
    /// Characters that WuKongIM uses to build its own ids, so that no uid or channel id may hold them.
    /// Source: WuKongIM server, checks of CONNECT and of /message/send.
    static func isReserved(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "&") }
    }

    static func userName(_ uid: String) -> UserName? { self.isReserved(uid) ? nil : UserName(uid) }

    static func deviceClass(_ flag: Int) -> DeviceClass? {
        switch flag {
        case 0: .app
        case 1: .web
        case 2: .desktop
        default: nil
        }
    }

    /// - Returns: `nil` for a channel type that is not served.
    static func address(channelID: String, type: Int) -> ConversationAddress? {
        switch WuKongChannelType(rawValue: UInt8(clamping: type)) {
        case .person: self.userName(channelID).map { .direct($0) }
        case .group: self.isReserved(channelID) ? nil : ChannelName(channelID).map { .channel(.group, $0) }
        default: nil
        }
    }

    static func channelType(_ kind: ConversationKind) -> WuKongChannelType {
        switch kind {
        case .direct: .person
        case .group: .group
        case .room: .live
        case .temporary: .temporary
        case .service: .info
        case .customerService: .customerService
        case .community: .community
        case .communityTopic: .communityTopic
        case .data: .data
        case .visitors: .visitors
        case .agent: .agent
        case .agentGroup: .agentGroup
        }
    }

    /// The content types that mean the same in every dialect are the negative built-in ones inside; all others keep
    /// their number.
    static func kind(contentType: Int) -> MessageKind {
        switch contentType {
        case 1: .text
        case 2: .image
        case 4: .audio
        case 5: .video
        case 6: .location
        case 8: .file
        default: MessageKind(rawValue: Int32(clamping: max(0, contentType)))
        }
    }

    static func reason(_ outcome: PublishOutcome) -> WuKongReason {
        switch outcome {
        case .accepted: .success
        case .refused(let refusal): self.reason(refusal)
        case .rateLimited, .busy: .rateLimit
        case .full: .systemError
        }
    }

    private static func reason(_ refusal: PublishRefusal) -> WuKongReason {
        switch refusal {
        case .senderDisabled, .conversationBanned: .ban
        case .senderSendBanned: .sendBan
        case .conversationDisbanded: .disband
        case .noSuchConversation, .noSuchUser: .channelNotExist
        case .blocked: .inBlacklist
        case .notAllowlisted: .notInWhitelist
        case .notMember: .subscriberNotExist
        case .membersMuted, .muted, .tokenConflict, .bodyTooLarge: .notAllowSend
        case .kindNotServed: .notSupportChannelType
        }
    }

    /// A message as one of its receivers is told it.
    ///
    /// In a person channel the receiver sees the sender as the channel; the sender's own other devices see the peer, and
    /// for them it does not count as unread. Source: WuKongIM server, fan-out of person channels.
    static func received(_ delivery: Delivery, isOwn: Bool, isRepeat: Bool) -> ReceivedMessage {
        let message = delivery.message
        let content = message.content
        let channelID =
            delivery.channel?.text ?? (isOwn ? delivery.peerName ?? message.senderName : message.senderName).text
        return ReceivedMessage(
            header: WuKongHeader(
                noPersist: content.flags.contains(.transient),
                redDot: content.flags.contains(.countsAsUnread) && !isOwn,
                syncOnce: content.flags.contains(.syncOnce), dup: isRepeat),
            setting: self.setting(of: content), messageID: message.id.rawValue, sequence: message.sequence,
            timestampSeconds: message.sentAtMilliseconds / 1000, channelID: channelID,
            channelType: self.channelType(delivery.kind), fromUID: message.senderName.text, payload: content.body,
            payloadIsJSONObject: content.flags.contains(.bodyIsJSONObject),
            clientMessageNumber: message.clientToken.map { String(decoding: $0.bytes, as: UTF8.self) },
            topic: content.topic, expire: content.expireSeconds)
    }

    private static func setting(of content: MessageContent) -> WuKongSetting {
        var setting: WuKongSetting = []
        if content.flags.contains(.receiptRequested) { setting.insert(.receipt) }
        if content.flags.contains(.endToEndEncrypted) { setting.insert(.signal) }
        if content.topic != nil { setting.insert(.topic) }
        return setting
    }
}
