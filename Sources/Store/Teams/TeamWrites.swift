package import ChatModel

extension WriteTransaction {
    /// Changes of teams and requests to join them.
    package var teams: TeamWrites { TeamWrites(transaction: self) }
}

/// Changes of teams and requests to join them. Valid as long as its transaction.
package struct TeamWrites {
    let transaction: WriteTransaction
}

// What makes a group a team: its form, its modes, and what it is told.
extension TeamWrites {
    // MARK: Making

    /// Makes a team. Its first members are not asked.
    ///
    /// - Throws: `refused`: `notApplicable` for what a team of this form does not have; `exists`; `notFound`; `invalid`
    ///   above a bound.
    package func create(_ name: ChannelName, _ new: NewTeam) throws(StoreError) -> ConversationID {
        var settings: TeamSettings = new.form == .normal ? .normal : .advanced
        settings.memberLimit = new.memberLimit
        let count = Set([new.owner] + new.members).subtracting([.system]).count
        try self.checkMemberLimit(new.memberLimit, memberCount: count)
        let id = try self.transaction.conversations.createChannel(
            .group, name, title: new.title, creator: new.owner, members: new.members, settings: settings, asTeam: true)
        var modes = new.modes
        if new.form == .advanced && modes.invite == nil { modes.invite = .managers }
        try self.setModes(of: id, modes, by: .operator)
        if let introduction = new.introduction { try self.setIntroduction(of: id, introduction, by: .operator) }
        return id
    }

    // MARK: Settings

    /// Changes who may do what in a team. Nothing is noted when all of it is as it was.
    ///
    /// - Returns: how many lines the team shows about it: one for all modes, one for who may write.
    /// - Throws: `refused`, and then nothing of it is changed; `notFound`.
    @discardableResult
    package func setModes(
        of id: ConversationID, _ patch: TeamModesPatch, by actor: Actor
    ) throws(StoreError) -> Int {
        var conversation = try self.transaction.knownConversation(id)
        for mode in patch.modes {
            conversation = try self.transaction.conversations.group(id, .setMode(mode), by: actor)
        }
        var settings = conversation.settings
        settings.apply(patch)
        var flags = conversation.flags
        if let invite = patch.invite { flags.inviteMode = invite }
        if let mute = patch.mute { flags.muteMode = mute }
        guard settings != conversation.settings || flags != conversation.flags else { return 0 }
        let changed = ConversationSetting.changed(conversation.settings, settings)
            .union(ConversationSetting.changed(conversation.flags, flags))
        if settings != conversation.settings { try self.write(settings, of: conversation) }
        try self.transaction.connection.run("UPDATE conversation SET flags = ? WHERE id = ?", flags.rawValue, id)
        conversation.flags = flags
        self.transaction.noteProfile(.team(id, .flags))
        try self.transaction.conversations.noteRevision(of: conversation, change: self.transaction.nextChange())
        try self.transaction.noteSettings(changed, in: conversation, by: actor.user)
        let mutes = changed.filter { if case .muteMode = $0 { true } else { false } }.count
        return mutes + (changed.count > mutes ? 1 : 0)
    }

    /// Sets how many members a team may have; `nil` for as many as the server allows.
    ///
    /// - Returns: whether anything changed.
    /// - Throws: `refused` for everybody but the operator and business servers; `invalid` outside of the bounds, or below
    ///   the number of members there are; `notFound`.
    @discardableResult
    package func setMemberLimit(of id: ConversationID, _ limit: Int?, by actor: Actor) throws(StoreError) -> Bool {
        let conversation = try self.transaction.conversations.group(id, .setMemberLimit, by: actor)
        try self.checkMemberLimit(limit, memberCount: conversation.roles.count)
        guard conversation.settings.memberLimit != limit else { return false }
        var settings = conversation.settings
        settings.memberLimit = limit
        try self.write(settings, of: conversation)
        try self.transaction.conversations.noteRevision(of: conversation, change: self.transaction.nextChange())
        try self.transaction.noteSettings([.memberLimit], in: conversation, by: actor.user)
        return true
    }

    private func checkMemberLimit(_ limit: Int?, memberCount: Int) throws(StoreError) {
        guard let limit else { return }
        let bounds =
            TeamBounds.smallestMemberLimit...max(TeamBounds.smallestMemberLimit, self.transaction.options.groupMembers)
        guard bounds.contains(limit) else {
            throw .invalid("the limit of members is \(bounds.lowerBound) to \(bounds.upperBound), not \(limit)")
        }
        guard memberCount <= limit else {
            throw .invalid("the team has \(memberCount) members already: \(limit) cannot be its limit")
        }
    }

    private func write(_ settings: TeamSettings, of conversation: ConversationState) throws(StoreError) {
        try self.transaction.connection.run(
            """
            UPDATE team SET join_mode = ?, be_invited_mode = ?, update_info_mode = ?, update_attributes_mode = ?,
                owner_leaving = ?, member_limit = ? WHERE conversation_id = ?
            """, settings.join.rawValue, settings.beInvited.rawValue, settings.updateInfo.rawValue,
            settings.updateAttributes.rawValue, settings.ownerLeaving.rawValue, settings.memberLimit, conversation.id)
        conversation.settings = settings
    }

    // MARK: What a team says of itself

    /// Sets what a team is about; `nil` or empty removes it.
    ///
    /// - Returns: whether anything changed.
    /// - Throws: `refused`; `notFound`; `invalid` when it is too long.
    @discardableResult
    package func setIntroduction(
        of id: ConversationID, _ text: String?, by actor: Actor
    ) throws(StoreError) -> Bool {
        let conversation = try self.transaction.conversations.group(id, .setIntroduction, by: actor)
        try WriteTransaction.check(scalars: text, TeamBounds.introductionScalars, "introduction")
        let text = text?.isEmpty == true ? nil : text
        guard try self.transaction.reading.teams.introduction(of: id) != text else { return false }
        try self.transaction.connection.run("UPDATE team SET introduction = ? WHERE conversation_id = ?", text, id)
        self.transaction.noteProfile(.team(id, .attributes))
        try self.transaction.conversations.noteRevision(of: conversation, change: self.transaction.nextChange())
        try self.transaction.noteSettings([.introduction], in: conversation, by: actor.user)
        return true
    }

    /// Tells a team something; it is shown until the next one comes. An empty body takes the last one away.
    ///
    /// - Returns: whether anything changed; not when there was nothing to take away.
    /// - Throws: `refused`; `notFound`; `invalid` when it is too long.
    @discardableResult
    package func announce(
        in id: ConversationID, title: String? = nil, _ body: String, by actor: Actor
    ) throws(StoreError) -> Bool {
        let conversation = try self.transaction.conversations.group(id, .announce, by: actor)
        try WriteTransaction.check(scalars: title, TeamBounds.announcementTitleScalars, "title of the announcement")
        try WriteTransaction.check(bytes: body, TeamBounds.announcementBytes, "announcement")
        if body.isEmpty, try self.transaction.reading.conversations.knownCard(of: id).notice == nil { return false }
        try self.insertAnnouncement(in: id, title: title?.isEmpty == true ? nil : title, body, by: actor.user)
        self.transaction.noteProfile(.team(id, .notice))
        try self.transaction.conversations.noteRevision(of: conversation, change: self.transaction.nextChange())
        try self.transaction.noteSettings([.notice(body)], in: conversation, by: actor.user)
        return true
    }

    func insertAnnouncement(
        in id: ConversationID, title: String?, _ body: String, by author: UserID
    ) throws(StoreError) {
        try self.transaction.connection.run(
            "INSERT INTO announcement (conversation_id, title, body, author_id, created_at) VALUES (?, ?, ?, ?, ?)", id,
            title, body, author, self.transaction.wallMilliseconds)
        try self.transaction.connection.run(
            """
            DELETE FROM announcement WHERE conversation_id = ?1 AND number <= (
                SELECT number FROM announcement WHERE conversation_id = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """, id, TeamBounds.announcements)
    }
}

extension TeamSettings {
    fileprivate mutating func apply(_ patch: TeamModesPatch) {
        self.join = patch.join ?? self.join
        self.beInvited = patch.beInvited ?? self.beInvited
        self.updateInfo = patch.updateInfo ?? self.updateInfo
        self.updateAttributes = patch.updateAttributes ?? self.updateAttributes
        self.ownerLeaving = patch.ownerLeaving ?? self.ownerLeaving
    }
}

extension Connection {
    func insertTeam(_ id: ConversationID, _ settings: TeamSettings) throws(StoreError) {
        try self.run(
            """
            INSERT INTO team (conversation_id, form, join_mode, be_invited_mode, update_info_mode,
                update_attributes_mode, owner_leaving, remove_mode, member_limit)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, id, settings.form.rawValue, settings.join.rawValue, settings.beInvited.rawValue,
            settings.updateInfo.rawValue, settings.updateAttributes.rawValue, settings.ownerLeaving.rawValue,
            settings.remove.rawValue, settings.memberLimit)
    }
}

extension ConversationSetting {
    /// The settings of which two states of a team differ.
    fileprivate static func changed(_ before: TeamSettings, _ after: TeamSettings) -> Set<ConversationSetting> {
        var settings: Set<ConversationSetting> = []
        if before.join != after.join { settings.insert(.joinMode) }
        if before.beInvited != after.beInvited { settings.insert(.inviteeMode) }
        if before.updateInfo != after.updateInfo { settings.insert(.updateMode) }
        if before.updateAttributes != after.updateAttributes { settings.insert(.attributesMode) }
        if before.ownerLeaving != after.ownerLeaving { settings.insert(.ownerLeaving) }
        if before.memberLimit != after.memberLimit { settings.insert(.memberLimit) }
        return settings
    }
}
