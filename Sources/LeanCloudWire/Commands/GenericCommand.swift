/// One frame in either direction: what is to be done, for whom, and the message that `cmd` calls for.
/// // Property names here and in the other messages are those of the schema, so that they can be looked up.
/// // Source: schema `push_server.messages2`, which all SDKs share; field 100 and 117 are in the newer ones.
package struct GenericCommand: ProtobufMessage {
    /// Written even when it is 0, which is `session`.
    package var cmd: CommandType?
    /// Operation within `cmd`; absent where the command has only one.
    package var op: OpType?
    /// The app; with `session/open` and `login`.
    package var appId: String?
    /// The client that a command comes from or goes to.
    package var peerId: String?
    /// The request's number, any value: it may be 0 or negative. Absent on pushes, and where no answer is wanted.
    package var i: Int32?
    /// The device, for offline pushes.
    package var installationId: String?
    /// In chat rooms: 1 high, 2 normal, 3 low.
    package var priority: Int32?
    /// 0 offline push, 1 live query, 2 messaging. Some SDKs drop pushes without it.
    package var service: Int32?
    /// UTC milliseconds at the server.
    package var serverTs: Int64?
    /// UTC milliseconds at the client; live query.
    package var clientTs: Int64?
    /// 1: the client can fetch this push again later; 2: it may be lost.
    package var notificationType: Int32?
    /// With `login`.
    @Boxed package var loginMessage: LoginCommand?
    /// With `data`.
    @Boxed package var dataMessage: DataCommand?
    /// With `session`.
    @Boxed package var sessionMessage: SessionCommand?
    /// With `error`.
    @Boxed package var errorMessage: ErrorCommand?
    /// With `direct`.
    @Boxed package var directMessage: DirectCommand?
    /// With `ack`.
    @Boxed package var ackMessage: AckCommand?
    /// With `unread`.
    @Boxed package var unreadMessage: UnreadCommand?
    /// With `read`.
    @Boxed package var readMessage: ReadCommand?
    /// With `rcp`.
    @Boxed package var rcpMessage: RcpCommand?
    /// With `logs`.
    @Boxed package var logsMessage: LogsCommand?
    /// With `conv`.
    @Boxed package var convMessage: ConvCommand?
    /// With `room`; legacy.
    @Boxed package var roomMessage: RoomCommand?
    /// With `presence`; no current SDK uses it.
    @Boxed package var presenceMessage: PresenceCommand?
    /// With `report`.
    @Boxed package var reportMessage: ReportCommand?
    /// With `patch`.
    @Boxed package var patchMessage: PatchCommand?
    /// With `pubsub`; no current SDK uses it.
    @Boxed package var pubsubMessage: PubsubCommand?
    /// With `blacklist`.
    @Boxed package var blacklistMessage: BlacklistCommand?
    /// With `loggedin`.
    @Boxed package var loggedinMessage: LoggedinCommand?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "cmd", &self.cmd)
        try fields.optional(2, "op", &self.op)
        try fields.optional(3, "appId", &self.appId)
        try fields.optional(4, "peerId", &self.peerId)
        try fields.optional(5, "i", &self.i)
        try fields.optional(6, "installationId", &self.installationId)
        try fields.optional(7, "priority", &self.priority)
        try fields.optional(8, "service", &self.service)
        try fields.optional(9, "serverTs", &self.serverTs)
        try fields.optional(10, "clientTs", &self.clientTs)
        try fields.optional(11, "notificationType", &self.notificationType)
        try fields.optional(100, "loginMessage", &self._loginMessage)
        try fields.optional(101, "dataMessage", &self._dataMessage)
        try fields.optional(102, "sessionMessage", &self._sessionMessage)
        try fields.optional(103, "errorMessage", &self._errorMessage)
        try fields.optional(104, "directMessage", &self._directMessage)
        try fields.optional(105, "ackMessage", &self._ackMessage)
        try fields.optional(106, "unreadMessage", &self._unreadMessage)
        try fields.optional(107, "readMessage", &self._readMessage)
        try fields.optional(108, "rcpMessage", &self._rcpMessage)
        try fields.optional(109, "logsMessage", &self._logsMessage)
        try fields.optional(110, "convMessage", &self._convMessage)
        try fields.optional(111, "roomMessage", &self._roomMessage)
        try fields.optional(112, "presenceMessage", &self._presenceMessage)
        try fields.optional(113, "reportMessage", &self._reportMessage)
        try fields.optional(114, "patchMessage", &self._patchMessage)
        try fields.optional(115, "pubsubMessage", &self._pubsubMessage)
        try fields.optional(116, "blacklistMessage", &self._blacklistMessage)
        try fields.optional(117, "loggedinMessage", &self._loggedinMessage)
    }
}
