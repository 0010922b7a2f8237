/// The text of one statement in which constants of the code have their names:
/// `static let waiting = SQL("SELECT ... WHERE state = \(TeamRequestState.waiting)")`.
///
/// Kept in a `static let`: a connection knows its prepared statement by the object, as it knows that of a literal by the
/// address, and looks at no text again.
package final class SQL: Sendable {
    /// SQL text.
    package let text: String

    package init(_ text: SQLText) { self.text = text.text }
}

/// A part of a statement, such as a list of columns, or a whole one. Takes up numbers, the numbers behind enumerations and
/// option sets, and other parts; never what people wrote, which is bound.
package struct SQLText: ExpressibleByStringInterpolation, Sendable {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { self.text += literal }

        package mutating func appendInterpolation(_ number: some BinaryInteger) { self.text += "\(number)" }

        package mutating func appendInterpolation<Constant: RawRepresentable>(_ constant: Constant)
        where Constant.RawValue: BinaryInteger { self.text += "\(constant.rawValue)" }

        package mutating func appendInterpolation(_ part: SQLText) { self.text += part.text }
    }

    fileprivate let text: String

    package init(stringLiteral value: String) { self.text = value }

    package init(stringInterpolation: StringInterpolation) { self.text = stringInterpolation.text }
}
