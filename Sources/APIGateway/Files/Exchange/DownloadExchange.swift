import APIKit
import ChatModel
import Store
import Transfers
import Transport

/// One request for a file: who may read it, what of it is wanted, and its bytes as fast as the peer takes them.
final class DownloadExchange: FileExchange {
    let ticket: UInt64
    private let context: FilesContext
    private let port: ExchangePort
    private let responder: HTTPResponder
    private let wishes: DownloadPlan.Wishes
    /// Pages of any origin may show and read it.
    private let isOpen: Bool
    /// The page that asks may show the content as a picture of its own.
    private let mayBeEmbedded: Bool
    /// Takes the exchange out of the gateway.
    private let leave: (UInt64) -> Void

    private var caller = FileCaller.link
    private var phase = Phase.asking

    private enum Phase {
        /// Waits: who asks, for which file, what may a browser do with it?
        case asking
        /// Waits for the engine to open the file.
        case opening(Head)
        /// Waits for the first bytes. Before them there is still a better answer than a broken one.
        case starting(Head, DownloadFlow)
        /// The answer has begun.
        case streaming(DownloadFlow)
        case over

        /// Way out of the file, while there is one.
        var flow: DownloadFlow? {
            switch self {
            case .starting(_, let flow), .streaming(let flow): flow
            case .asking, .opening, .over: nil
            }
        }
    }

    /// Header of an answer with bytes.
    private struct Head {
        var status: Int
        var fields: [(String, String)]
        var length: Int
    }

    private var isOver: Bool { if case .over = self.phase { true } else { false } }

    /// - Parameter isEmbeddable: pages of any origin may show it as a picture, and only listed ones may read it.
    init(
        _ request: HTTPRequest, _ responder: HTTPResponder, context: FilesContext, port: ExchangePort, isOpen: Bool,
        isEmbeddable: Bool, leave: @escaping (UInt64) -> Void
    ) {
        self.ticket = port.ticket
        self.context = context
        self.port = port
        self.responder = responder
        self.isOpen = isOpen
        self.mayBeEmbedded = isOpen || isEmbeddable || request.isFromListedPage
        self.leave = leave
        let headers = request.headers
        self.wishes = DownloadPlan.Wishes(
            isHead: request.method == "HEAD", ifMatch: headers.all("if-match"),
            ifNoneMatch: headers.all("if-none-match"), ifRange: headers["if-range"], range: headers.all("range"),
            acceptEncoding: headers.all("accept-encoding"))
    }

    // MARK: Which file

    /// A file by its own name, for who has a session.
    func begin(_ key: FileKey, _ request: HTTPRequest) {
        self.responder.whenEnded = { [unowned self] in self.ended() }
        let context = self.context
        let proved = self.port.back(to: Self.self) { (exchange, result: Result<APICaller, APIFailure>) in
            switch result {
            case .failure(let failure): exchange.refuse(failure)
            case .success(let caller): exchange.look(for: key, FileCaller(caller))
            }
        }
        context.api.prove(request, then: proved)
    }

    private func look(for key: FileKey, _ caller: FileCaller) {
        self.caller = caller
        let actor = caller.actor
        self.context.services.store.read(
            for: caller.asker,
            { transaction throws(StoreError) -> FileRecord? in
                guard let file = try transaction.files.file(key), try transaction.files.canRead(file, actor) else {
                    return nil
                }
                return file
            }, then: self.port.back(to: Self.self) { $0.found($1) })
    }

    /// A file by a link, for whoever has it.
    func begin(_ link: FileLinkKey, _ request: HTTPRequest) {
        self.responder.whenEnded = { [unowned self] in self.ended() }
        if let failure = self.context.api.takeFromAddress(request) { return self.refuse(failure) }
        self.context.services.store.read(
            for: .address(request.peer.throttleKey),
            { transaction throws(StoreError) in try transaction.files.file(link: link) },
            then: self.port.back(to: Self.self) { $0.found($1) })
    }

    /// A file by the path that it had at another server, for whoever knows it; nobody else has taken the request.
    func begin(formerPath path: String, _ request: HTTPRequest) {
        self.responder.whenEnded = { [unowned self] in self.ended() }
        if let failure = self.context.api.takeFromAddress(request) { return self.refuse(failure) }
        self.context.services.store.read(
            for: .address(request.peer.throttleKey),
            { transaction throws(StoreError) in try transaction.imports.file(formerPath: path) },
            then: self.port.back(to: Self.self) { (exchange, result: Result<FileRecord?, StoreError>) in
                guard case .success(nil) = result else { return exchange.found(result) }
                guard !exchange.isOver else { return }
                // As for every path that is nothing here.
                exchange.finish { $0.respond(status: 404, error: "not found") }
            })
    }

    /// A picture, for whoever knows whose: apps show it in views that send no token.
    func begin(_ picture: PictureName, _ request: HTTPRequest) {
        self.responder.whenEnded = { [unowned self] in self.ended() }
        if let failure = self.context.api.takeFromAddress(request) { return self.refuse(failure) }
        // What another user system says goes before what is here.
        if case .person(let name) = picture, let address = self.context.services.saidElsewhere(name)?.avatar,
            NativeAnswer.isElsewhere(address)
        {
            return self.send(to: address)
        }
        self.context.services.store.read(
            for: .address(request.peer.throttleKey),
            { transaction throws(StoreError) in try picture.place(in: transaction) },
            then: self.port.back(to: Self.self) { (exchange, result: Result<PictureName.Place, StoreError>) in
                switch result {
                case .failure(let error): exchange.refuse(APIFailure(error))
                case .success(.file(let file)): exchange.found(.success(file))
                case .success(.address(let address)) where NativeAnswer.isElsewhere(address): exchange.send(to: address)
                // Who has none, and nobody at all, look the same.
                case .success: exchange.answerPlain(picture)
                }
            })
    }

    private func send(to address: String) {
        guard !self.isOver else { return }
        self.finish {
            $0.respond(status: 302, headers: [("Location", address), ("Cache-Control", "private, no-cache")], body: [])
        }
    }

    private func answerPlain(_ picture: PictureName) {
        guard !self.isOver else { return }
        let png = PlainPicture.png(picture.seed)
        self.finish {
            $0.respond(
                status: 200,
                headers: [
                    ("Content-Type", "image/png"), ("Cache-Control", "private, no-cache"),
                    ("X-Content-Type-Options", "nosniff"),
                ], body: png)
        }
    }

    private func found(_ result: Result<FileRecord?, StoreError>) {
        switch result {
        case .failure(let error): self.refuse(APIFailure(error))
        case .success(nil): self.refuse(APIFailure(TransferError.notFound))
        case .success(let file?):
            // Only who was let in keeps the connection for longer between requests.
            self.responder.connection?.authenticated()
            guard let object = file.object, file.state == .complete else {
                return self.refuse(APIFailure(409, "the file is not complete"))
            }
            self.answerFile(file, object)
        }
    }

    // MARK: What of it

    private func answerFile(_ file: FileRecord, _ object: StoredObject) {
        let content = DownloadPlan.Content(
            hash: object.hash.hex, size: object.size, hasGzip: object.codec == .gzip)
        let plan = DownloadPlan.make(content, self.wishes)
        switch plan {
        case .changed: self.refuse(APIFailure(412, "the content is another one"))
        case .unsatisfiable:
            self.refuse(
                APIFailure(416, "the file has \(object.size) bytes"), [("Content-Range", "bytes */\(object.size)")])
        case .notModified(let tag):
            self.finish { $0.respond(status: 304, headers: self.cacheFields(tag)) }
        case .whole, .stored, .part: self.sample(file, object, plan)
        }
    }

    /// Looks at the first bytes, unless that was done before: they say as what the file may be shown.
    private func sample(_ file: FileRecord, _ object: StoredObject, _ plan: DownloadPlan) {
        // Of files that were uploaded before types were looked for, the name may still say it.
        let declared = MediaType.resolved(declared: file.mediaType, name: file.name)
        if let media = self.context.media.find(object.hash, declared: declared) {
            return self.open(file, object, plan, media)
        }
        let judged = self.port.back(to: Self.self) { (exchange, result: Result<[UInt8], TransferError>) in
            switch result {
            case .failure(let error): exchange.refuse(APIFailure(error))
            case .success(let bytes):
                let media = SafeMedia.judge(
                    declared: declared, sample: bytes, isWhole: object.size <= MediaType.sampleBytes)
                exchange.context.media.remember(media, object.hash, declared: declared)
                exchange.open(file, object, plan, media)
            }
        }
        self.context.transfers.readBeginning(of: file, MediaType.sampleBytes, then: judged)
    }

    private func open(_ file: FileRecord, _ object: StoredObject, _ plan: DownloadPlan, _ media: SafeMedia) {
        guard case .asking = self.phase, let (head, part) = self.head(file, object, plan, media) else { return }
        guard !self.wishes.isHead, head.length > 0 else {
            return self.finish { responder in
                responder.start(status: head.status, headers: head.fields, contentLength: head.length)
                responder.finish()
            }
        }
        self.phase = .opening(head)
        self.context.transfers.openDownload(
            file, part, by: self.caller.actor, class: self.caller.transferClass,
            then: self.port.back(to: Self.self) { $0.opened($1) })
    }

    // MARK: The header

    private func head(
        _ file: FileRecord, _ object: StoredObject, _ plan: DownloadPlan, _ media: SafeMedia
    ) -> (Head, DownloadPart)? {
        var head = Head(status: 200, fields: [], length: Int(object.size))
        let part: DownloadPart
        switch plan {
        case .whole(let tag):
            head.fields = self.cacheFields(tag)
            part = .plain(0..<object.size)
        case .stored(let tag):
            head.fields = self.cacheFields(tag) + [("Content-Encoding", "gzip")]
            head.length = Int(object.storedSize)
            part = .stored
        case .part(let range, let tag):
            head.status = 206
            head.length = range.count
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.size)"
            head.fields = self.cacheFields(tag) + [("Content-Range", place)]
            part = .plain(range)
        case .notModified, .changed, .unsatisfiable: return nil
        }
        head.fields += [
            ("Content-Type", media.type),
            ("Content-Disposition", ContentDisposition.value(isInline: media.isInline, name: file.name)),
        ]
        return (head, part)
    }

    /// Header fields of every answer about a content.
    ///
    /// Nobody on the way may keep it, and who asked may keep it for themselves, if they ask again before each use: the
    /// right to read is checked then. What a stranger uploaded must not act in a page of this server: it has no
    /// scripts, no origin, and is what we say it is.
    private func cacheFields(_ tag: EntityTag) -> [(String, String)] {
        [
            ("ETag", tag.field), ("Vary", "Accept-Encoding, Referer"), ("Accept-Ranges", "bytes"),
            ("Cache-Control", "private, no-cache"), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "sandbox; default-src 'none'"),
            ("Cross-Origin-Resource-Policy", self.mayBeEmbedded ? "cross-origin" : "same-origin"),
            ("Referrer-Policy", "no-referrer"),
        ] + (self.isOpen ? FileWording.anyOrigin : [])
    }

    // MARK: The bytes

    private func opened(_ result: Result<DownloadFlow, TransferError>) {
        switch result {
        case .failure(let error): self.refuse(APIFailure(error))
        case .success(let flow):
            guard case .opening(let head) = self.phase else { return flow.end() }
            self.phase = .starting(head, flow)
            self.responder.whenDrained = { [unowned self] in self.next() }
            self.next()
        }
    }

    private func next() { self.phase.flow?.next(then: self.port.back(to: Self.self) { $0.came($1) }) }

    private func came(_ result: Result<[UInt8]?, TransferError>) {
        switch (result, self.phase) {
        case (.failure, .streaming): self.finish { $0.cancel() }
        case (.failure(let error), .starting): self.refuse(APIFailure(error))
        // Bytes were promised: an empty content is answered without a flow.
        case (.success(nil), .starting): self.refuse(APIFailure(TransferError.damaged))
        case (.success(nil), .streaming): self.finish { $0.finish() }
        case (.success(let bytes?), .starting(let head, let flow)):
            self.phase = .streaming(flow)
            self.responder.start(status: head.status, headers: head.fields, contentLength: head.length)
            self.write(bytes)
        case (.success(let bytes?), .streaming): self.write(bytes)
        case (_, .asking), (_, .opening), (_, .over): break
        }
    }

    private func write(_ bytes: [UInt8]) {
        self.responder.write(shared: SharedBytes(bytes))
        // Otherwise `whenDrained` asks for more.
        if !self.responder.isCongested { self.next() }
    }

    // MARK: The end

    private func refuse(_ failure: APIFailure, _ headers: [(String, String)] = []) {
        guard !self.isOver else { return }
        self.finish { [isOpen] in $0.send(failure, headers + (isOpen ? FileWording.anyOrigin : []), isLink: isOpen) }
    }

    private func finish(_ send: (HTTPResponder) -> Void) {
        self.end()
        send(self.responder)
    }

    /// The connection is gone.
    private func ended() {
        if !self.isOver { self.end() }
    }

    private func end() {
        let flow = self.phase.flow
        self.phase = .over
        flow?.end()
        self.leave(self.ticket)
    }
}
