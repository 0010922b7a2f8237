/// Something that a person did with the keyboard or the mouse.
package enum Key: Hashable, Sendable {
    /// Also the space; an input method may send many at once.
    case character(Character)
    case enter
    case escape
    case tab
    case backTab
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
    case insert
    case delete
    case backspace
    case function(Int)
    /// A letter in lower case with Ctrl.
    case control(Character)
    case click(row: Int, column: Int)
    case wheelUp
    case wheelDown
    /// Text that was pasted, as a whole; its lines end with a line feed. It is never read as keys.
    case paste(String)
    /// The terminal has another size now.
    case resize

    /// Label in the help and the footer.
    package var label: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .up: "↑"
        case .down: "↓"
        case .left: "←"
        case .right: "→"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .home: "Home"
        case .end: "End"
        case .insert: "Ins"
        case .delete: "Del"
        case .backspace: "Backspace"
        case .function(let number): "F\(number)"
        case .control(let letter): "Ctrl-\(letter.uppercased())"
        case .click, .wheelUp, .wheelDown, .paste, .resize: ""
        }
    }
}
