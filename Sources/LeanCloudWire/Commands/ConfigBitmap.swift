/// Abilities of a client, sent when it signs in.
package struct ConfigBitmap: OptionSet, ProtobufNumber {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// It reads `patch` commands.
    package static let patchMessages = Self(rawValue: 1 << 0)
    /// It reads messages of temporary conversations.
    package static let temporaryConversations = Self(rawValue: 1 << 1)
    /// Its device and installation are bound by the server.
    package static let bindsInstallation = Self(rawValue: 1 << 2)
    /// It waits for the acknowledgement of transient messages too.
    package static let acknowledgesTransient = Self(rawValue: 1 << 3)
    /// It fetches the notifications that it missed.
    package static let keepsNotifications = Self(rawValue: 1 << 4)
    /// It reads `allowedPids` and `failedPids`.
    package static let partialFailures = Self(rawValue: 1 << 5)
    /// It shows receipts in groups.
    package static let groupReceipts = Self(rawValue: 1 << 6)
    /// It leaves `peerId` out while it is alone on its connection.
    package static let omitsPeerId = Self(rawValue: 1 << 7)
}
