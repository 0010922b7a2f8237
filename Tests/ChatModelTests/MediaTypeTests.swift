import ChatModel
import Testing

@Suite("What a file is")
struct MediaTypeTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]

    @Test(
        "a type is kept as it was declared",
        arguments: [
            ("image/png", "image/png"), (" text/plain; charset=utf-8 ", "text/plain; charset=utf-8"),
            ("Audio/AMR", "Audio/AMR"), ("application/vnd.x+json", "application/vnd.x+json"),
        ])
    func kept(_ sent: String, _ kept: String) { #expect(MediaType.declared(sent) == kept) }

    @Test(
        "a malformed type, and one that says nothing, counts as none",
        arguments: [
            "", "undefined", "null", "png", "image/", "/png", "image/png/x", "image /png", "image/p ng",
            "image/png, a/b", "image/png\r\nX: y",
            "图片/png", "application/octet-stream", "application/octet-stream; x=y",
            "binary/octet-stream", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
            "a/" + String(repeating: "b", count: 126),
        ])
    func none(_ sent: String) {
        #expect(MediaType.declared(sent) == "")
        #expect(MediaType.resolved(declared: sent, name: "a.png") == "image/png")
        #expect(MediaType.resolved(declared: sent, name: "photo", sample: Self.png) == "image/png")
        #expect(MediaType.resolved(declared: sent, name: "photo") == "")
    }

    @Test("the declared type goes before the name, the name before the bytes")
    func order() {
        #expect(MediaType.resolved(declared: "image/gif", name: "a.jpg", sample: Self.png) == "image/gif")
        #expect(MediaType.resolved(declared: "undefined", name: "a.jpg", sample: Self.png) == "image/jpeg")
        #expect(MediaType.resolved(declared: "undefined", name: "a.b", sample: Self.png) == "image/png")
    }

    @Test(
        "the end of a name counts, whatever its case",
        arguments: [
            ("IMG_1.JPG", "image/jpeg"), ("a.b.webp", "image/webp"), ("说明.pdf", "application/pdf"),
            ("voice.amr", "audio/AMR"),
        ])
    func name(_ name: String, _ type: String) { #expect(MediaType.ofName(name) == type) }

    @Test("a name without a known end says nothing", arguments: ["", "png", "a.", "a.png2", ".", "a.verylongending"])
    func unnamed(_ name: String) { #expect(MediaType.ofName(name) == nil) }

    @Test(
        "documents and recordings have signatures too",
        arguments: [
            ("%PDF-1.7", "application/pdf"), ("ID3\u{3}", "audio/mpeg"), ("#!AMR\n<", "audio/AMR"),
            ("#!AMR-WB\n", "audio/AMR-WB"), ("OggS\u{0}", "audio/ogg"), ("RIFF....WAVEfmt ", "audio/wav"),
            ("PK\u{3}\u{4}", "application/zip"),
        ])
    func content(_ beginning: String, _ type: String) { #expect(MediaType.ofContent(Array(beginning.utf8)) == type) }

    @Test("pages and scripts are never recognized", arguments: ["<html>", "<svg>", "#!/bin/sh"])
    func never(_ beginning: String) { #expect(MediaType.ofContent(Array(beginning.utf8)) == nil) }
}
