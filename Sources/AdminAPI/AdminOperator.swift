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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name)
        fields.text("source", self.source.rawValue)
        fields.text("reason", self.reason)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.line("name", maximumScalars: 64)
        self.source = try Word.value("source", fields)
        self.reason = try fields.line("reason", maximumScalars: 500)
    }
}

extension FieldReader {
    /// A text of one line, `nil` when it is not there.
    func line(_ key: String, maximumScalars: Int) throws(AdminError) -> String? {
        guard let text = try self.optionalText(key) else { return nil }
        let hasControls = text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
        guard (1...maximumScalars).contains(text.unicodeScalars.count) && !hasControls else {
            throw AdminError(.invalid, "\(key) has 1 to \(maximumScalars) characters, none of them control")
        }
        return text
    }
}
