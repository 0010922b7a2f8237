/// Version 30: messages are acknowledged from a log beside the database, whose newest ones an older teahouse would miss.
let migration30Log = Migration(
    version: 30, sql: "", fill: { connection throws(StoreError) in try connection.nameLog() })

extension Connection {
    /// Gives the database the random number by which it knows its log.
    func nameLog() throws(StoreError) {
        try self.setMeta("log_store", Int64.random(in: 1...Int64.max))
        for key in ["log_run", "log_applied", "log_segments"] { try self.setMeta(key, 0) }
    }
}
