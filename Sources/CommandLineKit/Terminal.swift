import CLinux
import Glibc

/// Where a command reads and writes: the process's own streams, or what a test gives it.
package final class Terminal: Sendable {
    /// Texts in the language of the person.
    package let texts: TextLookup
    /// The environment variables.
    package let environment: [String: String]
    /// `nil` when what is written goes to a file or a program.
    package let screen: Screen?
    private let write: @Sendable (Stream, String) -> Bool
    private let readLine: @Sendable () -> String?
    private let readSecret: (@Sendable () -> String?)?
    private let reply: (@Sendable (Question) -> Question.Reply)?
    /// Value of the program that runs command lines in its own process, which commands that know its type leave their
    /// news with; `nil` in a shell.
    package let companion: (any Sendable)?
    /// True when a person reads what commands say beside their output, such as how to take a change back.
    package let isAttended: Bool

    /// Standard output or standard error.
    package enum Stream: Sendable { case output, error }

    /// - Parameters:
    ///   - write: false when the stream is broken.
    ///   - readLine: one line of standard input without its end; `nil` at the end.
    ///   - readSecret: one line that a person types and nobody sees, `nil` when they cancel it; `nil` as a whole when
    ///     standard input is no terminal.
    ///   - reply: reply to a question before a change; `nil` when nobody can be asked.
    package init(
        texts: @escaping TextLookup, environment: [String: String],
        screen: Screen? = nil, write: @escaping @Sendable (Stream, String) -> Bool,
        readLine: @escaping @Sendable () -> String?, readSecret: (@Sendable () -> String?)? = nil,
        reply: (@Sendable (Question) -> Question.Reply)? = nil, companion: (any Sendable)? = nil,
        isAttended: Bool = false
    ) {
        self.texts = texts
        self.environment = environment
        self.screen = screen
        self.write = write
        self.readLine = readLine
        self.readSecret = readSecret
        self.reply = reply
        self.companion = companion
        self.isAttended = isAttended
    }

    /// Writes to standard output.
    ///
    /// - Throws: exit code 74 when it cannot be written.
    package func print(_ text: String) throws(CommandFailure) {
        if self.write(.output, text) { return }
        throw CommandFailure(.inputOutput, self.text("failure.output"))
    }

    /// Writes to standard error, as well as it can be.
    package func complain(_ text: String) { _ = self.write(.error, text) }

    /// The next line of standard input, without its end.
    package func nextLine() -> String? { self.readLine() }

    /// True when a person can be asked before a change.
    package var canBeAsked: Bool { self.reply != nil }

    /// Asks before a change.
    package func ask(_ question: Question) -> Question.Reply { self.reply?(question) ?? .nobody }

    /// True when a person sits at standard input and can be asked for a secret.
    package var asksForSecrets: Bool { self.readSecret != nil }

    /// Asks for a line that is not shown while it is typed, on standard error.
    ///
    /// - Returns: `nil` when it was cancelled, or nobody can be asked.
    package func secret(prompt: String) -> String? {
        guard let readSecret = self.readSecret else { return nil }
        self.complain(prompt)
        defer { self.complain("\n") }
        return readSecret()
    }

    /// Text for a key, its places filled with the values.
    package func text(_ key: String, _ values: [String: String] = [:]) -> String { self.texts(key, values) }

    /// The streams of this process.
    package static func process(texts: @escaping TextLookup, environment: [String: String]) -> Terminal {
        let readSecret: @Sendable () -> String? = { SecretInput.line(from: 0) }
        let isAttended = isatty(0) == 1 && isatty(2) == 1
        let reply: @Sendable (Question) -> Question.Reply = { question in
            Self.replyTyped(to: question, texts) { _ = Self.writeAll($0, to: 2) }
        }
        return Terminal(
            texts: texts, environment: environment, screen: Screen.process(environment: environment),
            write: { stream, text in Self.writeAll(text, to: stream == .output ? 1 : 2) },
            readLine: { Swift.readLine(strippingNewline: true) },
            readSecret: isatty(0) == 1 ? readSecret : nil, reply: isAttended ? reply : nil, isAttended: isAttended)
    }

    private static func writeAll(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && clinux_errno() == EINTR { continue }
                if count <= 0 { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }

    /// The environment of this process.
    package static func processEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        // SAFETY: `environ` is read once, before other threads start; nothing here changes the environment.
        var entry = environ
        while let variable = entry.pointee {
            let parts = String(cString: variable).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
