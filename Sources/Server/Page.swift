import Transport

/// The page in the browser: one HTML file at `/`, and at `/join/CODE`, for who asks for HTML, its files at
/// `/page/VERSION/NAME`, and at `/worker.js` the service worker, whose address must not change.
///
/// It tells nothing about people or content: the scripts ask `/api/v1` with the token of who signs in. Confined to its
/// reactor.
final class Page: Gateway {
    /// Prefix of the addresses of files.
    static let prefix = "/page/"
    /// Address of the service worker: its folder is what it may serve.
    static let workerPath = "/worker.js"
    /// Sources that a browser may take anything from: this server, and contents that scripts hold. Nothing inline runs,
    /// no text becomes markup (trusted types; the one policy names the address of the worker), nobody frames the page.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; \
        connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types teahouse
        """
    private static let aYear = "public, max-age=31536000, immutable"

    private let files: PageFiles

    init(files: PageFiles = .embedded) { self.files = files }

    func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.method == "GET" || request.method == "HEAD" else { return false }
        if request.path == "/" || Self.isInvitation(request.path) {
            guard Self.takes("text/html", request.headers.all("accept")) else { return false }
            Self.send(
                self.files.first, "no-cache", "Accept, Accept-Encoding", request, responder, tag: self.files.version)
            return true
        }
        if request.path == Self.workerPath {
            Self.send(self.files.worker, "no-cache", "Accept-Encoding", request, responder, tag: self.files.version)
            return true
        }
        guard request.path.hasPrefix(Self.prefix) else { return false }
        let parts = request.path.dropFirst(Self.prefix.utf8.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == self.files.version, let file = self.files.files[String(parts[1])] else {
            responder.respond(
                status: 404, headers: [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")])
            return true
        }
        Self.send(file, Self.aYear, "Accept-Encoding", request, responder, tag: self.files.version)
        return true
    }

    /// True for the address of an invitation, which the page's script reads.
    private static func isInvitation(_ path: String) -> Bool {
        path.hasPrefix("/join/") && path.utf8.count > "/join/".utf8.count && !path.dropFirst(6).contains("/")
    }

    private static func send(
        _ file: PageFiles.File, _ caching: String, _ vary: String, _ request: HTTPRequest, _ responder: HTTPResponder,
        tag: String
    ) {
        let gzip = Self.takesGzip(request.headers.all("accept-encoding")) ? file.gzip : nil
        let field = gzip == nil ? "\"\(tag)\"" : "\"\(tag)-gz\""
        var headers = [
            ("Cache-Control", caching), ("ETag", field), ("Vary", vary), ("Content-Security-Policy", Self.policy),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        if Self.items(request.headers.all("if-none-match")).contains(where: { $0 == field || $0 == "*" }) {
            return responder.respond(status: 304, headers: headers)
        }
        headers.append(("Content-Type", file.mediaType))
        if gzip != nil { headers.append(("Content-Encoding", "gzip")) }
        responder.respond(status: 200, headers: headers, body: gzip ?? file.plain)
    }

    /// True when the field names the type; a program that takes anything does not ask for a page.
    private static func takes(_ type: String, _ fields: [String]) -> Bool {
        self.items(fields).contains { item in
            item.split(separator: ";").first.map { ASCII.lowercased(ASCII.trimmed($0)) } == type
        }
    }

    /// True when gzip may be sent: a client that knows it says so. Source: RFC 9110 section 12.5.3.
    private static func takesGzip(_ fields: [String]) -> Bool {
        self.items(fields).contains { item in
            let parts = item.split(separator: ";").map { ASCII.lowercased(ASCII.trimmed($0)) }
            return parts.first == "gzip" && !parts.dropFirst().contains { $0 == "q=0" || $0.hasPrefix("q=0.0") }
        }
    }

    private static func items(_ fields: [String]) -> [String] {
        fields.joined(separator: ",").split(separator: ",").map { String(ASCII.trimmed($0)) }
    }
}
