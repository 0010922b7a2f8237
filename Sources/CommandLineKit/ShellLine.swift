/// A command line as a shell takes it.
package enum ShellLine {
    /// The words as one line, quoted where a shell would read something else: `teahouse ctl user add 'xiao ming'`.
    package static func text(_ words: [String]) -> String { words.map(Self.quoted).joined(separator: " ") }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy {
            $0.value > 0x7F || $0.properties.isAlphabetic || $0.properties.numericType != nil
                || "-_./:,=+@".unicodeScalars.contains($0)
        }
        guard !isPlain || word.isEmpty else { return word }
        return word.reduce(into: "'") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
    }
}
