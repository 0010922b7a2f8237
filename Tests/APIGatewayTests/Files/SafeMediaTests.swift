import Testing

@testable import APIGateway

@Suite("What a browser may show in place")
struct SafeMediaTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16]
    static let gif = Array("GIF89a".utf8) + [1, 0, 1, 0]
    static let webp = Array("RIFF\u{10}\u{0}\u{0}\u{0}WEBPVP8 ".utf8)

    static func box(_ brands: String...) -> [UInt8] {
        let size = UInt8(12 + 4 * brands.count)
        return [0, 0, 0, size] + Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 2, 0]
            + brands.dropFirst().flatMap { Array($0.utf8) }
    }

    @Test(
        "who says what they are may be shown",
        arguments: [
            ("image/png", png), ("image/jpeg", jpeg), ("image/gif", gif), ("image/webp", webp),
            ("image/avif", box("avif", "mif1", "miaf")), ("image/avif", box("mif1", "avif")),
            ("video/mp4", box("isom", "iso2", "avc1", "mp41")), ("video/mp4", box("mp42")),
        ])
    func shown(_ type: String, _ sample: [UInt8]) {
        let media = SafeMedia(type: type, isInline: true)
        #expect(SafeMedia.judge(declared: type, sample: sample, isWhole: false) == media)
        #expect(SafeMedia.judge(declared: type.uppercased() + "; x=y", sample: sample, isWhole: false) == media)
        #expect(SafeMedia.judge(declared: "", sample: sample, isWhole: false) == media)
        #expect(SafeMedia.judge(declared: "application/octet-stream", sample: sample, isWhole: false) == media)
    }

    @Test("a type that the bytes deny is none", arguments: ["image/png", "image/webp", "video/mp4", "image/avif"])
    func denied(_ type: String) {
        for sample in [
            Array("<script>".utf8), [], Array("RIFF....AVI ".utf8), Self.box("heic", "mif1", "isom"),
        ] {
            #expect(SafeMedia.judge(declared: type, sample: sample, isWhole: true) == .unknown)
        }
    }

    @Test("a picture is shown as what it is, whatever kind of picture its name or uploader says")
    func mistaken() {
        for type in ["image/png", "image/webp", "image/jpg", "video/mp4"] {
            let media = SafeMedia.judge(declared: type, sample: Self.gif, isWhole: true)
            #expect(media == SafeMedia(type: "image/gif", isInline: true))
        }
    }

    @Test(
        "a malformed type counts as none",
        arguments: ["undefined", "nonsense", "image/png\r\nX: y", "text/html, image/png"])
    func malformed(_ type: String) {
        let media = SafeMedia.judge(declared: type, sample: Self.gif, isWhole: true)
        #expect(media == SafeMedia(type: "image/gif", isInline: true))
        for sample in [Array("<svg onload=alert(1)>".utf8), Array("%PDF-1.7".utf8)] {
            #expect(SafeMedia.judge(declared: type, sample: sample, isWhole: true) == .unknown)
        }
    }

    @Test(
        "pages, scripts, drawings and documents are saved, whatever their bytes",
        arguments: [
            "text/html", "image/svg+xml", "application/pdf", "text/javascript", "application/xhtml+xml", "text/xml",
            "image/bmp", "text/css", "multipart/mixed",
        ])
    func saved(_ type: String) {
        for sample in [Self.gif, Array("<svg onload=alert(1)>".utf8), Array("%PDF-1.7".utf8)] {
            #expect(SafeMedia.judge(declared: type, sample: sample, isWhole: true) == .unknown)
        }
    }

    @Test("without a type only signatures count: text has none")
    func undeclared() {
        #expect(SafeMedia.judge(declared: "", sample: Array("<html>".utf8), isWhole: true) == .unknown)
        #expect(SafeMedia.judge(declared: "", sample: Array("hello".utf8), isWhole: true) == .unknown)
        #expect(SafeMedia.judge(declared: "", sample: [], isWhole: true) == .unknown)
    }

    @Test("plain text is UTF-8 without control characters")
    func text() {
        let text = SafeMedia(type: "text/plain; charset=utf-8", isInline: true)
        let judge: ([UInt8], Bool) -> SafeMedia = {
            SafeMedia.judge(declared: "text/plain; charset=gbk", sample: $0, isWhole: $1)
        }
        let chinese = Array("\u{4F60}\u{597D}".utf8)
        #expect(judge(Array("hello\r\n\tworld \u{1B}[0m".utf8), true) == text)
        #expect(judge(chinese, true) == text)
        #expect(judge([], true) == text)
        for cut in 1...2 {
            #expect(judge(Array(chinese.dropLast(cut)), false) == text)
            #expect(judge(Array(chinese.dropLast(cut)), true) == .unknown)
        }
        #expect(judge([0xC4, 0xE3, 0xBA, 0xC3, 0x41, 0x41, 0x41, 0x41], false) == .unknown)
        #expect(judge(Array("a\u{0}b".utf8), true) == .unknown)
        #expect(judge(Self.gif, true) == .unknown)
    }

    @Test("players are told what they play, and nothing is shown in place")
    func playable() {
        for type in ["audio/amr", "audio/mpeg", "video/webm"] {
            let media = SafeMedia(type: type, isInline: false)
            #expect(SafeMedia.judge(declared: type, sample: [1, 2, 3], isWhole: true) == media)
        }
    }
}
