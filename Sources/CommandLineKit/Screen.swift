import CLinux
import Glibc

/// Cells of a terminal.
package struct ScreenSize: Hashable, Sendable {
    /// Columns of the terminal.
    package var columns: Int
    /// Rows of the terminal.
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// A terminal that shows pictures in place: what a `Terminal` has when a person looks at it.
package struct Screen: Sendable {
    /// Its cells now: people change the size of windows.
    package var size: @Sendable () -> ScreenSize
    /// Where the keys come from; `nil` when they do not come from a person.
    package var keys: Int32?

    package init(size: @escaping @Sendable () -> ScreenSize, keys: Int32? = nil) {
        self.size = size
        self.keys = keys
    }

    /// Standard output, when it is a terminal that obeys.
    static func process(environment: [String: String]) -> Screen? {
        guard isatty(1) == 1, environment["TERM", default: "dumb"] != "dumb" else { return nil }
        return Screen(size: { Self.size(of: 1) }, keys: isatty(0) == 1 ? 0 : nil)
    }

    private static func size(of descriptor: Int32) -> ScreenSize {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

/// A picture that is drawn again and again on the second screen of a terminal, so that what was there before comes back
/// when it ends. Confined to one thread.
///
/// Source of the sequences: xterm's control sequences, DECSET 1049 and 25, CUP, EL, ED.
package final class LivePicture {
    private let terminal: Terminal
    private let screen: Screen
    private var before: termios?
    private var isOver = false

    /// Keys come at once and unseen from here on, also Ctrl-C.
    ///
    /// - Throws: exit code 74 when the terminal cannot be written to.
    package init(_ terminal: Terminal, _ screen: Screen) throws(CommandFailure) {
        self.terminal = terminal
        self.screen = screen
        try terminal.print("\u{1B}[?1049h\u{1B}[?25l")
        guard let keys = screen.keys else { return }
        var mode = termios()
        guard tcgetattr(keys, &mode) == 0 else { return }
        self.before = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(keys, TCSANOW, &mode)
    }

    deinit { self.end() }

    /// Size of the terminal now.
    package var size: ScreenSize { self.screen.size() }

    /// Shows the lines from the top; what was longer before is erased. Lines and columns that do not fit are left out.
    ///
    /// - Parameter lines: escaped, without line ends.
    package func draw(_ lines: [String]) throws(CommandFailure) {
        let size = self.size
        var picture = "\u{1B}[H"
        for (number, line) in lines.prefix(size.rows).enumerated() {
            picture += (number == 0 ? "" : "\r\n") + clipped(line, to: size.columns) + "\u{1B}[K"
        }
        try self.terminal.print(picture + "\u{1B}[J")
    }

    /// True when the person pressed q, Ctrl-C or Ctrl-D; takes all keys that were pressed.
    package func isAskedToEnd() -> Bool {
        guard let keys = self.screen.keys else { return false }
        var isAsked = false
        var pressed = [UInt8](repeating: 0, count: 64)
        while Self.isReadable(keys) {
            let count = read(keys, &pressed, pressed.count)
            // The terminal is gone.
            guard count > 0 else { return count == 0 || clinux_errno() != EINTR }
            let endings: [UInt8] = [UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04]
            if pressed[..<count].contains(where: { endings.contains($0) }) { isAsked = true }
        }
        return isAsked
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Gives the terminal back as it was.
    package func end() {
        guard !self.isOver else { return }
        self.isOver = true
        if let keys = self.screen.keys, var before = self.before { tcsetattr(keys, TCSANOW, &before) }
        try? self.terminal.print("\u{1B}[?25h\u{1B}[?1049l")
    }
}

/// One line that is drawn again and again where the cursor is, at most five times a second. Confined to one thread.
package final class LiveLine {
    private static let redrawNanoseconds: Int64 = 200_000_000

    private let terminal: Terminal
    private let screen: Screen
    private let now: () -> Int64
    private var drawnAt: Int64?

    /// - Parameter now: nanoseconds of a clock that never jumps.
    /// - Returns: `nil` when nobody looks at the terminal.
    package init?(_ terminal: Terminal, now: @escaping () -> Int64 = { clinux_monotonic_nanoseconds() }) {
        guard let screen = terminal.screen else { return nil }
        self.terminal = terminal
        self.screen = screen
        self.now = now
    }

    /// Shows a line, unless another one was shown just before.
    ///
    /// - Parameter make: the line for so many columns, escaped; what does not fit is left out.
    package func draw(_ make: (_ columns: Int) -> String) throws(CommandFailure) {
        let now = self.now()
        if let drawn = self.drawnAt, now - drawn < Self.redrawNanoseconds { return }
        self.drawnAt = now
        // One cell stays free: a cursor behind the last one would move on to the next line on some terminals.
        let columns = max(0, self.screen.size().columns - 1)
        try self.terminal.print("\r" + clipped(make(columns), to: columns) + "\u{1B}[K")
    }

    /// Takes the line away.
    package func erase() throws(CommandFailure) {
        guard self.drawnAt != nil else { return }
        self.drawnAt = nil
        try self.terminal.print("\r\u{1B}[K")
    }
}
