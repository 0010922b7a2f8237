/// Requests.
extension Connection {
    /// - Returns: how many bytes were used, or `nil` when the connection has to wait.
    func httpStep(_ rest: UnsafeRawBufferPointer) -> Int? {
        guard let http = self.http, !http.isAnswering else { return nil }
        do throws(HTTPParseError) {
            switch try http.parser.next(rest) {
            case .incomplete(let consumed): return consumed == 0 ? nil : consumed
            case .event(.head(let head), let consumed):
                self.headArrived(head, http)
                return consumed
            case .event(.body(let bytes), let consumed):
                self.bodyArrived(bytes, http)
                return consumed
            case .event(.end, let consumed):
                self.requestArrived(http)
                return consumed
            }
        } catch {
            self.refuse(error.status, error.reason)
            return rest.count
        }
    }

    private func headArrived(_ head: HTTPRequestHead, _ http: HTTPExchange) {
        var request = HTTPRequest(head: head, peer: self.peer, isEncrypted: self.isEncrypted)
        request.isFromProxy = self.wasIntroducedByProxy || self.reactor.addressBook.isProxy(self.peer.address)
        http.state.headBegan(keepsAlive: head.wantsKeepAlive)
        if let authority = head.authority {
            let isOurs = self.reactor.hostRule.allows(
                authority, local: SocketAddress.local(of: self.descriptor)?.address)
            guard isOurs else {
                return self.refuse(421, "this server is not \(authority): add the name to `hosts` in the configuration")
            }
        }
        if let coding = head.headers["content-encoding"], ASCII.lowercased(coding) != "identity" {
            return self.refuse(415, "a request body must not be compressed")
        }
        if let expected = head.headers["expect"], ASCII.lowercased(expected) != "100-continue" {
            return self.refuse(417, "the expectation is not known")
        }
        let isWebSocket = WebSocketHandshake.isAsked(by: head)
        let origin = head.headers["origin"]
        var answeredOrigin: String?
        switch self.reactor.originRule.judge(origin: origin, authority: head.authority) {
        case .own:
            request.isFromListedPage = self.reactor.originRule.lists(pageAt: head.headers["referer"])
        case .configured:
            request.isFromListedPage = true
            // Whoever takes any origin puts the fields that say so into its answers itself.
            let isOpen = !isWebSocket && self.reactor.gateways.contains(where: { $0.takesAnyOrigin(request) })
            answeredOrigin = isOpen ? nil : origin
        case .foreign:
            request.isFromForeignOrigin = true
            let isTaken = self.reactor.gateways.contains {
                isWebSocket ? $0.acceptsForeignOrigin(request) : $0.takesAnyOrigin(request)
            }
            guard isTaken else {
                return self.refuse(
                    403,
                    "pages from \(origin ?? "") may not talk to this server: add it to `origins` in the configuration")
            }
        }
        http.state.headArrived(request, origin: answeredOrigin)
        if isWebSocket { self.upgrade(request, http) } else { self.planBody(request, http) }
    }

    private func planBody(_ request: HTTPRequest, _ http: HTTPExchange) {
        var plan = BodyPlan.buffered(maximumBytes: Int(self.reactor.limits.bodyBytes.maximum))
        for gateway in self.reactor.gateways {
            if request.isFromForeignOrigin, !gateway.takesAnyOrigin(request) { continue }
            if let own = gateway.plan(for: request, on: self) {
                plan = own
                break
            }
        }
        switch http.state.plan(plan) {
        // A gateway that holds the body back has not decided whether it wants it.
        case .none: if !self.isPaused { self.sendContinue() }
        case .refuse(let status, let text, let headers): self.refuse(status, text, headers)
        case .cancel(let receiver): receiver.cancelled()
        }
    }

    /// Tells a client that waits for it to send its body.
    func sendContinue() {
        guard let http = self.http, self.end == nil, http.state.takeContinue() else { return }
        self.outbox.append("HTTP/1.1 100 Continue\r\n\r\n")
        self.outboxGrew()
    }

    private func bodyArrived(_ bytes: UnsafeRawBufferPointer, _ http: HTTPExchange) {
        guard self.end == nil else { return }
        let minimum = self.reactor.limits.bodyBytesPerSecond
        switch http.state.bodyArrived(bytes, at: self.reactor.now.nanoseconds, minimum: minimum) {
        case .none: break
        case .hand(let receiver): receiver.received(bytes)
        case .refuse(let status, let text): self.refuse(status, text)
        }
    }

    private func requestArrived(_ http: HTTPExchange) {
        guard self.end == nil, let request = http.state.bodyEnded() else { return }
        let responder = HTTPResponder(to: request, on: self)
        http.responder = responder
        if http.state.origin != nil, request.method == "OPTIONS",
            let asked = request.headers["access-control-request-method"]
        {
            return responder.answerPreflight(method: asked, headers: request.headers["access-control-request-headers"])
        }
        for gateway in self.reactor.gateways {
            if request.isFromForeignOrigin, !gateway.takesAnyOrigin(request) { continue }
            if gateway.respond(to: request, with: responder) { return }
        }
        responder.respond(status: 404, error: "not found")
    }

    /// Answers what cannot be served, and closes: what follows on the connection may not be what it seems.
    func refuse(_ status: Int, _ text: String, _ headers: [(String, String)] = []) {
        guard let http = self.http, self.end == nil else { return }
        switch status {
        case 413: _ = self.reactor.limits.bodyBytes.allows(.max)
        case 431: _ = self.reactor.limits.headerBytes.allows(.max)
        default: break
        }
        let (request, receiver) = http.state.end()
        self.writeRefusal(status, text, headers, to: request)
        self.finishSending(.protocolError(.protocolError))
        receiver?.cancelled()
    }

    /// Answers a request whose body is still coming, and closes: nobody will take the rest of it. Its receiver is told
    /// that it is cancelled. Ignored when no request is being read.
    ///
    /// - Parameters:
    ///   - text: the error in a short JSON body.
    ///   - headers: besides those every answer has.
    package func refuseRequest(status: Int, text: String, headers: [(String, String)] = []) {
        guard self.http?.state.request != nil else { return }
        self.refuse(status, text, headers)
    }

    private func writeRefusal(
        _ status: Int, _ text: String, _ headers: [(String, String)] = [], to request: HTTPRequest?
    ) {
        let isHead = request?.method == "HEAD"
        let body = ErrorBody.json(status: status, text)
        var fields = [("Content-Type", "application/json")] + headers
        if let request, request.headers["origin"] != nil,
            !fields.contains(where: { $0.0 == "Access-Control-Allow-Origin" }),
            self.reactor.gateways.contains(where: { $0.takesAnyOrigin(request) })
        {
            // A page could not read why otherwise. Source: the Fetch standard, "CORS protocol".
            fields.append(("Access-Control-Allow-Origin", "*"))
        }
        if status == 426 { fields += [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")] }
        self.outbox.append(
            HTTPResponseHead.text(
                status: status, fields: fields, length: .exact(body.count), date: self.reactor.httpDate,
                closes: true, keepsAlive10: false))
        if !isHead { self.outbox.append(body) }
        self.outboxGrew()
    }

    /// A response is complete.
    func answered() {
        guard let http = self.http, self.end == nil, http.state.answered() else { return }
        http.responder = nil
        if http.closesAfterAnswer {
            self.finishSending(self.peerHasFinished ? .peerClosed(nil) : .closed(.normal))
        } else if !self.isProcessing {
            self.updateRequestDeadline()
            self.processLater()
            self.updateInterest()
        }
    }
}

/// From HTTP to WebSocket.
extension Connection {
    private func upgrade(_ request: HTTPRequest, _ http: HTTPExchange) {
        switch WebSocketHandshake.judge(request.head) {
        case .invalid(let status, let reason): self.refuse(status, reason)
        case .valid(let accept):
            for gateway in self.reactor.gateways {
                if request.isFromForeignOrigin, !gateway.acceptsForeignOrigin(request) { continue }
                switch gateway.open(.webSocket(request), on: self) {
                case .accept(let handler, let subprotocol):
                    return self.acceptWebSocket(request, accept, subprotocol, handler)
                case .refuse(let status, let text): return self.refuse(status, text)
                case .notMine: continue
                }
            }
            self.refuse(404, "not found")
        }
    }

    private func acceptWebSocket(
        _ request: HTTPRequest, _ accept: String, _ subprotocol: String?, _ handler: any ConnectionHandler
    ) {
        var head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Accept: \(accept)\r\n"
        if let subprotocol {
            precondition(
                WebSocketHandshake.offeredProtocols(request.head).contains(subprotocol),
                "the gateway chose a subprotocol that was not offered")
            head += "Sec-WebSocket-Protocol: \(subprotocol)\r\n"
        }
        self.outbox.append(head + "\r\n")
        self.outboxGrew()
        self.becomeWebSocket(handler)
    }
}

/// Time of requests.
extension Connection {
    /// Restarts the deadline when the connection begins to wait for something else.
    func updateRequestDeadline() {
        guard let http = self.http, self.stage == .http else { return }
        guard let waiting = http.state.wait(hasInput: !self.input.isEmpty) else { return }
        self.setPhaseDeadline(seconds: self.seconds(for: waiting))
    }

    private func seconds(for waiting: HTTPExchangeState.Waiting) -> Int? {
        let limits = self.reactor.limits
        switch waiting {
        case .header: return limits.openingSeconds
        case .bufferedBody: return limits.bodySeconds
        case .streamedBody: return self.isPaused ? nil : limits.stallSeconds
        case .nextRequest: return self.isAuthenticated ? limits.keepAliveSeconds : limits.keepAliveAnonymousSeconds
        case .answer: return nil
        }
    }

    func requestExpired() {
        guard let http = self.http else { return }
        switch http.state.expired() {
        case .close: self.finishSending(.idle)
        case .refuse:
            let (request, receiver) = http.state.end()
            receiver?.cancelled()
            self.writeRefusal(408, "the request took too long", to: request)
            self.finishSending(.timedOut)
        case .none: break
        }
    }
}
