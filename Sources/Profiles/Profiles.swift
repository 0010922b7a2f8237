package import ChatModel
package import Diagnostics
package import Execution
package import Store

/// Service for profiles of people and cards of conversations, for every client alike.
///
/// Answers come from memory, from the user table, and from another user system when there is one: the latter wins field
/// by field; what an asker calls a friend and what a team calls a member are always ours. A look-up never fails as a
/// whole. What is not known yet is answered by a placeholder, and watchers are told when the real answer comes. Every
/// write here throws out what it concerns before the writer is answered.
///
/// Any thread. What is in memory is answered on the caller's thread before the call returns; anything else on a thread
/// of the store, the provider or the service: callbacks must be short and must not wait.
package final class Profiles: Sendable {
    private let engine: ProfileEngine
    private let thread: Thread

    /// Starts the service. It takes `store.onProfileChanges` for itself.
    ///
    /// - Parameter remote: another user system; `nil` for none.
    package init(
        store: Store, options: ProfileOptions = ProfileOptions(), remote: (any ProfileProvider)? = nil,
        clock: Clock = .system, log: Log = .silent
    ) {
        let engine = ProfileEngine(store, options, remote, clock, log)
        self.engine = engine
        self.thread = Thread(name: "profiles") { engine.run() }
        store.onProfileChanges = { [weak engine] writes in engine?.written(writes) }
    }

    /// Answers who waits with what is there, and ends the thread. Later look-ups are answered from memory alone. Once
    /// only, before the store is closed; not on the thread of a callback.
    package func stop() {
        self.engine.stop()
        self.thread.join()
    }

    /// Makes the service look at its clock: for tests that turn it by hand.
    package func wake() { self.engine.wake() }

    // MARK: People

    /// True where people see those alone with whom they share a conversation or a friendship (`profiles.visible_to`): a
    /// list names nobody else.
    package var showsOnlyAcquainted: Bool { self.engine.options.visibility == .acquainted }

    /// Finds those of some people whose profile and presence a person may know: all of them, or where
    /// `showsOnlyAcquainted` says so those alone whom one read of the store finds. When the store is too busy to say whom
    /// they know, they know nobody. `then` runs once, on this thread or the store's.
    package func visible(
        _ names: Set<UserName>, to asker: UserID, then: @escaping @Sendable (Set<UserName>) -> Void
    ) {
        guard self.showsOnlyAcquainted else { return then(names) }
        self.engine.store.read(
            for: .person(asker),
            { reading throws(StoreError) in try reading.profiles.acquaintances(of: asker, among: names) }
        ) { result in then((try? result.get()) ?? []) }
    }

    /// Profile in memory and not out of date, as everybody sees it; nothing is asked for.
    package func cached(_ name: UserName) -> ProfileInfo? {
        let now = self.engine.clock.now()
        return self.engine.core.withLock { core in
            guard case .person(let person)? = core.hit(.person(name), at: now) else { return nil }
            return person.info
        }
    }

    /// Looks people up: one answer for each name, in their order.
    ///
    /// - Parameters:
    ///   - asker: whose words for them and whose conversations count; `nil` for the server itself, which sees all.
    ///   - conversation: whose names are meant; of no effect when the asker is not in it.
    ///   - wait: how long an answer may take, at most `longestWaitMilliseconds`. 0 answers at once, what is not known
    ///     as a placeholder.
    ///   - then: runs once.
    package func lookUp(
        _ names: [UserName], by asker: UserID?, in conversation: ConversationID?, waitMilliseconds wait: Int64,
        then: @escaping @Sendable ([ProfileInfo]) -> Void
    ) {
        guard self.engine.options.visibility == .acquainted, let asker else {
            return self.engine.lookUp(names, by: asker, in: conversation, waitMilliseconds: wait, then: then)
        }
        let engine = self.engine
        engine.store.read(
            for: .person(asker),
            { reading throws(StoreError) in try reading.profiles.acquaintances(of: asker, among: names) }
        ) { result in
            // When the store is too busy to say who they know, they know nobody: never the other way round.
            let visible = (try? result.get()) ?? []
            let allowed = names.filter(visible.contains)
            engine.lookUp(allowed, by: asker, in: conversation, waitMilliseconds: wait) { infos in
                var rest = infos[...]
                then(names.map { visible.contains($0) ? rest.removeFirst() : ProfileInfo(name: $0, isKnown: false) })
            }
        }
    }

    /// Profile at once: from memory, or a placeholder while it is asked for. For the server's own texts; it does not
    /// check whether the asker may look the person up.
    package func info(
        user name: UserName, by asker: UserID? = nil, in conversation: ConversationID? = nil
    ) -> ProfileInfo {
        let answer = Lock<ProfileInfo?>(nil)
        self.engine.lookUp([name], by: asker, in: conversation, waitMilliseconds: 0) { infos in
            answer.withLock { $0 = infos.first }
        }
        return answer.withLock { $0 } ?? .placeholder(name)
    }

    /// Profile of a message's sender, at once. Nobody is asked about people in a room: the message carries their name,
    /// or it is the one in memory, or the id.
    package func info(
        senderOf message: Message, kind: ConversationKind, by asker: UserID? = nil
    ) -> ProfileInfo {
        guard kind == .room else {
            return self.info(user: message.senderName, by: asker, in: message.conversation)
        }
        var info = self.cached(message.senderName) ?? ProfileInfo(name: message.senderName)
        info.teamName = CarriedName.read(message.content)
        return info
    }

    // MARK: Conversations

    /// Card of a conversation. Nobody outside it learns anything of it, unless it is a room.
    ///
    /// - Parameters:
    ///   - asker: `nil` for the server itself, which sees all.
    ///   - wait: how long an answer may take; 0 answers at once.
    ///   - then: runs once.
    package func team(
        _ id: ConversationID, by asker: UserID? = nil, waitMilliseconds wait: Int64 = 0,
        then: @escaping @Sendable (TeamInfo) -> Void
    ) {
        self.engine.team(id, by: asker, waitMilliseconds: wait, then: then)
    }

    /// Card of a conversation, at once: from memory, or a placeholder while it is asked for.
    package func info(team id: ConversationID, by asker: UserID? = nil) -> TeamInfo {
        let answer = Lock<TeamInfo?>(nil)
        self.engine.team(id, by: asker, waitMilliseconds: 0) { info in answer.withLock { $0 = info } }
        return answer.withLock { $0 } ?? TeamInfo(conversation: id, isPlaceholder: true)
    }

    // MARK: Changes

    /// Throws out what is in memory and tells watchers. Answers that are on their way are not kept.
    package func invalidate(_ what: Invalidation, cause: ProfileCause) { self.engine.invalidate(what, cause) }

    /// Writes a person's profile, and answers with what is shown from then on.
    ///
    /// - Parameters:
    ///   - externalID: what another user system calls them; empty removes it, `nil` leaves it.
    ///   - then: runs once. Fails with `notFound` for nobody, and with what `setProfile` and `setExternalID` throw.
    package func setProfile(
        of name: UserName, _ patch: ProfilePatch, externalID: String? = nil, auditing note: AuditNote? = nil,
        then: @escaping @Sendable (Result<ProfileInfo, StoreError>) -> Void
    ) {
        let engine = self.engine
        engine.store.write(
            auditing: note,
            { writing throws(StoreError) in
                guard let user = try writing.reading.people.user(named: name) else { throw .notFound("user \(name)") }
                try writing.people.setProfile(of: user.id, patch)
                if let externalID { try writing.people.setExternalID(user.id, externalID.isEmpty ? nil : externalID) }
            }
        ) { result in
            if case .failure(let error) = result { return then(.failure(error)) }
            engine.lookUp([name], by: nil, in: nil, waitMilliseconds: 1_000) { infos in
                then(.success(infos.first ?? .placeholder(name)))
            }
        }
    }

    // MARK: Watching

    /// Tells of changes from now on, on the thread of the profiles.
    ///
    /// - Parameters:
    ///   - interest: whom and what; more names than `watchedPerWatcher` are not watched.
    ///   - asker: who watches: others' own words are not told them. `nil` for the server itself, which gets everything
    ///     and heeds `onlyFor`.
    package func watch(
        _ interest: WatchInterest = .everything, as asker: UserID? = nil,
        _ on: @escaping @Sendable (ProfileChange) -> Void
    ) -> WatchID {
        self.engine.watchers.withLock { $0.add(interest, asker: asker, on) }
    }

    /// Watches more people and conversations.
    ///
    /// - Returns: false, and nothing is added, above `watchedPerWatcher`, or when the watcher has ended.
    @discardableResult
    package func follow(persons: [UserName], teams: [ConversationID] = [], by id: WatchID) -> Bool {
        self.engine.watchers.withLock { $0.follow(persons, teams, id) }
    }

    /// Watches fewer people and conversations.
    package func unfollow(persons: [UserName], teams: [ConversationID] = [], by id: WatchID) {
        self.engine.watchers.withLock { $0.unfollow(persons, teams, id) }
    }

    /// Ends a watcher. A call that has begun may still come through.
    package func unwatch(_ id: WatchID) { self.engine.watchers.withLock { $0.remove(id) } }

    // MARK: For the operator

    /// Metrics of the service, from any thread.
    package var metrics: ProfileMetrics { self.engine.metrics }

    /// Facts in memory about one person; nothing is asked for and nothing counted.
    package func inspect(_ name: UserName) -> ProfileInspection {
        let now = self.engine.clock.now()
        let watchers = self.engine.watchers.withLock { $0.count(of: name) }
        return self.engine.core.withLock { core in
            let key = ProfileKey.person(name)
            var inspection = ProfileInspection(isBeingAsked: core.flights[key] != nil, watchers: watchers)
            if let entry = core.cache.entry(key), case .person(let person) = entry.value {
                inspection.info = person.info
                inspection.source = person.source
                inspection.ageMilliseconds = now.milliseconds(since: entry.loadedAt)
                inspection.leftMilliseconds = entry.expiresAt.milliseconds(since: now)
            }
            return inspection
        }
    }
}
