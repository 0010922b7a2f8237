import CLinux
import Execution
import Glibc
import Transport

/// How long something may take, and who may end it earlier.
struct Patience {
    let host: String
    let deadline: Instant
    /// Readable once everything is to end.
    let cancellation: Int32

    /// Blocks until `descriptor` is ready.
    ///
    /// - Throws: `timedOut`, `stopped`.
    func wait(for events: Int32, on descriptor: Int32) throws(HTTPClientError) {
        var waiting = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: self.cancellation, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let left = self.deadline.milliseconds(since: Clock.system.now())
            guard left > 0 else { throw .timedOut(host: self.host) }
            let ready = poll(&waiting, 2, Int32(clamping: left))
            if waiting[1].revents != 0 { throw .stopped }
            if ready > 0 { return }
        }
    }

    /// The same with an earlier end, when that is earlier.
    func atMost(milliseconds: Int64) -> Patience {
        let end = Clock.system.now().advanced(byMilliseconds: milliseconds)
        return Patience(host: self.host, deadline: min(end, self.deadline), cancellation: self.cancellation)
    }
}

/// One connection to a server, plain or encrypted. Confined to its thread, which it blocks as long as `Patience` says.
final class OutgoingConnection {
    private let descriptor: Int32
    private var session: TLSSession?

    /// Connects.
    init(to address: IPAddress, port: UInt16, _ patience: Patience) throws(HTTPClientError) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        self.descriptor = socket(address.isIPv4 ? AF_INET : AF_INET6, kind, 0)
        guard self.descriptor >= 0 else {
            throw .cannotConnect(host: patience.host, port: port, code: clinux_errno())
        }
        let result = SocketAddress.with(address, port: port) { connect(self.descriptor, $0, $1) }
        guard result != 0 else { return }
        guard clinux_errno() == EINPROGRESS else {
            throw .cannotConnect(host: patience.host, port: port, code: clinux_errno())
        }
        try patience.wait(for: POLLOUT, on: self.descriptor)
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(self.descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw .cannotConnect(host: patience.host, port: port, code: code) }
    }

    deinit {
        self.session?.sayGoodbye()
        self.session = nil
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    /// Makes it encrypted, with a server that proves to be `host`.
    func encrypt(_ trust: TrustStore, host: String, _ patience: Patience) throws(HTTPClientError) {
        guard let session = TLSSession(client: trust.context, descriptor: self.descriptor, host: host) else {
            throw .tls(host: host, reason: "OpenSSL does not take the name")
        }
        while true {
            switch session.handshake() {
            case .moved:
                self.session = session
                return
            case .blocked(let wantsOutput): try patience.wait(for: wantsOutput ? POLLOUT : POLLIN, on: self.descriptor)
            case .closed: throw .tls(host: host, reason: "the connection ended during the handshake")
            case .failed:
                throw .tls(host: host, reason: session.certificateProblem ?? "the handshake failed")
            }
        }
    }

    /// Shakes hands with whoever is there, and says nothing in it.
    func lookAtCertificate(
        _ trust: TrustStore, name: String, _ patience: Patience
    ) throws(HTTPClientError) -> (PeerCertificate, problem: String?) {
        guard let session = TLSSession(lookingWith: trust.context, descriptor: self.descriptor, name: name) else {
            throw .tls(host: name, reason: "OpenSSL does not take the name")
        }
        while true {
            switch session.handshake() {
            case .moved:
                guard let certificate = session.peerCertificate() else {
                    throw .tls(host: name, reason: "it shows no certificate")
                }
                return (certificate, session.certificateProblem)
            case .blocked(let wantsOutput): try patience.wait(for: wantsOutput ? POLLOUT : POLLIN, on: self.descriptor)
            case .closed: throw .tls(host: name, reason: "the connection ended during the handshake")
            case .failed: throw .tls(host: name, reason: "the handshake failed")
            }
        }
    }

    func write(_ bytes: [UInt8], _ patience: Patience) throws(HTTPClientError) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes { self.writeSome(UnsafeRawBufferPointer(rebasing: $0[written...])) }
            switch result {
            case .moved(let count): written += count
            case .blocked(let wantsOutput): try patience.wait(for: wantsOutput ? POLLOUT : POLLIN, on: self.descriptor)
            case .closed, .failed: throw .brokenOff(host: patience.host)
            }
        }
    }

    /// Waits for bytes; none at the end of the stream.
    func read(_ patience: Patience) throws(HTTPClientError) -> [UInt8] {
        while true {
            var result = TransferResult.closed
            let bytes = [UInt8](unsafeUninitializedCapacity: TLSSession.recordBytes) { room, count in
                // SAFETY: `readSome` fills the first `moved` bytes of `room` and nothing else.
                result = self.readSome(into: UnsafeMutableRawBufferPointer(room))
                if case .moved(let moved) = result { count = moved }
            }
            switch result {
            case .moved: return bytes
            case .closed: return []
            case .blocked(let wantsOutput): try patience.wait(for: wantsOutput ? POLLOUT : POLLIN, on: self.descriptor)
            case .failed: throw .brokenOff(host: patience.host)
            }
        }
    }

    /// Something came although nothing was asked for: the end, or nonsense. Either way it is of no more use.
    var isStale: Bool {
        var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) != 0
    }

    private func writeSome(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
        if let session = self.session { return session.write(bytes) }
        return Self.result(of: send(self.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)), output: true)
    }

    private func readSome(into room: UnsafeMutableRawBufferPointer) -> TransferResult {
        if let session = self.session { return session.read(into: room) }
        let count = recv(self.descriptor, room.baseAddress, room.count, 0)
        return count == 0 ? .closed : Self.result(of: count, output: false)
    }

    private static func result(of count: Int, output: Bool) -> TransferResult {
        if count >= 0 { return .moved(count) }
        let code = clinux_errno()
        return code == EAGAIN || code == EINTR ? .blocked(wantsOutput: output) : .failed(code)
    }
}
