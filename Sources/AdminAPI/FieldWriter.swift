/// Writes one JSON object, field by field.
struct FieldWriter {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// The bytes of one object.
    static func object(_ fill: (inout FieldWriter) -> Void) -> [UInt8] {
        var fields = FieldWriter()
        fill(&fields)
        fields.bytes.append(UInt8(ascii: "}"))
        return fields.bytes
    }

    mutating func text(_ key: String, _ value: String) {
        self.name(key)
        Self.append(value, to: &self.bytes)
    }

    /// Leaves the field out when there is no value.
    mutating func text(_ key: String, _ value: String?) {
        if let value { self.text(key, value) }
    }

    mutating func number(_ key: String, _ value: Int64) {
        self.name(key)
        self.bytes.append(contentsOf: String(value).utf8)
    }

    mutating func number(_ key: String, _ value: Int64?) {
        if let value { self.number(key, value) }
    }

    mutating func flag(_ key: String, _ value: Bool) {
        self.name(key)
        self.bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func texts(_ key: String, _ values: [String]) {
        self.list(key, values) { Self.append($1, to: &$0) }
    }

    mutating func numbers(_ key: String, _ values: [Int64]) {
        self.list(key, values) { $0.append(contentsOf: String($1).utf8) }
    }

    mutating func object(_ key: String, _ fill: (inout FieldWriter) -> Void) {
        self.name(key)
        self.bytes.append(contentsOf: Self.object(fill))
    }

    mutating func record(_ key: String, _ value: some AdminRecord) {
        self.name(key)
        self.bytes.append(contentsOf: Self.object(value.write))
    }

    mutating func records(_ key: String, _ values: [some AdminRecord]) {
        self.list(key, values) { $0.append(contentsOf: Self.object($1.write)) }
    }

    private mutating func list<Value>(_ key: String, _ values: [Value], _ write: (inout [UInt8], Value) -> Void) {
        self.name(key)
        self.bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { self.bytes.append(UInt8(ascii: ",")) }
            write(&self.bytes, value)
        }
        self.bytes.append(UInt8(ascii: "]"))
    }

    private mutating func name(_ key: String) {
        if self.bytes.count > 1 { self.bytes.append(UInt8(ascii: ",")) }
        Self.append(key, to: &self.bytes)
        self.bytes.append(UInt8(ascii: ":"))
    }
}

/// A value that crosses the admin socket as a JSON object.
protocol AdminRecord: Hashable, Sendable {
    func write(to fields: inout FieldWriter)
    init(_ fields: FieldReader) throws(AdminError)
}
