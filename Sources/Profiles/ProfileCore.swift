import ChatModel
import Execution
import Store

/// Action of the shell once the core's lock is open again.
enum ProfileAction {
    case call(ProfileCall)
    /// Ask the store, and the other user system when there is one.
    case ask(ProfileBatch)
    /// The thread has a timer to look at.
    case wake
}

/// The decisions: what is in memory, what is being asked for, who waits. Events in, actions out; it neither blocks nor
/// calls anybody, and lives behind one lock.
///
/// An answer never overwrites an invalidation: a key that is invalidated while its question is under way marks that
/// question, whose answer is then thrown away and asked for again when somebody still wants it. So each key has an
/// epoch of its own without one being kept for keys that nobody asks for.
final class ProfileCore {
    let options: ProfileOptions
    let asksProvider: Bool
    /// Takes what watchers are to be told, in its order.
    private let tell: ([ProfileChange]) -> Void
    var cache: ProfileCache
    private(set) var flights: [ProfileKey: ProfileFlight] = [:]
    /// Flights that wait for their batch.
    private var nextPersons: [ProfileKey] = []
    private var nextOthers: [ProfileKey] = []
    private var windowEnds: Instant?
    private var batches: [UInt64: [ProfileFlight]] = [:]
    private var lastBatch: UInt64 = 0
    private var deadlines = TimerQueue<ProfileWaiter>()
    private var waiting = 0
    var isStopped = false
    var metrics = ProfileMetrics()

    init(_ options: ProfileOptions, asksProvider: Bool, tell: @escaping ([ProfileChange]) -> Void) {
        self.options = options
        self.asksProvider = asksProvider
        self.tell = tell
        self.cache = ProfileCache(maximumEntries: options.cacheEntries, maximumBytes: options.cacheBytes)
    }

    // MARK: Asking

    /// Value in memory that is still good, counted as a hit.
    func hit(_ key: ProfileKey, at now: Instant) -> ProfileValue? {
        guard let value = self.cache.fresh(key, at: now) else { return nil }
        self.metrics.hits += 1
        return value
    }

    /// Asks for keys of which at least one is not in memory.
    ///
    /// - Parameter wait: how long an answer may take, counted from when its question was asked: one that somebody has
    ///   waited for so long is not waited for again. 0 to answer at once with what is there.
    func ask(
        _ keys: Set<ProfileKey>, waitMilliseconds wait: Int64, at now: Instant,
        answer: @escaping ProfileAnswering
    ) -> [ProfileAction] {
        var values: [ProfileKey: ProfileValue] = [:]
        var missing: Set<ProfileKey> = []
        for key in keys {
            if let value = self.hit(key, at: now) {
                values[key] = value
            } else {
                missing.insert(key)
                if let old = self.cache.entry(key) { values[key] = old.value }
            }
        }
        guard !missing.isEmpty else { return [.call(answer(values, []))] }
        self.metrics.misses += Int64(missing.count)
        let waiter = ProfileWaiter(values: values, missing: missing, answer: answer)
        var actions: [ProfileAction] = []
        let patience = min(wait, self.options.longestWaitMilliseconds)
        let waits = patience > 0 && self.waiting < self.options.waitingLookUps && !self.isStopped
        for key in missing {
            guard let flight = self.flight(key, at: now, &actions) else {
                waiter.failed.insert(key)
                continue
            }
            guard waits else { continue }
            if flight.isOverdue(after: patience, at: now) {
                flight.isOwed = true
                waiter.failed.insert(key)
            } else {
                flight.add(waiter)
            }
        }
        if waits && waiter.failed.count < missing.count {
            self.waiting += 1
            self.deadlines.add(waiter, due: now.advanced(byMilliseconds: patience))
            actions.append(.wake)
        } else {
            actions.append(self.sendAway(waiter))
        }
        return actions
    }

    /// The question about a key: the one that was asked already, or a new one; `nil` when there are too many.
    private func flight(
        _ key: ProfileKey, at now: Instant, _ actions: inout [ProfileAction]
    ) -> ProfileFlight? {
        if let flight = self.flights[key] {
            self.metrics.coalesced += 1
            return flight
        }
        guard !self.isStopped, self.flights.count < self.options.flights else { return nil }
        if self.cache.entry(key) != nil { self.metrics.refreshes += 1 }
        let flight = ProfileFlight(key, since: now, asksProvider: self.asksProvider)
        self.queue(flight, at: now, &actions)
        return flight
    }

    private func queue(_ flight: ProfileFlight, at now: Instant, _ actions: inout [ProfileAction]) {
        self.flights[flight.key] = flight
        if flight.key.isPerson { self.nextPersons.append(flight.key) } else { self.nextOthers.append(flight.key) }
        if max(self.nextPersons.count, self.nextOthers.count) >= self.options.batch {
            actions.append(self.beginBatch())
        } else if self.windowEnds == nil {
            self.windowEnds = now.advanced(byMilliseconds: self.options.windowMilliseconds)
            actions.append(.wake)
        }
    }

    private func beginBatch() -> ProfileAction {
        let keys = self.nextPersons.prefix(self.options.batch) + self.nextOthers.prefix(self.options.batch)
        self.nextPersons.removeFirst(min(self.nextPersons.count, self.options.batch))
        self.nextOthers.removeFirst(min(self.nextOthers.count, self.options.batch))
        if self.nextPersons.isEmpty && self.nextOthers.isEmpty { self.windowEnds = nil }
        self.lastBatch += 1
        let batch = ProfileBatch(number: self.lastBatch, keys: Array(keys))
        let flights = keys.compactMap { self.flights[$0] }
        for flight in flights { flight.isUnderWay = true }
        self.batches[batch.number] = flights
        self.metrics.tableReads += 1
        if self.asksProvider && !batch.names.isEmpty { self.metrics.providerRequests += 1 }
        return .ask(batch)
    }

    /// Answers a waiter with what there is. What is missing is owed to the watchers.
    private func sendAway(_ waiter: ProfileWaiter) -> ProfileAction {
        for key in waiter.missing {
            self.flights[key]?.isOwed = true
        }
        self.metrics.placeholders += Int64(waiter.missing.count)
        return self.release(waiter)
    }

    private func release(_ waiter: ProfileWaiter) -> ProfileAction {
        guard let answer = waiter.answer else { return .call({}) }
        let call = answer(waiter.values, waiter.missing)
        waiter.answer = nil
        waiter.values = [:]
        return .call(call)
    }

    // MARK: Time

    /// Begins the batch whose window is over, and answers those who waited long enough.
    func passTime(to now: Instant) -> [ProfileAction] {
        var actions: [ProfileAction] = []
        if let end = self.windowEnds, end <= now {
            while self.windowEnds != nil { actions.append(self.beginBatch()) }
        }
        while let waiter = self.deadlines.popDue(at: now) {
            guard waiter.answer != nil else { continue }
            self.waiting -= 1
            actions.append(self.sendAway(waiter))
        }
        return actions
    }

    /// When time has to pass next.
    var nextDue: Instant? {
        switch (self.windowEnds, self.deadlines.nextDue) {
        case (let window?, let deadline?): min(window, deadline)
        case (let window, let deadline): window ?? deadline
        }
    }

    // MARK: Answers

    /// The store answered a batch; `nil` when it could not.
    func tableAnswered(_ batch: ProfileBatch, _ answer: ProfileTableAnswer?, at now: Instant) -> [ProfileAction] {
        if answer == nil { self.metrics.tableFailures += 1 }
        var actions: [ProfileAction] = []
        for flight in self.batches[batch.number] ?? [] {
            if case .person(let name) = flight.key {
                flight.row = answer.map { .got($0.rows[name]) } ?? .failed
                self.settle(flight, name, at: now, &actions)
            } else {
                self.finish(flight, answer?.others[flight.key], at: now, &actions)
            }
        }
        self.drop(batch)
        return actions
    }

    /// The other user system answered a batch; `nil` when it could not.
    func providerAnswered(
        _ batch: ProfileBatch, _ answer: [UserName: FetchedProfile]?, at now: Instant
    ) -> [ProfileAction] {
        var actions: [ProfileAction] = []
        for flight in self.batches[batch.number] ?? [] {
            guard case .person(let name) = flight.key else { continue }
            flight.fetched = answer.map { .got($0[name]) } ?? .failed
            self.settle(flight, name, at: now, &actions)
        }
        self.drop(batch)
        return actions
    }

    /// Forgets a batch of which everything is answered.
    private func drop(_ batch: ProfileBatch) {
        let isOpen = self.batches[batch.number]?.contains { self.flights[$0.key] === $0 } ?? false
        if !isOpen { self.batches[batch.number] = nil }
    }

    /// One of the two answers about a person came.
    private func settle(
        _ flight: ProfileFlight, _ name: UserName, at now: Instant, _ actions: inout [ProfileAction]
    ) {
        guard !flight.row.isWaiting else { return }
        let known = self.known(flight, name)
        guard flight.fetched.isWaiting else {
            return self.finish(flight, known.map(ProfileValue.person), at: now, &actions)
        }
        // What the table says is shown meanwhile. It counts as out of date, so that nobody takes it for the last word.
        guard let known, !flight.isOutdated else { return }
        let old = self.cache.entry(flight.key)?.value
        let value = ProfileValue.person(known)
        flight.before = .some(old)
        self.cache.set(flight.key, value, at: now, until: now)
        for waiter in flight.waiters { waiter.values[flight.key] = value }
        if flight.isOwed { self.tellAnswer(flight, old, value) }
    }

    /// A person, field by field: the other user system first, then the table; while the former is silent, what it said
    /// last stands.
    private func known(_ flight: ProfileFlight, _ name: UserName) -> KnownPerson? {
        let row = flight.row.value ?? nil
        var fetched = flight.fetched.value ?? nil
        let isSilent = flight.fetched.value == nil
        if isSilent, case .person(let old)? = self.cache.entry(flight.key)?.value { fetched = old.fetched }
        let isHalf = flight.row.value == nil || isSilent
        guard flight.row.value != nil || fetched != nil else { return nil }
        let source: ProfileSource =
            switch (row, fetched) {
            case (nil, nil): .nobody
            case (_, nil): .table
            case (nil, _): .provider
            case (.some, .some): .both
            }
        let info = ProfileInfo(
            name: name, externalID: fetched?.externalID ?? row?.externalID,
            displayName: fetched?.displayName ?? row?.displayName, picture: Self.picture(row, fetched),
            attributes: fetched?.attributes ?? row?.attributes, isKnown: row != nil || fetched != nil,
            isDisabled: row?.isDisabled ?? false, change: row?.change ?? 0, isPlaceholder: isHalf)
        return KnownPerson(user: row?.user, info: info, source: source, fetched: fetched)
    }

    /// The two sizes of one picture: never the large size of one and the small size of another.
    private static func picture(_ row: ProfileRow?, _ fetched: FetchedProfile?) -> Picture {
        if let fetched, fetched.picture != Picture() { return fetched.picture }
        return Picture(full: row?.avatar, small: row?.avatarSmall)
    }

    /// The last word about a key, or that there is none.
    private func finish(
        _ flight: ProfileFlight, _ value: ProfileValue?, at now: Instant, _ actions: inout [ProfileAction]
    ) {
        guard self.flights[flight.key] === flight else { return }
        self.flights[flight.key] = nil
        if flight.isOutdated { return self.askAgain(flight, at: now, &actions) }
        if let value {
            let kept = self.cache.entry(flight.key)?.value
            let old = flight.isOwed ? kept : flight.before ?? kept
            self.cache.set(
                flight.key, value, at: now, until: now.advanced(byMilliseconds: self.lifetime(value, flight)))
            self.tellAnswer(flight, old, value)
        }
        for waiter in flight.waiters where waiter.answer != nil {
            if let value {
                waiter.values[flight.key] = value
                waiter.missing.remove(flight.key)
            } else {
                waiter.failed.insert(flight.key)
            }
            guard waiter.missing.count == waiter.failed.count else { continue }
            self.waiting -= 1
            self.metrics.placeholders += Int64(waiter.missing.count)
            actions.append(self.release(waiter))
        }
    }

    private func askAgain(_ old: ProfileFlight, at now: Instant, _ actions: inout [ProfileAction]) {
        self.metrics.outdated += 1
        old.waiters.removeAll { $0.answer == nil }
        guard !self.isStopped, old.isOwed || !old.waiters.isEmpty else { return }
        let flight = ProfileFlight(old.key, since: now, asksProvider: self.asksProvider)
        flight.waiters = old.waiters
        flight.isOwed = old.isOwed
        for waiter in flight.waiters { waiter.values[old.key] = nil }
        self.queue(flight, at: now, &actions)
    }

    private func lifetime(_ value: ProfileValue, _ flight: ProfileFlight) -> Int64 {
        let options = self.options
        switch value {
        case .person(let person) where person.info.isPlaceholder: return options.retryMilliseconds
        case .person(let person) where !person.info.isKnown: return options.negativeTTLMilliseconds
        case .person(let person):
            guard let said = person.fetched?.ttlMilliseconds else { return options.ttlMilliseconds }
            // Not below a second: an answer that may not be kept at all would be asked for with every look.
            return min(max(said, 1_000), options.longestTTLMilliseconds)
        case .team(let team) where !team.info.isKnown: return options.negativeTTLMilliseconds
        case .remarks, .names, .team: return options.ttlMilliseconds
        }
    }

    // MARK: What watchers are told

    private func tellAnswer(_ flight: ProfileFlight, _ old: ProfileValue?, _ new: ProfileValue) {
        guard flight.isOwed || old != nil else { return }
        switch (flight.key, old, new) {
        case (.person(let name), _, .person(let person)):
            var before = ProfileInfo.placeholder(name)
            if case .person(let known)? = old { before = known.info }
            var fields = Self.difference(before, person.info)
            if flight.isOwed && !person.info.isPlaceholder { fields.insert(.existence) }
            if !fields.isEmpty { self.tell([ProfileChange(.person(name), fields, .answer)]) }
        case (.asker(let user), nil, .remarks(let known)) where known.remarks != OwnRemarks():
            self.tell([ProfileChange(.all, .alias, .answer, onlyFor: user)])
        case (.names(let id), nil, .names(let known)) where !known.names.nicknames.isEmpty:
            self.tell([ProfileChange(.members(id), .teamName, .answer)])
        case (.team(let id), nil, .team):
            self.tell([ProfileChange(.team(id), [.name, .picture, .notice, .members, .existence], .answer)])
        case (.person, _, _), (.asker, _, _), (.names, _, _), (.team, _, _): break
        }
    }

    private static func difference(_ old: ProfileInfo, _ new: ProfileInfo) -> ProfileFields {
        var fields: ProfileFields = []
        if old.displayName != new.displayName { fields.insert(.name) }
        if old.picture != new.picture { fields.insert(.picture) }
        if old.attributes != new.attributes { fields.insert(.attributes) }
        if old.externalID != new.externalID { fields.insert(.externalID) }
        if old.isKnown != new.isKnown || old.isDisabled != new.isDisabled { fields.insert(.existence) }
        return fields
    }

    // MARK: Invalidation

    /// Throws keys out. Questions under way about them are asked again.
    func throwOut(_ keys: [ProfileKey], _ changes: [ProfileChange], at wallMilliseconds: Int64) {
        for key in keys {
            self.metrics.invalidations += 1
            self.cache.remove(key)
            if let flight = self.flights[key], flight.isUnderWay { flight.isOutdated = true }
        }
        self.metrics.lastInvalidatedAtMilliseconds = wallMilliseconds
        self.tell(changes)
    }

    func throwOutAll(_ cause: ProfileCause, at wallMilliseconds: Int64) {
        self.metrics.invalidations += 1
        self.cache.removeAll()
        for flight in self.flights.values where flight.isUnderWay { flight.isOutdated = true }
        self.metrics.lastInvalidatedAtMilliseconds = wallMilliseconds
        self.tell([ProfileChange(.all, [], cause)])
    }

    // MARK: The end

    /// Answers everybody with what there is.
    func stop() -> [ProfileAction] {
        self.isStopped = true
        var actions: [ProfileAction] = []
        for flight in self.flights.values {
            for waiter in flight.waiters where waiter.answer != nil {
                self.waiting -= 1
                actions.append(self.sendAway(waiter))
            }
        }
        self.flights = [:]
        self.batches = [:]
        self.nextPersons = []
        self.nextOthers = []
        self.windowEnds = nil
        return actions
    }

    var currentMetrics: ProfileMetrics {
        var metrics = self.metrics
        metrics.entries = Int64(self.cache.count)
        metrics.bytes = Int64(self.cache.bytes)
        metrics.evicted = self.cache.evicted
        metrics.waiting = Int64(self.waiting)
        metrics.flights = Int64(self.flights.count)
        return metrics
    }
}
