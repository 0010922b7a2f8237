/// A text with places for values: `{name}`, a name being ASCII letters, digits and `_`. Any other brace is itself.
enum Template {
    /// Puts the values in, each as it is: what looks like a place inside a value stays text. A place without a value stays
    /// visible.
    static func filled(_ text: String, _ values: [String: String]) -> String {
        var result = ""
        Self.parts(of: text) { part in
            switch part {
            case .text(let piece): result += piece
            case .place(let name): result += values[name] ?? "{\(name)}"
            }
        }
        return result
    }

    /// The names of the places in a text.
    static func places(in text: String) -> Set<String> {
        var names: Set<String> = []
        Self.parts(of: text) { part in
            if case .place(let name) = part { names.insert(name) }
        }
        return names
    }

    private enum Part {
        case text(String)
        case place(String)
    }

    private static func parts(of text: String, _ part: (Part) -> Void) {
        var plainFrom = text.startIndex
        var at = text.startIndex
        while let open = text[at...].firstIndex(of: "{") {
            let nameFrom = text.index(after: open)
            let nameTo = text[nameFrom...].firstIndex { !Self.isNameCharacter($0) } ?? text.endIndex
            guard nameTo > nameFrom, nameTo < text.endIndex, text[nameTo] == "}" else {
                at = nameFrom
                continue
            }
            part(.text(String(text[plainFrom..<open])))
            part(.place(String(text[nameFrom..<nameTo])))
            at = text.index(after: nameTo)
            plainFrom = at
        }
        part(.text(String(text[plainFrom...])))
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }
}
