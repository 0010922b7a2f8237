import APIKit
import ByteCodec
import ChatModel
import Store
import Transfers
import Transport

/// One request that brings no bytes and gets none of a file: where an upload stands, what is under way, and orders to
/// change it.
final class QuestionExchange: FileExchange {
    let ticket: UInt64
    private let route: FileRoute
    private let responder: HTTPResponder
    private let context: FilesContext
    private let port: ExchangePort
    /// The header fields of tus, if it is spoken.
    private let fields: [(String, String)]
    /// Takes the exchange out of the gateway.
    private let leave: (UInt64) -> Void
    private var query: HTTPQuery?

    init(
        _ route: FileRoute, _ responder: HTTPResponder, context: FilesContext, port: ExchangePort,
        fields: [(String, String)], leave: @escaping (UInt64) -> Void
    ) {
        self.ticket = port.ticket
        self.route = route
        self.responder = responder
        self.context = context
        self.port = port
        self.fields = fields
        self.leave = leave
    }

    func begin(_ request: HTTPRequest) {
        self.query = HTTPQuery(request.query)
        let proved = self.port.back(to: Self.self) { (exchange, result: Result<APICaller, APIFailure>) in
            switch result {
            case .failure(let failure): exchange.refuse(failure)
            case .success(let caller):
                exchange.responder.connection?.authenticated()
                exchange.ask(FileCaller(caller).actor)
            }
        }
        self.context.api.prove(request, then: proved)
    }

    private func ask(_ actor: Actor) {
        let transfers = self.context.transfers
        switch self.route {
        case .tusStatus(let key): transfers.find(key, by: actor, then: self.answer { $0.status($1) })
        case .tusTerminate(let key):
            transfers.cancel(key, by: actor, then: self.answer { exchange, _ in exchange.respond(204) })
        case .transfer(let key): transfers.find(key, by: actor, then: self.answer { $0.show($1) })
        case .change(let key, let change): self.change(key, change, actor)
        case .transfers: self.list(actor)
        case .deleteFile(let key): self.delete(key, actor)
        case .tusOptions, .tusCreate, .tusAppend, .put, .form, .download, .downloadLink, .putLink, .formLink,
            .linkOptions, .formPicture, .picture:
            self.refuse(APIFailure(500, "the server has lost the request"))
        }
    }

    /// Brings a success to `show`, and answers a failure.
    private func answer<Value: Sendable>(
        _ show: @escaping @Sendable (QuestionExchange, Value) -> Void
    ) -> @Sendable (Result<Value, TransferError>) -> Void {
        self.port.back(to: Self.self) { exchange, result in
            switch result {
            case .success(let value): show(exchange, value)
            case .failure(let error): exchange.refuse(APIFailure(error))
            }
        }
    }

    // MARK: tus

    /// The offset of an upload, which is also told when it is complete.
    private func status(_ view: TransferView) {
        let record = view.record
        guard record.direction == .upload else { return self.refuse(APIFailure(TransferError.notFound)) }
        guard !record.state.isOver || record.state == .succeeded else {
            return self.refuse(APIFailure(TransferError.over(record.state)))
        }
        self.context.services.store.read(
            for: .server,
            { transaction throws(StoreError) in try transaction.files.file(record.file)?.metadata },
            then: self.port.back(to: Self.self) { exchange, result in
                switch result {
                case .success(let metadata): exchange.status(record, metadata)
                case .failure(let error): exchange.refuse(APIFailure(error))
                }
            })
    }

    private func status(_ record: TransferRecord, _ metadata: [UInt8]?) {
        var fields =
            UploadAnswer.progress(record) + [
                ("Cache-Control", "no-store"), (FileWording.fileField, record.file.text),
            ]
        if let size = record.size { fields.append(("Upload-Length", String(size))) }
        if let text = UploadOrder.uploadMetadata(metadata) { fields.append(("Upload-Metadata", text)) }
        self.respond(200, fields)
    }

    // MARK: Transfers

    private func show(_ view: TransferView) { self.finish { $0.send(.json(view.json)) } }

    private func change(_ key: TransferKey, _ change: FileRoute.TransferChange, _ actor: Actor) {
        let then: Transfers.Answer = self.answer { $0.show($1) }
        switch change {
        case .suspend: self.context.transfers.suspend(key, by: actor, then: then)
        case .resume: self.context.transfers.resume(key, by: actor, then: then)
        case .cancel: self.context.transfers.cancel(key, by: actor, then: then)
        }
    }

    /// One's own; all for the manager.
    private func list(_ actor: Actor) {
        var query = TransferQuery()
        if !actor.isPrivileged { query.owner = actor.user }
        query.includesOver = self.query?["all"] == "1"
        switch self.query?["direction"] {
        case "upload"?: query.direction = .upload
        case "download"?: query.direction = .download
        default: break
        }
        if let text = self.query?["limit"] {
            guard let limit = Int(text), (1...1000).contains(limit) else {
                return self.refuse(.bad("limit must be 1 to 1000"))
            }
            query.limit = limit
        }
        self.context.transfers.list(
            query,
            then: self.answer { (exchange, views: [TransferView]) in
                let body = JSONValue.object([JSONValue.Member("transfers", .array(views.map(\.json)))])
                exchange.finish { $0.send(.json(body)) }
            })
    }

    private func delete(_ key: FileKey, _ actor: Actor) {
        self.context.services.store.write(
            { transaction throws(StoreError) in try transaction.files.deleteFile(key, by: actor) },
            then: self.port.back(to: Self.self) { (exchange, result: Result<Void, StoreError>) in
                switch result {
                case .success: exchange.respond(204)
                case .failure(let error): exchange.refuse(APIFailure(error))
                }
            })
    }

    // MARK: The end

    private func respond(_ status: Int, _ headers: [(String, String)] = []) {
        self.finish { [fields] in $0.respond(status: status, headers: fields + headers) }
    }

    private func refuse(_ failure: APIFailure) { self.finish { [fields] in $0.send(failure, fields) } }

    private func finish(_ send: (HTTPResponder) -> Void) {
        self.leave(self.ticket)
        send(self.responder)
    }
}
