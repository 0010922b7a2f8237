import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store

/// A message that waits for the broker's answer.
struct LeanCloudPublish {
    /// The request's number; `nil` when no answer is wanted.
    let number: Int32?
    let conversation: String
}

/// Messages that the client sends.
extension LeanCloudSession {
    func direct(_ command: GenericCommand) {
        guard let sessionID = self.sessionID, let direct = command.directMessage,
            let address = direct.cid.flatMap({ LeanCloudNames.address(cid: $0) })
        else {
            return self.refuse(command, .invalidMessagingTarget.saying("a message needs the id of a conversation"))
        }
        if direct.will == true { return self.keepWill(command, direct, to: address, from: sessionID) }
        guard let content = LeanCloudContent.content(of: direct) else {
            return self.refuse(command, .unparseableMessage.saying("a message needs a content"))
        }
        guard self.deliveries.publishes.count < self.services.settings.unansweredMessages else {
            return self.refuse(command, .messageQuotaExceeded)
        }
        self.deliveries.lastTicket += 1
        let ticket = self.deliveries.lastTicket
        self.deliveries.publishes[ticket] = LeanCloudPublish(number: command.i, conversation: direct.cid ?? "")
        var request = PublishRequest(
            session: sessionID, ticket: ticket, address: address,
            clientToken: direct.dt.flatMap { ClientToken(Array($0.utf8)) }, content: content)
        request.priority = Self.priority(command.priority)
        self.gateway.publish(request)
    }

    /// Source: LeanCloud realtime, priorities of messages in chat rooms.
    private static func priority(_ number: Int32?) -> PublishPriority {
        switch number {
        case 1: .high
        case 3: .low
        default: .normal
        }
    }

    /// The last one is kept, and has its id now already.
    private func keepWill(
        _ command: GenericCommand, _ direct: DirectCommand, to address: ConversationAddress, from session: SessionID
    ) {
        var generator = SystemRandomNumberGenerator()
        let id = LeanCloudMessageID(
            high: .random(in: .min ... .max, using: &generator), low: .random(in: .min ... .max, using: &generator)
        ).description
        guard let content = LeanCloudContent.content(of: direct, shownID: id) else {
            return self.refuse(command, .unparseableMessage.saying("a message needs a content"))
        }
        self.will = .kept(
            PublishRequest(session: session, ticket: 0, address: address, clientToken: nil, content: content))
        self.accept(
            LeanCloudPublish(number: command.i, conversation: direct.cid ?? ""), id: id,
            sentAt: self.services.clock.wallMilliseconds())
    }

    // MARK: Answers

    /// The broker's answer to a message of this session.
    func published(_ ticket: UInt64, _ outcome: PublishOutcome) {
        guard let publish = self.deliveries.publishes.removeValue(forKey: ticket) else { return }
        switch outcome {
        case .accepted(let id, let conversation, let sequence, let sentAt, _, let isMasked):
            self.accept(publish, id: LeanCloudNames.messageID(id), sentAt: sentAt)
            if isMasked, sequence > 0 { self.tellMasked(MessagePlace(conversation, sequence)) }
        case .refused(let refusal): self.refuse(publish, LeanCloudFault(refusal, in: publish.conversation))
        case .rateLimited: self.refuse(publish, .messageQuotaExceeded)
        case .busy: self.refuse(publish, .sendTimeout.saying("the server is busy: send again"))
        case .full: self.refuse(publish, .internalError.saying("the server's disk is full"))
        }
    }

    /// Without a code: the SDKs take its presence for a refusal.
    private func accept(_ publish: LeanCloudPublish, id: String, sentAt: Int64) {
        var ack = AckCommand()
        ack.uid = id
        ack.t = sentAt
        self.answerPublish(publish, ack)
    }

    private func refuse(_ publish: LeanCloudPublish, _ fault: LeanCloudFault) {
        // COMPAT(LeanCloud C# 2): older versions look for no code in an acknowledgement and take the message for sent;
        // all of them raise an error.
        if self.sdk == .cSharp {
            var request = GenericCommand()
            request.i = publish.number
            if publish.number != nil { self.fail(request, fault) }
            return
        }
        self.connection.countRefusal()
        var ack = AckCommand()
        ack.code = fault.code
        ack.reason = fault.reason
        ack.appCode = fault.appCode
        ack.appMsg = fault.appMessage
        self.answerPublish(publish, ack)
    }

    private func refuse(_ command: GenericCommand, _ fault: LeanCloudFault) {
        self.refuse(
            LeanCloudPublish(number: command.i, conversation: command.directMessage?.cid ?? ""), fault)
    }

    private func answerPublish(_ publish: LeanCloudPublish, _ ack: AckCommand) {
        guard let number = publish.number else { return }
        var ack = ack
        ack.cid = publish.conversation
        self.connection.send(
            GenericCommand.encoded(
                ack, to: number, peerField: self.peerField, serverMilliseconds: self.services.clock.wallMilliseconds()))
    }

    // MARK: The word list

    /// The word list has changed what this client said: its app shows what the others see. Source: LeanCloud realtime,
    /// messages that were modified by censorship: `patchCode` is the negative of 4408.
    func tellMasked(_ place: MessagePlace) {
        guard self.features.contains(.patchMessages) else { return }
        let later = self.later()
        self.services.store.read(for: .server) { transaction throws(StoreError) -> ChangedPlace? in
            guard let conversation = try transaction.conversations.one(place.conversation),
                let message = try transaction.messages.standing(place, as: .unrestricted)
            else { return nil }
            return ChangedPlace(conversation: conversation, message: message)
        } then: { result in
            guard case .success(let found?) = result else { return }
            later { $0.pushMasked(found) }
        }
    }

    private func pushMasked(_ change: ChangedPlace) {
        var item = LeanCloudContent.patch(change)
        let changed = max(change.message.patchedAtMilliseconds, change.message.message.sentAtMilliseconds)
        let moment = self.deliveries.feed.knownPatchTime(changed)
        item.patchTimestamp = moment
        item.patchCode = Int64(-LeanCloudFault.messageCensored.code)
        item.patchReason = LeanCloudFault.messageCensored.reason
        self.push([item], lastPatchTime: moment)
    }
}
