/// Runs one command line: parses, shows help, or calls the command, and gives the exit code.
package func runCommandLine(_ words: [String], root: Command, terminal: Terminal) -> ExitCode {
    do throws(CommandFailure) {
        switch try parsed(words, root: root, terminal: terminal) {
        case .help(let path): try terminal.print(HelpPage.text(of: path, terminal.texts))
        case .run(let command, let invocation): try command.body?(invocation, terminal)
        }
        return .done
    } catch {
        guard !error.message.isEmpty else { return error.code }
        // Also for a line that could not be read as far as its options.
        let wantsJSON = words.prefix { $0 != "--" }.contains("--json")
        terminal.complain(wantsJSON ? error.json + "\n" : "\(root.name): \(error.message)\n")
        return error.code
    }
}

private func parsed(
    _ words: [String], root: Command, terminal: Terminal
) throws(CommandFailure) -> ParsedCommandLine {
    do throws(UsageError) {
        return try CommandParser.parse(words, root: root)
    } catch {
        throw CommandFailure(.usage, error.message(terminal.texts))
    }
}
