import Accounts
import AdminAPI
import Backup
import Broker
import CLinux
import ChatModel
import Diagnostics
import FileStore
import Glibc
import Profiles
import Store
import Transfers

extension AdminHandler {
    func status(_ then: @escaping Answer) {
        self.broker.metrics { broker in
            self.withLiveTransfers { transfers in
                self.read(then) { transaction throws(StoreError) in
                    var status = self.status(broker, try transaction.messages.counts())
                    try self.addFiles(transfers, to: &status, transaction)
                    self.addProfiles(to: &status)
                    status.lastBackup = LastBackup.read(in: self.options.folder).map { AdminLastBackup($0) }
                    status.upgradeCopy = UpgradeCopy.all(in: self.options.folder).last.map {
                        AdminUpgradeCopy(atMilliseconds: $0.atMilliseconds, schema: $0.from, bytes: $0.bytes)
                    }
                    status.publicAddress = self.options.publicAddress()
                    status.lastVerify = LastVerify.read(in: self.options.folder).map { AdminLastVerify($0) }
                    return .status(status)
                }
            }
        }
    }

    private func status(_ broker: BrokerMetrics, _ counts: StoreCounts) -> AdminStatus {
        let store = self.store.metrics
        let metrics = [
            AdminMetric("sessions", Int64(broker.sessions)), AdminMetric("usersOnline", Int64(broker.usersOnline)),
            AdminMetric("users", counts.users), AdminMetric("conversations", counts.conversations),
            AdminMetric("messages", counts.messages), AdminMetric("tokens", counts.tokens),
            AdminMetric("published", broker.published), AdminMetric("delivered", broker.delivered),
            AdminMetric("duplicates", broker.duplicates), AdminMetric("refused", broker.refused),
            AdminMetric("rateLimited", broker.rateLimited), AdminMetric("busy", broker.busy),
            AdminMetric("commandsNotKept", broker.commandsNotKept),
            AdminMetric("commits", store.commits), AdminMetric("batchP50", store.batchP50),
            AdminMetric("commitP50Microseconds", store.commitP50Microseconds),
            AdminMetric("commitP99Microseconds", store.commitP99Microseconds),
            AdminMetric("logRecords", store.logRecords), AdminMetric("logRecordBytes", store.logRecordBytes),
            AdminMetric("logOldestMilliseconds", store.logOldestMilliseconds),
            AdminMetric("logSegments", store.logSegments), AdminMetric("logSyncs", store.logSyncs),
            AdminMetric("logSyncMicroseconds", store.logSyncAllMicroseconds / max(1, store.logSyncs)),
            AdminMetric("logApplies", store.logApplies),
            AdminMetric("logBytes", store.logBytes), AdminMetric("freeBytes", store.freeBytes),
        ]
        return AdminStatus(
            version: self.options.version, processID: Int64(getpid()), dataFolder: self.options.folder,
            startedAtMilliseconds: self.startedAtMilliseconds, addresses: self.options.addresses,
            troubles: Self.troubles(store) + self.options.moreTroubles(),
            metrics: metrics + self.options.moreMetrics(),
            limits: self.limits)
    }

    /// Limits with the amount in use and the peak.
    var limits: [AdminLimit] {
        let store = self.store.metrics
        let queues = [
            AdminLimit(
                name: "commit_queue_requests", unit: "requests", current: store.queueRequests,
                peak: store.queueRequestsPeak,
                maximum: store.queueRequestsMaximum, refusals: store.busyRefusals),
            AdminLimit(
                name: "commit_queue_bytes", unit: "bytes", current: store.queueBytes, peak: store.queueBytesPeak,
                maximum: store.queueBytesMaximum, refusals: store.busyRefusals),
        ]
        return queues + self.options.limits.map { AdminLimit($0) }
    }

    private static func troubles(_ store: StoreMetrics) -> [String] {
        var troubles: [String] = []
        if store.hasFailed { troubles.append("the disk or the database failed: nothing is taken any more; restart") }
        if store.isReadOnly {
            troubles.append(
                "no space left on the disk: messages are refused; free some room and teahouse goes on by itself")
        }
        if case .doubted(let ahead) = store.clock {
            troubles.append(
                """
                the clock is \(Self.shownSpan(ahead)) of when the server was open last: nothing is deleted for its age; set \
                the clock right, or say that it is right: ctl setting set server.clock trusted
                """)
        }
        return troubles
    }

    /// `3 days ahead`, `12 hours behind`
    private static func shownSpan(_ milliseconds: Int64) -> String {
        let hours = Int64(milliseconds.magnitude / 3_600_000)
        let span = hours >= 48 ? "\(hours / 24) days" : "\(hours) hours"
        return milliseconds > 0 ? "\(span) ahead" : "\(span) behind"
    }

    // MARK: Files and profiles

    /// Goes on with the transfers that are not over, or with none when they cannot be had: the rest of the status
    /// matters more.
    private func withLiveTransfers(_ next: @escaping @Sendable ([TransferView]) -> Void) {
        guard let transfers = self.transfers else { return next([]) }
        var query = TransferQuery()
        query.limit = 1000
        transfers.list(query) { next((try? $0.get()) ?? []) }
    }

    /// On a thread that may block: the disk is asked how full it is.
    private func addFiles(
        _ live: [TransferView], to status: inout AdminStatus, _ transaction: ReadTransaction
    ) throws(StoreError) {
        guard let transfers = self.transfers else { return }
        let totals = try transaction.files.fileTotals()
        let metrics = transfers.metrics
        let speed: (TransferDirection) -> Int64 = { direction in
            live.filter { $0.record.direction == direction }.reduce(0) { $0 + $1.bytesPerSecond }
        }
        status.metrics += [
            AdminMetric("files.files", totals.files), AdminMetric("files.objects", totals.objects),
            AdminMetric("files.plainBytes", totals.plainBytes), AdminMetric("files.storedBytes", totals.storedBytes),
            AdminMetric("files.orphans", totals.unreferencedFiles),
            AdminMetric("files.damaged", totals.damagedObjects),
            AdminMetric("files.openUploads", Int64(live.count { $0.record.direction == .upload })),
            AdminMetric("files.liveUploads", metrics.liveUploads),
            AdminMetric("files.liveDownloads", metrics.liveDownloads),
            AdminMetric("files.uploadSpeedBytes", speed(.upload)),
            AdminMetric("files.downloadSpeedBytes", speed(.download)),
            AdminMetric("files.uploadedBytes", metrics.uploadedBytes),
            AdminMetric("files.downloadedBytes", metrics.downloadedBytes),
            AdminMetric("files.refusedFull", metrics.refusedFull),
        ]
        if let (room, stopsBelow) = transfers.room() {
            status.metrics.append(AdminMetric("files.freeBytes", room.freeBytes))
            status.metrics.append(AdminMetric("files.stopFreeBytes", stopsBelow))
            if room.freeBytes < stopsBelow {
                status.troubles.append(
                    """
                    too little room for files: \(room.freeBytes) bytes free, uploads are refused below \(stopsBelow) \
                    (files.stop_free_bytes, files.stop_free_percent); downloads and messages work; free some room and \
                    uploads go on by themselves
                    """)
            }
        }
        if totals.damagedObjects > 0 {
            status.troubles.append(
                """
                \(totals.damagedObjects) contents are damaged or missing on the disk: see ctl file list --damaged, upload \
                those files again, or restore a backup
                """)
        }
    }

    private func addProfiles(to status: inout AdminStatus) {
        guard let metrics = self.profiles?.metrics else { return }
        status.metrics += Self.metrics(of: metrics)
        status.troubles += Self.troubles(of: metrics)
    }

    // MARK: First run

    /// The setup token is a short file that only this process's user can read.
    func setupToken(_ then: @escaping Answer) {
        let descriptor = clinux_open("\(self.options.folder)/setup-token", O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return then(.success(.token(nil))) }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 256) { room, count in
            // SAFETY: `read` writes at most `room.count` bytes; a failure leaves the array empty.
            count = max(0, Glibc.read(descriptor, room.baseAddress, room.count))
        }
        let token = String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
        then(.success(.token(token.isEmpty ? nil : token)))
    }

    /// The key of the HTTP API; there is none before the first start that serves it.
    func managerToken(_ then: @escaping Answer) {
        do throws(StoreError) {
            then(.success(.token(try ManagerToken.text(in: self.options.folder))))
        } catch {
            then(.failure(AdminError(error)))
        }
    }
}

extension AdminLastVerify {
    init(_ last: LastVerify) {
        self.init(atMilliseconds: last.atMilliseconds, findings: last.findings, isQuick: last.isQuick)
    }
}

extension AdminLimit {
    init(_ limit: Limit) {
        self.init(
            name: limit.name, unit: limit.unit, current: limit.current, peak: limit.peak, maximum: limit.maximum,
            refusals: limit.refusals)
    }
}
