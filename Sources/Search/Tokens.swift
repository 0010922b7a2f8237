/// The entries of the index for a text.
///
/// A word has one for each of some lengths of its beginning, so that what begins alike is one look-up, whatever follows. A chain
/// has one for each character and for each two neighbours: most Chinese words have two characters.
package enum Tokens {
    /// Lengths of beginnings of words, scalars.
    static let prefixLengths = [2, 3, 4, 5, 6, 8, 10, 12, 16]
    /// Entries of one message; what follows is not found.
    package static let maximum = 4_096

    /// The entries of a message, each once.
    package static func entries(of text: FoldedText) -> Set<String> {
        var entries: Set<String> = []
        for run in text.runs {
            if run.isChain { self.addChain(run.scalars, to: &entries) } else { self.addWord(run.scalars, to: &entries) }
            if entries.count >= self.maximum { break }
        }
        return entries
    }

    private static func addWord(_ word: [Unicode.Scalar], to entries: inout Set<String>) {
        guard word.count > 1 else {
            entries.insert(Self.string(word[...]))
            return
        }
        for length in self.prefixLengths where length <= word.count { entries.insert(self.string(word[..<length])) }
    }

    private static func addChain(_ chain: [Unicode.Scalar], to entries: inout Set<String>) {
        for index in chain.indices {
            entries.insert(self.string(chain[index...index]))
            if index > 0 { entries.insert(self.string(chain[(index - 1)...index])) }
        }
    }

    /// The entries that a message must have in which a run of a query is found. A word of a query stands for every word that
    /// begins with it; one letter or digit alone for itself.
    static func entries(ofQuery run: FoldedText.Run) -> Set<String> {
        let scalars = run.scalars
        guard scalars.count > 1 else { return [self.string(scalars[...])] }
        guard run.isChain else {
            let length = self.prefixLengths.last { $0 <= scalars.count } ?? scalars.count
            return [self.string(scalars[..<length])]
        }
        var pairs: Set<String> = []
        for index in scalars.indices.dropFirst() { pairs.insert(self.string(scalars[(index - 1)...index])) }
        return pairs
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
