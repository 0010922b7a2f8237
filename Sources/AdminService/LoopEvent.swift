import AdminAPI
import Backup
import Broker
import ChatModel

/// Event for the admin thread from others.
enum LoopEvent: Sendable {
    case answer(client: Int, request: Int64, Result<AdminAnswer, AdminError>)
    /// A `follow` may begin; the conversation it is limited to.
    case follow(client: Int, request: Int64, Int64?, withSessions: Bool)
    case watching(WatchID)
    case happened([WatchEvent])
    /// How far a long request is.
    case progress(client: Int, request: Int64, AdminEvent)
    /// Request to watch the transfers of one owner; `nil` for everybody's.
    case watchTransfers(client: Int, request: Int64, owner: UserID?)
    case moved(client: Int, request: Int64, [AdminTransfer])
    case uploadOpened(client: Int, request: Int64, OpenedUpload)
    /// The upload of a connection has room for more, or has failed.
    case uploadRoom(client: Int, TransferKey)
    /// Metrics of the broker, for the history.
    case liveMetrics(BrokerMetrics)
    /// A backup may begin: the audit log has it.
    case backup(client: Int, request: Int64)
    case backupBegun(client: Int, request: Int64, Result<BackupFacts, BackupError>)
    /// An export may be read: the audit log has it.
    case exportBegun(client: Int, request: Int64, Result<OpenExport, AdminError>)
    case stop
}
