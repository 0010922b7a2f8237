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
    private let clock: Clock
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - withTime: false under journald, which adds its own.
    ///   - write: gets one line with its newline.
    package init(
        level: LogLevel, format: LogFormat = .logfmt, withTime: Bool = true, clock: Clock = .system,
        write: @escaping @Sendable (String) -> Void = Log.standardError
    ) {
        self.least = Atomic(level.rawValue)
        self.format = format
        self.withTime = withTime
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
        let time = self.withTime ? self.clock.wallMilliseconds() : nil
        switch self.format {
        case .logfmt: self.write(LogLine.logfmt(level, event, fields, time: time))
        case .json: self.write(LogLine.json(level, event, fields, time: time))
        }
    }
}
