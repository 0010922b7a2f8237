/// The configuration file with every key there is, its default, unit and reason, each key behind a `#`.
package enum DefaultFile {
    /// Columns of a comment.
    private static let columns = 110

    /// The whole file, made from the table of keys.
    package static var text: String {
        var text = """
            # The configuration of teahouse, with every key there is, its default, unit and reason.
            # Take the # away from a line to change it. A flag or an environment variable wins over this file.
            # Start with: teahouse serve --config teahouse.toml

            """
        var table = ""
        for key in Keys.all {
            let place = KeyPlace(key.name)
            if !place.table.isEmpty, place.table != table {
                table = place.table
                text += "\n[\(table)]\n"
            }
            text += "\n" + Self.comment(key) + "# \(place.name) = \(key.builtIn.literal)\n"
        }
        return text
    }

    private static func comment(_ key: SettingDefinition) -> String {
        var line = key.reason
        if case .integer(let range) = key.kind {
            let unit = key.unit.prefix(1).uppercased() + key.unit.dropFirst()
            line = "\(unit), \(range.lowerBound) to \(range.upperBound). \(line)"
        }
        if case .choice(let words) = key.kind {
            line += " " + words.map { "\"\($0)\"" }.joined(separator: " or ") + "."
        }
        var wrapped = "#"
        var width = 1
        for word in line.split(separator: " ") {
            if width + word.count > Self.columns {
                wrapped += "\n#"
                width = 1
            }
            wrapped += " \(word)"
            width += word.count + 1
        }
        return wrapped + "\n"
    }
}

/// Place of a key in a file.
struct KeyPlace {
    /// Name of the table; empty for keys above the first one.
    var table: String
    /// Name inside the table.
    var name: String

    /// - Parameter key: with its table: `limits.connections`.
    init(_ key: String) {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        self.table = parts.count == 2 ? parts[0] : ""
        self.name = parts[parts.count - 1]
    }
}

extension SettingValue {
    /// As a file has it.
    var literal: String {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let flag): String(flag)
        case .text(let text): Self.quoted(text)
        case .texts(let texts): "[" + texts.map(Self.quoted).joined(separator: ", ") + "]"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return "\"\(quoted)\""
    }
}
