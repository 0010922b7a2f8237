import Transport

/// A name of one representation of a content.
///
/// Source: RFC 9110 section 8.8.3.
struct EntityTag: Hashable {
    /// Between the quotes.
    var text: String
    var isWeak: Bool

    init(_ text: String, isWeak: Bool = false) {
        self.text = text
        self.isWeak = isWeak
    }

    /// Value of the header field.
    var field: String { self.isWeak ? "W/\"\(self.text)\"" : "\"\(self.text)\"" }

    /// Reads one tag and nothing behind it.
    init?(field: String) {
        var rest = Substring(ASCII.trimmed(field))
        guard let tag = Self.next(&rest), rest.isEmpty else { return nil }
        self = tag
    }

    private static func next(_ rest: inout Substring) -> EntityTag? {
        let isWeak = rest.hasPrefix("W/")
        let opening = isWeak ? rest.dropFirst(2) : rest
        guard opening.first == "\"" else { return nil }
        let inside = opening.dropFirst()
        guard let end = inside.firstIndex(of: "\"") else { return nil }
        rest = inside[inside.index(after: end)...]
        return EntityTag(String(inside[..<end]), isWeak: isWeak)
    }

    /// The tags of `If-Match` or `If-None-Match`.
    enum List: Hashable {
        /// `*`: whatever there is.
        case any
        case tags([EntityTag])

        /// Most tags that are read; a client has no use for more.
        static let maximumCount = 64

        /// - Parameter fields: all values of the field; `nil` when there are none. What is not well formed ends the list.
        init?(_ fields: [String]) {
            guard !fields.isEmpty else { return nil }
            var tags: [EntityTag] = []
            for field in fields {
                var rest = Substring(ASCII.trimmed(field))
                if rest == "*" {
                    self = .any
                    return
                }
                while tags.count < Self.maximumCount, let tag = EntityTag.next(&rest) {
                    tags.append(tag)
                    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
                }
            }
            self = .tags(tags)
        }

        /// For `If-None-Match`: a weak tag is as good.
        func containsWeakly(_ tag: EntityTag) -> Bool {
            switch self {
            case .any: true
            case .tags(let tags): tags.contains { $0.text == tag.text }
            }
        }

        /// For `If-Match`: only strong tags count.
        func containsStrongly(_ tag: EntityTag) -> Bool {
            switch self {
            case .any: true
            case .tags(let tags): tags.contains { $0 == tag && !$0.isWeak }
            }
        }
    }
}
