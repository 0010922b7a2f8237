import Broker
import ChatModel
import Diagnostics
import Execution
import Store

/// Sends announcements to people, as messages of the system's own account: some at a time, and the next ones only when
/// those are on the disk. What the server could not send because it ended or because the disk was full goes on later;
/// who has the message already does not get it twice, for it has the same client token.
final class Announcer: Sendable {
    private struct State {
        var isAtWork = false
        /// There may be something to send.
        var isWanted = true
    }

    private let store: Store
    private let broker: Broker
    private let log: Log
    private let state = Lock(State())

    init(store: Store, broker: Broker, log: Log) {
        self.store = store
        self.broker = broker
        self.log = log
    }

    /// There is a new one. Any thread.
    func beginAnnouncement() {
        self.state.withLock { $0.isWanted = true }
        self.goOn()
    }

    /// Goes on where it stopped, if it did. Called now and then; any thread.
    func goOn() {
        let isFree = self.state.withLock { state in
            guard state.isWanted && !state.isAtWork else { return false }
            state.isAtWork = true
            state.isWanted = false
            return true
        }
        if isFree { self.next(after: nil) }
    }

    private func next(after done: AnnouncementStep?) {
        self.store.write({ transaction throws(StoreError) in try transaction.announcements.nextStep(after: done) }) {
            result in
            switch result {
            case .success(.some(let step)): self.send(step)
            case .success(.none): self.rest(thenGoOn: false)
            case .failure(let error): self.fail("\(error)")
            }
        }
    }

    private func send(_ step: AnnouncementStep) {
        let content = Self.content(of: step.notice)
        let token = ClientToken(Array("notice-\(step.notice.number)".utf8))
        let left = Lock((count: step.people.count, problem: String?.none))
        for person in step.people {
            self.broker.publish(
                as: .system, authority: .operator, to: .direct(person.name), token: token, content: content
            ) { result in
                let end = left.withLock { left -> (isOver: Bool, problem: String?) in
                    left.count -= 1
                    // A refusal is about this one person, who was deleted meanwhile for example.
                    if case .failed(let error) = result { left.problem = "\(error)" }
                    return (left.count == 0, left.problem)
                }
                guard end.isOver else { return }
                if let problem = end.problem { self.fail(problem) } else { self.next(after: step) }
            }
        }
    }

    private func fail(_ problem: String) {
        self.log.warning("notice_waits", ["problem": .text(problem)])
        self.rest(thenGoOn: true)
    }

    /// - Parameter isToGoOn: the next `goOn` tries again.
    private func rest(thenGoOn isToGoOn: Bool) {
        let isWanted = self.state.withLock { state in
            state.isAtWork = false
            defer { if isToGoOn { state.isWanted = true } }
            return state.isWanted
        }
        // One was made while this one looked for more.
        if isWanted { self.goOn() }
    }

    private static func content(of notice: ChatModel.Announcement) -> MessageContent {
        let text = notice.title.isEmpty ? notice.body : "\(notice.title)\n\(notice.body)"
        return MessageContent(
            kind: .text, flags: [.countsAsUnread, .bodyIsJSONObject], wire: .native,
            body: textBody(text, notice: notice.number))
    }
}
