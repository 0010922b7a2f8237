/// Signatures that were used, in the order of their first use. A value without a lock of its own.
///
/// It remembers the newest 65,536, in about 5 MB. When there are more within the time that signatures are good for, the
/// oldest are forgotten, and count as new when they come again.
struct ReplayMemory {
    static let maximumEntries = 65_536

    /// A hash of who used which signature for what.
    private struct Key: Hashable {
        var high: UInt64
        var low: UInt64
    }

    private let capacity: Int
    /// The number of the first use of each.
    private var known: [Key: Int64] = [:]
    /// First uses so far, those that are forgotten included.
    private(set) var uses: Int64 = 0
    /// In the order they were used; beyond the capacity the place of the oldest is taken.
    private var order: [Key] = []
    private var oldest = 0

    init(capacity: Int = ReplayMemory.maximumEntries) { self.capacity = capacity }

    /// Notes that a right signature is used.
    ///
    /// - Returns: false when it was used before.
    mutating func use(_ signature: ActionSignature, for action: SignedAction) -> Bool {
        let key = Self.key(signature, action)
        guard self.known[key] == nil else { return false }
        self.uses += 1
        self.known[key] = self.uses
        if self.order.count < self.capacity {
            self.order.append(key)
        } else {
            self.known[self.order[self.oldest]] = nil
            self.order[self.oldest] = key
            self.oldest = (self.oldest + 1) % self.capacity
        }
        return true
    }

    /// The number of a signature's first use, 1 and above; `nil` for one that was not used, or is forgotten.
    func firstUse(of signature: ActionSignature, for action: SignedAction) -> Int64? {
        self.known[Self.key(signature, action)]
    }

    private static func key(_ signature: ActionSignature, _ action: SignedAction) -> Key {
        let texts = action.texts(appID: "", timestamp: String(signature.timestamp), nonce: signature.nonce)
        // The word holds no zero byte.
        let hash = Sodium.hash(Array(action.word.utf8) + [0] + Array(texts[0].utf8))
        let number: (ArraySlice<UInt8>) -> UInt64 = { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        return Key(high: number(hash[0..<8]), low: number(hash[8..<16]))
    }
}
