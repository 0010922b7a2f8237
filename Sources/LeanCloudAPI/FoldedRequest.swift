import APIKit
import ByteCodec
import Transport

/// A request inside the body of a POST of plain text, as browsers may send it to another origin without asking first: a
/// JSON object with the method, the keys, and the parameters beside them. Source: LeanCloud JavaScript SDK up to version 3.
enum FoldedRequest {
    /// Names of members that become header fields.
    private static let fields = [
        "_ApplicationId": "X-LC-Id", "_ApplicationKey": "X-AVOSCloud-Application-Key",
        "_MasterKey": "X-AVOSCloud-Master-Key", "_SessionToken": "X-LC-Session",
    ]
    private static let methods: Set<String> = ["GET", "POST", "PUT", "DELETE"]

    /// - Returns: the request as it is when it is none of these.
    /// - Throws: 400.
    @Sendable static func unfold(_ request: HTTPRequest) throws(APIFailure) -> HTTPRequest {
        guard request.method == "POST", let type = request.headers["content-type"],
            ASCII.lowercased(type).hasPrefix("text/plain"),
            let members = (try? JSONValue(parsing: request.body))?.object,
            members.contains(where: { $0.name == "_ApplicationId" || $0.name == "_method" })
        else { return request }
        var method = "POST"
        var fields: [(String, String)] = []
        var parameters: [JSONValue.Member] = []
        for member in members {
            switch (member.name, member.value.string) {
            case ("_method", let text):
                guard let text, Self.methods.contains(text) else { throw .bad("_method is not known here") }
                method = text
            case (let name, let text?) where Self.fields[name] != nil:
                guard let field = Self.fields[name], text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                    throw .bad("\(name) has a character that is not allowed")
                }
                fields.append((field, text))
            case (let name, _) where name.hasPrefix("_"): continue
            default: parameters.append(member)
            }
        }
        guard method == "GET" || method == "DELETE" else {
            return request.carrying(
                method: method, query: request.query, fields: fields,
                body: JSONValue.object(parameters).serialized())
        }
        return request.carrying(
            method: method, query: Self.query(request.query, parameters), fields: fields, body: [])
    }

    /// Parameters of a request without a body: texts as they are, all else as JSON.
    private static func query(_ sent: String?, _ parameters: [JSONValue.Member]) -> String? {
        let parts = parameters.map { member in
            let text = member.value.string ?? String(decoding: member.value.serialized(), as: UTF8.self)
            return "\(PercentEncoding.segment(member.name))=\(PercentEncoding.segment(text))"
        }
        let all = (sent.map { [$0] } ?? []) + parts
        return all.isEmpty ? nil : all.joined(separator: "&")
    }
}
