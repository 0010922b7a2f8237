import CLinux
import Glibc

/// Reads one line from a terminal without showing it: a password or a key.
///
/// Keys come one by one, also Ctrl-C, so that the terminal is never left without echo. The edit keys are those of a
/// terminal's own line: Backspace, Ctrl-U, Ctrl-D.
package enum SecretInput {
    /// Most bytes of one secret; what is typed beyond is not taken.
    package static let maximumBytes = 4_096

    /// One line, without its end; `nil` when it was cancelled (Ctrl-C, Ctrl-D on an empty line, the end of input) or
    /// `descriptor` is no terminal.
    package static func line(from descriptor: Int32) -> String? {
        var before = termios()
        guard isatty(descriptor) == 1, tcgetattr(descriptor, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        guard tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else { return nil }
        defer { tcsetattr(descriptor, TCSAFLUSH, &before) }
        var secret = SecretLine()
        while true {
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0 && clinux_errno() == EINTR { continue }
            guard count == 1 else { return nil }
            switch secret.takeByte(byte) {
            case .more: continue
            case .done(let text): return text
            case .cancelled: return nil
            }
        }
    }
}

/// The line that is being typed, byte by byte.
struct SecretLine {
    enum Step: Hashable {
        case more
        case done(String)
        case cancelled
    }

    private var bytes: [UInt8] = []

    mutating func takeByte(_ byte: UInt8) -> Step {
        switch byte {
        case 0x0A, 0x0D: return .done(String(decoding: self.bytes, as: UTF8.self))
        case 0x03: return .cancelled
        case 0x04: return self.bytes.isEmpty ? .cancelled : .more
        case 0x15: self.bytes.removeAll()
        case 0x08, 0x7F: self.removeCharacter()
        case 0..<0x20: break
        default: if self.bytes.count < SecretInput.maximumBytes { self.bytes.append(byte) }
        }
        return .more
    }

    /// Removes the last character: its continuation bytes, and the byte that begins it.
    private mutating func removeCharacter() {
        while let last = self.bytes.popLast(), last & 0xC0 == 0x80 {}
    }
}
