extension AdminRequest {
    /// Name on the socket and in the audit log: `team.mute`.
    package var word: String { self.operation.word }

    package var isChange: Bool { self.operation.isChange }

    package var isAudited: Bool { self.operation.isAudited }

    package var subject: String? { self.operation.subject }

    /// What was asked for, as a JSON object for the audit log: without passwords and without the words of messages.
    package var asked: String {
        let json = (self.operation.audited ?? self).object
        guard json.count > Self.maximumAskedBytes else { return String(decoding: json, as: UTF8.self) }
        let short = LineWriter.object { $0.field("bytes", Int64(json.count)) }
        return String(decoding: short, as: UTF8.self)
    }

    /// Longest request that the audit log keeps whole, bytes; of a longer one it keeps how long it was.
    private static let maximumAskedBytes = 64 * 1024
}
