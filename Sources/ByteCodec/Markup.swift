/// Text inside HTML and XML, also between the quotes of an attribute.
package enum Markup {
    /// The text with what would be markup as entities, and `?` for each character that XML cannot hold. Line feeds and
    /// tabs stay.
    ///
    /// Source: XML 1.0, section 2.2; the control characters of both sets, which HTML does not show, go as well.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value), "\u{FFFE}", "\u{FFFF}":
                escaped += "?"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
