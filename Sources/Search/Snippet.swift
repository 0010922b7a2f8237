/// The part of a message's text around what was found, for a list of results.
package struct Snippet: Hashable, Sendable {
    /// Characters (Unicode scalars) of a snippet at most.
    package static let maximumCharacters = 120
    /// Characters before the first match.
    private static let charactersBefore = 30

    /// One line: what divides lines is a space.
    package var text: String
    /// Places in it where a term was found, in order, apart from each other.
    package var matches: [Match]

    /// Place of a match in a snippet, in UTF-16 code units, as JavaScript and JSON clients count.
    package struct Match: Hashable, Sendable {
        /// Index of the first code unit of the match, counted from 0.
        package var start: Int
        /// Number of code units, at least 1.
        package var length: Int
    }

    /// Cuts the snippet out of a text that the terms are in.
    package init(of text: String, _ terms: SearchTerms) {
        let scalars = Array(text.unicodeScalars.prefix(FoldedText.maximumBytes))
        let found = Self.find(terms, in: scalars)
        let first = max(0, (found.first?.lowerBound ?? 0) - Self.charactersBefore)
        let last = min(scalars.count, first + Self.maximumCharacters)
        var view = String.UnicodeScalarView()
        // Where each scalar begins, UTF-16 code units.
        var starts: [Int] = []
        var units = 0
        for scalar in scalars[first..<last] {
            starts.append(units)
            let shown = scalar.properties.generalCategory == .control ? " " : scalar
            view.append(shown)
            units += UTF16.width(shown)
        }
        starts.append(units)
        self.text = String(view)
        self.matches = found.compactMap { range in
            let inside = range.clamped(to: first..<last)
            guard !inside.isEmpty else { return nil }
            let start = starts[inside.lowerBound - first]
            return Match(start: start, length: starts[inside.upperBound - first] - start)
        }
    }

    /// The ranges of scalars that the terms are found in, in order and apart.
    private static func find(_ terms: SearchTerms, in scalars: [Unicode.Scalar]) -> [Range<Int>] {
        var folding = Folding()
        // For each byte of the folded text the scalar that it came from.
        var origins: [Int] = [0]
        for (index, scalar) in scalars.enumerated() {
            folding.takeScalar(scalar)
            if folding.bytes.count < origins.count { origins.removeLast(origins.count - folding.bytes.count) }
            while origins.count < folding.bytes.count { origins.append(index) }
        }
        let folded = folding.finish()
        while origins.count < folded.count { origins.append(scalars.count) }
        var found: [Range<Int>] = []
        folded.withUnsafeBytes { text in
            for term in terms.terms {
                var from = 0
                while let at = SearchTerms.find(term.needle, in: text, from: from) {
                    from = at + max(1, term.needle.count - 1)
                    let space = UInt8(ascii: " ")
                    let first = term.needle.first == space ? at + 1 : at
                    let end = at + term.needle.count - (term.needle.last == space ? 1 : 0)
                    guard first < end else { continue }
                    found.append(origins[first]..<(origins[end - 1] + 1))
                }
            }
        }
        found.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var apart: [Range<Int>] = []
        for range in found {
            if let last = apart.last, range.lowerBound < last.upperBound {
                apart[apart.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                apart.append(range)
            }
        }
        return apart
    }
}
