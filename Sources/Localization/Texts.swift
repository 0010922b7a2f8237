import Execution

/// The texts for people, in one language.
///
/// A key is looked for in the operator's own texts of the language, then in ours, then in the English ones, the operator's
/// again first. A key that nobody knows is its own text, so that a gap is seen and nothing fails.
package struct Texts: Sendable {
    /// Language of the texts.
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

    /// The texts that this process shows and writes: the operator's, where `install` found some, over our own.
    package init(installed language: Language) {
        let overlays = Self.overlays.withLock { $0 }
        self.language = language
        self.tables = (language == .english ? [Language.english] : [language, .english]).flatMap { asked in
            [overlays[asked], TextTable.embedded(asked)].compactMap { $0 }
        }
    }

    /// Reads an operator's texts once, before any are asked for with `init(installed:)`. The whole process has one set, as
    /// it has one locale.
    ///
    /// - Parameter overlay: a folder as in `init(language:overlay:)`; it need not exist.
    /// - Throws: when a file there cannot be read, or is not a flat JSON object; then our own texts stay in force.
    package static func install(overlay: String) throws(LocalizationError) {
        var tables: [Language: TextTable] = [:]
        for language in Language.allCases { tables[language] = try TextTable.overlay(language, in: overlay) }
        self.overlays.withLock { $0 = tables }
    }

    private static let overlays = Lock<[Language: TextTable]>([:])

    /// The keys of our own texts whose name, or whose text in this language, holds `word`, whatever its case; in order.
    package func keys(matching word: String) -> [String] {
        let sought = Array(word.lowercased().utf8)
        return TextTable.embedded(.english).texts.keys.sorted().filter { key in
            Self.holds(sought, in: key) || Self.holds(sought, in: self(key))
        }
    }

    private static func holds(_ sought: [UInt8], in text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        guard text.count >= sought.count else { return false }
        return (0...text.count - sought.count).contains { text[$0...].starts(with: sought) }
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

    /// True when any table has the key.
    package func has(_ key: String) -> Bool { self.tables.contains { $0[key] != nil } }
}
