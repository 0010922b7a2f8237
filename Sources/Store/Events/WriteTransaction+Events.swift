import ChatModel

// What the gateways are told after the commit.
extension WriteTransaction {
    /// Tells, after the commit, what happened to a conversation, and keeps it for devices that are away.
    ///
    /// - Parameter messages: the messages that it is about, each with its sender.
    func noteChange(
        _ change: ChangeEvent.Change, in conversation: ConversationState, by actor: UserID,
        to audience: EventAudience = .members, about messages: [(sequence: Int64, sender: UserID)] = []
    ) throws(StoreError) {
        let event = try self.event(change, in: conversation, by: actor, to: audience)
        try self.connection.log(event)
        try self.feed.addToFeed(event, about: messages)
        self.events.append(event)
        if conversation.kind == .group, !conversation.flags.contains(.disbanded) || change.endsGroup {
            self.worded.append(event)
        }
    }

    /// Makes an event, with its moment and position, and writes nothing.
    func event(
        _ change: ChangeEvent.Change, in conversation: ConversationState, by actor: UserID, to audience: EventAudience
    ) throws(StoreError) -> ChangeEvent {
        // Devices that were away ask for what was logged after the last one they know.
        let moment = change.isLogged ? self.nextMoment(after: conversation.updatedAt - 1) : self.moment()
        let place = EventPlace(
            conversation: conversation.id, kind: conversation.kind, objectID: conversation.objectID,
            channel: conversation.channel, peer: try self.peer(of: actor, in: conversation))
        return ChangeEvent(
            in: place, actor: try self.name(actor), actorID: actor, subjects: try self.subjects(of: change),
            atMilliseconds: moment, change: change, audience: audience,
            receivers: try self.receivers(audience, in: conversation), origin: self.origin,
            position: StorePosition(self.nextMessageID()))
    }

    /// Tells whoever is in a conversation that it is deleted. Called before the rows of it go.
    func noteEnd(of id: ConversationID) throws(StoreError) {
        guard let conversation = try self.memory.conversation(id) else { return }
        try self.noteChange(.ended, in: conversation, by: .system)
    }

    /// Tells of settings, except in rooms, whose people have no card of it.
    func noteSettings(
        _ settings: Set<ConversationSetting>, in conversation: ConversationState, by actor: UserID
    ) throws(StoreError) {
        guard !settings.isEmpty, conversation.kind != .room else { return }
        try self.noteChange(.settings(settings), in: conversation, by: actor)
    }

    /// Tells a person's own devices of what is theirs alone.
    func noteOwn(
        _ change: OwnChange, of user: UserID, in conversation: ConversationState,
        about messages: [(sequence: Int64, sender: UserID)] = []
    ) throws(StoreError) {
        try self.noteChange(.own(change), in: conversation, by: user, to: .people([user]), about: messages)
    }

    /// Tells some people, after the commit, of a change of a person, or between two.
    func notePeople(_ change: PersonChange, by actor: UserID, to people: [UserID]) throws(StoreError) {
        guard !people.isEmpty else { return }
        try self.notePersonChange(change, by: actor, to: .people(people), people)
    }

    /// Tells, after the commit, that a person is shown otherwise: the profile service, whose memory forgets what it had
    /// before the request is answered, and whoever watches the person.
    func noteShown(_ user: UserState, _ fields: ProfileFields) throws(StoreError) {
        self.noteProfile(.person(user.name, fields))
        try self.notePersonChange(
            .profile(user.name, fields), by: self.origin.gateway.isOfPeople ? user.id : .system,
            to: .watchers(of: user.name), [])
    }

    /// Makes an event of a person, with its position, and writes nothing.
    func personEvent(
        _ change: PersonChange, by actor: UserID, to audience: EventAudience, _ receivers: [UserID]
    ) throws(StoreError) -> ChangeEvent {
        ChangeEvent(
            in: nil, actor: try self.name(actor), actorID: actor, subjects: try self.subjects(of: .person(change)),
            atMilliseconds: self.moment(), change: .person(change), audience: audience, receivers: receivers,
            origin: self.origin, position: StorePosition(self.nextMessageID()))
    }

    private func notePersonChange(
        _ change: PersonChange, by actor: UserID, to audience: EventAudience, _ receivers: [UserID]
    ) throws(StoreError) {
        let event = try self.personEvent(change, by: actor, to: audience, receivers)
        try self.feed.addToPersonFeed(change, event)
        self.events.append(event)
    }

    private func receivers(
        _ audience: EventAudience, in conversation: ConversationState
    ) throws(StoreError) -> [UserID] {
        switch audience {
        case .members: return try self.memory.receivers(of: conversation)
        case .membersAnd(let others):
            let members = try self.memory.receivers(of: conversation)
            guard !others.isEmpty else { return members }
            let known = Set(members)
            return members + others.filter { !known.contains($0) }
        case .people(let people): return people
        case .watchers: return []
        }
    }

    private func subjects(of change: ChangeEvent.Change) throws(StoreError) -> [UserID] {
        var subjects: [UserID] = []
        for name in change.subjects { if let user = try self.memory.user(named: name) { subjects.append(user.id) } }
        return subjects
    }

    /// In a direct conversation, the one of the two who is not the actor.
    private func peer(of actor: UserID, in conversation: ConversationState) throws(StoreError) -> UserName? {
        guard let pair = conversation.pair, pair.low == actor || pair.high == actor else { return nil }
        return try self.name(pair.low == actor ? pair.high : pair.low)
    }

    func name(_ user: UserID) throws(StoreError) -> UserName {
        guard let known = try self.memory.user(user) else { throw .notFound("user number \(user.rawValue)") }
        return known.name
    }

    /// The display name of a person, or else the name of the account.
    func shownName(_ user: UserID) throws(StoreError) -> String {
        guard let found = try self.reading.people.user(user) else { throw .notFound("user number \(user.rawValue)") }
        return found.displayName ?? found.name.text
    }

    func names(_ users: [UserID]) throws(StoreError) -> [UserName] {
        var names: [UserName] = []
        for user in users { names.append(try self.name(user)) }
        return names
    }

    /// Audience of a change of a message: the people who may see it; for a recall, everybody who was told of the
    /// message.
    private func told(of target: MessageTarget, isRecalled: Bool) throws(StoreError) -> EventAudience {
        if target.visibleTo == nil || isRecalled && target.conversation.kind != .service { return .members }
        return .people(try self.messages.audience(of: target))
    }

    /// Tells of rows about a message, to those who are shown it.
    func noteAnnotation(
        _ annotation: MessageAnnotation, of target: MessageTarget, by user: UserID
    ) throws(StoreError) {
        try self.noteChange(
            .annotated(annotation), in: target.conversation, by: user, to: try self.told(of: target, isRecalled: false),
            about: [(target.place.sequence, target.sender)])
    }

    /// Tells who has read messages to who wrote them, and in a direct conversation to both: in a group not everybody
    /// hears of it each time somebody reads.
    func noteReaders(
        of changes: [MessageTarget], in conversation: ConversationState, by user: UserID
    ) throws(StoreError) {
        guard !changes.isEmpty else { return }
        let people = Set(changes.map(\.sender) + [user]).sorted()
        try self.noteChange(
            .annotated(.readers), in: conversation, by: user,
            to: conversation.kind == .direct ? .members : .people(people),
            about: changes.map { ($0.place.sequence, $0.sender) })
    }

    /// Tells of a message that was changed.
    ///
    /// - Returns: the moment of the change, which no other change has: clients ask for what was changed after the last
    ///   one they know, in all their conversations together.
    func noteChanged(
        _ target: MessageTarget, by actor: Actor, isRecalled: Bool, isDeleted: Bool = false,
        content: (inout MessageContent) -> Void
    ) throws(StoreError) -> Int64 {
        let moment = self.nextMoment(after: target.conversation.activeAt)
        try self.connection.run(
            "UPDATE message_extra SET patched_at = ? WHERE conversation_id = ? AND sequence = ?", moment,
            target.place.conversation, target.place.sequence)
        let stored = try self.connection.message(in: target.place.conversation, sequence: target.place.sequence) {
            id throws(StoreError) in try self.name(id)
        }
        guard let stored else { throw Row.damaged("hole in a conversation") }
        var now = stored.content
        content(&now)
        let changed = ChangedMessage(
            sequence: stored.sequence, id: stored.id, sender: stored.senderName, senderID: stored.sender,
            sentAtMilliseconds: stored.sentAtMilliseconds, content: now, changedAtMilliseconds: moment,
            isDeleted: isDeleted)
        try self.noteChange(
            isRecalled ? .recalled(changed) : .edited(changed), in: target.conversation, by: actor.user,
            to: try self.told(of: target, isRecalled: isRecalled), about: [(target.place.sequence, target.sender)])
        return moment
    }
}

extension ChangeEvent.Change {
    fileprivate var endsGroup: Bool {
        if case .settings(let settings) = self { settings.contains(.disbanded) } else { false }
    }
}
