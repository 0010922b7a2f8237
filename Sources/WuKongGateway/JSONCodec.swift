import Broker
import ByteCodec
import ChatModel
import Transport
import WuKongTranslation
import WuKongWire

/// WuKongIM's JSON encoding, as spoken by the easy SDKs. Source: WuKongIM JSON-RPC protocol.
final class JSONCodec: SessionCodec {
    private unowned let session: WuKongSession
    private var splitter: JSONStreamSplitter
    /// Objects that came while signing in.
    private var early: [[UInt8]] = []
    /// Of the `connect` that is being worked on.
    private var connectID: WuKongRequestID?
    /// Requests whose messages wait for their outcome, by ticket.
    private var unanswered: [UInt64: (id: WuKongRequestID, header: WuKongHeader)] = [:]
    private var lastTicket: UInt64 = 0

    init(session: WuKongSession) {
        self.session = session
        self.splitter = JSONStreamSplitter(maximumBytes: session.gateway.house.settings.frameBytes)
    }

    let protocolName = "wukong-json"
    let sendsMissedMessages = true

    /// Bytes of an incomplete object that somebody who has not signed in may leave here.
    private static let preAuthBytes = 16 * 1024

    // MARK: Bytes

    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        if kind == .text, self.session.isActive, let id = CompactAcknowledgement.messageID(in: bytes) {
            return self.acknowledge(id)
        }
        do throws(JSONError) {
            try self.splitter.append(bytes) { object in self.take(object) }
            if kind != .stream, self.splitter.heldBytes > 0 {
                self.malformed("the message ends inside an object", WuKongRequestID(namedIn: bytes), kind)
            } else if self.session.isWaiting, self.splitter.heldBytes > Self.preAuthBytes {
                self.session.close(.messageTooBig, "sign in first")
            }
        } catch {
            self.malformed("not a JSON object: \(error)", WuKongRequestID(namedIn: bytes), kind)
        }
    }

    /// A WebSocket message that is no JSON is answered and forgotten; in a stream nobody knows where the next object
    /// begins.
    private func malformed(_ text: String, _ id: WuKongRequestID?, _ kind: InboundKind) {
        self.refuse(id, .parseError, text)
        self.splitter = JSONStreamSplitter(maximumBytes: self.session.gateway.house.settings.frameBytes)
        if !self.session.isActive || kind == .stream { self.session.close(.policyViolation, "not JSON") }
    }

    func refuseTooLong(beginning start: UnsafeRawBufferPointer) {
        let limit = self.session.gateway.house.settings.frameBytes
        if let id = WuKongRequestID(namedIn: start) {
            self.refuse(id, .invalidRequest, "the request is longer than \(limit) bytes")
        }
    }

    func resume() {
        let early = self.early
        self.early = []
        for object in early { object.withUnsafeBytes { self.take($0) } }
    }

    // MARK: Requests

    private func take(_ object: UnsafeRawBufferPointer) {
        guard !self.session.isClosed else { return }
        guard self.session.isWaiting || self.session.isActive else { return self.early.append(Array(object)) }
        do throws(WuKongRequestError) {
            self.handle(try WuKongRequest(decoding: object))
        } catch {
            // A notification that is wrong gets no answer: the Python SDK gives up on one without an id.
            if let id = error.id { self.refuse(id, error.code, error.message) }
            if self.session.isWaiting { self.session.close(.policyViolation, "sign in first") }
        }
    }

    private func handle(_ request: WuKongRequest) {
        if self.session.isWaiting {
            guard case .connect(let id, let parameters) = request else {
                return self.session.close(.policyViolation, "sign in first")
            }
            self.connectID = id
            return self.session.signIn(parameters)
        }
        switch request {
        case .connect(let id, _): self.refuse(id, .invalidRequest, "this connection is signed in already")
        case .send(let id, let parameters): self.publish(id, parameters)
        case .receiveAcknowledge(let message): self.acknowledge(message)
        case .ping(let id): self.reply { $0.pong(to: id) }
        case .disconnect(let id):
            if let id { self.reply { $0.pong(to: id) } }
            self.session.close(.normal, "signed out")
        case .subscribe(let id), .unsubscribe(let id):
            self.refuse(id, .methodNotFound, "subscriptions are not served: a member gets every message of a channel")
        case .unknown(let id?, let method): self.refuse(id, .methodNotFound, "there is no method \(method)")
        case .unknown: break
        }
    }

    /// The easy SDKs repeat the flags of the message they acknowledge, so these need not be looked at.
    private func acknowledge(_ message: Int64) {
        self.session.acknowledge(MessageID(rawValue: message), syncOnce: true)
    }

    private func publish(_ id: WuKongRequestID, _ parameters: SendParameters) {
        self.lastTicket += 1
        self.unanswered[self.lastTicket] = (id, parameters.header)
        if let reason = self.publish(parameters) { self.answer(self.lastTicket, PublishReceipt(reason: reason)) }
    }

    /// - Returns: why the message was not handed on; then there is no answer to come.
    private func publish(_ parameters: SendParameters) -> WuKongReason? {
        do throws(PayloadRefusal) {
            let message = ClientMessage(
                channelID: parameters.channelID, channelType: parameters.channelType,
                clientToken: ClientToken(Array(parameters.clientMessageNumber.utf8)),
                content: try Translation.accepted(parameters))
            return self.session.publish(message, ticket: self.lastTicket)
        } catch {
            return error.reason
        }
    }

    // MARK: What the session says

    func signedIn(timeDifference: Int64) {
        guard let id = self.connectID else { return }
        self.reply { $0.connectResult(id: id, timeDifference: timeDifference, nodeID: WuKongGateway.nodeID) }
    }

    /// Says no in a way that both easy SDKs understand: as an error object, since one of them takes any result for a
    /// success.
    func refuseSignIn(_ reason: WuKongReason, _ text: String) {
        guard let id = self.connectID else { return }
        self.reply { $0.connectFailure(id: id, reason: reason, message: text) }
    }

    func answer(_ ticket: UInt64, _ receipt: PublishReceipt) {
        guard let (id, header) = self.unanswered.removeValue(forKey: ticket) else { return }
        self.reply {
            $0.sendResult(
                id: id, messageID: receipt.messageID, sequence: receipt.sequence, reason: receipt.reason,
                header: header)
        }
    }

    func send(isOwn: Bool, isRepeat: Bool, from frames: inout FrameCache, to connection: Connection) {
        frames.sendJSON(isOwn: isOwn, isRepeat: isRepeat, to: connection)
    }

    func send(_ event: StreamEvent) {
        self.session.gateway.events.sendJSON(event, to: self.session.connection)
    }

    func disconnect(_ reason: WuKongReason, _ text: String) {
        self.reply { $0.disconnect(reason: reason, text: text) }
    }

    private func refuse(_ id: WuKongRequestID?, _ code: JSONRPCErrorCode, _ message: String) {
        self.reply { $0.error(id: id, code: code, message: message) }
    }

    private func reply(_ write: (inout WuKongJSONWriter) -> Void) {
        self.session.gateway.frames.reply(to: self.session.connection, write)
    }
}
