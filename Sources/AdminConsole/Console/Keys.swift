/// Verb that a key makes a screen carry out.
package enum Verb: Hashable, Sendable {
    case open, create, edit, password, token, revoke, disable, enable, silence, unsilence, kick, kickAll
    case ban, unban, notice, messages, write, add, remove, older, jump, member, suspend, resume, cancel
    case delete, collect, verify, orphans, damaged, order, invalidate, invalidateAll, invalidateTeam, look
    case follow, clear, over
    case createDirect, createRoom, rename, export, narrow, newer, jumpTime, trace, seeAs, recall, recallForGood
    case writeAsSystem, kickWhere
    case tryOut, flagged, reset, showLimits, effective, preset, apply, applyNow
    case card, viewer, ownView, limits, transfer, dismiss, requests, hide, unhide, role
    case accept, refuse, withdraw, all, filter, team, erase, details, importing, friends, attributes, former
}

/// A key of a screen: help, footer and the doing are all made from it.
package struct KeyBinding: Sendable {
    /// Key to press.
    package var key: Key
    /// Verb that the screen carries out.
    package var verb: Verb
    /// Text key of one line.
    package var help: String
    /// It asks the server for a change: not in read-only mode.
    package var isChange: Bool

    package init(_ key: Key, _ verb: Verb, _ help: String, isChange: Bool = false) {
        self.key = key
        self.verb = verb
        self.help = help
        self.isChange = isChange
    }
}

/// Keys that mean the same on every screen, as help lists them.
enum CommonKeys {
    static let table: [(String, String)] = [
        ("↑ ↓ j k", "console.key.move"), ("PgUp PgDn", "console.key.page"), ("g G Home End", "console.key.ends"),
        ("/", "console.key.filter"), ("Space", "console.key.mark"), ("v", "console.key.range"),
        ("*", "console.key.markAll"), ("U", "console.key.unmark"), ("< >", "console.key.sort"),
        ("I", "console.key.invert"), ("n N Ctrl-N Ctrl-P", "console.key.nextMatch"), ("|", "console.key.columns"),
    ]

    static let console: [(String, String)] = [
        ("1-9 0 Tab", "console.key.screens"), ("?  F1", "console.key.help"), (":", "console.key.command"),
        ("=", "console.key.ctl"), ("z", "console.key.undo"), ("y", "console.key.copy"), ("R", "console.key.refresh"),
        ("m", "console.key.mouse"), ("Esc", "console.key.back"), ("q", "console.key.quit"),
    ]
}

/// Move that the keys of every table make.
package enum TableMove: Hashable, Sendable {
    case up, down, pageUp, pageDown, first, last
    case mark, range, markAll, unmark
    case nextColumn, previousColumn, invert
    /// The next row that the last filter finds, when all are shown again; after the last one comes the first.
    case nextMatch, previousMatch
    /// A click on a row of the table's lines; the heading is row 0.
    case to(row: Int)

    /// Move that a key makes; `nil` for a key that moves nothing.
    package init?(_ key: Key) {
        switch key {
        case .up, .character("k"): self = .up
        case .down, .character("j"): self = .down
        case .pageUp, .control("b"): self = .pageUp
        case .pageDown, .control("f"): self = .pageDown
        case .home, .character("g"): self = .first
        case .end, .character("G"): self = .last
        case .character(" "): self = .mark
        case .character("v"): self = .range
        case .character("*"): self = .markAll
        case .character("U"): self = .unmark
        case .character(">"): self = .nextColumn
        case .character("<"): self = .previousColumn
        case .character("I"): self = .invert
        case .character("n"), .control("n"): self = .nextMatch
        case .character("N"), .control("p"): self = .previousMatch
        default: return nil
        }
    }
}
