/// Tells that a key is not in the table of client tokens without looking there: nearly every message is new, and each look
/// would be a page of its own.
///
/// A set of bits by two parts of the key, which is a hash: what was added is always found, and of the rest a few in a
/// hundred as long as there are not many more keys than bytes. It says nothing before every key of the table was added. Keys
/// that go stay in it until the next start.
struct TokenFilter {
    /// Bits at the start: for about as many keys as it has bytes.
    private static let bits = 1 << 23
    private static let mask = UInt64(Self.bits - 1)

    private var words = [UInt64](repeating: 0, count: Self.bits / 64)
    /// Every key of the table was added.
    private(set) var isWhole = false
    /// The newest key that was read from the table.
    private(set) var last = Int64.min

    /// Adds a key that is in the table, or is about to be.
    mutating func add(_ key: Int64) {
        let (one, other) = Self.places(key)
        self.words[one / 64] |= 1 << UInt64(one % 64)
        self.words[other / 64] |= 1 << UInt64(other % 64)
    }

    /// False when the table does not have the key.
    func mayHold(_ key: Int64) -> Bool {
        guard self.isWhole else { return true }
        let (one, other) = Self.places(key)
        return self.words[one / 64] >> UInt64(one % 64) & 1 != 0
            && self.words[other / 64] >> UInt64(other % 64) & 1 != 0
    }

    private static func places(_ key: Int64) -> (Int, Int) {
        let key = UInt64(bitPattern: key)
        return (Int(key & self.mask), Int(key >> 32 & self.mask))
    }

    /// Adds the next keys of the table, in their order.
    ///
    /// - Returns: whether there may be more.
    mutating func read(_ connection: Connection, limit: Int) throws(StoreError) -> Bool {
        guard !self.isWhole else { return false }
        let sql: StaticString = "SELECT key FROM client_token WHERE key > ? ORDER BY key LIMIT ?"
        let keys = try connection.query(sql, self.last, limit) { row throws(StoreError) in row.int64(0) }
        for key in keys { self.add(key) }
        if let newest = keys.last { self.last = newest }
        self.isWhole = keys.count < limit
        return !self.isWhole
    }
}
