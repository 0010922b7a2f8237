package import ChatModel

/// What an operator can ask about uploads and downloads.
package enum AdminTransferRequest: Hashable, Sendable {
    /// Of one person or of all; with those that are over, or without; 1...`AdminProtocol.fileRows` of them.
    case list(UserName?, withOver: Bool, limit: Int64)
    case change(TransferKey, AdminTransferAction)
    /// Sends transfers as events whenever they move, each at most five times a second, until stopped.
    case watch(UserName?)
    /// Opens an upload, new or unfinished, for the pieces that this connection sends; it has one at a time. An upload
    /// whose connection ends keeps what came and can be gone on with.
    case upload(AdminUpload)
    /// Answered when there is room for more: with eight under way the asker waits.
    case piece(AdminPiece)
    /// All pieces were sent: answered when the file is complete and on the disk.
    case finishUpload
}

extension AdminTransferRequest {
    var word: String {
        switch self {
        case .list: "transfer.list"
        case .change: "transfer.change"
        case .watch: "transfer.watch"
        case .upload: "upload.open"
        case .piece: "upload.piece"
        case .finishUpload: "upload.finish"
        }
    }

    var isChange: Bool {
        switch self {
        // A piece is part of an upload that is in the journal already.
        case .list, .watch, .piece, .finishUpload: false
        case .change, .upload: true
        }
    }

    var subject: String? {
        switch self {
        case .change(let key, _): key.text
        case .upload(let upload): upload.owner.text
        case .list, .watch, .piece, .finishUpload: nil
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let owner, let withOver, let limit):
            fields.text("owner", owner?.text)
            fields.flag("over", withOver)
            fields.number("limit", limit)
        case .change(let key, let action):
            fields.text("transfer", key.text)
            fields.text("action", action.rawValue)
        case .watch(let owner): fields.text("owner", owner?.text)
        case .upload(let upload): upload.write(to: &fields)
        case .piece(let piece): piece.write(to: &fields)
        case .finishUpload: break
        }
    }

    /// - Returns: `nil` for a word that is none of transfers.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "transfer.list":
            let limit = try with.number("limit")
            guard (1...AdminProtocol.fileRows).contains(limit) else { throw FieldReader.wrong("limit") }
            self = .list(try with.optionalUserName("owner"), withOver: try with.flag("over"), limit: limit)
        case "transfer.change": self = .change(try with.transferKey("transfer"), try Word.value("action", with))
        case "transfer.watch": self = .watch(try with.optionalUserName("owner"))
        case "upload.open": self = .upload(try AdminUpload(with))
        case "upload.piece": self = .piece(try AdminPiece(with))
        case "upload.finish": self = .finishUpload
        default: return nil
        }
    }
}

/// What the server answers about transfers.
package enum AdminTransferAnswer: Hashable, Sendable {
    case list([AdminTransfer])
    case one(AdminTransfer)
    /// A piece was taken; so many bytes of the file are there.
    case taken(Int64)
}

extension AdminTransferAnswer {
    var word: String {
        switch self {
        case .list: "transfers"
        case .one: "transfer"
        case .taken: "upload.taken"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let transfers): fields.records("transfers", transfers)
        case .one(let transfer): transfer.write(to: &fields)
        case .taken(let offset): fields.number("offset", offset)
        }
    }

    /// - Returns: `nil` for a word that is none of transfers.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "transfers": self = .list(try with.records("transfers"))
        case "transfer": self = .one(try AdminTransfer(with))
        case "upload.taken": self = .taken(try with.number("offset"))
        default: return nil
        }
    }
}
