import APIKit
import ChatModel
import Store
import Transfers
import Transport

/// One request that brings bytes of a file: waits until it is known who asks and whether they may, then lets the bytes
/// flow into the upload as fast as it takes them. `UploadExchangeState` decides; what is here carries it out.
///
/// While anything is being found out the connection is not read: what the peer sends meanwhile waits in the kernel. A
/// suspended upload takes nothing, so its connection waits in the same way, for as long as it takes.
final class UploadExchange: FileExchange, BodyReceiver {
    let ticket: UInt64
    let connectionID: ConnectionID
    private let context: FilesContext
    private let port: ExchangePort
    private unowned let reactor: Reactor
    /// The header fields of tus, if it is spoken.
    private let fields: [(String, String)]
    /// Address of this server for what goes into messages; `nil` for a client that does not name it.
    private let base: String?
    /// Takes the exchange out of the gateway.
    private let leave: (UInt64) -> Void

    private var state: UploadExchangeState
    /// Body of a form, as far as it has come; `nil` for a body that is the file.
    private var form: FormBody?
    /// Way into the upload, once there is one.
    private var flow: UploadFlow?
    /// Place of the answer, once the body is whole.
    private var responder: HTTPResponder?

    init(
        _ order: UploadOrder, _ request: HTTPRequest, on connection: Connection, context: FilesContext,
        port: ExchangePort,
        fields: [(String, String)], leave: @escaping (UInt64) -> Void
    ) throws(APIFailure) {
        self.ticket = port.ticket
        self.context = context
        self.port = port
        self.connectionID = connection.id
        self.reactor = connection.reactor
        self.fields = fields
        self.leave = leave
        self.base = context.services.messageAddress(asked: request.serverAddress)
        let isChunked = request.headers["transfer-encoding"] != nil
        let length = request.headers["content-length"].flatMap(TusFields.number) ?? 0
        self.state = UploadExchangeState(order, length: isChunked ? nil : length)
        if case .form(let contentType) = order.kind {
            do throws(FormError) {
                self.form = try FormBody(contentType: contentType)
            } catch {
                throw .bad(error.description)
            }
        }
    }

    private var connection: Connection? { self.reactor.connection(self.connectionID) }

    /// Something for any thread that has the state decide about an answer, and carries out what follows.
    private func back<Value: Sendable>(
        _ decide: @escaping @Sendable (inout UploadExchangeState, Value) -> [UploadExchangeState.Action]
    ) -> @Sendable (Value) -> Void {
        self.port.back(to: Self.self) { (exchange, value: Value) in exchange.perform(decide(&exchange.state, value)) }
    }

    // MARK: What happens

    /// Finds out who asks; the connection must not be read until it is known.
    func begin(_ request: HTTPRequest) {
        guard let key = self.state.order.link else {
            return self.context.api.prove(
                request,
                then: self.back { (state, result: Result<APICaller, APIFailure>) in
                    state.proved(result.map { FileCaller($0) })
                })
        }
        let used = self.back { (state, result: Result<UploadLink, APIFailure>) in state.usedLink(result) }
        if let failure = self.context.api.takeFromAddress(request) { return used(.failure(failure)) }
        self.context.services.store.write({ transaction throws(StoreError) in try transaction.files.useUploadLink(key) }
        ) {
            result in
            used(result.mapError { APIFailure($0) })
        }
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        switch self.state.received() {
        case .flow:
            self.push(Array(bytes))
            self.readOrWait()
        case .form:
            self.form?.add(bytes)
            self.takeBody()
        case .nowhere: break
        case .refused(let actions): self.perform(actions)
        }
    }

    /// The body has come to its end.
    func complete(_ responder: HTTPResponder) {
        self.responder = responder
        var failure: APIFailure?
        do throws(FormError) {
            try self.form?.end()
        } catch {
            failure = .bad(error.description)
        }
        self.perform(self.state.completed(failure))
    }

    func cancelled() { self.perform(self.state.cancelled()) }

    // MARK: What is done

    private func perform(_ actions: [UploadExchangeState.Action]) { for action in actions { self.perform(action) } }

    private func perform(_ action: UploadExchangeState.Action) {
        switch action {
        case .authenticate: self.connection?.authenticated()
        case .findOwner(let name, let caller): self.findOwner(name, for: caller)
        case .create(let order, let rights): self.create(order, rights)
        case .open(let key, let offset, let length, let checksum, let actor):
            self.open(key, at: offset, length: length, checksum, by: actor)
        case .takeBody: self.takeBody()
        case .drain: self.connection?.resumeReading()
        case .endFlow: self.endFlow()
        case .readBeginning(let file): self.readBeginning(of: file)
        case .keepType(let type, let key): self.keep(type, of: key)
        case .setPicture(let picture, let file, let actor): self.set(picture, to: file, by: actor)
        case .makeLink(let file, let promised, let conversation): self.makeLink(to: file, promised, conversation)
        case .refuse(let failure): self.refuse(failure)
        case .answer(let answer): self.send(answer)
        case .giveBack(let holding): self.giveBack(holding)
        case .leave: self.leave(self.ticket)
        }
    }

    private func findOwner(_ name: UserName, for caller: FileCaller) {
        self.context.services.store.read(
            for: caller.asker,
            { transaction throws(StoreError) in
                try transaction.people.user(named: name)?.id
            },
            then: self.back { (state, result: Result<UserID?, StoreError>) in
                state.foundOwner(result.mapError { APIFailure($0) })
            })
    }

    private func create(_ order: UploadOrder, _ rights: UploadExchangeState.Rights) {
        let transfers = self.context.transfers
        transfers.createUpload(
            order.draft(
                by: rights.caller, owner: rights.owner, provider: transfers.receivingProvider,
                conversation: rights.conversation),
            then: self.back { (state, result: Result<TransferView, TransferError>) in
                state.created(result.map(\.record).mapError { APIFailure($0) }, by: rights.caller.actor)
            })
    }

    private func open(
        _ key: TransferKey, at offset: Int64, length: Int64?, _ checksum: UploadChecksum?, by actor: Actor
    ) {
        self.context.transfers.openUpload(
            key, at: offset, length: length, by: actor, checksum: checksum,
            then: self.port.back(to: Self.self) { $0.opened($1) })
    }

    private func opened(_ result: Result<UploadFlow, TransferError>) {
        if case .success(let flow) = result {
            self.flow = flow
            let drained = self.port.back(to: Self.self) { (exchange, _: Void) in
                exchange.perform(exchange.state.drained(exchange.flow?.failure))
            }
            flow.setWhenRoom { drained(()) }
        }
        self.perform(self.state.opened(result.map { _ in () }.mapError { APIFailure($0) }))
    }

    /// Works off what is here, then reads on if there is room.
    private func takeBody() {
        do throws(FormError) {
            while self.state.takesParts, let action = try self.form?.next() {
                switch action {
                case .content(let bytes): self.push(bytes)
                case .file(let part):
                    let type = part.contentType ?? self.form?.fields["contenttype"] ?? ""
                    self.perform(self.state.foundFile(name: part.fileName ?? "", mediaType: type))
                }
            }
        } catch {
            return self.perform(self.state.brokeForm(.bad(error.description)))
        }
        self.readOrWait()
    }

    private func push(_ bytes: [UInt8]) {
        guard let flow = self.flow, !flow.push(bytes) else { return }
        self.perform(self.state.filled(flow.failure))
    }

    private func readOrWait() {
        guard let connection = self.connection else { return }
        switch self.state.reading {
        case .reads: connection.resumeReading()
        case .waits: connection.pauseReading()
        case .isOver: break
        }
    }

    private func endFlow() {
        self.flow?.end(
            then: self.back { (state, result: Result<TransferView, TransferError>) in
                state.ended(result.mapError { APIFailure($0) })
            })
    }

    private func readBeginning(of file: FileRecord) {
        self.context.transfers.readBeginning(
            of: file, MediaType.sampleBytes,
            then: self.back { (state, result: Result<[UInt8], TransferError>) in state.sampled(try? result.get()) })
    }

    private func keep(_ type: String, of key: FileKey) {
        self.context.services.store.write(
            { store throws(StoreError) in try store.files.setMediaType(of: key, to: type) },
            then: self.back { (state, result: Result<Void, StoreError>) in
                if case .success = result { state.keptType(true) } else { state.keptType(false) }
            })
    }

    private func set(_ picture: PictureName, to file: FileRecord, by actor: Actor) {
        self.context.services.store.write(
            { store throws(StoreError) in try picture.set(file, by: actor, in: store) },
            then: self.back { (state, result: Result<Void, StoreError>) in
                if case .failure(let error) = result {
                    state.setPicture(APIFailure(error))
                } else {
                    state.setPicture(nil)
                }
            })
    }

    /// Makes a link for a caller without a session to read the file with.
    private func makeLink(to file: FileRecord, _ promised: FileLinkKey?, _ conversation: ConversationID?) {
        let key = promised ?? FileLinkKey(random: UploadOrder.random())
        self.context.services.store.write(
            { transaction throws(StoreError) in
                if promised != nil { return try transaction.apps.completeAppFile(key, with: file.key) }
                try transaction.files.makeLink(key, to: file.key, for: conversation)
            },
            then: self.back { (state, result: Result<Void, StoreError>) in
                state.linked(result.map { key }.mapError { APIFailure($0) })
            })
    }

    private func refuse(_ failure: APIFailure) {
        let answer = APIAnswer.nativeFailure(failure)
        self.connection?.refuseRequest(
            status: failure.status, text: failure.message, headers: answer.headers + self.fields)
    }

    private func send(_ answer: UploadAnswer) {
        guard let responder = self.responder else { return }
        self.responder = nil
        answer.send(
            to: responder, self.fields, isLink: self.state.order.link != nil, base: self.base)
    }

    private func giveBack(_ holding: UploadExchangeState.Holding) {
        switch holding {
        case .place(let link):
            self.context.services.store.write(
                { transaction throws(StoreError) in try transaction.apps.reopenAppFile(link) }, then: { _ in })
        case .upload(let key, let actor): self.context.transfers.cancel(key, by: actor) { _ in }
        case .flow:
            self.flow?.abandon()
            self.flow = nil
        }
    }
}
