import ByteCodec
import LeanCloudQuery

/// One row of a folder that `leancloud pull` wrote, read once. Pure.
struct SourceRow {
    let members: [JSONValue.Member]

    /// Reads a line. Half of a surrogate pair, which old clients have stored, becomes U+FFFD.
    ///
    /// - Throws: why it is no row.
    init(parsing line: [UInt8]) throws(RowProblem) {
        let text = Self.mended(line)
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: text) } catch {
            throw .noJSON("\(error)")
        }
        guard let members = value.object else { throw .noObject }
        self.members = members
    }

    init(_ value: JSONValue) { self.members = value.object ?? [] }

    subscript(name: String) -> JSONValue? {
        guard let value = self.members.last(where: { $0.name == name })?.value, !value.isNull else { return nil }
        return value
    }

    /// Text of a member; `nil` for none, an empty one and `null`.
    func text(_ name: String) throws(RowProblem) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .badMember(name) }
        return text.isEmpty ? nil : text
    }

    func isTrue(_ name: String) -> Bool { self[name]?.boolean ?? false }

    /// A whole number, also as text or with a fraction that is dropped.
    func integer(_ name: String) -> Int64? {
        guard let value = self[name] else { return nil }
        if let integer = value.integer { return integer }
        if let double = value.double { return Int64(exactly: double.rounded(.towardZero)) }
        return value.string.flatMap { Int64($0) }
    }

    /// A date: a text, a value with its type, or milliseconds.
    func date(_ name: String) -> Int64? {
        guard let value = self[name] else { return nil }
        if let text = value.string ?? value["iso"]?.string {
            return (ISOInstant.milliseconds(text) ?? Int64(text)).flatMap(Self.bounded)
        }
        return self.integer(name).flatMap(Self.bounded)
    }

    /// Milliseconds up to the end of the year 9999, which sums of times do not exceed; `nil` for others.
    static func bounded(_ milliseconds: Int64) -> Int64? {
        (0...253_402_300_799_999).contains(milliseconds) ? milliseconds : nil
    }

    /// Texts of a list, without what is no text.
    func texts(_ name: String) -> [String] { self[name]?.array?.compactMap(\.string) ?? [] }

    /// The line with `\uFFFD` for halves of surrogate pairs.
    private static func mended(_ line: [UInt8]) -> [UInt8] {
        var result: [UInt8]?
        var index = 0
        while index + 5 < line.count {
            guard line[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            guard let unit = Self.unit(line, at: index) else {
                index += 2
                continue
            }
            switch unit {
            case 0xD800...0xDBFF:
                if let low = Self.unit(line, at: index + 6), (0xDC00...0xDFFF).contains(low) {
                    index += 12
                    continue
                }
            case 0xDC00...0xDFFF: break
            default:
                index += 6
                continue
            }
            var mended = result ?? line
            mended.replaceSubrange((index + 2)..<(index + 6), with: Array("fffd".utf8))
            result = mended
            index += 6
        }
        return result ?? line
    }

    /// The number of an escape `\uXXXX`.
    private static func unit(_ line: [UInt8], at index: Int) -> UInt32? {
        guard index + 6 <= line.count, line[index] == UInt8(ascii: "\\"), line[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return UInt32(String(decoding: line[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    }
}

/// Why a row of the folder cannot be here.
package enum RowProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case noJSON(String)
    case noObject
    case noID
    /// An id or a name that cannot be one here.
    case badID(String)
    /// A member of another type than it must have.
    case badMember(String)
    case noTime
    case noContent
    case noConversation
    /// Conversation that ends by itself.
    case temporary
    case tooLong(String, Int)

    package var description: String {
        switch self {
        case .noJSON(let why): "it is no JSON: \(why)"
        case .noObject: "it is no JSON object"
        case .noID: "it has no id"
        case .badID(let name): "its \(name) cannot be one here"
        case .badMember(let name): "its \(name) is of another type than it must be"
        case .noTime: "it has no time"
        case .noContent: "it has no content"
        case .noConversation: "it names no conversation"
        case .temporary: "its conversation is a temporary one"
        case .tooLong(let name, let bytes): "its \(name) has \(bytes) bytes, more than fit here"
        }
    }
}
