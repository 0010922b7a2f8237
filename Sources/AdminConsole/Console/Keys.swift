/// A key of a screen, as help and footer show it.
package struct ScreenKey: Sendable {
    /// Key to press.
    package var key: Key
    /// Text key of one line.
    package var help: String
    /// It asks the server for a change: not in read-only mode.
    package var isChange: Bool
}

/// A key of a screen and its command: help, footer and the doing are all made from it.
package struct KeyBinding<Command: Sendable>: Sendable {
    /// Key with its help.
    package var key: ScreenKey
    /// Command that the screen carries out.
    package var command: Command

    package init(_ key: Key, _ command: Command, _ help: String, isChange: Bool = false) {
        self.key = ScreenKey(key: key, help: help, isChange: isChange)
        self.command = command
    }

    private init(_ key: ScreenKey, _ command: Command) {
        self.key = key
        self.command = command
    }

    /// The same key for a screen that has the command among its own.
    func map<Other>(_ transform: (Command) -> Other) -> KeyBinding<Other> {
        KeyBinding<Other>(self.key, transform(self.command))
    }
}

/// Keys that mean the same on every screen, as help lists them.
enum CommonKeys {
    static let table: [(String, String)] = [
        ("↑ ↓ j k", "console.key.move"), ("PgUp PgDn", "console.key.page"), ("g G Home End", "console.key.ends"),
        ("/", "console.key.filter"), ("Space", "console.key.mark"), ("v", "console.key.range"),
        ("*", "console.key.markAll"), ("U", "console.key.unmark"), ("< >", "console.key.sort"),
        ("← →", "console.key.sideways"), ("l  F3", "console.key.whole"), ("\\", "console.key.split"),
        ("I", "console.key.invert"), ("n N Ctrl-N Ctrl-P", "console.key.nextMatch"), ("|", "console.key.columns"),
    ]

    static let console: [(String, String)] = [
        ("1-9 0 Tab", "console.key.screens"), ("?  F1", "console.key.help"), (":", "console.key.command"),
        ("=", "console.key.ctl"), ("z", "console.key.undo"), ("y", "console.key.copy"), ("R", "console.key.refresh"),
        ("Ctrl-S", "console.key.save"), ("m", "console.key.mouse"), ("Esc", "console.key.back"),
        ("q", "console.key.quit"),
    ]
}

/// Move that the keys of every table make.
package enum TableMove: Hashable, Sendable {
    case up, down, pageUp, pageDown, first, last
    case mark, range, markAll, unmark
    case nextColumn, previousColumn, invert
    /// The next row that the last filter finds, when all are shown again; after the last one comes the first.
    case nextMatch, previousMatch
    /// Sideways, to columns that do not fit.
    case left, right
    /// A click on a row of the table's lines; the heading is row 0.
    case to(row: Int)

    /// Move that a key makes; `nil` for a key that moves nothing.
    package init?(_ key: Key) {
        guard let move = Self.moves[key] else { return nil }
        self = move
    }

    private static let moves: [Key: TableMove] = [
        .left: .left, .right: .right,
        .up: .up, .character("k"): .up, .down: .down, .character("j"): .down,
        .pageUp: .pageUp, .control("b"): .pageUp, .pageDown: .pageDown, .control("f"): .pageDown,
        .home: .first, .character("g"): .first, .end: .last, .character("G"): .last,
        .character(" "): .mark, .character("v"): .range, .character("*"): .markAll, .character("U"): .unmark,
        .character(">"): .nextColumn, .character("<"): .previousColumn, .character("I"): .invert,
        .character("n"): .nextMatch, .control("n"): .nextMatch,
        .character("N"): .previousMatch, .control("p"): .previousMatch,
    ]
}
