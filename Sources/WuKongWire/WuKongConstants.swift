/// Why WuKongIM refuses something, or that it does not: 1 is success.
///
/// Source: WuKongIM v2.2.5 reason codes; the JSON documentation that gives 0 for success is wrong, code and SDKs use 1.
package enum WuKongReason: Int, Hashable, Sendable, CaseIterable {
    case unknown = 0
    case success = 1
    case authFail = 2
    /// The sender is no member of the channel.
    case subscriberNotExist = 3
    case inBlacklist = 4
    case channelNotExist = 5
    case userNotOnNode = 6
    case senderOffline = 7
    case messageKeyError = 8
    case payloadDecodeError = 9
    case forwardSendFailed = 10
    case notAllowSend = 11
    /// The same device signed in again, or an administrator closed the session.
    case connectKick = 12
    case notInWhitelist = 13
    case queryTokenError = 14
    case systemError = 15
    case channelIDError = 16
    case nodeMatchError = 17
    case nodeNotMatch = 18
    /// The user or the channel is banned.
    case ban = 19
    case notSupportHeader = 20
    case clientKeyEmpty = 21
    case rateLimit = 22
    case notSupportChannelType = 23
    case disband = 24
    /// The sender may not send anything.
    case sendBan = 25
}

/// Kind of conversation that a channel ID names.
///
/// Source: WuKongIM v2.2.5 channel types.
package enum WuKongChannelType: UInt8, Hashable, Sendable, CaseIterable {
    case person = 1
    case group = 2
    case customerService = 3
    case community = 4
    case communityTopic = 5
    case info = 6
    case data = 7
    case temporary = 8
    case live = 9
    case visitors = 10
    case agent = 11
    case agentGroup = 12
}

/// The flags of a frame's header.
package struct WuKongHeader: Hashable, Sendable {
    /// Push it to who is online and store nothing.
    package var noPersist: Bool
    /// Count it as unread.
    package var redDot: Bool
    /// A command that each user's devices read once.
    package var syncOnce: Bool
    /// A resend.
    package var dup: Bool

    package init(noPersist: Bool = false, redDot: Bool = false, syncOnce: Bool = false, dup: Bool = false) {
        self.noPersist = noPersist
        self.redDot = redDot
        self.syncOnce = syncOnce
        self.dup = dup
    }

    /// True when no flag is set.
    package var isEmpty: Bool { self == WuKongHeader() }
}

/// The setting byte of a message, in the JSON encoding an object with one boolean per flag.
///
/// Source: WuKongIM v2.2.5 binary protocol, setting byte. `noEncrypt` has no member in the JSON encoding.
package struct WuKongSetting: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let receipt = WuKongSetting(rawValue: 0x80)
    package static let signal = WuKongSetting(rawValue: 0x20)
    package static let noEncrypt = WuKongSetting(rawValue: 0x10)
    package static let topic = WuKongSetting(rawValue: 0x08)
    package static let stream = WuKongSetting(rawValue: 0x02)
}

/// Error codes that JSON-RPC 2.0 reserves (section 5.1).
package enum JSONRPCErrorCode: Int, Hashable, Sendable {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
}
