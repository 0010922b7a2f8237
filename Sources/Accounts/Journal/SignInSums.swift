import Execution

/// Decides which attempts get an entry of their own, and sums the others. A value of the journal's thread.
///
/// The first attempts of a kind within a minute are written, the ones after them summed, so that a flood costs a few lines a
/// minute. A refusal is like another one with the same result at the same gateway from the same address; a sign-in is like
/// another one of the same person and device, too. Addresses of IPv6 are one per /64, of which a single machine has as many as
/// it likes: a sum of several has the network.
struct SignInSums {
    /// Attempts of a kind that are written within a window.
    static let written = 10
    /// Time after which sums are written and counting begins anew, seconds.
    static let windowSeconds = 60.0
    /// Kinds that are counted at once; attempts of more are summed together.
    static let maximumKinds = 8_192

    private struct Key: Hashable {
        var result: String
        /// Address of the peer, for IPv6 its /64.
        var throttleKey: String
        var user: String?
        var device: String?
        var gateway: String?
    }

    private struct Sum {
        var count = 0
        /// Newest attempt that was summed, and the number of those.
        var last: SignInEntry?
        var summed: Int64 = 0
        /// True when those came from several addresses of the network.
        var isOfNetwork = false
    }

    private var sums: [Key: Sum] = [:]
    /// Attempts of kinds that there was no room for.
    private var rest = Sum()
    private var until: Instant?

    /// True while something is counted.
    var isOpen: Bool { self.until != nil }

    /// Takes an attempt.
    ///
    /// - Parameter throttleKey: the address, for IPv6 its /64; `nil` for the address of the entry.
    /// - Returns: the entry when it is written by itself.
    mutating func take(
        _ entry: SignInEntry, throttleKey: String? = nil, at now: Instant
    ) -> SignInEntry? {
        if self.until == nil { self.until = now.advanced(bySeconds: Self.windowSeconds) }
        let isRefused = entry.result != SignInJournal.signedIn
        let key = Key(
            result: entry.result ?? "", throttleKey: throttleKey ?? entry.address ?? "",
            user: isRefused ? nil : entry.user,
            device: isRefused ? nil : entry.device, gateway: entry.gateway)
        if self.sums[key] == nil, self.sums.count >= Self.maximumKinds {
            self.rest.summed += 1
            self.rest.last = entry
            return nil
        }
        var sum = self.sums[key] ?? Sum()
        defer { self.sums[key] = sum }
        sum.count += 1
        guard sum.count > Self.written else { return entry }
        sum.summed += 1
        if let last = sum.last, last.address != entry.address { sum.isOfNetwork = true }
        sum.last = entry
        return nil
    }

    /// The entries of the sums, when the window is over or `isLast`; then counting begins anew.
    mutating func close(at now: Instant, isLast: Bool = false) -> [SignInEntry] {
        guard let until = self.until, isLast || until <= now else { return [] }
        var entries: [SignInEntry] = []
        for (key, sum) in self.sums {
            guard var entry = sum.last else { continue }
            entry.kind = .sum
            entry.count = sum.summed
            if sum.isOfNetwork { entry.address = key.throttleKey }
            // The names and reasons of a flood differ: the sum says no more than what they share.
            if key.result != SignInJournal.signedIn {
                (entry.user, entry.device, entry.credentials, entry.reason) = (nil, nil, nil, nil)
            }
            entries.append(entry)
        }
        if let last = self.rest.last {
            var entry = SignInEntry(.sum, at: last.atMilliseconds)
            entry.count = self.rest.summed
            entries.append(entry)
        }
        self = SignInSums()
        return entries.sorted { ($0.atMilliseconds, $0.address ?? "") < ($1.atMilliseconds, $1.address ?? "") }
    }
}
