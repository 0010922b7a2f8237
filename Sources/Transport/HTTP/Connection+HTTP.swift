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
        http.closesAfterAnswer = !head.wantsKeepAlive
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
        switch self.reactor.originRule.judge(origin: origin, authority: head.authority) {
        case .own:
            http.origin = nil
            request.isFromListedPage = self.reactor.originRule.lists(pageAt: head.headers["referer"])
        case .configured:
            request.isFromListedPage = true
            // Whoever takes any origin puts the fields that say so into its answers itself.
            let isOpen = !isWebSocket && self.reactor.gateways.contains(where: { $0.takesAnyOrigin(request) })
            http.origin = isOpen ? nil : origin
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
        http.request = request
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
        http.receiver = nil
        http.owesContinue = false
        http.pace.restart()
        switch plan {
        case .buffered(let maximum):
            http.maximumBodyBytes = maximum
            if case .length(let count) = request.head.framing, count > maximum {
                return self.refuse(413, "the body is longer than \(maximum) bytes")
            }
        case .streamed(let receiver): http.receiver = receiver
        case .refused(let status, let text, let headers): return self.refuse(status, text, headers)
        }
        if request.head.framing != .none, request.head.minorVersion == 1, request.headers["expect"] != nil {
            // A gateway that holds the body back has not decided whether it wants it.
            http.owesContinue = true
            if !self.isPaused { self.sendContinue() }
        }
    }

    /// Tells a client that waits for it to send its body. Source: RFC 9110 section 10.1.1.
    func sendContinue() {
        guard let http = self.http, http.owesContinue, self.end == nil else { return }
        http.owesContinue = false
        self.outbox.append("HTTP/1.1 100 Continue\r\n\r\n")
        self.outboxGrew()
    }

    private func bodyArrived(_ bytes: UnsafeRawBufferPointer, _ http: HTTPExchange) {
        guard self.end == nil else { return }
        if let receiver = http.receiver {
            let minimum = self.reactor.limits.bodyBytesPerSecond
            guard http.pace.keeps(bytes.count, at: self.reactor.now.nanoseconds, minimum: minimum) else {
                return self.refuse(
                    408, "the body came with less than \(minimum) bytes per second: go on where it ended")
            }
            return receiver.received(bytes)
        }
        let count = (http.request?.body.count ?? 0) + bytes.count
        guard count <= http.maximumBodyBytes else {
            return self.refuse(413, "the body is longer than \(http.maximumBodyBytes) bytes")
        }
        http.request?.body.append(contentsOf: bytes)
    }

    private func requestArrived(_ http: HTTPExchange) {
        guard let request = http.request, self.end == nil else { return }
        http.request = nil
        http.receiver = nil
        http.isAnswering = true
        let responder = HTTPResponder(to: request, on: self)
        http.responder = responder
        if http.origin != nil, request.method == "OPTIONS",
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
        let receiver = http.receiver
        http.receiver = nil
        self.writeRefusal(status, text, headers, closes: true)
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
        guard self.http?.request != nil else { return }
        self.refuse(status, text, headers)
    }

    private func writeRefusal(
        _ status: Int, _ text: String, _ headers: [(String, String)] = [], closes: Bool
    ) {
        let isHead = self.http?.request?.method == "HEAD"
        let body = ErrorBody.json(status: status, text)
        var fields = [("Content-Type", "application/json")] + headers
        if let request = self.http?.request, request.headers["origin"] != nil,
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
                closes: closes, keepsAlive10: false))
        if !isHead { self.outbox.append(body) }
        self.outboxGrew()
    }

    /// A response is complete.
    func answered() {
        guard let http = self.http, http.isAnswering, self.end == nil else { return }
        http.isAnswering = false
        http.responder = nil
        // The next wait gets a deadline of its own, even if this answer came within one read.
        http.hasAnswered = true
        http.waiting = nil
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
    /// Restarts the deadline when the connection begins to wait for something else: a header that comes byte by byte
    /// keeps the deadline of its first byte.
    func updateRequestDeadline() {
        guard let http = self.http, self.stage == .http else { return }
        let waiting: HTTPExchange.Waiting =
            if http.isAnswering {
                .answer
            } else if http.request != nil {
                http.receiver == nil ? .bufferedBody : .streamedBody
            } else {
                self.input.isEmpty && http.hasAnswered ? .nextRequest : .header
            }
        // A streamed body has to move, however long it is; the others have one deadline as a whole.
        guard waiting != http.waiting || waiting == .streamedBody else { return }
        http.waiting = waiting
        self.setPhaseDeadline(seconds: self.seconds(for: waiting))
    }

    private func seconds(for waiting: HTTPExchange.Waiting) -> Int? {
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
        switch http.waiting {
        case .nextRequest, nil: self.finishSending(.idle)
        case .header, .bufferedBody, .streamedBody:
            http.receiver?.cancelled()
            http.receiver = nil
            self.writeRefusal(408, "the request took too long", closes: true)
            self.finishSending(.timedOut)
        case .answer: break
        }
    }
}
