package import ChatModel

// One person's view of one conversation: only members have one.
extension InboxWrites {
    /// Changes a person's view of a conversation.
    ///
    /// - Returns: the change number; that of the last change when nothing changed.
    /// - Throws: `refused`: `notMember`, or `notApplicable` for a choice of alerts that such a conversation does not have;
    ///   `notFound`; `invalid` above a bound or for settings that are no JSON object.
    @discardableResult
    package func setPreference(
        _ user: UserID, in id: ConversationID, _ patch: PreferencePatch
    ) throws(StoreError) -> Int64 {
        let conversation = try self.viewable(id, by: user)
        let form = conversation.kind == .group ? conversation.settings.form : nil
        if let alerts = patch.alerts, !TeamAlerts.choices(in: form).contains(alerts) { throw .refused(.notApplicable) }
        let before = try self.transaction.reading.inbox.preference(of: user, in: id)
        let after = try self.patched(before, patch, head: conversation.head)
        guard after != before else { return before.change }
        try self.ensurePreference(user, id)
        let change = self.transaction.nextChange()
        try self.transaction.connection.run(
            """
            UPDATE preference SET pinned = ?, muted = ?, saved = ?, remark = ?, draft = ?, browse_to = ?,
                keep_sequence = ?, keep_offset = ?, extra_version = ?, settings = ?, change = ?
            WHERE user_id = ? AND conversation_id = ?
            """, after.isPinned, after.alerts.stored, after.isSaved, after.remark, after.draft, after.browseTo,
            after.keepSequence, after.keepOffset, patch.changesExtra ? change : before.extraVersion,
            after.settings.map { String(decoding: $0, as: UTF8.self) }, change, user, id)
        if after.remark != before.remark { self.transaction.noteProfile(.teamRemark(by: user, of: id)) }
        if patch.changesExtra { try self.transaction.noteOwn(.place, of: user, in: conversation) }
        if after.differsInSettings(from: before) { try self.transaction.noteOwn(.settings, of: user, in: conversation) }
        return change
    }

    private func patched(
        _ before: ConversationPreference, _ patch: PreferencePatch, head: Int64
    ) throws(StoreError) -> ConversationPreference {
        try WriteTransaction.check(scalars: patch.remark, ConversationBounds.remarkScalars, "remark")
        try WriteTransaction.check(bytes: patch.draft, ConversationBounds.draftBytes, "draft")
        var after = before
        after.isPinned = patch.isPinned ?? before.isPinned
        if let alerts = patch.alerts {
            after.alerts = alerts
        } else if let isSilenced = patch.isSilenced, isSilenced != before.isSilenced {
            after.alerts = isSilenced ? .none : .all
        }
        after.isSaved = patch.isSaved ?? before.isSaved
        WriteTransaction.set(&after.remark, patch.remark)
        WriteTransaction.set(&after.draft, patch.draft)
        after.browseTo = max(0, min(patch.browseTo ?? before.browseTo, head))
        after.keepSequence = max(0, min(patch.keepSequence ?? before.keepSequence, head))
        after.keepOffset = patch.keepOffset ?? before.keepOffset
        if let mergePatch = patch.settingsMergePatch {
            after.settings = try WriteTransaction.merged(
                before.settings, mergePatch, ConversationBounds.settingsBytes, "settings")
        }
        return after
    }

    /// Takes a conversation out of a person's list until there is a later message. Who puts it away has seen what was
    /// there: it counts as read.
    ///
    /// - Throws: `refused(.notMember)`, `notFound`.
    package func hideConversation(_ user: UserID, _ id: ConversationID) throws(StoreError) {
        let conversation = try self.viewable(id, by: user)
        try self.transaction.noteOwn(.hidden, of: user, in: conversation)
        try self.markRead(user, in: id, upTo: conversation.head)
        try self.ensurePreference(user, id)
        try self.transaction.connection.run(
            "UPDATE preference SET hidden_through = ?, change = ? WHERE user_id = ? AND conversation_id = ?",
            conversation.head, self.transaction.nextChange(), user, id)
    }

    /// Puts a hidden conversation back.
    ///
    /// - Throws: `refused(.notMember)`, `notFound`.
    package func showConversation(_ user: UserID, _ id: ConversationID) throws(StoreError) {
        _ = try self.viewable(id, by: user)
        try self.transaction.connection.run(
            """
            UPDATE preference SET hidden_through = NULL, change = ?
            WHERE user_id = ? AND conversation_id = ? AND hidden_through IS NOT NULL
            """, self.transaction.nextChange(), user, id)
    }

    /// Takes the history up to and including `sequence` away from this person: it counts as read, and they are not
    /// shown it any more. Nobody else notices.
    ///
    /// - Returns: where the cleared part ends now; it only rises, and ends at the head.
    /// - Throws: `refused(.notMember)`, `notFound`.
    @discardableResult
    package func clearHistory(
        _ user: UserID, in id: ConversationID, through sequence: Int64
    ) throws(StoreError) -> Int64 {
        let conversation = try self.viewable(id, by: user)
        let before = try self.transaction.reading.inbox.preference(of: user, in: id).clearedThrough
        let target = try self.transaction.standing(at: sequence, in: conversation)
        guard target > before else { return before }
        try self.transaction.noteOwn(.cleared, of: user, in: conversation)
        try self.markRead(user, in: id, upTo: target)
        try self.ensurePreference(user, id)
        try self.transaction.connection.run(
            "UPDATE preference SET cleared_through = ?, change = ? WHERE user_id = ? AND conversation_id = ?", target,
            self.transaction.nextChange(), user, id)
        // What is gone is not delivered any more either.
        try self.transaction.connection.run(
            "UPDATE delivered SET sequence = ?1 WHERE user_id = ?2 AND conversation_id = ?3 AND sequence < ?1", target,
            user, id)
        return target
    }

    func ensurePreference(_ user: UserID, _ id: ConversationID) throws(StoreError) {
        try self.transaction.connection.run(
            "INSERT OR IGNORE INTO preference (user_id, conversation_id, change) VALUES (?, ?, ?)", user, id,
            self.transaction.nextChange())
    }

    private func viewable(_ id: ConversationID, by user: UserID) throws(StoreError) -> ConversationState {
        let conversation = try self.transaction.knownConversation(id)
        guard conversation.roles[user] != nil else { throw .refused(.notMember) }
        return conversation
    }
}

extension ConversationPreference {
    fileprivate func differsInSettings(from other: ConversationPreference) -> Bool {
        self.isPinned != other.isPinned || self.alerts != other.alerts || self.isSaved != other.isSaved
            || self.remark != other.remark || self.settings != other.settings
    }
}
