/// A client signs in, stays, is told to go, or asks who is online.
package struct SessionCommand: ProtobufMessage {
    /// When the signature was made; seconds or milliseconds, as the app's backend does it.
    package var t: Int64?
    /// The signature's nonce.
    package var n: String?
    /// The signature, hexadecimal in either case.
    package var s: String?
    /// Name and version of the SDK.
    package var ua: String?
    /// True when the SDK signs in again by itself; absent or `false` when a person did, which may end other sessions.
    package var r: Bool?
    /// The class of device of which one may be signed in.
    package var tag: String?
    /// Identifier that the device gives itself.
    package var deviceId: String?
    /// Clients asked about.
    package var sessionPeerIds: [String] = []
    /// Clients among them that are online.
    package var onlineSessionPeerIds: [String] = []
    /// The token with which a session is taken up again.
    package var st: String?
    /// Seconds that `st` lives.
    package var stTtl: Int32?
    /// Why a session was closed; absent when the client asked for it.
    package var code: Int32?
    /// Reason of a failure, in English.
    package var reason: String?
    /// Token of the platform's push service, or another name for the device.
    package var deviceToken: String?
    /// No SDK uses it.
    package var sp: Bool?
    /// Text for a developer, in English.
    package var detail: String?
    /// `UnreadCommand.notifTime` of the last one that the client has.
    package var lastUnreadNotifTime: Int64?
    /// `PatchCommand.lastPatchTime` of the last one that the client has.
    package var lastPatchTime: Int64?
    /// Abilities of the client.
    package var configBitmap: ConfigBitmap?
    /// Description of the device.
    package var systemInfo: SystemInfo?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "t", &self.t)
        try fields.optional(2, "n", &self.n)
        try fields.optional(3, "s", &self.s)
        try fields.optional(4, "ua", &self.ua)
        try fields.optional(5, "r", &self.r)
        try fields.optional(6, "tag", &self.tag)
        try fields.optional(7, "deviceId", &self.deviceId)
        try fields.repeated(8, "sessionPeerIds", &self.sessionPeerIds)
        try fields.repeated(9, "onlineSessionPeerIds", &self.onlineSessionPeerIds)
        try fields.optional(10, "st", &self.st)
        try fields.optional(11, "stTtl", &self.stTtl)
        try fields.optional(12, "code", &self.code)
        try fields.optional(13, "reason", &self.reason)
        try fields.optional(14, "deviceToken", &self.deviceToken)
        try fields.optional(15, "sp", &self.sp)
        try fields.optional(16, "detail", &self.detail)
        try fields.optional(17, "lastUnreadNotifTime", &self.lastUnreadNotifTime)
        try fields.optional(18, "lastPatchTime", &self.lastPatchTime)
        try fields.optional(19, "configBitmap", &self.configBitmap)
        try fields.optional(20, "systemInfo", &self.systemInfo)
    }
}
