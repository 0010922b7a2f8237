import ByteCodec
import ChatModel

/// A value that can be a field of a record.
protocol AdminValue: Equatable, Sendable {
    /// Stands for any value where cases are listed.
    static var sample: Self { get }
    /// The field is left out.
    var isAbsent: Bool { get }
    func write(to line: LineWriter)
    /// - Parameter json: `null` for a field that is not there.
    /// - Throws: `invalid` with the name of the field.
    init(_ json: JSONValue, _ key: String) throws(AdminError)

    // MARK: On a command line

    /// Words of all values; `nil` when there is no list of them.
    static var choices: [String]? { get }
    /// Value of an empty place; `nil` when the place must be filled.
    static func unsaid(at place: CommandPlace) -> Self?
    /// True when one word holds several values with commas between them.
    static var splitsAtCommas: Bool { get }
    /// Words of the value; `nil` for one that no command line says.
    func words(at place: CommandPlace) -> [String]?
    /// - Throws: `invalid`, with `typed`.
    init(words: [String], at place: CommandPlace) throws(AdminError)
}

extension AdminValue {
    var isAbsent: Bool { false }
}

extension AdminError {
    static func field(_ key: String) -> AdminError {
        AdminError(.invalid, "the field \(key) is missing, of the wrong kind, or out of its bounds")
    }
}

extension String: AdminValue {
    static var sample: String { "tea" }
    func write(to line: LineWriter) { line.json.string(self) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        guard case .string(let text) = json else { throw .field(key) }
        self = text
    }
}

extension Int64: AdminValue {
    static var sample: Int64 { 1 }
    func write(to line: LineWriter) { line.json.integer(self) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        guard case .integer(let number) = json else { throw .field(key) }
        self = number
    }
}

extension UInt32: AdminValue {
    static var sample: UInt32 { 1 }
    func write(to line: LineWriter) { line.json.integer(Int64(self)) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        guard let number = UInt32(exactly: try Int64(json, key)) else { throw .field(key) }
        self = number
    }
}

extension Bool: AdminValue {
    static var sample: Bool { true }
    func write(to line: LineWriter) { line.json.boolean(self) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        guard case .boolean(let isOn) = json else { throw .field(key) }
        self = isOn
    }
}

extension Optional: AdminValue where Wrapped: AdminValue {
    static var sample: Wrapped? { .some(.sample) }
    var isAbsent: Bool { self == nil }
    func write(to line: LineWriter) { self?.write(to: line) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) { self = json.isNull ? nil : try Wrapped(json, key) }
}

extension Array: AdminValue where Element: AdminValue {
    static var sample: [Element] { [.sample] }
    func write(to line: LineWriter) {
        line.json.beginArray()
        for element in self { element.write(to: line) }
        line.json.endArray()
    }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        guard case .array(let items) = json else { throw .field(key) }
        self = []
        self.reserveCapacity(items.count)
        for item in items { self.append(try Element(item, key)) }
    }
}

// MARK: Spelt as text

/// A value that the socket spells as a text.
protocol AdminText: AdminValue {
    var spelling: String { get }
    init?(spelling: String)
    /// Says what is wrong with a text that spells no value.
    static func refusal(of text: String, _ key: String) -> AdminError
    /// Text key of the same for a word that was typed, and the maximum in it; `nil` for the explanation of the place.
    static var typedRefusal: (key: String, maximum: Int)? { get }
}

extension AdminText {
    static func refusal(of text: String, _ key: String) -> AdminError { .field(key) }
    func write(to line: LineWriter) { line.json.string(self.spelling) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        let text = try String(json, key)
        guard let value = Self(spelling: text) else { throw Self.refusal(of: text, key) }
        self = value
    }
}

extension UserName: AdminText {
    static let sample = UserName("ming")!
    var spelling: String { self.text }
    init?(spelling: String) { self.init(spelling) }
    static func refusal(of text: String, _ key: String) -> AdminError {
        let bound = "1 to \(Self.maximumScalars) characters, none of them control"
        return AdminError(.invalid, "\(key): the name of a user has \(bound)")
    }
}

extension ChannelName: AdminText {
    static let sample = ChannelName("verona")!
    var spelling: String { self.text }
    init?(spelling: String) { self.init(spelling) }
    static func refusal(of text: String, _ key: String) -> AdminError {
        AdminError(.invalid, "the name of a group has 1 to \(Self.maximumScalars) characters, none of them control")
    }
}

extension DeviceClass: AdminText {
    static var sample: DeviceClass { .app }
    var spelling: String { self.name }
    init?(spelling: String) { self.init(spelling) }
}

extension FileKey: AdminText {
    static let sample = FileKey("th-f" + String(repeating: "a", count: 26))!
    var spelling: String { self.text }
    init?(spelling: String) { self.init(spelling) }
    static func refusal(of text: String, _ key: String) -> AdminError {
        AdminError(.invalid, "a file is th-f and 26 characters: see file list")
    }
}

extension TransferKey: AdminText {
    static let sample = TransferKey("th-t" + String(repeating: "a", count: 26))!
    var spelling: String { self.text }
    init?(spelling: String) { self.init(spelling) }
    static func refusal(of text: String, _ key: String) -> AdminError {
        AdminError(.invalid, "a transfer is th-t and 26 characters: see transfer list")
    }
}

extension FileLinkKey: AdminText {
    static let sample = FileLinkKey("th-l" + String(repeating: "a", count: 26))!
    var spelling: String { self.text }
    init?(spelling: String) { self.init(spelling) }
}

extension ContentHash: AdminText {
    static let sample = ContentHash(hex: String(repeating: "ab", count: 32))!
    var spelling: String { self.hex }
    init?(spelling: String) { self.init(hex: spelling) }
}

extension SignInPolicy: AdminValue {
    static let sample = Preset.allCases[0].policy
    func write(to line: LineWriter) { line.json.string(self.text) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        let text = try String(json, key)
        do throws(SignInPolicyError) {
            try self.init(text)
        } catch {
            throw AdminError(.invalid, error.description)
        }
    }
}

/// A number as text: many readers keep only 53 bits of a JSON number.
extension MessageID: AdminText {
    static var sample: MessageID { MessageID(rawValue: 1) }
    var spelling: String { String(self.rawValue) }
    init?(spelling: String) {
        guard let number = Int64(spelling) else { return nil }
        self.init(rawValue: number)
    }
}

extension MessageKind: AdminValue {
    static var sample: MessageKind { MessageKind(rawValue: 500) }
    func write(to line: LineWriter) { line.json.integer(Int64(self.rawValue)) }
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        guard let number = Int32(exactly: try Int64(json, key)) else { throw .field(key) }
        self.init(rawValue: number)
    }
}

/// Bytes in base64.
struct AdminBytes: AdminText {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static var sample: AdminBytes { AdminBytes([1]) }
    var spelling: String { String(decoding: Base64.encode(self.bytes), as: UTF8.self) }
    init?(spelling: String) {
        guard let bytes = Base64.decode(Array(spelling.utf8)) else { return nil }
        self.bytes = bytes
    }
}
