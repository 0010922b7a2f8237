import Transport

/// Writes `Content-Disposition` for a download.
///
/// Source: RFC 6266 section 4 and appendix D (an ASCII name for old programs, the true one beside it); RFC 8187 section
/// 3.2 for the characters that may stand without percent signs.
enum ContentDisposition {
    /// - Parameter name: cleaned; whatever it is, what comes out is one header value.
    static func value(isInline: Bool, name: String) -> String {
        let kind = isInline ? "inline" : "attachment"
        let plain = Self.plain(name)
        guard plain != name else { return "\(kind); filename=\"\(plain)\"" }
        return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(Self.percentEncoded(name))"
    }

    /// Name without quotes, backslashes and percent signs: some programs decode them, others do not.
    private static func plain(_ name: String) -> String {
        var plain = ""
        for character in name {
            guard let byte = character.asciiValue, byte >= 0x20, byte != 0x7F, !"\"\\%/".contains(character) else {
                plain.append("_")
                continue
            }
            plain.append(character)
        }
        return plain
    }

    private static func percentEncoded(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            if Self.isAttributeCharacter(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += byte < 0x10 ? "%0" : "%"
                text += String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// `attr-char`: a token without `*`, `'` and `%`.
    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        ASCII.isTokenCharacter(byte) && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "'")
            && byte != UInt8(ascii: "%")
    }
}
