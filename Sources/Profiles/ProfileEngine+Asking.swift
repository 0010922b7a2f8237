import ChatModel
import Execution
import Store

extension ProfileEngine {
    // MARK: People

    func lookUp(
        _ names: [UserName], by asker: UserID?, in conversation: ConversationID?, waitMilliseconds wait: Int64,
        then: @escaping @Sendable ([ProfileInfo]) -> Void
    ) {
        let now = self.clock.now()
        let context = ProfileContext(asker: asker, conversation: conversation)
        // Under the lock only references are gathered: what is shown is put together outside.
        if let found = self.core.withLock({ context.find(names, in: $0, at: now) }) {
            return then(context.infos(found))
        }
        let actions = self.core.withLock { core in
            let keys = Set(names.map(ProfileKey.person) + context.keys)
            return core.ask(keys, waitMilliseconds: wait, at: now) { values, missing in
                let infos = context.infos(names, values, missing)
                return { then(infos) }
            }
        }
        self.perform(actions)
    }

    // MARK: Conversations

    func team(
        _ id: ConversationID, by asker: UserID?, waitMilliseconds wait: Int64,
        then: @escaping @Sendable (TeamInfo) -> Void
    ) {
        let now = self.clock.now()
        let context = ProfileContext(asker: asker, conversation: asker == nil ? nil : id)
        let actions = self.core.withLock { core in
            core.ask(Set(context.keys + [.team(id)]), waitMilliseconds: wait, at: now) { values, missing in
                let info = context.team(id, values, isWhole: missing.isEmpty)
                return { then(info) }
            }
        }
        self.perform(actions)
    }

    // MARK: Changes

    /// A commit changed how somebody or something is shown. On the writer's thread.
    func written(_ writes: [ProfileWrite]) {
        var keys: [ProfileKey] = []
        var changes: [ProfileChange] = []
        for write in writes {
            switch write {
            case .person(let name, let fields):
                keys.append(.person(name))
                changes.append(ProfileChange(.person(name), fields, .write))
            case .nickname(let name, let id):
                keys.append(.names(id))
                changes.append(ProfileChange(.member(name, id), .teamName, .write))
            case .members(let id):
                keys += [.names(id), .team(id)]
                changes.append(ProfileChange(.members(id), .members, .write))
            case .team(let id, let fields):
                keys.append(.team(id))
                // A new one has members whom nobody could name before.
                if fields.contains(.existence) { keys.append(.names(id)) }
                changes.append(ProfileChange(.team(id), fields, .write))
            case .remark(let owner, let name):
                keys.append(.asker(owner))
                changes.append(ProfileChange(.person(name), .alias, .write, onlyFor: owner))
            case .teamRemark(let owner, let id):
                keys.append(.asker(owner))
                changes.append(ProfileChange(.team(id), .alias, .write, onlyFor: owner))
            }
        }
        self.throwOut(keys, changes)
    }

    private func throwOut(_ keys: [ProfileKey], _ changes: [ProfileChange]) {
        let wall = self.clock.wallMilliseconds()
        self.core.withLock { $0.throwOut(keys, changes, at: wall) }
    }

    func invalidate(_ what: Invalidation, _ cause: ProfileCause) {
        let all: ProfileFields = [.name, .picture, .attributes, .externalID, .existence]
        switch what {
        case .person(let name): self.throwOut([.person(name)], [ProfileChange(.person(name), all, cause)])
        case .members(let id):
            self.throwOut([.names(id)], [ProfileChange(.members(id), .teamName, cause)])
            // Who they are, only the store knows. Those who come in between are read anew anyway.
            self.store.read(for: .server, { reading throws(StoreError) in try reading.profiles.memberNames(of: id) }) {
                result in
                guard let names = try? result.get() else { return }
                self.throwOut(names.map(ProfileKey.person), names.map { ProfileChange(.person($0), all, cause) })
            }
        case .team(let id):
            let fields: ProfileFields = [.name, .picture, .notice, .attributes, .members, .flags]
            self.throwOut([.team(id)], [ProfileChange(.team(id), fields, cause)])
        case .all:
            let wall = self.clock.wallMilliseconds()
            self.core.withLock { $0.throwOutAll(cause, at: wall) }
        }
    }
}

/// Asker and place of a look-up: they decide which parts of an answer the asker may see.
struct ProfileContext: Sendable {
    let asker: UserID?
    let conversation: ConversationID?

    /// Keys that must be known beside the people themselves.
    var keys: [ProfileKey] {
        var keys: [ProfileKey] = []
        if let asker { keys.append(.asker(asker)) }
        if let conversation { keys.append(.names(conversation)) }
        return keys
    }

    /// Everything a look-up needs, found in memory.
    struct Found {
        var people: [KnownPerson] = []
        var remarks: KnownRemarks?
        var names: KnownNames?
    }

    /// Everything from memory, or `nil` when something is missing: the way of nearly every look-up.
    func find(_ names: [UserName], in core: ProfileCore, at now: Instant) -> Found? {
        var found = Found()
        if let asker {
            guard case .remarks(let known)? = core.cache.fresh(.asker(asker), at: now) else { return nil }
            found.remarks = known
        }
        if let conversation {
            guard case .names(let known)? = core.cache.fresh(.names(conversation), at: now) else { return nil }
            found.names = known
        }
        found.people.reserveCapacity(names.count)
        for name in names {
            guard case .person(let person)? = core.cache.fresh(.person(name), at: now) else { return nil }
            found.people.append(person)
        }
        core.metrics.hits += Int64(names.count)
        return found
    }

    func infos(_ found: Found) -> [ProfileInfo] {
        let remarks = found.remarks?.remarks
        let team = found.names.flatMap { self.maySee($0.names) ? $0.names : nil }
        return found.people.map { Self.info($0, remarks, team) }
    }

    /// From what came; what is missing is marked.
    func infos(
        _ names: [UserName], _ values: [ProfileKey: ProfileValue], _ missing: Set<ProfileKey>
    ) -> [ProfileInfo] {
        let isContextMissing = self.keys.contains(where: missing.contains)
        let (remarks, team) = self.words(values)
        return names.map { name in
            let key = ProfileKey.person(name)
            guard case .person(let person)? = values[key] else { return .placeholder(name) }
            var info = Self.info(person, remarks, team)
            if isContextMissing || missing.contains(key) { info.isPlaceholder = true }
            return info
        }
    }

    func team(_ id: ConversationID, _ values: [ProfileKey: ProfileValue], isWhole: Bool) -> TeamInfo {
        let hidden = TeamInfo(conversation: id, isPlaceholder: !isWhole)
        guard case .team(let known)? = values[.team(id)] else { return hidden }
        var info = known.info
        if let asker, info.kind != .room {
            guard case .names(let names)? = values[.names(id)], names.names.members.contains(asker) else {
                return hidden
            }
        }
        info.alias = self.words(values).remarks?.conversations[id]
        info.isPlaceholder = !isWhole
        return info
    }

    private func words(_ values: [ProfileKey: ProfileValue]) -> (remarks: OwnRemarks?, team: TeamNames?) {
        var remarks: OwnRemarks?
        var team: TeamNames?
        if let asker, case .remarks(let known)? = values[.asker(asker)] { remarks = known.remarks }
        if let conversation, case .names(let known)? = values[.names(conversation)], self.maySee(known.names) {
            team = known.names
        }
        return (remarks, team)
    }

    /// Names of a team are for those in it.
    private func maySee(_ names: TeamNames) -> Bool { self.asker.map(names.members.contains) ?? true }

    private static func info(_ person: KnownPerson, _ remarks: OwnRemarks?, _ team: TeamNames?) -> ProfileInfo {
        var info = person.info
        if let user = person.user {
            info.alias = remarks?.friends[user]
            info.teamName = team?.nicknames[user]
        }
        return info
    }
}
