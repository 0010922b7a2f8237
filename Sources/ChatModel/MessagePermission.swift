/// Facts that decide whether someone may change a message: read by the writer inside the transaction, never from a
/// copy.
package struct MessageFacts: Hashable, Sendable {
    /// Right that the action is done by.
    package var authority: Authority
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Flags of the conversation.
    package var flags: ConversationFlags
    /// `nil` for someone who is no member.
    package var role: MemberRole?
    /// True when the person sent the message.
    package var isAuthor: Bool
    /// True when the person could send a message here now.
    package var maySend = true
    /// Since the message was sent; below 0 when the clock has stepped back.
    package var ageSeconds: Int64 = 0
    /// True when recalled.
    package var isRecalled = false
    /// True when deleted for everyone.
    package var isDeletedForAll = false
    /// True when the sender asked for receipts.
    package var receiptRequested = false

    package init(
        authority: Authority, kind: ConversationKind, flags: ConversationFlags = [], role: MemberRole?, isAuthor: Bool
    ) {
        self.authority = authority
        self.kind = kind
        self.flags = flags
        self.role = role
        self.isAuthor = isAuthor
    }

    private var isPrivileged: Bool { self.authority != .user }
    fileprivate var isGone: Bool { self.isRecalled || self.isDeletedForAll }
    /// Over the messages of others. Two people who talk to each other have no manager.
    fileprivate var isManager: Bool { self.kind != .direct && (self.role == .manager || self.role == .owner) }
    fileprivate var isDirect: Bool { self.kind == .direct }

    /// Refusal of every change that others see. `nil` for the business server and the operator, whom no rule binds.
    fileprivate func commonRefusal() -> ActionRefusal? {
        if self.isPrivileged { return nil }
        // A room has no members: there an author stays one.
        if self.role == nil && !(self.kind == .room && self.isAuthor) { return .notMember }
        return self.flags.contains(.disbanded) ? .disbanded : nil
    }

    fileprivate func windowRefusal(_ window: ActionWindow) -> ActionRefusal? {
        switch window {
        case .never: .switchedOff
        case .seconds(let seconds): window.contains(ageSeconds: self.ageSeconds) ? nil : .windowOver(seconds: seconds)
        case .always: nil
        }
    }

    // MARK: What needs no rule of the operator's

    /// Refusal to add a reaction or set a message's attributes; `nil` for members who may also send.
    package func annotationRefusal() -> ActionRefusal? {
        if let refusal = self.commonRefusal() { return refusal }
        if self.isGone { return .alreadyGone }
        return self.isPrivileged || self.maySend ? nil : .mayNotSend
    }

    /// Refusal to cancel a reaction; people who were muted meanwhile may still take back what they said.
    package func cancelRefusal() -> ActionRefusal? {
        if let refusal = self.commonRefusal() { return refusal }
        return self.isGone ? .alreadyGone : nil
    }

    /// Refusal to pin or unpin a message for everyone; `nil` for either of two people, elsewhere for managers and the
    /// owner.
    package func pinRefusal() -> ActionRefusal? {
        if let refusal = self.commonRefusal() { return refusal }
        if self.kind == .room { return .notApplicable }
        if self.isGone { return .alreadyGone }
        return self.isPrivileged || self.isDirect || self.isManager ? nil : .notManager
    }
}

extension MessageRules {
    /// Refusal to recall a message; `nil` for its author inside the window, for managers and the owner, for the
    /// business server and the operator always.
    package func recallRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        facts.isGone ? self.withdrawalRefusal(facts) ?? .alreadyGone : self.withdrawalRefusal(facts)
    }

    /// Refusal to delete a message for everyone: like recalling it; a recalled one may still be deleted.
    package func deletionRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        facts.isDeletedForAll ? self.withdrawalRefusal(facts) ?? .alreadyGone : self.withdrawalRefusal(facts)
    }

    private func withdrawalRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        if let refusal = facts.commonRefusal() { return refusal }
        if facts.authority != .user { return nil }
        let asManager = facts.isManager ? facts.windowRefusal(self.recallByManagers) : .notAuthor
        guard facts.isAuthor, asManager != nil else { return asManager }
        return facts.windowRefusal(facts.isDirect ? self.recallInDirect : self.recallInGroups)
    }

    /// Refusal to edit a message; `nil` for its author, who must still be allowed to send, inside the window.
    package func editRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        if let refusal = facts.commonRefusal() { return refusal }
        if facts.authority != .user { return facts.isGone ? .alreadyGone : nil }
        guard facts.isAuthor else { return .notAuthor }
        if facts.isGone { return .alreadyGone }
        guard facts.maySend else { return .mayNotSend }
        return facts.windowRefusal(facts.isDirect ? self.editInDirect : self.editInGroups)
    }

    /// Refusal to record a member's reading of this message. A refused one is skipped silently: clients report what is
    /// on the screen.
    package func readRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        guard facts.role != nil else { return .notMember }
        if facts.kind == .room { return .notApplicable }
        if facts.isAuthor { return .ownMessage }
        if facts.isGone { return .alreadyGone }
        guard facts.receiptRequested else { return .notApplicable }
        return (facts.isDirect ? self.receiptsInDirect : self.receiptsInGroups) ? nil : .switchedOff
    }
}
