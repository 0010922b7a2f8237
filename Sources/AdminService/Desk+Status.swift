import Accounts
import AdminAPI
import Broker
import CLinux
import Diagnostics
import Glibc
import Store

extension Desk {
    func status(_ then: @escaping Answer) {
        self.broker.figures { broker in
            self.read(then) { transaction throws(StoreError) in
                .status(self.status(broker, try transaction.counts()))
            }
        }
    }

    private func status(_ broker: BrokerFigures, _ counts: StoreCounts) -> AdminStatus {
        let store = self.store.figures
        let figures = [
            AdminFigure("sessions", Int64(broker.sessions)), AdminFigure("usersOnline", Int64(broker.usersOnline)),
            AdminFigure("users", counts.users), AdminFigure("conversations", counts.conversations),
            AdminFigure("messages", counts.messages), AdminFigure("tokens", counts.tokens),
            AdminFigure("published", broker.published), AdminFigure("delivered", broker.delivered),
            AdminFigure("duplicates", broker.duplicates), AdminFigure("refused", broker.refused),
            AdminFigure("rateLimited", broker.rateLimited), AdminFigure("busy", broker.busy),
            AdminFigure("commandsNotKept", broker.commandsNotKept),
            AdminFigure("commits", store.commits), AdminFigure("batchP50", store.batchP50),
            AdminFigure("commitP50Microseconds", store.commitP50Microseconds),
            AdminFigure("commitP99Microseconds", store.commitP99Microseconds),
            AdminFigure("logBytes", store.logBytes), AdminFigure("freeBytes", store.freeBytes),
        ]
        let queues = [
            AdminLimit(
                name: "queueRequests", unit: "requests", current: store.queueRequests, peak: store.queueRequestsPeak,
                maximum: store.queueRequestsMaximum, refusals: store.busyRefusals),
            AdminLimit(
                name: "queueBytes", unit: "bytes", current: store.queueBytes, peak: store.queueBytesPeak,
                maximum: store.queueBytesMaximum, refusals: store.busyRefusals),
        ]
        return AdminStatus(
            version: self.options.version, processID: Int64(getpid()), dataFolder: self.options.folder,
            startedAtMilliseconds: self.startedAtMilliseconds, addresses: self.options.addresses,
            troubles: Self.troubles(store) + self.options.moreTroubles(),
            figures: figures + self.options.moreFigures(),
            limits: queues + self.options.limits.map { AdminLimit($0) })
    }

    private static func troubles(_ store: StoreFigures) -> [String] {
        var troubles: [String] = []
        if store.hasFailed { troubles.append("the disk or the database failed: nothing is taken any more; restart") }
        if store.isReadOnly {
            troubles.append(
                "no space left on the disk: messages are refused; free some room and teahouse goes on by itself")
        }
        return troubles
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

extension AdminLimit {
    init(_ limit: Limit) {
        self.init(
            name: limit.name, unit: limit.unit, current: limit.current, peak: limit.peak, maximum: limit.maximum,
            refusals: limit.refusals)
    }
}
