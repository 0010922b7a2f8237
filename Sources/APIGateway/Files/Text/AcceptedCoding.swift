import Transport

/// Content codings that a client takes.
enum AcceptedCoding {
    /// True when gzip may be sent. Without the field it is not: a client that knows gzip says so.
    ///
    /// Source: RFC 9110 section 12.5.3; `x-gzip` is the old name.
    static func takesGzip(_ fields: [String]) -> Bool {
        var star = false
        for item in fields.joined(separator: ",").split(separator: ",") {
            let parts = item.split(separator: ";").map { ASCII.lowercased(ASCII.trimmed($0)) }
            guard let name = parts.first else { continue }
            let isWanted = !parts.dropFirst().contains(where: Self.isZeroWeight)
            switch name {
            case "gzip", "x-gzip": return isWanted
            case "*": star = isWanted
            default: break
            }
        }
        return star
    }

    /// `q=0`, `q=0.0`, `q=0.000`.
    private static func isZeroWeight(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=") else { return false }
        let digits = parameter.dropFirst(2)
        return !digits.isEmpty && digits.allSatisfy { $0 == "0" || $0 == "." }
    }
}
