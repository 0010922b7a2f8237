import AdminAPI
import ByteCodec
import CLinux
import CommandLineKit
package import Execution
import Glibc

/// Runs a `teahouse ctl` command line somewhere else than on the console's thread.
package typealias CommandRunner = @Sendable (_ words: [String], _ input: [String]) -> CommandOutcome

/// The one thread of the console: takes keys, asks the server, draws. Nothing here waits for an answer.
package final class ConsoleLoop {
    /// Interval at which the clock on the screen moves on without other events, milliseconds.
    private static let tickMilliseconds: Int32 = 1_000
    /// Between two attempts to reach a server that is gone.
    private static let reconnectMilliseconds: Int64 = 1_000

    private struct Ended: Sendable {
        var words: [String]
        var input: [String]
        var outcome: CommandOutcome
    }

    private let canvas: Canvas
    private let clock: Clock
    private let link: ServerLink
    private let historyFile: HistoryFile?
    private let runner: CommandRunner
    private let ended = Mailbox<Ended>()
    private var console: Console
    private var connectAt: Instant
    /// Runs what was typed behind `:`; one at a time.
    private var command: Thread?
    private var isOver = false

    /// Takes the terminal.
    ///
    /// - Parameters:
    ///   - name: what the operator calls themselves, for the audit log.
    ///   - historyPath: file of the lines that were typed; `nil` keeps none.
    ///   - environment: see `NO_COLOR`.
    /// - Returns: `nil` when standard input and output are no terminal that can show it.
    package init?(
        _ console: Console, folder: String, name: String? = nil, theme: Theme = .dark, historyPath: String? = nil,
        environment: [String: String], clock: Clock = .system, runner: @escaping CommandRunner
    ) {
        guard let canvas = Canvas(theme: theme, environment: environment) else { return nil }
        self.canvas = canvas
        self.console = console
        self.historyFile = historyPath.map { HistoryFile(path: $0) }
        if canvas.isFallback { self.console.tellFallback(from: environment["TERM"] ?? "") }
        if let lines = self.historyFile?.read() { self.console.recall(lines) }
        self.clock = clock
        self.link = ServerLink(folder: folder, who: AdminOperator(name: name, source: .console))
        self.runner = runner
        self.connectAt = clock.now()
    }

    /// Returns when the person has had enough, or the terminal is gone.
    package func run() {
        self.canvas.setMouse(true)
        while !self.isOver {
            self.connect()
            self.console.tick(nowMilliseconds: self.clock.wallMilliseconds())
            self.carryOut()
            guard !self.isOver else { return }
            let size = self.canvas.size
            self.canvas.draw(self.console.picture(rows: size.rows, columns: size.columns))
            self.wait()
        }
    }

    private func wait() {
        var entries = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            pollfd(fd: self.ended.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        if let waited = self.link.waited { entries.append(waited) }
        // A resized window interrupts it: then there is a key to take.
        let count = poll(&entries, nfds_t(entries.count), self.tickMillisecondsLeft)
        if count > 0 && Int32(entries[0].revents) & (POLLHUP | POLLERR | POLLNVAL) != 0 { return self.isOver = true }
        self.console.look.nowMilliseconds = self.clock.wallMilliseconds()
        for key in self.canvas.keys(atMilliseconds: self.clock.now().nanoseconds / 1_000_000) {
            self.console.press(key)
            self.carryOut()
        }
        guard count > 0 else { return }
        if entries[1].revents != 0 { self.takeEnded() }
        if entries.count > 2, entries[2].revents != 0 { self.takeNews() }
    }

    /// To the next full second of the clock on the screen.
    private var tickMillisecondsLeft: Int32 {
        let part = Int32(truncatingIfNeeded: self.clock.wallMilliseconds() % Int64(Self.tickMilliseconds))
        return Self.tickMilliseconds - part
    }

    // MARK: The server

    private func connect() {
        guard !self.link.isOpen, self.clock.now() >= self.connectAt else { return }
        self.connectAt = self.clock.now().advanced(byMilliseconds: Self.reconnectMilliseconds)
        do throws(AdminError) {
            try self.link.open()
        } catch {
            self.console.disconnected(error.message)
        }
    }

    private func takeNews() {
        self.link.flush()
        do throws(AdminError) {
            for news in try self.link.receive() {
                switch news {
                case .greeted(let role): self.console.connected(as: role)
                case .reply(let reply): self.console.receive(reply)
                }
            }
        } catch {
            self.link.close()
            self.connectAt = self.clock.now().advanced(byMilliseconds: Self.reconnectMilliseconds)
            self.console.disconnected(error.message)
        }
    }

    // MARK: What the console wants

    private func carryOut() {
        for effect in self.console.takeEffects() {
            switch effect {
            case .ask(let id, let request, let why): self.link.ask(request, id: id, why: why)
            // Answered by the server's loop itself, whatever else it has to do; nothing is followed under this number.
            case .ping(let id): self.link.ask(.stopFollowing(0), id: id, why: nil)
            case .run(let words, let input): self.start(words, input)
            case .copy(let text): self.canvas.copy(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self))
            case .beep: self.canvas.beep()
            case .setMouse(let isOn): self.canvas.setMouse(isOn)
            case .repaint: self.canvas.repaint()
            case .suspend: self.canvas.suspend()
            case .remember(let line): self.historyFile?.append(line)
            case .save(let path, let text): self.console.saved(path, failure: NewFile.write(text, to: path))
            case .quit: self.isOver = true
            }
        }
    }

    /// On a thread of its own: a command may take as long as it likes.
    private func start(_ words: [String], _ input: [String]) {
        let (runner, ended) = (self.runner, self.ended)
        self.command = Thread(name: "console-command") {
            ended.post(Ended(words: words, input: input, outcome: runner(words, input)))
        }
    }

    private func takeEnded() {
        var batch: [Ended] = []
        self.ended.takeMessages(into: &batch)
        self.command?.join()
        self.command = nil
        for command in batch { self.console.ran(command.outcome, words: command.words, input: command.input) }
    }
}
