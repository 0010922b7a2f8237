import Testing

@testable import APIGateway

@Suite("A form that brings one file")
struct FormBodyTests {
    static let type = "multipart/form-data; boundary=b0"

    /// Every action, and the content of the file in one.
    static func read(
        _ text: String, pieces size: Int = .max
    ) throws(FormError) -> (file: MultipartPart?, content: [UInt8], fields: [String: String]) {
        var body = try FormBody(contentType: Self.type)
        var file: MultipartPart?
        var content: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            Array(rest.prefix(size)).withUnsafeBytes { body.add($0) }
            rest = rest.dropFirst(size)
            while let action = try body.next() {
                switch action {
                case .file(let part): file = part
                case .content(let bytes): content += bytes
                }
            }
        }
        try body.end()
        return (file, content, body.fields)
    }

    static func part(_ head: String, _ content: String) -> String {
        "--b0\r\nContent-Disposition: form-data; \(head)\r\n\r\n\(content)\r\n"
    }

    @Test("fields around the file, in any pieces", arguments: [1, 2, 13, 1000])
    func read(_ size: Int) throws {
        let form =
            Self.part("name=contenttype", "image/png") + Self.part("name=file; filename=a.png", "\r\npixels\r\n")
            + Self.part("name=\"note\"", "\u{4F60}") + "--b0--\r\n"
        let read = try Self.read(form, pieces: size)
        #expect(read.file == MultipartPart(name: "file", fileName: "a.png"))
        #expect(read.content == Array("\r\npixels\r\n".utf8))
        #expect(read.fields == ["contenttype": "image/png", "note": "\u{4F60}"])
    }

    @Test("a part with a file's name is the file, whatever its field; one called file needs none")
    func whichIsTheFile() throws {
        #expect(try Self.read(Self.part("name=upload; filename=x", "1") + "--b0--").file?.fileName == "x")
        #expect(try Self.read(Self.part("name=file", "1") + "--b0--").content == [0x31])
    }

    @Test("the file is announced before its content, and nothing is skipped when nobody asks for a while")
    func order() throws {
        var body = try FormBody(contentType: Self.type)
        let form = Array((Self.part("name=file", "abc") + "--b0--").utf8)
        form.withUnsafeBytes { body.add($0) }
        #expect(try body.next() == .file(MultipartPart(name: "file")))
        #expect(try body.next() == .content(Array("abc".utf8)))
        #expect(try body.next() == nil)
        try body.end()
    }

    @Test("what is no such form")
    func refused() {
        let file = Self.part("name=file", "1")
        #expect(throws: FormError.secondFile) { try Self.read(file + file + "--b0--") }
        #expect(throws: FormError.noFile) { try Self.read(Self.part("name=a", "1") + "--b0--") }
        #expect(throws: FormError.form(.cut)) { try Self.read(file) }
        #expect(throws: FormError.form(.noBoundary)) { try FormBody(contentType: "multipart/form-data") }
        let half = String(repeating: "x", count: FormBody.maximumFieldBytes / 2)
        #expect(throws: Never.self) {
            try Self.read(Self.part("name=a", half) + Self.part("name=b", half) + file + "--b0--")
        }
        #expect(throws: FormError.longFields) {
            try Self.read(Self.part("name=a", half) + Self.part("name=b", half + "x") + file + "--b0--")
        }
    }
}
