import APIKit
import ByteCodec
import Execution
import Transport

/// A function of the app, as a client or the app's own server calls it.
package struct FunctionCall: Sendable {
    /// The two ways in which SDKs call one: they differ in how objects are written, which is between them and the
    /// function.
    package enum Form: String, Sendable {
        case functions, call
    }

    /// Form of the call.
    package var form: Form
    /// Letters, digits, `_`, `-` and `.`; 128 of them at most.
    package var name: String
    /// The body as it came.
    package var body: [UInt8]
    /// Token of the person who calls; it was good a moment ago.
    package var sessionToken: String?
    /// With the master key.
    package var isMaster: Bool
    /// Address of the caller.
    package var address: String
    /// `X-LC-Prod`, which of the app's environments is meant: `0` or `1`.
    package var environment: String?
}

/// Outcome of a call.
package enum FunctionAnswer: Sendable {
    case answered(status: Int, body: [UInt8])
    /// Too many calls wait.
    case busy
    case timedOut
    /// It cannot be reached, or does not answer as it should; the log says why.
    case failed
}

/// Calls the app's functions; calls back once, on any thread.
package typealias FunctionCaller = @Sendable (FunctionCall, @escaping @Sendable (FunctionAnswer) -> Void) -> Void

/// The way to the app's functions, which is open once the server knows its own addresses. Any thread.
package final class AppFunctions: Sendable {
    private let caller = Lock<FunctionCaller?>(nil)

    package init() {}

    /// Sets the function that carries out calls.
    package func open(_ caller: @escaping FunctionCaller) { self.caller.withLock { $0 = caller } }

    /// - Returns: false when no functions are called from here; then `then` is not called.
    func call(_ call: FunctionCall, then: @escaping @Sendable (FunctionAnswer) -> Void) -> Bool {
        guard let caller = self.caller.withLock({ $0 }) else { return false }
        caller(call, then)
        return true
    }
}

/// An app's cloud functions, called through this server, which its router names as the engine.
///
/// Source: LeanCloud's engine guide, "Calling functions", and its SDKs: `POST /1.1/functions/NAME`, and
/// `/1.1/call/NAME` for objects.
struct FunctionRoutes: Sendable {
    let functions: AppFunctions

    /// Bytes of the parameters of one call.
    private static let parameterBytes = 256 * 1024

    var routes: [Route] {
        [FunctionCall.Form.functions, .call].map { form in
            Route("POST", "/1.1/\(form.rawValue)/{name}", .caller, body: .bytes, maximumBytes: Self.parameterBytes) {
                (request, services, reply) throws(APIFailure) in
                try self.run(form, AppCall(request, services, reply))
            }
        }
    }

    private func run(_ form: FunctionCall.Form, _ call: AppCall) throws(APIFailure) {
        let request = call.request
        let name = try Self.name(try request.parameter("name"))
        guard request.bytes.isEmpty || (try? JSONValue(parsing: request.bytes)) != nil else {
            throw APIFailure(400, "the parameters of a function are JSON", code: 107)
        }
        let environment = request.headers["x-lc-prod"] ?? request.headers["x-avoscloud-application-production"]
        let wanted = FunctionCall(
            form: form, name: name, body: request.bytes.isEmpty ? Array("{}".utf8) : request.bytes,
            sessionToken: call.sessionToken, isMaster: call.isMaster, address: request.peer.address.text,
            environment: ["0", "1"].contains(environment) ? environment : nil)
        guard call.sessionToken != nil else { return self.run(wanted, call) }
        // Who shows a session has to be that person, as everywhere else.
        call.asPerson { _ in self.run(wanted, call) }
    }

    private func run(_ wanted: FunctionCall, _ call: AppCall) {
        let isCalled = self.functions.call(wanted) { answer in
            switch answer {
            case .answered(let status, let body): call.reply(Self.passedOn(status, body))
            case .busy:
                call.refuse(APIFailure(503, "too many functions are being called: try again", retryAfterSeconds: 1))
            case .timedOut:
                call.refuse(APIFailure(504, "The request timed out: the function did not answer", code: 124))
            case .failed: call.refuse(APIFailure(502, "the app's functions could not be called", code: 1))
            }
        }
        if !isCalled {
            call.refuse(APIFailure(404, "no functions are called from here: see leancloud.hooks_url", code: 1))
        }
    }

    /// Functions whose names begin with `_` are hooks: this server alone calls them.
    private static func name(_ text: String) throws(APIFailure) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || "_-.".utf8.contains(byte)
        }
        guard isWord, text.utf8.count <= 128, text.contains(where: { $0 != "." }) else {
            throw APIFailure(404, "a function has no such name", code: 1)
        }
        guard !text.hasPrefix("_") else { throw APIFailure(401, "hooks are called by the server alone", code: 401) }
        return text
    }

    /// The answer of the function as it is, or an error that says that it is none.
    private static func passedOn(_ status: Int, _ body: [UInt8]) -> APIAnswer {
        let isObject = (try? JSONValue(parsing: body))?.object != nil
        if (200..<300).contains(status), isObject { return APIAnswer(status: status, body: body) }
        if (400..<600).contains(status) {
            if isObject { return APIAnswer(status: status, body: body) }
            return .failure(APIFailure(status, "the app's server answered \(status)", code: 1))
        }
        // It is gone to nowhere else: a redirect is no answer of a function.
        return .failure(APIFailure(502, "the app's server answered \(status), and no JSON object", code: 1))
    }
}
