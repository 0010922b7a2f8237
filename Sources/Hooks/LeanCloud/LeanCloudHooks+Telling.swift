package import Broker
import ByteCodec
import ChatModel
import Execution
import LeanCloudTranslation
import Store

// What the functions are told after it happened.
extension LeanCloudHooks {
    /// Begins to be asked about messages, and to tell. Before the first session, so that everybody's coming is told.
    package func start(with broker: Broker) {
        broker.consult(self)
        broker.listen { events in for event in events { self.tellEvent(event) } }
        // Read and written on the broker's thread alone, as the lock's checks show.
        let online = Lock<[UserID: Int]>([:])
        let wantsMessages = self.wants("_messageSent") || self.wants("_receiversOffline")
        broker.watch(sessionsOnly: !wantsMessages) { events in
            for event in events {
                switch event {
                case .opened(let session):
                    online.withLock { $0[session.user, default: 0] += 1 }
                    self.tellOnline(session)
                case .ended(let session, let reason):
                    online.withLock { people in
                        let left = (people[session.user] ?? 1) - 1
                        people[session.user] = left > 0 ? left : nil
                    }
                    self.tellOffline(session, reason)
                case .accepted(let delivery): self.tellDelivery(delivery, online: online.withLock { Set($0.keys) })
                }
            }
        } then: { _ in
        }
    }

    private func tellFunction(_ function: String, _ members: [(String, JSONValue)]) {
        self.tellNews(News(function: function) { _ throws(StoreError) in JSONValue(hook: members) })
    }

    // MARK: People

    private func tellOnline(_ session: SessionDescription) {
        self.tellFunction(
            "_clientOnline",
            [
                ("peerId", .string(session.userName.text)), ("sourceIP", .sourceIP(session.address)),
                ("tag", session.tag.map { .string($0.name) } ?? .null),
                ("reconnect", .integer(session.isReconnect ? 1 : 0)),
            ])
    }

    private func tellOffline(_ session: SessionDescription, _ reason: SessionEndReason) {
        let code = Self.code(of: reason)
        var members: [(String, JSONValue)] = [
            ("peerId", .string(session.userName.text)), ("closeCode", .integer(code)),
            ("closeMsg", .string(reason.name)), ("tag", session.tag.map { .string($0.name) } ?? .null),
        ]
        // Source: LeanCloud realtime guide, `_clientOffline`: not when the link was lost.
        if code != Self.linkLost { members.append(("sourceIP", .sourceIP(session.address))) }
        self.tellFunction("_clientOffline", members)
    }

    private static let linkLost: Int64 = 2

    /// Source: LeanCloud realtime guide, `_clientOffline`: 1 the person closed, 2 the link was lost, 3 another device with
    /// the tag, 4 by the API.
    private static func code(of reason: SessionEndReason) -> Int64 {
        switch reason {
        case .left: 1
        case .takenOver, .sameDevice: 3
        case .kickedByOperator, .disabled, .signedOut: 4
        case .closedByPeer, .idle, .tooManyRequests, .stalled, .serverStopping, .failed: Self.linkLost
        }
    }

    // MARK: Conversations

    private func tellEvent(_ event: ChangeEvent) {
        guard let place = event.place else { return }
        let conversation = JSONValue.string(LeanCloudNames.conversationID(place.objectID, place.kind))
        let actor = JSONValue.string(event.actor.text)
        switch event.change {
        case .created: self.tellFunction("_conversationStarted", [("convId", conversation)])
        case .joined(let members, _):
            self.tellFunction(
                "_conversationAdded", [("initBy", actor), ("convId", conversation), ("members", .names(members))])
        // Whoever goes, by their own will too. Source: LeanCloud realtime guide, `_conversationRemoved`.
        case .left(let members, _):
            self.tellFunction(
                "_conversationRemoved", [("initBy", actor), ("convId", conversation), ("members", .names(members))])
        case .card, .role, .nickname, .settings, .muted, .unmuted, .blocked, .unblocked, .edited, .recalled,
            .annotated, .read, .receipt, .own, .ended, .person:
            return
        }
    }

    // MARK: Messages

    private func tellDelivery(_ delivery: Delivery, online: Set<UserID>) {
        let message = delivery.message
        self.tellNews(
            News(function: "_messageSent") { transaction throws(StoreError) in
                guard let (members, conversation) = try transaction.people(of: message) else { return nil }
                let here = members.filter { online.contains($0.user) }.map(\.name)
                let away = members.filter { !online.contains($0.user) }.map(\.name)
                return JSONValue(
                    hook: [
                        ("fromPeer", .string(message.senderName.text)),
                        ("convId", .string(LeanCloudNames.conversationID(conversation.objectID, conversation.kind))),
                        ("msgId", .string(LeanCloudContent.id(of: message.id, message.content))),
                        ("onlinePeers", .names(here)), ("offlinePeers", .names(away)),
                        ("timestamp", .integer(message.sentAtMilliseconds)),
                        ("sourceIP", .sourceIP(delivery.address)),
                    ], JSONValue.members(of: message.content, kind: conversation.kind))
            })
        guard !message.content.flags.contains(.transient), delivery.kind != .room else { return }
        self.tellNews(
            News(function: "_receiversOffline") { transaction throws(StoreError) in
                guard let (members, conversation) = try transaction.people(of: message) else { return nil }
                let absent = members.filter { !online.contains($0.user) }
                // It is there for alerts: who wants none of this message is not named.
                let choices = absent.isEmpty ? [:] : try transaction.inbox.alertChoices(in: conversation.id)
                let alerted = Set(try transaction.inbox.alerted(by: message, among: absent.map(\.user), choices))
                let away = absent.filter { alerted.contains($0.user) }.map(\.name)
                guard !away.isEmpty else { return nil }
                let mentions = message.content.mentions
                return JSONValue(
                    hook: [
                        ("fromPeer", .string(message.senderName.text)),
                        ("convId", .string(LeanCloudNames.conversationID(conversation.objectID, conversation.kind))),
                        ("offlinePeers", .names(away)), ("timestamp", .integer(message.sentAtMilliseconds)),
                        ("mentionAll", .boolean(mentions.all)),
                        // Source: LeanCloud realtime guide: all of them are meant then, and none named.
                        ("mentionOfflinePeers", .names(mentions.all ? [] : away.filter(mentions.users.contains))),
                    ], JSONValue.members(of: message.content, kind: conversation.kind))
            })
    }
}

extension ReadTransaction {
    /// The first of those who are shown a message as it is, without its sender.
    fileprivate func people(of message: Message) throws(StoreError) -> (members: [Member], conversation: Conversation)?
    {
        guard let conversation = try self.conversations.one(message.conversation) else { return nil }
        let members = try self.conversations.members(of: conversation.id).filter { $0.user != message.sender }
        let audience = Set(try self.messages.audience(of: message, among: members.map(\.user)))
        let receivers = members.lazy.filter { audience.contains($0.user) }.prefix(LeanCloudHooks.maximumReceivers)
        return (Array(receivers), conversation)
    }
}
