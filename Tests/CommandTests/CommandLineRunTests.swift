import CommandLineKit
import Execution
import Glibc
import Testing

@Suite("Running a command line") struct CommandLineRunTests {
    /// What a command wrote.
    private final class Screen: Sendable {
        let written = Lock((output: "", error: ""))

        func terminal(outputWorks: Bool = true) -> Terminal {
            Terminal(
                texts: keysAsTexts, environment: [:],
                write: { stream, text in
                    self.written.withLock { written in
                        if stream == .output { written.output += text } else { written.error += text }
                    }
                    return outputWorks || stream == .error
                }, readLine: { nil })
        }
    }

    @Test("a command that succeeds exits with 0")
    func done() {
        let screen = Screen()
        let root = sampleRoot { invocation, terminal throws(CommandFailure) in
            try terminal.print("hello \(invocation.argument("NAME"))\n")
        }
        #expect(runCommandLine(["user", "add", "romeo"], root: root, terminal: screen.terminal()) == .done)
        #expect(screen.written.withLock { $0.output } == "hello romeo\n")
        #expect(screen.written.withLock { $0.error }.isEmpty)
    }

    @Test("a failure is told on standard error with its code")
    func failed() {
        let screen = Screen()
        let root = sampleRoot { _, _ throws(CommandFailure) in throw CommandFailure(.refused, "no such user") }
        #expect(runCommandLine(["user", "add", "x"], root: root, terminal: screen.terminal()) == .refused)
        #expect(screen.written.withLock { $0.error } == "house: no such user\n")
    }

    @Test("a wrong command line exits with 64 and shows what was typed escaped")
    func usage() {
        let screen = Screen()
        #expect(runCommandLine(["us\u{1B}r"], root: sampleRoot(), terminal: screen.terminal()) == .usage)
        let told = screen.written.withLock { $0.error }
        #expect(told == "house: usage.unknownCommandNearest name=us\\u001br nearest=user usage.see command=house\n")
    }

    @Test("output that cannot be written exits with 74")
    func brokenOutput() {
        let screen = Screen()
        let terminal = screen.terminal(outputWorks: false)
        #expect(runCommandLine(["--help"], root: sampleRoot(), terminal: terminal) == .inputOutput)
    }
}
