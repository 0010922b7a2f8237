package import ChatModel
import Store
package import WuKongWire

/// Uids, devices and channels.
extension Translation {
    /// True when a text holds a character that WuKongIM uses to build its own ids, so that no uid and hardly any
    /// channel id may hold it. Source: WuKongIM server, checks of CONNECT and of /message/send.
    package static func isReserved(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "&") }
    }

    /// - Returns: `nil` for a uid that nobody may have.
    package static func userName(_ uid: String) -> UserName? { self.isReserved(uid) ? nil : UserName(uid) }

    /// The uid that a message is said to come from: empty for the server itself, at every gateway and in webhooks.
    /// Source: WuKongIM server 2.2.5, `MessageResp`.
    package static func senderUID(_ name: UserName) -> String { name == systemUserName ? "" : name.text }

    // MARK: Devices

    /// - Parameter flag: 0 app, 1 web, 2 desktop.
    /// - Returns: `nil` for any other. So is 99, the device of the system itself: in WuKongIM it passes every
    ///   permission check, and here only the server and the business key may do that.
    package static func deviceClass(_ flag: Int) -> DeviceClass? {
        switch flag {
        case 0: .app
        case 1: .web
        case 2: .desktop
        default: nil
        }
    }

    /// - Returns: `nil` for a class that no WuKongIM device has.
    package static func deviceFlag(_ deviceClass: DeviceClass) -> Int? {
        switch deviceClass {
        case .app: 0
        case .web: 1
        case .desktop: 2
        default: nil
        }
    }

    /// - Parameter level: 0 slave, 1 master.
    package static func deviceLevel(_ level: Int) -> DeviceLevel? { DeviceLevel(rawValue: Int64(level)) }

    // MARK: Channels

    /// The conversation that a channel id and type name, as somebody says it who is signed in: a person channel is the
    /// one with that person.
    ///
    /// - Returns: `nil` for a number that is no channel type, and for an id that no channel of the type may have.
    package static func address(channelID: String, type: Int) -> ConversationAddress? {
        guard let type = self.channelType(type) else { return nil }
        if type == .person { return self.userName(channelID).map { .direct($0) } }
        return self.channelName(channelID, type).map { .channel(self.conversationKind(type), $0) }
    }

    /// A channel id of this type. Ids of topics (`parent@topic`) and of agents (`person@agent`) are built with `@`; no
    /// other may hold a reserved character.
    ///
    /// - Returns: `nil` for an id that no channel of this type may have.
    package static func channelName(_ channelID: String, _ type: WuKongChannelType) -> ChannelName? {
        switch type {
        case .communityTopic, .agent:
            let parts = channelID.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            let isWhole = parts.allSatisfy { !$0.isEmpty && !self.isReserved(String($0)) }
            return isWhole ? ChannelName(channelID) : nil
        case .person, .group, .customerService, .community, .info, .data, .temporary, .live, .visitors, .agentGroup:
            return self.isReserved(channelID) ? nil : ChannelName(channelID)
        }
    }

    /// - Returns: `nil` for a number that is no channel type of WuKongIM.
    package static func channelType(_ type: Int) -> WuKongChannelType? {
        UInt8(exactly: type).flatMap(WuKongChannelType.init(rawValue:))
    }

    /// Kind of conversation for a channel type.
    package static func conversationKind(_ type: WuKongChannelType) -> ConversationKind {
        switch type {
        case .person: .direct
        case .group: .group
        case .customerService: .customerService
        case .community: .community
        case .communityTopic: .communityTopic
        case .info: .service
        case .data: .data
        case .temporary: .temporary
        case .live: .room
        case .visitors: .visitors
        case .agent: .agent
        case .agentGroup: .agentGroup
        }
    }

    /// Channel type for a kind of conversation.
    package static func channelType(_ kind: ConversationKind) -> WuKongChannelType {
        switch kind {
        case .direct: .person
        case .group: .group
        case .customerService: .customerService
        case .community: .community
        case .communityTopic: .communityTopic
        case .service: .info
        case .data: .data
        case .temporary: .temporary
        case .room: .live
        case .visitors: .visitors
        case .agent: .agent
        case .agentGroup: .agentGroup
        }
    }

    /// The channel id under which somebody sees a conversation.
    ///
    /// In a person channel that is the other person. Source: WuKongIM server, fan-out of person channels.
    ///
    /// - Parameter other: in a direct conversation, the one who is not the asker.
    package static func channelID(channel: ChannelName?, other: UserName?) -> String {
        channel?.text ?? other?.text ?? ""
    }

    /// The id under which WuKongIM stores a person channel: both uids, in an order of its own.
    package static func personChannelID(_ first: UserName, _ second: UserName) -> String {
        PersonChannel.fakeID(of: first.text, and: second.text)
    }

    /// The two people of a `personChannelID`, in its order; `nil` when it is none.
    package static func people(ofPersonChannel id: String) -> (first: UserName, second: UserName)? {
        let parts = id.split(separator: PersonChannel.separator, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = self.userName(String(parts[0])),
            let second = self.userName(String(parts[1]))
        else { return nil }
        return (first, second)
    }
}
