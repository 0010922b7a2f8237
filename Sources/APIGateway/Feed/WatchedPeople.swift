import ChatModel

/// People whose presence one client follows, and what it was told of each last. Decides whom the broker is asked for and
/// what the client is told.
struct WatchedPeople {
    /// Result of following others than before.
    struct Change: Equatable {
        /// Followed no longer, or asked for anew.
        var dropped: Set<UserName>
        /// State of those who were followed and told already: it is said again.
        var known: [UserName: Bool]
        /// The broker has to be asked for them.
        var asked: Set<UserName>
    }

    /// Most people of one client.
    static let maximum = 500
    /// People who were not followed before that count as one more request.
    private static let askedPerRequest = 10
    /// The same of people who were: how they stand is known here, and said again.
    private static let knownPerRequest = 100

    /// `nil` for a person whose state was not told yet, or could not be.
    private var told: [UserName: Bool?] = [:]

    /// Everybody who is followed.
    var names: Set<UserName> { Set(self.told.keys) }

    /// Requests that following these people costs, beside the frame itself.
    func requests(for names: Set<UserName>) -> Int {
        let known = self.known(among: names).count
        return (names.count - known) / Self.askedPerRequest + known / Self.knownPerRequest
    }

    /// Follows these people instead of those that were followed before. Who is followed already is known here; the broker's
    /// thread, which is everybody's, is asked for the others only.
    mutating func watch(_ names: Set<UserName>) -> Change {
        let known = self.known(among: names)
        let asked = names.subtracting(known.keys)
        let dropped = self.names.subtracting(known.keys)
        self.told = known.mapValues { $0 }
        for name in asked { self.told.updateValue(nil, forKey: name) }
        return Change(dropped: dropped, known: known, asked: asked)
    }

    private func known(among names: Set<UserName>) -> [UserName: Bool] {
        self.told.filter { names.contains($0.key) }.compactMapValues { $0 }
    }

    /// Somebody came or went, or the broker has answered how they stand.
    ///
    /// - Returns: true when the client is to be told.
    mutating func change(_ name: UserName, _ isOnline: Bool) -> Bool {
        guard let last = self.told[name], last != isOnline else { return false }
        self.told[name] = isOnline
        return true
    }

    /// A state could not be told: it is asked for when the client watches again.
    mutating func forget(_ name: UserName) { self.told.updateValue(nil, forKey: name) }

    /// Follows nobody any more.
    ///
    /// - Returns: those who were followed.
    mutating func end() -> Set<UserName> {
        defer { self.told = [:] }
        return self.names
    }
}
