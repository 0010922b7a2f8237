package import ChatModel

/// A value that has one word, on the socket, in commands and in the console.
package protocol AdminWord: CaseIterable, Equatable, Sendable {
    var word: String { get }
}

extension AdminWord {
    /// - Returns: `nil` for a word of none.
    package init?(word: String) {
        guard let value = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = value
    }

    /// Words of all values.
    package static var words: [String] { Self.allCases.map(\.word) }
}

extension AdminText where Self: AdminWord {
    static var sample: Self { Self.allCases.first! }
    var spelling: String { self.word }
    init?(spelling: String) { self.init(word: spelling) }
    static func refusal(of text: String, _ key: String) -> AdminError {
        AdminError(.invalid, "\(text) is none of \(Self.words.joined(separator: ", "))")
    }
}

extension AdminWord where Self: RawRepresentable, RawValue == String {
    /// Raw value.
    package var word: String { self.rawValue }
}

extension UserRole: AdminWord, AdminText {
    /// Word of the role.
    package var word: String {
        switch self {
        case .member: "member"
        case .administrator: "administrator"
        }
    }
}

extension DeviceLevel: AdminWord, AdminText {
    /// Both levels.
    package static var allCases: [DeviceLevel] { [.primary, .secondary] }
    /// Word of the level.
    package var word: String {
        switch self {
        case .primary: "primary"
        case .secondary: "secondary"
        }
    }
}

extension PersonalList: AdminWord, AdminText {}

extension ConversationKind: AdminWord, AdminText {
    /// Word of the kind.
    package var word: String {
        switch self {
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
}

extension MemberRole: AdminWord, AdminText {}

extension AuditStage: AdminWord, AdminText {
    /// Word of the stage.
    package var word: String {
        switch self {
        case .asked: "asked"
        case .done: "done"
        }
    }
}

extension MessageSketch.Form: AdminWord, AdminText {
    /// A form that a newer server knows is shown as unknown.
    init?(spelling: String) { self = Self(word: spelling) ?? .unknown }
}

extension AuditSource: AdminWord, AdminText {}
extension AnnouncementAudience: AdminWord, AdminText {}
extension TeamCardRow.Name: AdminWord, AdminText {}
extension TransferClass: AdminWord, AdminText {}
extension TransferDirection: AdminWord, AdminText {}
extension TransferState: AdminWord, AdminText {}
extension WordAction: AdminWord, AdminText {}

// MARK: Teams

extension TeamForm: AdminWord, AdminText {}
extension TeamJoinMode: AdminWord, AdminText {}
extension TeamInviteMode: AdminWord, AdminText {}
extension TeamBeInvitedMode: AdminWord, AdminText {}
extension TeamUpdateMode: AdminWord, AdminText {}
extension TeamMuteMode: AdminWord, AdminText {}

extension TeamOwnerLeaving: AdminWord, AdminText {
    /// Word of the effect of the owner's leaving.
    package var word: String {
        switch self {
        case .transferFirst: "transfer-first"
        case .successor: "successor"
        }
    }
}

extension TeamRequestKind: AdminWord, AdminText {}
extension TeamRequestState: AdminWord, AdminText {}
