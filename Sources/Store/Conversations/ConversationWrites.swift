import ByteCodec
package import ChatModel

extension WriteTransaction {
    /// Changes of conversations and their members.
    package var conversations: ConversationWrites { ConversationWrites(transaction: self) }
}

/// Changes of conversations and their members. Valid as long as its transaction.
package struct ConversationWrites {
    let transaction: WriteTransaction
}

extension ConversationWrites {
    // MARK: Making

    /// Makes a conversation of any kind but a direct one. `creator` becomes its owner, except in a room, which has no
    /// member list. A visitor's and an agent's conversation has the people of its name among its members.
    ///
    /// - Parameters:
    ///   - name: the app's name for it; unique within the kind.
    ///   - objectID: `nil` for a new one.
    ///   - settings: of a group; of no meaning for other kinds.
    ///   - asTeam: the team is told of its making.
    /// - Throws: `exists`; `notFound` for an unknown person; `invalid` for a direct conversation (those make
    ///   themselves), members of a room, or more members than `groupMembers`.
    @discardableResult
    package func createChannel(
        _ kind: ConversationKind, _ name: ChannelName, objectID: ObjectID? = nil, title: String? = nil, creator: UserID,
        members: [UserID] = [], settings: TeamSettings = .open, asTeam: Bool = false
    ) throws(StoreError) -> ConversationID {
        try WriteTransaction.check(scalars: title, ConversationBounds.titleScalars, "title")
        let key = ChannelKey(kind: kind, name: name)
        let named = try self.transaction.memory.people(of: key) ?? []
        let people = try self.checkedMembers(of: kind, creator: creator, named + members)
        if try self.transaction.memory.conversation(key) != nil {
            throw .exists("conversation \(name)")
        }
        return try self.insert(
            key, objectID ?? ObjectID(atMilliseconds: self.transaction.wallMilliseconds), title: title,
            creator: creator,
            people: people, settings: settings, expiresAt: nil, asTeam: asTeam
        ).id
    }

    /// Makes a conversation that was checked. `creator` is the owner when among the people.
    func insert(
        _ key: ChannelKey, _ objectID: ObjectID, title: String?, creator: UserID, people: [UserID],
        settings: TeamSettings, expiresAt: Int64?, asTeam: Bool = false
    ) throws(StoreError) -> ConversationState {
        let change = self.transaction.nextChange()
        let now = self.transaction.wallMilliseconds
        try self.transaction.connection.run(
            """
            INSERT INTO conversation (kind, channel, title, creator_id, member_count, change, active_at, created_at,
                foreign_id, updated_at, expires_at, revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, key.kind.rawValue, key.name, title, creator, people.count, change, now, now, objectID, now, expiresAt,
            self.transaction.memory.sequenceFloor)
        let made = ConversationState(
            id: ConversationID(rawValue: self.transaction.connection.lastInsertedID), kind: key.kind,
            objectID: objectID,
            channel: key.name, pair: nil, creator: creator, revision: self.transaction.memory.sequenceFloor,
            activeAt: now, updatedAt: now, expiresAt: expiresAt)
        if key.kind == .group {
            try self.transaction.connection.insertTeam(made.id, settings)
            made.settings = settings
        }
        self.transaction.memory.remember(made)
        // Who came with the owner was brought by the owner.
        let inviter = people.contains(creator) ? creator : nil
        for person in people {
            let role: MemberRole = person == creator ? .owner : .member
            try self.transaction.connection.insertMember(
                person, role, into: made, change: change, at: now, inviter: person == creator ? nil : inviter)
            self.transaction.memory.add(person, role, to: made)
        }
        self.transaction.noteProfile(.team(made.id, .existence))
        if key.kind != .room {
            try self.transaction.noteChange(
                .created(try self.transaction.names(people), asTeam: asTeam), in: made, by: creator)
        }
        return made
    }

    private func checkedMembers(
        of kind: ConversationKind, creator: UserID, _ members: [UserID]
    ) throws(StoreError) -> [UserID] {
        guard kind != .direct else { throw .invalid("a direct conversation is made by its first message") }
        _ = try self.transaction.knownUser(creator)
        guard kind != .room else {
            guard members.isEmpty else { throw .invalid("a room has no member list") }
            return []
        }
        // The system makes conversations for others and is not one of them.
        let people = (creator == .system ? [] : [creator]) + members
        let unique = WriteTransaction.withoutRepeats(people)
        try self.checkMemberCount(unique.count)
        for person in unique { _ = try self.transaction.knownUser(person) }
        return unique
    }

    /// The direct conversation of two people, or of one with themselves; made when missing.
    ///
    /// - Throws: `notFound`.
    package func ensureDirect(_ one: UserID, _ other: UserID) throws(StoreError) -> ConversationID {
        _ = try self.transaction.knownUser(one)
        _ = try self.transaction.knownUser(other)
        let pair = DirectPair(one, other)
        if let known = try self.transaction.memory.conversation(pair) { return known.id }
        return try self.transaction.connection.create(
            .direct(pair), creator: one, at: self.transaction.wallMilliseconds, change: self.transaction.nextChange(),
            memory: self.transaction.memory
        ).id
    }

    /// Makes a channel for a business server, or changes it when it exists. Members of a room become its listeners.
    ///
    /// - Throws: `notFound` for an unknown person; `invalid` for a direct conversation and above a bound.
    @discardableResult
    package func upsertChannel(
        _ kind: ConversationKind, _ name: ChannelName, _ patch: ChannelPatch
    ) throws(StoreError) -> (id: ConversationID, isNew: Bool) {
        if let known = try self.transaction.memory.conversation(ChannelKey(kind: kind, name: name)) {
            try self.apply(patch, to: known, by: .system)
            return (known.id, false)
        }
        var rest = patch
        let members = kind == .room ? [] : patch.members ?? []
        if kind != .room { rest.members = nil }
        let id = try self.createChannel(kind, name, creator: patch.creator ?? .system, members: members)
        try self.apply(rest, to: try self.transaction.knownConversation(id), by: .system)
        return (id, true)
    }

    // MARK: The card

    /// Changes what a conversation shows, its switches and, for a business server or the operator, its members.
    /// Nothing is noted when all of it is as it was.
    ///
    /// - Returns: whether anything changed.
    /// - Throws: `refused`; `notFound`; `invalid` above a bound or for attributes that are no JSON object.
    @discardableResult
    package func updateInfo(
        of id: ConversationID, _ patch: ChannelPatch, by actor: Actor
    ) throws(StoreError) -> Bool {
        var conversation = try self.transaction.knownConversation(id)
        for action in Self.actions(patch) { conversation = try self.group(id, action, by: actor) }
        if !actor.isPrivileged {
            let flags = patch.setFlags.union(patch.clearedFlags)
            guard flags.isSubset(of: .changeableByManagers), patch.members == nil else {
                throw .refused(.notApplicable)
            }
        }
        return try self.apply(patch, to: conversation, by: actor.user)
    }

    /// Team actions that a change of the card needs.
    private static func actions(_ patch: ChannelPatch) -> [TeamAction] {
        var actions: [TeamAction] = []
        if patch.notice != nil { actions.append(.announce) }
        if patch.attributesMergePatch != nil { actions.append(.updateAttributes) }
        let flags = patch.setFlags.union(patch.clearedFlags)
        if !flags.isDisjoint(with: [.membersMuted, .everyoneMuted]) { actions.append(.setMode(.mute)) }
        if flags.contains(.invitationsNeedConsent) { actions.append(.setMode(.invite)) }
        if patch.title != nil || patch.logo != nil || actions.isEmpty { actions.append(.updateInfo) }
        return actions
    }

    @discardableResult
    private func apply(
        _ patch: ChannelPatch, to conversation: ConversationState, by author: UserID
    ) throws(StoreError) -> Bool {
        let cardHasChanged = try self.applyCard(patch, to: conversation, by: author)
        guard let members = patch.members else { return cardHasChanged }
        let id = conversation.id
        var changed: [UserID] = []
        switch (conversation.kind, patch.resetsMembers) {
        case (.room, true): changed = try self.setListeners(members, of: id).users
        case (.room, false): changed = try self.addListeners(members, to: id).users
        case (_, true):
            let stay = Set(members)
            let gone = conversation.roles.keys.filter { !stay.contains($0) }
            changed = try self.removeMembers(gone.sorted(), from: id).users
            changed += try self.addMembers(members, to: id).users
        case (_, false): changed = try self.addMembers(members, to: id).users
        }
        return cardHasChanged || !changed.isEmpty
    }

    private func applyCard(
        _ patch: ChannelPatch, to conversation: ConversationState, by author: UserID
    ) throws(StoreError) -> Bool {
        let before = try self.transaction.reading.conversations.knownCard(of: conversation.id)
        var after = before
        try WriteTransaction.check(scalars: patch.title, ConversationBounds.titleScalars, "title")
        try WriteTransaction.check(bytes: patch.logo, ConversationBounds.logoBytes, "picture's address")
        try WriteTransaction.check(bytes: patch.notice, ConversationBounds.noticeBytes, "notice")
        WriteTransaction.set(&after.title, patch.title)
        WriteTransaction.set(&after.logo, patch.logo)
        WriteTransaction.set(&after.notice, patch.notice)
        if let mergePatch = patch.attributesMergePatch {
            after.attributes = try WriteTransaction.merged(
                after.attributes, mergePatch, ConversationBounds.attributesBytes, "attributes")
        }
        // One switch of the two says who is muted.
        var cleared = patch.clearedFlags
        if patch.setFlags.contains(.membersMuted) { cleared.insert(.everyoneMuted) }
        if patch.setFlags.contains(.everyoneMuted) { cleared.insert(.membersMuted) }
        let flags = conversation.flags.union(patch.setFlags).subtracting(cleared)
        guard after != before || flags != conversation.flags else { return false }
        try self.transaction.connection.run(
            "UPDATE conversation SET title = ?, logo = ?, attributes = ?, flags = ? WHERE id = ?",
            after.title, after.logo, after.attributes.map { String(decoding: $0, as: UTF8.self) }, flags.rawValue,
            conversation.id)
        if after.attributes != before.attributes {
            try self.transaction.apps.keepFiles(
                of: conversation.id, by: author == .system ? .application : Actor(author))
        }
        if after.logo != before.logo {
            try self.transaction.people.letGoOfPicture(
                .conversation(conversation.id, isSmall: false), unlessAt: after.logo ?? "")
        }
        if after.notice != before.notice {
            try self.transaction.teams.insertAnnouncement(
                in: conversation.id, title: nil, after.notice ?? "", by: author)
        }
        self.transaction.noteProfile(
            .team(conversation.id, Self.changed(before, after, flags: flags != conversation.flags)))
        let switched = ConversationSetting.changed(conversation.flags, flags)
        conversation.flags = flags
        try self.noteRevision(of: conversation, change: self.transaction.nextChange())
        if let modified = Self.modified(before, after) {
            try self.transaction.noteChange(.card(modified: modified, asked: nil), in: conversation, by: author)
        }
        try self.transaction.noteSettings(Self.settings(before, after).union(switched), in: conversation, by: author)
        return true
    }

    /// Changed parts of a card, under the names that LeanCloud's apps know; `nil` when none of theirs changed.
    private static func modified(_ before: ConversationCard, _ after: ConversationCard) -> [UInt8]? {
        var members: [JSONValue.Member] = []
        if after.title != before.title { members.append(JSONValue.Member("name", .string(after.title ?? ""))) }
        if after.attributes != before.attributes {
            let attributes = after.attributes.flatMap { try? JSONValue(parsing: $0) }
            members.append(JSONValue.Member("attr", attributes ?? .object([])))
        }
        return members.isEmpty ? nil : JSONValue.object(members).serialized()
    }

    /// Changed settings of a card, beside the parts that LeanCloud's apps know.
    private static func settings(_ before: ConversationCard, _ after: ConversationCard) -> Set<ConversationSetting> {
        var settings: Set<ConversationSetting> = []
        if after.logo != before.logo { settings.insert(.picture) }
        if after.notice != before.notice { settings.insert(.notice(after.notice ?? "")) }
        return settings
    }

    private static func changed(
        _ before: ConversationCard, _ after: ConversationCard, flags: Bool
    ) -> ProfileFields {
        var fields: ProfileFields = flags ? .flags : []
        if after.title != before.title { fields.insert(.name) }
        if after.logo != before.logo { fields.insert(.picture) }
        if after.notice != before.notice { fields.insert(.notice) }
        if after.attributes != before.attributes { fields.insert(.attributes) }
        return fields
    }

    /// - Throws: `notFound`.
    package func setFlags(
        _ flags: ConversationFlags, of id: ConversationID, by actor: Actor = .operator
    ) throws(StoreError) {
        let conversation = try self.transaction.knownConversation(id)
        let switched = ConversationSetting.changed(conversation.flags, flags)
        try self.transaction.connection.run("UPDATE conversation SET flags = ? WHERE id = ?", flags.rawValue, id)
        conversation.flags = flags
        self.transaction.noteProfile(.team(id, .flags))
        try self.noteRevision(of: conversation, change: self.transaction.nextChange())
        try self.transaction.noteSettings(switched, in: conversation, by: actor.user)
    }

    /// - Throws: `notFound`; `invalid` when it is too long.
    package func setTitle(_ title: String?, of id: ConversationID) throws(StoreError) {
        let conversation = try self.transaction.knownConversation(id)
        try WriteTransaction.check(scalars: title, ConversationBounds.titleScalars, "title")
        try self.transaction.connection.run("UPDATE conversation SET title = ? WHERE id = ?", title, id)
        self.transaction.noteProfile(.team(id, .name))
        try self.noteRevision(of: conversation, change: self.transaction.nextChange())
        let modified = JSONValue.object([JSONValue.Member("name", .string(title ?? ""))]).serialized()
        try self.transaction.noteChange(.card(modified: modified, asked: nil), in: conversation, by: .system)
    }

    /// The group is over: nobody sends any more, and its members keep the history.
    ///
    /// - Throws: `refused`; `notFound`.
    package func disband(_ id: ConversationID, by actor: Actor) throws(StoreError) {
        let conversation = try self.group(id, .dismiss, by: actor)
        guard !conversation.flags.contains(.disbanded) else { return }
        try self.transaction.teams.endRequests(of: id)
        try self.transaction.apps.forgetMemberSet(of: id)
        try self.setFlags(conversation.flags.union(.disbanded), of: id, by: actor)
    }
}

// MARK: Helpers

extension ConversationWrites {
    /// The conversation, when `actor` may do this to it.
    ///
    /// - Parameter newcomers: how many would come, for actions that bring people.
    /// - Throws: `notFound`, `refused`.
    func group(
        _ id: ConversationID, _ action: TeamAction, by actor: Actor, newcomers: Int = 1
    ) throws(StoreError) -> ConversationState {
        let conversation = try self.transaction.knownConversation(id)
        let facts = TeamFacts(
            authority: actor.authority, kind: conversation.kind, flags: conversation.flags,
            settings: conversation.settings, role: conversation.roles[actor.user],
            memberCount: conversation.roles.count, limit: conversation.settings.memberLimit ?? .max,
            newcomers: newcomers)
        if let refusal = teamRefusal(action, facts) { throw .refused(refusal.action) }
        return conversation
    }

    /// Raises the revision by one. Rows that changed with it keep the number.
    func noteRevision(
        of conversation: ConversationState, change: Int64, memberCount: Int? = nil
    ) throws(StoreError) {
        let updatedAt = max(conversation.updatedAt, self.transaction.wallMilliseconds)
        try self.transaction.connection.run(
            "UPDATE conversation SET revision = ?, change = ?, member_count = ?, updated_at = ? WHERE id = ?",
            conversation.revision + 1, change, memberCount ?? conversation.roles.count, updatedAt, conversation.id)
        conversation.revision += 1
        conversation.updatedAt = updatedAt
    }

    func checkMemberCount(_ count: Int) throws(StoreError) {
        guard count <= self.transaction.options.groupMembers else {
            throw .invalid("a conversation has at most \(self.transaction.options.groupMembers) members, not \(count)")
        }
    }

}

extension ConversationSetting {
    /// The settings of which two states of the switches differ.
    static func changed(_ before: ConversationFlags, _ after: ConversationFlags) -> Set<ConversationSetting> {
        var settings: Set<ConversationSetting> = []
        let named: [(ConversationFlags, ConversationSetting)] = [
            ([.banned, .sendBanned], .banned), (.disbanded, .disbanded),
            ([.membersMuted, .everyoneMuted], .muteMode(after.muteMode)),
            (.invitationsNeedConsent, .inviteMode(after.inviteMode)),
        ]
        var rest = before.symmetricDifference(after)
        for (flags, setting) in named where !rest.isDisjoint(with: flags) {
            settings.insert(setting)
            rest.subtract(flags)
        }
        if !rest.isEmpty { settings.insert(.other) }
        return settings
    }
}
