import Glibc

/// The words of a query: a message is found when each of them is in it.
package struct SearchTerms: Hashable, Sendable {
    /// Characters of a query.
    package static let maximumCharacters = 100
    /// Words and chains of a query.
    package static let maximumTerms = 16

    /// One word or chain.
    struct Term: Hashable, Sendable {
        /// Bytes whose presence in the folded text decides.
        let needle: [UInt8]
        /// The entries of the index.
        let entries: Set<String>
    }

    let terms: [Term]

    /// Reads what somebody has typed. Empty when nothing in it can be found.
    ///
    /// - Throws: `SearchTermsError` for one that is too long or has too many words.
    package init(_ text: String) throws(SearchTermsError) {
        guard text.unicodeScalars.count <= Self.maximumCharacters else { throw .tooLong }
        var terms: [Term] = []
        for run in FoldedText(text).runs {
            let term = Self.term(run)
            if !terms.contains(term) { terms.append(term) }
        }
        guard terms.count <= Self.maximumTerms else { throw .tooManyTerms }
        self.terms = terms
    }

    private static func term(_ run: FoldedText.Run) -> Term {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: run.scalars)
        let text = Array(String(view).utf8)
        let space = UInt8(ascii: " ")
        // A word is found where one begins with it, a single letter or digit where it stands alone.
        let needle = run.isChain ? text : run.scalars.count == 1 ? [space] + text + [space] : [space] + text
        return Term(needle: needle, entries: Tokens.entries(ofQuery: run))
    }

    /// True when nothing in the query can be found: it has no word and no chain.
    package var isEmpty: Bool { self.terms.isEmpty }

    /// True when every term is in a text.
    package func match(_ text: FoldedText) -> Bool { self.match(text.bytes) }

    func match(_ folded: [UInt8]) -> Bool {
        folded.withUnsafeBytes { text in self.terms.allSatisfy { Self.find($0.needle, in: text, from: 0) != nil } }
    }

    /// The index at which `needle` begins in `text`, not before `start`.
    static func find(_ needle: [UInt8], in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let first = needle.first, let base = text.baseAddress else { return nil }
        var at = start
        while at + needle.count <= text.count {
            guard let hit = memchr(base + at, Int32(first), text.count - needle.count - at + 1) else { return nil }
            at = UnsafeRawPointer(hit) - base
            if memcmp(base + at, needle, needle.count) == 0 { return at }
            at += 1
        }
        return nil
    }

    /// The query as FTS5 reads it: every entry, whose characters are letters, digits and symbols alone.
    var indexQuery: String {
        let entries = self.terms.reduce(into: Set<String>()) { $0.formUnion($1.entries) }
        // The longest first: they are the rarest as a rule.
        let rarestFirst = entries.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        return rarestFirst.map { "\"\($0)\"" }.joined(separator: " AND ")
    }
}

/// A query that is not taken.
package enum SearchTermsError: Error, Hashable, Sendable {
    case tooLong
    case tooManyTerms
}
