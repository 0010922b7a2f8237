import Glibc

/// Reads the requests of one connection, one after the other. Pure: bytes in, events out.
package struct HTTPRequestParser {
    /// Event that the parser reports.
    package enum Event {
        case head(HTTPRequestHead)
        /// A piece of the body, as it arrived; valid until the input changes.
        case body(UnsafeRawBufferPointer)
        /// The request is complete.
        case end
    }

    /// Result of `next`.
    package enum Step {
        /// Give the bytes behind the consumed ones again, with more behind them.
        case incomplete(consumed: Int)
        case event(Event, consumed: Int)
    }

    private enum State {
        case head
        case fixedBody(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        /// The CRLF behind a chunk's data.
        case chunkEnd
        case trailers(bytes: Int)
        case end
    }

    /// A chunk-size line with its extension; longer ones have no honest use.
    private static let maximumChunkLine = 256

    private let maximumHeadBytes: Int
    private let maximumHeaders: Int
    private var state = State.head
    /// Bytes of the head that were searched for its end already, and where its current line begins.
    private var searched = 0
    private var lineStart = 0

    /// Makes a parser with bounds for the head: bytes and number of fields.
    package init(maximumHeadBytes: Int, maximumHeaders: Int) {
        self.maximumHeadBytes = maximumHeadBytes
        self.maximumHeaders = maximumHeaders
    }

    /// Reads from the front of `input`. After an error nothing more can be read from the connection.
    package mutating func next(_ input: UnsafeRawBufferPointer) throws(HTTPParseError) -> Step {
        switch self.state {
        case .head: return try self.head(input)
        case .fixedBody(let remaining):
            return self.body(input, remaining: remaining, rest: State.fixedBody(remaining:), done: .end)
        case .chunkSize: return try self.chunkSize(input)
        case .chunk(let remaining):
            return self.body(input, remaining: remaining, rest: State.chunk(remaining:), done: .chunkEnd)
        case .chunkEnd: return try self.chunkEnd(input)
        case .trailers(let bytes): return try self.trailers(input, bytesBefore: bytes)
        case .end:
            self.state = .head
            return .event(.end, consumed: 0)
        }
    }

    /// Looks for the empty line. Empty lines before the first one are skipped (RFC 9112 section 2.2).
    private mutating func head(_ input: UnsafeRawBufferPointer) throws(HTTPParseError) -> Step {
        while let lineEnd = try Self.lineFeed(in: input, from: self.searched) {
            self.searched = lineEnd + 1
            if lineEnd - 1 > self.lineStart {
                self.lineStart = lineEnd + 1
                continue
            }
            if self.lineStart == 0 {
                self.searched = 0
                return .incomplete(consumed: 2)
            }
            return try self.wholeHead(UnsafeRawBufferPointer(rebasing: input[...lineEnd]))
        }
        self.searched = max(self.lineStart, input.count - 1)
        guard input.count < self.maximumHeadBytes else { throw self.headTooLong }
        return .incomplete(consumed: 0)
    }

    private var headTooLong: HTTPParseError {
        HTTPParseError(431, "the header is longer than \(self.maximumHeadBytes) bytes")
    }

    private mutating func wholeHead(_ block: UnsafeRawBufferPointer) throws(HTTPParseError) -> Step {
        guard block.count <= self.maximumHeadBytes else { throw self.headTooLong }
        let head = try HTTPHeadParser(block: Array(block), maximumHeaders: self.maximumHeaders).parse()
        self.searched = 0
        self.lineStart = 0
        switch head.framing {
        case .none: self.state = .end
        case .length(let count): self.state = .fixedBody(remaining: count)
        case .chunked: self.state = .chunkSize
        }
        return .event(.head(head), consumed: block.count)
    }

    private mutating func body(
        _ input: UnsafeRawBufferPointer, remaining: Int, rest: (Int) -> State, done: State
    ) -> Step {
        guard !input.isEmpty else { return .incomplete(consumed: 0) }
        let count = min(remaining, input.count)
        self.state = count == remaining ? done : rest(remaining - count)
        return .event(.body(UnsafeRawBufferPointer(rebasing: input[..<count])), consumed: count)
    }

    /// `1F4;extension CRLF`. Source: RFC 9112 section 7.1.
    private mutating func chunkSize(_ input: UnsafeRawBufferPointer) throws(HTTPParseError) -> Step {
        let searchable = UnsafeRawBufferPointer(rebasing: input.prefix(Self.maximumChunkLine))
        guard let lineEnd = try Self.lineFeed(in: searchable, from: 0) else {
            guard input.count < Self.maximumChunkLine else { throw .bad("a chunk-size line is too long") }
            return .incomplete(consumed: 0)
        }
        var size = 0
        var digits = 0
        for byte in input[..<(lineEnd - 1)] {
            guard let digit = ASCII.hexDigit(byte) else { break }
            size = size << 4 | Int(digit)
            digits += 1
            guard digits <= 15 else { throw .bad("a chunk size is too large") }
        }
        guard digits > 0 else { throw .bad("a chunk size is not a hexadecimal number") }
        let extensions = input[digits..<(lineEnd - 1)]
        guard extensions.isEmpty || extensions.first == UInt8(ascii: ";"),
            extensions.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 })
        else { throw .bad("a chunk size is not a hexadecimal number") }
        self.state = size == 0 ? .trailers(bytes: 0) : .chunk(remaining: size)
        return .incomplete(consumed: lineEnd + 1)
    }

    private mutating func chunkEnd(_ input: UnsafeRawBufferPointer) throws(HTTPParseError) -> Step {
        guard input.count >= 2 else {
            guard input.isEmpty || input[0] == 0x0D else { throw .bad("a chunk is longer than its size") }
            return .incomplete(consumed: 0)
        }
        guard input[0] == 0x0D, input[1] == 0x0A else { throw .bad("a chunk is longer than its size") }
        self.state = .chunkSize
        return .incomplete(consumed: 2)
    }

    /// Trailer fields are read over: nothing here uses them.
    private mutating func trailers(
        _ input: UnsafeRawBufferPointer, bytesBefore: Int
    ) throws(HTTPParseError) -> Step {
        guard let lineEnd = try Self.lineFeed(in: input, from: 0) else {
            guard bytesBefore + input.count < self.maximumHeadBytes else { throw self.headTooLong }
            return .incomplete(consumed: 0)
        }
        if lineEnd == 1 {
            self.state = .head
            return .event(.end, consumed: 2)
        }
        guard bytesBefore + lineEnd < self.maximumHeadBytes else { throw self.headTooLong }
        self.state = .trailers(bytes: bytesBefore + lineEnd + 1)
        return .incomplete(consumed: lineEnd + 1)
    }

    /// The index of the LF that ends the line, which must follow a CR.
    private static func lineFeed(
        in input: UnsafeRawBufferPointer, from start: Int
    ) throws(HTTPParseError) -> Int? {
        guard let base = input.baseAddress, start < input.count,
            let found = memchr(base + start, 0x0A, input.count - start)
        else { return nil }
        let index = base.distance(to: UnsafeRawPointer(found))
        guard index > 0, input[index - 1] == 0x0D else { throw .bad("a line ends with a bare line feed") }
        return index
    }
}
