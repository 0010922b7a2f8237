/// Which browser pages may talk to us: our own, and those whose origin is configured.
struct OriginRule: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: `https://app.example.com`, or `null`; from the configuration key `origins`.
    init(origins: [String]) { self.origins = Set(origins.map { ASCII.lowercased($0) }) }

    enum Verdict {
        /// No origin, or our own page.
        case own
        /// A configured one: it gets the headers that let it read answers.
        case configured
        case foreign
    }

    /// Source: RFC 6454 section 6 for the form of an origin.
    func judge(origin: String?, authority: String?) -> Verdict {
        guard let origin else { return .own }
        let lower = ASCII.lowercased(origin)
        if self.origins.contains(lower) { return .configured }
        for (scheme, standard) in [("http://", UInt16(80)), ("https://", 443)] where lower.hasPrefix(scheme) {
            guard let page = Authority(String(lower.dropFirst(scheme.count))),
                let own = authority.flatMap({ Authority($0) })
            else { return .foreign }
            let isOwn = page.host == own.host && page.port(unless: standard) == own.port(unless: standard)
            return isOwn ? .own : .foreign
        }
        return .foreign
    }
}
