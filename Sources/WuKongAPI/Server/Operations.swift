import APIKit
import Broker
import ByteCodec
import ChatModel
import Diagnostics
import Store
import Transport
import WuKongTranslation

/// Routes for operators and load balancers.
enum Operations {
    private static let usualConnections: Int64 = 20
    private static let maximumConnections: Int64 = 1000

    @Sendable static func health(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply) {
        reply(.json(.object([JSONValue.Member("status", .string("ok"))])))
    }

    // MARK: Connections

    /// Ends one connection of a person, or with `conn_id` 0 all of them. After a kick a client does not come back by
    /// itself.
    static func end(isKick: Bool) -> APIHandler {
        { request, services, reply throws(APIFailure) in
            let fields = try request.fields()
            let name = try fields.uid("uid")
            let number = try fields.largeInteger("conn_id") ?? 0
            guard number >= 0 else { throw .bad("conn_id must not be negative") }
            let broker = services.broker
            let words = "ended by the app's server"
            let reason: SessionEndReason = isKick ? .kickedByOperator(words) : .failed(words)
            services.store.read(for: request.asker) { transaction throws(StoreError) in
                try transaction.people.user(named: name)?.id
            } then: { result in
                guard case .success(let found) = result else { return reply(.failure(503, "the server is busy")) }
                guard let user = found else { return reply(.failure(404, "\(name) does not exist")) }
                broker.sessions(of: user) { sessions in
                    let chosen = sessions.map(\.id).filter { number == 0 || $0.rawValue == UInt64(number) }
                    guard number == 0 || !chosen.isEmpty else {
                        return reply(.failure(404, "there is no such connection"))
                    }
                    broker.end(sessions: chosen, reason: reason) { _ in reply(.ok) }
                }
            }
        }
    }

    /// The connections that are signed in, by number. Counts per connection are not kept.
    @Sendable static func connections(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let offset = max(0, try request.queryInteger("offset", otherwise: 0))
        let asked = try request.queryInteger("limit", otherwise: Self.usualConnections)
        let limit = max(1, min(asked, Self.maximumConnections))
        let uid = request.query["uid"] ?? ""
        let now = services.clock.wallMilliseconds()
        services.broker.sessions(of: nil) { sessions in
            let wanted = uid.isEmpty ? sessions : sessions.filter { $0.userName.text == uid }
            let page = wanted.dropFirst(Int(clamping: offset)).prefix(Int(limit))
            reply(
                .json(
                    .object([
                        JSONValue.Member("connections", .array(page.map { Self.connection($0, now: now) })),
                        JSONValue.Member("now", .integer(now / 1000)),
                        JSONValue.Member("total", .integer(Int64(wanted.count))),
                        JSONValue.Member("offset", .integer(offset)), JSONValue.Member("limit", .integer(limit)),
                    ])))
        }
    }

    private static func connection(_ session: SessionDescription, now: Int64) -> JSONValue {
        let colon = session.address.lastIndex(of: ":") ?? session.address.endIndex
        let port = Int64(session.address[colon...].dropFirst()) ?? 0
        return .object([
            JSONValue.Member("id", .integer(Int64(clamping: session.id.rawValue))),
            JSONValue.Member("uid", .string(session.userName.text)),
            JSONValue.Member("ip", .string(String(session.address[..<colon]))),
            JSONValue.Member("port", .integer(port)),
            JSONValue.Member("uptime", .string("\(max(0, now - session.openedAtMilliseconds) / 1000)s")),
            JSONValue.Member("device", .string(session.deviceClass.name)),
            JSONValue.Member(
                "device_flag", .integer(Int64(Translation.deviceFlag(session.deviceClass) ?? -1))),
            JSONValue.Member("device_id", .string(session.deviceID)),
            JSONValue.Member("device_level", .integer(session.deviceLevel.rawValue)),
            JSONValue.Member("protocol", .string(session.protocolName)),
            JSONValue.Member("encrypted", .boolean(session.isEncrypted)), JSONValue.Member("node_id", .integer(0)),
        ])
    }

    // MARK: Numbers

    /// Metrics since the start, and how full the bounds are; there is one node, number 0.
    @Sendable static func metrics(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let address = Addresses.address(of: request) ?? ""
        let encrypted = Addresses.encrypted(address, request, services.facts)
        let (store, facts, now) = (services.store, services.facts, services.clock.wallMilliseconds())
        let broker = services.broker
        facts.transport.metrics { traffic in
            broker.metrics { metrics in
                let members = Self.members(metrics, traffic, store.metrics, facts, now: now)
                let addresses = [
                    JSONValue.Member("tcp_addr", .string(address)),
                    JSONValue.Member("ws_addr", .string("ws://\(address)")),
                    JSONValue.Member("wss_addr", .string(encrypted)),
                    JSONValue.Member("api_url", .string("http://\(address)")),
                    JSONValue.Member("limits", .array(facts.limits.map(Self.limit))),
                ]
                reply(.json(.object(members + addresses)))
            }
        }
    }

    private static func members(
        _ metrics: BrokerMetrics, _ traffic: TransportMetrics, _ stored: StoreMetrics, _ facts: ServerFacts, now: Int64
    ) -> [JSONValue.Member] {
        [
            JSONValue.Member("server_id", .string("0")), JSONValue.Member("server_name", .string("teahouse")),
            JSONValue.Member("version", .string(facts.version)),
            JSONValue.Member("connections", .integer(Int64(metrics.sessions))),
            JSONValue.Member("users_online", .integer(Int64(metrics.usersOnline))),
            JSONValue.Member("uptime", .string("\(max(0, now - facts.startedAtMilliseconds) / 1000)s")),
            JSONValue.Member("in_msgs", .integer(metrics.published)),
            JSONValue.Member("out_msgs", .integer(metrics.delivered)),
            JSONValue.Member("in_bytes", .integer(traffic.receivedBytes)),
            JSONValue.Member("out_bytes", .integer(traffic.sentBytes)),
            JSONValue.Member("slow_clients", .integer(traffic.stalled)),
            JSONValue.Member("pending_bytes", .integer(traffic.outboxBytes)),
            JSONValue.Member("duplicates", .integer(metrics.duplicates)),
            JSONValue.Member("refused", .integer(metrics.refused)),
            JSONValue.Member("rate_limited", .integer(metrics.rateLimited)),
            JSONValue.Member("commits", .integer(stored.commits)),
            JSONValue.Member("commit_p99_us", .integer(stored.commitP99Microseconds)),
            JSONValue.Member("read_only", .boolean(stored.isReadOnly)),
        ]
    }

    private static func limit(_ limit: Limit) -> JSONValue {
        .object([
            JSONValue.Member("name", .string(limit.name)), JSONValue.Member("unit", .string(limit.unit)),
            JSONValue.Member("maximum", .integer(limit.maximum)), JSONValue.Member("peak", .integer(limit.peak)),
            JSONValue.Member("refusals", .integer(limit.refusals)),
        ])
    }
}
