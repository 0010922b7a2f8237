/// The texts for people, in one language.
///
/// A key is looked for in the operator's own texts of the language, then in ours, then in the English ones, the operator's
/// again first. A key that nobody knows is its own text, so that a gap is seen and nothing fails.
package struct Texts: Sendable {
    package let language: Language
    /// In the order in which they are asked.
    private let tables: [TextTable]

    /// - Parameter overlay: a folder with `en.json` or `zh-Hans.json`, or both, holding only what the operator words
    ///   otherwise; `nil` when there is none.
    /// - Throws: when a file there cannot be read, or is not a flat JSON object. A file that is not there is no error.
    package init(language: Language, overlay: String? = nil) throws(LocalizationError) {
        var tables: [TextTable] = []
        for asked in language == .english ? [Language.english] : [language, .english] {
            if let overlay { tables.append(try TextTable.overlay(asked, in: overlay)) }
            tables.append(TextTable.embedded(asked))
        }
        self.language = language
        self.tables = tables
    }

    /// Our own texts only, which cannot fail.
    package init(embedded language: Language) {
        self.language = language
        self.tables = (language == .english ? [Language.english] : [language, .english]).map(TextTable.embedded)
    }

    /// The text of `key`, with its places filled: `{address}` becomes `values["address"]`.
    package func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        for table in self.tables {
            if let text = table[key] { return Template.filled(text, values) }
        }
        return key
    }

    /// Whether any table knows the key.
    package func has(_ key: String) -> Bool { self.tables.contains { $0[key] != nil } }
}
