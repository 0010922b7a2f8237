import Accounts
import ChatModel
import Execution
import Store
import Transport
import WuKongWire

@testable import Broker
@testable import WuKongGateway

/// A session without a socket: gives it events and reads its actions as short lines of text.
final class SessionProbe {
    var session: WuKongSession
    private var output = SessionOutput()
    /// What it handed to the broker, since the start.
    var publishes: [PublishRequest] { self.output.publishes }
    var now = Instant(nanoseconds: 0)

    init(_ change: (inout WuKongSettings) -> Void = { _ in }) {
        var settings = WuKongSettings()
        change(&settings)
        self.session = WuKongSession(settings: settings)
    }

    /// A session on which romeo is signed in.
    static func active(
        sendsMissedMessages: Bool = false, _ change: (inout WuKongSettings) -> Void = { _ in }
    ) -> SessionProbe {
        let probe = SessionProbe(change)
        _ = probe.receive(.connect(requestID("1"), connectParameters(), fault: nil))
        _ = probe.authenticated(.signedIn(romeo))
        _ = probe.registered(sendsMissedMessages: sendsMissedMessages)
        precondition(probe.session.isActive, "romeo is not signed in")
        return probe
    }

    private func take() -> [String] {
        defer { self.output.actions = [] }
        return self.output.actions.map(line)
    }

    func receive(_ frame: ClientFrame) -> [String] {
        self.session.received(frame, into: &self.output)
        return self.take()
    }

    func authenticated(_ result: SignInResult) -> [String] {
        self.session.authenticated(result, into: &self.output)
        return self.take()
    }

    func registered(isStillValid: Bool = true, sendsMissedMessages: Bool = false) -> [String] {
        self.session.registered(
            SessionID(rawValue: 5), isStillValid: isStillValid, sendsMissedMessages: sendsMissedMessages,
            wallMilliseconds: 1_000, into: &self.output)
        return self.take()
    }

    func holds(_ bytes: Int) -> [String] {
        self.session.holds(bytes, into: &self.output)
        return self.take()
    }

    func published(_ ticket: UInt64, _ outcome: PublishOutcome) -> [String] {
        self.session.published(ticket, outcome, into: &self.output)
        return self.take()
    }

    func offer(_ delivery: Delivery) -> Bool { self.session.offer(delivery, at: self.now) }

    func drained() -> [String] {
        self.session.outboxDrained(at: self.now, into: &self.output)
        return self.take()
    }

    func received(ranges: [MissedRange]?) -> [String] {
        self.session.received(ranges: ranges, at: self.now, into: &self.output)
        return self.take()
    }

    func received(page: [Delivery], isLast: Bool) -> [String] {
        self.session.received(
            page: MissedPage(deliveries: page, isLast: isLast), at: self.now, into: &self.output)
        return self.take()
    }

    func receivedNoPage() -> [String] {
        self.session.received(page: nil, at: self.now, into: &self.output)
        return self.take()
    }

    func overdue() -> [Int64] { self.session.takeOverdue(at: self.now).map(\.message.sequence) }

    func delivered() -> [ConversationID: Int64] {
        var marks: [DeliveredPosition] = []
        self.session.takeDelivered(into: &marks)
        return Dictionary(uniqueKeysWithValues: marks.map { ($0.conversation, $0.sequence) })
    }

    func endedByBroker(_ reason: SessionEndReason) -> [String] {
        self.session.endedByBroker(reason, into: &self.output)
        return self.take()
    }

    func goingAway() -> [String] {
        self.session.goingAway(into: &self.output)
        return self.take()
    }

    func ended(_ end: ConnectionEnd) -> [String] {
        self.session.ended(end, into: &self.output)
        return self.take()
    }
}

/// An action as a test reads it.
private func line(_ action: SessionAction) -> String {
    switch action {
    case .reply(let reply): line(reply)
    case .deliver(let deliveries): "deliver \(deliveries.map(\.message.sequence))"
    case .authenticate(let user, let token, let deviceClass): "authenticate \(user.text) \(token) \(deviceClass)"
    case .register(let identity, let deviceID): "register \(identity.name.text) on '\(deviceID)'"
    case .activate: "activate"
    case .leave(let id, let reason): "leave \(id.rawValue) \(reason.name)"
    case .noteAcknowledging: "note"
    case .acknowledgeCommand(let id, let sequence): "command \(sequence) acted on in \(id.rawValue)"
    case .readRanges(_, let positions, let only):
        "read ranges\(only ? " only" : "") \(positions.map { "\($0.rawValue):\($1)" }.sorted())"
    case .readPage(_, let range): "read page \(range.conversation.rawValue) \(range.after)-\(range.through)"
    case .logRefusal(let parameters, let text): "log refusal of \(parameters.uid): \(text)"
    case .logBroken(let text): "log broken: \(text)"
    case .close(let code, let reason): "close \(code.rawValue) \(reason)"
    }
}

private func line(_ reply: ServerReply) -> String {
    switch reply {
    case .connected(let id, let difference): "connected \(name(id)) \(difference)"
    case .connectRefused(let id, let reason, let text): "connect refused \(name(id)) \(reason): \(text)"
    case .sent(let receipt, let ticket):
        "sent \(ticket) \(receipt.reason) id \(receipt.messageID) sequence \(receipt.sequence)"
    case .pong(let id): "pong \(name(id))"
    case .refused(let id, let code, let text): "refused \(name(id)) \(code.rawValue): \(text)"
    case .disconnect(let reason, let text): "disconnect \(reason): \(text)"
    }
}

/// Which of the ids of these tests it is.
private func name(_ id: WuKongRequestID?) -> String {
    id.map { id in (1...9).map(String.init).first { requestID($0) == id } ?? "?" } ?? "-"
}

let romeo = Identity(
    user: UserID(rawValue: 1), name: UserName("romeo")!, role: .member, deviceClass: .app, level: .primary, epoch: 0)

func requestID(_ text: String) -> WuKongRequestID {
    Array("{\"id\":\(text)}".utf8).withUnsafeBytes { WuKongRequestID(namedIn: $0)! }
}

func connectParameters(_ uid: String = "romeo", deviceFlag: Int = 0, deviceID: String = "phone") -> ConnectParameters {
    ConnectParameters(
        uid: uid, token: "secret", deviceID: deviceID, deviceFlag: deviceFlag, clientTimestamp: 400, version: 5)
}

func clientMessage(to channelID: String = "juliet", type: Int = 1, topic: String? = nil) -> ClientMessage {
    ClientMessage(
        channelID: channelID, channelType: type, clientToken: ClientToken(Array("n1".utf8)),
        content: MessageContent(
            kind: .text, flags: [.countsAsUnread], wire: .wuKong, body: Array("{}".utf8), expireSeconds: 0,
            topic: topic))
}

/// A message of juliet's in conversation 7, or another's.
func delivery(
    _ sequence: Int64, from sender: Int64 = 2, in conversation: Int64 = 7, isCommand: Bool = false
) -> Delivery {
    let content = MessageContent(kind: .text, flags: [.countsAsUnread], wire: .native, body: Array("x".utf8))
    let message = Message(
        conversation: ConversationID(rawValue: conversation), sequence: sequence,
        id: MessageID(rawValue: conversation * 1000 + sequence), sender: UserID(rawValue: sender),
        senderName: UserName("juliet")!, sentAtMilliseconds: 0, clientToken: nil, content: content)
    return Delivery(
        message: message, kind: .group, channel: ChannelName("tea"), peerName: nil, origin: 0, isCommand: isCommand)
}

func range(after: Int64, through: Int64) -> MissedRange {
    MissedRange(
        conversation: ConversationID(rawValue: 7), kind: .group, channel: ChannelName("tea"), peerName: nil,
        after: after, through: through)
}
