import CommandLineKit
import Execution
import Localization
import teahouse

/// A `teahouse ctl tail` at work on a thread of its own.
final class Tail: Sendable {
    private struct State {
        var output = ""
        var code: ExitCode?
    }

    private let state: ConditionLock<State>
    private let thread: Thread

    init(of folder: String) {
        let state = ConditionLock(State())
        let texts = Texts(embedded: .english)
        self.state = state
        self.thread = Thread(name: "tail") {
            let terminal = Terminal(
                texts: { texts($0, $1) }, environment: [:],
                write: { stream, text in
                    state.change { if stream == .output { $0.output += text } }
                    return true
                },
                readLine: { nil })
            let code = runCommandLine(["ctl", "--data", folder, "tail"], root: teahouseCommand, terminal: terminal)
            state.change { $0.code = code }
        }
    }

    func hasPrinted(where ready: (String) -> Bool) -> Bool { self.state.read { ready($0.output) } }

    func wait(until ready: (String) -> Bool) { self.state.wait(until: { ready($0.output) }, then: { _ in }) }

    /// Waits for the command to end.
    func end() -> ExitCode? {
        self.thread.join()
        return self.state.read { $0.code }
    }
}
