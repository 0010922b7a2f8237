import APIKit
import ChatModel
import Transport

/// Route of a request about files, found out from its method, path and header.
enum FileRoute: Hashable {
    /// `OPTIONS`: what of tus is spoken here.
    case tusOptions
    /// Begins an upload, and may bring its first bytes.
    case tusCreate
    case tusStatus(TransferKey)
    case tusAppend(TransferKey)
    case tusTerminate(TransferKey)
    /// A whole file as the body. The name from the path, if it is there.
    case put(name: String?)
    /// A whole file as a field of a form.
    case form
    case download(FileKey)
    case deleteFile(FileKey)
    case downloadLink(FileLinkKey)
    case putLink(FileLinkKey, name: String?)
    case formLink(FileLinkKey)
    /// Preflight for a link, which a page of any origin may send.
    case linkOptions
    /// A picture as a field of a form.
    case formPicture(PictureName)
    case picture(PictureName)
    case transfers
    case transfer(TransferKey)
    case change(TransferKey, TransferChange)

    /// Change of a transfer by its owner or the operator.
    enum TransferChange: String, Hashable, CaseIterable {
        case suspend, resume, cancel
    }

    /// - Returns: `nil` when the path belongs to another gateway.
    /// - Throws: 400, 404, 405, 412 or 415.
    static func find(_ request: HTTPRequest) throws(APIFailure) -> FileRoute? {
        try Self.find(
            Head(
                method: request.method, path: request.path, methodOverride: request.headers["x-http-method-override"],
                tusResumable: request.headers["tus-resumable"], contentType: request.headers["content-type"]))
    }

    /// Parts of a request's head that decide.
    struct Head {
        var method: String
        var path: String
        var methodOverride: String?
        var tusResumable: String?
        var contentType: String?

        var isForm: Bool { FieldParameters(self.contentType ?? "").word == "multipart/form-data" }
        var isTus: Bool { self.tusResumable != nil }
    }

    static func find(_ head: Head) throws(APIFailure) -> FileRoute? {
        let place: String
        if head.path.hasPrefix(APIPaths.prefix + "/") {
            place = String(head.path.dropFirst(APIPaths.prefix.count))
        } else if head.path.hasPrefix(APIPaths.linkPrefix) {
            place = head.path
        } else if head.path.hasPrefix(APIPaths.previewPrefix), head.method == "GET" || head.method == "HEAD" {
            place = APIPaths.linkPrefix + head.path.dropFirst(APIPaths.previewPrefix.count)
        } else {
            return try Self.pictures(head)
        }
        let rooms = ["/files", "/uploads", "/transfers", "/f"]
        guard rooms.contains(where: { place == $0 || place.hasPrefix($0 + "/") }) else { return nil }
        guard var segments = PercentDecoding.segments(ofPath: place) else {
            throw .bad("the path is not percent-encoded UTF-8")
        }
        if segments.count > 1, segments.last == "" { segments.removeLast() }
        switch segments[0] {
        case "files": return try Self.files(head, Array(segments.dropFirst()))
        case "uploads": return try Self.uploads(head, Array(segments.dropFirst()))
        case "transfers": return try Self.transfers(head, Array(segments.dropFirst()))
        default: return try Self.links(head, Array(segments.dropFirst()))
        }
    }

    // MARK: The rooms

    private static func files(_ head: Head, _ rest: [String]) throws(APIFailure) -> FileRoute {
        guard let first = rest.first else {
            switch head.method {
            case "OPTIONS": return .tusOptions
            case "POST" where head.isForm: return .form
            case "POST" where head.isTus:
                try Self.checkVersion(head)
                return .tusCreate
            case "POST": throw APIFailure(415, "send a form with the field `file`, or speak tus \(TusFields.version)")
            case "PUT": return .put(name: nil)
            default: throw Self.wrongMethod(head.method, ["OPTIONS", "POST", "PUT"])
            }
        }
        guard rest.count <= 2 else { throw Self.nothing }
        guard let key = FileKey(first) else {
            if head.method == "PUT", rest.count == 1 { return .put(name: first) }
            throw Self.nothing
        }
        switch head.method {
        case "GET", "HEAD": return .download(key)
        case "DELETE" where rest.count == 1: return .deleteFile(key)
        default: throw Self.wrongMethod(head.method, ["DELETE", "GET", "HEAD"])
        }
    }

    private static func uploads(_ head: Head, _ rest: [String]) throws(APIFailure) -> FileRoute {
        guard rest.count == 1, let key = TransferKey(rest[0]) else { throw Self.nothing }
        let method = head.methodOverride ?? head.method
        if method == "OPTIONS" { return .tusOptions }
        guard ["DELETE", "HEAD", "PATCH"].contains(method) else {
            throw Self.wrongMethod(method, ["DELETE", "HEAD", "OPTIONS", "PATCH"])
        }
        try Self.checkVersion(head)
        switch method {
        case "HEAD": return .tusStatus(key)
        case "DELETE": return .tusTerminate(key)
        default: return .tusAppend(key)
        }
    }

    private static func transfers(_ head: Head, _ rest: [String]) throws(APIFailure) -> FileRoute {
        guard let first = rest.first else {
            guard head.method == "GET" || head.method == "HEAD" else {
                throw Self.wrongMethod(head.method, ["GET", "HEAD"])
            }
            return .transfers
        }
        guard let key = TransferKey(first), rest.count <= 2 else { throw Self.nothing }
        if rest.count == 1 {
            guard head.method == "GET" || head.method == "HEAD" else {
                throw Self.wrongMethod(head.method, ["GET", "HEAD"])
            }
            return .transfer(key)
        }
        guard let change = TransferChange(rawValue: rest[1]) else { throw Self.nothing }
        guard head.method == "POST" else { throw Self.wrongMethod(head.method, ["POST"]) }
        return .change(key, change)
    }

    private static func links(_ head: Head, _ rest: [String]) throws(APIFailure) -> FileRoute {
        guard (1...2).contains(rest.count), let key = FileLinkKey(rest[0]) else { throw Self.nothing }
        switch head.method {
        case "GET", "HEAD": return .downloadLink(key)
        case "OPTIONS": return .linkOptions
        case "PUT": return .putLink(key, name: rest.dropFirst().first)
        case "POST" where head.isForm: return .formLink(key)
        case "POST": throw APIFailure(415, "send a form with the field `file`")
        default: throw Self.wrongMethod(head.method, ["GET", "HEAD", "OPTIONS", "POST", "PUT"])
        }
    }

    private static func pictures(_ head: Head) throws(APIFailure) -> FileRoute? {
        guard head.path.hasSuffix("/avatar"), let segments = PercentDecoding.segments(ofPath: head.path),
            let name = PictureName(segments)
        else { return nil }
        switch head.method {
        case "GET", "HEAD": return .picture(name)
        case "POST" where head.isForm: return .formPicture(name)
        case "POST": throw APIFailure(415, "send a form with the field `file`")
        default: throw Self.wrongMethod(head.method, ["GET", "HEAD", "POST"])
        }
    }

    private static func checkVersion(_ head: Head) throws(APIFailure) {
        guard head.tusResumable == TusFields.version else {
            throw APIFailure(412, "the header field Tus-Resumable must be \(TusFields.version)")
        }
    }

    private static let nothing = APIFailure(404, "there is nothing by that name")

    private static func wrongMethod(_ method: String, _ allowed: [String]) -> APIFailure {
        var failure = APIFailure(405, "\(method) cannot be done here: use \(allowed.joined(separator: " or "))")
        failure.allowedMethods = allowed
        return failure
    }

    /// True when the request's body is taken as it arrives.
    var isStreamed: Bool {
        switch self {
        case .tusCreate, .tusAppend, .put, .form, .putLink, .formLink, .formPicture: true
        case .tusOptions, .tusStatus, .tusTerminate, .download, .deleteFile, .downloadLink, .linkOptions, .picture,
            .transfers, .transfer, .change:
            false
        }
    }

    /// True when the answer carries the header fields of tus.
    var isTus: Bool {
        switch self {
        case .tusOptions, .tusCreate, .tusStatus, .tusAppend, .tusTerminate: true
        case .put, .form, .download, .deleteFile, .downloadLink, .putLink, .formLink, .linkOptions, .formPicture,
            .picture, .transfers, .transfer, .change:
            false
        }
    }
}
