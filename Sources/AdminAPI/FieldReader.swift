import ByteCodec
import ChatModel

/// Reads one JSON object, field by field; says which field is wrong.
struct FieldReader {
    /// An object.
    private let fields: JSONValue

    /// - Throws: `protocolError` when the line is not one JSON object.
    init(line: [UInt8]) throws(AdminError) {
        do throws(JSONError) {
            self.fields = try JSONValue(parsing: line)
        } catch {
            throw AdminError(.protocolError, "a line of the admin protocol is one JSON object: \(error)")
        }
        guard case .object = self.fields else {
            throw AdminError(.protocolError, "a line of the admin protocol is one JSON object")
        }
    }

    private init(_ fields: JSONValue) { self.fields = fields }

    static func wrong(_ key: String) -> AdminError {
        AdminError(.invalid, "the field \(key) is missing, of the wrong kind, or out of its bounds")
    }

    func text(_ key: String) throws(AdminError) -> String {
        guard let value = try self.optionalText(key) else { throw Self.wrong(key) }
        return value
    }

    func optionalText(_ key: String) throws(AdminError) -> String? {
        switch self.fields[key] {
        case .none, .null: return nil
        case .string(let value): return value
        default: throw Self.wrong(key)
        }
    }

    func number(_ key: String) throws(AdminError) -> Int64 {
        guard let value = try self.optionalNumber(key) else { throw Self.wrong(key) }
        return value
    }

    func optionalNumber(_ key: String) throws(AdminError) -> Int64? {
        switch self.fields[key] {
        case .none, .null: return nil
        case .integer(let value): return value
        default: throw Self.wrong(key)
        }
    }

    func flag(_ key: String) throws(AdminError) -> Bool {
        guard case .boolean(let value) = self.fields[key] else { throw Self.wrong(key) }
        return value
    }

    /// Whether the field is there and not `null`.
    func has(_ key: String) -> Bool {
        switch self.fields[key] {
        case .none, .null: false
        default: true
        }
    }

    func base64(_ key: String) throws(AdminError) -> [UInt8] {
        guard let bytes = Base64.decode(Array(try self.text(key).utf8)) else { throw Self.wrong(key) }
        return bytes
    }

    func texts(_ key: String) throws(AdminError) -> [String] {
        try self.list(key) { if case .string(let value) = $0 { value } else { nil } }
    }

    func numbers(_ key: String) throws(AdminError) -> [Int64] {
        try self.list(key) { if case .integer(let value) = $0 { value } else { nil } }
    }

    func object(_ key: String) throws(AdminError) -> FieldReader {
        guard let object = self.fields[key], case .object = object else { throw Self.wrong(key) }
        return FieldReader(object)
    }

    func record<Record: AdminRecord>(_ key: String) throws(AdminError) -> Record { try Record(self.object(key)) }

    func records<Record: AdminRecord>(_ key: String) throws(AdminError) -> [Record] {
        let objects = try self.list(key) { if case .object = $0 { FieldReader($0) } else { nil } }
        var records: [Record] = []
        records.reserveCapacity(objects.count)
        for object in objects { records.append(try Record(object)) }
        return records
    }

    private func list<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(AdminError) -> [Value] {
        guard case .array(let items) = self.fields[key] else { throw Self.wrong(key) }
        let values = items.compactMap(read)
        guard values.count == items.count else { throw Self.wrong(key) }
        return values
    }
}

/// Values of the model.
extension FieldReader {
    func userName(_ key: String) throws(AdminError) -> UserName {
        guard let name = UserName(try self.text(key)) else { throw Self.badName(key) }
        return name
    }

    func optionalUserName(_ key: String) throws(AdminError) -> UserName? {
        try self.optionalText(key) == nil ? nil : self.userName(key)
    }

    func userNames(_ key: String) throws(AdminError) -> [UserName] {
        let names = try self.texts(key).map { UserName($0) }
        guard !names.contains(nil) else { throw Self.badName(key) }
        return names.compactMap { $0 }
    }

    func channelName(_ key: String) throws(AdminError) -> ChannelName {
        guard let name = ChannelName(try self.text(key)) else {
            throw AdminError(
                .invalid, "the name of a group has 1 to \(ChannelName.maximumScalars) characters, none of them control")
        }
        return name
    }

    func channelNames(_ key: String) throws(AdminError) -> [ChannelName] {
        let names = try self.texts(key).map { ChannelName($0) }
        guard !names.contains(nil) else { throw Self.wrong(key) }
        return names.compactMap { $0 }
    }

    func device(_ key: String) throws(AdminError) -> DeviceClass {
        guard let device = DeviceClass(try self.text(key)) else { throw Self.wrong(key) }
        return device
    }

    func optionalDevice(_ key: String) throws(AdminError) -> DeviceClass? {
        try self.optionalText(key) == nil ? nil : self.device(key)
    }

    func devices(_ key: String) throws(AdminError) -> [DeviceClass] {
        let devices = try self.texts(key).map { DeviceClass($0) }
        guard !devices.isEmpty && devices.count <= 8 && !devices.contains(nil) else { throw Self.wrong(key) }
        return devices.compactMap { $0 }
    }

    func fileKey(_ key: String) throws(AdminError) -> FileKey {
        guard let file = FileKey(try self.text(key)) else {
            throw AdminError(.invalid, "a file is th-f and 26 characters: see file list")
        }
        return file
    }

    func transferKey(_ key: String) throws(AdminError) -> TransferKey {
        guard let transfer = TransferKey(try self.text(key)) else {
            throw AdminError(.invalid, "a transfer is th-t and 26 characters: see transfer list")
        }
        return transfer
    }

    func optionalHash(_ key: String) throws(AdminError) -> ContentHash? {
        guard let text = try self.optionalText(key) else { return nil }
        guard let hash = ContentHash(hex: text) else { throw Self.wrong(key) }
        return hash
    }

    private static func badName(_ key: String) -> AdminError {
        AdminError(
            .invalid, "\(key): the name of a user has 1 to \(UserName.maximumScalars) characters, none of them control")
    }
}
