import Accounts
import ByteCodec
import Transport

/// Tells apps where the WebSocket is: at this server, as it was reached.
///
/// Source: LeanCloud's RTM router (`/v1/route`), whose answer the SDKs take as it is, and its app routers of two ages
/// (`/1/route`, `/2/route`), which name hosts for each service.
struct LeanCloudRouter {
    let services: LeanCloudServices

    /// Header field of every answer: a page that cannot read it would see a broken network instead of the reason.
    ///
    /// Source: the Fetch standard, "CORS protocol"; LeanCloud's routers answer pages of any origin.
    private static let anyOrigin = ("Access-Control-Allow-Origin", "*")
    private static let preflight = [
        anyOrigin, ("Access-Control-Allow-Methods", "GET, HEAD"), ("Access-Control-Max-Age", "86400"),
        (
            "Access-Control-Allow-Headers",
            "Content-Type, X-LC-Id, X-LC-Key, X-LC-Sign, X-LC-Session, X-LC-Prod, X-LC-UA"
        ),
    ]

    /// How long apps may keep the answer.
    static let lifetimeSeconds: Int64 = 3600

    /// The path of the router alone, and those of the app routers, which name hosts too.
    private static let (path, appPaths) = ("/v1/route", ["/1/route", "/2/route"])

    static func isRouter(_ path: String) -> Bool { path == Self.path || Self.appPaths.contains(path) }

    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard Self.isRouter(request.path) else { return false }
        let namesHosts = request.path != Self.path
        if request.method == "OPTIONS" {
            responder.respond(status: 204, headers: Self.preflight)
            return true
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            var failure = Self.failure(1, "use GET")
            failure.append(0x0A)
            responder.respond(
                status: 405,
                headers: [("Allow", "GET, HEAD"), Self.anyOrigin, ("Content-Type", "application/json; charset=utf-8")],
                body: failure)
            return true
        }
        guard let appID = HTTPQuery(request.query)?["appId"], !appID.isEmpty else {
            Self.send(400, Self.failure(400, "appId is missing in the query"), responder)
            return true
        }
        guard self.services.serves(app: appID) else {
            Self.send(404, Self.failure(404, "there is no such app"), responder)
            return true
        }
        Self.send(200, self.answer(to: request, namesHosts: namesHosts), responder)
        return true
    }

    private func answer(to request: HTTPRequest, namesHosts: Bool) -> [UInt8] {
        let (url, host) = self.address(for: request)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("groupId")
        writer.string("teahouse")
        // The C# SDK goes on with the second one when the first fails: it is the same server.
        for key in ["server", "secondary"] {
            writer.key(key)
            writer.string(url)
        }
        if namesHosts {
            for key in ["api_server", "engine_server", "push_server", "rtm_router_server", "stats_server"] {
                writer.key(key)
                writer.string(host)
            }
        }
        writer.key("ttl")
        writer.integer(Self.lifetimeSeconds)
        writer.endObject()
        return writer.bytes
    }

    /// The WebSocket's address, and the host in it with its port.
    private func address(for request: HTTPRequest) -> (url: String, host: String) {
        let scheme = request.isEncrypted ? "wss://" : "ws://"
        guard var server = self.services.settings.publicServer else {
            let host = request.head.authority ?? ""
            return ("\(scheme)\(host)/", host)
        }
        while server.hasSuffix("/") { server.removeLast() }
        for known in ["wss://", "ws://"] where server.hasPrefix(known) {
            return (server + "/", String(server.dropFirst(known.count)))
        }
        return ("\(scheme)\(server)/", server)
    }

    /// As LeanCloud's API words what went wrong.
    private static func failure(_ code: Int64, _ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("code")
        writer.integer(code)
        writer.key("error")
        writer.string(text)
        writer.endObject()
        return writer.bytes
    }

    private static func send(_ status: Int, _ body: [UInt8], _ responder: HTTPResponder) {
        responder.respond(
            status: status,
            headers: [
                ("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store"), Self.anyOrigin,
            ], body: body)
    }
}
