import ChatModel
import Store

/// Where the client is.
extension LeanCloudSession {
    /// The client goes into a room, and out of the one that this session was in; its person stays there when another of
    /// their sessions does.
    ///
    /// - Parameter then: called on this thread, if the session is still there; with why it was not let in.
    func enter(
        _ room: ConversationID, then: @escaping @Sendable (LeanCloudSession, StoreError?) -> Void
    ) {
        guard let user = self.identity?.user else { return }
        let (rooms, handle, soon) = (self.services.rooms, self.handle, self.gateway.soon(self))
        // Known here before the store has it: whose session ends meanwhile is still out in time.
        let leaving = rooms.enter(room, session: handle, of: user)
        self.services.store.write({ transaction throws(StoreError) in
            try transaction.conversations.visit(room, by: user)
            for other in leaving { try transaction.conversations.leave(other, by: user) }
        }) { result in
            guard case .failure(let error) = result else { return soon { then($0, nil) } }
            rooms.leave(room, user)
            soon { session in
                // It is where it was.
                for other in leaving { _ = rooms.enter(other, session: handle, of: user) }
                then(session, error)
            }
        }
    }

    /// The client, with all sessions of its person, goes out of a room.
    func leave(_ room: ConversationID, then: @escaping @Sendable (LeanCloudSession, StoreError?) -> Void) {
        guard let user = self.identity?.user else { return }
        let (rooms, soon) = (self.services.rooms, self.gateway.soon(self))
        self.services.store.write({ transaction throws(StoreError) in
            try transaction.conversations.leave(room, by: user)
        }) {
            result in
            guard case .failure(let error) = result else {
                rooms.leave(room, user)
                return soon { then($0, nil) }
            }
            soon { then($0, error) }
        }
    }
}
