import ByteCodec
import ChatModel

/// Address of a file at another server, as it is found again: in a message by all of it, in a request by its path. Pure.
package struct FormerAddress: Hashable, Sendable {
    /// Host and all behind it, without the scheme: installed apps have written `http` and `https`.
    package var text: String
    /// Path without percent encoding.
    package var path: String

    /// Reads an address.
    ///
    /// - Returns: `nil` for text that is no web address with a path, or has more than `AppLimits.addressBytes`.
    package init?(_ address: String) {
        let bytes = Array(address.utf8)
        let scheme = ["https://", "http://"].first { bytes.starts(with: $0.utf8) }
        guard let scheme, bytes.count <= AppLimits.addressBytes else { return nil }
        let rest = bytes.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: "#") }
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), slash > rest.startIndex else { return nil }
        let path = rest[slash...].prefix { $0 != UInt8(ascii: "?") }
        guard path.count > 1 else { return nil }
        let host = String(decoding: rest[..<slash], as: UTF8.self).lowercased()
        self.text = host + String(decoding: rest[slash...], as: UTF8.self)
        self.path = Self.decoded(path)
    }

    /// Path of a request, without its percent encoding.
    package static func path(ofRequest path: String) -> String { self.decoded(Array(path.utf8)[...]) }

    /// Text without percent encoding; what is none stays.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
                let byte = Hex.decode(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self))?.first
            {
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
