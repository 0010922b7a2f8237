import AdminAPI
import ByteCodec
import Doctor
import HTTPClient
import LeanCloudWire
import Transport

/// The HTTP doors of a server as an app of LeanCloud's uses them, over one of its listeners.
final class AppDoors {
    /// Where the server listens.
    struct Listener: CustomStringConvertible {
        var address: IPAddress
        var port: UInt16

        var host: String { self.address.isIPv4 ? self.address.text : "[\(self.address.text)]" }
        var description: String { "\(self.host):\(self.port)" }
    }

    /// A person made for the trial.
    struct Person {
        /// Object id, which is the client's id too.
        var id: String
        var username: String
        var password: String
        /// Session token of the sign-in; empty before.
        var token = ""
    }

    /// A file made for the trial.
    struct File {
        var id: String
        /// Path of its content, with its query.
        var target: String
        var content: [UInt8]
    }

    /// For each request.
    static let timeoutMilliseconds: Int64 = 10_000
    /// Beginning of the name of what is made for a trial.
    private static let mark = "teahouse-ready"
    private static let fileBytes = 4_096

    private let listener: Listener
    private let keys: AdminAppKeys
    private let base: String
    private let cancellation: HTTPCancellation
    private let client: Result<BlockingHTTPClient, HTTPClientError>

    /// - Parameter authority: file of the server's own authority, for a listener that is not on loopback.
    init(
        _ listener: Listener, _ keys: AdminAppKeys, servesTLS: Bool, authority: String,
        _ cancellation: HTTPCancellation
    ) {
        self.listener = listener
        self.keys = keys
        self.cancellation = cancellation
        // Passwords and keys cross no other connection without TLS.
        let isEncrypted = servesTLS && listener.address.scope != .loopback
        self.base = "\(isEncrypted ? "https" : "http")://\(listener)"
        var options = HTTPClientOptions()
        if isEncrypted { options.caFile = authority }
        do throws(HTTPClientError) {
            self.client = .success(try BlockingHTTPClient(options, cancellation: cancellation))
        } catch {
            self.client = .failure(error)
        }
    }

    /// The listener by which this machine reaches its own server, loopback before others; `nil` for none.
    ///
    /// - Parameter addresses: as the server says them, `127.0.0.1:7677` or `[::1]:7677`.
    static func listener(among addresses: [String]) -> Listener? {
        var found: [Listener] = []
        for text in addresses {
            guard let listen = ListenAddress(parsing: text), let address = IPAddress(listen.host) else { continue }
            let isAny = address.bytes.allSatisfy { $0 == 0 }
            let place = isAny ? IPAddress(address.isIPv4 ? "127.0.0.1" : "::1") : address
            if let place { found.append(Listener(address: place, port: listen.port)) }
        }
        return found.first { $0.address.scope == .loopback } ?? found.first
    }

    // MARK: Requests

    private enum Key {
        case none
        case app
        case master
    }

    private func send(
        _ method: HTTPRequestToSend.Method, _ target: String, as key: Key = .app, session: String? = nil,
        type: String = "application/json", body: [UInt8] = [], at base: String? = nil, via: IPAddress? = nil
    ) throws(ReadyFailure) -> HTTPResponse {
        do throws(HTTPClientError) {
            var request = HTTPRequestToSend(
                method, try HTTPAddress((base ?? self.base) + target),
                timeoutMilliseconds: Self.timeoutMilliseconds, responseBytes: 1 << 20)
            request.via = via
            switch key {
            case .none: break
            case .app: request.fields = [("X-LC-Id", self.keys.appID), ("X-LC-Key", self.keys.appKey)]
            case .master:
                request.fields = [("X-LC-Id", self.keys.appID), ("X-LC-Key", self.keys.masterKey + ",master")]
            }
            if let session { request.fields.append(("X-LC-Session", session)) }
            if !body.isEmpty { request.fields.append(("Content-Type", type)) }
            request.body = body
            return try self.client.get().perform(request).get()
        } catch {
            throw ReadyFailure(error.description)
        }
    }

    /// The JSON of an answer that is a success.
    private func json(_ response: HTTPResponse) throws(ReadyFailure) -> JSONValue {
        let value = try? JSONValue(parsing: response.body)
        guard (200...299).contains(response.status) else {
            let text = value?["error"]?.string.map { ": \($0)" } ?? ""
            throw ReadyFailure("HTTP \(response.status)\(text)")
        }
        guard let value else { throw ReadyFailure("the answer is no JSON") }
        return value
    }

    private static func text(_ name: String, of value: JSONValue) throws(ReadyFailure) -> String {
        guard let text = value[name]?.string, !text.isEmpty else { throw ReadyFailure("the answer has no \(name)") }
        return text
    }

    // MARK: The router and the keys

    /// Address of the WebSocket, as the router says it.
    func askRouter() throws(ReadyFailure) -> String {
        let answer = try self.json(self.send(.get, "/v1/route?appId=\(self.keys.appID)", as: .none))
        return try Self.text("server", of: answer)
    }

    /// Asks as each of the two callers.
    func proveKeys() throws(ReadyFailure) {
        _ = try self.json(self.send(.get, "/1.1/date"))
        _ = try self.json(self.send(.get, "/1.2/rtm/stats", as: .master))
    }

    /// Asks the router by a name, at the listener, wherever the name leads.
    func ask(by name: String) throws(ReadyFailure) {
        let response = try self.send(
            .get, "/v1/route?appId=\(self.keys.appID)", as: .none, at: "http://\(name):\(self.listener.port)",
            via: self.listener.address)
        guard response.status != 421 else { throw ReadyFailure("HTTP 421") }
        _ = try self.json(response)
    }

    /// Certificate that is shown for a name; `nil` when none is.
    func certificate(for name: String, now: Int64) -> AppState.Certificate? {
        guard
            let look = try? CertificateLook(
                name, at: self.listener.address, port: self.listener.port,
                timeoutMilliseconds: Self.timeoutMilliseconds, cancellation: self.cancellation)
        else { return nil }
        let left = look.certificate.expiresAtMilliseconds - now
        return AppState.Certificate(
            issuer: look.certificate.issuer, coversName: look.certificate.covers(name),
            days: left < 0 ? -1 : left / 86_400_000, problem: look.problem,
            isOwn: look.problem != nil && look.certificate.issuer.hasPrefix(TLSSettings.authorityName))
    }

    /// Any answer will do.
    func knock(at address: String) throws(ReadyFailure) {
        _ = try self.send(
            .get, "/__engine/1/ping", as: .none, at: address.hasSuffix("/") ? String(address.dropLast()) : address)
    }

    // MARK: The WebSocket

    /// - Parameter origin: of the page that would open it.
    func webSocket(origin: String? = nil) throws(ReadyFailure) -> BlockingWebSocket {
        do throws(HTTPClientError) {
            return try BlockingWebSocket(
                try HTTPAddress("http://\(self.listener)/"), via: self.listener.address,
                subprotocol: ReadyChat.subprotocol.name, origin: origin,
                timeoutMilliseconds: Self.timeoutMilliseconds, cancellation: self.cancellation)
        } catch {
            throw ReadyFailure(error.description)
        }
    }

    func openAsPage(of origin: String) throws(ReadyFailure) {
        guard origin.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw ReadyFailure("it is no origin") }
        // The server takes the connection of any page, to say in the protocol's words that it may not.
        try ReadyChat(try self.webSocket(origin: origin), appID: self.keys.appID, client: "").prove()
    }

    // MARK: People and files

    private static func random() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 36) }

    private static func login(_ username: String, _ password: String) -> [UInt8] {
        JSONValue.object([
            JSONValue.Member("username", .string(username)), JSONValue.Member("password", .string(password)),
        ]).serialized()
    }

    /// Adds somebody with the master key.
    func addPerson() throws(ReadyFailure) -> Person {
        let (username, password) = ("\(Self.mark)-\(Self.random())", Self.random() + Self.random())
        let body = Self.login(username, password)
        let answer = try self.json(self.send(.post, "/1.1/users", as: .master, body: body))
        return Person(id: try Self.text("objectId", of: answer), username: username, password: password)
    }

    /// Session token of a person who signs in with the password.
    func signIn(_ person: Person) throws(ReadyFailure) -> String {
        let body = Self.login(person.username, person.password)
        return try Self.text("sessionToken", of: self.json(self.send(.post, "/1.1/login", body: body)))
    }

    /// Brings a file of random bytes.
    func addFile() throws(ReadyFailure) -> File {
        let content = (0..<Self.fileBytes).map { _ in UInt8.random(in: 0...255) }
        let answer = try self.json(
            self.send(
                .post, "/1.1/files/\(Self.mark).bin", as: .master, type: "application/octet-stream", body: content))
        let url = try Self.text("url", of: answer)
        guard let address = try? HTTPAddress(url) else { throw ReadyFailure("\(url) is no address") }
        return File(id: try Self.text("objectId", of: answer), target: address.target, content: content)
    }

    /// Fetches the content of a file and compares it.
    func fetch(_ file: File) throws(ReadyFailure) {
        let response = try self.send(.get, file.target, as: .none)
        guard response.status == 200 else { throw ReadyFailure("HTTP \(response.status)") }
        guard response.body == file.content else { throw ReadyFailure("other bytes come back") }
    }

    /// Deletes what was made; why it could not, `nil` when it is gone.
    func delete(_ path: String) -> String? {
        do throws(ReadyFailure) {
            _ = try self.json(self.send(.delete, "/1.1/\(path)", as: .master))
            return nil
        } catch {
            return error.reason
        }
    }
}
