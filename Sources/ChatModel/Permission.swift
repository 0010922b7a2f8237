/// By whose right something is written. What a business server sends with its key, or the operator sends, needs no
/// membership.
package enum Authority: Int64, Sendable {
    case user = 0
    case application = 1
    case `operator` = 2
}

/// Why a message was not taken. Each gateway says it in its own words and numbers.
package enum PublishRefusal: Hashable, Sendable {
    case senderDisabled
    case senderSendBanned
    case conversationBanned
    /// Closed like a banned one, but people may still read (WuKongIM `send_ban` of a channel).
    case conversationSendBanned
    case conversationDisbanded
    /// Nothing by that name, or nothing the sender may know of.
    case noSuchConversation
    case noSuchUser
    /// On the deny list of the person or group.
    case blocked
    /// The person or group takes messages from a list only, and the sender is not on it.
    case notAllowlisted
    case notMember
    /// Only managers and the owner may send just now, or they neither.
    case membersMuted
    /// This member may not send for a while.
    case muted
    /// The same client token came before with another body.
    case tokenConflict
    case bodyTooLarge
    /// The operator has set that people of this role only read here.
    case inputDisabled
    /// More characters than the operator has set for this role here.
    case textTooLong
    /// Content of a kind that the operator does not let this role send here.
    case contentNotAllowed
    /// This kind of conversation is not served.
    case kindNotServed
    /// The text names a file that the sender cannot see.
    case noSuchFile
    /// The text names a file that is still on its way.
    case fileIncomplete
    /// It is a command for apps, which people do not give.
    case commandNotAllowed
    /// The text has a word that the operator does not allow.
    case wordNotAllowed
    /// The app's own server refused it, with a number and a text of its own for the sender.
    case byHook(code: Int64?, detail: String?)
}

extension PublishRefusal: CaseIterable {
    /// Every reason, in order.
    package static let allCases: [PublishRefusal] = [
        .senderDisabled, .senderSendBanned, .conversationBanned, .conversationSendBanned, .conversationDisbanded,
        .noSuchConversation, .noSuchUser, .blocked, .notAllowlisted, .notMember, .membersMuted, .muted, .tokenConflict,
        .bodyTooLarge, .inputDisabled, .textTooLong, .contentNotAllowed, .kindNotServed, .noSuchFile, .fileIncomplete,
        .wordNotAllowed, .commandNotAllowed, .byHook(code: nil, detail: nil),
    ]
}

/// Facts that decide whether someone may send: read by the writer inside the transaction, never from a copy.
package struct PublishFacts: Sendable {
    /// Right that the action is done by.
    package var authority: Authority
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Flags of the conversation.
    package var flags: ConversationFlags
    /// True when the sender's account is disabled.
    package var senderIsDisabled = false
    /// True when the sender is banned from sending.
    package var senderIsSendBanned = false
    /// An account of the server or its robots.
    package var senderIsSystem = false
    /// The other one of a direct conversation is such an account.
    package var receiverIsSystem = false
    /// A member; in a room, a listener.
    package var senderIsMember = false
    /// A manager or the owner.
    package var senderIsManager = false
    /// A manager has muted them, and the time is not over.
    package var senderIsMuted = false
    /// Blocked by the other person, or on the group's deny list.
    package var senderIsBlocked = false
    /// The other person takes messages from the allow list only, or the group has one.
    package var allowlistIsInForce = false
    /// True when the sender is on the allow list.
    package var senderIsAllowlisted = false
    /// The operator has set that people of the sender's role only read here.
    package var inputIsDisabled = false
    /// The text has more characters than the operator has set for the sender's role here.
    package var textIsTooLong = false
    /// The content is of a kind that the operator does not let the sender's role send here.
    package var contentIsNotAllowed = false
    /// The message is a command for apps.
    package var isCommand = false

    package init(authority: Authority, kind: ConversationKind, flags: ConversationFlags) {
        self.authority = authority
        self.kind = kind
        self.flags = flags
    }
}

extension ConversationKind {
    /// True when a ban or a disbanding stops messages. Source: WuKongIM server 2.2.5, permission of a channel: types 3,
    /// 6, 10 and 11 are not asked.
    fileprivate var canBeClosed: Bool {
        switch self {
        case .customerService, .service, .visitors, .agent: false
        case .direct, .group, .room, .temporary, .community, .communityTopic, .data, .agentGroup: true
        }
    }
}

/// Refusal of a message; `nil` when it may be taken. The first reason in this order, which is WuKongIM's.
package func publishRefusal(_ facts: PublishFacts) -> PublishRefusal? {
    if facts.senderIsDisabled { return .senderDisabled }
    if facts.senderIsSendBanned { return .senderSendBanned }
    if facts.kind.canBeClosed {
        if facts.flags.contains(.banned) { return .conversationBanned }
        // The server itself says in a group that it is over.
        let isLastWord = facts.authority == .operator && facts.senderIsSystem
        if facts.flags.contains(.disbanded) && !isLastWord { return .conversationDisbanded }
    }
    if facts.authority != .user || facts.senderIsSystem { return nil }
    if facts.isCommand { return .commandNotAllowed }
    if facts.kind == .direct && facts.receiverIsSystem { return nil }
    if facts.senderIsBlocked { return .blocked }
    if facts.kind != .direct {
        guard facts.senderIsMember else { return .notMember }
        if let refusal = silence(facts) { return refusal }
    }
    if facts.allowlistIsInForce && !facts.senderIsAllowlisted { return .notAllowlisted }
    if facts.inputIsDisabled { return .inputDisabled }
    if facts.contentIsNotAllowed { return .contentNotAllowed }
    return facts.textIsTooLong ? .textTooLong : nil
}

/// Refusal because of a mute.
private func silence(_ facts: PublishFacts) -> PublishRefusal? {
    if facts.flags.contains(.sendBanned) { return .conversationSendBanned }
    if facts.senderIsMuted { return .muted }
    if facts.flags.contains(.everyoneMuted) { return .membersMuted }
    return facts.flags.contains(.membersMuted) && !facts.senderIsManager ? .membersMuted : nil
}
