import Execution

/// The newest lines of the log, kept in memory for operators. Any thread.
package final class LogHistory: Sendable {
    /// Lines that are kept at most.
    package static let maximumLines = 4_096
    /// Bytes of a line that are kept.
    package static let maximumLineBytes = 1_024

    /// A line of the log.
    package struct Line: Hashable, Sendable {
        /// Number since the start, 1 and up.
        package var number: Int64
        /// UTC milliseconds.
        package var atMilliseconds: Int64
        /// Level of the line.
        package var level: LogLevel
        /// Name of what happened.
        package var event: String
        /// Level, event and fields as logfmt, without the time and the line feed.
        package var text: String
    }

    private struct State {
        var lines: [Line] = []
        /// Place of the oldest line once there is no room.
        var oldest = 0
        var number: Int64 = 0
    }

    private let state = Lock(State())

    package init() {}

    func add(_ level: LogLevel, _ event: String, _ text: String, at milliseconds: Int64) {
        var kept = text.hasSuffix("\n") ? String(text.dropLast()) : text
        if kept.utf8.count > Self.maximumLineBytes {
            kept = String(decoding: kept.utf8.prefix(Self.maximumLineBytes - 6), as: UTF8.self) + "..."
        }
        self.state.withLock { state in
            state.number += 1
            let line = Line(
                number: state.number, atMilliseconds: milliseconds, level: level, event: event, text: kept)
            guard state.lines.count >= Self.maximumLines else { return state.lines.append(line) }
            state.lines[state.oldest] = line
            state.oldest = (state.oldest + 1) % Self.maximumLines
        }
    }

    /// Lines that a condition chooses, the newest `limit` of them in the order in which they came.
    package func lines(limit: Int, where isWanted: (Line) -> Bool) -> [Line] {
        let (lines, oldest) = self.state.withLock { ($0.lines, $0.oldest) }
        let ordered = lines[oldest...] + lines[..<oldest]
        var found: [Line] = []
        for line in ordered.reversed() where isWanted(line) {
            if found.count == limit { break }
            found.append(line)
        }
        return found.reversed()
    }
}
