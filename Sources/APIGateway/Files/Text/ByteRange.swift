import Transport

/// Range that a `Range` field asks for.
///
/// Source: RFC 9110 sections 14.1 and 14.2. A server may ignore a Range it does not like; here that is every one with
/// several ranges, however many they are, and every one that is not well formed.
enum ByteRange: Hashable {
    /// The bytes `offsets` of the content, never empty.
    case part(Range<Int64>)
    /// Nothing of the content lies in the range: 416.
    case unsatisfiable
    /// Ignores the field.
    case ignored

    /// - Parameters:
    ///   - field: the value.
    ///   - size: of the content, in bytes.
    static func read(_ field: String, size: Int64) -> ByteRange {
        let text = ASCII.trimmed(field)
        guard ASCII.lowercased(text.prefix(6)) == "bytes=" else { return .ignored }
        let parts = ASCII.trimmed(text.dropFirst(6)).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return .ignored }
        switch (Self.number(parts[0]), Self.number(parts[1])) {
        case (.number(let first), .number(let last)):
            guard first <= last else { return .ignored }
            return first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        case (.number(let first), .absent): return first < size ? .part(first..<size) : .unsatisfiable
        case (.absent, .number(let count)):
            return count > 0 && size > 0 ? .part(size - min(count, size)..<size) : .unsatisfiable
        case (.wrong, _), (_, .wrong), (.absent, .absent): return .ignored
        }
    }

    private enum Bound {
        case absent
        case number(Int64)
        case wrong
    }

    /// Digits; more of them than a number has stand for a number beyond every content.
    private static func number(_ text: Substring) -> Bound {
        guard !text.isEmpty else { return .absent }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .wrong }
        return .number(Int64(text) ?? .max)
    }
}
