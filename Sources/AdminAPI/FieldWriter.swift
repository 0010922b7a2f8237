import ByteCodec

/// Writes one JSON object, field by field.
struct FieldWriter {
    private var json = JSONWriter()

    /// The bytes of one object.
    static func object(_ fill: (inout FieldWriter) -> Void) -> [UInt8] {
        var fields = FieldWriter()
        fields.object(fill)
        return fields.json.bytes
    }

    private mutating func object(_ fill: (inout FieldWriter) -> Void) {
        self.json.beginObject()
        fill(&self)
        self.json.endObject()
    }

    mutating func text(_ key: StaticString, _ value: String) {
        self.json.key(key)
        self.json.string(value)
    }

    /// Leaves the field out when there is no value.
    mutating func text(_ key: StaticString, _ value: String?) {
        if let value { self.text(key, value) }
    }

    mutating func number(_ key: StaticString, _ value: Int64) {
        self.json.key(key)
        self.json.integer(value)
    }

    /// Leaves the field out when there is no value.
    mutating func number(_ key: StaticString, _ value: Int64?) {
        if let value { self.number(key, value) }
    }

    mutating func flag(_ key: StaticString, _ value: Bool) {
        self.json.key(key)
        self.json.boolean(value)
    }

    mutating func base64(_ key: StaticString, _ bytes: [UInt8]) {
        self.text(key, String(decoding: Base64.encode(bytes), as: UTF8.self))
    }

    mutating func texts(_ key: StaticString, _ values: [String]) {
        self.list(key, values) { $0.json.string($1) }
    }

    mutating func numbers(_ key: StaticString, _ values: [Int64]) {
        self.list(key, values) { $0.json.integer($1) }
    }

    mutating func object(_ key: StaticString, _ fill: (inout FieldWriter) -> Void) {
        self.json.key(key)
        self.object(fill)
    }

    mutating func record(_ key: StaticString, _ value: some AdminRecord) { self.object(key, value.write) }

    mutating func records(_ key: StaticString, _ values: [some AdminRecord]) {
        self.list(key, values) { $0.object($1.write) }
    }

    private mutating func list<Value>(
        _ key: StaticString, _ values: [Value], _ write: (inout FieldWriter, Value) -> Void
    ) {
        self.json.key(key)
        self.json.beginArray()
        for value in values { write(&self, value) }
        self.json.endArray()
    }
}

/// A value that crosses the admin socket as a JSON object.
protocol AdminRecord: Hashable, Sendable {
    func write(to fields: inout FieldWriter)
    init(_ fields: FieldReader) throws(AdminError)
}
