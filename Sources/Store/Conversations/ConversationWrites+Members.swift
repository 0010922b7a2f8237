package import ChatModel

/// Result of a change of a member list.
package struct MembershipChange: Hashable, Sendable {
    /// Users for whom something changed.
    package var users: [UserID]
    /// Everyone who gets what is said, afterwards.
    package var members: [UserID]
    /// The conversation's revision afterwards.
    package var revision: Int64
    /// New owner of the group, when it changed.
    package var newOwner: UserID? = nil
}

extension ConversationWrites {
    // MARK: Coming and going

    /// Adds people; those who are members already stay as they are.
    ///
    /// - Throws: `refused`, `notApplicable` when people of this team are asked first (`invite(_:to:)`); `notFound`; `invalid` for direct conversations and rooms, and above `groupMembers`.
    @discardableResult
    package func addMembers(
        _ users: [UserID], to id: ConversationID, by actor: Actor = .operator
    ) throws(StoreError) -> MembershipChange {
        let known = try self.transaction.knownConversation(id).roles
        let new = WriteTransaction.withoutRepeats(users).filter { known[$0] == nil }
        let conversation = try self.memberGroup(id, .invite, by: actor, newcomers: new.count)
        guard actor.isPrivileged || !conversation.settings.asksInvited else { throw .refused(.notApplicable) }
        try self.bring(
            new, into: conversation, inviter: actor.isPrivileged ? nil : actor.user, by: actor.user, as: .invited)
        return self.membership(of: conversation, changed: new)
    }

    /// Adds people of whom none is a member, and ends what they or others asked about it.
    ///
    /// - Throws: `notFound`; `invalid` above `groupMembers`.
    func bring(
        _ new: [UserID], into conversation: ConversationState, inviter: UserID?, by actor: UserID,
        as arrival: MemberArrival
    ) throws(StoreError) {
        for person in new { _ = try self.transaction.knownUser(person) }
        // Who subscribes to a service is counted as those who listen are.
        if conversation.kind != .service { try self.checkMemberCount(conversation.roles.count + new.count) }
        guard !new.isEmpty else { return }
        let id = conversation.id
        try self.transaction.apps.forgetMemberSet(of: id)
        let change = self.transaction.nextChange()
        try self.noteRevision(of: conversation, change: change, memberCount: conversation.roles.count + new.count)
        for person in new {
            try self.transaction.connection.run(
                "DELETE FROM former_member WHERE conversation_id = ? AND user_id = ?", id, person)
            try self.transaction.connection.insertMember(
                person, .member, into: conversation, change: change, at: self.transaction.wallMilliseconds,
                inviter: inviter)
            self.transaction.memory.add(person, .member, to: conversation)
            try self.transaction.teams.fulfilRequests(of: person, in: id)
        }
        self.transaction.noteProfile(.members(id))
        // Who subscribes to a service is nobody else's business.
        try self.transaction.noteChange(
            .joined(try self.transaction.names(new), as: arrival), in: conversation, by: actor,
            to: conversation.kind == .service ? .people(new) : .members)
    }

    /// Takes people out, with their reading and delivery positions; those who are no members are skipped.
    ///
    /// - Throws: `refused` when one of them may not be removed by `actor`, and then nobody is; `notFound`; `invalid` for
    ///   direct conversations and rooms.
    @discardableResult
    package func removeMembers(
        _ users: [UserID], from id: ConversationID, by actor: Actor = .operator
    ) throws(StoreError) -> MembershipChange {
        var conversation = try self.memberGroup(id, .remove(.member), by: actor)
        let gone = WriteTransaction.withoutRepeats(users).filter { conversation.roles[$0] != nil }
        for person in gone {
            conversation = try self.group(id, .remove(conversation.roles[person] ?? .member), by: actor)
        }
        try self.remove(gone, from: conversation, by: actor.user)
        return self.membership(of: conversation, changed: gone)
    }

    /// A member goes. When it was the owner, the first manager follows, or else who has been there longest.
    ///
    /// - Throws: `refused`, `notFound`.
    @discardableResult
    package func leave(_ id: ConversationID, _ user: UserID) throws(StoreError) -> MembershipChange {
        let conversation = try self.group(id, .leave, by: Actor(user))
        let wasOwner = conversation.roles[user] == .owner
        let others = wasOwner ? try self.transaction.connection.membersByJoining(of: id) : []
        try self.remove([user], from: conversation, by: user, as: .left)
        var newOwner: UserID?
        if let next = successor(of: user, among: others) {
            try self.write(.owner, for: [next], in: conversation, by: user)
            newOwner = next
        }
        var change = self.membership(of: conversation, changed: [user])
        change.newOwner = newOwner
        return change
    }

    /// Takes everyone out; the conversation stays, with its history.
    ///
    /// - Throws: `refused`, `notFound`.
    @discardableResult
    package func removeAllMembers(
        from id: ConversationID, by actor: Actor
    ) throws(StoreError) -> MembershipChange {
        let conversation = try self.memberGroup(id, .removeEveryone, by: actor)
        let gone = conversation.roles.keys.sorted()
        try self.remove(gone, from: conversation, by: actor.user)
        return self.membership(of: conversation, changed: gone)
    }

    /// Takes a person out whose account goes, whatever the rules of the conversation say. A group with nobody left is
    /// dismissed.
    func takeOut(_ user: UserID, of id: ConversationID) throws(StoreError) {
        let conversation = try self.transaction.knownConversation(id)
        let others = conversation.roles[user] == .owner ? try self.transaction.connection.membersByJoining(of: id) : []
        try self.remove([user], from: conversation, by: user, as: .left)
        guard conversation.kind == .group, !conversation.flags.contains(.disbanded) else { return }
        guard !conversation.roles.isEmpty else { return try self.disband(id, by: .operator) }
        if let next = successor(of: user, among: others) {
            try self.write(.owner, for: [next], in: conversation, by: user)
        }
    }

    func remove(
        _ gone: [UserID], from conversation: ConversationState, by actor: UserID,
        as departure: MemberDeparture = .removed
    ) throws(StoreError) {
        guard !gone.isEmpty else { return }
        let id = conversation.id
        try self.transaction.apps.forgetMemberSet(of: id)
        try self.noteRevision(
            of: conversation, change: self.transaction.nextChange(), memberCount: conversation.roles.count - gone.count)
        for person in gone {
            try self.transaction.connection.run(
                """
                INSERT INTO former_member (conversation_id, user_id, role, revision, left_at) VALUES (?, ?, ?, ?, ?)
                """, id, person, conversation.roles[person, default: .member].rawValue, conversation.revision,
                self.transaction.wallMilliseconds)
            try self.transaction.connection.run(
                "DELETE FROM member WHERE conversation_id = ? AND user_id = ?", id, person)
            try self.transaction.connection.run(
                "DELETE FROM delivered WHERE user_id = ? AND conversation_id = ?", person, id)
            try self.transaction.connection.run(
                "DELETE FROM hidden_count WHERE user_id = ? AND conversation_id = ?", person, id)
            try self.transaction.connection.run(
                "DELETE FROM shown_count WHERE user_id = ? AND conversation_id = ?", person, id)
            // The rest of their view waits for them; a badge would be of messages they never got.
            try self.transaction.connection.run(
                "UPDATE preference SET marked_unread = 0 WHERE user_id = ? AND conversation_id = ?", person, id)
        }
        self.transaction.memory.remove(Set(gone), from: conversation)
        self.transaction.noteProfile(.members(id))
        try self.transaction.noteChange(
            .left(try self.transaction.names(gone), as: departure), in: conversation, by: actor,
            to: conversation.kind == .service ? .people(gone) : .membersAnd(gone))
    }

    // MARK: Roles

    /// Gives a member another role, by the operator's right.
    ///
    /// - Throws: `notFound` when the person is no member.
    package func setRole(_ user: UserID, _ role: MemberRole, in id: ConversationID) throws(StoreError) {
        let conversation = try self.memberGroup(id, .changeRole(.member), by: .operator)
        guard conversation.roles[user] != nil else { throw .notFound("a member with the number \(user.rawValue)") }
        try self.write(role, for: [user], in: conversation, by: .system)
    }

    /// Makes members managers, or managers members; who has the role already is skipped.
    ///
    /// - Throws: `refused`: `noSuchUser` for somebody who is no member, `notApplicable` for the owner and for the role of
    ///   an owner (`transferOwner`); `notFound`.
    @discardableResult
    package func setRoles(
        _ users: [UserID], _ role: MemberRole, in id: ConversationID, by actor: Actor
    ) throws(StoreError) -> MembershipChange {
        var conversation = try self.memberGroup(id, .changeRole(.member), by: actor)
        guard role != .owner else { throw .refused(.notApplicable) }
        let users = WriteTransaction.withoutRepeats(users)
        for user in users {
            guard let known = conversation.roles[user] else { throw .refused(.noSuchUser) }
            conversation = try self.group(id, .changeRole(known), by: actor)
        }
        let changed = users.filter { conversation.roles[$0] != role }
        if !changed.isEmpty { try self.write(role, for: changed, in: conversation, by: actor.user) }
        return self.membership(of: conversation, changed: changed)
    }

    /// Makes a member the owner; who was it becomes a member, or leaves in the same step.
    ///
    /// - Parameter andLeaves: who was the owner leaves.
    /// - Throws: `refused`: `noSuchUser` for somebody who is no member; `notFound`.
    @discardableResult
    package func transferOwner(
        to user: UserID, in id: ConversationID, andLeaves: Bool = false, by actor: Actor
    ) throws(StoreError) -> MembershipChange {
        let conversation = try self.memberGroup(id, .transferOwnership, by: actor)
        guard let role = conversation.roles[user] else { throw .refused(.noSuchUser) }
        guard role != .owner else { return self.membership(of: conversation, changed: []) }
        let before = conversation.roles.filter { $0.value == .owner }.keys.sorted()
        if !before.isEmpty { try self.write(.member, for: before, in: conversation, by: actor.user) }
        try self.write(.owner, for: [user], in: conversation, by: actor.user)
        if andLeaves { try self.remove(before, from: conversation, by: actor.user, as: .left) }
        var change = self.membership(of: conversation, changed: before + [user])
        change.newOwner = user
        return change
    }

    func write(
        _ role: MemberRole, for users: [UserID], in conversation: ConversationState, by actor: UserID
    ) throws(StoreError) {
        let change = self.transaction.nextChange()
        let before = conversation.roles
        try self.noteRevision(of: conversation, change: change)
        for user in users {
            try self.transaction.connection.run(
                "UPDATE member SET role = ?, change = ?, revision = ? WHERE conversation_id = ? AND user_id = ?",
                role.rawValue, change, conversation.revision, conversation.id, user)
            self.transaction.memory.setRole(user, role, in: conversation)
        }
        for user in users {
            try self.transaction.noteChange(
                .role(try self.transaction.name(user), role, was: before[user]), in: conversation, by: actor)
        }
    }

    // MARK: One member

    /// Forbids a member to send until a time, UTC milliseconds; 0 ends it, `Int64.max` is without end.
    ///
    /// - Returns: whether anything changed.
    /// - Throws: `refused`: `noSuchUser` for somebody who is no member; `notFound`.
    @discardableResult
    package func setMemberMuted(
        _ user: UserID, untilMilliseconds until: Int64, in id: ConversationID, by actor: Actor
    ) throws(StoreError) -> Bool {
        var conversation = try self.memberGroup(id, .mute(.member), by: actor)
        guard let role = conversation.roles[user] else { throw .refused(.noSuchUser) }
        conversation = try self.group(id, .mute(role), by: actor)
        let until = max(0, until)
        guard conversation.mutedUntil[user, default: 0] != until else { return false }
        let change = self.transaction.nextChange()
        try self.noteRevision(of: conversation, change: change)
        try self.transaction.connection.run(
            "UPDATE member SET muted_until = ?, change = ?, revision = ? WHERE conversation_id = ? AND user_id = ?",
            until, change, conversation.revision, id, user)
        conversation.mutedUntil[user] = until == 0 ? nil : until
        let name = try self.transaction.name(user)
        let isMuted = until > self.transaction.wallMilliseconds
        try self.transaction.noteChange(isMuted ? .muted([name]) : .unmuted([name]), in: conversation, by: actor.user)
        return true
    }

    /// Sets a member's nickname in this group; `nil` or empty removes it.
    ///
    /// - Throws: `refused`: `noSuchUser` for somebody who is no member; `notFound`; `invalid` when it is too long.
    package func setNickname(
        of user: UserID, _ nickname: String?, in id: ConversationID, by actor: Actor
    ) throws(StoreError) {
        let isOwn = !actor.isPrivileged && actor.user == user
        var conversation = try self.memberGroup(id, isOwn ? .rename(nil) : .rename(.some(.member)), by: actor)
        guard let role = conversation.roles[user] else { throw .refused(.noSuchUser) }
        if !isOwn { conversation = try self.group(id, .rename(role), by: actor) }
        try WriteTransaction.check(scalars: nickname, ConversationBounds.nicknameScalars, "nickname")
        let change = self.transaction.nextChange()
        try self.noteRevision(of: conversation, change: change)
        let name = try self.transaction.knownUser(user).name
        let shown = nickname?.isEmpty == true ? nil : nickname
        try self.transaction.connection.run(
            """
            UPDATE member SET nickname = ?, sort_key = ?, change = ?, revision = ?
            WHERE conversation_id = ? AND user_id = ?
            """, shown, shown.map { name.sortKey(shownAs: $0) }, change, conversation.revision, id, user)
        self.transaction.noteProfile(.nickname(of: name, in: id))
        try self.transaction.noteChange(.nickname(name), in: conversation, by: actor.user)
    }

    // MARK: Helpers

    /// `group`, in the operator's words when the conversation has no member list.
    private func memberGroup(
        _ id: ConversationID, _ action: TeamAction, by actor: Actor, newcomers: Int = 1
    ) throws(StoreError) -> ConversationState {
        if actor.isPrivileged {
            switch try self.transaction.knownConversation(id).kind {
            case .direct: throw .invalid("the two people of a direct conversation stay")
            case .room: throw .invalid("a room has no member list")
            case .group, .temporary, .service, .customerService, .community, .communityTopic, .data, .visitors, .agent,
                .agentGroup:
                break
            }
        }
        return try self.group(id, action, by: actor, newcomers: newcomers)
    }

    func membership(of conversation: ConversationState, changed users: [UserID]) -> MembershipChange {
        MembershipChange(users: users, members: conversation.members, revision: conversation.revision)
    }
}

extension Connection {
    /// Members, who came first first.
    func membersByJoining(
        of id: ConversationID
    ) throws(StoreError) -> [(user: UserID, role: MemberRole)] {
        let sql: StaticString = """
            SELECT user_id, role FROM member WHERE conversation_id = ? ORDER BY joined_sequence, joined_at, user_id
            """
        return try self.query(sql, id) { row throws(StoreError) in (row.userID(0), try row.memberRole(1)) }
    }
}
