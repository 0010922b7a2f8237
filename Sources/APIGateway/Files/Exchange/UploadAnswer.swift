import APIKit
import ByteCodec
import ChatModel
import Transport

/// Answer to a request that brought bytes of a file.
enum UploadAnswer: Hashable {
    /// tus: the upload stands.
    case created(TransferRecord)
    /// tus: more of it is here.
    case advanced(TransferRecord)
    /// The file is complete. `link`: with which it can be read without a session; `nil` for none.
    case file(FileRecord, TransferRecord, link: FileLinkKey?)
    /// The file is somebody's picture.
    case pictureSet
    case failure(APIFailure)

    /// Sends the answer.
    ///
    /// - Parameters:
    ///   - fields: header fields of every answer to the request.
    ///   - isLink: true when the request came by a link.
    ///   - base: address that links begin with; `nil` for none.
    func send(to responder: HTTPResponder, _ fields: [(String, String)], isLink: Bool, base: String?) {
        switch self {
        case .created(let record):
            let place = ("Location", APIPaths.upload(record.key))
            responder.respond(status: 201, headers: Self.fields(fields, record) + Self.progress(record) + [place])
        case .advanced(let record):
            responder.respond(status: 204, headers: Self.fields(fields, record) + Self.progress(record))
        case .file(let file, let record, let link):
            // COMPAT(TangSengDaoDao apps): they take nothing but 200 for done.
            var answer = APIAnswer.json(Self.json(file, link, base: base), status: isLink ? 200 : 201)
            answer.headers = Self.fields(fields, record) + [("Location", APIPaths.file(file.key))]
            responder.send(answer)
        case .pictureSet: responder.send(.ok)
        case .failure(let failure): responder.send(failure, fields, isLink: isLink)
        }
    }

    /// The file's name is told from the beginning, so that a client whose last answer is lost knows what to look for.
    private static func fields(_ fields: [(String, String)], _ record: TransferRecord) -> [(String, String)] {
        fields + [(FileWording.fileField, record.file.text)]
    }

    /// Offset of an upload, and the time until which it can be resumed.
    static func progress(_ record: TransferRecord) -> [(String, String)] {
        var fields = [("Upload-Offset", String(record.offset))]
        if !record.state.isOver, let expiry = record.expiresAtMilliseconds {
            fields.append(("Upload-Expires", HTTPResponseHead.date(wallMilliseconds: expiry)))
        }
        return fields
    }

    private static func json(_ file: FileRecord, _ link: FileLinkKey?, base: String?) -> JSONValue {
        var members = file.json.object ?? []
        if let link {
            members.append(JSONValue.Member("link", .string(APIPaths.link(link))))
            // COMPAT(TangSengDaoDao apps): what they put into the message.
            members.append(JSONValue.Member("path", .string(APIPaths.preview(link, name: file.name, base: base))))
        }
        return .object(members)
    }
}
