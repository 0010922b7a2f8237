import CLinux
import Glibc

/// From the first byte to the protocol.
extension Connection {
    /// Looks at the first bytes without taking them.
    func peek() {
        let scratch = self.reactor.scratch
        let count = recv(self.descriptor, scratch.baseAddress, FirstBytes.sufficient, Int32(MSG_PEEK))
        switch Self.result(count) {
        case .moved(let count):
            self.lastReceived = self.reactor.now.nanoseconds
            self.act(on: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        case .blocked: break
        case .closed: self.drop(.peerClosed(nil))
        case .failed(let code): self.drop(.failed(code))
        }
    }

    private func act(on bytes: UnsafeRawBufferPointer) {
        let isProxy = !self.wasIntroducedByProxy && self.reactor.addressBook.isProxy(self.peer.address)
        switch FirstBytes.judge(bytes, isProxy: isProxy, isInsideTLS: false) {
        case .undecided(let minimum):
            // The bytes stay with the kernel, so epoll would report them again and again.
            Listener.set(self.descriptor, SOL_SOCKET, SO_RCVLOWAT, to: Int32(minimum))
            return
        case .proxy(let length, let client):
            self.takeBytes(length)
            self.introduced(client)
        case .tls(let skip):
            self.takeBytes(skip)
            self.startTLS()
        case .unknown: self.drop(.protocolError(.protocolError))
        case .http, .json, .binary:
            Listener.set(self.descriptor, SOL_SOCKET, SO_RCVLOWAT, to: 1)
            self.stage = .opening
        }
    }

    /// Takes bytes that have been looked at out of the kernel.
    private func takeBytes(_ count: Int) {
        Listener.set(self.descriptor, SOL_SOCKET, SO_RCVLOWAT, to: 1)
        if count > 0 { recv(self.descriptor, self.reactor.scratch.baseAddress, count, 0) }
    }

    /// The proxy speaks for `client` from here on; without one it speaks for itself.
    private func introduced(_ client: PeerAddress?) {
        self.wasIntroducedByProxy = true
        guard let client else { return }
        guard self.reactor.addressBook.enter(client.address) else { return self.drop(.aborted) }
        self.reactor.addressBook.leave(self.peer.address)
        self.reactor.unauthenticated.move(self.id, from: self.peer.address, to: client.address)
        self.peer = client
    }

    private func startTLS() {
        let reactor = self.reactor
        guard let store = reactor.tls,
            reactor.takePlace(reactor.limits.tlsHandshakes, reactor.handshaking, for: self.peer)
        else { return self.drop(.protocolError(.protocolError)) }
        self.holdsHandshakePlace = true
        reactor.handshaking.enter(self.id, from: self.peer.address)
        guard let session = store.makeSession(descriptor: self.descriptor) else { return self.drop(.failed(0)) }
        self.tls = session
        self.stage = .tlsHandshake
        self.setPhaseDeadline(seconds: self.reactor.limits.openingSeconds)
        self.shakeHands()
    }

    func shakeHands() {
        guard let tls = self.tls else { return }
        switch tls.handshake() {
        case .moved:
            self.leaveHandshake()
            self.isBlocked = false
            self.stage = .opening
            self.setPhaseDeadline(seconds: self.reactor.limits.openingSeconds)
        case .blocked(let wantsOutput): self.isBlocked = wantsOutput
        case .closed: self.drop(.peerClosed(nil))
        case .failed(let code): self.drop(.failed(code))
        }
        self.updateInterest()
    }

    /// The first bytes that are read for good.
    func openInside(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
        switch FirstBytes.judge(UnsafeRawBufferPointer(bytes), isProxy: false, isInsideTLS: self.isEncrypted) {
        case .undecided: return nil
        case .http(let skip):
            self.http = HTTPExchange(connection: self)
            self.stage = .http
            return skip
        case .json(let skip):
            self.openStream(.jsonStream)
            return skip
        case .binary(let skip):
            self.openStream(.binaryStream)
            return skip
        case .tls, .proxy, .unknown:
            self.drop(.protocolError(.protocolError))
            return bytes.count
        }
    }

    private func openStream(_ opening: Opening) {
        self.stage = .stream
        for gateway in self.reactor.gateways {
            switch gateway.open(opening, on: self) {
            case .accept(let handler, _):
                self.handler = handler
                if !self.isAuthenticated { self.setPhaseDeadline(seconds: self.reactor.limits.signInSeconds) }
                return
            case .notMine: continue
            case .refuse: return self.finishSending(.closed(.policyViolation))
            }
        }
        self.drop(.protocolError(.protocolError))
    }

    /// The handshake was answered with 101.
    func becomeWebSocket(_ handler: any ConnectionHandler) {
        // Also when the gateway has closed the connection meanwhile: the handler is told.
        self.handler = handler
        guard self.end == nil else { return }
        self.http = nil
        self.webSocket = WebSocketSession(maximumFragments: Int(self.reactor.limits.fragments.maximum))
        self.stage = .webSocket
        self.setPhaseDeadline(seconds: self.isAuthenticated ? nil : self.reactor.limits.signInSeconds)
    }
}
