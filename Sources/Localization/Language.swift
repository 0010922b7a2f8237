/// A language that the texts for people are written in.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh-Hans"

    /// Language for a value of `--lang`: `en`, `zh`, `zh-Hans`, or a locale name such as `en_GB.UTF-8` or `zh_CN`; case
    /// is ignored.
    ///
    /// - Returns: `nil` for a language without texts. Every Chinese locale gets the simplified texts.
    package init?(named name: String) {
        let end = name.firstIndex { "_-.@".contains($0) } ?? name.endIndex
        switch name[..<end].lowercased() {
        case "en": self = .english
        case "zh": self = .chinese
        default: return nil
        }
    }

    /// The language of the person's locale: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set decides, as POSIX
    /// has it; English when there are no texts in it.
    ///
    /// - Parameter environment: the process's variables.
    package init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        self = names.first { !$0.isEmpty }.flatMap { Language(named: $0) } ?? .english
    }

    /// The file with an operator's own texts, inside the overlay folder.
    package var fileName: String { "\(self.rawValue).json" }
}
