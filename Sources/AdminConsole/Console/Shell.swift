import CommandLineKit

/// A command line for a shell.
enum Shell {
    /// `teahouse ctl user add 'xiao ming'`
    static func line(_ words: [String]) -> String {
        ShellLine.text(["teahouse", "ctl"] + words)
    }

    /// The words of a line as a shell would cut it; an open quote goes to the end.
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else if character == "\\" && open == "\"" {
                    isEscaped = true
                } else {
                    word = (word ?? "") + String(character)
                }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == "\\" {
                isEscaped = true
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
