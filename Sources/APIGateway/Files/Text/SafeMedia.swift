import ByteCodec
import ChatModel
import Transport

/// Media type under which a browser gets a file, and whether it may show the file.
///
/// A browser that is given a file of a stranger must never run it: pictures, films and plain text that are what they
/// say they are may be shown in place; everything else is saved. A browser is told no type but those named in this file
/// and in `MediaType.ofPicture`.
struct SafeMedia: Hashable {
    /// Value of `Content-Type`.
    var type: String
    /// True when a browser may show it in place.
    var isInline: Bool

    static let unknown = SafeMedia(type: MediaType.unknown, isInline: false)

    /// - Parameters:
    ///   - declared: the type the uploader named, or that of the file's name; a malformed one counts as none.
    ///   - sample: the first bytes of the content, at most `MediaType.sampleBytes`.
    ///   - isWhole: the sample is the whole content.
    static func judge(declared: String, sample: [UInt8], isWhole: Bool) -> SafeMedia {
        let kept = MediaType.resolved(declared: declared, name: "", sample: sample)
        let type = ASCII.lowercased(ASCII.trimmed(kept.split(separator: ";").first ?? ""))
        let seen = MediaType.ofPicture(sample)
        switch type {
        case "": return seen.map { SafeMedia(type: $0, isInline: true) } ?? .unknown
        // A name may be wrong about which kind of picture it is. The bytes are not.
        case "image/jpg", "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "video/mp4":
            return seen.map { SafeMedia(type: $0, isInline: true) } ?? .unknown
        case "text/plain":
            let isText = seen == nil && Self.isText(sample, isWhole: isWhole)
            return isText ? SafeMedia(type: "text/plain; charset=utf-8", isInline: true) : .unknown
        default: return Self.playable.contains(type) ? SafeMedia(type: type, isInline: false) : .unknown
        }
    }

    /// Types that are not shown in place but that a player has to be told: voice messages and films.
    private static let playable: Set<String> = [
        "audio/aac", "audio/amr", "audio/amr-wb", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus",
        "audio/wav", "audio/webm", "audio/x-m4a", "audio/x-wav", "video/3gpp", "video/ogg", "video/quicktime",
        "video/webm", "video/x-matroska",
    ]

    /// UTF-8 without the control characters that no text has. A character may be cut at the sample's end.
    private static func isText(_ sample: [UInt8], isWhole: Bool) -> Bool {
        guard !sample.contains(where: Self.isBinary) else { return false }
        if UTF8Check.isValid(sample) { return true }
        guard !isWhole else { return false }
        return (1...3).contains { cut in cut < sample.count && UTF8Check.isValid(Array(sample.dropLast(cut))) }
    }

    /// Source: WHATWG MIME Sniffing, "binary data byte".
    private static func isBinary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x08, 0x0B, 0x0E...0x1A, 0x1C...0x1F, 0x7F: true
        default: false
        }
    }
}
