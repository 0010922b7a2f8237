import APIKit
import ByteCodec

/// Where clients connect to.
///
/// Everything is served on one port, so it is the address under which the asker has reached it: `Host` of the request.
enum Addresses {
    /// Most uids of one /route/batch.
    private static let maximumUIDs = 10_000

    @Sendable static func find(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        reply(.json(.object(try Self.members(request, services))))
    }

    @Sendable static func findBatch(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        guard let uids = request.body.array, uids.count <= Self.maximumUIDs,
            uids.allSatisfy({ $0.string?.isEmpty == false })
        else { throw .bad("expected an array of at most \(Self.maximumUIDs) uids as the body") }
        let members = [JSONValue.Member("uids", .array(uids))] + (try Self.members(request, services))
        reply(.json(.array([.object(members)])))
    }

    private static func members(_ request: APIRequest, _ services: APIServices) throws(APIFailure) -> [JSONValue.Member]
    {
        guard let address = Self.address(of: request) else { throw .bad("no Host field") }
        return [
            JSONValue.Member("tcp_addr", .string(address)),
            JSONValue.Member("ws_addr", .string("ws://\(address)")),
            JSONValue.Member("wss_addr", .string(Self.encrypted(address, request, services.facts))),
        ]
    }

    /// The encrypted address, empty where it would fail: web clients prefer it to the plain one, and a browser refuses
    /// a certificate that it cannot check without a word. Whoever asked over TLS has taken ours.
    ///
    /// Source: `connectAddrCallback` of TangSengDaoDao's web app (`wss_addr` before `ws_addr`).
    static func encrypted(_ address: String, _ request: APIRequest, _ facts: ServerFacts) -> String {
        facts.servesTLS && (request.isEncrypted || facts.hasOwnCertificates) ? "wss://\(address)" : ""
    }

    /// `host:port`; a port that is not written is the scheme's own.
    static func address(of request: APIRequest) -> String? {
        guard let authority = request.authority, !authority.isEmpty else { return nil }
        let afterLiteral = authority.lastIndex(of: "]") ?? authority.startIndex
        guard !authority[afterLiteral...].contains(":") else { return authority }
        return "\(authority):\(request.isEncrypted ? 443 : 80)"
    }
}
