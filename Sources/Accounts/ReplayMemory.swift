/// Which signatures were used. A value without a lock of its own.
///
/// It remembers the newest 65,536, in about 4 MB. When there are more within the time that signatures are good for, the
/// oldest are forgotten, and could be used a second time.
struct ReplayMemory {
    static let maximumEntries = 65_536

    /// A hash of who used which signature for what.
    private struct Key: Hashable {
        var high: UInt64
        var low: UInt64
    }

    private let capacity: Int
    private var known: Set<Key> = []
    /// In the order they were used; beyond the capacity the place of the oldest is taken.
    private var order: [Key] = []
    private var oldest = 0

    init(capacity: Int = ReplayMemory.maximumEntries) { self.capacity = capacity }

    /// Notes that a right signature is used.
    ///
    /// - Returns: false when it was used before.
    mutating func use(_ signature: ActionSignature, for action: SignedAction) -> Bool {
        let key = Self.key(signature, action)
        guard self.known.insert(key).inserted else { return false }
        if self.order.count < self.capacity {
            self.order.append(key)
        } else {
            self.known.remove(self.order[self.oldest])
            self.order[self.oldest] = key
            self.oldest = (self.oldest + 1) % self.capacity
        }
        return true
    }

    private static func key(_ signature: ActionSignature, _ action: SignedAction) -> Key {
        let texts = action.texts(appID: "", timestamp: String(signature.timestamp), nonce: signature.nonce)
        // The word holds no zero byte.
        let hash = Sodium.hash(Array(action.word.utf8) + [0] + Array(texts[0].utf8))
        let number: (ArraySlice<UInt8>) -> UInt64 = { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        return Key(high: number(hash[0..<8]), low: number(hash[8..<16]))
    }
}
