import Glibc
import Transport

/// Reason why a form cannot be read. Each is answered with 400.
enum MultipartError: Error, Hashable {
    /// No boundary in the Content-Type, or one that the rules forbid.
    case noBoundary
    /// More than `limit` bytes stand where only a few have a use.
    case tooLong(Place, limit: Int)
    case tooManyParts(limit: Int)
    /// A delimiter is followed by something else than its line's end.
    case badDelimiter
    /// A part's header is not made of lines with a name each, or names no field.
    case badHeader
    /// The body ended before the form did.
    case cut

    enum Place: String, Hashable {
        case preamble, delimiter, header, epilogue
    }
}

extension MultipartError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noBoundary: "the Content-Type names no boundary of 1 to 70 characters"
        case .tooLong(let place, let limit): "the form has more than \(limit) bytes of \(place.rawValue)"
        case .tooManyParts(let limit): "the form has more than \(limit) parts"
        case .badDelimiter: "a delimiter of the form does not end its line"
        case .badHeader: "a part of the form has no readable header with a field name"
        case .cut: "the form has no end"
        }
    }
}

/// Reads a `multipart/form-data` body, one part after the other, wherever it is cut. Pure: bytes in, events out.
///
/// Source: RFC 7578; RFC 2046 section 5.1.1 for delimiters, preamble and epilogue.
struct MultipartReader {
    enum Event: Equatable {
        /// The header of the next part.
        case part(MultipartPart)
        /// So many bytes at the front of the input are the part's content, at least one.
        case content(Int)
        case partEnd
        /// The closing delimiter: what is behind it has no meaning.
        case formEnd
    }

    /// Result of `next`.
    enum Step: Equatable {
        /// Give the bytes behind the consumed ones again, with more behind them.
        case incomplete(consumed: Int)
        case event(Event, consumed: Int)
    }

    private enum State {
        case preamble(skipped: Int)
        case delimiterEnd
        case header
        case contentStart
        case content
        case epilogue(skipped: Int)
    }

    /// Maximum bytes of one part's header; file names of 4 KiB are real.
    static let maximumHeaderBytes = 8 * 1024
    static let maximumParts = 32
    /// Maximum bytes before the first part and behind the last.
    static let maximumPaddingBytes = 4 * 1024
    /// Maximum blanks between a delimiter and the end of its line.
    static let maximumBlanks = 128

    /// CRLF, two hyphens, boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble(skipped: 0)
    private var parts = 0

    /// - Parameter contentType: of the request.
    init(contentType: String) throws(MultipartError) {
        let type = FieldParameters(contentType)
        guard type.word == "multipart/form-data", let boundary = type["boundary"] else { throw .noBoundary }
        try self.init(boundary: boundary)
    }

    /// - Parameter boundary: 1 to 70 printable ASCII characters, the last one no blank.
    init(boundary: String) throws(MultipartError) {
        let bytes = Array(boundary.utf8)
        guard (1...70).contains(bytes.count), bytes.last != 0x20, bytes.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { throw .noBoundary }
        self.delimiter = Array("\r\n--".utf8) + bytes
    }

    /// The closing delimiter was read.
    var isComplete: Bool { if case .epilogue = self.state { true } else { false } }

    /// The body is over.
    func end() throws(MultipartError) { guard self.isComplete else { throw .cut } }

    /// Reads from the front of `input`. After an error nothing more can be read.
    mutating func next(_ input: UnsafeRawBufferPointer) throws(MultipartError) -> Step {
        switch self.state {
        case .preamble(let skipped): return try self.preamble(input, skipped: skipped)
        case .delimiterEnd: return try self.delimiterEnd(input)
        case .header: return try self.header(input)
        case .contentStart: return self.contentStart(input)
        case .content: return self.content(input)
        case .epilogue(let skipped):
            guard skipped + input.count <= Self.maximumPaddingBytes else {
                throw .tooLong(.epilogue, limit: Self.maximumPaddingBytes)
            }
            self.state = .epilogue(skipped: skipped + input.count)
            return .incomplete(consumed: input.count)
        }
    }

    /// The first delimiter stands at the very beginning, or on a line of its own.
    private mutating func preamble(
        _ input: UnsafeRawBufferPointer, skipped: Int
    ) throws(MultipartError) -> Step {
        if skipped == 0 {
            let first = self.delimiter.dropFirst(2)
            if first.starts(with: input.prefix(first.count)) {
                guard input.count >= first.count else { return .incomplete(consumed: 0) }
                self.state = .delimiterEnd
                return .incomplete(consumed: first.count)
            }
        }
        let free = self.freeBytes(input)
        guard skipped + free <= Self.maximumPaddingBytes else {
            throw .tooLong(.preamble, limit: Self.maximumPaddingBytes)
        }
        if free < input.count, input.count - free >= self.delimiter.count {
            self.state = .delimiterEnd
            return .incomplete(consumed: free + self.delimiter.count)
        }
        // One byte of what is skipped is enough to know that the beginning is over.
        self.state = .preamble(skipped: skipped + free)
        return .incomplete(consumed: free)
    }

    /// `--` ends the form, a line's end begins a part; blanks may stand before it.
    private mutating func delimiterEnd(_ input: UnsafeRawBufferPointer) throws(MultipartError) -> Step {
        guard input.count >= 2 else { return .incomplete(consumed: 0) }
        if input[0] == UInt8(ascii: "-"), input[1] == UInt8(ascii: "-") {
            self.state = .epilogue(skipped: 0)
            return .event(.formEnd, consumed: 2)
        }
        let blanks = input.prefix { $0 == 0x20 || $0 == 0x09 }.count
        guard blanks <= Self.maximumBlanks else { throw .tooLong(.delimiter, limit: Self.maximumBlanks) }
        guard input.count >= blanks + 2 else { return .incomplete(consumed: 0) }
        guard input[blanks] == 0x0D, input[blanks + 1] == 0x0A else { throw .badDelimiter }
        self.parts += 1
        guard self.parts <= Self.maximumParts else { throw .tooManyParts(limit: Self.maximumParts) }
        self.state = .header
        return .incomplete(consumed: blanks + 2)
    }

    private mutating func header(_ input: UnsafeRawBufferPointer) throws(MultipartError) -> Step {
        guard let end = Self.headerEnd(input) else {
            guard input.count < Self.maximumHeaderBytes else {
                throw .tooLong(.header, limit: Self.maximumHeaderBytes)
            }
            return .incomplete(consumed: 0)
        }
        guard end <= Self.maximumHeaderBytes else { throw .tooLong(.header, limit: Self.maximumHeaderBytes) }
        guard let part = MultipartPart(header: UnsafeRawBufferPointer(rebasing: input[..<end])) else {
            throw .badHeader
        }
        self.state = .contentStart
        return .event(.part(part), consumed: end)
    }

    /// Offset at which the empty line ends; `nil` when it has not all come.
    private static func headerEnd(_ input: UnsafeRawBufferPointer) -> Int? {
        if input.count >= 2, input[0] == 0x0D, input[1] == 0x0A { return 2 }
        var index = 0
        while index + 3 < input.count {
            guard let feed = Self.find(0x0D, in: input, from: index), feed + 3 < input.count else { return nil }
            if input[feed + 1] == 0x0A, input[feed + 2] == 0x0D, input[feed + 3] == 0x0A { return feed + 4 }
            index = feed + 1
        }
        return nil
    }

    private static func find(_ byte: UInt8, in input: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = input.baseAddress, start < input.count,
            let found = memchr(base + start, Int32(byte), input.count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }

    /// A part without content may be a header alone, whose empty line is also the line's end before the delimiter.
    private mutating func contentStart(_ input: UnsafeRawBufferPointer) -> Step {
        let short = self.delimiter.dropFirst(2)
        guard short.starts(with: input.prefix(short.count)) else {
            self.state = .content
            return self.content(input)
        }
        guard input.count >= short.count else { return .incomplete(consumed: 0) }
        self.state = .delimiterEnd
        return .event(.partEnd, consumed: short.count)
    }

    private mutating func content(_ input: UnsafeRawBufferPointer) -> Step {
        let free = self.freeBytes(input)
        if free > 0 { return .event(.content(free), consumed: free) }
        guard input.count >= self.delimiter.count else { return .incomplete(consumed: 0) }
        self.state = .delimiterEnd
        return .event(.partEnd, consumed: self.delimiter.count)
    }

    /// Number of bytes at the front that cannot belong to a delimiter.
    private func freeBytes(_ input: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while let found = Self.find(0x0D, in: input, from: index) {
            let rest = UnsafeRawBufferPointer(rebasing: input[found...].prefix(self.delimiter.count))
            if self.delimiter.starts(with: rest) { return found }
            index = found + 1
        }
        return input.count
    }
}
