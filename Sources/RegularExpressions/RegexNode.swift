/// A pattern as a tree.
indirect enum RegexNode: Sendable {
    case scalar(UInt32)
    /// A folded letter that stands for all its cases.
    case folded(UInt32)
    case set(ScalarSet)
    /// `.`; with `isAll` also for a line feed.
    case any(isAll: Bool)
    case assertion(RegexAssertion)
    case sequence([RegexNode])
    case alternatives([RegexNode])
    /// `maximum` is `nil` without bound. Greedy or not makes no difference to whether a text matches.
    case repetition(RegexNode, minimum: Int, maximum: Int?)
}

/// A condition on a place between two scalars.
enum RegexAssertion: Sendable {
    /// `\A`, and `^` without `m`.
    case textStart
    /// `^` with `m`: also after a line feed that is not the last scalar.
    case lineStart
    /// `\z`.
    case textEnd
    /// `\Z`, and `$` without `m`: also before a line feed that is the last scalar.
    case lastLineEnd
    /// `$` with `m`.
    case lineEnd
    case wordBoundary
    case noWordBoundary

    /// - Parameters:
    ///   - before: the scalar before the place, `nil` at the start.
    ///   - after: the scalar behind the place, `nil` at the end.
    ///   - second: the scalar behind that one.
    func holds(_ before: UInt32?, _ after: UInt32?, _ second: UInt32?) -> Bool {
        switch self {
        case .textStart: before == nil
        case .lineStart: before == nil || (before == 0x0A && after != nil)
        case .textEnd: after == nil
        case .lastLineEnd: after == nil || (after == 0x0A && second == nil)
        case .lineEnd: after == nil || after == 0x0A
        case .wordBoundary: Self.isWord(before) != Self.isWord(after)
        case .noWordBoundary: Self.isWord(before) == Self.isWord(after)
        }
    }

    private static func isWord(_ value: UInt32?) -> Bool {
        switch value {
        case .some(0x30...0x39), .some(0x41...0x5A), .some(0x5F), .some(0x61...0x7A): true
        default: false
        }
    }
}

/// One step of a compiled pattern.
enum RegexInstruction: Sendable {
    case scalar(UInt32)
    case folded(UInt32)
    /// The index of a set.
    case set(Int)
    case any(isAll: Bool)
    case assertion(RegexAssertion)
    case split(Int, Int)
    case jump(Int)
    case match
}

/// Turns the tree of a pattern into instructions, of which counted repetitions need copies.
struct RegexCompiler {
    private(set) var instructions: [RegexInstruction] = []
    private(set) var sets: [ScalarSet] = []
    private let maximumStates: Int

    init(maximumStates: Int) {
        self.maximumStates = maximumStates
    }

    /// - Throws: when the pattern needs more states than allowed.
    mutating func compile(_ node: RegexNode) throws(PatternError) {
        try self.emit(node)
        try self.add(.match)
    }

    private mutating func add(_ instruction: RegexInstruction) throws(PatternError) {
        guard self.instructions.count < self.maximumStates else {
            throw PatternError("the regular expressions need more than \(BoundedRegex.maximumStates) states")
        }
        self.instructions.append(instruction)
    }

    private mutating func emit(_ node: RegexNode) throws(PatternError) {
        switch node {
        case .scalar(let value): try self.add(.scalar(value))
        case .folded(let value): try self.add(.folded(value))
        case .any(let isAll): try self.add(.any(isAll: isAll))
        case .assertion(let assertion): try self.add(.assertion(assertion))
        case .set(let set):
            try self.add(.set(self.sets.count))
            self.sets.append(set)
        case .sequence(let nodes):
            for node in nodes { try self.emit(node) }
        case .alternatives(let branches): try self.emit(alternatives: branches)
        case .repetition(let node, let minimum, let maximum):
            try self.emit(node, minimum: minimum, maximum: maximum)
        }
    }

    private mutating func emit(alternatives branches: [RegexNode]) throws(PatternError) {
        var exits: [Int] = []
        for (index, branch) in branches.enumerated() {
            guard index < branches.count - 1 else {
                try self.emit(branch)
                break
            }
            let fork = self.instructions.count
            try self.add(.split(0, 0))
            try self.emit(branch)
            exits.append(self.instructions.count)
            try self.add(.jump(0))
            self.instructions[fork] = .split(fork + 1, self.instructions.count)
        }
        for exit in exits { self.instructions[exit] = .jump(self.instructions.count) }
    }

    private mutating func emit(
        _ node: RegexNode, minimum: Int, maximum: Int?
    ) throws(PatternError) {
        for _ in 0..<minimum {
            let start = self.instructions.count
            try self.emit(node)
            // What needs no instruction needs none a thousand times.
            if self.instructions.count == start { return }
        }
        guard let maximum else {
            let fork = self.instructions.count
            try self.add(.split(0, 0))
            try self.emit(node)
            try self.add(.jump(fork))
            self.instructions[fork] = .split(fork + 1, self.instructions.count)
            return
        }
        var forks: [Int] = []
        for _ in minimum..<maximum {
            forks.append(self.instructions.count)
            try self.add(.split(0, 0))
            try self.emit(node)
        }
        for fork in forks { self.instructions[fork] = .split(fork + 1, self.instructions.count) }
    }
}
