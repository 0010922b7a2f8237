/// The number by which a client asks for what is new: a rising number of the size of nanoseconds since 1970.
///
/// The original uses the time of a change. Here it stands for the change number of the store, so that two changes of one
/// moment cannot be confused; it lies above every time the original has given out, so that a client that comes from
/// there is told everything once. Neighbours are 1024 apart, because JavaScript rounds numbers of this size by up to 256.
enum ConversationVersion {
    private static let base: Int64 = 2_000_000_000_000_000_000 / 1024 * 1024
    private static let distance: Int64 = 1024

    static func version(ofChange change: Int64) -> Int64 { self.base + change * self.distance }

    /// The change number; 0, which is everything, for what did not come from here.
    static func change(ofVersion version: Int64) -> Int64 {
        version > self.base ? (version - self.base + self.distance / 2) / self.distance : 0
    }
}
