import CLinux
package import Execution
import Glibc
import Synchronization

/// How much the operator should care.
package enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Each frame.
    case debug
    /// The life of the service or of a session.
    case info
    /// teahouse coped.
    case warning
    /// The operator must act.
    case error

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// Priority of syslog. Source: RFC 5424, section 6.2.1.
    var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .warning: 4
        case .error: 3
        }
    }

    /// Name of the level as the log and the configuration write it.
    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// How a line is written.
package enum LogFormat: Sendable {
    /// `level=info event=started port=7677`
    case logfmt
    /// One JSON object per line.
    case json
}

/// One logged value. There is no case for secrets and message text: they are not logged.
package enum LogValue: Sendable, ExpressibleByIntegerLiteral {
    /// Our own words.
    case text(String)
    /// A name that came from outside: users, channels, addresses. Escaped and cut at 128 bytes.
    case name(String)
    case number(Int64)
    case milliseconds(Int64)
    case bytes(Int64)
    case flag(Bool)

    package init(integerLiteral value: Int64) { self = .number(value) }
}

/// Writes lines to standard error, or where a test wants them. Lines are whole, also from several threads.
package final class Log: Sendable {
    private let least: Atomic<Int>
    private let format: LogFormat
    private let withTime: Bool
    private let withPriority: Bool
    /// The newest lines; `nil` where none are kept.
    package let history: LogHistory?
    private let clock: Clock
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - withTime: false under journald, which adds its own.
    ///   - withPriority: true under journald, which takes a priority from `<4>` before a line. Source: sd-daemon(3).
    ///   - history: keeps the newest lines.
    ///   - write: gets one line with its newline.
    package init(
        level: LogLevel, format: LogFormat = .logfmt, withTime: Bool = true, withPriority: Bool = false,
        clock: Clock = .system, history: LogHistory? = nil,
        write: @escaping @Sendable (String) -> Void = Log.standardError
    ) {
        self.least = Atomic(level.rawValue)
        self.format = format
        self.withTime = withTime
        self.withPriority = withPriority
        self.history = history
        self.clock = clock
        self.write = write
    }

    /// The lowest level that is written.
    package var level: LogLevel { LogLevel(rawValue: self.least.load(ordering: .relaxed)) ?? .info }

    /// Writes from this level on.
    package func setLevel(_ level: LogLevel) { self.least.store(level.rawValue, ordering: .relaxed) }

    /// Drops everything.
    package static let silent = Log(level: .error, write: { _ in })

    /// Writes a line to standard error in one call.
    package static let standardError: @Sendable (String) -> Void = { line in
        var line = line
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(2, rest.baseAddress, rest.count)
                if count < 0 && clinux_errno() == EINTR { continue }
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    /// Logs an event after which the operator must act.
    package func error(_ event: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        self.line(.error, event, fields)
    }

    /// Logs an event that teahouse handled by itself.
    package func warning(_ event: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        self.line(.warning, event, fields)
    }

    /// Logs the start or end of a service or session.
    package func info(_ event: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        self.line(.info, event, fields)
    }

    /// Logs a frame or step; the fields are made only when the level is on.
    package func debug(_ event: String, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]) {
        if self.level <= .debug { self.line(.debug, event, fields()) }
    }

    private func line(_ level: LogLevel, _ event: String, _ fields: KeyValuePairs<String, LogValue>) {
        guard level >= self.level else { return }
        let now = self.clock.wallMilliseconds()
        let time = self.withTime ? now : nil
        if let history = self.history {
            history.add(level, event, LogLine.logfmt(level, event, fields, time: nil), at: now)
        }
        let priority = self.withPriority ? "<\(level.priority)>" : ""
        switch self.format {
        case .logfmt: self.write(priority + LogLine.logfmt(level, event, fields, time: time))
        case .json: self.write(priority + LogLine.json(level, event, fields, time: time))
        }
    }
}
