import AdminAPI
import CommandLineKit
import Execution

/// Changes that a command line made, for the console that ran it.
final class ChangeJournal: Sendable {
    private let kept = Lock<[AdminChange]>([])

    /// Changes in their order.
    var changes: [AdminChange] { self.kept.withLock { $0 } }

    func add(_ change: AdminChange) { self.kept.withLock { $0.append(change) } }
}

extension Control {
    /// Asks the person before a change that has consequences.
    ///
    /// - Throws: exit code 1 when they decline, and when nobody can be asked about a change that nothing brings back.
    func agree(to request: AdminRequest) throws(CommandFailure) {
        guard let caution = request.operation.caution, !self.invocation.has("yes"), !self.invocation.has("read-only")
        else { return }
        var question = self.question(caution)
        if self.terminal.canBeAsked, let losers = caution.losers, let count = self.members(of: losers.conversation) {
            let key = count == 1 ? "\(losers.text).one" : "\(losers.text).other"
            question.consequences.append(self.text(key, ["count": String(count)]))
        }
        switch self.terminal.ask(question) {
        case .agreed: return
        case .declined: throw CommandFailure(.refused, self.text("ctl.question.declined"))
        case .nobody:
            guard caution.isFinal else { return }
            let values = ["what": question.title, "consequences": question.consequences.joined(separator: " ")]
            throw CommandFailure(.refused, self.text("ctl.question.nobody", values))
        }
    }

    private func question(_ caution: AdminOperation.Caution) -> Question {
        let names = caution.objects.prefix(3).joined(separator: ", ")
        let more = caution.objects.count - 3
        let objects = more > 0 ? self.text("console.namesMore", ["names": names, "count": String(more)]) : names
        let action = self.text(caution.action)
        return Question(
            objects.isEmpty ? action : "\(action): \(objects)",
            consequences: caution.consequences.map { self.text($0, caution.values) }, typed: caution.typed)
    }

    /// `nil` for a conversation that is not there: the change itself then says so.
    private func members(of conversation: String) -> Int64? {
        let answer = try? self.talk { client throws(AdminError) in try client.ask(.showConversation(conversation)) }
        guard case .conversation(let detail)? = answer else { return nil }
        return detail.conversation.memberCount
    }

    /// Refuses a command that goes on until it is stopped, where nobody can stop it: in the console, which has a screen for
    /// each.
    func refuseEndless() throws(CommandFailure) {
        if self.terminal.companion is ChangeJournal { throw CommandFailure(.usage, self.text("ctl.endless")) }
    }

    /// State that a change is based on; `nil` where nobody wants to know how to take it back.
    func state(before request: AdminRequest) -> AdminAnswer? {
        guard self.terminal.isAttended, !self.invocation.has("read-only"), let basis = request.basis else { return nil }
        return try? self.talk { client throws(AdminError) in try client.ask(basis) }
    }

    /// Tells how a change is taken back: to the console, or to a person at a terminal.
    func tellUndo(_ change: AdminChange) {
        guard self.terminal.isAttended else { return }
        if let journal = self.terminal.companion as? ChangeJournal { return journal.add(change) }
        guard let words = change.undo?.operation.command, change.undo != change.request else { return }
        self.terminal.complain(self.text("ctl.undo", ["line": ShellLine.text(["teahouse", "ctl"] + words)]) + "\n")
    }
}
