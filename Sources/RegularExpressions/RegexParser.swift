/// The letters that change what the rest of a pattern means.
struct RegexFlags: Sendable {
    var ignoresCase = false
    var isMultiline = false
    var dotMatchesAll = false
    var isExtended = false

    init(options: String) throws(PatternError) {
        for letter in options.unicodeScalars where !self.set(letter.value, to: true) {
            throw PatternError(
                "a regular expression has the unknown option \(PatternError.quoted(String(letter)))")
        }
    }

    /// `false` when there is no such letter.
    mutating func set(_ letter: UInt32, to value: Bool) -> Bool {
        switch Unicode.Scalar(letter) {
        case "i": self.ignoresCase = value
        case "m": self.isMultiline = value
        case "s": self.dotMatchesAll = value
        case "x": self.isExtended = value
        default: return false
        }
        return true
    }
}

/// Reads a pattern into a tree.
struct RegexParser {
    let scalars: [UInt32]
    var position = 0
    var flags: RegexFlags
    /// Between `\Q` and `\E`, where every scalar stands for itself.
    private var isQuoting = false
    private var depth = 0

    init(_ scalars: [UInt32], flags: RegexFlags) {
        self.scalars = scalars
        self.flags = flags
    }

    mutating func pattern() throws(PatternError) -> RegexNode {
        let node = try self.alternatives()
        guard self.position == self.scalars.count else { throw Self.fault("a \")\" closes no group") }
        return node
    }

    static func fault(_ reason: String) -> PatternError {
        PatternError("a regular expression is not understood: \(reason)")
    }

    static func unsupported(_ feature: String) -> PatternError {
        PatternError("a regular expression has \(feature), which is not supported")
    }

    // MARK: Reading

    var next: UInt32? { self.position < self.scalars.count ? self.scalars[self.position] : nil }

    func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { wanted in
            guard self.position + wanted.count <= self.scalars.count else { return false }
            return wanted.indices.allSatisfy { self.scalars[self.position + $0] == UInt32(wanted[$0]) }
        }
    }

    mutating func takeText(_ text: StaticString) -> Bool {
        guard self.isNext(text) else { return false }
        self.position += text.utf8CodeUnitCount
        return true
    }

    // MARK: Structure

    private mutating func alternatives() throws(PatternError) -> RegexNode {
        // Options inside of a group end with it, and hold for the alternatives behind them.
        let outer = self.flags
        var branches = [try self.sequence()]
        while self.takeText("|") { branches.append(try self.sequence()) }
        self.flags = outer
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(PatternError) -> RegexNode {
        var nodes: [RegexNode] = []
        while true {
            self.passOverQuotes()
            guard let next = self.next else { break }
            if !self.isQuoting {
                if next == 0x7C || next == 0x29 { break }
                if self.passOverComment() { continue }
            }
            guard let atom = try self.atom() else { continue }
            nodes.append(try self.quantified(atom))
        }
        return .sequence(nodes)
    }

    /// Passes over `\Q` and `\E`, which may follow each other.
    private mutating func passOverQuotes() {
        while true {
            if self.takeText("\\E") {
                self.isQuoting = false
            } else if !self.isQuoting, self.takeText("\\Q") {
                self.isQuoting = true
            } else {
                return
            }
        }
    }

    /// Passes over what `x` and `(?#` make a comment of.
    private mutating func passOverComment() -> Bool {
        if self.isNext("(?#") {
            guard let end = self.scalars[self.position...].firstIndex(of: 0x29) else { return false }
            self.position = end + 1
            return true
        }
        guard self.flags.isExtended, let next = self.next else { return false }
        if next == 0x23 {
            self.position = self.scalars[self.position...].firstIndex(of: 0x0A) ?? self.scalars.count
            return true
        }
        guard 0x09...0x0D ~= next || next == 0x20 else { return false }
        self.position += 1
        return true
    }

    /// One thing that a repetition can follow; `nil` for what only changes options.
    private mutating func atom() throws(PatternError) -> RegexNode? {
        let scalar = self.scalars[self.position]
        self.position += 1
        if self.isQuoting { return self.literal(scalar) }
        switch Unicode.Scalar(scalar) {
        case ".": return .any(isAll: self.flags.dotMatchesAll)
        case "^": return .assertion(self.flags.isMultiline ? .lineStart : .textStart)
        case "$": return .assertion(self.flags.isMultiline ? .lineEnd : .lastLineEnd)
        case "[": return try self.characterClass()
        case "(": return try self.group()
        case "\\": return try self.escape()
        case "*", "+", "?": throw Self.fault("there is nothing to repeat")
        case "{":
            self.position -= 1
            guard try self.quantifier() == nil else { throw Self.fault("there is nothing to repeat") }
            self.position += 1
            return self.literal(scalar)
        default: return self.literal(scalar)
        }
    }

    func literal(_ scalar: UInt32) -> RegexNode {
        guard self.flags.ignoresCase, CaseFolding.variants(of: scalar) != nil else { return .scalar(scalar) }
        return .folded(CaseFolding.folded(scalar))
    }

    private mutating func group() throws(PatternError) -> RegexNode? {
        var inner = self.flags
        if self.takeText("?") {
            if self.takeText("P<")
                || (self.isNext("<") && !self.isNext("<=") && !self.isNext("<!") && self.takeText("<"))
            {
                try self.passOverName(until: 0x3E)
            } else if self.takeText("'") {
                try self.passOverName(until: 0x27)
            } else if !self.takeText(":") {
                guard try self.changeOptions(&inner) else {
                    self.flags = inner
                    return nil
                }
            }
        }
        guard self.depth < BoundedRegex.maximumGroupDepth else {
            throw Self.fault("groups are nested deeper than \(BoundedRegex.maximumGroupDepth)")
        }
        let outer = self.flags
        self.flags = inner
        self.depth += 1
        let node = try self.alternatives()
        self.depth -= 1
        self.flags = outer
        guard self.takeText(")") else { throw Self.fault("a group is not closed") }
        return node
    }

    private mutating func passOverName(until end: UInt32) throws(PatternError) {
        guard let close = self.scalars[self.position...].firstIndex(of: end), close > self.position else {
            throw Self.fault("a group has no name")
        }
        self.position = close + 1
    }

    /// Reads `i-m:` or `i)` behind `(?`. `true` when a group of its own follows.
    private mutating func changeOptions(_ flags: inout RegexFlags) throws(PatternError) -> Bool {
        if let feature = self.refusedGroup { throw Self.unsupported(feature) }
        var value = true
        while let letter = self.next {
            self.position += 1
            if letter == 0x29 { return false }
            if letter == 0x3A { return true }
            if letter == 0x2D, value {
                value = false
            } else if !flags.set(letter, to: value) {
                throw Self.fault("the group \"(?\(Self.shown(letter))\" is unknown")
            }
        }
        throw Self.fault("a group is not closed")
    }

    private var refusedGroup: String? {
        if self.isNext("=") || self.isNext("!") { return "a look-ahead" }
        if self.isNext("<=") || self.isNext("<!") { return "a look-behind" }
        if self.isNext(">") { return "an atomic group" }
        if self.isNext("P=") { return "a backreference" }
        if self.isNext("P>") || self.isNext("R") || self.isNext("&") { return "a recursion" }
        if let next = self.next, 0x30...0x39 ~= next { return "a recursion" }
        if self.isNext("(") { return "a conditional group" }
        if self.isNext("|") { return "a branch reset" }
        return nil
    }

    static func shown(_ scalar: UInt32) -> String {
        0x21...0x7E ~= scalar ? String(Unicode.Scalar(UInt8(scalar))) : "?"
    }

    // MARK: Repetition

    private mutating func quantified(_ atom: RegexNode) throws(PatternError) -> RegexNode {
        self.passOverQuotes()
        guard !self.isQuoting else { return atom }
        while self.passOverComment() {}
        guard let range = try self.quantifier() else { return atom }
        // Lazy or not, the same texts match.
        if !self.takeText("?"), self.isNext("+") { throw Self.unsupported("a possessive repetition") }
        let place = self.position
        guard try self.quantifier() == nil else {
            self.position = place
            throw Self.fault("a repetition is repeated without a group around it")
        }
        return .repetition(atom, minimum: range.minimum, maximum: range.maximum)
    }

    private mutating func quantifier() throws(PatternError) -> (minimum: Int, maximum: Int?)? {
        if self.takeText("*") { return (0, nil) }
        if self.takeText("+") { return (1, nil) }
        if self.takeText("?") { return (0, 1) }
        // A brace that counts nothing stands for itself.
        let start = self.position
        guard self.takeText("{"), let minimum = self.number() else {
            self.position = start
            return nil
        }
        var maximum: Int? = minimum
        if self.takeText(",") { maximum = self.number() }
        guard self.takeText("}") else {
            self.position = start
            return nil
        }
        if let maximum, maximum < minimum { throw Self.fault("a repetition ends below its start") }
        return (minimum, maximum)
    }

    /// A decimal number. One that is too large stays larger than any pattern can be.
    private mutating func number() -> Int? {
        var value: Int?
        while let digit = self.next, 0x30...0x39 ~= digit {
            value = min((value ?? 0) * 10 + Int(digit - 0x30), 1_000_000)
            self.position += 1
        }
        return value
    }
}
