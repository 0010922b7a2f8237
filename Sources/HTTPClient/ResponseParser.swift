import ByteCodec

/// Response of a server.
package struct HTTPResponse: Hashable, Sendable {
    /// Header field of a response.
    package struct Field: Hashable, Sendable {
        /// In lower case.
        package var name: String
        /// Value, white space around it removed.
        package var value: String
    }

    /// Status code, 100...599.
    package var status: Int
    /// Header fields in the order received.
    package var fields: [Field]
    /// Body, transfer coding removed.
    package var body: [UInt8]
    /// The body was longer than the request allowed; this is its beginning.
    package var isCut: Bool

    /// The first value of a field; `name` is in lower case.
    package func field(_ name: String) -> String? { self.fields.first { $0.name == name }?.value }
}

/// Reads one response to GET or POST, piece by piece. Pure. Source: RFC 9112 sections 4, 6 and 7.
struct ResponseParser {
    /// Bytes of the status line and all fields.
    static let maximumHeadBytes = 16 * 1024
    /// Bytes of a line between chunks.
    static let maximumChunkLineBytes = 256
    /// Interim responses (1xx) before the real one.
    static let maximumInterim = 8

    private enum Phase {
        case head
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailer
        case untilEnd
        case complete
    }

    private let host: String
    private let maximumBody: Int
    private var phase = Phase.head
    private var buffer: [UInt8] = []
    /// Bytes of `buffer` that are done with.
    private var used = 0
    private var interim = 0
    private(set) var response = HTTPResponse(status: 0, fields: [], body: [], isCut: false)
    /// Bytes of the body so far, those that were taken out included.
    private var bodyBytes = 0
    /// True when another request may follow on the connection.
    private(set) var keepsConnection = false

    init(host: String, maximumBody: Int) {
        self.host = host
        self.maximumBody = maximumBody
    }

    /// Takes the next bytes.
    ///
    /// - Returns: whether the response is complete.
    mutating func feed(_ bytes: [UInt8]) throws(HTTPClientError) -> Bool {
        self.buffer.append(contentsOf: bytes)
        while try self.step() {}
        self.buffer.removeFirst(self.used)
        self.used = 0
        guard case .complete = self.phase else { return false }
        if !self.buffer.isEmpty { self.keepsConnection = false }
        return true
    }

    /// Moves what came of the body out of the response, for a body that is not kept in memory.
    mutating func takePiece() -> [UInt8] {
        var piece: [UInt8] = []
        swap(&piece, &self.response.body)
        return piece
    }

    /// The connection ended.
    ///
    /// - Throws: `brokenOff` when the response is not complete without more.
    mutating func end() throws(HTTPClientError) {
        guard case .untilEnd = self.phase else { throw .brokenOff(host: self.host) }
        self.phase = .complete
    }

    /// - Returns: whether there may be more to do with what is there.
    private mutating func step() throws(HTTPClientError) -> Bool {
        switch self.phase {
        case .head: return try self.head()
        case .length(let left):
            let taken = self.takeBody(left)
            if self.isComplete { return false }
            self.phase = taken == left ? .complete : .length(left - taken)
            return false
        case .chunkSize: return try self.chunkSize()
        case .chunk(let left):
            let taken = self.takeBody(left)
            if self.isComplete { return false }
            self.phase = taken == left ? .chunkEnd : .chunk(left - taken)
            return taken == left
        case .chunkEnd:
            guard let line = try self.line(maximum: 2) else { return false }
            guard line.isEmpty else { throw self.bad("a chunk is longer than it says") }
            self.phase = .chunkSize
            return true
        case .trailer:
            guard let line = try self.line(maximum: Self.maximumHeadBytes) else { return false }
            if line.isEmpty { self.phase = .complete }
            return !line.isEmpty
        case .untilEnd:
            _ = self.takeBody(.max)
            return false
        case .complete: return false
        }
    }

    private var isComplete: Bool {
        if case .complete = self.phase { return true }
        return false
    }

    /// Moves up to `most` bytes into the body. At the bound the response ends there, cut.
    private mutating func takeBody(_ most: Int) -> Int {
        let count = min(most, self.buffer.count - self.used)
        let room = self.maximumBody - self.bodyBytes
        self.response.body.append(contentsOf: self.buffer[self.used..<(self.used + min(count, room))])
        self.bodyBytes += min(count, room)
        self.used += count
        if count > room {
            self.response.isCut = true
            self.keepsConnection = false
            self.phase = .complete
        }
        return count
    }

    /// The next line without its end; `nil` when it is not whole yet.
    private mutating func line(maximum: Int) throws(HTTPClientError) -> ArraySlice<UInt8>? {
        let rest = self.buffer[self.used...]
        guard let feed = rest.firstIndex(of: 0x0A) else {
            guard rest.count <= maximum else { throw self.bad("a line is too long") }
            return nil
        }
        guard feed - self.used <= maximum else { throw self.bad("a line is too long") }
        let end = feed > self.used && self.buffer[feed - 1] == 0x0D ? feed - 1 : feed
        defer { self.used = feed + 1 }
        return self.buffer[self.used..<end]
    }

    private mutating func chunkSize() throws(HTTPClientError) -> Bool {
        guard let line = try self.line(maximum: Self.maximumChunkLineBytes) else { return false }
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }, as: UTF8.self)
        guard digits.utf8.count <= 15, digits.first != "+", digits.first != "-", let size = Int(digits, radix: 16)
        else {
            throw self.bad("the size of a chunk is no number")
        }
        self.phase = size == 0 ? .trailer : .chunk(size)
        return true
    }

    // MARK: Head

    private mutating func head() throws(HTTPClientError) -> Bool {
        guard let end = Self.endOfHead(self.buffer[self.used...]) else {
            guard self.buffer.count - self.used <= Self.maximumHeadBytes else { throw self.bad("its head is too long") }
            return false
        }
        guard end - self.used <= Self.maximumHeadBytes else { throw self.bad("its head is too long") }
        let lines = self.buffer[self.used..<end].split(separator: 0x0A, omittingEmptySubsequences: true)
            .map { $0.last == 0x0D ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
        self.used = end
        let (status, minorVersion) = try self.statusLine(lines.first ?? [])
        var fields: [HTTPResponse.Field] = []
        for line in lines.dropFirst() { fields.append(try self.field(line)) }
        if (100..<200).contains(status) {
            self.interim += 1
            guard status != 101, self.interim <= Self.maximumInterim else { throw self.bad("status \(status)") }
            return true
        }
        self.response.status = status
        self.response.fields = fields
        try self.decideFraming(minorVersion: minorVersion)
        return true
    }

    /// The index after the empty line.
    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        var lineStart = bytes.startIndex
        while let feed = bytes[lineStart...].firstIndex(of: 0x0A) {
            let isEmpty = feed == lineStart || (feed == lineStart + 1 && bytes[lineStart] == 0x0D)
            if isEmpty { return feed + 1 }
            lineStart = feed + 1
        }
        return nil
    }

    private func statusLine(_ line: ArraySlice<UInt8>) throws(HTTPClientError) -> (status: Int, minorVersion: Int) {
        let text = String(decoding: line, as: UTF8.self)
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
            let status = Int(words[1]), (100..<600).contains(status)
        else { throw self.bad("it does not begin with a status line") }
        return (status, words[0] == "HTTP/1.1" ? 1 : 0)
    }

    private func field(_ line: ArraySlice<UInt8>) throws(HTTPClientError) -> HTTPResponse.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            throw self.bad("a field without a name")
        }
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value = value.dropLast() }
        return HTTPResponse.Field(
            name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
            value: String(decoding: value, as: UTF8.self))
    }

    /// How the end of the body is told, and whether the connection lives on.
    private mutating func decideFraming(minorVersion: Int) throws(HTTPClientError) {
        let connection = self.values("connection").map { $0.lowercased() }
        self.keepsConnection =
            minorVersion == 1
            ? !connection.contains { $0.contains(run: "close") }
            : connection.contains { $0.contains(run: "keep-alive") }
        let codings = self.values("transfer-encoding")
        let lengths = Set(self.values("content-length"))
        if self.response.status == 204 || self.response.status == 304 {
            self.phase = .complete
        } else if !codings.isEmpty {
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw self.bad("a Transfer-Encoding other than chunked")
            }
            // With both, somebody on the way may see another end: nothing more is read from this connection.
            if !lengths.isEmpty { self.keepsConnection = false }
            self.phase = .chunkSize
        } else if let length = lengths.first {
            let isNumber = length.utf8.count <= 18 && length.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard lengths.count == 1, isNumber, let count = Int(length) else {
                throw self.bad("Content-Length is no number")
            }
            self.phase = count == 0 ? .complete : .length(count)
        } else {
            self.keepsConnection = false
            self.phase = .untilEnd
        }
    }

    private func values(_ name: String) -> [String] {
        self.response.fields.filter { $0.name == name }.map(\.value)
    }

    private func bad(_ reason: String) -> HTTPClientError { .badResponse(host: self.host, reason: reason) }
}
