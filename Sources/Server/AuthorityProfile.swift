import ByteCodec

/// A configuration profile with the server's authority, which iPhones, iPads and Macs install as a whole.
///
/// Source: Apple's "Configuration Profile Reference", payload `com.apple.security.root`.
enum AuthorityProfile {
    static let mediaType = "application/x-apple-aspen-config"

    /// The profile, a property list in XML. The same certificate has the same identifiers, so that a second one takes
    /// the place of the first.
    ///
    /// - Parameters:
    ///   - certificate: in DER form.
    ///   - fingerprint: SHA-256 of it, 32 bytes.
    static func bytes(name: String, certificate: [UInt8], fingerprint: [UInt8]) -> [UInt8] {
        let name = Markup.escaped(name)
        let content = String(decoding: Base64.encode(certificate), as: UTF8.self)
        let (inner, outer) = (Self.uuid(fingerprint[..<16]), Self.uuid(fingerprint[16...]))
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>PayloadType</key><string>Configuration</string>
            <key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>teahouse.authority.\(outer)</string>
            <key>PayloadUUID</key><string>\(outer)</string>
            <key>PayloadDisplayName</key><string>\(name)</string>
            <key>PayloadContent</key><array><dict>
            <key>PayloadType</key><string>com.apple.security.root</string>
            <key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>teahouse.authority.\(inner)</string>
            <key>PayloadUUID</key><string>\(inner)</string>
            <key>PayloadDisplayName</key><string>\(name)</string>
            <key>PayloadCertificateFileName</key><string>teahouse.crt</string>
            <key>PayloadContent</key><data>\(content)</data>
            </dict></array>
            </dict></plist>

            """.utf8)
    }

    /// 16 bytes as a UUID of version 8, whose content is the maker's own. Source: RFC 9562 section 5.8.
    private static func uuid(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = Array(bytes)
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let parts = [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]]
        return parts.map { Hex.encode($0).uppercased() }.joined(separator: "-")
    }
}
