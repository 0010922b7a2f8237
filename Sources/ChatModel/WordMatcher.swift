/// How texts and words are made alike before they are compared: case and width do not count, and characters that nobody
/// sees are passed over.
package enum WordFolding {
    /// The character that stands for this one; `nil` for one that nobody sees (a zero-width space, a soft hyphen, a mark of
    /// direction or of variation).
    package static func fold(_ scalar: Unicode.Scalar) -> UInt32? {
        let value = scalar.value
        switch value {
        case 0x41...0x5A: return value + 0x20
        case 0..<0x80: return value
        // Kana, CJK ideographs, Hangul: neither case nor width.
        case 0x3041...0x3163, 0x3400...0x9FFF, 0xAC00...0xD7A3: return value
        // Full-width ASCII and space. Source: Unicode, Halfwidth and Fullwidth Forms.
        case 0xFF21...0xFF3A: return value - 0xFEE0 + 0x20
        case 0xFF01...0xFF5E: return value - 0xFEE0
        case 0x3000: return 0x20
        default:
            let properties = scalar.properties
            if properties.isDefaultIgnorableCodePoint { return nil }
            return properties.lowercaseMapping.unicodeScalars.first?.value ?? value
        }
    }

    /// A word as it is compared; empty when nobody sees anything of it.
    package static func fold(_ word: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in word.unicodeScalars {
            if let scalar = Self.fold(scalar).flatMap(Unicode.Scalar.init) { folded.append(scalar) }
        }
        return String(folded)
    }
}

extension WordRule {
    /// The word as it is compared, which no other rule has.
    package var key: String { WordFolding.fold(self.word) }

    /// Problem with the word; `nil` when it can be looked for.
    package var problem: String? {
        let scalars = self.word.unicodeScalars
        guard scalars.count <= Self.maximumScalars else {
            return "a word has at most \(Self.maximumScalars) characters, not \(scalars.count)"
        }
        guard !scalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
            return "a word has no control characters"
        }
        return self.key.contains { $0 != " " } ? nil : "a word has at least one character that can be seen"
    }
}

/// Looks for all words of a list at once, in time that grows with the text and hardly with the list (Aho and Corasick,
/// "Efficient string matching", 1975).
package final class WordMatcher: Sendable {
    private let rules: [WordRule]
    /// Characters of each rule's folded word.
    private let lengths: [Int32]
    /// Rules that mask, by index.
    private let masks: [Bool]
    private let edges: WordEdges
    /// For each node, the node of its longest proper suffix.
    private let suffix: [Int32]
    /// For each node, the rule whose word ends there, or -1.
    private let ending: [Int32]
    /// For each node, the nearest node on the chain of suffixes at which a word ends, or -1.
    private let next: [Int32]

    /// - Parameter rules: of two with one folded word the later counts; those with a `problem` are passed over.
    package init(_ rules: [WordRule]) {
        var trie = WordTrie()
        for (index, rule) in rules.enumerated() where rule.problem == nil {
            trie.add(rule.key, Int32(index))
        }
        self.rules = rules
        self.lengths = rules.map { Int32($0.key.unicodeScalars.count) }
        self.masks = rules.map { $0.action == .mask }
        self.edges = trie.edges
        self.ending = trie.ending
        (self.suffix, self.next) = trie.links()
    }

    /// True when there is none.
    package var isEmpty: Bool { self.ending.count == 1 }

    /// Verdict of the list on a text.
    package func verdict(on text: String) -> WordVerdict {
        guard !self.isEmpty else { return WordVerdict() }
        var hits: [Int32] = []
        /// By rule; empty until the first hit, because most texts have none.
        var seen: [Bool] = []
        /// Ranges of scalars that become stars, in order and apart from each other.
        var stars: [Range<Int>] = []
        /// Where each folded character stands among the scalars of the text.
        var places: [Int] = []
        var node: Int32 = 0
        var index = 0
        for scalar in text.unicodeScalars {
            defer { index += 1 }
            guard let folded = WordFolding.fold(scalar) else { continue }
            places.append(index)
            node = self.step(node, folded)
            var end = self.ending[Int(node)] >= 0 ? node : self.next[Int(node)]
            if end >= 0 && seen.isEmpty { seen = Array(repeating: false, count: self.rules.count) }
            var isMasked = false
            while end >= 0 {
                let rule = Int(self.ending[Int(end)])
                if !seen[rule] {
                    seen[rule] = true
                    hits.append(Int32(rule))
                }
                // The words come from the longest to the shortest: the first covers the others.
                if !isMasked && self.masks[rule] {
                    isMasked = true
                    Self.add(places[places.count - Int(self.lengths[rule])]..<index + 1, to: &stars)
                }
                end = self.next[Int(end)]
            }
        }
        return WordVerdict(
            hits: hits.map { self.rules[Int($0)] }, masked: stars.isEmpty ? nil : Self.masked(text, stars))
    }

    private func step(_ node: Int32, _ scalar: UInt32) -> Int32 {
        var node = node
        while true {
            if let child = self.edges[node, scalar] { return child }
            if node == 0 { return 0 }
            node = self.suffix[Int(node)]
        }
    }

    /// Ranges come with rising ends, so that a new one meets the last ones only.
    private static func add(_ range: Range<Int>, to stars: inout [Range<Int>]) {
        var range = range
        while let last = stars.last, last.upperBound >= range.lowerBound {
            range = min(last.lowerBound, range.lowerBound)..<range.upperBound
            stars.removeLast()
        }
        stars.append(range)
    }

    /// A star for each character that can be seen.
    private static func masked(_ text: String, _ stars: [Range<Int>]) -> String {
        var result = String.UnicodeScalarView()
        var rest = stars[...]
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if let first = rest.first, index >= first.upperBound { rest.removeFirst() }
            if let first = rest.first, first.contains(index) {
                if WordFolding.fold(scalar) != nil { result.append("*") }
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

/// The words of a list as a tree, while it is built.
private struct WordTrie {
    var edges = WordEdges()
    var ending: [Int32] = [-1]
    private var parents: [Int32] = [0]
    private var scalars: [UInt32] = [0]
    private var depths: [Int] = [0]

    mutating func add(_ word: String, _ rule: Int32) {
        var node: Int32 = 0
        for scalar in word.unicodeScalars {
            if let child = self.edges[node, scalar.value] {
                node = child
                continue
            }
            let child = Int32(self.ending.count)
            self.edges.insert(node, scalar.value, child)
            self.ending.append(-1)
            self.parents.append(node)
            self.scalars.append(scalar.value)
            self.depths.append(self.depths[Int(node)] + 1)
            node = child
        }
        self.ending[Int(node)] = rule
    }

    /// The suffix of every node, and the next node below it at which a word ends: from the shorter to the longer, because
    /// each is made from those of a shorter one.
    func links() -> (suffix: [Int32], next: [Int32]) {
        var suffix = [Int32](repeating: 0, count: self.ending.count)
        var next = [Int32](repeating: -1, count: self.ending.count)
        var byDepth: [[Int32]] = Array(repeating: [], count: (self.depths.max() ?? 0) + 1)
        for (node, depth) in self.depths.enumerated() { byDepth[depth].append(Int32(node)) }
        for node in byDepth.dropFirst().joined() {
            let (parent, scalar) = (self.parents[Int(node)], self.scalars[Int(node)])
            if parent != 0 {
                var candidate = suffix[Int(parent)]
                while self.edges[candidate, scalar] == nil && candidate != 0 { candidate = suffix[Int(candidate)] }
                suffix[Int(node)] = self.edges[candidate, scalar] ?? 0
            }
            let shorter = suffix[Int(node)]
            next[Int(node)] = self.ending[Int(shorter)] >= 0 ? shorter : next[Int(shorter)]
        }
        return (suffix, next)
    }
}

/// From a node, with a character, to a node: one flat table, because a list may have 640,000 of them.
private struct WordEdges: Sendable {
    private var keys: [UInt64] = Array(repeating: 0, count: 64)
    private var nodes: [Int32] = Array(repeating: 0, count: 64)
    private var count = 0

    /// Never 0, which is a free slot: the top bit is set.
    private static func key(_ node: Int32, _ scalar: UInt32) -> UInt64 { UInt64(node) << 21 | UInt64(scalar) | 1 << 63 }

    private func slot(_ key: UInt64) -> Int {
        let mask = self.keys.count - 1
        var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 20) & mask
        while self.keys[slot] != 0 && self.keys[slot] != key { slot = (slot + 1) & mask }
        return slot
    }

    subscript(_ node: Int32, _ scalar: UInt32) -> Int32? {
        let key = Self.key(node, scalar)
        let slot = self.slot(key)
        return self.keys[slot] == key ? self.nodes[slot] : nil
    }

    mutating func insert(_ node: Int32, _ scalar: UInt32, _ child: Int32) {
        if (self.count + 1) * 2 > self.keys.count { self.grow() }
        let key = Self.key(node, scalar)
        let slot = self.slot(key)
        self.keys[slot] = key
        self.nodes[slot] = child
        self.count += 1
    }

    private mutating func grow() {
        let (keys, nodes) = (self.keys, self.nodes)
        self.keys = Array(repeating: 0, count: keys.count * 2)
        self.nodes = Array(repeating: 0, count: keys.count * 2)
        for (key, node) in zip(keys, nodes) where key != 0 {
            let slot = self.slot(key)
            self.keys[slot] = key
            self.nodes[slot] = node
        }
    }
}
