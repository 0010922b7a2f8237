/// The media type of a file: from what its uploader declared, else from the end of its name, else from its first bytes.
///
/// A type has the form `type/subtype`, with parameters behind it. Anything else counts as none: a storage SDK that knows
/// no type sends the word `undefined`.
///
/// Source: RFC 9110 section 8.3.1 for the form; IANA's registry of media types for the names; LeanCloud's JavaScript SDK,
/// `src/uploader/s3.js`, for `undefined`.
package enum MediaType {
    /// A file of which nothing is known.
    package static let unknown = "application/octet-stream"

    /// Bytes of the longest type that is kept.
    package static let maximumBytes = 127

    /// Bytes at the beginning of a content that are enough for `ofContent`.
    package static let sampleBytes = 512

    /// A declared type as it is kept.
    ///
    /// - Returns: empty for a malformed or too long one, and for one of `meaningless`.
    package static func declared(_ text: String) -> String {
        let trimmed = text.utf8.drop { Self.isBlank($0) }
        let bytes = Array(trimmed.reversed().drop { Self.isBlank($0) }.reversed())
        guard bytes.count <= Self.maximumBytes, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return "" }
        let essence = bytes.prefix { $0 != UInt8(ascii: ";") }.reversed().drop { Self.isBlank($0) }.reversed()
        let parts = Array(essence).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isToken) }) else { return "" }
        let name = String(decoding: Array(essence), as: UTF8.self).lowercased()
        return Self.meaningless.contains(name) ? "" : String(decoding: bytes, as: UTF8.self)
    }

    /// Types that HTTP clients add by themselves and that no file has.
    private static let meaningless: Set<String> = [
        unknown, "binary/octet-stream", "application/x-www-form-urlencoded", "multipart/form-data",
    ]

    /// The best that is known of a file.
    ///
    /// - Parameters:
    ///   - declared: as the uploader sent it; may be malformed.
    ///   - name: of the file.
    ///   - sample: its first bytes, at most `sampleBytes`; empty before there are any.
    /// - Returns: empty when nothing is known.
    package static func resolved(declared: String, name: String, sample: [UInt8] = []) -> String {
        let kept = Self.declared(declared)
        return kept.isEmpty ? Self.ofName(name) ?? Self.ofContent(sample) ?? "" : kept
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Source: RFC 9110 section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    // MARK: The name

    /// By the end of a name, whatever its case.
    package static func ofName(_ name: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let end = parts.last, end.utf8.count <= 8 else { return nil }
        return Self.endings[end.lowercased()]
    }

    private static let endings = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "jpe": "image/jpeg", "jfif": "image/jpeg", "png": "image/png",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "bmp": "image/bmp", "heic": "image/heic",
        "heif": "image/heif", "tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml",
        "ico": "image/vnd.microsoft.icon",
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "3gp": "video/3gpp",
        "mkv": "video/x-matroska", "avi": "video/x-msvideo", "mpeg": "video/mpeg", "mpg": "video/mpeg",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg",
        "opus": "audio/ogg", "wav": "audio/wav", "amr": "audio/AMR", "flac": "audio/flac",
        "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "csv": "text/csv", "html": "text/html",
        "htm": "text/html", "css": "text/css", "js": "text/javascript", "xml": "application/xml",
        "json": "application/json", "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip",
        "7z": "application/x-7z-compressed", "rar": "application/vnd.rar", "tar": "application/x-tar",
        "apk": "application/vnd.android.package-archive", "epub": "application/epub+zip", "rtf": "application/rtf",
        "doc": "application/msword", "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]

    // MARK: The content

    /// By the first bytes.
    package static func ofContent(_ sample: [UInt8]) -> String? {
        if let shown = Self.ofPicture(sample) { return shown }
        for (signature, type) in Self.signatures where sample.starts(with: signature) { return type }
        if sample.starts(with: "RIFF".utf8), sample.dropFirst(8).starts(with: "WAVE".utf8) { return "audio/wav" }
        return nil
    }

    private static let signatures: [([UInt8], String)] = [
        (Array("%PDF-".utf8), "application/pdf"), (Array("ID3".utf8), "audio/mpeg"),
        (Array("OggS\0".utf8), "audio/ogg"), (Array("#!AMR\n".utf8), "audio/AMR"),
        (Array("#!AMR-WB\n".utf8), "audio/AMR-WB"), (Array("fLaC".utf8), "audio/flac"),
        ([0x50, 0x4B, 0x03, 0x04], "application/zip"), ([0x1F, 0x8B, 0x08], "application/gzip"),
    ]

    /// A picture or film that browsers show, by its first bytes.
    ///
    /// Source for the signatures: the WHATWG MIME Sniffing standard, sections 6.1 and 6.2; RFC 9649 (WebP), the AVIF
    /// specification 1.1 section 6 for its brands.
    package static func ofPicture(_ sample: [UInt8]) -> String? {
        if sample.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if sample.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if sample.starts(with: "GIF87a".utf8) || sample.starts(with: "GIF89a".utf8) { return "image/gif" }
        if sample.starts(with: "RIFF".utf8), sample.dropFirst(8).starts(with: "WEBPVP".utf8) { return "image/webp" }
        return Self.ofBrands(sample)
    }

    private static let filmBrands: Set<String> = [
        "avc1", "dash", "iso2", "iso3", "iso4", "iso5", "iso6", "isom", "M4V ", "M4VP", "mmp4", "mp41", "mp42",
    ]

    /// The brands of a file in the ISO base media format: the main one, then the compatible ones.
    ///
    /// Source: ISO/IEC 14496-12 section 4.3, `ftyp`.
    private static func ofBrands(_ sample: [UInt8]) -> String? {
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
}
