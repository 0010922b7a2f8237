/// Reason why a request failed, in words for the operator.
///
/// A class, because every field of every record can throw one: a reference is all that each of these places passes on.
package final class AdminError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Kind of a failure; the names go over the socket.
    package enum Code: String, Sendable, CaseIterable {
        /// A rule forbids it.
        case refused
        case notFound
        case exists
        /// The request breaks a rule of its form; the text says which.
        case invalid
        /// Nothing was done; ask again.
        case busy
        /// The server is stopping.
        case unavailable
        /// The disk is full.
        case full
        /// Disk or database failed.
        case failed
        /// A line that is not of this protocol, or longer than it allows.
        case protocolError
        /// No server answers on this data folder.
        case notRunning
        /// The socket belongs to another user, or the operator's role does not allow it.
        case notAllowed
        /// The connection broke before the answer: what was asked may or may not be done.
        case connectionLost
    }

    /// Kind of the failure.
    package let code: Code
    /// Sentence for the operator: what happened, and what to do.
    package let message: String
    /// Number of the refusal, which does not change, with the values of its sentence; `nil` for a failure without one. Two
    /// errors with the same sentence are equal with and without it.
    package let reason: Reason?
    /// Refusal of a word that was typed, in the words of the language files; never goes over the socket.
    package let typed: Typed?

    /// Key of a text, and the values in it.
    package struct Typed: Equatable, Sendable {
        package var key: String
        package var values: [String: String]
    }

    /// A refusal by its number, `refusal.NUMBER` in the language files.
    package struct Reason: Equatable, Sendable {
        /// Number of the refusal, 100 and up.
        package var number: Int64
        /// Values of the places `{1}`, `{2}` of its sentence.
        package var values: [String]

        package init(number: Int64, values: [String]) {
            self.number = number
            self.values = values
        }
    }

    package init(_ code: Code, _ message: String, typed: Typed? = nil, reason: Reason? = nil) {
        self.code = code
        self.message = message
        self.typed = typed
        self.reason = reason
    }

    /// The same with its number.
    package func with(_ reason: Reason?) -> AdminError {
        AdminError(self.code, self.message, typed: self.typed, reason: reason)
    }

    /// The same in the words of a language; unchanged where the language has no sentence for its number.
    ///
    /// - Parameter text: text of a key with values, the key itself for one that is not known.
    package func worded(_ text: (String, [String: String]) -> String) -> AdminError {
        guard let reason = self.reason else { return self }
        let key = "refusal.\(reason.number)"
        let places = reason.values.enumerated().map { (String($0 + 1), $1) }
        let sentence = text(key, Dictionary(uniqueKeysWithValues: places))
        return sentence == key ? self : AdminError(self.code, sentence, typed: self.typed, reason: reason)
    }

    package static func == (one: AdminError, other: AdminError) -> Bool {
        one.code == other.code && one.message == other.message && one.typed == other.typed
    }

    package var description: String { self.message }
}
