package import AdminAPI
package import CommandLineKit

/// Outcome of a `teahouse ctl` command line that the console ran.
package struct CommandOutcome: Sendable {
    /// Exit code.
    package var code: ExitCode
    /// Lines that it wrote.
    package var lines: [String]
    /// Question that it asked before it changed anything; `nil` when it had none, or went on without.
    package var question: Question?
    /// Changes that it made.
    package var changes: [AdminChange]

    package init(_ code: ExitCode, _ lines: [String], question: Question? = nil, changes: [AdminChange] = []) {
        self.code = code
        self.lines = lines
        self.question = question
        self.changes = changes
    }
}
