/// Choices of the person at the console, from `console.toml`.
package struct Preferences: Sendable {
    /// Colours; `nil` for those of the terminal.
    package var theme: Theme?
    /// True to show the row with the cursor beside the table, on screens of 120 cells and more.
    package var isSplit = true
    /// Words of `teahouse ctl` behind a word of one's own.
    package var aliases: [String: [String]] = [:]
    /// Words of `teahouse ctl` on a function key; `{}` stands for the names of the marked rows, or of the one with the
    /// cursor.
    package var keys: [Int: [String]] = [:]

    /// Function keys that own commands can have.
    package static let functionKeys = 4...12

    /// Makes the choices of a person who has made none.
    package init() {}

    /// Words of a line as a shell would cut it.
    package static func words(_ line: String) -> [String] { Shell.words(line) }
}
