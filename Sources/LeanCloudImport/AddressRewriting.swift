import ByteCodec
import ChatModel

/// Addresses that stand in texts. Pure.
package enum AddressRewriting {
    /// Text with other addresses in the place of those that are known: of JSON every string that is one, and no name of a
    /// member; of any other text all of it.
    ///
    /// - Parameter find: gives the address in its place; `nil` for one that is not known.
    /// - Returns: `nil` where nothing changes.
    package static func rewrite(_ text: [UInt8], _ find: (String) -> String?) -> [UInt8]? {
        guard Self.mayHaveAddress(text) else { return nil }
        let first = text.first { !Self.isBlank($0) }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            guard text.count <= AppLimits.addressBytes else { return nil }
            return find(String(decoding: text, as: UTF8.self)).map { Array($0.utf8) }
        }
        return Self.rewriteJSON(text, find)
    }

    private static func rewriteJSON(_ text: [UInt8], _ find: (String) -> String?) -> [UInt8]? {
        var result: [UInt8] = []
        var (index, copied) = (0, 0)
        while index < text.count {
            guard text[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let start = index
            guard let end = Self.end(ofString: start, in: text) else { break }
            index = end
            guard text[(start + 1)..<end].starts(with: Self.scheme), end - start <= 2 * AppLimits.addressBytes,
                !Self.isName(text, before: end),
                let address = (try? JSONValue(parsing: Array(text[start..<end])))?.string, let here = find(address)
            else { continue }
            result += text[copied..<start]
            result += JSONValue.string(here).serialized()
            copied = end
        }
        return copied == 0 ? nil : result + text[copied...]
    }

    private static let scheme = Array("http".utf8)

    /// Place behind the closing mark of a string; `nil` for one that has none.
    private static func end(ofString start: Int, in text: [UInt8]) -> Int? {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    private static func isName(_ text: [UInt8], before end: Int) -> Bool {
        text[end...].first { !Self.isBlank($0) } == UInt8(ascii: ":")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func mayHaveAddress(_ text: [UInt8]) -> Bool {
        guard text.count > Self.scheme.count else { return false }
        for index in 0...(text.count - Self.scheme.count) where text[index] == Self.scheme[0] {
            if text[index...].starts(with: Self.scheme) { return true }
        }
        return false
    }
}
