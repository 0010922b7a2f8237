import Execution
package import Transport

/// Answers `/healthz`, `/readyz` and, where somebody may read them, `/metrics`. Confined to its reactor.
package final class MonitoringGateway: Gateway {
    /// Time after which a scrape whose answer has not come is told so.
    private static let patienceMilliseconds: Int64 = 5_000
    private static let plain = "text/plain; charset=utf-8"

    private let metrics: ServerMetrics
    private let readiness: Readiness
    /// `nil`: metrics are not here.
    private let access: MetricsAccess?
    /// True on the operator's own addresses: what stands in the way is named there.
    private let tellsReasons: Bool
    private unowned let reactor: Reactor
    private var waiting: [UInt64: HTTPResponder] = [:]
    private var lastTicket: UInt64 = 0

    package init(
        _ metrics: ServerMetrics, _ readiness: Readiness, access: MetricsAccess?, tellsReasons: Bool, reactor: Reactor
    ) {
        self.metrics = metrics
        self.readiness = readiness
        self.access = access
        self.tellsReasons = tellsReasons
        self.reactor = reactor
    }

    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.method == "GET" || request.method == "HEAD" else { return false }
        switch request.path {
        case "/healthz": Self.send(200, "ok\n", to: responder)
        case "/readyz": self.answerReadiness(responder)
        case "/metrics":
            guard let access = self.access else { return false }
            self.answerMetrics(request, access, responder)
        default: return false
        }
        return true
    }

    private func answerReadiness(_ responder: HTTPResponder) {
        let obstacles = self.readiness.obstacles
        guard !obstacles.isEmpty else { return Self.send(200, "ready\n", to: responder) }
        let reasons = self.tellsReasons ? ": " + obstacles.joined(separator: " ") : ""
        Self.send(503, "not ready\(reasons)\n", to: responder)
    }

    private static func send(_ status: Int, _ text: String, to responder: HTTPResponder) {
        Self.send(status, Self.plain, Array(text.utf8), to: responder)
    }

    private static func send(_ status: Int, _ type: String, _ body: [UInt8], to responder: HTTPResponder) {
        responder.respond(
            status: status,
            headers: [
                ("Content-Type", type), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", "default-src 'none'; sandbox"),
            ], body: body)
    }

    // MARK: Metrics

    private func answerMetrics(_ request: HTTPRequest, _ access: MetricsAccess, _ responder: HTTPResponder) {
        switch access.verdict(address: request.peer.address, authorization: request.headers["Authorization"]) {
        case .allowed: break
        case .foreignAddress:
            return responder.respond(status: 403, error: "this address may not read metrics: metrics.allow")
        case .badToken:
            return responder.respond(
                status: 401, headers: [("WWW-Authenticate", "Bearer"), ("Content-Type", Self.plain)],
                body: Array("show the token of metrics.token_file: Authorization: Bearer TOKEN\n".utf8))
        }
        self.lastTicket += 1
        let ticket = self.lastTicket
        self.waiting[ticket] = responder
        responder.whenEnded = { [weak self] in self?.waiting[ticket] = nil }
        let jobs = self.reactor.jobs
        self.metrics.gather { snapshot in
            jobs.post { reactor in reactor.gateway(MonitoringGateway.self)?.answer(ticket, with: snapshot) }
        }
        self.reactor.after(milliseconds: Self.patienceMilliseconds) { reactor in
            reactor.gateway(MonitoringGateway.self)?.giveUp(ticket)
        }
    }

    private func answer(_ ticket: UInt64, with snapshot: MetricsSnapshot) {
        guard let responder = self.waiting.removeValue(forKey: ticket) else { return }
        let text = MetricsText.bytes(of: MetricsCatalogue.families(of: snapshot))
        Self.send(200, MetricsText.contentType, text, to: responder)
    }

    private func giveUp(_ ticket: UInt64) {
        guard let responder = self.waiting.removeValue(forKey: ticket) else { return }
        responder.respond(status: 503, error: "a part of the server has not answered within five seconds")
    }
}
