/// Why a pattern is not understood, or is more than is allowed.
///
/// The reason is one sentence for the person who wrote the pattern.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Sentence for the person who wrote the pattern.
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// The reason alone.
    package var description: String { self.reason }

    /// A part of the pattern in quotes, short and on one line.
    static func quoted(_ part: String) -> String {
        var text = "\""
        for (index, scalar) in part.unicodeScalars.enumerated() {
            if index == 64 {
                text += "..."
                break
            }
            text.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
        }
        return text + "\""
    }
}
