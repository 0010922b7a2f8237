/// The first line and the header fields of a request.
package struct HTTPRequestHead: Sendable {
    /// `GET`, `POST` ...: case matters, also an unknown one is kept.
    package let method: String
    /// The path as sent, percent-encoded, without the query; `*` for `OPTIONS *`.
    package let path: String
    /// Text behind `?`, as sent; `nil` without one.
    package let query: String?
    /// From an absolute target (`GET http://host/path`), which then stands in for the Host field.
    let targetAuthority: String?
    /// 0 or 1 of HTTP/1.x.
    package let minorVersion: Int
    /// Header fields in the order sent.
    package let headers: HTTPHeaders
    let framing: HTTPBodyFraming

    /// Host and port that the client asked for; `nil` only in HTTP/1.0.
    package var authority: String? { self.targetAuthority ?? self.headers["host"] }

    /// True when the connection may carry another request afterwards. Source: RFC 9112 section 9.3.
    var wantsKeepAlive: Bool {
        if self.headers.hasToken("close", in: "connection") { return false }
        return self.minorVersion >= 1 || self.headers.hasToken("keep-alive", in: "connection")
    }
}

/// How the end of a request body is known.
enum HTTPBodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
}

/// Why a request cannot be read: the status to answer with before closing, and words for the answer's body.
package struct HTTPParseError: Error, Equatable {
    /// Status of the answer that refuses the request, 400...599.
    package let status: Int
    /// Reason phrase of the refusal.
    package let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static func bad(_ reason: String) -> HTTPParseError { HTTPParseError(400, reason) }
}
