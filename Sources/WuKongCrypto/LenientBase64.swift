import ByteCodec

/// Base64 as WuKongIM's server reads it: line breaks are passed over.
///
/// COMPAT(encoders that break lines): Go's decoder allows it, so an SDK may send it without anybody noticing.
enum LenientBase64 {
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        if let bytes = Base64.decode(text) { return bytes }
        let line = text.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return line.count < text.count ? Base64.decode(line) : nil
    }
}
