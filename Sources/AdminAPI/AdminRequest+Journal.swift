extension AdminRequest {
    /// Name on the socket and in the audit log: `team.mute`.
    package var word: String { self.noted.operation.word }

    /// Least role of an operator that may ask it.
    package var role: OperatorRole { self.noted.operation.role }

    /// True when the request asks for a change.
    package var isChange: Bool { self.noted.operation.isChange }

    /// True when the audit log keeps the request.
    package var isAudited: Bool { self.noted.operation.isAudited }

    /// The one person, conversation or thing that the request is about; `nil` when there are several or none.
    package var subject: String? { self.noted.operation.subject.text }

    /// Subject of the request, whose state the audit log keeps before and after.
    package var auditSubject: AdminSubject { self.noted.operation.subject }

    /// Request as a JSON object for the audit log, without passwords and texts of messages.
    package var asked: String {
        let json = (self.noted.operation.audited ?? self).object
        guard json.count > Self.maximumAskedBytes else { return String(decoding: json, as: UTF8.self) }
        let short = LineWriter.object { $0.field("bytes", Int64(json.count)) }
        return String(decoding: short, as: UTF8.self)
    }

    /// Maximum bytes of a request that the audit log keeps whole; of a longer one it keeps the length.
    private static let maximumAskedBytes = 64 * 1024
}
