/// The admin socket: JSON lines over a Unix stream socket in the data folder.
///
/// Both sides first send a hello line, `{"teahouse":"admin","version":1}`; in the server's, `"role":"helper"` is the role
/// of the account that the operator's process runs as. Then the operator's side asks,
/// `{"id":1,"ask":"user.show","with":{"name":"romeo"}}`, and the server answers each request once,
/// `{"id":1,"answer":"user","with":{...}}` or `{"id":1,"error":{"code":"notFound","message":"..."}}`, in any order.
/// An error has, where it is a known refusal, its `"number"`, which does not change, and `"values"`, the texts in its
/// sentence: `refusal.NUMBER` in the language files.
/// `"by":{"name":"ming","source":"console","reason":"..."}` beside `with` says who asks, for the audit log.
/// After `follow` it also sends `{"id":1,"event":"message","with":{...}}` until the connection ends or
/// `follow.stop` is asked.
package enum AdminProtocol {
    /// Version of the protocol, which both sides must share.
    package static let version: Int64 = 1
    /// Name of the socket inside the data folder.
    package static let socketName = "admin.sock"
    /// Maximum bytes in a line, without its line feed. A longer line ends the connection.
    package static let maximumLineBytes = 1024 * 1024
    /// Maximum rows in one page of an answer.
    package static let pageRows = 500
    /// Maximum messages in one page: their texts make long lines.
    package static let pageMessages = 20
    /// Maximum bytes of a message's text in an answer; the rest is cut. Escaped, a page of them fits a line.
    package static let maximumTextBytes = 8 * 1024
    /// Maximum conversations of a user's list in one answer.
    package static let recentRows = 100
    /// Maximum friends, teams or tokens of a user in one answer.
    package static let detailRows = 200
    /// Maximum filter rules in one answer.
    package static let filterRows = 100
    /// Maximum files or transfers in one answer.
    package static let fileRows: Int64 = 1000
    /// Maximum bytes in one piece of an upload; in base64 they take a third more.
    package static let pieceBytes = 128 * 1024
    /// Maximum bytes in one piece of a file for a backup; in base64 they fit a line.
    package static let backupPieceBytes = 512 * 1024
    /// Maximum characters of the words beside a text: a file's name, a place's title.
    package static let maximumSketchCharacters = 128
    /// Points of the live metrics that are kept: ten minutes, one per second.
    package static let livePoints = 600
    /// Maximum rules or words in one request about the word list.
    package static let wordRows = 500
    /// Maximum bytes of one change of a conversation's attributes.
    package static let attributesPatchBytes = 64 * 1024
    /// Maximum users in one import request.
    package static let importRows = 500
    /// Bytes of rows at which an import request is sent, so that it fits a line.
    package static let arrivalBytes = 512 * 1024
    /// Maximum characters of display names and titles.
    package static let maximumTitleScalars = 128

    /// First line of the operator's side, without its line feed.
    package static var hello: [UInt8] { Self.hello(role: nil) }

    /// First line of a side, without its line feed.
    ///
    /// - Parameter role: role of the other side; `nil` in the operator's line.
    package static func hello(role: OperatorRole?) -> [UInt8] {
        LineWriter.object { line in
            line.field("teahouse", "admin")
            line.field("version", Self.version)
            line.field("role", role?.rawValue)
        }
    }

    /// Checks the first line of the other side.
    ///
    /// - Returns: the role that it says; an administrator's where it says none, as servers before roles do.
    /// - Throws: `protocolError` for another protocol or version, or the error that a server sends in place of its
    ///   hello.
    @discardableResult
    package static func check(hello line: [UInt8]) throws(AdminError) -> OperatorRole {
        let fields = try ObjectReader(line: line)
        // A server that cannot take the connection says why instead.
        if case .answer(_, .failure(let error)) = try? AdminReply(line: line) { throw error }
        let name: String? = try fields.value("teahouse")
        let spoken: Int64? = try fields.value("version")
        guard name == "admin", let version = spoken else {
            throw AdminError(.protocolError, "the other side does not speak the admin protocol")
        }
        guard version == Self.version else {
            throw AdminError(
                .protocolError,
                """
                the other side speaks version \(version) of the admin protocol, this one version \(Self.version): use \
                the same teahouse for both
                """)
        }
        let role: String? = try fields.value("role")
        return role.map { OperatorRole(rawValue: $0) ?? .observer } ?? .administrator
    }
}
