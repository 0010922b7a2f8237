import APIKit
import ByteCodec
import ChatModel
import LeanCloudTranslation
import Store
import Transfers
import Transport

/// Files of storage SDKs: a place for the content, which comes by a link of our own; files that are elsewhere; and
/// small ones inside the request.
///
/// Source: LeanCloud REST guide, "Files"; its storage SDKs for `fileTokens` and `fileCallback`.
struct FilesRoutes: Sendable {
    let transfers: Transfers
    /// Files of clients that have nothing but the app's key: from one address 200 at once, and then one each six
    /// seconds.
    private let uploads = AddressRate(perSecond: 1.0 / 6, burst: 200)

    /// With it all SDKs bring the content by one plain PUT.
    static let provider = "s3"
    /// Bytes of a request with a file inside.
    private static let maximumBytes = 8 << 20

    init(transfers: Transfers) { self.transfers = transfers }

    var routes: [Route] {
        var routes = [
            Route("POST", "/1.1/fileTokens", .caller, self.makePlace),
            Route("POST", "/1.1/fileCallback", .caller, Self.finish),
            Route("POST", "/1.1/files", .caller, maximumBytes: Self.maximumBytes, self.add),
            Route("POST", "/1.1/files/{id}", .caller, body: .bytes, maximumBytes: Self.maximumBytes, self.addNamed),
            // COMPAT(LeanCloud Java, C#, Flutter, Swift): where they save a file that is elsewhere.
            Route("POST", "/1.1/classes/_File", .caller, maximumBytes: Self.maximumBytes, self.add),
        ]
        for path in ["/1.1/files/{id}", "/1.1/classes/_File/{id}"] {
            routes += [Route("GET", path, .caller, Self.show), Route("DELETE", path, .caller, Self.delete)]
        }
        return routes
    }

    // MARK: A place for a file

    @Sendable private func makePlace(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let key = FileLinkKey(random: Self.random())
        let file = try Self.file(try request.fields(), .link(key, isComplete: false), services)
        self.asUploader(call) { actor in
            var file = file
            file.owner = actor.user
            let made = file
            services.write(reply, by: .leanCloud) { store throws(StoreError) in
                try store.apps.makeAppFile(made)
            } answer: { _ in
                let row = FileRow(call)
                return .json(
                    .fields(
                        ("objectId", .string(made.objectID.text)),
                        ("createdAt", .string(LeanCloudDates.text(made.createdAtMilliseconds))),
                        ("token", .string(key.text)), ("upload_url", .string(row.uploadURL(made))),
                        ("url", .string(row.url(made))),
                        ("key", .string(key.text)), ("bucket", .string(FileRow.bucket)),
                        ("provider", .string(Self.provider)), ("mime_type", .string(FileRow.shownType(made)))),
                    status: 201)
            }
        }
    }

    /// Nobody in particular is held by where they are, people by what the operator grants each.
    private func asUploader(_ call: AppCall, then: @escaping @Sendable (Actor) -> Void) {
        call.asAnybody { actor in
            let request = call.request
            if actor == Actor(.system), request.peer.scope != .loopback,
                !self.uploads.takeToken(request.peer.throttleKey, at: call.services.clock.now())
            {
                return call.refuse(
                    APIFailure(429, "too many files come from this address", retryAfterSeconds: 6))
            }
            then(actor)
        }
    }

    static func random() -> [UInt8] { (0..<26).map { _ in UInt8.random(in: 0...255) } }

    /// File described by a request.
    ///
    /// - Parameters:
    ///   - name: from the path; `nil` for that of the fields.
    ///   - sample: the first bytes, where they are here already.
    private static func file(
        _ fields: APIFields, _ place: AppFile.Place, _ services: APIServices, name: String? = nil, sample: [UInt8] = []
    ) throws(APIFailure) -> AppFile {
        let (said, older) = (try fields.optionalText("mime_type"), try fields.optionalText("_ContentType"))
        let called = try fields.optionalText("name")
        let cleaned = FileName.cleaned(name ?? called ?? "")
        var type = MediaType.resolved(declared: said ?? older ?? "", name: cleaned, sample: sample)
        if type.isEmpty, case .address(let address) = place {
            type = MediaType.ofName(String(address.prefix { $0 != "?" && $0 != "#" })) ?? ""
        }
        let now = services.clock.wallMilliseconds()
        return AppFile(
            objectID: ObjectID(atMilliseconds: now), owner: .system, place: place, name: cleaned, mediaType: type,
            metadata: (fields.member("metaData") ?? fields.member("metadata"))?.serialized(),
            createdAtMilliseconds: now)
    }

    /// SDKs say whether the upload went well. That is known here; one that did not, and will not be tried again, is
    /// forgotten. They do not read the answer.
    @Sendable private static func finish(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        guard let token = try fields.optionalText("token"), let key = FileLinkKey(token) else {
            throw .bad("token is none that was given out here")
        }
        guard try fields.optionalSwitch("result") == false else { return reply(.nothing) }
        services.write(reply, by: .leanCloud) { store throws(StoreError) in
            guard let file = try store.reading.apps.appFile(link: key), case .link(_, isComplete: false) = file.place
            else {
                return
            }
            try store.apps.deleteAppFile(file.objectID, by: .application)
        } answer: { _ in
            .nothing
        }
    }

    // MARK: Rows

    @Sendable private static func show(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let id = try Self.id(request)
        call.read { store throws(StoreError) in
            try store.apps.appFile(id)
        } answer: { file throws(APIFailure) in
            guard let file else { throw .noSuchObject }
            return .json(FileRow(call).json(file))
        }
    }

    private static func id(_ request: APIRequest) throws(APIFailure) -> ObjectID {
        guard let id = ObjectID(try request.parameter("id")) else { throw .noSuchObject }
        return id
    }

    @Sendable private static func delete(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let id = try Self.id(request)
        call.asAnybody { actor in
            guard actor.isPrivileged || actor.user != .system else {
                return call.refuse(APIFailure(403, "only its owner or the master key removes a file"))
            }
            services.store.write { store throws(StoreError) in
                try store.apps.deleteAppFile(id, by: actor)
            } then: { result in
                switch result {
                case .failure(.refused(.noSuchFile)): call.refuse(.noSuchObject)
                case .failure(let error): call.refuse(APIFailure(error))
                case .success: reply(.nothing)
                }
            }
        }
    }

    // MARK: Files in one request

    /// A file that is elsewhere, `url`, or one that is inside the request, `base64`.
    @Sendable private func add(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let fields = try request.fields()
        if fields.member("base64") != nil {
            return try self.keep(try fields.base64("base64"), fields, call)
        }
        try self.refer(to: try fields.text("url"), fields, call)
    }

    /// Makes the row of a file that is elsewhere.
    private func refer(
        to url: String, _ fields: APIFields, _ call: AppCall, name: String? = nil
    ) throws(APIFailure) {
        guard url.hasPrefix("https://") || url.hasPrefix("http://") else { throw .bad("url is no web address") }
        let file = try Self.file(fields, .address(url), call.services, name: name)
        self.asUploader(call) { actor in
            var file = file
            file.owner = actor.user
            let made = file
            call.write { store throws(StoreError) in
                try store.apps.makeAppFile(made)
            } answer: { _ in
                .json(FileRow(call).json(made), status: 201)
            }
        }
    }

    /// The older form: the name stands in the path, and the body is the file, or JSON with its base64 or with the
    /// address where it is. Source: LeanCloud JavaScript SDK up to version 2, `src/file.js`, for the address.
    @Sendable private func addNamed(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let name = try request.parameter("id")
        let body = try? JSONValue(parsing: request.bytes)
        if let body, body["base64"]?.string != nil {
            let fields = APIFields(body)
            return try self.keep(try fields.base64("base64"), fields, call, name: name)
        }
        if let body, let url = body["url"]?.string, Self.describesFile(body, request.contentType) {
            return try self.refer(to: url, APIFields(body), call, name: name)
        }
        let type = request.contentType.map { JSONValue.Member("mime_type", .string($0)) }
        try self.keep(request.bytes, APIFields(.object(type.map { [$0] } ?? [])), call, name: name)
    }

    /// True when a body describes a file that is elsewhere, and is not a file of JSON that has an address in it.
    private static func describesFile(_ body: JSONValue, _ contentType: String?) -> Bool {
        guard let contentType, ASCII.lowercased(contentType).hasPrefix("application/json") else { return false }
        return (body.object ?? []).allSatisfy { Self.describing.contains($0.name) }
    }

    private static let describing: Set<String> = [
        "url", "name", "mime_type", "metaData", "metadata", "ACL", "__type", "_ContentType", "_ApplicationId",
        "_ApplicationKey", "_ClientVersion", "_InstallationId", "_SessionToken",
    ]

    private func keep(
        _ bytes: [UInt8], _ fields: APIFields, _ call: AppCall, name: String? = nil
    ) throws(APIFailure) {
        let key = FileLinkKey(random: Self.random())
        let file = try Self.file(
            fields, .link(key, isComplete: false), call.services, name: name,
            sample: Array(bytes.prefix(MediaType.sampleBytes)))
        self.asUploader(call) { actor in
            var file = file
            file.owner = actor.user
            let made = file
            SmallUpload(self.transfers, bytes, made).run { result in
                switch result {
                case .failure(let error): call.refuse(.transfer(error))
                case .success(let content):
                    call.write { store throws(StoreError) in
                        try store.apps.makeAppFile(made)
                        try store.apps.completeAppFile(key, with: content)
                    } answer: { _ in
                        .json(FileRow(call).json(made), status: 201)
                    }
                }
            }
        }
    }
}

/// A file whose bytes are here already on its way into the store of files.
struct SmallUpload: Sendable {
    private let transfers: Transfers
    private let bytes: [UInt8]
    private let draft: UploadDraft

    init(_ transfers: Transfers, _ bytes: [UInt8], _ file: AppFile) {
        self.transfers = transfers
        self.bytes = bytes
        self.draft = UploadDraft(
            actor: file.owner == .system ? .application : Actor(file.owner), owner: file.owner, name: file.name,
            mediaType: file.mediaType, size: Int64(bytes.count), metadata: file.metadata,
            provider: transfers.receivingProvider, key: TransferKey(random: FilesRoutes.random()),
            file: FileKey(random: FilesRoutes.random()))
    }

    func run(then: @escaping @Sendable (Result<FileKey, TransferError>) -> Void) {
        let (transfers, draft) = (self.transfers, self.draft)
        transfers.createUpload(draft) { created in
            if case .failure(let error) = created { return then(.failure(error)) }
            transfers.openUpload(draft.key, at: 0, by: draft.actor) { opened in
                switch opened {
                case .failure(let error): self.giveUp(error, then)
                case .success(let flow):
                    _ = flow.push(self.bytes)
                    flow.end { ended in
                        switch ended {
                        case .failure(let error): self.giveUp(error, then)
                        case .success: then(.success(draft.file))
                        }
                    }
                }
            }
        }
    }

    private func giveUp(_ error: TransferError, _ then: @escaping @Sendable (Result<FileKey, TransferError>) -> Void) {
        self.transfers.cancel(self.draft.key, by: self.draft.actor) { _ in then(.failure(error)) }
    }
}

extension APIFailure {
    /// Source: LeanCloud error codes.
    static let noSuchObject = APIFailure(404, "Object not found.", code: 101)

    static func transfer(_ error: TransferError) -> APIFailure {
        switch error {
        case .refused(let error): APIFailure(error)
        case .tooLong(let limit): APIFailure(413, "a file has at most \(limit) bytes")
        case .full: APIFailure(507, "there is no room for more files: the operator has to make some")
        case .overloaded, .busy: APIFailure(503, "too many files are on their way", retryAfterSeconds: 1)
        case .stopping: APIFailure(503, "the server is stopping: ask again", retryAfterSeconds: 5)
        case .notFound, .wrongOffset, .wrongChecksum, .cancelled, .over, .damaged, .failed:
            APIFailure(500, "the file could not be kept: see the log of the server")
        }
    }
}

/// Name of a client's file, as a name and nothing else.
enum FileName {
    /// Without what leads into folders, and without characters that do not print.
    static func cleaned(_ text: String) -> String {
        let last = text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let printable = String(
            String.UnicodeScalarView(last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        return String(String.UnicodeScalarView(printable.unicodeScalars.prefix(FileTextLimits.nameScalars)))
    }
}
