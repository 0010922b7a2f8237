import Broker
import ByteCodec
import ChatModel
import Transport
import WuKongTranslation
import WuKongWire

/// WuKongIM's JSON encoding, as spoken by the easy SDKs. Source: WuKongIM JSON-RPC protocol.
final class JSONCodec: SessionCodec {
    private let maximumBytes: Int
    private var splitter: JSONStreamSplitter
    /// Requests whose messages wait for their outcome, by ticket.
    private var unanswered: [UInt64: (id: WuKongRequestID, header: WuKongHeader)] = [:]
    private var lastTicket: UInt64 = 0

    /// - Parameter maximumBytes: of one object.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        self.splitter = JSONStreamSplitter(maximumBytes: maximumBytes)
    }

    let protocolName = "wukong-json"
    let sendsMissedMessages = true
    var heldBytes: Int { self.splitter.heldBytes }

    // MARK: Bytes

    func read(
        _ bytes: UnsafeRawBufferPointer, as kind: InboundKind, isActive: Bool, each: (InboundPiece) -> Void
    ) {
        if kind == .text, isActive, let id = CompactAcknowledgement.messageID(in: bytes) {
            return each(.decoded(.acknowledge(MessageID(rawValue: id), syncOnce: true)))
        }
        do throws(JSONError) {
            try self.splitter.append(bytes) { object in each(.frame(object)) }
            guard kind != .stream, self.splitter.heldBytes > 0 else { return }
            each(.decoded(self.malformed("the message ends inside an object", bytes, kind)))
        } catch {
            each(.decoded(self.malformed("not a JSON object: \(error)", bytes, kind)))
        }
    }

    /// Forgets an incomplete object. A WebSocket message that is no JSON is answered and forgotten; in a stream nobody
    /// knows where the next object begins.
    private func malformed(_ text: String, _ bytes: UnsafeRawBufferPointer, _ kind: InboundKind) -> ClientFrame {
        self.splitter = JSONStreamSplitter(maximumBytes: self.maximumBytes)
        return .malformed(WuKongRequestID(namedIn: bytes), text, endsStream: kind == .stream)
    }

    func decodeTooLong(beginning start: UnsafeRawBufferPointer) -> ClientFrame? {
        guard let id = WuKongRequestID(namedIn: start) else { return nil }
        let text = "the request is longer than \(self.maximumBytes) bytes"
        return .invalid(WuKongRequestError(id: id, code: .invalidRequest, message: text))
    }

    // MARK: Requests

    func decode(_ frame: UnsafeRawBufferPointer) -> ClientFrame {
        do throws(WuKongRequestError) {
            return self.clientFrame(of: try WuKongRequest(decoding: frame))
        } catch {
            return .invalid(error)
        }
    }

    private func clientFrame(of request: WuKongRequest) -> ClientFrame {
        switch request {
        case .connect(let id, let parameters): .connect(id, parameters, fault: nil)
        case .send(let id, let parameters): self.message(id, parameters)
        // The easy SDKs repeat the flags of the message they acknowledge, so these need not be looked at.
        case .receiveAcknowledge(let message): .acknowledge(MessageID(rawValue: message), syncOnce: true)
        case .ping(let id): .ping(id)
        case .disconnect(let id): .disconnect(id)
        case .subscribe(let id), .unsubscribe(let id):
            .unsupported(id, "subscriptions are not served: a member gets every message of a channel")
        case .unknown(let id, let method): .unsupported(id, "there is no method \(method)")
        }
    }

    private func message(_ id: WuKongRequestID, _ parameters: SendParameters) -> ClientFrame {
        self.lastTicket += 1
        self.unanswered[self.lastTicket] = (id, parameters.header)
        do throws(PayloadRefusal) {
            let message = ClientMessage(
                channelID: parameters.channelID, channelType: parameters.channelType,
                clientToken: ClientToken(Array(parameters.clientMessageNumber.utf8)),
                content: try Translation.accepted(parameters))
            return .send(message, ticket: self.lastTicket)
        } catch {
            return .unusableSend(error.reason, ticket: self.lastTicket)
        }
    }

    // MARK: Frames for the client

    func frame(for reply: ServerReply, with writers: inout ReplyWriters) -> ReplyFrame? {
        switch reply {
        case .connected(let id?, let timeDifference):
            writers.text {
                $0.connectResult(id: id, timeDifference: timeDifference, nodeID: WuKongGateway.nodeID)
            }
        // An error object, which both easy SDKs understand: one of them takes any result for a success.
        case .connectRefused(let id?, let reason, let text):
            writers.text { $0.connectFailure(id: id, reason: reason, message: text) }
        case .sent(let receipt, let ticket): self.sendResult(receipt, ticket, &writers)
        case .pong(let id?): writers.text { $0.pong(to: id) }
        case .refused(let id, let code, let text): writers.text { $0.error(id: id, code: code, message: text) }
        case .disconnect(let reason, let text): writers.text { $0.disconnect(reason: reason, text: text) }
        case .connected(nil, _), .connectRefused(nil, _, _), .pong(nil): nil
        }
    }

    private func sendResult(
        _ receipt: PublishReceipt, _ ticket: UInt64, _ writers: inout ReplyWriters
    ) -> ReplyFrame? {
        guard let (id, header) = self.unanswered.removeValue(forKey: ticket) else { return nil }
        return writers.text {
            $0.sendResult(
                id: id, messageID: receipt.messageID, sequence: receipt.sequence, reason: receipt.reason,
                header: header)
        }
    }

    func send(isOwn: Bool, isRepeat: Bool, from frames: inout FrameCache, to connection: Connection) {
        frames.sendJSON(isOwn: isOwn, isRepeat: isRepeat, to: connection)
    }

    func send(_ event: StreamEvent, from events: inout EventCache, to connection: Connection) {
        events.sendJSON(event, to: connection)
    }
}
