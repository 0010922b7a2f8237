/// How much a finding matters.
package enum Severity: Int, Sendable, Comparable, CaseIterable {
    /// As it should be.
    case ok
    /// Works, and could be better.
    case advice
    /// Will fail, lose data or let strangers in.
    case problem

    package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
}

/// Finding of one check.
package struct Finding: Hashable, Sendable {
    /// Severity of the finding.
    package var severity: Severity
    /// For translations: `doctor.data_folder.missing`; the advice has the same with `.advice` behind it.
    package var key: String
    /// Values by placeholder: `{path}` in a text is replaced by `values["path"]`.
    package var values: [String: String]
    /// English, with placeholders.
    package var template: String
    /// Advice, English, with placeholders; `nil` when there is nothing to do.
    package var adviceTemplate: String?

    init(
        _ severity: Severity, _ key: String, _ template: String, advice: String? = nil, values: [String: String] = [:]
    ) {
        self.severity = severity
        self.key = "doctor.\(key)"
        self.values = values
        self.template = template
        self.adviceTemplate = advice
    }

    /// Finding in English, placeholders filled.
    package var text: String { self.filled(self.template) }

    /// Advice in English, placeholders filled.
    package var advice: String? { self.adviceTemplate.map(self.filled) }

    /// Puts the values into a text, also a translated one. An unknown placeholder stays as it is.
    package func filled(_ template: String) -> String {
        var filled = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            filled += rest[..<open]
            filled += self.values[name] ?? "{\(name)}"
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }
}
