package import ChatModel

/// Operator, as their process names them in a request. The server adds the user that the process runs as, which it
/// learns from the kernel.
package struct AdminOperator: AdminRecord {
    /// Name; 1...64 characters, no control characters; `nil` for none.
    package var name: String?
    /// Program that sent the request.
    package var source: AuditSource
    /// Reason for the request; at most 500 characters, no control characters; `nil` for none.
    package var reason: String?

    package init(name: String? = nil, source: AuditSource = .ctl, reason: String? = nil) {
        self.name = name
        self.source = source
        self.reason = reason
    }

    /// True when every field has its default.
    var isPlain: Bool { self == AdminOperator() }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.source = try fields("source", \.source)
        self.reason = try fields("reason", \.reason)
        let (name, reason) = (self.name, self.reason)
        try fields.check(Self.isLine(name, 64), Self.refusal("name", 64))
        try fields.check(Self.isLine(reason, 500), Self.refusal("reason", 500))
    }

    /// True for a text of one line, and for none.
    private static func isLine(_ text: String?, _ maximumScalars: Int) -> Bool {
        guard let text else { return true }
        let hasControls = text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
        return (1...maximumScalars).contains(text.unicodeScalars.count) && !hasControls
    }

    private static func refusal(_ key: String, _ maximumScalars: Int) -> AdminError {
        AdminError(.invalid, "\(key) has 1 to \(maximumScalars) characters, none of them control")
    }
}
