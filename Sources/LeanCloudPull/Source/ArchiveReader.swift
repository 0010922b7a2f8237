import CZlib

/// Unpacks gzip (RFC 1952), one member or several behind each other, piece by piece.
package final class GzipReader {
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOver = false
    private var room = [UInt8](repeating: 0, count: 128 * 1024)

    package init() {
        // SAFETY: zlib keeps the address of a stream: it lives on the heap until `deinit`.
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        precondition(czlib_inflate_gzip(self.stream) == Z_OK, "zlib has no memory")
    }

    deinit {
        inflateEnd(self.stream)
        self.stream.deallocate()
    }

    /// True when the bytes so far end with a whole member.
    package var isWhole: Bool { self.isOver }

    /// Unpacks the next piece.
    ///
    /// - Returns: false when it is damaged.
    package func read<Failure: Error>(
        _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var input = Array(bytes)
        var used = 0
        // What was read may unpack to more than there was room for.
        var isFull = false
        while used < input.count || isFull {
            if self.isOver {
                guard used < input.count else { return true }
                // Some programs fill the end of an archive with zeros.
                guard input[used] != 0 else { return true }
                guard inflateReset(self.stream) == Z_OK else { return false }
                self.isOver = false
            }
            var result: Int32 = Z_OK
            var written = 0
            var left = 0
            let count = input.count
            input.withUnsafeMutableBufferPointer { source in
                self.room.withUnsafeMutableBufferPointer { target in
                    self.stream.pointee.next_in = source.baseAddress! + used
                    self.stream.pointee.avail_in = UInt32(count - used)
                    self.stream.pointee.next_out = target.baseAddress
                    self.stream.pointee.avail_out = UInt32(target.count)
                    result = inflate(self.stream, Z_NO_FLUSH)
                    written = target.count - Int(self.stream.pointee.avail_out)
                    left = Int(self.stream.pointee.avail_in)
                }
            }
            used = count - left
            isFull = written == self.room.count
            if written > 0 { try body(self.room[..<written]) }
            switch result {
            case Z_OK: break
            case Z_STREAM_END: self.isOver = true
            case Z_BUF_ERROR where written == 0: return used >= count
            case Z_BUF_ERROR: break
            default: return false
            }
        }
        return true
    }
}

/// Cuts a tar archive (POSIX ustar, with GNU's and pax's long names) into its files, piece by piece. Pure.
package struct TarReader: Sendable {
    /// Reason why an archive cannot be read.
    package enum Problem: Error, Hashable, Sendable {
        case damaged
    }

    private enum Phase: Sendable {
        case header
        case content(left: Int64)
        case longName(left: Int64, isPax: Bool)
        case padding(left: Int)
        case over
    }

    private static let blockBytes = 512
    /// Bytes of a long name with all that pax says beside it.
    private static let maximumNameBytes: Int64 = 1 << 20

    private var phase = Phase.header
    private var block: [UInt8] = []
    private var collected: [UInt8] = []
    private var longName: String?
    private var name = ""
    private var isFile = false
    /// Bytes to skip behind a content.
    private var paddingBytes = 0

    package init() {}

    /// True when these bytes, 512 of them, begin an archive. Source: POSIX.1, pax, "ustar Interchange Format".
    package static func begins(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        bytes.count >= 262 && bytes.dropFirst(257).prefix(5).elementsEqual("ustar".utf8)
    }

    /// Takes the next piece, and gives the contents of files with their names.
    package mutating func read<Failure: Error>(
        _ bytes: ArraySlice<UInt8>, _ body: (_ name: String, ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Problem? {
        var rest = bytes
        while !rest.isEmpty {
            switch self.phase {
            case .over: return nil
            case .header:
                let count = min(Self.blockBytes - self.block.count, rest.count)
                self.block += rest.prefix(count)
                rest = rest.dropFirst(count)
                guard self.block.count == Self.blockBytes else { return nil }
                guard self.takeHeader() else { return .damaged }
                self.block.removeAll(keepingCapacity: true)
            case .content(let left):
                let count = Int(min(left, Int64(rest.count)))
                if self.isFile { try body(self.name, rest.prefix(count)) }
                rest = rest.dropFirst(count)
                self.phase =
                    left == Int64(count) ? .padding(left: self.paddingBytes) : .content(left: left - Int64(count))
            case .longName(let left, let isPax):
                let count = Int(min(left, Int64(rest.count)))
                self.collected += rest.prefix(count)
                rest = rest.dropFirst(count)
                guard left == Int64(count) else {
                    self.phase = .longName(left: left - Int64(count), isPax: isPax)
                    continue
                }
                self.takeLongName(isPax: isPax)
                self.phase = .padding(left: self.paddingBytes)
            case .padding(let left):
                let count = min(left, rest.count)
                rest = rest.dropFirst(count)
                self.phase = left == count ? .header : .padding(left: left - count)
            }
            if case .padding(0) = self.phase { self.phase = .header }
            if case .content(0) = self.phase { self.phase = .header }
        }
        return nil
    }

    private mutating func takeHeader() -> Bool {
        guard self.block.contains(where: { $0 != 0 }) else {
            self.phase = .over
            return true
        }
        guard let size = Self.number(self.block[124..<136]), size >= 0 else { return false }
        self.paddingBytes = Int((512 - size % 512) % 512)
        switch self.block[156] {
        case UInt8(ascii: "L"), UInt8(ascii: "x"):
            guard size <= Self.maximumNameBytes else { return false }
            self.collected = []
            self.phase = .longName(left: size, isPax: self.block[156] == UInt8(ascii: "x"))
            if size == 0 { self.phase = .header }
        default:
            let prefix = Self.text(self.block[345..<500])
            let short = Self.text(self.block[0..<100])
            self.name = self.longName ?? (prefix.isEmpty ? short : prefix + "/" + short)
            self.longName = nil
            self.isFile = self.block[156] == UInt8(ascii: "0") || self.block[156] == 0
            self.phase = .content(left: size)
        }
        return true
    }

    private mutating func takeLongName(isPax: Bool) {
        guard isPax else {
            self.longName = Self.text(self.collected[...])
            return
        }
        // Records are `LENGTH NAME=VALUE\n`.
        for record in self.collected.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: record, as: UTF8.self)
            if let space = text.firstIndex(of: " "), text[text.index(after: space)...].hasPrefix("path=") {
                self.longName = String(text[space...].dropFirst(6))
            }
        }
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String {
        String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Octal digits, or a binary number with the top bit set.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        if let first = field.first, first & 0x80 != 0 {
            guard field.dropFirst().prefix(4).allSatisfy({ $0 == 0 }) else { return nil }
            return field.suffix(7).reduce(0) { $0 << 8 | Int64($1) }
        }
        let digits = String(decoding: field.filter { $0 != 0 && $0 != 0x20 }, as: UTF8.self)
        return digits.isEmpty ? 0 : Int64(digits, radix: 8)
    }
}

/// Reader of a file that may be packed, told by its first bytes: plain, gzip, tar, or tar in gzip.
final class ArchiveReader {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Gives what is in it, piece by piece.
    ///
    /// - Parameter body: a name, empty for a file that is no archive, and the next bytes.
    func read(
        _ body: @escaping (_ name: String, ArraySlice<UInt8>) throws(PullError) -> Void
    ) throws(PullError) {
        guard let file = try InputFile(self.path) else {
            throw .input(path: self.path, reason: "there is no such file")
        }
        var gzip: GzipReader?
        var unpacked = Unpacked(self.path, body)
        var isFirst = true
        while true {
            let piece = try file.read()
            if piece.isEmpty { break }
            if isFirst, piece.starts(with: [0x1F, 0x8B]) { gzip = GzipReader() }
            isFirst = false
            guard let gzip else {
                try unpacked.takeBytes(piece)
                continue
            }
            let isGood = try gzip.read(piece) { bytes throws(PullError) in try unpacked.takeBytes(bytes) }
            guard isGood else { throw .input(path: self.path, reason: "the gzip data is damaged") }
        }
        guard gzip?.isWhole ?? true else { throw .input(path: self.path, reason: "the gzip data ends too early") }
        try unpacked.finish()
    }

    /// Bytes unpacked from gzip.
    private struct Unpacked {
        private let path: String
        private let body: (String, ArraySlice<UInt8>) throws(PullError) -> Void
        private var begin: [UInt8]? = []
        private var tar: TarReader?

        init(_ path: String, _ body: @escaping (String, ArraySlice<UInt8>) throws(PullError) -> Void) {
            self.path = path
            self.body = body
        }

        mutating func takeBytes(_ bytes: ArraySlice<UInt8>) throws(PullError) {
            guard var begin = self.begin else { return try self.pass(bytes) }
            begin += bytes
            self.begin = begin
            if begin.count >= 512 { try self.decide() }
        }

        mutating func finish() throws(PullError) {
            if self.begin != nil { try self.decide() }
        }

        private mutating func decide() throws(PullError) {
            let begin = self.begin ?? []
            self.begin = nil
            if TarReader.begins(begin) { self.tar = TarReader() }
            try self.pass(begin[...])
        }

        private mutating func pass(_ bytes: ArraySlice<UInt8>) throws(PullError) {
            guard self.tar != nil else { return try self.body("", bytes) }
            let problem = try self.tar?.read(bytes, self.body)
            guard problem == nil || problem == .some(nil) else {
                throw .input(path: self.path, reason: "the tar archive is damaged")
            }
        }
    }
}
