import ByteCodec
import LeanCloudWire
import TeahouseTesting
import Testing

/// What a client says of itself, by SDK.
enum Dialect: CaseIterable {
    case javaScript
    case swift
    case java
    case cSharp

    /// Source: sign-ins as the SDKs send them.
    var introduction: (ua: String, features: Int64) {
        switch self {
        case .javaScript: ("js/5.0.0-rc.8", 187)
        case .swift: ("swift/17.11.0", 187)
        case .java: ("java/8.2.28", 175)
        case .cSharp: ("LeanCloud-CSharp-SDK/2.4.1", 171)
        }
    }
}

extension TestServer {
    /// A client that speaks like an SDK.
    func client(_ name: String, _ dialect: Dialect = .swift) throws -> LeanCloudClient {
        try self.leanCloud(name) { message in
            message.ua = dialect.introduction.ua
            message.configBitmap = ConfigBitmap(rawValue: dialect.introduction.features)
        }
    }
}

extension LeanCloudClient {
    /// A conversation command; returns its answer.
    @discardableResult
    func conv(_ op: OpType, _ fill: (inout ConvCommand) -> Void) throws -> GenericCommand {
        try self.request(.conv, op) { command in
            var body = ConvCommand()
            fill(&body)
            command.convMessage = body
        }
    }

    /// Makes a conversation and returns its id.
    func start(_ members: [String], _ fill: (inout ConvCommand) -> Void = { _ in }) throws -> String {
        let answer = try self.conv(.start) { body in
            body.m = members
            fill(&body)
        }
        return try #require(answer.convMessage?.cid, "\(answer)")
    }

    /// Rows that a query finds.
    func rows(_ condition: String?, _ fill: (inout ConvCommand) -> Void = { _ in }) throws -> [JSONValue] {
        let answer = try self.conv(.query) { body in
            if let condition {
                var text = JsonObjectMessage()
                text.data = condition
                body.where = text
            }
            fill(&body)
        }
        #expect(answer.op == .results, "\(answer)")
        let rows = try JSONValue(parsing: answer.convMessage?.results?.data ?? "").array
        return try #require(rows)
    }

    /// Waits until what was changed before now has been told to everybody: it goes from the writer to the broker after
    /// the answer, and from there to each session with the end of the broker's turn.
    func settleChanges() throws {
        // Refused by the writer, which has told of everything before by then.
        _ = try self.conv(.mute) { $0.cid = "000000000000000000000000" }
        for _ in 0..<2 {
            // Answered within a turn of the broker; the second time the first turn is over.
            _ = try self.request(.session, .query) { $0.sessionMessage = SessionCommand() }
        }
        try self.settle()
    }

    /// What was pushed about conversations since the last look, in short: operation, who did it, who is named.
    func pushes() throws -> [String] {
        try self.settleChanges()
        let found = self.waiting.filter { $0.cmd == .conv && $0.i == nil }
        self.forgetWaiting()
        return found.map { push in
            let body = push.convMessage ?? ConvCommand()
            #expect(push.service == 2)
            #expect(push.serverTs != nil)
            #expect(push.notificationType != nil)
            #expect(body.cid != nil && body.udate != nil)
            let people = body.m.isEmpty ? "" : " \(body.m.joined(separator: ","))"
            return "\(Self.name(push.op)) by \(body.initBy ?? "nobody")\(people)"
        }
    }

    /// The error of an answer, as its SDK compares it.
    static func error(_ answer: GenericCommand) -> String? {
        answer.cmd == .error ? answer.errorMessage.map { "\($0.code) \($0.reason)" } : nil
    }

    private static func name(_ op: OpType?) -> String {
        switch op {
        case .joined?: "joined"
        case .membersJoined?: "members_joined"
        case .left?: "left"
        case .membersLeft?: "members_left"
        case .updated?: "updated"
        case .memberInfoChanged?: "member_info_changed"
        case .shutuped?: "shutuped"
        case .unshutuped?: "unshutuped"
        case .membersShutuped?: "members_shutuped"
        case .membersUnshutuped?: "members_unshutuped"
        case .blocked?: "blocked"
        case .unblocked?: "unblocked"
        case .membersBlocked?: "members_blocked"
        case .membersUnblocked?: "members_unblocked"
        default: "\(op?.rawValue ?? -1)"
        }
    }
}
