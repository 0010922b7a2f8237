/// Collection of the text between the marks that a terminal puts around what is pasted.
package struct PasteCollector: Sendable {
    /// Maximum scalars of one paste; what is longer is cut.
    package static let maximumScalars = 64 * 1024
    /// Time without anything new after which a paste whose end never came is over, milliseconds.
    package static let quietMilliseconds: Int64 = 2_000

    private var text: String.UnicodeScalarView?
    private var count = 0
    private var wasReturn = false
    private var heardAtMilliseconds: Int64 = 0

    package init() {}

    /// True between the marks.
    package var isOpen: Bool { self.text != nil }

    /// Takes the mark before a paste.
    package mutating func begin(atMilliseconds now: Int64) {
        self.text = self.text ?? String.UnicodeScalarView()
        (self.count, self.wasReturn) = (0, false)
        self.heardAtMilliseconds = now
    }

    /// Takes a scalar between the marks. Controls are left out; every end of a line becomes a line feed.
    package mutating func add(_ scalar: Unicode.Scalar, atMilliseconds now: Int64) {
        self.heardAtMilliseconds = now
        guard self.isOpen, self.count < Self.maximumScalars else { return }
        defer { self.wasReturn = scalar == "\r" }
        self.count += 1
        switch scalar {
        case "\n" where self.wasReturn: break
        case "\r", "\n": self.text?.append("\n")
        case "\t": self.text?.append(" ")
        default: if scalar.value >= 0x20, scalar.value != 0x7F { self.text?.append(scalar) }
        }
    }

    /// Takes the mark behind a paste.
    ///
    /// - Returns: `nil` when nothing was pasted.
    package mutating func end() -> Key? {
        defer { self.text = nil }
        guard let text = self.text, !text.isEmpty else { return nil }
        return .paste(String(text))
    }

    /// Ends a paste of which nothing came for a while, so that a lost mark does not hold the keyboard.
    package mutating func expire(atMilliseconds now: Int64) -> Key? {
        guard self.isOpen, now - self.heardAtMilliseconds >= Self.quietMilliseconds else { return nil }
        return self.end()
    }
}
