import Transport

/// Sends the one answer of a request, from any thread.
package typealias APIReply = @Sendable (APIAnswer) -> Void

/// Does what a request asks for and calls the reply once, now or later, on any thread. What it throws is the answer.
package typealias APIHandler = @Sendable (APIRequest, APIServices, @escaping APIReply) throws(APIFailure) -> Void

/// Access to a route. The token stands in the header field `token`.
package enum RouteAccess: Hashable, Sendable {
    case anyone
    /// With the manager's token.
    case manager
    /// The person whose uid stands in this place of the request, with a token of their own; the manager too.
    case person(UIDPlace)
    /// Whoever the token alone belongs to.
    case session
    /// The same, or the manager.
    case caller

    /// Place of the user ID in a request.
    package enum UIDPlace: Hashable, Sendable {
        case body(String)
        case query(String)
        case path(String)
    }
}

/// One row of an HTTP API.
package struct Route: Sendable {
    /// How the body is handed over.
    package enum BodyKind: Sendable {
        case json
        case bytes
    }

    /// Method in capitals.
    package let method: String
    /// The path, with `{name}` for a segment that may be anything: `/channels/{id}/{type}`.
    package let pattern: String
    /// Access to the route.
    package let access: RouteAccess
    /// Kind of body that the route takes.
    package let bodyKind: BodyKind
    /// Maximum bytes of the body; a longer one is refused with 413 before it is read.
    package let maximumBytes: Int
    /// True when the session token of a LeanCloud connection counts where a device token would: it stands for the
    /// person, and is good for looking things up, not for changing an account.
    package private(set) var takesConnectionTokens = false
    /// Service without a token in the trial mode; `nil` for none.
    package private(set) var trial: TrialUse?
    /// Handler of the route.
    package let handler: APIHandler

    /// The same route, for those too who have nothing but the session token of a connection.
    package var withConnectionTokens: Route {
        var route = self
        route.takesConnectionTokens = true
        return route
    }

    /// The same route, served without a token in the trial mode.
    package func inTrial(_ use: TrialUse) -> Route {
        var route = self
        route.trial = use
        return route
    }

    /// Maximum bytes of a body from people, and from the manager, unless a route says otherwise.
    package static let usualBytes = 64 * 1024
    /// Maximum bytes of a body from the manager.
    package static let managerBytes = 1 << 20

    package init(
        _ method: String, _ pattern: String, _ access: RouteAccess, body: BodyKind = .json, maximumBytes: Int? = nil,
        _ handler: @escaping APIHandler
    ) {
        self.method = method
        self.pattern = pattern
        self.access = access
        self.bodyKind = body
        self.maximumBytes = maximumBytes ?? (access == .manager ? Self.managerBytes : Self.usualBytes)
        self.handler = handler
    }
}

/// A path that the original has and this server does not.
package struct NotServed: Sendable {
    /// A whole path, or the beginning of one when it ends in `/`.
    package let path: String
    /// Reason why the route is not served.
    package let reason: String

    package init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// Finds the route of a path. Immutable: one for all reactors.
package struct Router: Sendable {
    /// Result of looking a path up.
    package enum Finding: Sendable {
        case route(Route, parameters: [String: String])
        case refused(APIFailure)
        /// The path belongs to another gateway.
        case notMine
    }

    private enum Segment: Hashable {
        case text(String)
        case name(String)
    }

    private struct Pattern {
        let segments: [Segment]
        var routes: [String: Route]
    }

    /// Routes without names, by their path, then by method.
    private var fixed: [String: [String: Route]] = [:]
    /// Routes with names, by the number of their segments.
    private var patterns: [Int: [Pattern]] = [:]
    private var notServed: [NotServed]
    /// First segments of all paths, unless other gateways have paths beside them: what is below belongs to this gateway.
    private var territory: Set<String> = []

    /// True when paths below the first segments may belong to other gateways.
    private let sharesTerritory: Bool

    /// - Parameters:
    ///   - routes: no two with the same method and path.
    ///   - sharesTerritory: other gateways have paths beside these: what is not known is left to them.
    package init(_ routes: [Route], notServed: [NotServed] = [], sharesTerritory: Bool = false) {
        self.notServed = notServed
        self.sharesTerritory = sharesTerritory
        for route in routes { self.add(route) }
        for entry in notServed { self.claim(entry.path) }
    }

    private mutating func claim(_ path: String) {
        guard !self.sharesTerritory, let first = path.split(separator: "/").first else { return }
        self.territory.insert(String(first))
    }

    private mutating func add(_ route: Route) {
        self.claim(route.pattern)
        let segments = route.pattern.split(separator: "/").map { part in
            part.hasPrefix("{") ? Segment.name(String(part.dropFirst().dropLast())) : Segment.text(String(part))
        }
        let isFixed = segments.allSatisfy { if case .text = $0 { true } else { false } }
        if isFixed {
            let older = self.fixed[route.pattern, default: [:]].updateValue(route, forKey: route.method)
            precondition(older == nil, "two routes \(route.method) \(route.pattern)")
            return
        }
        var patterns = self.patterns[segments.count] ?? []
        if let index = patterns.firstIndex(where: { $0.segments == segments }) {
            let older = patterns[index].routes.updateValue(route, forKey: route.method)
            precondition(older == nil, "two routes \(route.method) \(route.pattern)")
        } else {
            patterns.append(Pattern(segments: segments, routes: [route.method: route]))
        }
        self.patterns[segments.count] = patterns
    }

    /// - Parameters:
    ///   - method: HEAD finds the route of GET.
    ///   - path: as sent.
    package func find(_ method: String, _ path: String) -> Finding {
        let method = method == "HEAD" ? "GET" : method
        if let routes = self.fixed[path] { return Self.choose(method, routes, [:]) }
        guard let segments = PercentDecoding.segments(ofPath: path) else {
            // The area whose path it would be words the refusal.
            guard self.wouldTake(path) else { return .notMine }
            return .refused(.bad("the path is not percent-encoded UTF-8 without control characters"))
        }
        // A word may stand where another method has a name: the first that fits and has the method is taken.
        var fitting: [String: Route] = [:]
        for pattern in self.patterns[segments.count] ?? [] {
            guard let parameters = Self.match(segments, pattern.segments) else { continue }
            if let route = pattern.routes[method] { return .route(route, parameters: parameters) }
            fitting.merge(pattern.routes) { first, _ in first }
        }
        if !fitting.isEmpty { return Self.choose(method, fitting, [:]) }
        if let entry = self.notServed.first(where: { Self.covers($0.path, path) }) {
            return .refused(APIFailure(404, "\(path) is not served here: \(entry.reason)"))
        }
        guard let first = segments.first, self.territory.contains(first) else { return .notMine }
        return .refused(APIFailure(404, "\(path) is no path of this server: see docs/protocols/wukongim.md"))
    }

    /// True for a path that cannot be decoded and stands where this gateway has a pattern, or below its own first segments.
    private func wouldTake(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        if let first = segments.first, self.territory.contains(first) { return true }
        return self.patterns[segments.count]?.contains { Self.match(segments, $0.segments) != nil } ?? false
    }

    private static func covers(_ entry: String, _ path: String) -> Bool {
        entry.hasSuffix("/") ? path.hasPrefix(entry) || path + "/" == entry : path == entry
    }

    private static func match(_ segments: [String], _ pattern: [Segment]) -> [String: String]? {
        var parameters: [String: String] = [:]
        for (segment, expected) in zip(segments, pattern) {
            switch expected {
            case .text(let text): if segment != text { return nil }
            case .name(let name): parameters[name] = segment
            }
        }
        return parameters
    }

    private static func choose(
        _ method: String, _ routes: [String: Route], _ parameters: [String: String]
    ) -> Finding {
        if let route = routes[method] { return .route(route, parameters: parameters) }
        let allowed = routes.keys.sorted()
        var failure = APIFailure(405, "\(method) cannot be done here: use \(allowed.joined(separator: " or "))")
        failure.allowedMethods = allowed
        return .refused(failure)
    }
}
