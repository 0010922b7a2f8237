import ChatModel

/// What people do to the messages of one group, kept in the plainest way.
struct MessageModel {
    struct Entry {
        let sender: UserID
        let body: String
        let sentAt: Int64
        let counts: Bool
        let wantsReceipt: Bool
        var edits: [String] = []
        var recalledBy: UserID?
        var isDeleted = false
        var isPinned = false
        var attributes: [String: Int] = [:]
        var hidden: Set<UserID> = []
        var heard: Set<UserID> = []
        var readers: Set<UserID> = []
        var reactions: Set<Given> = []
        /// Open or done.
        var reminders: [UserID: Bool] = [:]

        var isGone: Bool { self.withdrawnBy != nil }
        var withdrawnBy: UserID?
    }

    struct Given: Hashable {
        let user: UserID
        let name: String
    }

    /// What one person's client must have ended up with for one message.
    struct View: Equatable {
        var isRecalled = false
        var isDeleted = false
        var withdrawnBy: UserName?
        var edited: String?
        var editCount = 0
        var attributes: [String: Int] = [:]
        var isPinned = false
        var readerCount = 0
        var isHidden = false
        var isHeard = false
        var hasRead = false
        var reactions: Set<Given> = []
        /// `nil` without one.
        var reminderIsDone: Bool?
    }

    let names: [UserID: UserName]
    let managers: Set<UserID>
    let members: Set<UserID>
    let windowSeconds: Int64
    var entries: [Entry] = []
    var readUpTo: [UserID: Int] = [:]

    private func isOld(_ entry: Entry, _ now: Int64) -> Bool { (now - entry.sentAt) / 1_000 > self.windowSeconds }

    // MARK: Changes, each saying whether it is to be refused

    mutating func send(_ entry: Entry, mentions: [UserID]) {
        var entry = entry
        for user in mentions where self.members.contains(user) && user != entry.sender { entry.reminders[user] = false }
        self.entries.append(entry)
    }

    mutating func withdraw(_ index: Int, deleting: Bool, by user: UserID, at now: Int64) -> Bool {
        let entry = self.entries[index]
        let isManager = self.managers.contains(user)
        let isAuthorInTime = entry.sender == user && !self.isOld(entry, now)
        guard self.members.contains(user) else { return false }
        // Asked for again by who has done it: taken, and nothing changes.
        if deleting ? entry.isDeleted : entry.recalledBy != nil, entry.withdrawnBy == user { return true }
        guard isManager || isAuthorInTime else { return false }
        if deleting, entry.isDeleted { return true }
        guard deleting || !entry.isGone else { return false }
        if !deleting { self.entries[index].recalledBy = user }
        self.entries[index].isDeleted = deleting || entry.isDeleted
        self.entries[index].withdrawnBy = entry.withdrawnBy ?? user
        self.entries[index].isPinned = false
        self.entries[index].reminders = entry.reminders.mapValues { _ in true }
        return true
    }

    mutating func edit(_ index: Int, _ body: String, by user: UserID, at now: Int64) -> Bool {
        let entry = self.entries[index]
        guard self.members.contains(user), entry.sender == user, !entry.isGone else { return false }
        // The last edit asked for again is the same edit.
        if entry.edits.last == body { return true }
        guard !self.isOld(entry, now), entry.edits.count < 50 else { return false }
        self.entries[index].edits.append(body)
        return true
    }

    mutating func setAttribute(_ index: Int, _ key: String, _ value: Int?, by user: UserID) -> Bool {
        guard self.members.contains(user), !self.entries[index].isGone else { return false }
        self.entries[index].attributes[key] = value
        return true
    }

    mutating func pin(_ index: Int, _ isPinned: Bool, by user: UserID) -> Bool {
        guard self.managers.contains(user), !self.entries[index].isGone else { return false }
        self.entries[index].isPinned = isPinned
        return true
    }

    mutating func react(_ index: Int, _ name: String, by user: UserID) -> Bool {
        guard self.members.contains(user), !self.entries[index].isGone else { return false }
        let given = Given(user: user, name: name)
        if self.entries[index].reactions.remove(given) == nil { self.entries[index].reactions.insert(given) }
        return true
    }

    mutating func hide(_ index: Int, for user: UserID) -> Bool {
        guard self.members.contains(user) else { return false }
        self.entries[index].hidden.insert(user)
        return true
    }

    mutating func hear(_ index: Int, by user: UserID) -> Bool {
        guard self.members.contains(user) else { return false }
        self.entries[index].heard.insert(user)
        return true
    }

    mutating func report(_ indices: [Int], by user: UserID) -> Bool {
        guard self.members.contains(user) else { return false }
        for index in indices {
            let entry = self.entries[index]
            if entry.wantsReceipt && entry.sender != user && !entry.isGone { self.entries[index].readers.insert(user) }
        }
        return true
    }

    mutating func read(upTo count: Int, by user: UserID) -> Bool {
        guard self.members.contains(user) else { return false }
        self.readUpTo[user] = max(self.readUpTo[user] ?? 0, min(count, self.entries.count))
        return true
    }

    mutating func finishReminder(_ index: Int, by user: UserID) {
        if self.entries[index].reminders[user] != nil { self.entries[index].reminders[user] = true }
    }

    // MARK: Views

    func unread(_ user: UserID) -> Int {
        self.entries[(self.readUpTo[user] ?? 0)...].count {
            $0.counts && $0.sender != user && !$0.hidden.contains(user)
        }
    }

    func view(_ index: Int, for user: UserID) -> View {
        let entry = self.entries[index]
        var view = View()
        view.isRecalled = entry.recalledBy != nil
        view.isDeleted = entry.isDeleted
        view.withdrawnBy = entry.withdrawnBy.flatMap { self.names[$0] }
        view.isPinned = entry.isPinned
        view.readerCount = entry.readers.count
        view.isHidden = entry.hidden.contains(user)
        view.isHeard = entry.heard.contains(user)
        view.hasRead = entry.readers.contains(user)
        view.reactions = entry.reactions
        view.reminderIsDone = entry.reminders[user]
        if !entry.isGone {
            view.edited = entry.edits.last
            view.editCount = entry.edits.count
            view.attributes = entry.attributes
        }
        return view
    }
}
