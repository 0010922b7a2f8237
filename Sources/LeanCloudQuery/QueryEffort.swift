import RegularExpressions

/// How much work the evaluation of a query may still cost, over all rows that it looks at.
///
/// A step is one comparison of two values, or one state of a regular expression at one place in a text: some
/// nanoseconds. It also keeps the memory that matching needs, so that looking at many rows allocates little.
package struct QueryEffort: Sendable {
    /// Steps that one query of a client may take: about a tenth of a second.
    package static let usualSteps = 20_000_000

    /// Steps that are left, 0 or more.
    package private(set) var remainingSteps: Int
    /// True when more steps were needed than there were. Answers since then mean nothing.
    package private(set) var isSpent = false
    private var threads = RegexThreads()

    package init(steps: Int = Self.usualSteps) {
        self.remainingSteps = steps
    }

    /// `false` when that many steps are not left.
    mutating func spend(_ steps: Int = 1) -> Bool {
        guard steps <= self.remainingSteps else {
            self.remainingSteps = 0
            self.isSpent = true
            return false
        }
        self.remainingSteps -= steps
        return true
    }

    /// Searches `text` for a pattern. `false` also when the steps are spent.
    mutating func matches(_ regex: BoundedRegex, _ text: String) -> Bool {
        var threads = RegexThreads()
        swap(&threads, &self.threads)
        defer { swap(&threads, &self.threads) }
        return regex.matches(text, in: &threads) { self.spend($0) }
    }
}
