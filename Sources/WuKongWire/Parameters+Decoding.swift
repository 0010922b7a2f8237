import ByteCodec

/// Fault in a frame that is well-formed JSON.
struct RequestFault: Error {
    let message: String
    let code: JSONRPCErrorCode

    init(_ message: String, _ code: JSONRPCErrorCode = .invalidParams) {
        self.message = message
        self.code = code
    }

    /// Runs a read of `params`, turning its error into a fault.
    static func catching(_ read: () throws(JSONError) -> Void) throws(RequestFault) {
        do throws(JSONError) {
            try read()
        } catch {
            throw RequestFault("params: \(error)")
        }
    }
}

extension ConnectParameters {
    init(from parameters: JSONReader) throws(RequestFault) {
        var parameters = parameters
        var uid: String?
        self.init(uid: "", token: "", deviceID: "", deviceFlag: 0, clientTimestamp: nil, version: 0)
        try RequestFault.catching { () throws(JSONError) in
            try parameters.readObject { (key, reader) throws(JSONError) in
                if try reader.isNull() { return }
                if key == "uid" {
                    uid = try reader.string()
                } else if key == "token" {
                    self.token = try reader.string()
                } else if key == "deviceId" {
                    self.deviceID = try reader.string()
                } else if key == "deviceFlag" {
                    self.deviceFlag = Int(try reader.bounded(UInt8.self))
                } else if key == "clientTimestamp" {
                    self.clientTimestamp = try reader.int64()
                } else if key == "version" {
                    self.version = Int(try reader.bounded(UInt8.self))
                } else {
                    try reader.skipValue()
                }
            }
        }
        guard let uid else { throw RequestFault("params.uid is missing") }
        self.uid = uid
    }
}

extension SendParameters {
    init(from parameters: JSONReader) throws(RequestFault) {
        var parameters = parameters
        var channelID: String?
        var channelType: Int?
        var payload: Payload?
        self.init(
            clientMessageNumber: "", channelID: "", channelType: 0, payload: [], facts: PayloadFacts(),
            header: WuKongHeader(), setting: [], topic: nil, expire: 0)
        try RequestFault.catching { () throws(JSONError) in
            try parameters.readObject { (key, reader) throws(JSONError) in
                if try reader.isNull() { return }
                if key == "channelId" {
                    channelID = try reader.string()
                } else if key == "channelType" {
                    channelType = Int(try reader.int64())
                } else if key == "payload" {
                    payload = try Payload(from: &reader)
                } else {
                    try self.readOptional(key, from: &reader)
                }
            }
        }
        guard let channelID else { throw RequestFault("params.channelId is missing") }
        guard let channelType else { throw RequestFault("params.channelType is missing") }
        guard let payload else { throw RequestFault("params.payload is missing") }
        self.channelID = channelID
        self.channelType = channelType
        self.payload = payload.bytes
        self.facts = payload.facts
    }

    private mutating func readOptional(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
        if key == "clientMsgNo" {
            self.clientMessageNumber = try reader.string()
        } else if key == "header" {
            self.header = try WuKongHeader(from: &reader)
        } else if key == "setting" {
            self.setting = try WuKongSetting(from: &reader)
        } else if key == "topic" {
            self.topic = try reader.string()
        } else if key == "expire" {
            self.expire = try reader.bounded(UInt32.self)
        } else {
            try reader.skipValue()
        }
    }
}

extension WuKongHeader {
    init(from reader: inout JSONReader) throws(JSONError) {
        self.init()
        try reader.readObject { (key, reader) throws(JSONError) in
            if try reader.isNull() { return }
            if key == "redDot" {
                self.redDot = try reader.boolean()
            } else if key == "noPersist" {
                self.noPersist = try reader.boolean()
            } else if key == "syncOnce" {
                self.syncOnce = try reader.boolean()
            } else if key == "dup" {
                self.dup = try reader.boolean()
            } else {
                try reader.skipValue()
            }
        }
    }
}

extension WuKongSetting {
    init(from reader: inout JSONReader) throws(JSONError) {
        self = []
        try reader.readObject { (key, reader) throws(JSONError) in
            if try reader.isNull() { return }
            let flag: WuKongSetting
            if key == "receipt" {
                flag = .receipt
            } else if key == "signal" {
                flag = .signal
            } else if key == "stream" {
                flag = .stream
            } else if key == "topic" {
                flag = .topic
            } else {
                try reader.skipValue()
                return
            }
            if try reader.boolean() { self.insert(flag) }
        }
    }
}

extension JSONReader {
    /// An integer that fits a smaller type.
    mutating func bounded<Value: FixedWidthInteger>(_ type: Value.Type) throws(JSONError) -> Value {
        let start = self.offset
        guard let value = Value(exactly: try self.int64()) else { throw JSONError(.numberOutOfRange, at: start) }
        return value
    }

    /// An integer, or a string of its decimal digits; `nil` for a string of anything else and for `null`.
    mutating func decimal() throws(JSONError) -> Int64? {
        switch try self.peek() {
        case .null:
            try self.skipValue()
            return nil
        case .string: return Int64(try self.string())
        case .object, .array, .number, .boolean: return try self.int64()
        }
    }
}
