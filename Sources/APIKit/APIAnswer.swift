package import ByteCodec
package import Store

/// Answer to a request.
package struct APIAnswer: Sendable {
    /// Status code.
    package var status: Int
    /// Besides those every answer has.
    package var headers: [(String, String)]
    /// Media type of the body; empty where there is none.
    package var contentType: String
    /// Body.
    package var body: [UInt8]
    /// Why the request is not done: a gateway with words of its own words it again.
    package var failure: APIFailure?

    package init(
        status: Int, headers: [(String, String)] = [], contentType: String = "application/json", body: [UInt8]
    ) {
        self.status = status
        self.headers = headers
        self.contentType = contentType
        self.body = body
    }

    /// `{"status":200}`, WuKongIM's plain yes.
    package static let ok = APIAnswer.json(.object([JSONValue.Member("status", .integer(200))]))

    /// `{"status":200,"data":...}`
    package static func ok(_ data: JSONValue) -> APIAnswer {
        .json(.object([JSONValue.Member("status", .integer(200)), JSONValue.Member("data", data)]))
    }

    /// A value as it is.
    package static func json(_ value: JSONValue, status: Int = 200) -> APIAnswer {
        APIAnswer(status: status, body: value.serialized())
    }

    /// A value that `write` writes.
    package static func json(_ write: (inout JSONWriter) -> Void) -> APIAnswer {
        var writer = JSONWriter(capacity: 1024)
        write(&writer)
        return APIAnswer(status: 200, body: writer.bytes)
    }

    /// `{"msg":"...","status":400}`, WuKongIM's no.
    package static func failure(_ failure: APIFailure) -> APIAnswer {
        var headers: [(String, String)] = []
        if let seconds = failure.retryAfterSeconds { headers.append(("Retry-After", String(seconds))) }
        if !failure.allowedMethods.isEmpty {
            headers.append(("Allow", failure.allowedMethods.joined(separator: ", ")))
        }
        let body = JSONValue.object([
            JSONValue.Member("msg", .string(failure.message)),
            JSONValue.Member("status", .integer(Int64(failure.status))),
        ])
        var answer = APIAnswer(status: failure.status, headers: headers, body: body.serialized())
        answer.failure = failure
        return answer
    }

    /// Answer that tells a failure as JSON.
    package static func failure(_ status: Int, _ message: String) -> APIAnswer {
        .failure(APIFailure(status, message))
    }
}

/// Why a request is not done. The message is for whoever wrote the client.
package struct APIFailure: Error, Hashable, Sendable {
    /// Status code.
    package var status: Int
    /// Message for a developer or, where apps show it, for people.
    package var message: String
    /// When the same request may succeed.
    package var retryAfterSeconds: Int64?
    /// Methods that the path allows, for 405.
    package var allowedMethods: [String] = []
    /// The rule or setting of a team that says no, as `TeamRefusal` spells it.
    package var setting: String?
    /// Stable name of the reason, in an API that has such names; `nil` where the status says all.
    package var problem: String?
    /// Field of the request that is wrong; `nil` for none.
    package var field: String?
    /// The number that the area's own protocol has for it, where that is not told by the status.
    package var code: Int32?

    package init(_ status: Int, _ message: String, retryAfterSeconds: Int64? = nil) {
        self.status = status
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// 400: the request is wrong.
    package static func bad(_ message: String) -> APIFailure { APIFailure(400, message) }

    /// Failure for a store error, in numbers of HTTP.
    package init(_ error: StoreError) {
        switch error {
        case .busy: self.init(503, "\(error)", retryAfterSeconds: 1)
        case .unavailable: self.init(503, "\(error)", retryAfterSeconds: 5)
        case .full: self.init(507, "\(error)")
        case .notFound: self.init(404, "\(error)")
        case .exists: self.init(409, "\(error)")
        case .invalid: self.init(400, "\(error)")
        case .refused(let refusal):
            switch refusal {
            case .noSuchConversation, .noSuchMessage, .noSuchUser, .noSuchRequest: self.init(404, "\(error)")
            case .notMember, .notAuthor, .notManager, .notOwner, .mayNotSend, .switchedOff, .joiningClosed,
                .ownerMustTransfer:
                self.init(403, "\(error)")
            case .noSuchFile: self.init(404, "\(error)")
            case .changedMeanwhile, .fileInUse, .fileIncomplete, .alreadyMember: self.init(409, "\(error)")
            // That there is a hold is the operator's knowledge, not the person's.
            case .underHold: self.init(403, "the operator has switched this off")
            case .transferOver, .requestOver: self.init(410, "\(error)")
            case .fileTooLong: self.init(413, "\(error)")
            case .tooManyUploads: self.init(429, "\(error)", retryAfterSeconds: 5)
            case .uploadsTooFast: self.init(429, "\(error)", retryAfterSeconds: 600)
            case .quotaReached: self.init(507, "\(error)")
            case .windowOver, .alreadyGone, .notApplicable, .ownMessage, .tooMany, .disbanded:
                self.init(400, "\(error)")
            }
        case .unreadableEvent: self.init(500, "\(error)")
        case .fatal, .alreadyRunning, .schemaTooNew: self.init(500, "the database failed: see the log of the server")
        }
    }
}
