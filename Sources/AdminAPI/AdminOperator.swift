package import ChatModel

/// What an operator says of themselves with a request. The server adds the user their process runs as, which it knows
/// from the kernel.
package struct AdminOperator: AdminRecord {
    /// 1...64 characters, none of them control.
    package var name: String?
    package var source: AuditSource
    /// Why; at most 500 characters, none of them control.
    package var reason: String?

    package init(name: String? = nil, source: AuditSource = .ctl, reason: String? = nil) {
        self.name = name
        self.source = source
        self.reason = reason
    }

    /// Says nothing that is not so without it.
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
