import CNcurses
import Glibc

/// The terminal of this process. The only part of the console that draws; confined to one thread.
final class Canvas {
    private let hasColours: Bool
    /// True with 256 colours.
    private let isRich: Bool
    /// True for a terminal whose description is not installed: it is taken for xterm-256color.
    let isFallback: Bool
    /// Lines on the terminal now.
    private var shown: [Line] = []
    private var paste = PasteCollector()

    /// Takes the terminal.
    ///
    /// - Parameters:
    ///   - theme: colours for a dark or a light ground.
    ///   - environment: `NO_COLOR` leaves the colours out, whatever its value. Source: no-color.org.
    /// - Returns: `nil` when there is none that obeys.
    init?(theme: Theme, environment: [String: String]) {
        guard isatty(0) == 1, isatty(1) == 1 else { return nil }
        let started = cncurses_start()
        guard started >= 0 else { return nil }
        self.isFallback = started == 1
        let colours = cncurses_colours()
        self.hasColours = colours >= 8 && environment["NO_COLOR", default: ""].isEmpty
        self.isRich = self.hasColours && colours >= 256
        if self.hasColours {
            for (number, style) in Style.allCases.enumerated() {
                let colour = style.colours(of: Int(colours), theme)
                cncurses_pair(Int32(number + 1), Int32(colour.text), Int32(colour.ground))
            }
        }
    }

    deinit { cncurses_end() }

    /// Rows and columns now.
    var size: (rows: Int, columns: Int) {
        var rows: Int32 = 0
        var columns: Int32 = 0
        cncurses_size(&rows, &columns)
        return (Int(rows), Int(columns))
    }

    func draw(_ picture: Picture) {
        if picture.lines.count != self.shown.count || picture.lines.first?.width != self.shown.first?.width {
            self.shown = []
            cncurses_erase()
        }
        for (row, line) in picture.lines.enumerated() where self.shown.isEmpty || self.shown[row] != line {
            var column = 0
            for span in line.spans { self.put(span, row: row, &column) }
        }
        self.shown = picture.lines
        let cursor = picture.cursor
        cncurses_cursor(Int32(cursor?.row ?? -1), Int32(cursor?.column ?? -1))
        cncurses_refresh()
    }

    private func put(_ span: Span, row: Int, _ column: inout Int) {
        let look = span.style.look(isRich: self.isRich)
        let pair = self.hasColours ? Int32((Style.allCases.firstIndex(of: span.style) ?? 0) + 1) : 0
        for character in span.text {
            var scalars = character.unicodeScalars.map(\.value)
            // The half-width sound marks join the letter before them and take a cell of their own.
            let sounds = scalars.filter { $0 == 0xFF9E || $0 == 0xFF9F }
            scalars.removeAll { $0 == 0xFF9E || $0 == 0xFF9F }
            let width = Cells.width(of: String(character)) - sounds.count
            if !scalars.isEmpty { self.put(scalars, row, &column, width, look, pair) }
            for sound in sounds { self.put([sound], row, &column, 1, look, pair) }
        }
    }

    private func put(
        _ scalars: [UInt32], _ row: Int, _ column: inout Int, _ width: Int, _ look: UInt32, _ pair: Int32
    ) {
        guard width > 0 else { return }
        cncurses_put(Int32(row), Int32(column), scalars, Int32(scalars.count), Int32(width), look, pair)
        column += width
    }

    func beep() { cncurses_beep() }

    /// Sends the whole screen again with the next picture.
    func repaint() {
        self.shown = []
        cncurses_erase()
        cncurses_repaint()
    }

    func suspend() {
        cncurses_suspend()
        self.repaint()
    }

    func setMouse(_ isOn: Bool) { cncurses_mouse(isOn ? 1 : 0) }

    /// Puts a text into the clipboard of the person's own terminal, also over SSH, where it allows that.
    ///
    /// Source: xterm's control sequences, OSC 52.
    func copy(_ base64: String) {
        let sequence = Array("\u{1B}]52;c;\(base64)\u{7}".utf8)
        _ = write(1, sequence, sequence.count)
    }

    /// Keys typed and not yet taken; a pasted text is one of them once its end has come.
    func keys(atMilliseconds now: Int64) -> [Key] {
        var keys: [Key] = []
        while true {
            let event = cncurses_next()
            if event.kind == Int32(CNCURSES_NONE.rawValue) {
                return keys + [self.paste.expire(atMilliseconds: now)].compactMap { $0 }
            }
            if event.kind == Int32(CNCURSES_PASTE.rawValue) {
                if event.code == 1 {
                    self.paste.begin(atMilliseconds: now)
                } else {
                    self.paste.end().map { keys.append($0) }
                }
            } else if self.paste.isOpen, event.kind != Int32(CNCURSES_RESIZE.rawValue) {
                let isText = event.kind == Int32(CNCURSES_CHARACTER.rawValue)
                let scalar = isText ? Unicode.Scalar(UInt32(bitPattern: event.code)) : nil
                if let scalar { self.paste.add(scalar, atMilliseconds: now) }
            } else if let key = Key(event) {
                keys.append(key)
            }
        }
    }
}

extension Style {
    /// Colours by the terminal's numbers; -1 is its own. The first eight mean the same on every terminal; of those,
    /// yellow and cyan cannot be read on a light ground.
    fileprivate func colours(of count: Int, _ theme: Theme) -> (text: Int, ground: Int) {
        let (isRich, isLight) = (count >= 256, theme == .light)
        func colour(_ dark: Int, _ light: Int, _ few: Int, _ fewLight: Int) -> Int {
            isRich ? (isLight ? light : dark) : isLight ? fewLight : few
        }
        return switch self {
        case .plain, .title, .heading, .selected: (-1, -1)
        case .dim: (isRich ? (isLight ? 242 : 245) : -1, -1)
        case .key: (colour(80, 30, 6, 4), -1)
        case .good: (colour(71, 28, 2, 2), -1)
        case .warning: (colour(178, 130, 3, 5), -1)
        case .bad: (colour(203, 160, 1, 1), -1)
        case .accent: (colour(74, 25, 6, 4), -1)
        case .marked: (colour(178, 130, 3, 5), -1)
        case .bar: (-1, isRich ? (isLight ? 253 : 236) : -1)
        case .currentTab: (-1, -1)
        case .input: (-1, isRich ? (isLight ? 254 : 237) : -1)
        case .code: isRich ? (16, 231) : (0, 7)
        }
    }

    /// - Parameter isRich: true where there is a grey; elsewhere what is dim is so by the terminal's own means.
    fileprivate func look(isRich: Bool) -> UInt32 {
        let (bold, dim) = (CNCURSES_BOLD.rawValue, CNCURSES_DIM.rawValue)
        let (reverse, underline) = (CNCURSES_REVERSE.rawValue, CNCURSES_UNDERLINE.rawValue)
        return switch self {
        case .plain, .accent, .good, .bar, .code: 0
        case .dim: isRich ? 0 : dim
        case .title, .key, .marked, .warning, .bad: bold
        case .heading: bold | underline
        case .selected, .currentTab: reverse
        case .input: underline
        }
    }
}

extension Key {
    fileprivate init?(_ event: cncurses_event) {
        switch UInt32(event.kind) {
        case CNCURSES_CHARACTER.rawValue: self.init(scalar: UInt32(bitPattern: event.code))
        case CNCURSES_KEY.rawValue: self.init(code: UInt32(event.code))
        case CNCURSES_RESIZE.rawValue: self = .resize
        case CNCURSES_MOUSE.rawValue:
            switch UInt32(event.code) {
            case CNCURSES_WHEEL_UP.rawValue: self = .wheelUp
            case CNCURSES_WHEEL_DOWN.rawValue: self = .wheelDown
            default: self = .click(row: Int(event.row), column: Int(event.column))
            }
        default: return nil
        }
    }

    private init?(scalar value: UInt32) {
        switch value {
        case 9: self = .tab
        case 13: self = .enter
        case 27: self = .escape
        case 8, 127: self = .backspace
        case 1...26: self = .control(Character(Unicode.Scalar(UInt8(value) + 0x60)))
        case 0..<32: return nil
        default:
            guard let scalar = Unicode.Scalar(value) else { return nil }
            self = .character(Character(scalar))
        }
    }

    private init?(code: UInt32) {
        switch code {
        case CNCURSES_UP.rawValue: self = .up
        case CNCURSES_DOWN.rawValue: self = .down
        case CNCURSES_LEFT.rawValue: self = .left
        case CNCURSES_RIGHT.rawValue: self = .right
        case CNCURSES_PAGE_UP.rawValue: self = .pageUp
        case CNCURSES_PAGE_DOWN.rawValue: self = .pageDown
        case CNCURSES_HOME.rawValue: self = .home
        case CNCURSES_END.rawValue: self = .end
        case CNCURSES_INSERT.rawValue: self = .insert
        case CNCURSES_DELETE.rawValue: self = .delete
        case CNCURSES_BACKSPACE.rawValue: self = .backspace
        case CNCURSES_BACK_TAB.rawValue: self = .backTab
        case CNCURSES_ENTER.rawValue: self = .enter
        case CNCURSES_FUNCTION.rawValue...: self = .function(Int(code - CNCURSES_FUNCTION.rawValue))
        default: return nil
        }
    }
}
