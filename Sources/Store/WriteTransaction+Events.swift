import ChatModel

// What the doors are told after the commit.
extension WriteTransaction {
    /// Tells, after the commit, what happened to a conversation, and keeps it for devices that are away.
    ///
    /// - Parameter audience: `nil` for everyone who gets what is said there.
    func note(
        _ change: ConversationEvent.Change, in conversation: ConversationState, by actor: UserID,
        to audience: [UserID]? = nil
    ) throws(StoreError) {
        // Devices that were away ask for what was logged after the last one they know.
        let moment = change.isLogged ? self.nextMoment(after: conversation.updatedAt - 1) : self.moment()
        let event = ConversationEvent(
            conversation: conversation.id, kind: conversation.kind, objectID: conversation.objectID,
            channel: conversation.channel, actor: try self.name(actor), atMilliseconds: moment, change: change,
            audience: try self.people(audience, of: conversation), origin: self.origin)
        try self.connection.log(event, by: actor, people: self.memory)
        self.events.append(event)
    }

    private func people(
        _ audience: [UserID]?, of conversation: ConversationState
    ) throws(StoreError) -> [UserID] {
        if let audience { return audience }
        return try self.memory.receivers(of: conversation)
    }

    func name(_ user: UserID) throws(StoreError) -> UserName {
        guard let known = try self.memory.user(user) else { throw .notFound("user number \(user.rawValue)") }
        return known.name
    }

    func names(_ users: [UserID]) throws(StoreError) -> [UserName] {
        var names: [UserName] = []
        for user in users { names.append(try self.name(user)) }
        return names
    }

    /// Of what a message says now only those hear whom it is for; that it is gone, everybody who was told that it is there.
    private func told(of target: MessageTarget, isRecalled: Bool) throws(StoreError) -> [UserID] {
        isRecalled && target.conversation.kind != .service ? target.receivers : try self.seers(of: target)
    }

    /// Tells of a message that was changed.
    ///
    /// - Returns: the moment of the change, which no other change has: clients ask for what was changed after the last one
    ///   they know, in all their conversations together.
    func noteChanged(
        _ target: MessageTarget, by actor: Actor, isRecalled: Bool, content: (inout MessageContent) -> Void
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
            sentAtMilliseconds: stored.sentAtMilliseconds, content: now, changedAtMilliseconds: moment)
        try self.note(
            isRecalled ? .recalled(changed) : .edited(changed), in: target.conversation, by: actor.user,
            to: try self.told(of: target, isRecalled: isRecalled))
        return moment
    }
}
