import ByteCodec

extension WuKongRequest {
    /// Reads one whole JSON text.
    ///
    /// - Throws: `parseError` when it is not JSON, `invalidRequest` when it is no JSON-RPC request or lacks the `id`
    ///   that its method needs, `invalidParams` when a member of `params` is missing or of another type.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WuKongRequestError) {
        let envelope = try Envelope(bytes)
        do throws(RequestFault) {
            self = try Self.decode(envelope, bytes)
        } catch {
            throw WuKongRequestError(id: envelope.id, code: error.code, message: error.message)
        }
    }

    private static func decode(
        _ envelope: Envelope, _ bytes: UnsafeRawBufferPointer
    ) throws(RequestFault) -> WuKongRequest {
        let method = try envelope.checkedMethod()
        switch method {
        case "connect":
            return .connect(try envelope.requiredID(), try ConnectParameters(from: try envelope.parameters(bytes)))
        case "send":
            return .send(try envelope.requiredID(), try SendParameters(from: try envelope.parameters(bytes)))
        case "recvack":
            return .receiveAcknowledge(messageID: try Self.acknowledgedID(in: try envelope.parameters(bytes)))
        case "ping": return .ping(try envelope.requiredID())
        case "disconnect": return .disconnect(envelope.id)
        case "subscribe": return .subscribe(try envelope.requiredID())
        case "unsubscribe": return .unsubscribe(try envelope.requiredID())
        default: return .unknown(envelope.id, method: method)
        }
    }

    /// `messageId` of a `recvack`, as decimal digits in a string or as an integer.
    private static func acknowledgedID(in parameters: JSONReader) throws(RequestFault) -> Int64 {
        var parameters = parameters
        var messageID: Int64?
        try RequestFault.catching { () throws(JSONError) in
            try parameters.readObject { (key, reader) throws(JSONError) in
                if key == "messageId" {
                    messageID = try reader.decimal()
                } else {
                    try reader.skipValue()
                }
            }
        }
        guard let messageID else { throw RequestFault("params.messageId is missing or no integer") }
        return messageID
    }
}

extension WuKongRequestID {
    /// The `id` of what may be no JSON at all, or only the beginning of it: the first string or integer behind `"id":` in
    /// the outermost object. `nil` when there is none.
    package init?(namedIn bytes: UnsafeRawBufferPointer) {
        var (depth, position) = (0, 0)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                guard let end = LooseJSON.endOfString(bytes, position) else { return nil }
                let isKey = depth == 1 && bytes[position..<end].elementsEqual("\"id\"".utf8)
                position = end
                if isKey, let token = Self.token(in: bytes, behindColonAt: end) {
                    self.init(token: token)
                    return
                }
                continue
            default: break
            }
            position += 1
        }
        return nil
    }

    /// The value behind a colon, as it stands there, when it can be an ID.
    private static func token(in bytes: UnsafeRawBufferPointer, behindColonAt start: Int) -> [UInt8]? {
        let colon = bytes[start...].firstIndex { $0 > 0x20 }
        guard let colon, bytes[colon] == UInt8(ascii: ":") else { return nil }
        var reader = JSONReader(bytes, colon + 1..<bytes.count)
        guard let kind = try? reader.peek(), kind == .string || kind == .number,
            let place = try? reader.skipValue(), place.count <= Self.maximumBytes
        else { return nil }
        var copy = JSONReader(bytes, place)
        guard kind == .string || (try? copy.int64()) != nil else { return nil }
        return [UInt8](bytes[place])
    }
}

/// The outer members of a frame. Reading them checks the whole text once, so that later reads meet no broken JSON.
private struct Envelope {
    private(set) var id: WuKongRequestID?
    private var method: String?
    /// Where `params` lies; `nil` when it is absent or `null`.
    private var params: Range<Int>?
    /// The first thing that makes well-formed JSON no request.
    private var fault: String?

    init(_ bytes: UnsafeRawBufferPointer) throws(WuKongRequestError) {
        do throws(JSONError) {
            try self.read(bytes)
        } catch {
            // Whoever asks waits for an answer, also to what cannot be read.
            throw WuKongRequestError(
                id: WuKongRequestID(namedIn: bytes), code: .parseError, message: error.description)
        }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(bytes)
        if try reader.peek() == .object {
            try reader.readObject { (key, reader) throws(JSONError) in
                try self.readMember(key, from: &reader, bytes)
            }
        } else {
            try reader.skipValue()
            self.fault = "a request is a JSON object"
        }
        try reader.finish()
    }

    private mutating func readMember(
        _ key: JSONKey, from reader: inout JSONReader, _ bytes: UnsafeRawBufferPointer
    ) throws(JSONError) {
        let kind = try reader.peek()
        if kind == .null {
            try reader.skipValue()
        } else if key == "id" {
            try self.readID(from: &reader, kind, bytes)
        } else if key == "method" {
            guard kind == .string else { return try self.refuse("method is no string", &reader) }
            self.method = try reader.string()
        } else if key == "params" {
            self.params = try reader.skipValue()
        } else if key == "jsonrpc" {
            guard kind == .string else { return try self.refuse("jsonrpc is not \"2.0\"", &reader) }
            if try reader.string() != "2.0" { self.fault = "jsonrpc is not \"2.0\"" }
        } else {
            try reader.skipValue()
        }
    }

    private mutating func readID(
        from reader: inout JSONReader, _ kind: JSONKind, _ bytes: UnsafeRawBufferPointer
    ) throws(JSONError) {
        var copy = reader
        let token = try reader.skipValue()
        let isInteger = kind == .number && (try? copy.int64()) != nil
        if kind != .string, !isInteger {
            self.fault = "id is no string and no integer"
        } else if token.count > WuKongRequestID.maximumBytes {
            self.fault = "id is longer than \(WuKongRequestID.maximumBytes) bytes"
        } else {
            self.id = WuKongRequestID(token: [UInt8](bytes[token]))
        }
    }

    private mutating func refuse(_ fault: String, _ reader: inout JSONReader) throws(JSONError) {
        try reader.skipValue()
        self.fault = fault
    }

    func checkedMethod() throws(RequestFault) -> String {
        if let fault = self.fault { throw RequestFault(fault, .invalidRequest) }
        guard let method = self.method else { throw RequestFault("method is missing", .invalidRequest) }
        return method
    }

    func requiredID() throws(RequestFault) -> WuKongRequestID {
        guard let id = self.id else { throw RequestFault("id is missing", .invalidRequest) }
        return id
    }

    /// A reader of `params`.
    func parameters(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) -> JSONReader {
        guard let range = self.params else { throw RequestFault("params is missing") }
        return JSONReader(bytes, range)
    }
}
