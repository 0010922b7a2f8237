import Glibc

/// Log lines as text.
enum LogLine {
    static func logfmt(
        _ level: LogLevel, _ event: String, _ fields: KeyValuePairs<String, LogValue>, time: Int64?
    ) -> String {
        var line = ""
        if let time { line += "time=\(Self.timestamp(time)) " }
        line += "level=\(level.name) event=\(Self.quotedIfNeeded(event))"
        for (key, value) in fields {
            line += " \(key)="
            switch value {
            case .text(let text): line += Self.quotedIfNeeded(text)
            case .name(let name): line += Self.quotedIfNeeded(Self.cut(name))
            case .number(let number): line += String(number)
            case .milliseconds(let number): line += "\(number)ms"
            case .bytes(let number): line += "\(number)B"
            case .flag(let flag): line += flag ? "true" : "false"
            }
        }
        return line + "\n"
    }

    static func json(
        _ level: LogLevel, _ event: String, _ fields: KeyValuePairs<String, LogValue>, time: Int64?
    ) -> String {
        var line = "{"
        if let time { line += "\"time\":\"\(Self.timestamp(time))\"," }
        line += "\"level\":\"\(level.name)\",\"event\":\(Self.quoted(event))"
        for (key, value) in fields {
            line += ",\(Self.quoted(key)):"
            switch value {
            case .text(let text): line += Self.quoted(text)
            case .name(let name): line += Self.quoted(Self.cut(name))
            case .number(let number), .milliseconds(let number), .bytes(let number): line += String(number)
            case .flag(let flag): line += flag ? "true" : "false"
            }
        }
        return line + "}\n"
    }

    /// RFC 3339 in UTC with milliseconds.
    static func timestamp(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let year = Self.padded(Int64(parts.tm_year) + 1900, 4)
        let day = "\(year)-\(Self.padded(Int64(parts.tm_mon) + 1, 2))-\(Self.padded(Int64(parts.tm_mday), 2))"
        let hour = "\(Self.padded(Int64(parts.tm_hour), 2)):\(Self.padded(Int64(parts.tm_min), 2))"
        return "\(day)T\(hour):\(Self.padded(Int64(parts.tm_sec), 2)).\(Self.padded(milliseconds % 1000, 3))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func cut(_ name: String) -> String {
        guard name.utf8.count > 128 else { return name }
        return String(decoding: name.utf8.prefix(125), as: UTF8.self) + "..."
    }

    private static func quotedIfNeeded(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=") && byte != UInt8(ascii: "\\")
                && byte < 0x7F
        }
        return isPlain && !text.isEmpty ? text : Self.quoted(text)
    }

    /// A JSON string. Control characters, also C1 and the bidirectional ones, are escaped: a log is read on terminals.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0x0A: quoted += "\\n"
            case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
