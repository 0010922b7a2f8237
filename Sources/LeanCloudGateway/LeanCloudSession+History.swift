import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store

/// Requests of a client for the history.
extension LeanCloudSession {
    private enum Page: Sendable {
        case messages(ConversationKind, [StandingMessage])
        case notThere
        case notForThem
    }

    func logs(_ command: GenericCommand) {
        guard let user = self.identity?.user, let logs = command.logsMessage, let cid = logs.cid,
            let address = LeanCloudNames.address(cid: cid)
        else { return self.fail(command, .conversationNotFound) }
        guard LeanCloudContent.isPage(logs) else {
            return self.fail(
                command, .conversationLogFailed.saying("the limit is 0 to \(LeanCloudContent.largestPage)"))
        }
        let (query, later) = (LeanCloudContent.query(logs), self.later())
        self.services.store.read(for: .person(user)) { transaction throws(StoreError) -> Page in
            guard let conversation = try transaction.standingConversation(address, for: user) else {
                return .notThere
            }
            guard try transaction.hears(user, in: conversation.id) else { return .notForThem }
            return .messages(
                conversation.kind, try transaction.history(in: conversation.id, query, as: .member(user)))
        } then: { result in
            later { $0.answerHistory(command, cid, query, result) }
        }
    }

    private func answerHistory(
        _ command: GenericCommand, _ cid: String, _ query: HistoryQuery, _ result: Result<Page, StoreError>
    ) {
        switch result {
        // Source: LeanCloud realtime guide, conversations that are gone: sending and asking for the history give 4401.
        case .success(.notThere): self.fail(command, .gone(cid, otherwise: .invalidMessagingTarget))
        case .success(.notForThem): self.fail(command, .conversationLogRejected)
        case .failure(let error):
            self.fail(command, LeanCloudFault(error) { .conversationLogFailed.saying($0.description) })
        case .success(.messages(let kind, let messages)):
            var answer = self.answer(to: command, .logs)
            var logs = LogsCommand()
            logs.cid = cid
            logs.logs = messages.map { LeanCloudContent.logItem(self.current($0), in: kind) }
            answer.logsMessage = logs
            self.send(answer)
        }
    }

    /// Message as it stands now: one that was recalled while it was read goes out without its body.
    func current(_ standing: StandingMessage) -> StandingMessage {
        guard self.gateway.frames.isWithdrawn(standing.message.id) else { return standing }
        var standing = standing
        standing.message = standing.message.withdrawn
        return standing
    }
}
