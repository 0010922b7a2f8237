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
    private var splitter: BinaryFrameSplitter
    private var version = BinaryVersion.latest
    /// `nil` when OpenSSL refuses the algorithms.
    private let serverKeys: BinaryKeys?
    /// `nil` until the first CONNECT brought the client's half.
    private var keys: SessionKeys?

    /// - Parameters:
    ///   - maximumBytes: of one frame.
    ///   - keys: the server's half; `nil` for an encoding that is off, in which nobody is signed in.
    init(maximumBytes: Int, keys: BinaryKeys?) {
        self.splitter = BinaryFrameSplitter(maximumBytes: maximumBytes)
        self.serverKeys = keys
    }

    var protocolName: String { "wukong-\(self.version.number)" }
    /// The full SDKs fetch history when they need it, over HTTP.
    let sendsMissedMessages = false
    var heldBytes: Int { self.splitter.heldBytes }

    /// Most bytes of a text that a DISCONNECT carries.
    private static let disconnectBytes = 512

    // MARK: Bytes

    /// A WebSocket message is a piece of the stream like any other: the JS SDK puts several frames into one.
    func read(
        _ bytes: UnsafeRawBufferPointer, as kind: InboundKind, isActive: Bool, each: (InboundPiece) -> Void
    ) {
        do throws(BinaryWireError) {
            try self.splitter.append(bytes) { send in
                if isActive { each(.decoded(Self.tooLong(send))) }
                return isActive
            } each: { (frame) throws(BinaryWireError) in
                each(.frame(frame))
            }
        } catch {
            each(.decoded(.broken(error.description)))
        }
    }

    func decodeTooLong(beginning start: UnsafeRawBufferPointer) -> ClientFrame? {
        BinarySendStart(startOf: start).map { Self.tooLong($0) }
    }

    /// A SEND that is too long, and answered: the JS SDK sends what has no answer after every reconnect, for ever.
    private static func tooLong(_ send: BinarySendStart) -> ClientFrame {
        let ticket = SendTicket(clientSequence: send.clientSequence, header: send.header)
        return .unusableSend(.notAllowSend, ticket: ticket.rawValue)
    }

    // MARK: Packets

    func decode(_ frame: UnsafeRawBufferPointer) -> ClientFrame {
        do throws(BinaryWireError) {
            return self.clientFrame(of: try BinaryClientPacket(decoding: frame, version: self.version))
        } catch {
            return .broken(error.description)
        }
    }

    private func clientFrame(of packet: BinaryClientPacket) -> ClientFrame {
        switch packet {
        case .connect(let connect): self.connect(connect)
        case .send(let send): self.message(send)
        case .receiveAcknowledge(let message, _, let header):
            .acknowledge(MessageID(rawValue: message), syncOnce: header.syncOnce)
        case .ping: .ping(nil)
        case .disconnect: .disconnect(nil)
        case .subscribe: .unsupported(nil, "subscriptions are not served")
        }
    }

    /// Agrees on keys with the client; a second CONNECT leaves them as they are.
    private func connect(_ connect: BinaryConnect) -> ClientFrame {
        let parameters = ConnectParameters(
            uid: connect.uid, token: connect.token, deviceID: connect.deviceID, deviceFlag: Int(connect.deviceFlag),
            clientTimestamp: connect.clientTimestamp, version: Int(connect.version))
        guard self.keys == nil else { return .connect(nil, parameters, fault: nil) }
        self.version = BinaryVersion(connect.version)
        return .connect(nil, parameters, fault: self.agreeOnKeys(with: connect.clientKey))
    }

    private func agreeOnKeys(with clientKey: String) -> ConnectFault? {
        guard !clientKey.isEmpty else { return ConnectFault(reason: .clientKeyEmpty, text: "the client sent no key") }
        guard let serverKeys = self.serverKeys else {
            return ConnectFault(reason: .systemError, text: "the binary encoding is off: see the log")
        }
        do throws(WuKongCryptoError) {
            self.keys = try serverKeys.makeSession(with: clientKey)
            return nil
        } catch {
            return ConnectFault(reason: .authFail, text: error.description)
        }
    }

    private func message(_ send: BinarySend) -> ClientFrame {
        let ticket = SendTicket(clientSequence: send.clientSequence, header: send.header).rawValue
        guard let payload = self.payload(of: send) else { return .unusableSend(.payloadDecodeError, ticket: ticket) }
        do throws(PayloadRefusal) {
            let message = ClientMessage(
                channelID: send.channelID, channelType: Int(send.channelType),
                clientToken: ClientToken(Array(send.clientMessageNumber.utf8)),
                content: try Translation.accepted(
                    payload: payload, header: send.header, setting: self.setting(of: send), topic: send.topic,
                    expire: send.expire, from: .user))
            return .send(message, ticket: ticket)
        } catch {
            return .unusableSend(error.reason, ticket: ticket)
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

    // MARK: Frames for the client

    func frame(for reply: ServerReply, with writers: inout ReplyWriters) -> ReplyFrame? {
        switch reply {
        case .connected(_, let timeDifference):
            self.connectAcknowledge(
                .success, serverKey: self.serverKeys?.publicKeyBase64 ?? "", salt: self.keys?.salt ?? "",
                timeDifference, &writers)
        case .connectRefused(_, let reason, _):
            self.connectAcknowledge(reason, serverKey: "", salt: "", 0, &writers)
        case .sent(let receipt, let ticket): self.sendAcknowledge(receipt, SendTicket(rawValue: ticket), &writers)
        case .pong: writers.binary { $0.pong() }
        case .refused: nil
        case .disconnect(let reason, let text):
            writers.binary {
                $0.disconnect(
                    reason, text: String(decoding: text.utf8.prefix(Self.disconnectBytes), as: UTF8.self))
            }
        }
    }

    private func connectAcknowledge(
        _ reason: WuKongReason, serverKey: String, salt: String, _ timeDifference: Int64,
        _ writers: inout ReplyWriters
    ) -> ReplyFrame {
        writers.binary {
            $0.connectAcknowledge(
                version: self.version, timeDifferenceMilliseconds: timeDifference, reason: reason,
                serverKey: serverKey, salt: salt, nodeID: UInt64(WuKongGateway.nodeID))
        }
    }

    private func sendAcknowledge(
        _ receipt: PublishReceipt, _ ticket: SendTicket, _ writers: inout ReplyWriters
    ) -> ReplyFrame {
        writers.binary {
            $0.sendAcknowledge(
                messageID: receipt.messageID, clientSequence: ticket.clientSequence,
                sequence: UInt32(clamping: receipt.sequence), reason: receipt.reason, header: ticket.header)
        }
    }

    func send(isOwn: Bool, isRepeat: Bool, from frames: inout FrameCache, to connection: Connection) {
        guard let keys = self.keys else { return }
        frames.sendBinary(isOwn: isOwn, isRepeat: isRepeat, version: self.version, keys: keys, to: connection)
    }

    func send(_ event: StreamEvent, from events: inout EventCache, to connection: Connection) {
        guard self.version.hasEvents else { return }
        events.sendBinary(event, version: self.version, to: connection)
    }
}

/// The fields of a SEND that its SENDACK repeats, as the number that the broker returns with the outcome.
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
