/// Percent-encoding of paths and queries. Source: RFC 3986 section 2.1; for queries the URL standard's
/// `application/x-www-form-urlencoded`, where `+` is a blank.
package enum PercentDecoding {
    /// - Returns: `nil` for a `%` without two hexadecimal digits, for what is not UTF-8, and for a control character.
    package static func decode(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(ASCII.hexDigit), let low = rest.next().flatMap(ASCII.hexDigit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The segments between the slashes of a path, each decoded by itself, so that an encoded slash stays inside its
    /// segment.
    ///
    /// - Returns: `nil` when one of them cannot be decoded.
    package static func segments(ofPath path: String) -> [String]? {
        var segments: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let segment = Self.decode(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }
}

/// The other way round. Source: RFC 3986 sections 2.1 and 2.3.
package enum PercentEncoding {
    /// A text as one segment of a path, or as a value in a query.
    package static func segment(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case _ where ASCII.isLetter(byte) || ASCII.isDigit(byte), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += byte < 0x10 ? "%0" : "%"
                encoded += String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}

/// The members of a query, in their order: `?uid=u1&limit=20`.
package struct HTTPQuery: Hashable, Sendable {
    /// Most members.
    package static let maximumMembers = 64

    private let members: [Member]

    private struct Member: Hashable {
        let name: String
        let value: String
    }

    /// - Parameter text: what stands behind `?`, as sent; `nil` when nothing does.
    /// - Returns: `nil` when it cannot be decoded or has more than `maximumMembers`.
    package init?(_ text: String?) {
        var members: [Member] = []
        for part in (text ?? "").split(separator: "&") {
            let equals = part.firstIndex(of: "=") ?? part.endIndex
            guard members.count < Self.maximumMembers,
                let name = PercentDecoding.decode(part[..<equals], plusIsBlank: true),
                let value = PercentDecoding.decode(part[equals...].dropFirst(), plusIsBlank: true)
            else { return nil }
            members.append(Member(name: name, value: value))
        }
        self.members = members
    }

    /// The first value of this name.
    package subscript(_ name: String) -> String? { self.members.first { $0.name == name }?.value }

    /// The names, as often as they stand there.
    package var names: [String] { self.members.map(\.name) }

    /// Every value of this name.
    package func all(_ name: String) -> [String] { self.members.filter { $0.name == name }.map(\.value) }
}
