package import ChatModel
package import LeanCloudWire

/// The names that LeanCloud's clients know things by.
package enum LeanCloudNames {
    /// A message's id as clients see it: 22 characters. The first 8 bytes are ours, so that as bytes they sort like the
    /// sequence; the others are a mix of them, so that what another server made is not taken for one of ours.
    package static func messageID(_ id: MessageID) -> String {
        let number = UInt64(bitPattern: id.rawValue)
        return LeanCloudMessageID(high: number, low: Self.mix(number)).description
    }

    /// - Returns: `nil` for what is no id of ours.
    package static func messageID(_ text: String) -> MessageID? {
        LeanCloudMessageID(text).flatMap { Self.messageID($0) }
    }

    /// - Returns: `nil` for what is no id of ours.
    package static func messageID(_ id: LeanCloudMessageID) -> MessageID? {
        let number = Int64(bitPattern: id.high)
        return number > 0 && id.low == Self.mix(id.high) ? MessageID(rawValue: number) : nil
    }

    /// Spreads a number over all bits (the finisher of SplitMix64).
    private static func mix(_ number: UInt64) -> UInt64 {
        var value = number &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// A conversation's id as clients see it.
    package static func conversationID(_ id: ObjectID, _ kind: ConversationKind) -> String {
        kind == .temporary ? LeanCloudObjectID.temporaryPrefix + id.text : id.text
    }

    /// Where a client's `cid` leads; `nil` for what can be none.
    package static func address(cid: String) -> ConversationAddress? {
        let prefix = LeanCloudObjectID.temporaryPrefix
        let text = cid.hasPrefix(prefix) ? String(cid.dropFirst(prefix.count)) : cid
        return ObjectID(text).map { .object($0) }
    }

    /// `convType` of messages. Source: LeanCloud realtime, 1 normal, 2 chat room, 3 system, 4 temporary.
    package static func type(of kind: ConversationKind) -> Int32 {
        switch kind {
        case .room: 2
        case .service: 3
        case .temporary: 4
        case .direct, .group, .customerService, .community, .communityTopic, .data, .visitors, .agent, .agentGroup: 1
        }
    }
}
