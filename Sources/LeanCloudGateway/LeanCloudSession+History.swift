import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store

/// Requests of a client for the history.
extension LeanCloudSession {
    private enum Page: Sendable {
        /// With the answer as it goes out. Worded where it is read: a page may have a megabyte.
        case messages(ConversationKind, [StandingMessage], answer: [UInt8])
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
        let (answer, subprotocol) = (self.answer(to: command, .logs), self.connection.subprotocol)
        self.services.store.read(for: .person(user)) { transaction throws(StoreError) -> Page in
            guard let conversation = try transaction.standingConversation(address, for: user) else {
                return .notThere
            }
            guard try transaction.conversations.hears(user, in: conversation.id) else { return .notForThem }
            let (kind, messages) = (
                conversation.kind, try transaction.messages.history(in: conversation.id, query, as: .member(user))
            )
            return .messages(
                kind, messages, answer: subprotocol.encode(Self.page(messages, in: kind, cid, in: answer)))
        } then: { result in
            later { $0.answerHistory(command, cid, result) }
        }
    }

    private static func page(
        _ messages: [StandingMessage], in kind: ConversationKind, _ cid: String, in answer: GenericCommand
    ) -> GenericCommand {
        var (answer, logs) = (answer, LogsCommand())
        logs.cid = cid
        logs.logs = messages.map { LeanCloudContent.logItem($0, in: kind) }
        answer.logsMessage = logs
        return answer
    }

    private func answerHistory(
        _ command: GenericCommand, _ cid: String, _ result: Result<Page, StoreError>
    ) {
        switch result {
        // Source: LeanCloud realtime guide, conversations that are gone: sending and asking for the history give 4401.
        case .success(.notThere): self.fail(command, .gone(cid, otherwise: .invalidMessagingTarget))
        case .success(.notForThem): self.fail(command, .conversationLogRejected)
        case .failure(let error):
            self.fail(command, LeanCloudFault(error) { .conversationLogFailed.saying($0.description) })
        case .success(.messages(let kind, let messages, let answer)):
            // Recalled while it was read: seldom, and then it is worded once more.
            guard messages.contains(where: { self.gateway.frames.isWithdrawn($0.message.id) }) else {
                return self.connection.send(frame: answer)
            }
            let standing = messages.map { self.current($0) }
            self.send(Self.page(standing, in: kind, cid, in: self.answer(to: command, .logs)))
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
