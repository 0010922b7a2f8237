/// Why a query, an order or an update is not one, or cannot be carried out.
///
/// The reason is one sentence for the developer of the app. It names keys and operators and shows no values: those may
/// be messages or secrets.
package struct ObjectQueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Reason in English, for the client.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package var description: String { self.reason }

    /// A name that a client chose, in quotes, short and on one line.
    static func quoted(_ name: String) -> String {
        var text = "\""
        for (index, scalar) in name.unicodeScalars.enumerated() {
            if index == 64 {
                text += "..."
                break
            }
            text.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
        }
        return text + "\""
    }
}
