package import AdminAPI
package import Backup
package import Diagnostics
package import Execution
package import Search

/// Options of the admin service: facts about the server around it.
package struct AdminServiceOptions: Sendable {
    /// The data folder. Its lock must be held: a socket file that is there is replaced.
    package var folder: String
    /// Version of teahouse.
    package var version: String
    /// Where clients connect, for `status`.
    package var addresses: [String]
    /// Address of the server for links that leave this machine, `http://192.168.1.5:7677`; `nil` for the first of
    /// `addresses`. Any thread.
    package var publicAddress: @Sendable () -> String? = { nil }
    /// Address that imported messages get for files, as the operator has set it; `nil` for none.
    package var filesAddress: String?
    /// Roles of other accounts of this machine.
    package var operators = OperatorRules()
    /// Account at the other side of a connection; the kernel says it.
    package var peer: @Sendable (_ connection: Int32) -> OperatorPeer? = { OperatorPeer(connection: $0) }
    /// Connections at once; one more is told that the server is busy. Accounts other than root and the server's own get
    /// half of them.
    package var clients = 64
    /// Requests of one connection under way; more are read when those are answered.
    package var requestsUnderWay = 8
    /// Bytes that may wait for a connection that does not read: above it nothing more is read from it, and the events
    /// it follows are left out and counted.
    package var waitingBytes = 2 * AdminProtocol.maximumLineBytes
    /// Bounds of other parts that `status` shows.
    package var limits: [Limit]
    /// Metrics and troubles of other parts that `status` shows. Any thread.
    package var moreMetrics: @Sendable () -> [AdminMetric] = { [] }
    /// Troubles that other parts report.
    package var moreTroubles: @Sendable () -> [String] = { [] }
    /// The settings of the server's file; `nil` when there is no such file.
    package var serverSettings: ServerSettings?
    /// The cloud functions that are called; `nil` when none are.
    package var functions: ServerFunctions?
    /// The index of messages; `nil` when there is none.
    package var search: SearchIndex?
    /// The backups of the server; `nil` when it makes none.
    package var backups: BackupService?
    /// Clock of the service.
    package var clock = Clock.system
    /// Log of the service.
    package var log = Log.silent

    package init(folder: String, version: String, addresses: [String], limits: [Limit] = []) {
        self.folder = folder
        self.version = version
        self.addresses = addresses
        self.limits = limits
    }
}
