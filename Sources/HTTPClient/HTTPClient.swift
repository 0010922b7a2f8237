import CLinux
import Execution
import Glibc
package import Transport

/// One request.
package struct HTTPRequestToSend: Sendable {
    /// Method of a request.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// Method of the request.
    package var method: Method
    /// Address of the request.
    package var address: HTTPAddress
    /// Beside Host, User-Agent and Content-Length. No control characters.
    package var fields: [(name: String, value: String)]
    /// Body; empty for none.
    package var body: [UInt8]
    /// For everything together, from resolving the name to the last byte of the response.
    package var timeoutMilliseconds: Int64
    /// Bytes of the response's body; what is over is cut, and the connection closed.
    package var responseBytes: Int
    /// For each wait for more bytes, of the time of the request; `nil` for no bound of its own.
    package var idleMilliseconds: Int64?
    /// Address to connect to in place of those that the host's name has; `nil` to look the name up.
    package var via: IPAddress?

    package init(
        _ method: Method, _ address: HTTPAddress, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeoutMilliseconds: Int64 = 5_000, responseBytes: Int = 64 * 1024
    ) {
        self.method = method
        self.address = address
        self.fields = fields
        self.body = body
        self.timeoutMilliseconds = timeoutMilliseconds
        self.responseBytes = responseBytes
    }
}

/// Options of a client, fixed when it starts.
package struct HTTPClientOptions: Sendable {
    /// Requests at the same time.
    package var threads = 4
    /// Requests that may wait; one more is refused as busy.
    package var waitingRequests = 256
    /// For connecting, of the time of a request.
    package var connectMilliseconds: Int64 = 2_000
    /// How long an unused connection is kept for the next request to the same server.
    package var idleMilliseconds: Int64 = 30_000
    /// More authorities than the system's, PEM.
    package var caFile: String?
    /// Rule for the addresses that requests may go to.
    package var rule = AddressRule()

    /// Makes the options with their defaults.
    package init() {}
}

/// A small outgoing HTTP/1.1 client on threads of its own. Redirects are answers like any other: it never goes where a
/// server sends it. A name is resolved once for a connection, all its addresses must pass the rule, and it connects to
/// the very addresses that were checked. All methods may be called from any thread.
package final class HTTPClient: Sendable {
    /// Receives the response or the error, on a thread of the client.
    package typealias Answer = @Sendable (Result<HTTPResponse, HTTPClientError>) -> Void

    private let workers: WorkerPool<OutgoingSlot>
    /// Signalled when the client stops, and never cleared.
    private let cancellation: Int32

    /// Starts the threads.
    ///
    /// - Throws: `badTrust` for a CA file that cannot be used.
    package init(_ options: HTTPClientOptions) throws(HTTPClientError) {
        let trust = try TrustStore(caFile: options.caFile)
        let cancellation = clinux_eventfd()
        precondition(cancellation >= 0, "eventfd failed: errno \(clinux_errno())")
        self.cancellation = cancellation
        self.workers = WorkerPool(name: "http-out", threads: options.threads, capacity: options.waitingRequests) {
            OutgoingSlot(options, trust, cancellation: cancellation)
        }
    }

    deinit { close(self.cancellation) }

    /// Sends a request. `then` runs once, on a thread of the client, or on the caller's when the request is refused at
    /// once (`busy`, `stopped`); it must be short.
    package func send(_ request: HTTPRequestToSend, then: @escaping Answer) {
        if !self.workers.submit({ slot in then(slot.perform(request)) }) { then(.failure(.busy)) }
    }

    /// Breaks off what is under way, refuses what waits, and ends the threads. A name that is being resolved is waited
    /// for. Once only.
    package func stop() {
        clinux_eventfd_signal(self.cancellation)
        self.workers.stop()
    }
}

/// Connections of one client thread that may be used again.
final class OutgoingSlot {
    private struct Key: Hashable {
        let isEncrypted: Bool
        let host: String
        let port: UInt16
        let via: IPAddress?
    }

    private let options: HTTPClientOptions
    private let trust: TrustStore
    private let cancellation: Int32
    private var idle: [Key: (connection: OutgoingConnection, since: Instant)] = [:]

    init(_ options: HTTPClientOptions, _ trust: TrustStore, cancellation: Int32) {
        self.options = options
        self.trust = trust
        self.cancellation = cancellation
    }

    /// - Parameter sink: is given the body of a 200 or 206 piece by piece, instead of the response; false ends the
    ///   request with `stopped`.
    func perform(_ request: HTTPRequestToSend, sink: BodySink? = nil) -> Result<HTTPResponse, HTTPClientError> {
        let patience = Patience(
            host: request.address.host,
            deadline: Clock.system.now().advanced(byMilliseconds: request.timeoutMilliseconds),
            cancellation: self.cancellation)
        do throws(HTTPClientError) {
            return .success(try self.exchange(request, sink, patience))
        } catch {
            return .failure(error)
        }
    }

    private func exchange(
        _ request: HTTPRequestToSend, _ sink: BodySink?, _ patience: Patience
    ) throws(HTTPClientError) -> HTTPResponse {
        let address = request.address
        let key = Key(
            isEncrypted: address.isEncrypted, host: address.host, port: address.port, via: request.via)
        if let kept = self.takeIdle(key) {
            // A server may close an idle connection at the moment we use it: nothing of the answer has come, so try anew.
            if let response = try self.exchange(request, sink, on: kept, isFresh: false, key, patience) {
                return response
            }
        }
        let fresh = try self.connect(to: address, via: request.via, patience)
        guard let response = try self.exchange(request, sink, on: fresh, isFresh: true, key, patience) else {
            throw .brokenOff(host: address.host)
        }
        return response
    }

    private func takeIdle(_ key: Key) -> OutgoingConnection? {
        guard let kept = self.idle.removeValue(forKey: key) else { return nil }
        let age = Clock.system.now().milliseconds(since: kept.since)
        return age < self.options.idleMilliseconds && !kept.connection.isStale ? kept.connection : nil
    }

    /// - Returns: `nil` when a connection that is not fresh ended before the first byte of an answer.
    private func exchange(
        _ request: HTTPRequestToSend, _ sink: BodySink?, on connection: OutgoingConnection, isFresh: Bool, _ key: Key,
        _ patience: Patience
    ) throws(HTTPClientError) -> HTTPResponse? {
        var parser = ResponseParser(host: request.address.host, maximumBody: request.responseBytes)
        var hasBegun = false
        do throws(HTTPClientError) {
            try connection.write(Self.bytes(of: request), patience)
            while true {
                let bytes = try connection.read(request.idleMilliseconds.map(patience.atMost) ?? patience)
                if bytes.isEmpty {
                    try parser.end()
                    break
                }
                hasBegun = true
                let isComplete = try parser.feed(bytes)
                if let sink, parser.response.status == 200 || parser.response.status == 206 {
                    let piece = parser.takePiece()
                    guard piece.isEmpty || sink(parser.response, piece) else { throw HTTPClientError.stopped }
                }
                if isComplete { break }
            }
        } catch {
            if case .brokenOff = error, !isFresh, !hasBegun { return nil }
            throw error
        }
        if parser.keepsConnection { self.idle[key] = (connection, Clock.system.now()) }
        return parser.response
    }

    private static func bytes(of request: HTTPRequestToSend) -> [UInt8] {
        var head =
            "\(request.method.rawValue) \(request.address.target) HTTP/1.1\r\nHost: \(request.address.authority)\r\n"
        head += "User-Agent: teahouse\r\nAccept: */*\r\n"
        for (name, value) in request.fields {
            precondition(!value.utf8.contains { $0 < 0x20 }, "control character in field \(name)")
            head += "\(name): \(value)\r\n"
        }
        if request.method == .post { head += "Content-Length: \(request.body.count)\r\n" }
        return Array((head + "\r\n").utf8) + request.body
    }

    // MARK: Connecting

    private func connect(
        to address: HTTPAddress, via: IPAddress?, _ patience: Patience
    ) throws(HTTPClientError) -> OutgoingConnection {
        let places: [IPAddress]
        if let via { places = [via] } else { places = try Self.resolve(address.host) }
        for place in places {
            if let reason = self.options.rule.refusal(of: place, port: address.port) {
                throw .refusedAddress(host: address.host, address: place.text, reason: reason)
            }
        }
        let patience = patience.atMost(milliseconds: self.options.connectMilliseconds)
        let connection = try self.firstConnection(to: places, address, patience)
        if address.isEncrypted { try connection.encrypt(self.trust, host: address.host, patience) }
        return connection
    }

    /// Tries one address after the other.
    private func firstConnection(
        to places: [IPAddress], _ address: HTTPAddress, _ patience: Patience
    ) throws(HTTPClientError) -> OutgoingConnection {
        for place in places.dropLast() {
            do throws(HTTPClientError) {
                return try OutgoingConnection(to: place, port: address.port, patience)
            } catch .cannotConnect {
                continue
            }
        }
        return try OutgoingConnection(to: places[places.count - 1], port: address.port, patience)
    }

    /// The addresses of a host, at least one.
    static func resolve(_ host: String) throws(HTTPClientError) -> [IPAddress] {
        if let literal = IPAddress(host) { return [literal] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            throw .cannotResolve(host: host, reason: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(list) }
        var found: [IPAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ai_next
            var storage = sockaddr_storage()
            let size = min(Int(entry.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
            // SAFETY: `ai_addr` points to `ai_addrlen` bytes until `freeaddrinfo`.
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: .init(start: entry.pointee.ai_addr, count: size))
            }
            if let peer = SocketAddress.peer(storage), !found.contains(peer.address) { found.append(peer.address) }
        }
        guard !found.isEmpty else { throw .cannotResolve(host: host, reason: "it has neither IPv4 nor IPv6") }
        return found
    }
}
