/// By whose right something is written. What a business server sends with its key, or the operator sends, needs no
/// membership.
package enum Authority: Int64, Sendable {
    case user = 0
    case application = 1
    case `operator` = 2
}

/// Why a message was not taken. Each door says it in its own words and numbers.
package enum PublishRefusal: Hashable, Sendable, CaseIterable {
    case senderDisabled
    case senderSendBanned
    case conversationBanned
    case conversationDisbanded
    /// Nothing by that name, or nothing the sender may know of.
    case noSuchConversation
    case noSuchUser
    /// On the deny list of the person or group.
    case blocked
    /// The person or group takes messages from a list only, and the sender is not on it.
    case notAllowlisted
    case notMember
    /// The same client token came before with another body.
    case tokenConflict
    case bodyTooLarge
    /// This kind of conversation is not served.
    case kindNotServed
}

/// What decides whether someone may send: read by the writer inside the transaction, never from a copy.
package struct PublishFacts: Sendable {
    package var authority: Authority
    package var kind: ConversationKind
    package var flags: ConversationFlags
    package var senderIsDisabled = false
    package var senderIsSendBanned = false
    package var senderIsMember = false
    /// Blocked by the other person, or on the group's deny list.
    package var senderIsBlocked = false
    /// The other person takes messages from the allow list only, or the group has one.
    package var allowlistIsInForce = false
    package var senderIsAllowlisted = false

    package init(authority: Authority, kind: ConversationKind, flags: ConversationFlags) {
        self.authority = authority
        self.kind = kind
        self.flags = flags
    }
}

/// Whether a message may be taken, and if not, why: the first reason in this order, which is WuKongIM's.
package func publishRefusal(_ facts: PublishFacts) -> PublishRefusal? {
    if facts.senderIsDisabled { return .senderDisabled }
    if facts.senderIsSendBanned { return .senderSendBanned }
    if facts.flags.contains(.banned) { return .conversationBanned }
    if facts.flags.contains(.disbanded) { return .conversationDisbanded }
    if facts.authority != .user { return nil }
    if facts.senderIsBlocked { return .blocked }
    switch facts.kind {
    case .direct:
        break
    case .room:
        if facts.flags.contains(.sendBanned) { return .conversationBanned }
    case .group, .temporary, .service, .customerService, .community, .communityTopic, .data, .visitors, .agent,
        .agentGroup:
        if !facts.senderIsMember { return .notMember }
        if facts.flags.contains(.sendBanned) { return .conversationBanned }
    }
    return facts.allowlistIsInForce && !facts.senderIsAllowlisted ? .notAllowlisted : nil
}
