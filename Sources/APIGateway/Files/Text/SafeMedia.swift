import ByteCodec
import Transport

/// As what a file is shown, or that it is not shown at all.
///
/// A browser that is given a file of a stranger must never run it: pictures, films and plain text that are what they
/// say they are may be shown in place; everything else is saved. Names of types come from this file only.
///
/// Source for the signatures: the WHATWG MIME Sniffing standard, sections 6.1 and 6.2; RFC 9649 (WebP), the AVIF
/// specification 1.1 section 6 for its brands.
struct SafeMedia: Hashable {
    /// For `Content-Type`.
    var type: String
    /// Whether a browser may show it in place.
    var isInline: Bool

    /// How many bytes of a content are enough to know it.
    static let sampleBytes = 512

    static let unknown = SafeMedia(type: "application/octet-stream", isInline: false)

    /// - Parameters:
    ///   - declared: the type the uploader named; empty when none.
    ///   - sample: the first bytes of the content, at most `sampleBytes`.
    ///   - isWhole: the sample is the whole content.
    static func judge(declared: String, sample: [UInt8], isWhole: Bool) -> SafeMedia {
        let name = ASCII.lowercased(ASCII.trimmed(declared.split(separator: ";").first ?? ""))
        let seen = Self.signature(sample)
        switch name {
        case "", "application/octet-stream":
            return seen.map { SafeMedia(type: $0, isInline: true) } ?? .unknown
        case "image/jpg" where seen == "image/jpeg": return SafeMedia(type: "image/jpeg", isInline: true)
        case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "video/mp4":
            return name == seen ? SafeMedia(type: name, isInline: true) : .unknown
        case "text/plain":
            let isText = seen == nil && Self.isText(sample, isWhole: isWhole)
            return isText ? SafeMedia(type: "text/plain; charset=utf-8", isInline: true) : .unknown
        default: return Self.playable.contains(name) ? SafeMedia(type: name, isInline: false) : .unknown
        }
    }

    /// Types that are not shown in place but that a player has to be told: voice messages and films.
    private static let playable: Set<String> = [
        "audio/aac", "audio/amr", "audio/amr-wb", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus",
        "audio/wav", "audio/webm", "audio/x-m4a", "audio/x-wav", "video/3gpp", "video/ogg", "video/quicktime",
        "video/webm", "video/x-matroska",
    ]

    /// What the first bytes say.
    private static func signature(_ sample: [UInt8]) -> String? {
        if sample.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if sample.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if sample.starts(with: "GIF87a".utf8) || sample.starts(with: "GIF89a".utf8) { return "image/gif" }
        if sample.starts(with: "RIFF".utf8), sample.dropFirst(8).starts(with: "WEBPVP".utf8) { return "image/webp" }
        return Self.brand(sample)
    }

    private static let filmBrands: Set<String> = [
        "avc1", "dash", "iso2", "iso3", "iso4", "iso5", "iso6", "isom", "M4V ", "M4VP", "mmp4", "mp41", "mp42",
    ]

    /// The brands of a file in the ISO base media format: the main one, then the compatible ones.
    ///
    /// Source: ISO/IEC 14496-12 section 4.3, `ftyp`.
    private static func brand(_ sample: [UInt8]) -> String? {
        guard sample.count >= 16, sample[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = sample[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard size >= 16, size % 4 == 0 else { return nil }
        var brands: Set<String> = []
        for start in stride(from: 8, to: min(size, sample.count - 3), by: 4) where start != 12 {
            brands.insert(String(decoding: sample[start..<start + 4], as: UTF8.self))
        }
        if !brands.isDisjoint(with: ["avif", "avis"]) { return "image/avif" }
        // A still picture of the same family, which not every browser shows, is no film.
        if !brands.isDisjoint(with: ["heic", "heix", "mif1", "msf1"]) { return nil }
        return brands.isDisjoint(with: Self.filmBrands) ? nil : "video/mp4"
    }

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
