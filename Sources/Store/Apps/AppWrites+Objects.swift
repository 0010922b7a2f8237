package import ByteCodec
package import ChatModel

// Conversations as LeanCloud's apps make and change them.
extension AppWrites {
    // MARK: Making

    /// Makes a conversation, or finds the one that these people have.
    ///
    /// - Returns: which one, and whether it was made now. One that is found stays as it is.
    /// - Throws: `refused`: `tooMany` above the most members; `notFound` for somebody who is not there, and nobody is made;
    ///   `exists` for a name that is taken; `invalid` above a bound, or for attributes that are no JSON object.
    package func createObject(_ new: NewObject) throws(StoreError) -> (id: ConversationID, isNew: Bool) {
        _ = try self.transaction.knownUser(new.creator)
        try WriteTransaction.check(scalars: new.title, ConversationBounds.titleScalars, "name")
        let attributes = try Self.object(new.attributes, ConversationBounds.attributesBytes, "attributes")
        let fields = try Self.object(new.fields, ObjectBounds.fieldsBytes, "fields")
        let people = try self.people(of: new)
        if new.form == .unique, people.count == 2 { return try self.createDirect(people, new, attributes, fields) }
        let set = try self.memberSet(of: people, new.form)
        if let set, let known = try self.standingConversation(ofSet: set) { return (known, false) }
        let made = try self.insertObject(new, people)
        try self.transaction.connection.run(
            "UPDATE conversation SET attributes = ?, fields = ?, member_set = ? WHERE id = ?", attributes, fields, set,
            made.id)
        try self.keepFiles(of: made.id, by: Self.maker(of: new))
        return (made.id, true)
    }

    /// By which a conversation of these people is found again; `nil` where there may be any number of them.
    private func memberSet(of people: [UserID], _ form: NewObject.Form) throws(StoreError) -> [UInt8]? {
        switch form {
        case .normal, .room, .service, .temporary(_, beside: true): nil
        case .unique: try MemberSet.key(of: try self.transaction.names(people))
        // Source: the Swift SDK, `IMClient.swift`: a temporary conversation is unique while it lives.
        case .temporary(_, beside: false): try MemberSet.key(of: try self.transaction.names(people), isTemporary: true)
        }
    }

    /// The conversation of these people; a temporary one whose time is over makes room.
    private func standingConversation(ofSet set: [UInt8]) throws(StoreError) -> ConversationID? {
        guard let known = try self.transaction.connection.conversation(ofSet: set) else { return nil }
        if known.expiresAt.map({ $0 > self.transaction.wallMilliseconds }) ?? true { return known.id }
        try self.forgetMemberSet(of: known.id)
        return nil
    }

    /// Actor who makes the object: the application itself when its server makes it.
    private static func maker(of new: NewObject) -> Actor {
        new.creator == .system ? .application : Actor(new.creator)
    }

    private func insertObject(_ new: NewObject, _ people: [UserID]) throws(StoreError) -> ConversationState {
        let objectID = new.objectID ?? ObjectID(atMilliseconds: self.transaction.wallMilliseconds)
        // Clients of other protocols know it by the same name.
        guard let name = ChannelName(objectID.text) else { throw .invalid("\(objectID) is no name of a channel") }
        if try self.transaction.memory.conversation(objectID) != nil { throw .exists("conversation \(objectID)") }
        let key: ChannelKey
        var expiresAt: Int64?
        switch new.form {
        case .normal, .unique: key = ChannelKey(kind: .group, name: name)
        case .room: key = ChannelKey(kind: .room, name: name)
        case .service: key = ChannelKey(kind: .service, name: name)
        case .temporary(let seconds, _):
            key = ChannelKey(kind: .temporary, name: name)
            let wanted = seconds > 0 ? seconds : ObjectBounds.temporarySeconds
            expiresAt = self.transaction.wallMilliseconds + min(wanted, ObjectBounds.longestTemporarySeconds) * 1_000
        }
        if try self.transaction.memory.conversation(key) != nil { throw .exists("conversation \(objectID)") }
        return try self.transaction.conversations.insert(
            key, objectID, title: new.title?.isEmpty == true ? nil : new.title, creator: new.creator, people: people,
            settings: .unguarded, expiresAt: expiresAt)
    }

    /// First members, the creator in front.
    private func people(of new: NewObject) throws(StoreError) -> [UserID] {
        guard new.form != .room && new.form != .service else { return [] }
        let most = max(ObjectBounds.peoplePerRequest, self.transaction.options.groupMembers)
        guard new.members.count <= most + 1 else {
            throw .refused(.tooMany(limit: self.transaction.options.groupMembers))
        }
        var people: [UserID] = new.creator == .system ? [] : [new.creator]
        for name in new.members {
            guard let person = try self.person(name, isMade: new.makesPeople) else {
                throw .notFound("an account called \(name)")
            }
            people.append(person)
        }
        people = WriteTransaction.withoutRepeats(people)
        var limit = self.transaction.options.groupMembers
        if case .temporary = new.form { limit = min(limit, ObjectBounds.temporaryMembers) }
        guard people.count <= limit else { throw .refused(.tooMany(limit: limit)) }
        return people
    }

    /// The person of this name; `nil` when there is none and none is made, and for an account that was deleted.
    private func person(_ name: UserName, isMade: Bool) throws(StoreError) -> UserID? {
        if let known = try self.transaction.memory.user(named: name) { return known.isDeleted ? nil : known.id }
        return isMade ? try self.transaction.people.createUser(name) : nil
    }

    private func createDirect(
        _ people: [UserID], _ new: NewObject, _ attributes: String?, _ fields: String?
    ) throws(StoreError) -> (id: ConversationID, isNew: Bool) {
        let pair = DirectPair(people[0], people[1])
        if let known = try self.transaction.memory.conversation(pair) { return (known.id, false) }
        let made = try self.transaction.connection.create(
            .direct(pair), creator: new.creator, at: self.transaction.wallMilliseconds,
            change: self.transaction.nextChange(),
            memory: self.transaction.memory)
        try self.transaction.connection.run(
            "UPDATE conversation SET title = ?, attributes = ?, fields = ? WHERE id = ?",
            new.title?.isEmpty == true ? nil : new.title, attributes, fields, made.id)
        try self.keepFiles(of: made.id, by: Self.maker(of: new))
        try self.transaction.noteChange(.created(try self.transaction.names(people)), in: made, by: new.creator)
        return (made.id, true)
    }

    /// The text of a JSON object; `nil` for an empty one.
    private static func object(_ text: [UInt8]?, _ bound: Int, _ what: String) throws(StoreError) -> String? {
        guard let text else { return nil }
        return try WriteTransaction.merged(nil, text, bound, what).map { String(decoding: $0, as: UTF8.self) }
    }

    /// From now on these people may have another one of their own.
    func forgetMemberSet(of id: ConversationID) throws(StoreError) {
        try self.transaction.connection.run(
            "UPDATE conversation SET member_set = NULL WHERE id = ? AND member_set IS NOT NULL", id)
    }

    // MARK: The card

    /// Changes the card of a conversation as an app sees it: an object of `name`, `attr`, and its own fields.
    ///
    /// - Parameters:
    ///   - asked: the change in the words of who asked, for the event about it; JSON text.
    ///   - change: the object before in, after out, with what is new of it.
    /// - Returns: when the conversation changed last.
    /// - Throws: `refused`; `notFound`; `invalid` above a bound; what `change` throws.
    package func updateObject(
        _ id: ConversationID, by actor: Actor, asked: [UInt8]? = nil,
        _ change: (JSONValue) throws(StoreError) -> (row: JSONValue, modified: JSONValue)
    ) throws(StoreError) -> Int64 {
        let conversation = try self.transaction.knownConversation(id)
        guard conversation.kind != .temporary else { throw .refused(.notApplicable) }
        let before = try self.transaction.connection.objectFields(of: id)
        let (row, modified) = try change(before.row)
        let after = try ObjectFields(row)
        try self.checkUpdate(of: conversation, before, after, by: actor)
        guard after != before else { return conversation.updatedAt }
        try WriteTransaction.check(scalars: after.title, ConversationBounds.titleScalars, "name")
        try self.transaction.connection.run(
            "UPDATE conversation SET title = ?, attributes = ?, fields = ? WHERE id = ?", after.title,
            try after.attributesText(), try after.fieldsText(), id)
        try self.keepFiles(of: id, by: actor)
        var changed: ProfileFields = []
        if after.title != before.title { changed.insert(.name) }
        if after.attributes != before.attributes { changed.insert(.attributes) }
        if !changed.isEmpty { self.transaction.noteProfile(.team(id, changed)) }
        try self.transaction.conversations.noteRevision(of: conversation, change: self.transaction.nextChange())
        try self.transaction.noteChange(
            .card(modified: modified.serialized(), asked: asked), in: conversation, by: actor.user,
            to: self.cardAudience(of: conversation))
        return conversation.updatedAt
    }

    /// Nobody in a room or behind a service is told of its card.
    private func cardAudience(of conversation: ConversationState) -> EventAudience {
        conversation.kind == .service || conversation.kind == .room ? .people([]) : .members
    }

    private func checkUpdate(
        of conversation: ConversationState, _ before: ObjectFields, _ after: ObjectFields, by actor: Actor
    ) throws(StoreError) {
        guard !actor.isPrivileged else { return }
        switch conversation.kind {
        case .direct:
            guard conversation.roles[actor.user] != nil else { throw .refused(.notMember) }
        case .room:
            let isInside = conversation.listeners.contains(actor.user) || conversation.creator == actor.user
            guard isInside else { throw .refused(.notMember) }
        case .group, .temporary, .service, .customerService, .community, .communityTopic, .data, .visitors, .agent,
            .agentGroup:
            if after.title != before.title {
                _ = try self.transaction.conversations.group(conversation.id, .updateInfo, by: actor)
            }
            _ = try self.transaction.conversations.group(conversation.id, .updateAttributes, by: actor)
        }
    }

    // MARK: People

    /// Adds people to a conversation, or oneself. A direct one becomes a group by it.
    ///
    /// - Parameter wholly: nobody is added when somebody cannot be. So in the other requests about people.
    /// - Returns: who is in it now, and who not and why.
    /// - Throws: `refused`; `notFound`.
    package func addToObject(
        _ names: [String], _ id: ConversationID, by actor: Actor, makesPeople: Bool = true, wholly: Bool = false
    ) throws(StoreError) -> PeopleOutcome {
        try Self.checkCount(of: names)
        var conversation = try self.transaction.knownConversation(id)
        var outcome = PeopleOutcome()
        var new: [UserID] = []
        for name in Self.distinct(names) {
            guard let user = UserName(name), let person = try self.person(user, isMade: makesPeople) else {
                outcome.failed.append(.init(name, .unknown))
                continue
            }
            if conversation.denied.contains(person) && conversation.roles[person] == nil && !actor.isPrivileged {
                outcome.failed.append(.init(name, .blocked))
                continue
            }
            outcome.done.append(user)
            if conversation.roles[person] == nil { new.append(person) }
        }
        if outcome.fails(wholly: wholly) || new.isEmpty { return try self.closed(outcome, conversation) }
        if conversation.kind == .direct { conversation = try self.becomeGroup(conversation, by: actor) }
        try self.checkArrival(of: new, in: conversation, by: actor)
        let isAlone = new == [actor.user]
        try self.transaction.conversations.bring(
            new, into: conversation, inviter: isAlone || actor.isPrivileged ? nil : actor.user, by: actor.user,
            as: isAlone ? .joined : .invited)
        return try self.closed(outcome, conversation)
    }

    private func checkArrival(
        of new: [UserID], in conversation: ConversationState, by actor: Actor
    ) throws(StoreError) {
        switch conversation.kind {
        case .service:
            // Everybody may subscribe, and nobody is subscribed by others.
            guard actor.isPrivileged || new == [actor.user] else { throw .refused(.notApplicable) }
            let limit = self.transaction.options.listeners
            guard conversation.roles.count + new.count <= limit else { throw .refused(.tooMany(limit: limit)) }
        case .temporary where new == [actor.user] && !actor.isPrivileged: break
        case .direct, .group, .room, .temporary, .customerService, .community, .communityTopic, .data, .visitors,
            .agent, .agentGroup:
            let action: TeamAction = new == [actor.user] && !actor.isPrivileged ? .join : .invite
            _ = try self.transaction.conversations.group(conversation.id, action, by: actor, newcomers: new.count)
            let asks = action == .invite && conversation.settings.asksInvited && !actor.isPrivileged
            guard !asks else { throw .refused(.notApplicable) }
        }
        guard conversation.kind != .service else { return }
        var limit = self.transaction.options.groupMembers
        if conversation.expiresAt != nil { limit = min(limit, ObjectBounds.temporaryMembers) }
        guard conversation.roles.count + new.count <= limit else { throw .refused(.tooMany(limit: limit)) }
    }

    /// Takes people out of a conversation, or oneself. A direct one becomes a group by it.
    ///
    /// - Parameter ownerStays: the owner neither leaves nor is removed; who is alone with one other person may leave.
    /// - Returns: who is not in it any more, and who stays and why.
    /// - Throws: `refused`; `notFound`.
    package func removeFromObject(
        _ names: [String], _ id: ConversationID, by actor: Actor, ownerStays: Bool = false, wholly: Bool = false
    ) throws(StoreError) -> PeopleOutcome {
        try Self.checkCount(of: names)
        var conversation = try self.transaction.knownConversation(id)
        var outcome = PeopleOutcome()
        var gone: [UserID] = []
        for name in Self.distinct(names) {
            guard let user = UserName(name) else {
                outcome.failed.append(.init(name, .unknown))
                continue
            }
            let person = try self.transaction.memory.user(named: user)?.id
            if let person, let role = self.standing(of: person, in: conversation) {
                // Of two people who have found each other neither made a group to own: each may go.
                let isTwo = conversation.kind == .direct && person == actor.user
                if role == .owner && ownerStays && !actor.isPrivileged && !isTwo {
                    outcome.failed.append(.init(name, .ownerStays))
                    continue
                }
                gone.append(person)
            }
            outcome.done.append(user)
        }
        if outcome.fails(wholly: wholly) || gone.isEmpty { return try self.closed(outcome, conversation) }
        if conversation.kind == .direct { conversation = try self.becomeGroup(conversation, by: actor) }
        try self.checkDeparture(of: gone, from: conversation, by: actor)
        try self.takeOut(gone, of: conversation, by: actor.user)
        return try self.closed(outcome, conversation)
    }

    /// As it is, or would be if a direct conversation were a group.
    private func standing(of person: UserID, in conversation: ConversationState) -> MemberRole? {
        guard let role = conversation.roles[person] else { return nil }
        return conversation.kind == .direct && conversation.creator == person ? .owner : role
    }

    private func checkDeparture(
        of gone: [UserID], from conversation: ConversationState, by actor: Actor
    ) throws(StoreError) {
        if gone == [actor.user] {
            // Subscribers of a service and members of what has no team leave as they like.
            guard conversation.kind == .group else { return }
            _ = try self.transaction.conversations.group(conversation.id, .leave, by: actor)
            return
        }
        for person in gone {
            _ = try self.transaction.conversations.group(
                conversation.id, .remove(conversation.roles[person] ?? .member), by: actor)
        }
    }

    /// Removes members; when the owner is among them another one follows, as when the owner leaves.
    private func takeOut(
        _ gone: [UserID], of conversation: ConversationState, by actor: UserID
    ) throws(StoreError) {
        let owner = gone.first { conversation.roles[$0] == .owner }
        let others = try owner.map { _ throws(StoreError) in
            try self.transaction.connection.membersByJoining(of: conversation.id)
        }
        try self.transaction.conversations.remove(
            gone, from: conversation, by: actor, as: gone == [actor] ? .left : .removed)
        guard let owner, let others, conversation.kind == .group else { return }
        let staying = others.filter { conversation.roles[$0.user] != nil }
        if let next = successor(of: owner, among: staying) {
            try self.transaction.conversations.write(.owner, for: [next], in: conversation, by: actor)
        }
    }

    // MARK: Who is silent

    /// Silences members for good, or lets them speak again. Nobody does it to themselves alone: that is refused as a whole,
    /// also where somebody else has silenced them.
    ///
    /// - Throws: `refused`; `notFound`.
    package func silenceInObject(
        _ names: [String], _ isSilent: Bool, _ id: ConversationID, by actor: Actor, wholly: Bool = false
    ) throws(StoreError) -> PeopleOutcome {
        var (conversation, outcome, people) = try self.subordinates(names, id, by: actor, membersOnly: true)
        people.removeAll { (conversation.mutedUntil[$0, default: 0] > self.transaction.wallMilliseconds) == isSilent }
        if outcome.fails(wholly: wholly) || people.isEmpty { return try self.closed(outcome, conversation) }
        if conversation.kind == .direct { conversation = try self.becomeGroup(conversation, by: actor) }
        let change = self.transaction.nextChange()
        try self.transaction.conversations.noteRevision(of: conversation, change: change)
        for person in people {
            try self.transaction.connection.run(
                "UPDATE member SET muted_until = ?, change = ?, revision = ? WHERE conversation_id = ? AND user_id = ?",
                isSilent ? Int64.max : 0, change, conversation.revision, id, person)
            conversation.mutedUntil[person] = isSilent ? Int64.max : nil
        }
        let found = try self.transaction.names(people)
        try self.transaction.noteChange(isSilent ? .muted(found) : .unmuted(found), in: conversation, by: actor.user)
        return try self.closed(outcome, conversation)
    }

    // MARK: Who may not come back

    /// Removes people and keeps them out, or lets them come back; who comes back joins anew.
    ///
    /// - Throws: `refused`; `notFound`; `invalid` above `listEntries`.
    package func blockInObject(
        _ names: [String], _ isBlocked: Bool, _ id: ConversationID, by actor: Actor, wholly: Bool = false
    ) throws(StoreError) -> PeopleOutcome {
        var (conversation, outcome, people) = try self.subordinates(names, id, by: actor, membersOnly: false)
        let changed = people.filter { conversation.denied.contains($0) != isBlocked }
        if outcome.fails(wholly: wholly) || changed.isEmpty { return try self.closed(outcome, conversation) }
        if conversation.kind == .direct { conversation = try self.becomeGroup(conversation, by: actor) }
        // The right to it was found above, by rank.
        if isBlocked {
            try self.transaction.conversations.addListed(
                changed, in: id, .denied, by: Actor(actor.user, authority: .application))
            let gone = changed.filter { conversation.roles[$0] != nil }
            if !gone.isEmpty { try self.takeOut(gone, of: conversation, by: actor.user) }
        } else {
            try self.transaction.conversations.removeListed(
                changed, in: id, .denied, by: Actor(actor.user, authority: .application))
        }
        return try self.closed(outcome, conversation)
    }

    /// Users of the names whose role is below the actor's.
    private func subordinates(
        _ names: [String], _ id: ConversationID, by actor: Actor, membersOnly: Bool
    ) throws(StoreError) -> (ConversationState, PeopleOutcome, [UserID]) {
        try Self.checkCount(of: names)
        let conversation = try self.transaction.knownConversation(id)
        guard conversation.kind == .group || conversation.kind == .direct else { throw .refused(.notApplicable) }
        let rank = self.standing(of: actor.user, in: conversation)
        if !actor.isPrivileged {
            guard let rank else { throw .refused(.notMember) }
            guard !conversation.flags.contains(.disbanded) else { throw .refused(.disbanded) }
            guard rank != .member else { throw .refused(.notManager) }
            let own = try self.transaction.memory.user(actor.user)?.name.text.utf8
            let isAlone = own.map { own in names.allSatisfy { $0.utf8.elementsEqual(own) } } ?? false
            guard names.isEmpty || !isAlone else { throw .refused(.notManager) }
        }
        var outcome = PeopleOutcome()
        var people: [UserID] = []
        for name in Self.distinct(names) {
            guard let user = UserName(name), let person = try self.transaction.memory.user(named: user),
                !person.isDeleted
            else {
                outcome.failed.append(.init(name, .unknown))
                continue
            }
            let role = self.standing(of: person.id, in: conversation)
            if role == nil && membersOnly {
                outcome.failed.append(.init(name, .notMember))
            } else if !actor.isPrivileged, let role, let rank, role.rawValue >= rank.rawValue {
                outcome.failed.append(.init(name, .outranked))
            } else {
                outcome.done.append(user)
                people.append(person.id)
            }
        }
        return (conversation, outcome, people)
    }

    // MARK: Roles

    /// Makes a member a manager, or a manager a member.
    ///
    /// - Returns: when the conversation changed last.
    /// - Throws: `refused`: `noSuchUser` for somebody who is no member, `notApplicable` for the role of an owner;
    ///   `notFound`.
    package func setObjectRole(
        _ name: String, _ role: MemberRole, _ id: ConversationID, by actor: Actor
    ) throws(StoreError) -> Int64 {
        var conversation = try self.transaction.knownConversation(id)
        guard let user = UserName(name), let person = try self.transaction.memory.user(named: user)?.id,
            conversation.roles[person] != nil
        else { throw .refused(.noSuchUser) }
        if conversation.kind == .direct {
            guard self.standing(of: actor.user, in: conversation) == .owner || actor.isPrivileged else {
                throw .refused(.notOwner)
            }
            conversation = try self.becomeGroup(conversation, by: actor)
        }
        try self.transaction.conversations.setRoles([person], role, in: id, by: actor)
        return conversation.updatedAt
    }

    // MARK: Helpers

    /// A direct conversation that more, or fewer, than two people are to be in becomes a group: the same history, the
    /// same id. Who made it owns it. The two people may begin another one.
    private func becomeGroup(
        _ conversation: ConversationState, by actor: Actor
    ) throws(StoreError) -> ConversationState {
        guard actor.isPrivileged || conversation.roles[actor.user] != nil else { throw .refused(.notMember) }
        guard let name = ChannelName(conversation.objectID.text) else {
            throw .invalid("\(conversation.objectID) is no name of a channel")
        }
        if try self.transaction.memory.conversation(ChannelKey(kind: .group, name: name)) != nil {
            throw .exists("conversation \(name)")
        }
        try self.transaction.connection.run(
            "UPDATE conversation SET kind = ?, channel = ?, direct_low = NULL, direct_high = NULL WHERE id = ?",
            ConversationKind.group.rawValue, name, conversation.id)
        try self.transaction.connection.insertTeam(conversation.id, .unguarded)
        self.transaction.memory.turnIntoGroup(conversation, name, .unguarded)
        self.transaction.noteProfile(.team(conversation.id, .existence))
        // An account that was deleted stays the other one of two people, and is in no group.
        var gone: [UserID] = []
        for person in conversation.roles.keys.sorted() {
            if try self.transaction.memory.user(person)?.isDeleted ?? true { gone.append(person) }
        }
        try self.transaction.conversations.remove(gone, from: conversation, by: actor.user)
        let owner =
            conversation.roles[conversation.creator] != nil
            ? conversation.creator : conversation.roles.keys.min()
        if let owner {
            try self.transaction.conversations.write(.owner, for: [owner], in: conversation, by: actor.user)
        }
        return conversation
    }

    private func closed(
        _ outcome: PeopleOutcome, _ conversation: ConversationState
    ) throws(StoreError) -> PeopleOutcome {
        var outcome = outcome
        outcome.updatedAtMilliseconds = conversation.updatedAt
        return outcome
    }

    private static func checkCount(of names: [String]) throws(StoreError) {
        guard names.count <= ObjectBounds.peoplePerRequest else {
            throw .refused(.tooMany(limit: ObjectBounds.peoplePerRequest))
        }
    }

    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return names.filter { seen.insert(Array($0.utf8)).inserted }
    }
}

extension PeopleOutcome {
    /// True, with nothing done, when one name has failed and the change is to be made for all or nobody.
    fileprivate mutating func fails(wholly: Bool) -> Bool {
        guard wholly && !self.failed.isEmpty else { return false }
        self.done = []
        return true
    }
}

extension Connection {
    fileprivate func conversation(
        ofSet set: [UInt8]
    ) throws(StoreError) -> (id: ConversationID, expiresAt: Int64?)? {
        try self.first("SELECT id, expires_at FROM conversation WHERE member_set = ?", set) { row throws(StoreError) in
            (row.conversationID(0), row.optionalInt64(1))
        }
    }
}
