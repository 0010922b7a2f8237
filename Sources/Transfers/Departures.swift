import ChatModel

/// Transfers that left memory while rows were being read: a row that was read before that may be out of date.
struct Departures {
    /// How many left, ever.
    private(set) var count: UInt64 = 0
    /// The counts at which reading began that goes on.
    private var reading: [UInt64] = []
    private var views: [TransferKey: (view: TransferView, number: UInt64)] = [:]

    mutating func add(_ view: TransferView) {
        self.count += 1
        guard !self.reading.isEmpty else { return }
        self.views[view.record.key] = (view, self.count)
    }

    /// - Returns: what `view(of:since:)` and `endReading` want to know.
    mutating func beginReading() -> UInt64 {
        self.reading.append(self.count)
        return self.count
    }

    /// Last view of a transfer, if it left since reading began.
    func view(of key: TransferKey, since begun: UInt64) -> TransferView? {
        self.views[key].flatMap { $0.number > begun ? $0.view : nil }
    }

    mutating func endReading(_ begun: UInt64) {
        if let index = self.reading.firstIndex(of: begun) { self.reading.remove(at: index) }
        guard let oldest = self.reading.min() else { return self.views.removeAll() }
        self.views = self.views.filter { $0.value.number > oldest }
    }
}
