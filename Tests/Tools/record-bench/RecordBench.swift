import AdminAPI
import ByteCodec
import ChatModel

/// Measures the field lists of the admin socket beside what the compiler would make of the same record: a list of 10,000
/// users, written and read both ways. Both ways write the same bytes.
@main
struct RecordBench {
    static let rows = 10_000
    static let rounds = 15

    static func main() throws {
        let users = (0..<Self.rows).map { Self.user($0) }
        let visited = AdminReply.answer(id: 1, .success(.users(users, next: nil)))
        let coded = CodedReply(id: 1, answer: "users", with: CodedUsers(users: users.map { CodedUser($0) }))
        let line = visited.line
        guard try RowEncoder.encode(coded) == line else {
            print("failed: the two ways write other bytes")
            return
        }
        print("\(Self.rows) users, \(line.count) bytes; the quickest of \(Self.rounds), in ms")
        Self.time("visitor, write") { visited.line.count }
        try Self.time("Codable, write") { try RowEncoder.encode(coded).count }
        try Self.time("text to tree  ") { try JSONValue(parsing: line).object?.count ?? 0 }
        try Self.time("visitor, read ") {
            guard case .answer(let id, _) = try AdminReply(line: line) else { return 0 }
            return Int(id)
        }
        try Self.time("Codable, read ") {
            try CodedReply(from: RowDecoder(value: try JSONValue(parsing: line), field: "")).with.users.count
        }
    }

    private static func user(_ number: Int) -> AdminUser {
        var user = User(
            id: UserID(rawValue: Int64(number)), name: UserName("user\(number)")!,
            createdAtMilliseconds: 1_700_000_000_000 + Int64(number))
        if number % 2 == 0 { user.displayName = "用户 \(number)" }
        if number % 3 == 0 { user.externalID = "external-\(number)" }
        user.isDisabled = number % 7 == 0
        return AdminUser(user)
    }

    private static func time(_ name: String, _ body: () throws -> Int) rethrows {
        var best = Duration.seconds(3_600)
        for _ in 0..<Self.rounds {
            let time = try ContinuousClock().measure {
                let count = try body()
                precondition(count > 0, "nothing was done")
            }
            best = min(best, time)
        }
        print("\(name) \(Double(best.components.attoseconds) / 1e15)")
    }
}

/// The same line as an `AdminReply`.
struct CodedReply: Codable {
    var id: Int64
    var answer: String
    var with: CodedUsers
}

/// The same fields as the answer to `user.list`.
struct CodedUsers: Codable {
    var users: [CodedUser]
}

/// The same fields as an `AdminUser`.
struct CodedUser: Codable {
    enum CodingKeys: String, CodingKey {
        case name, displayName, externalID, role
        case isDisabled = "disabled"
        case isSendBanned = "sendBanned"
        case hasPassword = "password"
        case createdAtMilliseconds = "createdAt"
        case deletedAtMilliseconds = "deletedAt"
    }

    var name: CodedText<UserName>
    var displayName: String?
    var externalID: String?
    var role: CodedText<UserRole>
    var isDisabled: Bool
    var isSendBanned: Bool
    var hasPassword: Bool
    var createdAtMilliseconds: Int64
    var deletedAtMilliseconds: Int64?

    init(_ user: AdminUser) {
        self.name = CodedText(value: user.name)
        self.displayName = user.displayName
        self.externalID = user.externalID
        self.role = CodedText(value: user.role)
        self.isDisabled = user.isDisabled
        self.isSendBanned = user.isSendBanned
        self.hasPassword = user.hasPassword
        self.createdAtMilliseconds = user.createdAtMilliseconds
        self.deletedAtMilliseconds = user.deletedAtMilliseconds
    }
}

/// A value that the wire spells as a text.
protocol Spelt {
    var spelling: String { get }
    init?(spelling: String)
}

extension UserName: Spelt {
    var spelling: String { self.text }
    init?(spelling: String) { self.init(spelling) }
}

extension UserRole: Spelt {
    var spelling: String { self.word }
    init?(spelling: String) { self.init(word: spelling) }
}

/// A value as its text.
struct CodedText<Value: Spelt>: Codable {
    var value: Value

    init(value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Value(spelling: text) else { throw FieldError(field: text) }
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.value.spelling)
    }
}
