import ByteCodec

/// The content of a message: opaque bytes to the server, a JSON object for all SDKs known.
///
/// The Easy SDKs for JS, Python and Flutter send base64 of the object's text, those for iOS and Android the object.
/// Both are read, and come out as the same bytes.
struct Payload {
    /// Objects within each other in a payload that may stand inside a frame: there it lies two levels down, and the
    /// whole must not exceed what readers accept.
    private static let maximumDepth = JSONReader.maximumDepth - 2

    let bytes: [UInt8]
    private(set) var isJSONObject = false
    private(set) var contentType = 0

    init(from reader: inout JSONReader) throws(JSONError) {
        if try reader.peek() == .object {
            self.bytes = try reader.rawValue()
        } else {
            self.bytes = try reader.base64()
        }
        do throws(JSONError) {
            self.contentType = try Self.contentType(of: self.bytes)
            self.isJSONObject = true
        } catch {
            // No JSON object: it travels on as the bytes it is.
            self.isJSONObject = false
        }
    }

    /// The object's `type`, 0 without one. Throws when the bytes are not exactly one JSON object.
    private static func contentType(of bytes: [UInt8]) throws(JSONError) -> Int {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(UnsafeRawBufferPointer(bytes), maximumDepth: Self.maximumDepth)
            var contentType: Int64?
            try reader.readObject { (key, reader) throws(JSONError) in
                if key == "type" { contentType = Self.integer(at: reader) }
                try reader.skipValue()
            }
            try reader.finish()
            return Int(contentType ?? 0)
        }
    }

    /// The integer at the reader's position, `nil` for any other value.
    private static func integer(at reader: JSONReader) -> Int64? {
        var copy = reader
        return try? copy.int64()
    }
}
