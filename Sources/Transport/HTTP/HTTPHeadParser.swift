/// Reads one whole request head, first line to empty line.
///
/// Strict where two readers could disagree about where a request ends: only CRLF ends a line, no folded lines, no blank
/// before the colon, at most one Content-Length or Transfer-Encoding. Source: RFC 9112 sections 2.2, 3, 5 and 6.
struct HTTPHeadParser {
    private let block: [UInt8]
    private let maximumHeaders: Int

    /// - Parameter block: complete lines with their CRLF, the empty one included; no bare LF, as `HTTPRequestParser`
    ///   has checked.
    init(block: [UInt8], maximumHeaders: Int) {
        self.block = block
        self.maximumHeaders = maximumHeaders
    }

    func parse() throws(HTTPParseError) -> HTTPRequestHead {
        var position = 0
        let first = self.line(from: &position)
        let (method, target, minorVersion) = try self.requestLine(first)
        var headers = HTTPHeaders(block: self.block)
        while true {
            let line = self.line(from: &position)
            if line.isEmpty { break }
            guard headers.count < self.maximumHeaders else {
                throw HTTPParseError(431, "more than \(self.maximumHeaders) header fields")
            }
            let (name, value) = try self.field(line)
            headers.add(name: name, value: value)
        }
        let parts = try Self.targetParts(target, method: method)
        try Self.checkHost(headers, minorVersion: minorVersion)
        return HTTPRequestHead(
            method: method, path: parts.path, query: parts.query, targetAuthority: parts.authority,
            minorVersion: minorVersion, headers: headers,
            framing: try Self.framing(headers, minorVersion: minorVersion))
    }

    /// The next line without its CRLF.
    private func line(from position: inout Int) -> Range<Int> {
        let start = position
        while self.block[position] != 0x0A { position += 1 }
        position += 1
        return start..<(position - 2)
    }

    private func requestLine(
        _ line: Range<Int>
    ) throws(HTTPParseError) -> (method: String, target: String, minorVersion: Int) {
        let parts = self.block[line].split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .bad("the request line is not `METHOD target HTTP/1.1`") }
        guard !parts[0].isEmpty, parts[0].count <= 32, parts[0].allSatisfy(ASCII.isTokenCharacter) else {
            throw .bad("the method has a character that is not allowed")
        }
        guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .bad("the target has a character that is not allowed")
        }
        let minorVersion: Int
        switch String(decoding: parts[2], as: UTF8.self) {
        case "HTTP/1.1": minorVersion = 1
        case "HTTP/1.0": minorVersion = 0
        case let other where other.hasPrefix("HTTP/"):
            throw HTTPParseError(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
        default: throw .bad("the request line does not end with HTTP/1.1")
        }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self), minorVersion)
    }

    private func field(_ line: Range<Int>) throws(HTTPParseError) -> (name: Range<Int>, value: Range<Int>) {
        let first = self.block[line.lowerBound]
        guard first != 0x20, first != 0x09 else { throw .bad("a folded header line") }
        guard let colon = self.block[line].firstIndex(of: UInt8(ascii: ":")) else {
            throw .bad("a header line without a colon")
        }
        let name = line.lowerBound..<colon
        guard !name.isEmpty, self.block[name].allSatisfy(ASCII.isTokenCharacter) else {
            throw .bad("a header name has a character that is not allowed, or a blank before its colon")
        }
        var value = (colon + 1)..<line.upperBound
        while let byte = self.block[value].first, byte == 0x20 || byte == 0x09 {
            value = (value.lowerBound + 1)..<value.upperBound
        }
        while let byte = self.block[value].last, byte == 0x20 || byte == 0x09 {
            value = value.lowerBound..<(value.upperBound - 1)
        }
        guard self.block[value].allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
            throw .bad("a header value has a control character")
        }
        return (name, value)
    }

    private static func targetParts(
        _ target: String, method: String
    ) throws(HTTPParseError) -> (path: String, query: String?, authority: String?) {
        if target == "*" && method == "OPTIONS" { return ("*", nil, nil) }
        var rest = Substring(target)
        var authority: String?
        for scheme in ["http://", "https://"] where ASCII.lowercased(target.prefix(scheme.count)) == scheme {
            rest = target.dropFirst(scheme.count)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
            if rest.first != "/" { rest = "/" + rest }
        }
        guard rest.first == "/" else { throw .bad("the target is not a path") }
        guard let mark = rest.firstIndex(of: "?") else { return (String(rest), nil, authority) }
        return (String(rest[..<mark]), String(rest[rest.index(after: mark)...]), authority)
    }

    private static func checkHost(_ headers: HTTPHeaders, minorVersion: Int) throws(HTTPParseError) {
        let hosts = headers.all("host")
        guard hosts.count <= 1 else { throw .bad("more than one Host field") }
        guard minorVersion == 0 || hosts.count == 1 else { throw .bad("no Host field") }
    }

    /// Source: RFC 9112 section 6.3; refusing both fields at once is what its section 6.1 recommends.
    private static func framing(
        _ headers: HTTPHeaders, minorVersion: Int
    ) throws(HTTPParseError) -> HTTPBodyFraming {
        let lengths = headers.all("content-length")
        let codings = headers.all("transfer-encoding")
        guard lengths.isEmpty || codings.isEmpty else { throw .bad("both Content-Length and Transfer-Encoding") }
        guard lengths.count <= 1, codings.count <= 1 else { throw .bad("a length is given twice") }
        if let coding = codings.first {
            guard minorVersion == 1, ASCII.lowercased(coding) == "chunked" else {
                throw .bad("a Transfer-Encoding other than `chunked`")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard !length.isEmpty, length.utf8.count <= 18, length.utf8.allSatisfy(ASCII.isDigit), let count = Int(length)
        else { throw .bad("Content-Length is not a number") }
        return count == 0 ? .none : .length(count)
    }
}
