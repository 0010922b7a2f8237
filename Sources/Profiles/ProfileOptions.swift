/// Options of the service. Every bound has its unit in the name or in its line.
package struct ProfileOptions: Sendable {
    /// People, conversations and lists of names kept in memory.
    package var cacheEntries = 50_000
    /// Bound of the memory, bytes.
    package var cacheBytes = 16 << 20
    /// How long an answer is believed when it does not say so itself. What is written here is never out of date: writes
    /// throw it out at once.
    package var ttlMilliseconds: Int64 = 300_000
    /// The longest time another user system may ask for.
    package var longestTTLMilliseconds: Int64 = 7 * 86_400_000
    /// How long somebody stays unknown.
    package var negativeTTLMilliseconds: Int64 = 30_000
    /// How long what is known here stands in for an answer that could not be had.
    package var retryMilliseconds: Int64 = 5_000
    /// How long the first miss waits for company.
    package var windowMilliseconds: Int64 = 3
    /// People asked for at once; a full batch waits no longer.
    package var batch = 100
    /// The longest time a look-up may wait for its answer.
    package var longestWaitMilliseconds: Int64 = 10_000
    /// Look-ups that may wait; one more is answered with what is there.
    package var waitingLookUps = 10_000
    /// Keys that may be asked for at the same time; more are answered with placeholders, and asked for next time.
    package var flights = 20_000
    /// People and conversations one watcher may name.
    package var watchedPerWatcher = 2_000
    /// People whose profiles a person may look up.
    package var visibility = ProfileVisibility.everybody

    package init() {}
}

/// People whose profiles a person may look up.
package enum ProfileVisibility: String, Sendable, CaseIterable {
    case everybody
    /// Their own, those of friends, of who shares a conversation that is no room, and of the server's accounts. Others
    /// look as if they did not exist.
    case acquainted
}
