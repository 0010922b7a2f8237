import Testing

@testable import APIGateway

@Suite("Forms: multipart/form-data")
struct MultipartReaderTests {
    /// A part that was read to its end.
    struct Part: Equatable {
        var head: MultipartPart
        var content: [UInt8]
    }

    /// Feeds `body` in pieces, as a connection would, and collects the parts.
    static func read(
        _ body: [UInt8], boundary: String = "b0", pieces: (Int) -> Int = { $0 }
    ) throws -> [Part] {
        var reader = try MultipartReader(boundary: boundary)
        var parts: [Part] = []
        var pending: [UInt8] = []
        var rest = body[...]
        var isInside = false
        while !rest.isEmpty {
            let count = max(1, min(rest.count, pieces(rest.count)))
            pending += rest.prefix(count)
            rest = rest.dropFirst(count)
            while true {
                let step = try pending.withUnsafeBytes { try reader.next($0) }
                switch step {
                case .incomplete(let consumed):
                    pending.removeFirst(consumed)
                    if consumed > 0, !pending.isEmpty { continue }
                case .event(let event, let consumed):
                    switch event {
                    case .part(let head):
                        #expect(!isInside)
                        isInside = true
                        parts.append(Part(head: head, content: []))
                    case .content(let count):
                        #expect(isInside && count == consumed && count > 0)
                        parts[parts.count - 1].content += pending.prefix(count)
                    case .partEnd:
                        #expect(isInside)
                        isInside = false
                    case .formEnd: #expect(!isInside)
                    }
                    pending.removeFirst(consumed)
                    continue
                }
                break
            }
        }
        try reader.end()
        return parts
    }

    static let form = [
        "preamble that nobody reads", "--b0  ", "Content-Disposition: form-data; name=\"path\"", "",
        "/1/g1/\u{4F60}.txt",
        "--b0", "content-type: text/plain", "CONTENT-DISPOSITION:form-data; name=file; filename=\"a b.txt\"", "",
        "first\r\n--b\r\n--b\r\r\n-\r\n\r\nlast", "--b0", "Content-Disposition: form-data; name=\"empty\"", "", "",
        "--b0", "Content-Disposition: form-data; name=\"bare\"", "", "--b0--", "epilogue",
    ].joined(separator: "\r\n")

    static let parts = [
        Part(head: MultipartPart(name: "path"), content: Array("/1/g1/\u{4F60}.txt".utf8)),
        Part(
            head: MultipartPart(name: "file", fileName: "a b.txt", contentType: "text/plain"),
            content: Array("first\r\n--b\r\n--b\r\r\n-\r\n\r\nlast".utf8)),
        Part(head: MultipartPart(name: "empty"), content: []),
        Part(head: MultipartPart(name: "bare"), content: []),
    ]

    @Test("every part comes out, with what looks almost like a delimiter inside")
    func whole() throws {
        #expect(try Self.read(Array(Self.form.utf8)) == Self.parts)
    }

    @Test("the same parts wherever the body is cut in two")
    func cutAtEveryByte() throws {
        let body = Array(Self.form.utf8)
        for cut in 1..<body.count {
            let parts = try Self.read(body) { rest in rest == body.count ? cut : rest }
            #expect(parts == Self.parts, "cut at \(cut)")
        }
    }

    @Test("the same parts byte by byte, and in threes", arguments: [1, 3])
    func trickle(_ size: Int) throws {
        #expect(try Self.read(Array(Self.form.utf8)) { _ in size } == Self.parts)
    }

    @Test("every byte value survives, whatever the pieces", arguments: [1, 7, 64, 1000])
    func binary(_ size: Int) throws {
        var content: [UInt8] = []
        for round in 0..<40 { content += (0...255).map { UInt8(truncatingIfNeeded: $0 &* (round | 1)) } + [0x0D] }
        let head = Array("--b0\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n".utf8)
        let parts = try Self.read(head + content + Array("\r\n--b0--\r\n".utf8)) { _ in size }
        #expect(parts == [Part(head: MultipartPart(name: "file"), content: content)])
    }

    /// Result of reading, or why there is none, as a text.
    static func outcome(_ body: [UInt8], pieces: Int) -> String {
        do {
            return try Self.read(body) { _ in pieces }.map { "\($0.head.name)=\($0.content)" }.joined(separator: ";")
        } catch {
            return "\(error)"
        }
    }

    @Test("whatever comes, the pieces change nothing", arguments: 0..<8)
    func random(_ seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let next: () -> Int = {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state >> 33)
        }
        // Made of what the parser looks for, so that it often nearly finds it.
        let words = [
            "\r\n", "\r", "\n", "-", "--", "--b0", "\r\n--b0", "\r\n--b0\r\n", "\r\n--b0--", " ", "x", "b0", "\r\n\r\n",
            "Content-Disposition: form-data; name=\"a\"\r\n\r\n",
        ].map { Array($0.utf8) }
        for _ in 0..<400 {
            var body = next() % 2 == 0 ? Array("--b0\r\nContent-Disposition: form-data; name=n\r\n\r\n".utf8) : []
            for _ in 0..<(next() % 20) { body += words[next() % words.count] }
            let whole = Self.outcome(body, pieces: .max)
            for size in [1, 2, 3, 7] { #expect(Self.outcome(body, pieces: size) == whole, "\(body)") }
        }
    }

    @Test("a form that ends early is cut wherever it ends")
    func ended() {
        let form = "--b0\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b0--"
        let body = Array(form.utf8)
        for count in 0..<body.count {
            #expect(throws: MultipartError.cut, "\(count) bytes") { try Self.read(Array(body.prefix(count))) }
        }
    }

    @Test("what is behind the boundary's line must be its end")
    func badDelimiter() {
        #expect(throws: MultipartError.badDelimiter) { try Self.read(Array("--b0x\r\n".utf8)) }
        #expect(throws: MultipartError.badDelimiter) { try Self.read(Array("--b0 -\r\n".utf8)) }
    }

    @Test(
        "a header without a field's name, or that is no header",
        arguments: [
            "Content-Disposition: attachment; name=\"a\"", "Content-Disposition: form-data", "Content-Type: text/plain",
            "nonsense", "Content-Disposition: form-data; name=a\r\nX: y\nZ: w",
        ])
    func badHeader(_ header: String) {
        #expect(throws: MultipartError.badHeader) { try Self.read(Array("--b0\r\n\(header)\r\n\r\nx".utf8)) }
    }

    @Test("a header of exactly the bound is read, one byte more is not")
    func longHeader() throws {
        let start = "Content-Disposition: form-data; name=\"a\"\r\nX: "
        let fill = MultipartReader.maximumHeaderBytes - start.utf8.count - 4
        let form: (Int) -> [UInt8] = { extra in
            Array("--b0\r\n\(start)\(String(repeating: "y", count: fill + extra))\r\n\r\nz\r\n--b0--".utf8)
        }
        let parts = try Self.read(form(0))
        #expect(parts.map(\.content) == [[0x7A]])
        let error = MultipartError.tooLong(.header, limit: MultipartReader.maximumHeaderBytes)
        #expect(throws: error) { try Self.read(form(1)) }
        #expect(throws: error) { try Self.read(form(1)) { _ in 100 } }
        let endless = Array("--b0\r\n".utf8) + [UInt8](repeating: 0x78, count: 20_000)
        #expect(throws: error) { try Self.read(endless) { _ in 100 } }
    }

    @Test("more parts than anybody needs")
    func manyParts() throws {
        let part = "--b0\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n"
        let most = String(repeating: part, count: MultipartReader.maximumParts)
        let parts = try Self.read(Array((most + "--b0--").utf8))
        #expect(parts.count == MultipartReader.maximumParts)
        #expect(throws: MultipartError.tooManyParts(limit: MultipartReader.maximumParts)) {
            try Self.read(Array((most + part + "--b0--").utf8))
        }
    }

    @Test("bytes that nobody reads have a bound too")
    func padding() {
        let much = String(repeating: "x", count: MultipartReader.maximumPaddingBytes + 1)
        let before = MultipartError.tooLong(.preamble, limit: MultipartReader.maximumPaddingBytes)
        #expect(throws: before) { try Self.read(Array((much + "\r\n" + Self.form).utf8)) }
        #expect(throws: before) { try Self.read(Array((much + "\r\n" + Self.form).utf8)) { _ in 50 } }
        let behind = MultipartError.tooLong(.epilogue, limit: MultipartReader.maximumPaddingBytes)
        #expect(throws: behind) { try Self.read(Array(("--b0--" + much).utf8)) { _ in 50 } }
        let blanks = String(repeating: " ", count: MultipartReader.maximumBlanks + 1)
        #expect(throws: MultipartError.tooLong(.delimiter, limit: MultipartReader.maximumBlanks)) {
            try Self.read(Array("--b0\(blanks)\r\n".utf8))
        }
    }

    @Test("a first line that only begins like the delimiter is skipped")
    func almostFirst() throws {
        let form = "--b1\r\n--b0\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b0--"
        for size in [1, 2, 5, 100] {
            let parts = try Self.read(Array(form.utf8)) { _ in size }
            #expect(parts == [Part(head: MultipartPart(name: "a"), content: [0x78])])
        }
    }

    @Test("the boundary comes from the Content-Type")
    func boundary() throws {
        for type in ["multipart/form-data; boundary=b0", "Multipart/Form-Data;charset=utf-8; BOUNDARY=\"b0\""] {
            #expect(throws: Never.self) { try MultipartReader(contentType: type) }
        }
        let seventy = String(repeating: "x", count: 70)
        #expect(throws: Never.self) { try MultipartReader(contentType: "multipart/form-data; boundary=\(seventy)") }
        for type in [
            "multipart/form-data", "multipart/mixed; boundary=b0", "text/plain", "",
            "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\(seventy)x",
            "multipart/form-data; boundary=\"b \"", "multipart/form-data; boundary=\"\u{4F60}\"",
        ] {
            #expect(throws: MultipartError.noBoundary, "\(type)") { try MultipartReader(contentType: type) }
        }
    }
}
