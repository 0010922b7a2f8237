import APIKit
import ByteCodec
import Execution
import Transport

/// Several requests in one, done one after the other; what fails does not hold up the rest.
///
/// Source: LeanCloud REST guide, "Batch operations": an array with `{"success":...}` or `{"error":...}` for each.
struct BatchRoutes: Sendable {
    /// Router of the requests that a batch may hold.
    let router: Router

    /// Requests in one batch. Source: LeanCloud REST guide.
    private static let mostRequests = 50
    /// Requests in one batch that saves. Source: LeanCloud Objective-C SDK, `LCObject.m`.
    private static let mostSaved = 100

    var routes: [Route] {
        [
            Route("POST", "/1.1/batch/save", .caller) { (request, services, reply) throws(APIFailure) in
                let rows = try request.fields().objects("requests", most: Self.mostSaved)
                var parts: [SavePart] = []
                for row in rows { parts.append(try SavePart(row, request)) }
                SaveRun(parts, self.router, services, reply).next()
            },
            Route("POST", "/1.1/batch", .caller) { (request, services, reply) throws(APIFailure) in
                let rows = try request.fields().objects("requests", most: Self.mostRequests)
                var parts: [Part] = []
                for row in rows { parts.append(try Part(row, request)) }
                BatchRun(parts, self.router, services, reply).next()
            },
        ]
    }

    /// One request of a batch.
    struct Part: Sendable {
        let request: APIRequest

        init(_ fields: APIFields, _ whole: APIRequest) throws(APIFailure) {
            let target = try fields.text("path")
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let said = (parts.count > 1 ? [String(parts[1])] : []) + Self.query(fields.member("params"))
            guard let query = HTTPQuery(said.isEmpty ? nil : said.joined(separator: "&")) else {
                throw .bad("a query in the batch cannot be decoded")
            }
            var request = whole
            // COMPAT(LeanCloud Swift): it writes methods in small letters here.
            request.method = try fields.text("method").uppercased()
            request.path = String(parts[0])
            request.query = query
            request.body = fields.member("body") ?? .null
            request.parameters = [:]
            self.request = request
        }

        /// The query that stands beside the path as an object.
        private static func query(_ parameters: JSONValue?) -> [String] {
            (parameters?.object ?? []).map { member in
                let text = member.value.string ?? String(decoding: member.value.serialized(), as: UTF8.self)
                return "\(PercentEncoding.segment(member.name))=\(PercentEncoding.segment(text))"
            }
        }
    }
}

/// A batch on its way. Each answer starts the next request, on whichever thread it came.
private final class BatchRun: Sendable {
    private let parts: [BatchRoutes.Part]
    private let router: Router
    private let services: APIServices
    private let reply: APIReply
    private let answers = Lock<[JSONValue]>([])

    init(_ parts: [BatchRoutes.Part], _ router: Router, _ services: APIServices, _ reply: @escaping APIReply) {
        self.parts = parts
        self.router = router
        self.services = services
        self.reply = reply
    }

    func next() {
        let done = self.answers.withLock { $0.count }
        guard done < self.parts.count else {
            return self.reply(.json(.array(self.answers.withLock { $0 })))
        }
        do throws(APIFailure) {
            try self.run(self.parts[done].request)
        } catch {
            self.takeAnswer(.failure(error))
        }
    }

    private func run(_ request: APIRequest) throws(APIFailure) {
        try self.router.runPart(request, self.services) { self.takeAnswer($0) }
    }

    private func takeAnswer(_ answer: APIAnswer) {
        let worded = answer.failure.map { APIAnswer.leanCloud($0) } ?? answer
        let body = (try? JSONValue(parsing: worded.body)) ?? .object([])
        let row = JSONValue.fields((answer.failure == nil ? "success" : "error", body))
        self.answers.withLock { $0.append(row) }
        self.next()
    }
}

extension Router {
    /// Runs one request of a batch, by the right of whoever sent the whole.
    ///
    /// - Throws: 401, 404, 405, and what the route throws.
    func runPart(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply) throws(APIFailure) {
        switch self.find(request.method, request.path) {
        case .notMine: throw APIFailure(404, "\(request.path) cannot be in a batch")
        case .refused(let failure): throw failure
        case .route(let route, let parameters):
            guard route.access != .manager || request.caller == .manager else {
                throw APIFailure(401, "this needs the master key", code: 119)
            }
            guard route.bodyKind == .json else { throw APIFailure(400, "\(request.path) cannot be in a batch") }
            var request = request
            request.parameters = parameters
            try route.handler(request, services, reply)
        }
    }
}
