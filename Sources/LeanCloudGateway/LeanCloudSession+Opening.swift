import Accounts
import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store
import Transport

/// How a client signs in, and how its session ends.
extension LeanCloudSession {
    // MARK: Signing in

    func signIn() {
        let peer = self.connection.connection.peer
        let credentials = self.credentials
        var requestedClass: DeviceClass? = Self.deviceClass(tag: self.introduction.tag)
        // A device token is of the class that it was issued for.
        if case .token = credentials { requestedClass = nil }
        let request = SignInRequest(
            user: self.client, credentials: credentials, requestedClass: requestedClass, address: peer.text,
            throttleKey: peer.throttleKey, isEncrypted: self.connection.connection.isEncrypted,
            origin: Self.origin(peer.scope))
        let later = self.laterHere()
        self.house.accounts.authenticator.authenticate(request) { result in later { $0.signedIn(result) } }
    }

    /// Something that runs a body on this thread with this session, also before the gateway knows it.
    private func laterHere() -> @Sendable (@escaping @Sendable (LeanCloudSession) -> Void) -> Void {
        let (later, number) = (self.gateway.later(self.connection), self.number)
        return { body in later { connection in connection.session(number: number).map(body) } }
    }

    /// What the client shows: the token of its session when it comes back, else what the operator asks for.
    private var credentials: Credentials {
        let message = self.introduction
        if let token = message.st, !token.isEmpty { return .sessionToken(token) }
        switch self.house.accounts.app.policy.signIn {
        case .token: return .token(message.s ?? "")
        case .open: return .none
        case .signature:
            guard let signature = message.s, let timestamp = message.t, let nonce = message.n else { return .none }
            return .signature(ActionSignature(signature: signature, timestamp: timestamp, nonce: nonce))
        }
    }

    private var introduction: SessionCommand { self.opening?.introduction ?? SessionCommand() }
    /// What waits for an answer.
    private var openings: [GenericCommand] { self.opening?.requests ?? [] }

    private var comesBack: Bool { self.introduction.st.map { !$0.isEmpty } ?? false }

    private static func origin(_ scope: PeerAddress.Scope) -> SignInOrigin {
        switch scope {
        case .loopback: .loopback
        case .privateNetwork: .privateNetwork
        case .publicNetwork: .publicNetwork
        }
    }

    /// For the operator's rules of which devices exclude each other.
    static func deviceClass(tag: String?) -> DeviceClass {
        let tag = tag?.lowercased() ?? ""
        switch tag {
        case "", "default", "mobile": return .app
        case "pc": return .desktop
        default: return DeviceClass(tag) ?? .app
        }
    }

    private func signedIn(_ result: SignInResult) {
        guard case .signingIn = self.phase, self.identity == nil else { return }
        switch result {
        case .signedIn(let identity):
            self.identity = identity
            self.claimTag(identity)
        case .refused(let refusal):
            if self.introduction.r == true, self.isPassing(refusal) { return self.turnAway(refusal) }
            self.refuse(self.fault(refusal))
        }
    }

    /// Whether the same client may well be let in a little later. A wrong session token stays wrong.
    private func isPassing(_ refusal: SignInRefusal) -> Bool {
        switch refusal {
        case .busy, .unavailable: true
        case .throttled: !self.comesBack
        case .wrongCredentials, .expired, .plainNotAllowed, .disabled: false
        }
    }

    /// A client that comes back by itself gets no answer, and after a while the socket closes: told no, most SDKs end the
    /// session, and the JavaScript SDK stays on the socket without one.
    private func turnAway(_ refusal: SignInRefusal) {
        self.house.log.info(
            "sign-in put off",
            ["user": .name(self.client.text), "address": .text(self.connection.connection.peer.text)])
        self.phase = .over
        self.connection.remove(self)
        self.connection.closeLater()
    }

    private func fault(_ refusal: SignInRefusal) -> LeanCloudFault {
        // Source: LeanCloud, 4112. The Swift, Objective-C and Java SDKs ask for another signature then, and open again; the
        // JavaScript SDK 5 opens again with nothing, see `release`.
        let wrong: LeanCloudFault = self.comesBack ? .sessionTokenExpired : .signatureFailed
        switch refusal {
        case .wrongCredentials: return wrong
        case .expired: return wrong.saying("it was right once: sign in anew")
        case .plainNotAllowed: return wrong.saying("it is not taken over an unencrypted connection from here")
        case .throttled(let seconds): return wrong.saying("too many failed sign-ins: wait \(seconds) seconds")
        case .disabled: return .invalidLogin.saying("this person may not sign in")
        case .busy, .unavailable: return .internalError.saying("the server is busy: try again")
        }
    }

    /// Not let in.
    private func refuse(_ fault: LeanCloudFault) {
        self.house.log.warning(
            "sign-in refused",
            [
                "user": .name(self.client.text), "address": .text(self.connection.connection.peer.text),
                "reason": .text(fault.detail ?? fault.reason),
            ])
        self.phase = .over
        for opening in self.openings { self.fail(opening, fault) }
        self.release(fault)
        self.connection.remove(self)
    }

    /// Says to the JavaScript SDK that its session is over when it came back in vain.
    ///
    /// COMPAT(LeanCloud JavaScript 5): told no, it keeps the client and gives the same one out again, without a session, until
    /// the page is loaded anew. Told that the session is closed it lets go of the client, the app hears `close`, and the next
    /// `createIMClient` signs in. After 4112 it drops its token and opens again by itself, with neither token nor signature: that
    /// opening is the one that it is told of here. Source: `im-client.js`, `_open`; `plugin-im.js`.
    private func release(_ fault: LeanCloudFault) {
        guard self.sdk == .javaScript, self.introduction.r == true else { return }
        if self.comesBack && fault.code == LeanCloudFault.sessionTokenExpired.code { return }
        let hasNothing = self.introduction.s == nil && !self.comesBack
        let isUnsigned = hasNothing && fault.code == LeanCloudFault.signatureFailed.code
        self.send(self.closed(isUnsigned ? .sessionTokenExpired.saying("the session was away too long") : fault))
    }

    // MARK: Tags

    /// A tag that was named before holds for who comes back without saying it. Source: JavaScript SDK, which sends neither
    /// tag nor device then.
    private func claimTag(_ identity: Identity) {
        var claims: SessionClaims?
        if self.comesBack, let token = self.introduction.st,
            case .valid(let found) = self.house.accounts.app.readSessionToken(token, for: self.client)
        {
            claims = found
        }
        self.device = self.introduction.namedDevice.map(SessionClaims.deviceMark) ?? claims?.deviceID
        let tag = self.introduction.tag.map(SessionClaims.tagMark) ?? claims?.tag ?? ""
        guard !tag.isEmpty, tag != Self.noTag else { return self.register(identity, tag: nil) }
        let (user, device, insists) = (identity.user, self.device ?? Self.unnamedDevice, self.introduction.r != true)
        let later = self.laterHere()
        self.house.store.write({ transaction throws(StoreError) in
            try transaction.claimTag(tag, of: user, device: device, insists: insists)
        }) { result in
            later { session in session.claimed(tag, result, identity) }
        }
    }

    /// Any number of devices hold this one. Source: LeanCloud realtime guide, single sign-on.
    private static let noTag = "default"
    /// All devices that do not say which they are, as those of the C# SDK.
    static let unnamedDevice = "?"

    private func claimed(_ tag: String, _ result: Result<TagClaim, StoreError>, _ identity: Identity) {
        guard case .signingIn = self.phase else { return }
        switch result {
        case .success(.held(let claim)): self.register(identity, tag: SessionTag(name: tag, claim: claim))
        case .success(.conflict):
            self.phase = .over
            for opening in self.openings { self.send(self.closed(.sessionConflict, answering: opening)) }
            self.release(.sessionConflict)
            self.connection.remove(self)
        case .failure(let error):
            self.refuse(LeanCloudFault(error) { .invalidLogin.saying($0.description) })
        }
    }

    // MARK: Registering

    private func register(_ identity: Identity, tag: SessionTag?) {
        self.phase = .registering
        self.tag = tag
        let connection = self.connection.connection
        // Devices exclude each other by their tags: what one calls itself ends no other session.
        let device = "\(self.device ?? "connection")@\(connection.id.rawValue)"
        self.gateway.register(
            self,
            as: SessionDescription(
                id: SessionID(rawValue: 0), user: identity.user, userName: identity.name,
                deviceClass: Self.deviceClass(tag: tag?.name), deviceLevel: .secondary, deviceID: device,
                protocolName: self.connection.subprotocol.name,
                address: "\(connection.peer.text):\(connection.peer.port)",
                isEncrypted: connection.isEncrypted, openedAtMilliseconds: 0, tag: tag,
                isReconnect: self.introduction.r == true, endsAfterRefusals: false))
    }

    /// The broker knows the session: messages arrive for it from here on.
    func registered(_ id: SessionID) {
        guard case .registering = self.phase, let identity = self.identity else {
            return self.house.broker.closed(id, .closedByPeer)
        }
        self.sessionID = id
        guard self.house.accounts.authenticator.isStillValid(identity), let token = self.issueToken() else {
            self.leave(.closedByPeer)
            return self.refuse(.sessionTokenExpired.saying("the account changed while signing in"))
        }
        self.phase = .active
        self.connection.connection.authenticated()
        for opening in self.openings { self.sendOpened(opening, token) }
        self.house.rooms.began(session: self.handle, of: identity.user)
        self.began(self.introduction)
        self.opening = nil
        self.bindInstallation(to: identity.user)
    }

    /// The device that a push SDK registered is this person's from now on, and nobody else's. Source: LeanCloud
    /// realtime, bit 2 of the features.
    private func bindInstallation(to user: UserID) {
        guard let device = self.installation else { return }
        let client = self.client
        self.house.store.read(
            for: .person(user),
            { reading throws(StoreError) -> Bool in
                guard let known = try reading.installation(device: device) else { return false }
                return known.person != client
            }
        ) { [store = self.house.store] result in
            // A device that never registered, or is theirs already, costs no write.
            guard case .success(true) = result else { return }
            store.write({ transaction throws(StoreError) in
                try transaction.bindInstallation(device, to: user)
            }) { _ in }
        }
    }

    private func issueToken() -> IssuedSessionToken? {
        guard let identity = self.identity else { return nil }
        // Marks of marks are the same marks.
        return self.house.accounts.app.issueSessionToken(
            SessionClaims(identity, tag: self.tag?.name, deviceID: self.device), of: identity)
    }

    private func sendOpened(_ opening: GenericCommand, _ token: IssuedSessionToken) {
        var answer = self.answer(to: opening, .session, .opened)
        answer.sessionMessage = Self.message(with: token)
        self.send(answer)
    }

    private static func message(with token: IssuedSessionToken) -> SessionCommand {
        var message = SessionCommand()
        message.st = token.text
        message.stTtl = Int32(clamping: token.lifetimeSeconds)
        return message
    }

    /// The same client once more on the same connection: it is what it was.
    func openAgain(_ command: GenericCommand) {
        switch self.phase {
        case .signingIn, .registering:
            guard self.openings.count < Self.mostOpenings else { return self.fail(command, .appQuotaExceeded) }
            self.opening?.requests.append(command)
        case .active:
            if let fault = self.excess(of: command) { return self.fail(command, fault) }
            guard let token = self.issueToken() else { return self.end(.sessionTokenExpired, .signedOut) }
            self.sendOpened(command, token)
        case .over: self.fail(command, .sessionRequired)
        }
    }

    private static let mostOpenings = 16

    // MARK: Session commands

    func sessionCommand(_ command: GenericCommand) {
        switch command.op {
        case .close?: self.close(command)
        case .refresh?: self.refresh(command)
        case .query?: self.queryPresence(command)
        default: self.fail(command, .unparseableMessage.saying("this session command is not served"))
        }
    }

    /// The token's time begins anew.
    private func refresh(_ command: GenericCommand) {
        guard let token = self.issueToken() else { return self.fail(command, .sessionTokenExpired) }
        var answer = self.answer(to: command, .session, .refreshed)
        answer.sessionMessage = Self.message(with: token)
        self.send(answer)
    }

    /// Without a code: the Java SDK takes one for a kick.
    private func close(_ command: GenericCommand) {
        if let tag = self.tag, let user = self.identity?.user {
            let device = self.device ?? Self.unnamedDevice
            self.house.store.write({ transaction throws(StoreError) in
                try transaction.releaseTag(tag.name, of: user, device: device)
            }) { _ in }
        }
        if let device = self.installation, let user = self.identity?.user {
            self.house.store.write({ transaction throws(StoreError) in
                try transaction.releaseInstallation(device, from: user)
            }) { _ in }
        }
        var answer = self.answer(to: command, .session, .closed)
        answer.sessionMessage = SessionCommand()
        self.send(answer)
        self.leave(.left)
        self.connection.remove(self)
    }

    /// Which of some people are signed in, in the order of the question.
    private func queryPresence(_ command: GenericCommand) {
        let asked = command.sessionMessage?.sessionPeerIds ?? []
        guard asked.count <= Self.mostAsked else {
            return self.fail(command, .appQuotaExceeded.saying("at most \(Self.mostAsked) people at a time"))
        }
        let names = asked.compactMap { UserName($0) }
        let later = self.later()
        self.house.broker.online(Set(names)) { online in
            later { session in
                var answer = session.answer(to: command, .session, .queryResult)
                var message = SessionCommand()
                message.onlineSessionPeerIds = names.filter(online.contains).map(\.text)
                answer.sessionMessage = message
                session.send(answer)
            }
        }
    }

    /// Source: LeanCloud realtime guide.
    private static let mostAsked = 20

    /// The device has another name from now on; it keeps its tag. Source: ObjC SDK, which signs in with a name of its own
    /// making, reports the real one later and would be in conflict with itself.
    func report(_ command: GenericCommand) {
        guard command.op == .upload else {
            return self.fail(command, .unparseableMessage.saying("this report is not served"))
        }
        if let named = command.reportMessage?.data, !named.isEmpty, let user = self.identity?.user {
            let (old, new) = (self.device ?? Self.unnamedDevice, SessionClaims.deviceMark(named))
            self.device = new
            if self.tag != nil, old != new {
                self.house.store.write({ transaction throws(StoreError) in
                    try transaction.renameDevice(old, to: new, of: user)
                }) { _ in }
            }
        }
        self.send(self.answer(to: command, .report, .uploaded))
    }

    // MARK: Ends

    private func closed(_ fault: LeanCloudFault, answering request: GenericCommand? = nil) -> GenericCommand {
        var command = request.map { self.answer(to: $0, .session, .closed) } ?? self.push(.session, .closed)
        var message = SessionCommand()
        message.code = fault.code
        message.reason = fault.reason
        message.detail = fault.detail
        command.sessionMessage = message
        return command
    }

    /// Says that the session is over, and lets go of it. The socket stays for the others on it.
    private func end(_ fault: LeanCloudFault, _ reason: SessionEndReason) {
        self.send(self.closed(fault))
        self.leave(reason)
        self.connection.remove(self)
    }

    /// The broker and the gateway forget the session.
    private func leave(_ reason: SessionEndReason) {
        self.phase = .over
        self.will = .none
        if let user = self.identity?.user { self.house.rooms.ended(session: self.handle, of: user) }
        if let sessionID = self.sessionID {
            self.gateway.flushPublishes()
            self.house.broker.closed(sessionID, reason)
            self.sessionID = nil
        }
        if self.handle != 0 { self.gateway.forget(self) }
    }

    /// The broker ended the session.
    func endedByBroker(_ reason: SessionEndReason) {
        self.sessionID = nil
        let wasOpening = self.phase == .registering
        let fault = Self.fault(reason)
        if wasOpening {
            for opening in self.openings { self.send(self.closed(fault, answering: opening)) }
            self.release(fault)
            self.leave(reason)
            self.connection.remove(self)
        } else {
            self.end(fault, reason)
        }
        if Self.endsConnection(reason), self.connection.isEmpty { self.connection.close(fault) }
    }

    private static func fault(_ reason: SessionEndReason) -> LeanCloudFault {
        switch reason {
        case .takenOver, .sameDevice: .sessionConflict
        case .kickedByOperator(let text): .kickedByApp.saying(text)
        case .disabled: .kickedByApp.saying("this person may not sign in")
        case .signedOut: .sessionTokenExpired
        case .tooManyRequests: .messageQuotaExceeded
        case .closedByPeer, .left, .idle, .stalled, .serverStopping, .failed: .internalError.saying("the session ended")
        }
    }

    /// Who lost to another device may open again on the same connection; who is kept out has nothing to say there.
    private static func endsConnection(_ reason: SessionEndReason) -> Bool {
        switch reason {
        case .disabled, .kickedByOperator, .tooManyRequests: true
        default: false
        }
    }

    /// The connection is over.
    func connectionEnded(_ reason: ConnectionEnd) {
        guard self.phase != .over else { return }
        if case .kept(let will) = self.will, self.sessionID != nil, reason != .drained { self.gateway.publish(will) }
        self.leave(Self.endReason(reason))
    }

    private static func endReason(_ reason: ConnectionEnd) -> SessionEndReason {
        switch reason {
        case .peerClosed, .closed: .closedByPeer
        case .idle, .timedOut: .idle
        case .stalled: .stalled
        case .drained: .serverStopping
        case .aborted: .failed("aborted")
        case .protocolError(let code): .failed("protocol error \(code.rawValue)")
        case .failed(let code): .failed("errno \(code)")
        }
    }
}
