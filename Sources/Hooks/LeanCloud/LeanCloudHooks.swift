package import Broker
import ByteCodec
import ChatModel
package import Diagnostics
package import Execution
package import HTTPClient
import LeanCloudTranslation
package import Store
import WuKongTranslation
import WuKongWire

/// Options for calling cloud functions.
package struct LeanCloudHookOptions: Sendable {
    /// Action when the business server does not answer in time.
    package enum FailurePolicy: String, Sendable, CaseIterable {
        /// As if it allowed everything. Source: LeanCloud's usual.
        case ignore
        /// As if it refused. Source: LeanCloud's strict option.
        case reject
    }

    /// Where functions are called: what comes before `/1.1/functions/NAME`.
    package let base: String
    /// By function.
    package var addresses: [String: HTTPAddress]
    /// Signs nothing: it is sent as it is, in `X-LC-Hook-Key`, so that the functions know who calls.
    package var key: String?
    /// Header fields by which the functions know the app that they are called for, at a time in UTC milliseconds.
    ///
    /// Source: LeanEngine's SDKs, which answer 401 without `X-LC-Id` and one of the app's keys, or `X-LC-Sign`.
    package var credentials: @Sendable (_ now: Int64) -> [(name: String, value: String)] = { _ in [] }
    /// For one call, from resolving the name to the last byte.
    package var timeoutMilliseconds: Int64 = 5_000
    /// Action when the business server does not answer in time.
    package var onFailure = FailurePolicy.ignore
    /// Clock for time limits.
    package var clock = Clock.system
    /// Log of the calls.
    package var log = Log.silent

    /// All that are called.
    package static let functions = [
        "_messageReceived", "_messageSent", "_messageUpdate", "_receiversOffline", "_conversationStart",
        "_conversationStarted", "_conversationAdd", "_conversationAdded", "_conversationRemove",
        "_conversationRemoved", "_conversationUpdate", "_clientOnline", "_clientOffline", "_rtmClientSign",
    ]

    /// - Parameters:
    ///   - base: what comes before `/1.1/functions/NAME`.
    ///   - functions: those that are called; others are passed over.
    /// - Throws: `badAddress`.
    package init(base: String, functions: Set<String> = Set(functions)) throws(HTTPClientError) {
        var addresses: [String: HTTPAddress] = [:]
        let root = base.hasSuffix("/") ? String(base.dropLast()) : base
        for name in Self.functions where functions.contains(name) {
            addresses[name] = try HTTPAddress("\(root)/1.1/functions/\(name)")
        }
        self.addresses = addresses
        self.base = base
    }
}

/// How calls of one function go.
package struct LeanCloudHookMetrics: Hashable, Sendable {
    /// Name of the cloud function.
    package var function: String
    /// Calls since the start.
    package var calls: Int64 = 0
    /// Calls without a usable answer since the start.
    package var failures: Int64 = 0
    /// Questions that were answered with no.
    package var rejections: Int64 = 0
    /// Duration of the last call; `nil` before the first.
    package var lastMilliseconds: Int64?
    /// Why the last call failed; `nil` when it did not. Holds no message.
    package var lastError: String?
    /// Switched off by the operator until the next start.
    package var isDisabled = false
    /// The app had no such function when it was called last.
    package var isAbsent = false
}

/// LeanCloud's hooks: cloud functions of an app that are asked before, and told after, things happen. Off unless an
/// address is set. Source: LeanCloud realtime guide, hooks.
///
/// After `failuresBeforePause` failures in a row nothing is called for `pauseMilliseconds`, and questions are answered
/// by the failure policy. A function that the app does not have, which it says by 404, is no failure: it is not called
/// for `absenceMilliseconds`, as LeanCloud calls what an app has, and looks every three minutes; with the policy
/// `reject` it is one, so that a wrong address lets nothing through. What is told goes one call after the other, so
/// that its order holds; above `maximumWaiting` it is dropped and counted.
package final class LeanCloudHooks: HookHandler {
    static let failuresBeforePause = 5
    static let pauseMilliseconds: Int64 = 30_000
    static let absenceMilliseconds: Int64 = 180_000
    static let maximumWaiting = 4_096
    /// Bytes of an answer that are read.
    static let answerBytes = 2 * 1024 * 1024
    /// Most receivers that are named in one call.
    static let maximumReceivers = 500

    struct News: Sendable {
        let function: String
        let parameters: @Sendable (ReadTransaction) throws(StoreError) -> JSONValue?
    }

    private struct State {
        var metrics: [String: LeanCloudHookMetrics] = [:]
        var failuresInARow = 0
        var pausedUntil: Instant?
        /// Functions that the app does not have, until they are looked for again.
        var absentUntil: [String: Instant] = [:]
        var waiting: [News] = []
        var isTelling = false
        var dropped: Int64 = 0
    }

    private let options: LeanCloudHookOptions
    private let store: Store
    private let client: HTTPClient
    private let state = Lock(State())

    package init(_ options: LeanCloudHookOptions, store: Store, client: HTTPClient) {
        self.options = options
        self.store = store
        self.client = client
    }

    // MARK: For operators

    /// Metrics of every function that is called, by name.
    package var metrics: [LeanCloudHookMetrics] {
        self.state.withLock { state in
            self.options.addresses.keys.sorted().map { state.metrics[$0] ?? LeanCloudHookMetrics(function: $0) }
        }
    }

    /// Reports that were dropped because too many waited.
    package var dropped: Int64 { self.state.withLock { $0.dropped } }

    /// - Returns: false when the function is not called at all.
    package func setDisabled(_ function: String, _ isDisabled: Bool) -> Bool {
        guard self.options.addresses[function] != nil else { return false }
        self.state.withLock {
            $0.metrics[function, default: LeanCloudHookMetrics(function: function)].isDisabled = isDisabled
        }
        return true
    }

    // MARK: Asking

    /// True when a function of this name is called.
    package func wants(_ function: String) -> Bool {
        self.options.addresses[function] != nil
            && self.state.withLock { state in
                guard state.metrics[function]?.isDisabled != true else { return false }
                guard let until = state.absentUntil[function] else { return true }
                return self.options.clock.now() >= until
            }
    }

    package func ask(_ question: HookQuestion, then: @escaping @Sendable (HookVerdict) -> Void) {
        let function = question.function
        guard self.wants(function) else { return then(.allowed(.none)) }
        guard !self.isPaused else { return then(self.verdictOnFailure) }
        let now = self.options.clock.wallMilliseconds()
        self.store.read { transaction throws(StoreError) in
            try transaction.parameters(of: question, at: now)
        } then: { result in
            guard case .success(let parameters) = result else { return then(self.verdictOnFailure) }
            // What is not there is refused by the server itself, in its own words.
            guard let parameters else { return then(.allowed(.none)) }
            self.call(function, parameters) { answer in
                guard let answer else { return then(self.verdictOnFailure) }
                let verdict = question.checked(Self.verdict(answer, wasBinary: question.isBinary))
                if case .rejected = verdict {
                    self.state.withLock {
                        $0.metrics[function, default: LeanCloudHookMetrics(function: function)].rejections += 1
                    }
                }
                then(verdict)
            }
        }
    }

    private var verdictOnFailure: HookVerdict {
        switch self.options.onFailure {
        case .ignore: .allowed(.none)
        case .reject: .rejected(code: nil, detail: "the app's server could not be asked")
        }
    }

    /// Source: LeanCloud realtime guide, the values hooks may return.
    ///
    /// - Parameter wasBinary: whether the content that was shown is base64; that which comes back is unless `bin` says
    ///   so.
    static func verdict(_ result: JSONValue, wasBinary: Bool = false) -> HookVerdict {
        if Self.isOn(result["drop"]) || Self.isOn(result["reject"]) {
            return .rejected(code: result["code"]?.integer, detail: result["detail"]?.string)
        }
        // Source: LeanCloud realtime guide, `_rtmClientSign`: `result`, and `error` for who is refused.
        if result["result"]?.boolean == false || result.boolean == false {
            return .rejected(code: nil, detail: result["error"]?.string)
        }
        var changes = HookChanges()
        changes.isBinary = result["bin"]?.boolean
        if let content = result["content"]?.string {
            let bytes = Array(content.utf8)
            changes.content = changes.isBinary ?? wasBinary ? Base64.decode(bytes) ?? bytes : bytes
        }
        changes.receivers = result["toPeers"]?.array?.compactMap { $0.string.flatMap(UserName.init) }
        if let attributes = result["attr"], attributes.object != nil { changes.attributes = attributes.serialized() }
        changes.isSilenced = result["mute"]?.boolean
        return .allowed(changes)
    }

    /// Source: LeanCloud realtime guide: a value that is true in the language of the function.
    private static func isOn(_ value: JSONValue?) -> Bool {
        guard let value else { return false }
        if let number = value.double { return number != 0 }
        if let text = value.string { return !text.isEmpty }
        return value.boolean ?? !value.isNull
    }

    // MARK: Calling

    private var isPaused: Bool {
        let now = self.options.clock.now()
        return self.state.withLock { state in
            guard let until = state.pausedUntil else { return false }
            if now >= until { state.pausedUntil = nil }
            return now < until
        }
    }

    /// - Parameter then: gets what stands under `result`; `nil` when the call failed.
    private func call(_ function: String, _ parameters: JSONValue, then: @escaping @Sendable (JSONValue?) -> Void) {
        guard let address = self.options.addresses[function] else { return then(nil) }
        var fields = [(name: "Content-Type", value: "application/json")]
        fields += self.options.credentials(self.options.clock.wallMilliseconds())
        if let key = self.options.key { fields.append((name: "X-LC-Hook-Key", value: key)) }
        let request = HTTPRequestToSend(
            .post, address, fields: fields, body: parameters.serialized(),
            timeoutMilliseconds: self.options.timeoutMilliseconds, responseBytes: Self.answerBytes)
        let began = self.options.clock.now()
        self.client.send(request) { result in
            let milliseconds = self.options.clock.now().milliseconds(since: began)
            if self.options.onFailure == .ignore, case .success(let response) = result, response.status == 404 {
                self.noteAbsent(function, milliseconds)
                return then(.object([]))
            }
            let (answer, problem) = Self.answer(result)
            self.noteCall(function, milliseconds, problem)
            then(answer)
        }
    }

    private static func answer(
        _ result: Result<HTTPResponse, HTTPClientError>
    ) -> (answer: JSONValue?, problem: String?) {
        switch result {
        case .failure(let error): return (nil, error.description)
        case .success(let response):
            guard response.status == 200, !response.isCut else { return (nil, "it answered \(response.status)") }
            guard let body = try? JSONValue(parsing: response.body), body.object != nil else {
                return (nil, "it answered no JSON object")
            }
            return (body["result"] ?? .object([]), nil)
        }
    }

    private func noteCall(_ function: String, _ milliseconds: Int64, _ problem: String?) {
        let now = self.options.clock.now()
        let isPausing = self.state.withLock { state in
            var metrics = state.metrics[function] ?? LeanCloudHookMetrics(function: function)
            metrics.calls += 1
            metrics.failures += problem == nil ? 0 : 1
            metrics.lastMilliseconds = milliseconds
            metrics.lastError = problem
            metrics.isAbsent = false
            state.absentUntil[function] = nil
            state.metrics[function] = metrics
            state.failuresInARow = problem == nil ? 0 : state.failuresInARow + 1
            guard state.failuresInARow >= Self.failuresBeforePause else { return false }
            state.failuresInARow = 0
            state.pausedUntil = now.advanced(byMilliseconds: Self.pauseMilliseconds)
            return true
        }
        if isPausing {
            self.options.log.warning(
                "leancloud_hooks_paused",
                [
                    "hook": .text(function), "reason": .text(problem ?? ""),
                    "milliseconds": .number(Self.pauseMilliseconds),
                ])
        }
    }

    private func noteAbsent(_ function: String, _ milliseconds: Int64) {
        let until = self.options.clock.now().advanced(byMilliseconds: Self.absenceMilliseconds)
        self.state.withLock { state in
            var metrics = state.metrics[function] ?? LeanCloudHookMetrics(function: function)
            metrics.calls += 1
            metrics.lastMilliseconds = milliseconds
            metrics.lastError = "it answered 404: the app has no such function"
            metrics.isAbsent = true
            state.metrics[function] = metrics
            state.absentUntil[function] = until
        }
    }

    // MARK: Telling

    func tellNews(_ news: News) {
        guard self.wants(news.function) else { return }
        let begins = self.state.withLock { state in
            guard state.waiting.count < Self.maximumWaiting else {
                state.dropped += 1
                return false
            }
            state.waiting.append(news)
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if begins { self.tellNext() }
    }

    private func tellNext() {
        let next = self.state.withLock { state -> News? in
            guard !state.waiting.isEmpty else {
                state.isTelling = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        guard let next else { return }
        guard !self.isPaused else {
            self.state.withLock { $0.dropped += 1 }
            // On a thread of the store: a long line must not become a deep stack.
            return self.store.read { _ throws(StoreError) in
            } then: { _ in
                self.tellNext()
            }
        }
        self.store.read(next.parameters) { result in
            guard case .success(let parameters?) = result else { return self.tellNext() }
            self.call(next.function, parameters) { _ in self.tellNext() }
        }
    }
}

extension HookQuestion {
    /// The verdict with what the new body is. One that no gateway would take from the sender is not sent for them
    /// either: a function that repeats what people write must not make commands of it.
    fileprivate func checked(_ verdict: HookVerdict) -> HookVerdict {
        guard case .message(let append, _) = self, case .allowed(var changes) = verdict, let body = changes.content
        else { return verdict }
        switch append.content.wire {
        case .wuKong:
            do throws(PayloadRefusal) {
                changes.kind = try Translation.accepted(
                    payload: body, header: WuKongHeader(), setting: [], topic: nil, expire: 0, from: .user
                ).kind
            } catch {
                return .rejected(code: nil, detail: "the app's server made something else of it: \(error)")
            }
        case .leanCloud:
            let isBinary = changes.isBinary ?? self.isBinary
            let text = LeanCloudContent.Body.text(String(decoding: body, as: UTF8.self))
            changes.kind = LeanCloudContent.content(isBinary ? .binary(body) : text).kind
        case .native: break
        }
        return .allowed(changes)
    }

    /// True when the content is given as base64.
    fileprivate var isBinary: Bool {
        switch self {
        case .message(let append, _): append.content.flags.contains(.binary)
        case .update(let update): update.content.flags.contains(.binary)
        case .start, .add, .remove, .change, .silence, .sign: false
        }
    }
}
