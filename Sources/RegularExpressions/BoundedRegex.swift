/// A regular expression whose time is bounded by its length times that of the text, whatever the two are.
///
/// All ways through the pattern are followed at once (Thompson's construction, Pike's simulation), so there is nothing
/// to go back to: `(a+)+$` costs what `a+$` costs, by a constant factor. The price is that references back to groups
/// and looking around are refused, which no machine of this kind can do.
///
/// The syntax is that of PCRE, which LeanCloud's database has, with JavaScript's `\uXXXX`: literals, `.`, classes,
/// `\d \w \s \h \v` and their opposites, `\p{...}` for general categories and Han, `\b \B \A \z \Z ^ $`, groups,
/// alternatives, `* + ? {n,m}` greedy and lazy, `\Q...\E`, options `i m s x` outside and inside. It matches scalars,
/// not bytes and not characters that are made of several; digits, letters of words and spaces are those of ASCII.
///
/// Source: pcre2pattern(3); Russ Cox, "Regular Expression Matching: the Virtual Machine Approach".
package struct BoundedRegex: Sendable {
    /// Scalars in one pattern.
    package static let maximumPatternCharacters = 1024
    /// States of one compiled pattern, and of all patterns of a query together.
    package static let maximumStates = 4096
    /// Depth to which groups nest.
    package static let maximumGroupDepth = 64

    private let instructions: [RegexInstruction]
    private let sets: [ScalarSet]

    /// How many states the pattern takes, 1...`maximumStates`.
    package var stateCount: Int { self.instructions.count }

    /// - Parameters:
    ///   - options: any of the letters `i`, `m`, `s`, `x`.
    ///   - maximumStates: how many states the pattern may take.
    /// - Throws: a sentence that says what is wrong with the pattern, or which part of it is not supported.
    package init(
        _ pattern: String, options: String = "", maximumStates: Int = Self.maximumStates
    ) throws(PatternError) {
        let scalars = pattern.unicodeScalars.map(\.value)
        guard scalars.count <= Self.maximumPatternCharacters else {
            throw PatternError(
                "a regular expression has \(scalars.count) characters, \(Self.maximumPatternCharacters) are allowed")
        }
        var parser = RegexParser(scalars, flags: try RegexFlags(options: options))
        var compiler = RegexCompiler(maximumStates: min(maximumStates, Self.maximumStates))
        try compiler.compile(try parser.pattern())
        self.instructions = compiler.instructions
        self.sets = compiler.sets
    }

    /// Searches `text` for the pattern.
    package func matches(_ text: String) -> Bool {
        var threads = RegexThreads()
        return self.matches(text, in: &threads) { _ in true }
    }

    /// Searches `text` for the pattern, in at most two steps for each state and each place in the text.
    ///
    /// - Parameters:
    ///   - threads: the memory of the search, which may have served another one before.
    ///   - spend: is told of the steps taken at each place; `false` ends the search.
    /// - Returns: `false` also when the search was ended.
    package func matches(_ text: String, in threads: inout RegexThreads, spend: (Int) -> Bool) -> Bool {
        threads.prepare(states: self.instructions.count)
        var scalars = text.unicodeScalars.makeIterator()
        var before: UInt32?
        var here = scalars.next()?.value
        var next = scalars.next()?.value
        let startsOnlyAtStart = self.startsOnlyAtStart
        while true {
            threads.beginPlace()
            if before == nil || !startsOnlyAtStart { threads.seeds.append(0) }
            var steps = 0
            let isMatch = self.follow(&threads, before, here, next, &steps)
            let isPaid = spend(steps + threads.waiting.count)
            if isMatch { return true }
            guard isPaid, let scalar = here else { return false }
            if startsOnlyAtStart, threads.waiting.isEmpty { return false }
            self.consume(scalar, &threads)
            before = scalar
            here = next
            next = scalars.next()?.value
        }
    }

    private var startsOnlyAtStart: Bool {
        if case .assertion(.textStart)? = self.instructions.first { return true }
        return false
    }

    /// From the seeds to all states that wait for a scalar. `true` when the end of the pattern is among the states.
    private func follow(
        _ threads: inout RegexThreads, _ before: UInt32?, _ here: UInt32?, _ next: UInt32?, _ steps: inout Int
    ) -> Bool {
        while let state = threads.seeds.popLast() {
            guard threads.visit(state) else { continue }
            steps += 1
            switch self.instructions[state] {
            case .match: return true
            case .jump(let target): threads.seeds.append(target)
            case .split(let first, let second):
                threads.seeds.append(second)
                threads.seeds.append(first)
            case .assertion(let assertion):
                if assertion.holds(before, here, next) { threads.seeds.append(state + 1) }
            case .scalar, .folded, .set, .any: threads.waiting.append(state)
            }
        }
        return false
    }

    /// Makes the waiting states that `scalar` lets pass the seeds of the next place.
    private func consume(_ scalar: UInt32, _ threads: inout RegexThreads) {
        for state in threads.waiting {
            let passes =
                switch self.instructions[state] {
                case .scalar(let wanted): scalar == wanted
                case .folded(let wanted): scalar == wanted || CaseFolding.folded(scalar) == wanted
                case .set(let index): self.sets[index].contains(scalar)
                case .any(let isAll): isAll || scalar != 0x0A
                case .assertion, .split, .jump, .match: false
                }
            if passes { threads.seeds.append(state + 1) }
        }
    }
}

/// The states that a search is in, kept for the next one.
package struct RegexThreads: Sendable {
    /// States to be followed up at this place.
    var seeds: [Int] = []
    /// States that wait for the scalar behind this place.
    var waiting: [Int] = []
    /// For each state the number of the last place that visited it.
    private var visits: [UInt64] = []
    private var place: UInt64 = 0

    /// Makes memory that has served no search yet.
    package init() {}

    /// Makes room for a pattern of this many states.
    mutating func prepare(states: Int) {
        self.seeds.removeAll(keepingCapacity: true)
        self.waiting.removeAll(keepingCapacity: true)
        if self.visits.count < states {
            self.visits.append(contentsOf: repeatElement(0, count: states - self.visits.count))
        }
    }

    /// Starts with the next place.
    mutating func beginPlace() {
        self.place += 1
        self.waiting.removeAll(keepingCapacity: true)
    }

    /// `false` when the state was visited at this place before.
    mutating func visit(_ state: Int) -> Bool {
        if self.visits[state] == self.place { return false }
        self.visits[state] = self.place
        return true
    }
}
