import WuKongWire

/// Reads one frame from text.
func decode(_ text: String) throws -> WuKongRequest {
    try decode(Array(text.utf8))
}

func decode(_ bytes: [UInt8]) throws -> WuKongRequest {
    try bytes.withUnsafeBytes { bytes in try WuKongRequest(decoding: bytes) }
}

/// The parameters of a `send`, or `nil` for any other frame.
func decodeSend(_ text: String) throws -> SendParameters? {
    guard case .send(_, let parameters) = try decode(text) else { return nil }
    return parameters
}

/// The request ID that stands in JSON as `token`.
func requestID(_ token: String) throws -> WuKongRequestID? {
    guard case .ping(let id) = try decode(#"{"id":\#(token),"method":"ping"}"#) else { return nil }
    return id
}

/// The text that one call writes.
func written(_ body: (inout WuKongJSONWriter) throws -> Void) rethrows -> String {
    var writer = WuKongJSONWriter()
    try body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}
