import APIKit
import ByteCodec
import ChatModel
import Transfers
import Transport

/// Order of one request with a body to an upload, as its head says.
struct UploadOrder: Hashable {
    enum Kind: Hashable {
        /// tus: begins an upload of so many bytes; the body may bring the first of them.
        case create(bringsBytes: Bool)
        /// tus: goes on with one.
        case append(TransferKey, at: Int64)
        /// The whole file is the body.
        case whole
        /// The whole file is a field of the body.
        case form(contentType: String)
    }

    var kind: Kind
    /// By a one-use link, and not by a token.
    var link: FileLinkKey?
    /// Bytes of the whole file; `nil` when the client did not declare them.
    var size: Int64?
    /// Name, as the client sent it.
    var name = ""
    var mediaType = ""
    /// The text of a JSON object.
    var metadata: [UInt8]?
    var checksum: UploadChecksum?
    /// Person whom the manager uploads for.
    var owner: UserName?
    /// Holder whose picture the file becomes.
    var picture: PictureName?

    /// Parts of a request's head that decide.
    struct Head {
        var contentLength: String?
        var isChunked = false
        var contentType: String?
        var uploadLength: String?
        var uploadOffset: String?
        var uploadMetadata: String?
        var uploadChecksum: String?
        var query = HTTPQuery(nil)
        /// Bytes of one file; 0 is no bound.
        var fileBytes: Int64 = 0

        init() {}

        init(_ request: HTTPRequest, fileBytes: Int64) {
            let headers = request.headers
            self.contentLength = headers["content-length"]
            self.isChunked = headers["transfer-encoding"] != nil
            self.contentType = headers["content-type"]
            self.uploadLength = headers["upload-length"]
            self.uploadOffset = headers["upload-offset"]
            self.uploadMetadata = headers["upload-metadata"]
            self.uploadChecksum = headers["upload-checksum"]
            self.query = HTTPQuery(request.query)
            self.fileBytes = fileBytes
        }
    }

    /// - Returns: `nil` for a route that takes no body.
    /// - Throws: 400, 411, 413 or 415.
    static func read(_ route: FileRoute, _ head: Head) throws(APIFailure) -> UploadOrder? {
        guard let query = head.query else { throw .bad("the query cannot be decoded") }
        var order: UploadOrder
        switch route {
        case .tusCreate: order = try Self.create(head)
        case .tusAppend(let key): return try Self.append(key, head)
        case .put(let name): order = try Self.whole(name, head, query)
        case .putLink(let key, let name):
            order = try Self.whole(name, head, query)
            order.link = key
        case .form: order = UploadOrder(kind: .form(contentType: head.contentType ?? ""))
        case .formLink(let key):
            order = UploadOrder(kind: .form(contentType: head.contentType ?? ""))
            order.link = key
        case .formPicture(let picture):
            order = UploadOrder(kind: .form(contentType: head.contentType ?? ""))
            order.picture = picture
        case .tusOptions, .tusStatus, .tusTerminate, .download, .deleteFile, .downloadLink, .linkOptions, .picture,
            .transfers, .transfer, .change:
            return nil
        }
        if let text = query["uid"], !text.isEmpty {
            guard let owner = UserName(text) else { throw .bad("uid is no uid") }
            order.owner = owner
        }
        if let size = order.size, head.fileBytes > 0, size > head.fileBytes {
            throw APIFailure(TransferError.tooLong(limit: head.fileBytes))
        }
        return order
    }

    // MARK: tus

    private static func create(_ head: Head) throws(APIFailure) -> UploadOrder {
        guard let field = head.uploadLength, let size = TusFields.number(field) else {
            throw .bad("the header field Upload-Length must be a number of bytes")
        }
        let bringsBytes = head.contentType == TusFields.contentType
        if !bringsBytes, let length = head.contentLength, TusFields.number(length) != 0 {
            throw APIFailure(415, "bytes of the upload come with the Content-Type \(TusFields.contentType)")
        }
        var order = UploadOrder(kind: .create(bringsBytes: bringsBytes), size: size)
        order.checksum = try Self.checksum(head)
        guard let field = head.uploadMetadata else { return order }
        guard let pairs = TusFields.metadata(field) else {
            throw .bad("the header field Upload-Metadata is not made of keys and base64, or too long")
        }
        guard pairs.allSatisfy({ UTF8Check.isValid($0.value) }) else {
            throw .bad("the values of Upload-Metadata must be UTF-8")
        }
        // The names that the clients of tus use.
        order.name = pairs.first { $0.key == "filename" || $0.key == "name" }?.text ?? ""
        order.mediaType = pairs.first { $0.key == "filetype" || $0.key == "type" }?.text ?? ""
        order.metadata = Self.json(pairs)
        return order
    }

    /// Metadata as JSON, in the client's order: the protocol repeats it in answers.
    private static func json(_ pairs: [TusFields.MetadataPair]) -> [UInt8]? {
        guard !pairs.isEmpty else { return nil }
        return JSONValue.object(pairs.map { JSONValue.Member($0.key, .string($0.text)) }).serialized()
    }

    /// `Upload-Metadata` of a file, from what was kept.
    static func uploadMetadata(_ metadata: [UInt8]?) -> String? {
        guard let members = metadata.flatMap({ try? JSONValue(parsing: $0) })?.object, !members.isEmpty else {
            return nil
        }
        let pairs = members.compactMap { member -> TusFields.MetadataPair? in
            guard let text = member.value.string else { return nil }
            return TusFields.MetadataPair(key: member.name, value: Array(text.utf8))
        }
        let field = TusFields.metadata(pairs)
        // Metadata that came in another way may be no such pairs.
        return pairs.count == members.count && TusFields.metadata(field) == pairs ? field : nil
    }

    private static func append(_ key: TransferKey, _ head: Head) throws(APIFailure) -> UploadOrder {
        guard head.contentType == TusFields.contentType else {
            throw APIFailure(415, "the Content-Type must be \(TusFields.contentType)")
        }
        guard let field = head.uploadOffset, let offset = TusFields.number(field) else {
            throw .bad("the header field Upload-Offset must be a number of bytes")
        }
        var order = UploadOrder(kind: .append(key, at: offset))
        order.checksum = try Self.checksum(head)
        return order
    }

    private static func checksum(_ head: Head) throws(APIFailure) -> UploadChecksum? {
        guard let field = head.uploadChecksum else { return nil }
        guard let checksum = TusFields.checksum(field) else {
            throw .bad("the header field Upload-Checksum is none of \(TusFields.checksumAlgorithms)")
        }
        return checksum
    }

    // MARK: Whole files

    private static func whole(_ name: String?, _ head: Head, _ query: HTTPQuery) throws(APIFailure) -> UploadOrder {
        guard head.isChunked || head.contentLength != nil else { throw APIFailure(411, "say how long the file is") }
        var order = UploadOrder(kind: .whole, size: head.contentLength.flatMap(TusFields.number))
        order.name = query["name"] ?? name ?? ""
        order.mediaType = head.contentType ?? ""
        return order
    }

    /// Takes what an app said of its file before.
    mutating func announce(_ announced: UploadLink.Announced) {
        self.name = announced.name
        if !announced.mediaType.isEmpty { self.mediaType = announced.mediaType }
        self.metadata = announced.metadata
    }

    // MARK: What is asked of the engine

    /// True when a later request can go on when this one is cut.
    var canGoOn: Bool {
        switch self.kind {
        case .create, .append: true
        case .whole, .form: false
        }
    }

    func draft(
        by caller: FileCaller, owner: UserID, provider: String, conversation: ConversationID? = nil
    ) -> UploadDraft {
        let name = DisplayName.cleaned(self.name)
        return UploadDraft(
            actor: caller.actor, owner: owner, name: name,
            mediaType: MediaType.resolved(declared: self.mediaType, name: name), size: self.size,
            metadata: self.metadata, transferClass: self.picture == nil ? caller.transferClass : .avatar,
            conversation: conversation,
            provider: provider, key: TransferKey(random: Self.random()), file: FileKey(random: Self.random()))
    }

    /// Random bytes for a name that cannot be guessed.
    static func random() -> [UInt8] { (0..<26).map { _ in UInt8.random(in: 0...255) } }
}
