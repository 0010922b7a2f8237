/// Rule for browser pages: our own page, and pages of configured origins, may use the server.
struct OriginRule: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: `https://app.example.com`, or `null`; from the configuration key `origins`.
    init(origins: [String]) { self.origins = Set(origins.map { ASCII.lowercased($0) }) }

    /// True when an address belongs to a page of a configured origin. Browsers send it with a picture of a page, where
    /// they send no Origin. Source: RFC 9110, Referer.
    func lists(pageAt address: String?) -> Bool {
        guard let address, !self.origins.isEmpty, let scheme = address.firstIndex(of: ":") else { return false }
        let authority = address[scheme...].dropFirst()
        guard authority.hasPrefix("//") else { return false }
        let end = authority.dropFirst(2).firstIndex { "/?#".contains($0) } ?? authority.endIndex
        return self.origins.contains(ASCII.lowercased(String(address[..<end])))
    }

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
