import AdminAPI
import Broker
import ChatModel
import Profiles

/// Something that happened, as those who follow are told; worded once, and only when somebody wants it.
final class Announcement {
    private let happened: WatchEvent
    private let kinds: MessageKinds
    private let profiles: Profiles?
    private(set) lazy var event = self.worded

    /// - Parameter profiles: names that people see, as far as they are in memory; `nil` for none.
    init(_ happened: WatchEvent, kinds: MessageKinds, profiles: Profiles?) {
        self.happened = happened
        self.kinds = kinds
        self.profiles = profiles
    }

    func concerns(_ follow: Follow) -> Bool {
        switch self.happened {
        case .accepted(let delivery):
            follow.conversation == nil || follow.conversation == delivery.message.conversation.rawValue
        case .opened, .ended: follow.withSessions
        }
    }

    private var worded: AdminEvent {
        switch self.happened {
        case .accepted(let delivery):
            var message = AdminMessage(delivery, kinds: self.kinds)
            message.senderName = self.name(of: delivery.message.senderName)
            if delivery.channel != nil {
                message.conversationTitle = self.profiles?.info(team: delivery.message.conversation).title
            } else if let peer = delivery.peerName, message.senderName != nil || self.name(of: peer) != nil {
                let names = [message.senderName ?? message.sender, self.name(of: peer) ?? peer.text]
                let isInOrder = message.conversationName.hasPrefix(message.sender + ",")
                message.conversationTitle = (isInOrder ? names : names.reversed()).joined(separator: ", ")
            }
            return .message(message)
        case .opened(let session): return .opened(self.named(session))
        case .ended(let session, let reason): return .ended(self.named(session), reason: reason.name)
        }
    }

    private func named(_ description: SessionDescription) -> AdminSession {
        var session = AdminSession(description)
        session.displayName = self.name(of: description.userName)
        return session
    }

    /// Name that people see, where it is in memory: nobody is asked for every message.
    private func name(of user: UserName) -> String? { self.profiles?.cached(user)?.displayName }
}

extension AdminSession {
    /// - Parameter measure: what its gateway knows of it, when that was asked.
    init(_ session: SessionDescription, _ measure: SessionMeasure? = nil) {
        self.init(
            id: Int64(bitPattern: session.id.rawValue), user: session.userName, device: session.deviceClass,
            level: session.deviceLevel, deviceID: session.deviceID, protocolName: session.protocolName,
            address: session.address, isEncrypted: session.isEncrypted,
            openedAtMilliseconds: session.openedAtMilliseconds, activeAtMilliseconds: measure?.activeAtMilliseconds,
            queuedBytes: measure.map { Int64($0.queuedBytes) },
            unacknowledged: measure.map { Int64($0.unacknowledged) }, tag: session.tag?.name)
    }
}

extension AdminMessage {
    init(_ delivery: Delivery, kinds: MessageKinds) {
        let peer = delivery.peerName?.text ?? ""
        let name = delivery.channel?.text ?? directName(delivery.message.senderName.text, peer)
        self.init(delivery.message, conversationName: name, kinds: kinds)
    }

    /// A message as people see it now.
    init(_ message: Message, _ extra: MessageExtra?, conversationName: String, kinds: MessageKinds) {
        self.init(extra.flatMap(message.edited) ?? message, conversationName: conversationName, kinds: kinds)
        self.editCount = Int64(extra?.editCount ?? 0)
        self.isWithdrawn = extra.map { $0.isRecalled || $0.isDeletedForAll } ?? false
    }

    /// - Parameter kinds: what is known of apps' own kinds.
    init(_ message: Message, conversationName: String, kinds: MessageKinds) {
        let (text, isCut) = shownText(of: message.content)
        self.init(
            conversation: message.conversation.rawValue, conversationName: conversationName,
            sequence: message.sequence, id: message.id, sender: message.senderName.text,
            sentAtMilliseconds: message.sentAtMilliseconds, kind: message.content.kind, text: text, isCut: isCut,
            sketch: shownSketch(of: message.content, kinds: kinds))
        guard message.content.flags.contains(.restricted) else { return }
        let names = message.content.envelope?.visibleTo ?? []
        self.visibleTo = names.prefix(Self.maximumAudience).map(\.text)
        self.visibleCount = Int64(names.count)
    }
}

/// The name of a direct conversation: both people, in the order of their bytes.
func directName(_ one: String, _ other: String) -> String {
    one.utf8.lexicographicallyPrecedes(other.utf8) ? "\(one),\(other)" : "\(other),\(one)"
}
