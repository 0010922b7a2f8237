import ChatModel
import Store

/// Asking for channels that are not known here.
extension BrokerCore {
    /// Hands a message to the writer, or has it wait behind others to a channel that is asked for.
    func pass(_ append: Append) {
        guard self.channelSource != nil else { return self.send(append) }
        switch self.sourcing.passes(append) {
        case .goOn: self.send(append)
        case .wait: break
        case .busy: self.settle(AppendOutcome(ticket: append.ticket, result: .failed(.busy)))
        }
    }

    func received(_ outcome: AppendOutcome) {
        guard let source = self.channelSource, outcome.ticket != Append.unasked else { return self.settle(outcome) }
        guard case .refused(.noSuchConversation) = outcome.result else {
            self.sourcing.settled(ticket: outcome.ticket)
            return self.settle(outcome)
        }
        switch self.sourcing.refused(ticket: outcome.ticket, at: self.clock.now()) {
        case .refuse: self.settle(outcome)
        case .wait: break
        case .busy: self.settle(AppendOutcome(ticket: outcome.ticket, result: .failed(.busy)))
        case .ask(let kind, let name): source(kind, name)
        }
    }

    /// A channel was asked for: what waited for it goes on, or is refused as before.
    func answered(_ kind: ConversationKind, _ name: ChannelName, isThere: Bool) {
        for append in self.sourcing.answered(kind, name, isThere: isThere, at: self.clock.now()) {
            if isThere {
                self.send(append)
            } else {
                self.settle(AppendOutcome(ticket: append.ticket, result: .refused(.noSuchConversation)))
            }
        }
    }
}
