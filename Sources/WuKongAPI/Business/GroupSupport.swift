import APIKit
import ChatModel
import Store
import WuKongTranslation

extension BusinessCall {
    /// Changes a group the person is in.
    func changeGroup(
        _ group: BusinessChannel,
        _ body: @escaping @Sendable (WriteTransaction, ConversationID, Actor) throws(StoreError) -> Void
    ) throws(APIFailure) {
        let actor = self.actor
        self.write { store throws(StoreError) in
            try body(store, try store.reading.knownConversation(group, of: actor.user).id, actor)
        } answer: {
            .ok
        }
    }

    /// The person whose uid stands in the path.
    func pathPerson() throws(APIFailure) -> UserName {
        guard let name = Translation.userName(try self.request.parameter("uid")) else {
            throw .bad("the uid in the path is none")
        }
        return name
    }
}

extension ReadTransaction {
    /// - Throws: `refused(.noSuchUser)`.
    func knownPerson(_ name: UserName) throws(StoreError) -> UserID {
        guard let user = try self.people.user(named: name) else { throw .refused(.noSuchUser) }
        return user.id
    }

    /// - Throws: `refused(.noSuchUser)` when one of them is nobody.
    func knownPeople(_ names: [UserName]) throws(StoreError) -> [UserID] {
        var users: [UserID] = []
        for name in names { users.append(try self.knownPerson(name)) }
        return users
    }
}

extension ReadTransaction {
    /// Display names, or else the names of the accounts.
    ///
    /// - Throws: `refused(.noSuchUser)`.
    func displayNames(_ users: [UserID]) throws(StoreError) -> [String] {
        var names: [String] = []
        for user in users {
            guard let found = try self.people.user(user) else { throw .refused(.noSuchUser) }
            names.append(found.displayName ?? found.name.text)
        }
        return names
    }
}

extension WriteTransaction {
    /// Members of `names` who can be brought into a group: not the asker, and nobody who has blocked them.
    ///
    /// - Throws: `refused(.noSuchUser)`.
    func invited(_ names: [UserName], by asker: UserID) throws(StoreError) -> [UserID] {
        var users: [UserID] = []
        for user in try self.reading.knownPeople(names) where user != asker {
            if try !self.reading.people.isListed(asker, by: user, on: .blocked) { users.append(user) }
        }
        return users
    }
}
