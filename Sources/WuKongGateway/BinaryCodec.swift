import Broker
import ChatModel
import Transport
import WuKongCrypto
import WuKongTranslation
import WuKongWire

/// WuKongIM's binary encoding in the versions 2 to 5, on raw TCP and over WebSocket, as spoken by the full SDKs.
///
/// Source: WuKongIM v2.2.5. Where the SDKs disagree with each other, what all of them take is sent. SUB is read and not
/// answered, as that server does: a member gets every message of a channel without it.
final class BinaryCodec: SessionCodec {
    private unowned let session: WuKongSession
    private var splitter: BinaryFrameSplitter
    private var version = BinaryVersion.latest
    /// `nil` until CONNECT brought the client's half.
    private var keys: SessionKeys?
    /// Frames that came while signing in.
    private var early: [[UInt8]] = []

    init(session: WuKongSession) {
        self.session = session
        self.splitter = BinaryFrameSplitter(maximumBytes: session.gateway.house.settings.frameBytes)
    }

    var protocolName: String { "wukong-\(self.version.number)" }
    /// The full SDKs fetch history when they need it, over HTTP.
    let sendsMissedMessages = false

    /// Bytes of an incomplete frame that somebody who has not signed in may leave here.
    private static let preAuthBytes = 16 * 1024
    /// Most bytes of a text that a DISCONNECT carries.
    private static let disconnectBytes = 512

    // MARK: Bytes

    /// A WebSocket message is a piece of the stream like any other: the JS SDK puts several frames into one.
    func received(_ bytes: UnsafeRawBufferPointer, as kind: InboundKind) {
        do throws(BinaryWireError) {
            try self.splitter.append(bytes, tooLong: { self.refuse($0) }) { (frame) throws(BinaryWireError) in
                try self.take(frame)
            }
            if self.session.isWaiting, self.splitter.heldBytes > Self.preAuthBytes {
                self.session.close(.messageTooBig, "sign in first")
            }
        } catch {
            self.broken(error)
        }
    }

    func refuseTooLong(beginning start: UnsafeRawBufferPointer) {
        if let send = BinarySendStart(startOf: start) { _ = self.refuse(send) }
    }

    /// Answers a SEND that is too long. The JS SDK sends what has no answer after every reconnect, for ever.
    ///
    /// - Returns: whether it was answered.
    private func refuse(_ send: BinarySendStart) -> Bool {
        guard self.session.isActive else { return false }
        let ticket = SendTicket(clientSequence: send.clientSequence, header: send.header)
        self.answer(ticket.rawValue, PublishReceipt(reason: .notAllowSend))
        return true
    }

    func resume() {
        let early = self.early
        self.early = []
        for frame in early {
            do throws(BinaryWireError) {
                try frame.withUnsafeBufferPointer { bytes throws(BinaryWireError) in
                    try self.take(UnsafeRawBufferPointer(bytes))
                }
            } catch {
                return self.broken(error)
            }
        }
    }

    /// The encoding has no words for this, and nobody knows where the next frame begins.
    private func broken(_ error: BinaryWireError) {
        self.session.gateway.house.log.debug(
            "binary stream broken",
            ["peer": .name(self.session.connection.peer.text), "reason": .text(error.description)])
        self.session.close(.protocolError, error.description)
    }

    // MARK: Packets

    private func take(_ frame: UnsafeRawBufferPointer) throws(BinaryWireError) {
        guard !self.session.isClosed else { return }
        guard self.session.isWaiting || self.session.isActive else { return self.early.append(Array(frame)) }
        self.handle(try BinaryClientPacket(decoding: frame, version: self.version))
    }

    private func handle(_ packet: BinaryClientPacket) {
        if self.session.isWaiting {
            guard case .connect(let connect) = packet else {
                return self.session.close(.policyViolation, "sign in first")
            }
            return self.connect(connect)
        }
        switch packet {
        case .receiveAcknowledge(let message, _, let header):
            self.session.acknowledge(MessageID(rawValue: message), syncOnce: header.syncOnce)
        case .send(let send): self.publish(send)
        case .ping: self.reply { $0.pong() }
        case .disconnect: self.session.close(.normal, "signed out")
        case .subscribe: break
        case .connect: self.session.close(.policyViolation, "this connection is signed in already")
        }
    }

    private func connect(_ connect: BinaryConnect) {
        self.version = BinaryVersion(connect.version)
        let parameters = ConnectParameters(
            uid: connect.uid, token: connect.token, deviceID: connect.deviceID, deviceFlag: Int(connect.deviceFlag),
            clientTimestamp: connect.clientTimestamp, version: Int(connect.version))
        guard !connect.clientKey.isEmpty else {
            return self.session.reject(.clientKeyEmpty, "the client sent no key", parameters)
        }
        guard let keys = self.session.gateway.keys else {
            return self.session.reject(.systemError, "the binary encoding is off: see the log", parameters)
        }
        do throws(WuKongCryptoError) {
            self.keys = try keys.makeSession(with: connect.clientKey)
        } catch {
            return self.session.reject(.authFail, error.description, parameters)
        }
        self.session.signIn(parameters)
    }

    private func publish(_ send: BinarySend) {
        let ticket = SendTicket(clientSequence: send.clientSequence, header: send.header)
        guard let payload = self.payload(of: send) else {
            return self.answer(ticket.rawValue, PublishReceipt(reason: .payloadDecodeError))
        }
        if let reason = self.publish(send, payload, ticket) {
            self.answer(ticket.rawValue, PublishReceipt(reason: reason))
        }
    }

    /// - Returns: why the message was not handed on; then there is no answer to come.
    private func publish(_ send: BinarySend, _ payload: [UInt8], _ ticket: SendTicket) -> WuKongReason? {
        do throws(PayloadRefusal) {
            let message = ClientMessage(
                channelID: send.channelID, channelType: Int(send.channelType),
                clientToken: ClientToken(Array(send.clientMessageNumber.utf8)),
                content: try Translation.accepted(
                    payload: payload, header: send.header, setting: self.setting(of: send), topic: send.topic,
                    expire: send.expire, from: .user))
            return self.session.publish(message, ticket: ticket.rawValue)
        } catch {
            return error.reason
        }
    }

    /// Below version 5 the stream bit announces the streams of old, which nobody writes on any more.
    private func setting(of send: BinarySend) -> WuKongSetting {
        self.version.hasEvents ? send.setting : send.setting.subtracting(.stream)
    }

    /// - Returns: `nil` when the message key is wrong or the payload cannot be decrypted, which WuKongIM's server does
    ///   not tell apart.
    private func payload(of send: BinarySend) -> [UInt8]? {
        guard let keys = self.keys, keys.isMessageKey(send.messageKey, signing: send.signature, send.payload) else {
            return nil
        }
        return try? keys.decrypt(send.payload)
    }

    // MARK: What the session says

    func signedIn(timeDifference: Int64) {
        guard let keys = self.keys else { return }
        self.connectAcknowledge(
            .success, serverKey: self.session.gateway.keys?.publicKeyBase64 ?? "", salt: keys.salt, timeDifference)
    }

    func refuseSignIn(_ reason: WuKongReason, _ text: String) {
        self.connectAcknowledge(reason, serverKey: "", salt: "", 0)
    }

    private func connectAcknowledge(
        _ reason: WuKongReason, serverKey: String, salt: String, _ timeDifference: Int64
    ) {
        let version = self.version
        self.reply {
            $0.connectAcknowledge(
                version: version, timeDifferenceMilliseconds: timeDifference, reason: reason, serverKey: serverKey,
                salt: salt, nodeID: UInt64(WuKongGateway.nodeID))
        }
    }

    func answer(_ ticket: UInt64, _ receipt: PublishReceipt) {
        let ticket = SendTicket(rawValue: ticket)
        self.reply {
            $0.sendAcknowledge(
                messageID: receipt.messageID, clientSequence: ticket.clientSequence,
                sequence: UInt32(clamping: receipt.sequence), reason: receipt.reason, header: ticket.header)
        }
    }

    func send(isOwn: Bool, isRepeat: Bool, from frames: inout FrameCache, to connection: Connection) {
        guard let keys = self.keys else { return }
        frames.sendBinary(isOwn: isOwn, isRepeat: isRepeat, version: self.version, keys: keys, to: connection)
    }

    func send(_ event: StreamEvent) {
        guard self.version.hasEvents else { return }
        self.session.gateway.events.sendBinary(event, version: self.version, to: self.session.connection)
    }

    func disconnect(_ reason: WuKongReason, _ text: String) {
        let text = String(decoding: text.utf8.prefix(Self.disconnectBytes), as: UTF8.self)
        self.reply { $0.disconnect(reason, text: text) }
    }

    private func reply(_ write: (inout BinaryPacketWriter) -> Void) {
        self.session.gateway.frames.replyBinary(to: self.session.connection, write)
    }
}

/// What a SENDACK repeats of its SEND, as the number that the broker returns with the outcome.
struct SendTicket: Hashable {
    var clientSequence: UInt32
    var header: WuKongHeader

    init(clientSequence: UInt32, header: WuKongHeader) {
        self.clientSequence = clientSequence
        self.header = header
    }

    init(rawValue: UInt64) {
        self.clientSequence = UInt32(truncatingIfNeeded: rawValue)
        let flags = rawValue >> 32
        self.header = WuKongHeader(
            noPersist: flags & 1 != 0, redDot: flags & 2 != 0, syncOnce: flags & 4 != 0, dup: flags & 8 != 0)
    }

    var rawValue: UInt64 {
        var flags: UInt64 = 0
        if self.header.noPersist { flags |= 1 }
        if self.header.redDot { flags |= 2 }
        if self.header.syncOnce { flags |= 4 }
        if self.header.dup { flags |= 8 }
        return flags << 32 | UInt64(self.clientSequence)
    }
}
