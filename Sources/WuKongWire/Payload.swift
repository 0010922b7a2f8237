import ByteCodec

/// The content of a message: opaque bytes to the server, a JSON object for all SDKs known.
///
/// The Easy SDKs for JS, Python and Flutter send base64 of the object's text, those for iOS and Android the object.
/// Both are read, and come out as the same bytes.
struct Payload {
    let bytes: [UInt8]
    let facts: PayloadFacts

    init(from reader: inout JSONReader) throws(JSONError) {
        if try reader.peek() == .object {
            self.bytes = try reader.rawValue()
        } else {
            self.bytes = try reader.base64()
        }
        self.facts = PayloadFacts(of: self.bytes)
    }
}
