import ChatModel

/// How the socket spells the values of the model.
enum Word {
    static func of(_ role: UserRole) -> String {
        switch role {
        case .member: "member"
        case .administrator: "administrator"
        }
    }

    static func role(_ word: String) throws(AdminError) -> UserRole {
        try Self.find(word, UserRole.allCases, Self.of)
    }

    static func of(_ level: DeviceLevel) -> String {
        switch level {
        case .primary: "primary"
        case .secondary: "secondary"
        }
    }

    static func level(_ word: String) throws(AdminError) -> DeviceLevel {
        try Self.find(word, [.primary, .secondary], Self.of)
    }

    static func of(_ list: PersonalList) -> String {
        switch list {
        case .blocked: "blocked"
        case .allowed: "allowed"
        }
    }

    static func list(_ word: String) throws(AdminError) -> PersonalList {
        try Self.find(word, PersonalList.allCases, Self.of)
    }

    static func of(_ kind: ConversationKind) -> String {
        switch kind {
        case .direct: "direct"
        case .group: "group"
        case .room: "room"
        case .temporary: "temporary"
        case .service: "service"
        case .customerService: "customer-service"
        case .community: "community"
        case .communityTopic: "community-topic"
        case .data: "data"
        case .visitors: "visitors"
        case .agent: "agent"
        case .agentGroup: "agent-group"
        }
    }

    static func kind(_ word: String) throws(AdminError) -> ConversationKind {
        try Self.find(word, ConversationKind.allCases, Self.of)
    }

    static func of(_ role: MemberRole) -> String {
        switch role {
        case .member: "member"
        case .manager: "manager"
        case .owner: "owner"
        }
    }

    static func memberRole(_ word: String) throws(AdminError) -> MemberRole {
        try Self.find(word, MemberRole.allCases, Self.of)
    }

    static func of(_ direction: TransferDirection) -> String { direction.word }

    static func direction(_ word: String) throws(AdminError) -> TransferDirection {
        try Self.find(word, TransferDirection.allCases, Self.of)
    }

    static func of(_ transferClass: TransferClass) -> String { transferClass.word }

    static func transferClass(_ word: String) throws(AdminError) -> TransferClass {
        try Self.find(word, TransferClass.allCases, Self.of)
    }

    static func of(_ state: TransferState) -> String { state.word }

    static func transferState(_ word: String) throws(AdminError) -> TransferState {
        try Self.find(word, TransferState.allCases, Self.of)
    }

    /// A value that is spelt as its raw value.
    static func value<Value: RawRepresentable & CaseIterable>(
        _ key: String, _ fields: FieldReader
    ) throws(AdminError) -> Value where Value.RawValue == String {
        try Self.find(fields.text(key), Array(Value.allCases)) { $0.rawValue }
    }

    static func find<Value>(
        _ word: String, _ values: [Value], _ spelling: (Value) -> String
    ) throws(AdminError) -> Value {
        if let value = values.first(where: { spelling($0) == word }) { return value }
        let known = values.map(spelling).joined(separator: ", ")
        throw AdminError(.invalid, "\(word) is none of \(known)")
    }
}
