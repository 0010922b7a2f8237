/// One number of a measurement.
package struct Figure: Equatable, Sendable {
    /// Unit of a value.
    package enum Unit: String, Sendable {
        case perSecond = "/s"
        case microseconds = "µs"
        case seconds = "s"
        case kibibytes = "KiB"
        case bytes = "B"
        case percent = "%"
    }

    /// Name of the value.
    package var name: String
    /// Number, in `unit`.
    package var value: Double
    /// Unit of the value.
    package var unit: Unit

    package init(_ name: String, _ value: Double, _ unit: Unit) {
        self.name = name
        self.value = value
        self.unit = unit
    }

    /// True when more is better, as it is for rates only.
    package var higherIsBetter: Bool { self.unit == .perSecond }

    /// The value as people read it.
    package var text: String {
        switch self.unit {
        case .perSecond, .kibibytes, .bytes, .percent: decimal(self.value, places: 0)
        case .microseconds: decimal(self.value, places: self.value < 100 ? 2 : 0)
        case .seconds: decimal(self.value, places: 3)
        }
    }
}

/// Measurement of one scenario on one server, once or as the median of several rounds.
package struct Measurement: Equatable, Sendable {
    /// Scenario that was measured.
    package var scenario: String
    /// Server that was measured.
    package var server: String
    /// The first one is what servers are compared by.
    package var metrics: [Figure]
    /// Faults that the check of deliveries found.
    package var faults: Faults
    /// Notes that the reader needs before believing the numbers.
    package var notes: [String]

    package init(scenario: String, server: String, metrics: [Figure], faults: Faults = Faults(), notes: [String] = []) {
        self.scenario = scenario
        self.server = server
        self.metrics = metrics
        self.faults = faults
        self.notes = notes
    }

    /// The median of each figure; the faults of all rounds together. `nil` for no rounds.
    package static func median(of rounds: [Measurement]) -> Measurement? {
        guard var result = rounds.first else { return nil }
        for place in result.metrics.indices {
            let name = result.metrics[place].name
            let values = rounds.compactMap { round in round.metrics.first { $0.name == name }?.value }.sorted()
            result.metrics[place].value = values[(values.count - 1) / 2]
        }
        for round in rounds.dropFirst() {
            result.faults += round.faults
            for note in round.notes where !result.notes.contains(note) { result.notes.append(note) }
        }
        return result
    }

    /// How much better this is than `other` in the first figure: 2 for twice the rate, or half the time. `nil` when
    /// there is nothing to divide.
    package func advantage(over other: Measurement) -> Double? {
        guard let mine = self.metrics.first, let theirs = other.metrics.first, mine.name == theirs.name,
            mine.value > 0, theirs.value > 0
        else { return nil }
        let ratio = mine.value / theirs.value
        return mine.higherIsBetter ? ratio : 1 / ratio
    }
}
