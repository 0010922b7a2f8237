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
        /// The socket belongs to another user.
        case notAllowed
        /// The connection broke before the answer: what was asked may or may not be done.
        case connectionLost
    }

    /// Kind of the failure.
    package let code: Code
    /// Sentence for the operator: what happened, and what to do.
    package let message: String
    /// Refusal of a word that was typed, in the words of the language files; never goes over the socket.
    package let typed: Typed?

    /// Key of a text, and the values in it.
    package struct Typed: Equatable, Sendable {
        package var key: String
        package var values: [String: String]
    }

    package init(_ code: Code, _ message: String, typed: Typed? = nil) {
        self.code = code
        self.message = message
        self.typed = typed
    }

    package static func == (one: AdminError, other: AdminError) -> Bool {
        one.code == other.code && one.message == other.message && one.typed == other.typed
    }

    package var description: String { self.message }
}
