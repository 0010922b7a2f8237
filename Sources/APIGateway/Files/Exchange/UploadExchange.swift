import APIKit
import ByteCodec
import ChatModel
import Store
import Transfers
import Transport

/// One request that brings bytes of a file: waits until it is known who asks and whether they may, then lets the bytes
/// flow into the upload as fast as it takes them.
///
/// While anything is being found out the connection is not read: what the peer sends meanwhile waits in the kernel. A
/// suspended upload takes nothing, so its connection waits in the same way, for as long as it takes.
final class UploadExchange: FileExchange, BodyReceiver {
    let ticket: UInt64
    private var order: UploadOrder
    private let context: FilesContext
    private let port: ExchangePort
    let connectionID: ConnectionID
    private unowned let reactor: Reactor
    /// The header fields of tus, if it is spoken.
    private let fields: [(String, String)]
    /// A body that is refused is read to its end when it is short, so that the connection can be used again.
    private let isShort: Bool
    /// Address of this server for what goes into messages; `nil` for a client that does not name it.
    private let base: String?
    /// Length of the body; `nil` when it comes in pieces of unknown number.
    private let length: Int64?
    /// Takes the exchange out of the gateway.
    private let leave: (UInt64) -> Void

    private var form: FormBody?
    private var caller: FileCaller?
    private var owner: UserID?
    private var conversation: ConversationID?
    /// The upload is the content of an app's file, which has this link already.
    private var appLink: FileLinkKey?
    private var created: TransferView?
    /// The upload, once there is one.
    private var key: TransferKey?
    private var flow: UploadFlow?
    /// An answer of another thread is awaited.
    private var isWaiting = false
    /// The flow takes no more until it says so.
    private var isBlocked = false
    /// True when the request was given up.
    private var isCancelled = false
    private var failure: APIFailure?
    private var responder: HTTPResponder?

    /// Maximum bytes of a body that is read to its end although nobody wants it.
    static let shortBodyBytes: Int64 = 64 * 1024

    init(
        _ order: UploadOrder, _ request: HTTPRequest, on connection: Connection, context: FilesContext,
        port: ExchangePort,
        fields: [(String, String)], leave: @escaping (UInt64) -> Void
    ) throws(APIFailure) {
        self.ticket = port.ticket
        self.order = order
        self.context = context
        self.port = port
        self.connectionID = connection.id
        self.reactor = connection.reactor
        self.fields = fields
        self.leave = leave
        self.base = context.services.messageAddress(asked: request.serverAddress)
        let isChunked = request.headers["transfer-encoding"] != nil
        let length = request.headers["content-length"].flatMap(TusFields.number) ?? 0
        self.length = isChunked ? nil : length
        self.isShort = !isChunked && length <= Self.shortBodyBytes
        if case .form(let contentType) = order.kind {
            do throws(FormError) {
                self.form = try FormBody(contentType: contentType)
            } catch {
                throw .bad(error.description)
            }
        }
    }

    private var connection: Connection? { self.reactor.connection(self.connectionID) }

    // MARK: Who asks

    /// Finds out who asks; the connection must not be read until it is known.
    func begin(_ request: HTTPRequest) {
        self.isWaiting = true
        guard let key = self.order.link else {
            return self.context.api.prove(request, then: self.port.back(to: Self.self) { $0.proved($1) })
        }
        let linked = self.port.back(to: Self.self) { (exchange, result: Result<UploadLink, APIFailure>) in
            exchange.linked(result)
        }
        if let failure = self.context.api.takeFromAddress(request) { return linked(.failure(failure)) }
        self.context.services.store.write({ transaction throws(StoreError) in try transaction.files.useUploadLink(key) }
        ) {
            result in
            linked(result.mapError { APIFailure($0) })
        }
    }

    /// A link is good for one upload, by whom and for what it was made.
    private func linked(_ result: Result<UploadLink, APIFailure>) {
        if case .success(let link) = result, link.announced != nil { self.appLink = link.key }
        guard self.goOn() else { return }
        switch result {
        case .failure(let failure): self.refuse(failure)
        case .success(let link):
            self.connection?.authenticated()
            self.caller = FileCaller(person: link.owner, link.transferClass)
            self.conversation = link.conversation
            if let announced = link.announced {
                // What nobody in particular uploads is held by the bounds of the gateway that gave out the place.
                if link.owner == .system { self.caller = .app }
                self.order.announce(announced)
            }
            self.admit(link.owner)
        }
    }

    private func proved(_ result: Result<APICaller, APIFailure>) {
        guard self.goOn() else { return }
        switch result {
        case .failure(let failure): self.refuse(failure)
        case .success(let caller):
            let caller = FileCaller(caller)
            self.caller = caller
            self.connection?.authenticated()
            guard let name = self.order.owner else { return self.admit(caller.actor.user) }
            guard caller.actor.isPrivileged else {
                return self.refuse(APIFailure(403, "only the manager uploads for others"))
            }
            self.isWaiting = true
            self.context.services.store.read(
                for: caller.asker,
                { transaction throws(StoreError) in
                    try transaction.user(named: name)?.id
                }, then: self.port.back(to: Self.self) { $0.found($1) })
        }
    }

    private func found(_ result: Result<UserID?, StoreError>) {
        guard self.goOn() else { return }
        switch result {
        case .failure(let error): self.refuse(APIFailure(error))
        case .success(nil): self.refuse(APIFailure(404, "there is no person by that uid"))
        case .success(let owner?): self.admit(owner)
        }
    }

    private func admit(_ owner: UserID) {
        self.owner = owner
        switch self.order.kind {
        case .append(let key, let offset):
            self.key = key
            self.open(at: offset)
        case .create, .whole: self.create()
        // The file's name stands inside the body.
        case .form: self.pump()
        }
    }

    /// An answer of another thread has come.
    ///
    /// - Returns: false when it comes too late.
    private func goOn() -> Bool {
        self.isWaiting = false
        if self.isCancelled { self.cleanUp() }
        return !self.isCancelled
    }

    // MARK: The upload

    private func create() {
        guard let caller = self.caller, let owner = self.owner else { return }
        self.isWaiting = true
        let transfers = self.context.transfers
        transfers.createUpload(
            self.order.draft(
                by: caller, owner: owner, provider: transfers.receivingProvider, conversation: self.conversation),
            then: self.port.back(to: Self.self) { $0.created($1) })
    }

    private func created(_ result: Result<TransferView, TransferError>) {
        if case .success(let view) = result { self.key = view.record.key }
        guard self.goOn() else { return }
        switch result {
        case .failure(let error): self.refuse(APIFailure(error))
        case .success(let view):
            self.created = view
            // An empty upload is complete when its first flow has ended.
            if case .create(false) = self.order.kind, view.record.size != 0 { return self.pump() }
            self.open(at: 0)
        }
    }

    private func open(at offset: Int64) {
        guard let key = self.key, let caller = self.caller else { return }
        self.isWaiting = true
        self.context.transfers.openUpload(
            key, at: offset, by: caller.actor, checksum: self.order.checksum,
            then: self.port.back(to: Self.self) { $0.opened($1) })
    }

    private func opened(_ result: Result<UploadFlow, TransferError>) {
        if case .success(let flow) = result { self.flow = flow }
        guard self.goOn() else { return }
        switch result {
        case .failure(let error): self.refuse(APIFailure(error))
        case .success(let flow):
            if case .append = self.order.kind, let missing = flow.missingBytes, let length = self.length,
                length > missing
            {
                // Nothing of it is taken, and the upload stays where it is.
                return self.refuse(APIFailure(TransferError.tooLong(limit: flow.offset + missing)))
            }
            let hasRoom = self.port.back(to: Self.self) { (exchange, _: Void) in exchange.hasRoom() }
            flow.setWhenRoom { hasRoom(()) }
            self.pump()
        }
    }

    // MARK: The body

    func received(_ bytes: UnsafeRawBufferPointer) {
        guard self.failure == nil else { return }
        if self.form != nil {
            self.form?.add(bytes)
            self.pump()
        } else if self.flow != nil {
            self.push(Array(bytes))
            self.readOrWait()
        } else {
            self.refuse(APIFailure(415, "bytes of the upload come with the Content-Type \(TusFields.contentType)"))
        }
    }

    /// Works off what is here, then reads on if there is room.
    private func pump() {
        do throws(FormError) {
            while !self.isWaiting, !self.isBlocked, self.failure == nil, let action = try self.form?.next() {
                switch action {
                case .content(let bytes): self.push(bytes)
                case .file(let part):
                    self.order.name = part.fileName ?? ""
                    self.order.mediaType = part.contentType ?? self.form?.fields["contenttype"] ?? ""
                    self.create()
                }
            }
        } catch {
            return self.refuse(.bad(error.description))
        }
        self.readOrWait()
    }

    private func push(_ bytes: [UInt8]) {
        guard let flow = self.flow, !flow.push(bytes) else { return }
        if let error = flow.failure { return self.refuse(APIFailure(error)) }
        self.isBlocked = true
    }

    private func readOrWait() {
        guard let connection = self.connection, !self.isCancelled else { return }
        if self.isWaiting || self.isBlocked { connection.pauseReading() } else { connection.resumeReading() }
    }

    /// The flow takes more, or nothing ever again.
    private func hasRoom() {
        // After the end of the body its answer says what there is to say.
        guard !self.isCancelled, self.responder == nil, let flow = self.flow else { return }
        if let error = flow.failure { return self.refuse(APIFailure(error)) }
        self.isBlocked = false
        self.pump()
    }

    // MARK: The end

    /// The body has come to its end.
    func complete(_ responder: HTTPResponder) {
        self.responder = responder
        if let failure = self.failure { return self.answerFailure(failure) }
        do throws(FormError) {
            try self.form?.end()
        } catch {
            return self.answerFailure(.bad(error.description))
        }
        guard let flow = self.flow else {
            guard let view = self.created else {
                return self.answerFailure(APIFailure(500, "the server has lost the upload"))
            }
            return self.answerUpload(view)
        }
        self.isWaiting = true
        flow.end(then: self.port.back(to: Self.self) { $0.ended($1) })
    }

    private func ended(_ result: Result<TransferView, TransferError>) {
        self.isWaiting = false
        switch result {
        case .success(let view): self.settleMediaType(view)
        case .failure(let error): self.answerFailure(APIFailure(error))
        }
    }

    /// Finds the type of a file that nobody named one of and whose name says nothing, in its first bytes. It is done
    /// before the answer: who asks next is told it. When it cannot be done, the file is complete all the same.
    private func settleMediaType(_ view: TransferView) {
        guard view.record.state == .succeeded, let file = view.file, file.mediaType.isEmpty else {
            return self.answerUpload(view)
        }
        self.isWaiting = true
        self.context.transfers.readBeginning(
            of: file, MediaType.sampleBytes,
            then: self.port.back(to: Self.self) { (exchange, result: Result<[UInt8], TransferError>) in
                exchange.isWaiting = false
                guard case .success(let sample) = result, let type = MediaType.ofContent(sample) else {
                    return exchange.answerUpload(view)
                }
                exchange.keep(type, of: file, view)
            })
    }

    private func keep(_ type: String, of file: FileRecord, _ view: TransferView) {
        self.isWaiting = true
        self.context.services.store.write(
            { store throws(StoreError) in try store.files.setMediaType(of: file.key, to: type) },
            then: self.port.back(to: Self.self) { (exchange, result: Result<Void, StoreError>) in
                exchange.isWaiting = false
                var view = view
                if case .success = result { view.file?.mediaType = type }
                exchange.answerUpload(view)
            })
    }

    private func answerUpload(_ view: TransferView) {
        let isComplete = view.record.state == .succeeded
        // Told from the beginning, so that a client whose last answer is lost knows what to look for.
        let headers = self.fields + [(FileWording.fileField, view.record.file.text)]
        switch self.order.kind {
        case .create:
            let place = ("Location", APIPaths.upload(view.record.key))
            self.finish { $0.respond(status: 201, headers: headers + Self.progress(view.record) + [place]) }
        case .append: self.finish { $0.respond(status: 204, headers: headers + Self.progress(view.record)) }
        case .whole, .form:
            guard isComplete, let file = view.file else {
                return self.answerFailure(APIFailure(500, "the file is not complete"))
            }
            if let picture = self.order.picture { return self.hang(file, picture) }
            guard self.order.link != nil else { return self.answerFile(file, link: nil, headers) }
            self.makeLink(file, headers)
        }
    }

    /// Makes a link for a caller without a session to read the file with.
    private func makeLink(_ file: FileRecord, _ headers: [(String, String)]) {
        let (appLink, conversation) = (self.appLink, self.conversation)
        let key = appLink ?? FileLinkKey(random: UploadOrder.random())
        self.appLink = nil
        self.isWaiting = true
        self.context.services.store.write(
            { transaction throws(StoreError) in
                if appLink != nil { return try transaction.apps.completeAppFile(key, with: file.key) }
                try transaction.files.makeLink(key, to: file.key, for: conversation)
            },
            then: self.port.back(to: Self.self) { (exchange, result: Result<Void, StoreError>) in
                exchange.isWaiting = false
                switch result {
                case .success: exchange.answerFile(file, link: key, headers)
                case .failure(let error): exchange.answerFailure(APIFailure(error))
                }
            })
    }

    /// Makes the file a picture, and answers when that is on the disk.
    private func hang(_ file: FileRecord, _ picture: PictureName) {
        guard let actor = self.caller?.actor else { return }
        self.isWaiting = true
        self.context.services.store.write(
            { store throws(StoreError) in try picture.set(file, by: actor, in: store) },
            then: self.port.back(to: Self.self) { (exchange, result: Result<Void, StoreError>) in
                exchange.isWaiting = false
                switch result {
                case .failure(let error): exchange.finish { $0.send(APIFailure(error)) }
                case .success: exchange.finish { $0.send(.ok) }
                }
            })
    }

    /// Offset of an upload, and the time until which it can be resumed.
    static func progress(_ record: TransferRecord) -> [(String, String)] {
        var fields = [("Upload-Offset", String(record.offset))]
        if !record.state.isOver, let expiry = record.expiresAtMilliseconds {
            fields.append(("Upload-Expires", HTTPResponseHead.date(wallMilliseconds: expiry)))
        }
        return fields
    }

    /// - Parameter link: with which the file can be read without a session.
    private func answerFile(_ file: FileRecord, link: FileLinkKey?, _ headers: [(String, String)]) {
        var members = file.json.object ?? []
        if let link {
            members.append(JSONValue.Member("link", .string(APIPaths.link(link))))
            // COMPAT(TangSengDaoDao apps): what they put into the message.
            let path = APIPaths.preview(link, name: file.name, base: self.base)
            members.append(JSONValue.Member("path", .string(path)))
        }
        // COMPAT(TangSengDaoDao apps): they take nothing but 200 for done.
        var answer = APIAnswer.json(.object(members), status: self.order.link == nil ? 201 : 200)
        answer.headers = headers + [("Location", APIPaths.file(file.key))]
        self.finish { $0.send(answer) }
    }

    private func answerFailure(_ failure: APIFailure) {
        self.giveUp()
        self.finish { [fields, isLink = self.order.link != nil] in $0.send(failure, fields, isLink: isLink) }
    }

    private func finish(_ send: (HTTPResponder) -> Void) {
        let responder = self.responder
        self.responder = nil
        self.leave(self.ticket)
        if let responder { send(responder) }
    }

    /// Says no: at the end of a short body, in the middle of a long one.
    private func refuse(_ failure: APIFailure) {
        guard self.failure == nil, let connection = self.connection else { return }
        self.failure = failure
        self.isBlocked = false
        guard !self.isShort else { return connection.resumeReading() }
        // Who hears the refusal may send another request at once: the upload is free by then.
        if !self.isWaiting { self.giveUp() }
        let answer = APIAnswer.nativeFailure(failure)
        connection.refuseRequest(
            status: failure.status, text: failure.message, headers: answer.headers + self.fields)
    }

    func cancelled() {
        self.isCancelled = true
        if !self.isWaiting { self.cleanUp() }
    }

    private func cleanUp() {
        self.giveUp()
        self.leave(self.ticket)
    }

    /// Keeps the bytes received when a later request can go on with them.
    private func giveUp() {
        self.flow?.abandon()
        self.flow = nil
        self.reopen()
        guard !self.order.canGoOn, let key = self.key, let caller = self.caller else { return }
        self.key = nil
        self.context.transfers.cancel(key, by: caller.actor) { _ in }
    }

    /// Lets a caller that was promised a place for a file try again when nothing came of this.
    private func reopen() {
        guard let link = self.appLink else { return }
        self.appLink = nil
        self.context.services.store.write({ transaction throws(StoreError) in try transaction.apps.reopenAppFile(link) }
        ) {
            _ in
        }
    }
}
