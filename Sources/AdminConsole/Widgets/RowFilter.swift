import ByteCodec
import ChatModel
import RegularExpressions

/// Filter of rows: `text` in them, `!text` not in them, `re:pattern` a regular expression. Case does not matter, and
/// the pinyin initials of Chinese names count as text.
package struct RowFilter: Sendable {
    /// Maximum characters searched in one row: a pattern may take long over more.
    private static let maximumCharacters = 1_000

    /// Filter as it was typed.
    package let text: String
    /// Set when the pattern is not finished or not right; then all rows are shown.
    package let isWrong: Bool
    private let isInverse: Bool
    private let words: String
    private let pattern: BoundedRegex?

    package init(_ text: String) {
        self.text = text
        var rest = text[...]
        self.isInverse = rest.hasPrefix("!")
        if self.isInverse { rest = rest.dropFirst() }
        let pattern = rest.hasPrefix("re:") ? rest.dropFirst(3) : ""
        self.pattern = pattern.isEmpty ? nil : try? BoundedRegex(String(pattern), options: "im")
        self.isWrong = !pattern.isEmpty && self.pattern == nil
        self.words = rest.hasPrefix("re:") ? "" : rest.lowercased()
    }

    /// The numbers of the rows that are shown.
    ///
    /// - Parameter haystacks: what each row can be found by, in lower case.
    package func shown(_ haystacks: [String]) -> [Int] {
        if let pattern = self.pattern {
            return haystacks.indices.filter {
                pattern.matches(String(haystacks[$0].prefix(Self.maximumCharacters))) != self.isInverse
            }
        }
        guard !self.words.isEmpty else { return Array(haystacks.indices) }
        return haystacks.indices.filter { haystacks[$0].contains(run: self.words) != self.isInverse }
    }

    /// Text by which a row is found.
    package static func haystack(_ texts: [String]) -> String {
        var haystack = ""
        for text in texts where !text.isEmpty {
            haystack += text.lowercased() + "\n"
            if text.utf8.contains(where: { $0 > 0x7F }) { haystack += PinyinInitial.spelling(of: text) + "\n" }
        }
        return haystack
    }
}
