/// The text of one statement in which constants of the code have their names:
/// `static let waiting = SQL("SELECT ... WHERE state = \(TeamRequestState.waiting)")`.
///
/// Kept in a `static let`: a connection knows its prepared statement by the object, as it knows that of a literal by the
/// address, and looks at no text again.
package final class SQL: Sendable {
    /// The statement as SQLite gets it.
    package let text: String

    /// Makes a statement of a text that is whole.
    package init(_ text: SQLText) { self.text = text.text }
}

/// A part of a statement, such as a list of columns, or a whole one. Takes up numbers, the numbers behind enumerations and
/// option sets, and other parts; never what people wrote, which is bound.
package struct SQLText: ExpressibleByStringInterpolation, Sendable {
    /// The text while it is put together.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Makes room for the literal parts.
        package init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }

        /// Appends a literal part.
        package mutating func appendLiteral(_ literal: String) { self.text += literal }

        /// Appends a number.
        package mutating func appendInterpolation(_ number: some BinaryInteger) { self.text += "\(number)" }

        /// Appends the number behind a constant.
        package mutating func appendInterpolation<Constant: RawRepresentable>(_ constant: Constant)
        where Constant.RawValue: BinaryInteger { self.text += "\(constant.rawValue)" }

        /// Appends another part.
        package mutating func appendInterpolation(_ part: SQLText) { self.text += part.text }
    }

    fileprivate let text: String

    /// Makes a part of a literal.
    package init(stringLiteral value: String) { self.text = value }

    /// Makes a part of literals and what stands between them.
    package init(stringInterpolation: StringInterpolation) { self.text = stringInterpolation.text }
}
