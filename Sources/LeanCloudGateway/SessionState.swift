import Accounts
import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store

/// A step that the owner of a `SessionState` takes for it, in order.
enum SessionStep: Hashable {
    /// Put the tag into this device's hands. A device that insists takes it from another.
    case claimTag(String, UserID, device: String, insists: Bool)
    /// Have the broker register the session.
    case register(Identity, tag: SessionTag?, isReconnect: Bool)
    /// The client is signed in: nothing limits the time for it any more.
    case activate
    /// Answer this request with the token of the session.
    case sendOpened(GenericCommand)
    /// Begin to serve the client, as it asked for with its words about itself.
    case begin(SessionCommand)
    /// Answer one more opening of a session that is signed in.
    case renew(GenericCommand)
    case fail(GenericCommand, LeanCloudFault)
    /// Say that the session is over, in answer to a request or unasked.
    case sendClosed(LeanCloudFault, answering: GenericCommand?)
    case logRefusal(LeanCloudFault)
    case logDelay
    /// Broker and gateway forget the session.
    case leave(SessionEndReason)
    /// The connection forgets the session.
    case remove
    /// Close the socket after a while.
    case closeLater
    /// Close the socket unless another client is on it.
    case closeIfUnused(LeanCloudFault)
}

/// The sign-in and the end of one client: events in, steps out. It knows neither socket nor store nor broker. Confined to
/// its reactor.
///
/// ```
/// signingIn --let in, tag held--> registering --registered--> active --closed, kicked, connection lost--> over
/// ```
struct SessionState {
    enum Phase: Hashable {
        case signingIn
        case registering
        case active
        case over
    }

    /// The client's words about itself, and the openings that wait for their answer: it may ask more than once. Gone once
    /// the client is signed in, because it takes much room and is not needed any more.
    private enum Opening {
        case done
        indirect case waiting(SessionCommand, [GenericCommand])
    }

    /// Most openings of one client that wait for their answer.
    static let mostOpenings = 16
    /// A tag that any number of devices hold. Source: LeanCloud realtime guide, single sign-on.
    private static let noTag = "default"
    /// Stands for all devices that do not say which they are, as those of the C# SDK.
    static let unnamedDevice = "?"

    private let sdk: LeanCloudSDK
    private var opening: Opening
    private(set) var phase = Phase.signingIn
    /// The person; `nil` until they are let in.
    private(set) var identity: Identity?
    /// The word that one device of this person holds at a time, and the name of this device for it: marks, as session
    /// tokens hold them.
    private(set) var tag: SessionTag?
    var device: String?

    init(_ request: GenericCommand, _ introduction: SessionCommand, sdk: LeanCloudSDK) {
        self.sdk = sdk
        self.opening = .waiting(introduction, [request])
    }

    private var introduction: SessionCommand {
        if case .waiting(let introduction, _) = self.opening { introduction } else { SessionCommand() }
    }

    /// Openings that wait for an answer.
    private var requests: [GenericCommand] {
        if case .waiting(_, let requests) = self.opening { requests } else { [] }
    }

    // MARK: Signing in

    /// The token of a former session that the client shows; `nil` for one that does not come back.
    var shownToken: String? { self.introduction.st.flatMap { $0.isEmpty ? nil : $0 } }

    /// The proof that the client shows: the token of its session when it comes back, else what the operator asks for.
    func credentials(_ rule: AppPolicy.SignIn) -> Credentials {
        if let token = self.shownToken { return .sessionToken(token) }
        let message = self.introduction
        switch rule {
        case .token: return .token(message.s ?? "")
        case .open: return .none
        case .signature:
            guard let signature = message.s, let timestamp = message.t, let nonce = message.n else { return .none }
            return .signature(ActionSignature(signature: signature, timestamp: timestamp, nonce: nonce))
        }
    }

    /// The class that a client asks for by its tag.
    var requestedClass: DeviceClass { Self.deviceClass(tag: self.introduction.tag) }

    /// The device class of a tag, for the operator's rules of which devices exclude each other.
    static func deviceClass(tag: String?) -> DeviceClass {
        let tag = tag?.lowercased() ?? ""
        switch tag {
        case "", "default", "mobile": return .app
        case "pc": return .desktop
        default: return DeviceClass(tag) ?? .app
        }
    }

    /// The answer to the proof.
    ///
    /// - Parameter claims: those of `shownToken`, when it can be read.
    mutating func authenticated(_ result: SignInResult, _ claims: SessionClaims?) -> [SessionStep] {
        guard self.phase == .signingIn, self.identity == nil else { return [] }
        switch result {
        case .signedIn(let identity):
            self.identity = identity
            return self.claimTag(identity, claims)
        case .refused(let refusal):
            if self.introduction.r == true, self.isPassing(refusal) { return self.turnAway() }
            return self.refuse(self.fault(refusal))
        }
    }

    /// True when the same client may well be let in a little later. A wrong session token stays wrong.
    private func isPassing(_ refusal: SignInRefusal) -> Bool {
        switch refusal {
        case .busy, .unavailable: true
        case .throttled: self.shownToken == nil
        case .wrongCredentials, .expired, .plainNotAllowed, .disabled: false
        }
    }

    /// A client that comes back by itself gets no answer, and after a while the socket closes: told no, most SDKs end the
    /// session, and the JavaScript SDK stays on the socket without one.
    private mutating func turnAway() -> [SessionStep] {
        self.phase = .over
        return [.logDelay, .remove, .closeLater]
    }

    private func fault(_ refusal: SignInRefusal) -> LeanCloudFault {
        // Source: LeanCloud, 4112. The Swift, Objective-C and Java SDKs ask for another signature then, and open again; the
        // JavaScript SDK 5 opens again with nothing, see `release`.
        let wrong: LeanCloudFault = self.shownToken == nil ? .signatureFailed : .sessionTokenExpired
        switch refusal {
        case .wrongCredentials: return wrong
        case .expired: return wrong.saying("it was right once: sign in anew")
        case .plainNotAllowed: return wrong.saying("it is not taken over an unencrypted connection from here")
        case .throttled(let seconds): return wrong.saying("too many failed sign-ins: wait \(seconds) seconds")
        case .disabled: return .invalidLogin.saying("this person may not sign in")
        case .busy, .unavailable: return .internalError.saying("the server is busy: try again")
        }
    }

    private mutating func refuse(_ fault: LeanCloudFault) -> [SessionStep] {
        self.phase = .over
        return [.logRefusal(fault)] + self.requests.map { .fail($0, fault) } + self.release(fault) + [.remove]
    }

    /// Says to the JavaScript SDK that its session is over when it came back in vain.
    ///
    /// COMPAT(LeanCloud JavaScript 5): told no, it keeps the client and gives the same one out again, without a session, until
    /// the page is loaded anew. Told that the session is closed it lets go of the client, the app hears `close`, and the next
    /// `createIMClient` signs in. After 4112 it drops its token and opens again by itself, with neither token nor signature: that
    /// opening is the one that it is told of here. Source: `im-client.js`, `_open`; `plugin-im.js`.
    private func release(_ fault: LeanCloudFault) -> [SessionStep] {
        guard self.sdk == .javaScript, self.introduction.r == true else { return [] }
        let comesBack = self.shownToken != nil
        if comesBack && fault.code == LeanCloudFault.sessionTokenExpired.code { return [] }
        let hasNothing = self.introduction.s == nil && !comesBack
        let isUnsigned = hasNothing && fault.code == LeanCloudFault.signatureFailed.code
        let said = isUnsigned ? LeanCloudFault.sessionTokenExpired.saying("the session was away too long") : fault
        return [.sendClosed(said, answering: nil)]
    }

    // MARK: Tags

    /// A tag that was named before holds for who comes back without saying it. Source: JavaScript SDK, which sends neither
    /// tag nor device then.
    private mutating func claimTag(_ identity: Identity, _ claims: SessionClaims?) -> [SessionStep] {
        let introduction = self.introduction
        self.device = introduction.namedDevice.map(SessionClaims.deviceMark) ?? claims?.deviceID
        let tag = introduction.tag.map(SessionClaims.tagMark) ?? claims?.tag ?? ""
        guard !tag.isEmpty, tag != Self.noTag else { return self.register(identity, tag: nil) }
        let device = self.device ?? Self.unnamedDevice
        return [.claimTag(tag, identity.user, device: device, insists: introduction.r != true)]
    }

    /// The answer to `.claimTag`.
    mutating func claimed(_ tag: String, _ result: Result<TagClaim, StoreError>) -> [SessionStep] {
        guard self.phase == .signingIn, let identity = self.identity else { return [] }
        switch result {
        case .success(.held(let claim)): return self.register(identity, tag: SessionTag(name: tag, claim: claim))
        case .success(.conflict):
            self.phase = .over
            return self.requests.map { .sendClosed(.sessionConflict, answering: $0) }
                + self.release(.sessionConflict) + [.remove]
        case .failure(let error):
            return self.refuse(LeanCloudFault(error) { .invalidLogin.saying($0.description) })
        }
    }

    // MARK: Registering

    private mutating func register(_ identity: Identity, tag: SessionTag?) -> [SessionStep] {
        self.phase = .registering
        self.tag = tag
        return [.register(identity, tag: tag, isReconnect: self.introduction.r == true)]
    }

    /// The broker knows the session: messages arrive for it from here on.
    ///
    /// - Parameter isStillValid: whether the account is as it was when its proof was looked at.
    mutating func registered(isStillValid: Bool) -> [SessionStep] {
        guard self.phase == .registering else { return [] }
        guard isStillValid else {
            return [.leave(.closedByPeer)]
                + self.refuse(.sessionTokenExpired.saying("the account changed while signing in"))
        }
        self.phase = .active
        let steps = self.requests.map { SessionStep.sendOpened($0) }
        let introduction = self.introduction
        self.opening = .done
        return [.activate] + steps + [.begin(introduction)]
    }

    /// The same client once more on the same connection: it is what it was.
    mutating func openAgain(_ command: GenericCommand) -> [SessionStep] {
        switch self.phase {
        case .signingIn, .registering:
            guard self.requests.count < Self.mostOpenings else { return [.fail(command, .appQuotaExceeded)] }
            self.opening = .waiting(self.introduction, self.requests + [command])
            return []
        case .active: return [.renew(command)]
        case .over: return [.fail(command, .sessionRequired)]
        }
    }

    // MARK: Ends

    /// The session ends from this side while the client is signed in: the socket stays for the others on it.
    mutating func end(_ fault: LeanCloudFault, _ reason: SessionEndReason) -> [SessionStep] {
        self.phase = .over
        return [.sendClosed(fault, answering: nil), .leave(reason), .remove]
    }

    /// The broker ended the session.
    mutating func endedByBroker(_ reason: SessionEndReason) -> [SessionStep] {
        let fault = Self.fault(reason)
        var steps: [SessionStep]
        if self.phase == .registering {
            steps = self.requests.map { .sendClosed(fault, answering: $0) } + self.release(fault)
            steps += [.leave(reason), .remove]
            self.phase = .over
        } else {
            steps = self.end(fault, reason)
        }
        return Self.endsConnection(reason) ? steps + [.closeIfUnused(fault)] : steps
    }

    /// The session is over, by the client or with its connection.
    mutating func left() { self.phase = .over }

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

    /// True for a client that has nothing to say on the connection any more. Who lost to another device may open again.
    private static func endsConnection(_ reason: SessionEndReason) -> Bool {
        switch reason {
        case .disabled, .kickedByOperator, .tooManyRequests: true
        case .closedByPeer, .left, .idle, .takenOver, .sameDevice, .signedOut, .stalled, .serverStopping, .failed: false
        }
    }
}
