package import ChatModel
package import Localization

/// Counts, sizes and times that are the same in every language, and those that are not.
package enum Amounts {
    /// Text of a badge: nothing for 0, the number, `···` above `limit`. Source: ChatKit's badge.
    package static func badge(_ count: Int64, limit: Int64 = 99) -> String {
        if count <= 0 { return "" }
        return count > limit ? "···" : String(count)
    }

    /// A size in units of 1024, with one decimal below ten of a unit: `812 B`, `1.5 KB`, `24 MB`. Rounded down, so that
    /// nothing seems done before it is.
    package static func size(bytes: Int64) -> String {
        let units = ["B", "KB", "MB", "GB", "TB"]
        var unit = 0
        var divisor: Int64 = 1
        let bytes = max(0, bytes)
        while bytes / divisor >= 1024 && unit < units.count - 1 {
            divisor *= 1024
            unit += 1
        }
        let whole = bytes / divisor
        if unit == 0 || whole >= 10 { return "\(whole) \(units[unit])" }
        return "\(whole).\(bytes % divisor * 10 / divisor) \(units[unit])"
    }

    /// A length that plays: `0:07`, `12:00`, `1:02:03`.
    package static func duration(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let tail = twoDigits(seconds % 60)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    /// Text for a transfer's state.
    package static func state(_ state: TransferState, _ texts: Texts) -> String {
        switch state {
        case .waiting: texts("transfer.state.waiting")
        case .progressing: texts("transfer.state.progressing")
        case .suspended: texts("transfer.state.suspended")
        case .succeeded: texts("transfer.state.succeeded")
        case .failed: texts("transfer.state.failed")
        case .cancelled: texts("transfer.state.cancelled")
        }
    }

    /// How long a transfer still takes, rounded up to the unit that matters: seconds, minutes, then hours.
    package static func remaining(seconds: Int64, _ texts: Texts) -> String {
        let seconds = max(1, seconds)
        if seconds < 60 { return texts.counted("transfer.remaining.seconds", seconds) }
        let minutes = seconds / 60 + (seconds % 60 > 0 ? 1 : 0)
        if minutes < 60 { return texts.counted("transfer.remaining.minutes", minutes) }
        return texts.counted("transfer.remaining.hours", minutes / 60 + (minutes % 60 > 0 ? 1 : 0))
    }

    /// A transfer in one line: `3.2 MB of 10 MB, 1.2 MB/s, 6 seconds left`. What is not known is left out.
    package static func progress(
        done: Int64, total: Int64?, bytesPerSecond: Int64, remainingSeconds: Int64?, _ texts: Texts
    ) -> String {
        var parts: [String] = []
        if let total {
            parts.append(
                texts("transfer.progress", ["done": self.size(bytes: done), "total": self.size(bytes: total)]))
        } else {
            parts.append(self.size(bytes: done))
        }
        if bytesPerSecond > 0 { parts.append("\(self.size(bytes: bytesPerSecond))/s") }
        if let remainingSeconds { parts.append(self.remaining(seconds: remainingSeconds, texts)) }
        return parts.joined(separator: texts("text.comma"))
    }
}

func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
