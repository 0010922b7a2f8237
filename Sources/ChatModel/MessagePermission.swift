/// What decides whether someone may change a message: read by the writer inside the transaction, never from a copy.
package struct MessageFacts: Hashable, Sendable {
    package var authority: Authority
    package var kind: ConversationKind
    package var flags: ConversationFlags
    /// `nil` for someone who is no member.
    package var role: MemberRole?
    package var isAuthor: Bool
    /// Whether the person could send a message here now.
    package var maySend = true
    /// Since the message was sent; below 0 when the clock has stepped back.
    package var ageSeconds: Int64 = 0
    package var isRecalled = false
    package var isDeletedForAll = false
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

    /// What holds for every change that others see. `nil` for the business server and the operator, who need nothing
    /// of it.
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

    /// Whether a reaction may be added, or a message's attributes be set: by members who may also send.
    package func annotationRefusal() -> ActionRefusal? {
        if let refusal = self.commonRefusal() { return refusal }
        if self.isGone { return .alreadyGone }
        return self.isPrivileged || self.maySend ? nil : .mayNotSend
    }

    /// Whether a reaction may be cancelled: who was silenced meanwhile may still take back what they said.
    package func cancelRefusal() -> ActionRefusal? {
        if let refusal = self.commonRefusal() { return refusal }
        return self.isGone ? .alreadyGone : nil
    }

    /// Whether a message may be pinned or unpinned for everyone: by either of two people, elsewhere by managers and the
    /// owner.
    package func pinRefusal() -> ActionRefusal? {
        if let refusal = self.commonRefusal() { return refusal }
        if self.kind == .room { return .notApplicable }
        if self.isGone { return .alreadyGone }
        return self.isPrivileged || self.isDirect || self.isManager ? nil : .notManager
    }
}

extension MessageRules {
    /// Whether a message may be recalled: by its author inside the window, by managers and the owner, by the business
    /// server and the operator always.
    package func recallRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        facts.isGone ? self.withdrawalRefusal(facts) ?? .alreadyGone : self.withdrawalRefusal(facts)
    }

    /// Whether a message may be deleted for everyone: like recalling it; one that was recalled may still be deleted.
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

    /// Whether a message may be edited: by its author, who must still be allowed to send, inside the window.
    package func editRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        if let refusal = facts.commonRefusal() { return refusal }
        if facts.authority != .user { return facts.isGone ? .alreadyGone : nil }
        guard facts.isAuthor else { return .notAuthor }
        if facts.isGone { return .alreadyGone }
        guard facts.maySend else { return .mayNotSend }
        return facts.windowRefusal(facts.isDirect ? self.editInDirect : self.editInGroups)
    }

    /// Whether a member's reading of this message is recorded. Where not, it is skipped silently: clients report what
    /// is on the screen.
    package func readRefusal(_ facts: MessageFacts) -> ActionRefusal? {
        guard facts.role != nil else { return .notMember }
        if facts.kind == .room { return .notApplicable }
        if facts.isAuthor { return .ownMessage }
        if facts.isGone { return .alreadyGone }
        guard facts.receiptRequested else { return .notApplicable }
        return (facts.isDirect ? self.receiptsInDirect : self.receiptsInGroups) ? nil : .switchedOff
    }
}
