import ByteCodec
import Testing

@Suite("JSON stream splitter")
struct JSONStreamSplitterTests {
    /// The objects that come out when `chunks` go in.
    private static func split(_ chunks: [[UInt8]], maximumBytes: Int = 1000) throws -> [String] {
        var splitter = JSONStreamSplitter(maximumBytes: maximumBytes)
        var objects: [String] = []
        for chunk in chunks {
            try chunk.withUnsafeBytes { bytes in
                try splitter.append(bytes) { objects.append(String(decoding: $0, as: UTF8.self)) }
            }
        }
        return objects
    }

    private static let objects = [
        #"{}"#, #"{"a":{"b":[{},[]]}}"#, #"{"text":"}{][\"\\"}"#, #"{"\\":"\\\\","x":"\u007d"}"#, #"{"茶":"🍵"}"#,
        #"{ "a" : 1 }"#,
    ]

    @Test("hands out each object, with and without white space between", arguments: ["", " ", "\r\n", "\t \n"])
    func separators(_ separator: String) throws {
        let stream = separator + Self.objects.joined(separator: separator) + separator
        #expect(try Self.split([Array(stream.utf8)]) == Self.objects)
    }

    @Test("gives the same objects wherever the stream is cut")
    func everyCut() throws {
        let stream = Array(Self.objects.joined(separator: " ").utf8)
        for first in 0...stream.count {
            #expect(try Self.split([Array(stream[..<first]), Array(stream[first...])]) == Self.objects)
        }
        #expect(try Self.split(stream.map { [$0] }) == Self.objects)
    }

    @Test("gives the same objects in pieces of any size", arguments: 1...20 as ClosedRange<UInt64>)
    func randomPieces(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let expected = (0..<50).map { _ in Self.objects.randomElement(using: &generator)! }
        var rest = Array(expected.joined().utf8)[...]
        var chunks: [[UInt8]] = []
        while !rest.isEmpty {
            let count = Int.random(in: 0...40, using: &generator)
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(try Self.split(chunks) == expected)
    }

    @Test("hands out whole objects where they lie, and then holds nothing")
    func withoutCopying() throws {
        var splitter = JSONStreamSplitter(maximumBytes: 100)
        let chunk = Array(#"{"a":1}{"b":2}"#.utf8)
        try chunk.withUnsafeBytes { bytes in
            var addresses: [UnsafeRawPointer?] = []
            try splitter.append(bytes) { addresses.append($0.baseAddress) }
            #expect(addresses == [bytes.baseAddress, bytes.baseAddress?.advanced(by: 7)])
        }
        #expect(splitter.heldBytes == 0)
    }

    @Test("holds only the incomplete object")
    func heldBytes() throws {
        var splitter = JSONStreamSplitter(maximumBytes: 100)
        var held: [Int] = []
        for chunk in [#"{}{"a":"#, "1", "} ", ""] {
            try Array(chunk.utf8).withUnsafeBytes { bytes in try splitter.append(bytes) { _ in } }
            held.append(splitter.heldBytes)
        }
        #expect(held == [5, 6, 0, 0])
    }

    @Test("accepts an object of the very bound and refuses one byte more", arguments: [1, 3, 100])
    func bound(_ piece: Int) throws {
        func chunks(_ text: String) -> [[UInt8]] {
            let bytes = Array(text.utf8)
            return stride(from: 0, to: bytes.count, by: piece).map { Array(bytes[$0..<min($0 + piece, bytes.count)]) }
        }
        #expect(try Self.split(chunks(#"{"a":12}"#), maximumBytes: 8) == [#"{"a":12}"#])
        #expect(try Self.split(chunks(#"{}{"a":12}{}"#), maximumBytes: 8).count == 3)
        let error = #expect(throws: JSONError.self) { try Self.split(chunks(#"{}{"a":123}"#), maximumBytes: 8) }
        #expect(error == JSONError(.tooLong(limit: 8), at: 10))
    }

    @Test("refuses an object that never ends before it is whole")
    func endless() {
        let chunks = Array(repeating: Array(#"{"a":["#.utf8), count: 10)
        let error = #expect(throws: JSONError.self) { try Self.split(chunks, maximumBytes: 30) }
        #expect(error?.reason == .tooLong(limit: 30))
    }

    @Test("refuses anything but an object", arguments: ["[", "1", "\"", "}", "x", "\u{FEFF}", "\0"])
    func notAnObject(_ text: String) {
        let error = #expect(throws: JSONError.self) { try Self.split([Array("{} \(text)".utf8)]) }
        #expect(error?.offset == 3)
    }

    @Test("objects before the fault are handed out; after it every call throws the same")
    func failureStays() throws {
        var splitter = JSONStreamSplitter(maximumBytes: 100)
        var count = 0
        var errors: [JSONError] = []
        for chunk in [#"{"a":1}x"#, "{}"] {
            Array(chunk.utf8).withUnsafeBytes { bytes in
                do throws(JSONError) {
                    try splitter.append(bytes) { _ in count += 1 }
                } catch {
                    errors.append(error)
                }
            }
        }
        #expect(count == 1)
        #expect(errors == Array(repeating: JSONError(.unexpectedByte(UInt8(ascii: "x")), at: 7), count: 2))
        #expect(splitter.heldBytes == 0)
    }
}
