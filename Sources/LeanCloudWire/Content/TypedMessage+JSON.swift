package import ByteCodec

extension TypedMessage {
    /// Reads the content of a message.
    ///
    /// `nil` when it is no typed message: no JSON that `JSONReader` takes, no object, or without a whole number as
    /// `_lctype`. Such content is legal and reaches apps as it is.
    package init?(parsing content: String) {
        guard content.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            let value = try? JSONValue(parsing: content)
        else { return nil }
        self.init(value)
    }

    /// The message that a JSON value holds; `nil` as above.
    package init?(_ value: JSONValue) {
        guard var members = value.object, let kind = members.take("_lctype", \.wholeNumber) else { return nil }
        self.init(TypedMessageKind(rawValue: kind))
        self.text = members.take("_lctext", \.string)
        self.attributes = members.take("_lcattrs", \.object)
        self.file = members.take("_lcfile") { TypedMessageFile($0) }
        self.location = members.take("_lcloc") { TypedMessageLocation($0) }
        self.timestamp = members.take("timestamp", \.wholeNumber)
        self.others = members
    }

    /// The kind of a message that is made of texts and whole numbers only, which a text message is: found without keeping
    /// anything of it.
    ///
    /// - Returns: `nil` when there is anything else in it, or no kind; `init` then knows more.
    package static func plainKind(of content: UnsafeRawBufferPointer) -> TypedMessageKind? {
        var reader = JSONReader(content)
        var (kind, isPlain) = (Int64?.none, true)
        do throws(JSONError) {
            try reader.readObject { (key, reader) throws(JSONError) in
                switch try reader.peek() {
                case .string: try reader.skipValue()
                case .number:
                    let number = try reader.int64()
                    if kind == nil, key == "_lctype" { kind = number }
                case .object, .array, .boolean, .null:
                    isPlain = false
                    try reader.skipValue()
                }
            }
            try reader.finish()
        } catch {
            return nil
        }
        return isPlain ? kind.map { TypedMessageKind(rawValue: $0) } : nil
    }

    /// The message as JSON; members in a fixed order, the unknown ones last.
    package var json: JSONValue {
        .members(
            [
                ("_lctype", .integer(self.kind.rawValue)), ("_lctext", self.text.map { .string($0) }),
                ("_lcattrs", self.attributes.map { .object($0) }), ("_lcfile", self.file?.json),
                ("_lcloc", self.location?.json), ("timestamp", self.timestamp.map { .integer($0) }),
            ], self.others)
    }

    /// The content of a message: compact JSON.
    package var content: String { String(decoding: self.json.serialized(), as: UTF8.self) }
}

extension TypedMessageFile {
    /// `nil` when the value is no object.
    init?(_ value: JSONValue) {
        guard var members = value.object else { return nil }
        self.init(url: members.take("url", \.string), objectID: members.take("objId", \.string))
        self.metadata = members.take("metaData") { TypedMessageFileMetadata($0) }
        self.others = members
    }

    var json: JSONValue {
        .members(
            [
                ("url", self.url.map { .string($0) }), ("objId", self.objectID.map { .string($0) }),
                ("metaData", self.metadata?.json),
            ], self.others)
    }
}

extension TypedMessageFileMetadata {
    /// `nil` when the value is no object.
    init?(_ value: JSONValue) {
        guard var members = value.object else { return nil }
        self.init(name: members.take("name", \.string), format: members.take("format", \.string))
        self.width = members.take("width", \.wholeNumber)
        self.height = members.take("height", \.wholeNumber)
        self.duration = members.take("duration", \.double)
        self.size = members.take("size", \.wholeNumber)
        self.owner = members.take("owner", \.string)
        self.others = members
    }

    var json: JSONValue {
        .members(
            [
                ("name", self.name.map { .string($0) }), ("format", self.format.map { .string($0) }),
                ("width", self.width.map { .integer($0) }), ("height", self.height.map { .integer($0) }),
                ("duration", self.duration.map { .double($0) }), ("size", self.size.map { .integer($0) }),
                ("owner", self.owner.map { .string($0) }),
            ], self.others)
    }
}

extension TypedMessageLocation {
    /// `nil` when the value is no object with both numbers.
    init?(_ value: JSONValue) {
        guard var members = value.object, let latitude = members.take("latitude", \.double),
            let longitude = members.take("longitude", \.double)
        else { return nil }
        self.init(latitude: latitude, longitude: longitude, others: members)
    }

    var json: JSONValue {
        .members([("latitude", .double(self.latitude)), ("longitude", .double(self.longitude))], self.others)
    }
}

extension JSONValue {
    /// A number without a fraction, `12.0` too: some platforms know no integers.
    var wholeNumber: Int64? { self.integer ?? self.double.flatMap { Int64(exactly: $0) } }

    /// An object of the present ones of `named`, then `others`.
    static func members(_ named: [(name: String, value: JSONValue?)], _ others: [Member]) -> JSONValue {
        .object(named.compactMap { named in named.value.map { Member(named.name, $0) } } + others)
    }
}

extension [JSONValue.Member] {
    func value(_ name: String) -> JSONValue? { self.first { $0.name == name }?.value }

    /// Removes the member `name` and returns what `read` makes of it; leaves it where it is when that is `nil`.
    mutating func take<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> Value? {
        guard let index = self.firstIndex(where: { $0.name == name }), let value = read(self[index].value) else {
            return nil
        }
        self.remove(at: index)
        return value
    }
}
