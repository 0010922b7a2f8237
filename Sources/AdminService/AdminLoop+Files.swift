import AdminAPI
import ChatModel
import Execution
import Store
import Transfers

/// Watches, uploads and checks that belong to one connection.
extension AdminLoop {
    func start(_ request: AdminTransferRequest, at handler: AdminHandler, _ key: Int, _ id: Int64) {
        guard let client = self.clients[key] else { return }
        let mailbox = self.mailbox
        switch request {
        case .watch(let owner):
            self.handler.userID(owner, { mailbox.post(.answer(client: key, request: id, $0)) }) {
                mailbox.post(.watchTransfers(client: key, request: id, owner: $0))
            }
        case .upload(let upload):
            guard client.upload == nil && !client.isOpeningUpload else {
                return self.refuse(.refused, "this connection has an upload open already: finish it first", key, id)
            }
            client.isOpeningUpload = true
            handler.open(upload) { opened in mailbox.post(.uploadOpened(client: key, request: id, opened)) }
        case .piece(let piece): self.takePiece(piece, client, key, id)
        case .finishUpload:
            guard let upload = client.upload else { return self.refuseWithoutUpload(key, id) }
            client.upload = nil
            // Pieces that wait for room are part of it: their answers need not wait for the disk.
            for request in upload.takeWaiting() {
                self.answered(key, request.id, .success(.transfers(.taken(request.offset))))
            }
            upload.flow.end { mailbox.post(.answer(client: key, request: id, AdminHandler.answer($0))) }
        case .list, .change:
            handler.answerRequest(.transfers(request)) { mailbox.post(.answer(client: key, request: id, $0)) }
        }
    }

    private func refuse(_ code: AdminError.Code, _ words: String, _ key: Int, _ id: Int64) {
        self.answered(key, id, .failure(AdminError(code, words)))
    }

    private func refuseWithoutUpload(_ key: Int, _ id: Int64) {
        self.refuse(.invalid, "this connection has no upload open", key, id)
    }

    // MARK: Uploads

    func opened(_ opened: OpenedUpload, _ key: Int, _ id: Int64) {
        guard let client = self.clients[key] else {
            if case .success(let upload) = opened.result { upload.flow.abandon() }
            return
        }
        client.isOpeningUpload = false
        switch opened.result {
        case .failure(let error): self.answered(key, id, .failure(error))
        case .success(let upload):
            client.upload = ConnectionUpload(upload.flow)
            let mailbox = self.mailbox
            let transfer = upload.flow.key
            upload.flow.setWhenRoom { mailbox.post(.uploadRoom(client: key, transfer)) }
            self.answered(key, id, .success(.transfers(.one(upload.transfer))))
        }
    }

    private func takePiece(_ piece: AdminPiece, _ client: AdminConnection, _ key: Int, _ id: Int64) {
        guard let upload = client.upload else { return self.refuseWithoutUpload(key, id) }
        guard piece.offset == upload.offset else {
            return self.refuse(.invalid, "the upload goes on at byte \(upload.offset)", key, id)
        }
        let hasRoom = upload.push(piece.bytes)
        if let failure = upload.flow.failure { return self.fail(upload, failure, client, key, also: id) }
        guard hasRoom else { return upload.wait(id) }
        self.answered(key, id, .success(.transfers(.taken(upload.offset))))
    }

    func uploadHasRoom(_ transfer: TransferKey, _ key: Int) {
        guard let client = self.clients[key], let upload = client.upload, upload.flow.key == transfer else { return }
        if let failure = upload.flow.failure {
            // Without a piece that waits, the next one is told.
            return upload.hasWaiting ? self.fail(upload, failure, client, key, also: nil) : ()
        }
        for request in upload.takeWaiting() {
            self.answered(key, request.id, .success(.transfers(.taken(request.offset))))
        }
    }

    /// The upload is over; every piece that waits is told why.
    private func fail(
        _ upload: ConnectionUpload, _ failure: TransferError, _ client: AdminConnection, _ key: Int, also id: Int64?
    ) {
        client.upload = nil
        let error = AdminError(failure)
        for request in upload.takeWaiting().map(\.id) + [id].compactMap({ $0 }) {
            self.answered(key, request, .failure(error))
        }
        upload.flow.abandon()
    }

    // MARK: Watching

    func watchTransfers(of owner: UserID?, _ key: Int, _ id: Int64) {
        guard let client = self.clients[key] else { return }
        guard let transfers = self.handler.transfers else { return self.answered(key, id, .failure(.noFiles)) }
        let mailbox = self.mailbox
        let watch = transfers.watch(owner: owner) { news in
            mailbox.post(.moved(client: key, request: id, news.map { AdminTransfer($0) }))
        }
        client.watches[id] = TransferFollow(watch)
        self.answered(key, id, .success(.following))
    }

    // MARK: Checking

    func verify(_ file: FileKey?, _ key: Int, _ id: Int64) {
        let wish = CheckWish(self.options.clock)
        self.clients[key]?.checks[id] = wish
        let mailbox = self.mailbox
        self.handler.verify(file, wish, progress: { mailbox.post(.progress(client: key, request: id, .checking($0))) })
        {
            mailbox.post(.answer(client: key, request: id, $0))
        }
    }
}

/// An upload that a connection has open. Confined to the admin thread.
final class ConnectionUpload {
    let flow: UploadFlow
    /// Where the next piece begins.
    private(set) var offset: Int64
    /// Pieces that are answered when there is room for more.
    private var waiting: [(id: Int64, offset: Int64)] = []

    init(_ flow: UploadFlow) {
        self.flow = flow
        self.offset = flow.offset
    }

    /// - Returns: whether the piece may be answered now.
    func push(_ bytes: [UInt8]) -> Bool {
        self.offset += Int64(bytes.count)
        return self.flow.push(bytes)
    }

    func wait(_ request: Int64) { self.waiting.append((request, self.offset)) }

    var hasWaiting: Bool { !self.waiting.isEmpty }

    func takeWaiting() -> [(id: Int64, offset: Int64)] {
        defer { self.waiting = [] }
        return self.waiting
    }
}

/// Outcome of opening an upload for a connection.
struct OpenedUpload: Sendable {
    var result: Result<(flow: UploadFlow, transfer: AdminTransfer), AdminError>
}

/// A watch of transfers and what it has not told yet: of each transfer only the newest, so that who reads slowly misses
/// steps on the way and never an end.
struct TransferFollow {
    /// Most transfers that are held; of more, the news are counted as missed.
    private static let maximumHeld = 2_000
    /// Most transfers in one line.
    private static let together = 100

    private let watch: TransferWatch
    private var order: [TransferKey] = []
    private var held: [TransferKey: AdminTransfer] = [:]
    private var missed: Int64 = 0

    init(_ watch: TransferWatch) { self.watch = watch }

    mutating func takeTransfers(_ news: [AdminTransfer]) {
        for transfer in news {
            if self.held[transfer.key] == nil {
                guard self.order.count < Self.maximumHeld else {
                    self.missed += 1
                    continue
                }
                self.order.append(transfer.key)
            }
            self.held[transfer.key] = transfer
        }
    }

    /// The next line's worth; `nil` when all is told.
    mutating func next() -> AdminEvent? {
        if self.missed > 0 {
            defer { self.missed = 0 }
            return .missed(self.missed)
        }
        guard !self.order.isEmpty else { return nil }
        let keys = self.order.prefix(Self.together)
        let transfers = keys.compactMap { self.held.removeValue(forKey: $0) }
        self.order.removeFirst(keys.count)
        return .transfers(transfers)
    }
}

/// That somebody still wants a check, and when they were last told of it. Any thread.
final class CheckWish: Sendable {
    /// Reports are no more often than this.
    private static let reportMilliseconds: Int64 = 200

    private let state: Lock<(isWanted: Bool, toldAt: Instant?)>
    private let clock: Clock

    init(_ clock: Clock) {
        self.state = Lock((isWanted: true, toldAt: nil))
        self.clock = clock
    }

    var isWanted: Bool { self.state.withLock { $0.isWanted } }

    func withdraw() { self.state.withLock { $0.isWanted = false } }

    /// True when it is time for another report.
    func mayReport() -> Bool {
        let now = self.clock.now()
        return self.state.withLock { state in
            if let told = state.toldAt, now.milliseconds(since: told) < Self.reportMilliseconds { return false }
            state.toldAt = now
            return true
        }
    }
}
