/// Fault in the texts of one language.
package enum LanguageFinding: Hashable, Sendable, CustomStringConvertible {
    /// English has the key, this language has not: people see the English text.
    case missing(key: String, language: Language)
    /// The operator's file has a key that nothing asks for: misspelt, or gone since an upgrade.
    case unknown(key: String, language: Language)
    /// The places differ from those of the English text: a value would be lost, or its place stay empty.
    case differentPlaces(key: String, language: Language, expected: [String], found: [String])

    /// Key of the text at fault.
    package var key: String {
        switch self {
        case .missing(let key, _), .unknown(let key, _), .differentPlaces(let key, _, _, _): key
        }
    }

    package var description: String {
        switch self {
        case .missing(let key, let language):
            "\(language.fileName): \(key) is missing, the English text is shown"
        case .unknown(let key, let language):
            "\(language.fileName): \(key) is no key of this version"
        case .differentPlaces(let key, let language, let expected, let found):
            "\(language.fileName): \(key) has the places \(Self.list(found)), the English text has \(Self.list(expected))"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.map { "{\($0)}" }.joined(separator: " ")
    }
}

/// Compares every language, and the operator's own texts when there are any, with our English texts.
package enum LanguageCheck {
    /// - Returns: nothing when all is well; else by language, then by key.
    /// - Throws: when an operator's file cannot be read, or is not a flat JSON object.
    package static func findings(overlay: String? = nil) throws(LocalizationError) -> [LanguageFinding] {
        let english = TextTable.embedded(.english).texts
        var findings: [LanguageFinding] = []
        for language in Language.allCases {
            let ours = TextTable.embedded(language).texts
            let theirs = try overlay.map { folder throws(LocalizationError) in
                try TextTable.overlay(language, in: folder).texts
            }
            let texts = ours.merging(theirs ?? [:]) { _, operators in operators }
            findings += Self.compare(texts, with: english, language)
        }
        return findings
    }

    private static func compare(
        _ texts: [String: String], with english: [String: String], _ language: Language
    ) -> [LanguageFinding] {
        Set(texts.keys).union(english.keys).sorted().compactMap { key in
            guard let wanted = english[key] else { return .unknown(key: key, language: language) }
            guard let text = texts[key] else { return .missing(key: key, language: language) }
            let (expected, found) = (Template.places(in: wanted), Template.places(in: text))
            if expected == found { return nil }
            return .differentPlaces(key: key, language: language, expected: expected.sorted(), found: found.sorted())
        }
    }
}
