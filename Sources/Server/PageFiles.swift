import ByteCodec
import CAssets
import CZlib
import Transport

/// Files of the page in the browser, as they are sent: from `assets/page`, inside the binary, compressed once.
///
/// The address of each file holds `version`, which changes with any of them: browsers keep them for a year, and what
/// belongs together comes together. Only the first one, at `/`, is asked for each time.
struct PageFiles: Sendable {
    /// One file in both codings.
    struct File: Sendable {
        /// Value of `Content-Type`.
        var mediaType: String
        var plain: [UInt8]
        /// `nil` when compressing does not make it smaller.
        var gzip: [UInt8]?
    }

    /// The files that this binary carries; made at the first use, within some milliseconds.
    static let embedded = PageFiles(contents: Self.carried())
    /// Text in `index.html` that stands for `version`.
    static let placeholder = "@version@"
    /// Text in `worker.js` that stands for the names of the files, with spaces between.
    static let namesPlaceholder = "@files@"
    /// Name of the file that is served at `/`.
    static let firstName = "index.html"
    /// Name of the service worker.
    static let workerName = "worker.js"

    /// Sixteen hexadecimal digits.
    let version: String
    /// By name, all but the first and the worker.
    let files: [String: File]
    /// The file at `/`, with the version in it.
    let first: File
    /// The service worker, with the version and the names in it: another version is another worker.
    let worker: File

    init(contents: [(name: String, bytes: [UInt8])]) {
        let contents = contents.map { file in
            guard Self.isText(file.name) else { return file }
            let bare = Self.bare(file.bytes)
            return (name: file.name, bytes: file.name.hasSuffix(".css") ? Self.tight(bare) : bare)
        }
        let hash = contents.reduce(UInt64(0)) { hash, file in
            StableHash.xxh64(file.bytes, seed: StableHash.xxh64(file.name, seed: hash))
        }
        let hex = String(hash, radix: 16)
        let version = String(repeating: "0", count: 16 - hex.utf8.count) + hex
        var files: [String: File] = [:]
        for (name, bytes) in contents where name != Self.firstName && name != Self.workerName {
            files[name] = File(mediaType: Self.mediaType(name), bytes: bytes)
        }
        let names = files.keys.sorted().joined(separator: " ")
        let filled = { (name: String) -> File in
            let text = contents.first { $0.name == name }?.bytes ?? []
            let withVersion = Self.replacing(Array(Self.placeholder.utf8), by: Array(version.utf8), in: text)
            return File(
                mediaType: Self.mediaType(name),
                bytes: Self.replacing(Array(Self.namesPlaceholder.utf8), by: Array(names.utf8), in: withVersion))
        }
        self.version = version
        self.files = files
        self.first = filled(Self.firstName)
        self.worker = filled(Self.workerName)
    }

    /// True for scripts, the stylesheet and texts, whose indentation means nothing.
    private static func isText(_ name: String) -> Bool {
        name.hasSuffix(".js") || name.hasSuffix(".css") || name.hasSuffix(".json")
    }

    /// A script, stylesheet or JSON without its indentation and without the comments that have a line of their own: a twelfth of what is
    /// sent. Lines keep their numbers. A test holds that no text of a script goes over the end of a line.
    static func bare(_ script: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(script.count)
        for line in script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            let isComment =
                text.starts(with: "//".utf8)
                || (text.starts(with: "/*".utf8) && text.suffix(2).elementsEqual("*/".utf8))
            if !isComment { result += text }
            result.append(UInt8(ascii: "\n"))
        }
        // As many ends of lines as there were.
        result.removeLast()
        return result
    }

    /// A stylesheet without the spaces that mean nothing: after a colon, comma, semicolon or brace, and before a brace. No text of it may
    /// hold one of them.
    static func tight(_ style: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(style.count)
        for (index, byte) in style.enumerated() {
            let next = index + 1 < style.count ? style[index + 1] : 0
            let isIdle = result.last.map("{};:,\n".utf8.contains) ?? true || "{}".utf8.contains(next)
            if byte != UInt8(ascii: " ") || !isIdle { result.append(byte) }
        }
        return result
    }

    private static func carried() -> [(name: String, bytes: [UInt8])] {
        (0..<cassets_page_count()).map { index in
            var count = 0
            let start = cassets_page_content(index, &count)
            // SAFETY: the bytes are constants of the binary.
            return (
                String(cString: cassets_page_name(index)), Array(UnsafeRawBufferPointer(start: start, count: count))
            )
        }
    }

    private static func mediaType(_ name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webmanifest": "application/manifest+json"
        default: preconditionFailure("\(name) has an ending without a media type")
        }
    }

    private static func replacing(_ pattern: [UInt8], by text: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var rest = bytes[...]
        while let byte = rest.first {
            if rest.starts(with: pattern) {
                result += text
                rest = rest.dropFirst(pattern.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}

extension PageFiles.File {
    init(mediaType: String, bytes: [UInt8]) {
        let gzip = Self.gzip(bytes)
        self.init(mediaType: mediaType, plain: bytes, gzip: gzip.count < bytes.count ? gzip : nil)
    }

    /// One gzip member with the greatest effort. Source: RFC 1952 section 2.3.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard czlib_deflate_raw(stream, Z_BEST_COMPRESSION) == Z_OK else { preconditionFailure("zlib has no memory") }
        defer { deflateEnd(stream) }
        let bound = Int(deflateBound(stream, UInt(bytes.count)))
        let body = [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            bytes.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(bound)
                precondition(deflate(stream, Z_FINISH) == Z_STREAM_END)
                count = bound - Int(stream.pointee.avail_out)
            }
        }
        let checksum = UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF] + body + Self.littleEndian(checksum)
            + Self.littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
