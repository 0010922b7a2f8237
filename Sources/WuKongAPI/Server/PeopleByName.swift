import ChatModel
import Store

extension WriteTransaction {
    /// The numbers of people, who are added when missing: WuKongIM knows no list of people, any uid may be named.
    func ensureUsers(_ names: [UserName]) throws(StoreError) -> [UserID] {
        var ids: [UserID] = []
        ids.reserveCapacity(names.count)
        for name in names { ids.append(try self.people.ensureUser(name).id) }
        return ids
    }
}

extension ReadTransaction {
    /// The numbers of those of these people who exist.
    func knownUsers(_ names: [UserName]) throws(StoreError) -> [UserID] {
        var ids: [UserID] = []
        for name in names { if let user = try self.people.user(named: name) { ids.append(user.id) } }
        return ids
    }

    /// Somebody who must exist.
    func existingUser(_ name: UserName) throws(StoreError) -> UserID {
        guard let user = try self.people.user(named: name) else { throw .notFound("\(name)") }
        return user.id
    }
}
