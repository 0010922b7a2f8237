import ByteCodec
package import ChatModel
package import Execution
package import HTTPClient

/// Names of a person's fields in the other user system.
package struct ProfileFieldNames: Hashable, Sendable {
    /// Field with the person's id.
    package var id = "id"
    /// Field with the name to show.
    package var displayName = "display_name"
    /// Field with the address of the picture.
    package var avatar = "avatar"
    /// Field with the address of the small picture.
    package var avatarSmall = "avatar_small"
    /// Field with the id in the other system.
    package var externalID = "external_id"
    /// An object of anything else.
    package var attributes = "attributes"
    /// Seconds the answer about a person may be believed.
    package var ttl = "ttl"
    /// The list in the answer, when that is an object.
    package var list = "profiles"

    package init() {}

    /// - Parameter pairs: `OURS=THEIRS`, for example `display_name=nick`. What is not named keeps our name.
    /// - Returns: `nil` for a pair without `=`, without their name, or with a name that is none of ours.
    package init?(_ pairs: [String]) {
        self.init()
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[1].isEmpty, let place = Self.places[parts[0]] else { return nil }
            self[keyPath: place] = parts[1]
        }
    }

    private static var places: [String: WritableKeyPath<ProfileFieldNames, String>] {
        [
            "id": \.id, "display_name": \.displayName, "avatar": \.avatar, "avatar_small": \.avatarSmall,
            "external_id": \.externalID, "attributes": \.attributes, "ttl": \.ttl, "list": \.list,
        ]
    }
}

/// Where the other user system is, and how it is asked.
package struct HTTPProfileOptions: Sendable {
    /// Address that is asked.
    package var address: HTTPAddress
    /// Signs each request, as `RequestSignature` says; `nil` for a system that checks nothing.
    package var secret: [UInt8]?
    /// Names of the fields in an answer.
    package var fields = ProfileFieldNames()
    /// For one request.
    package var timeoutMilliseconds: Int64 = 3_000
    /// Bytes of an answer; a longer one is refused.
    package var answerBytes = 2 * 1024 * 1024
    /// Requests at the same time; one more fails as busy.
    package var requests = 16
    /// Failures in a row after which it is left alone.
    package var breakerFailures = 5
    /// First pause after failures, milliseconds.
    package var firstPauseMilliseconds: Int64 = 5_000
    /// Longest pause after failures, milliseconds.
    package var longestPauseMilliseconds: Int64 = 300_000
    /// Clock for pauses and time limits.
    package var clock = Clock.system

    package init(address: HTTPAddress) { self.address = address }
}

/// An existing user system, asked over HTTP.
///
/// Request: `POST address`, `Content-Type: application/json`, body `{"ids":["romeo","juliet"]}`, signed in
/// `X-Teahouse-Signature` when there is a secret. Answer: status 200 with an array of people, or an object that holds the
/// array; a person is an object with the fields of `ProfileFieldNames`. Who is missing is unknown there; a field that is
/// missing, null, or not usable counts as not said. `ttl`, in seconds, or `Cache-Control: max-age` for all of them, says
/// how long it holds.
package final class HTTPProfileProvider: ProfileProvider {
    private let client: HTTPClient
    private let options: HTTPProfileOptions
    private let guarded: Lock<(breaker: CircuitBreaker, underWay: Int)>

    /// - Parameter client: stopped by its owner, after the service.
    package init(_ client: HTTPClient, _ options: HTTPProfileOptions) {
        self.client = client
        self.options = options
        self.guarded = Lock(
            (
                CircuitBreaker(
                    failures: options.breakerFailures, firstPauseMilliseconds: options.firstPauseMilliseconds,
                    longestPauseMilliseconds: options.longestPauseMilliseconds), 0
            ))
    }

    package var name: String { self.options.address.description }

    package var state: ProfileProviderState { self.guarded.withLock { $0.breaker.state(at: self.options.clock.now()) } }

    package func fetch(
        _ names: [UserName], then: @escaping @Sendable (Result<[FetchedProfile], ProfileProviderError>) -> Void
    ) {
        let options = self.options
        let refusal = self.guarded.withLock { state -> ProfileProviderError? in
            guard state.underWay < options.requests else { return .busy }
            guard state.breaker.admits(at: options.clock.now()) else { return .paused }
            state.underWay += 1
            return nil
        }
        if let refusal { return then(.failure(refusal)) }
        self.client.send(self.request(names)) { result in
            let answer = Self.answer(result, asked: names, options)
            self.guarded.withLock { state in
                state.underWay -= 1
                switch answer {
                case .success: state.breaker.succeeded()
                case .failure(.busy): state.breaker.gaveUp()
                case .failure: state.breaker.failed(at: options.clock.now())
                }
            }
            then(answer)
        }
    }

    private func request(_ names: [UserName]) -> HTTPRequestToSend {
        var body = JSONWriter()
        body.beginObject()
        body.key("ids")
        body.beginArray()
        for name in names { body.string(name.text) }
        body.endArray()
        body.endObject()
        var fields = [(name: "Content-Type", value: "application/json")]
        if let secret = self.options.secret {
            let seconds = self.options.clock.wallMilliseconds() / 1_000
            fields.append(
                (
                    name: WebhookSignature.field,
                    value: RequestSignature.text(secret: secret, unixSeconds: seconds, body: body.bytes)
                ))
        }
        return HTTPRequestToSend(
            .post, self.options.address, fields: fields, body: body.bytes,
            timeoutMilliseconds: self.options.timeoutMilliseconds, responseBytes: self.options.answerBytes)
    }

    private static func answer(
        _ result: Result<HTTPResponse, HTTPClientError>, asked names: [UserName], _ options: HTTPProfileOptions
    ) -> Result<[FetchedProfile], ProfileProviderError> {
        let response: HTTPResponse
        switch result {
        case .success(let answered): response = answered
        case .failure(.busy): return .failure(.busy)
        case .failure(let error): return .failure(.unreachable(error.description))
        }
        guard response.status == 200 else { return .failure(.refused(status: response.status)) }
        guard !response.isCut else {
            return .failure(.badAnswer("it has more than \(options.answerBytes) bytes"))
        }
        do throws(ProfileProviderError) {
            return .success(
                try ProfileAnswerReader(
                    options.fields, asked: Set(names), cacheControl: response.field("cache-control")
                )
                .read(response.body))
        } catch {
            return .failure(error)
        }
    }
}
