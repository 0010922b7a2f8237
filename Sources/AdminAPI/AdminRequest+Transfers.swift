package import ChatModel

/// Requests about uploads and downloads.
package enum AdminTransferRequest: Hashable, Sendable {
    /// Lists transfers of one user, or of all for `nil`; `withOver` includes ended ones. The limit is
    /// 1...`AdminProtocol.fileRows`.
    case list(UserName?, withOver: Bool, limit: Int64)
    case change(TransferKey, AdminTransferAction)
    /// Sends changed transfers as events, each at most five times a second, until stopped.
    case watch(UserName?)
    /// Opens an upload, new or unfinished, for the pieces that this connection sends; a connection has one at a time.
    /// An upload whose connection ends keeps the bytes that came and can be resumed.
    case upload(AdminUpload)
    /// Sends a piece. The answer comes when there is room for more: at most eight are under way.
    case piece(AdminPiece)
    /// Ends the upload. The answer comes when the file is complete and on the disk.
    case finishUpload
}

extension AdminTransferRequest: AdminOperations {
    static let all: [Self] = [
        .list(.sample, withOver: .sample, limit: .sample), .change(.sample, .sample), .watch(.sample),
        .upload(.sample), .piece(.sample), .finishUpload,
    ]

    /// Word, audit entry, `ctl` command and inverse of the request.
    package var operation: AdminOperation {
        switch self {
        case .list: .look("transfer.list")
        case .change(let key, let action):
            .change(
                "transfer.change", key.text, ctl: ctl("transfer \(action.word)", .word(key.text)),
                inverse: action.inverse.map { .transfers(.change(key, $0)) })
        case .watch(let owner): .look("transfer.watch", ctl: ctl("transfer watch", .option("of", owner?.text)))
        case .upload(let upload): .change("upload.open", upload.owner.text)
        // A piece is part of an upload that is in the journal already.
        case .piece: .look("upload.piece")
        case .finishUpload: .look("upload.finish")
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let owner, let withOver, let limit):
            try .list(
                fields("owner", owner), withOver: fields("over", withOver),
                limit: fields("limit", limit, in: 1...AdminProtocol.fileRows))
        case .change(let transfer, let action): try .change(fields("transfer", transfer), fields("action", action))
        case .watch(let owner): try .watch(fields("owner", owner))
        case .upload(let upload): try .upload(fields.inline(upload))
        case .piece(let piece): try .piece(fields.inline(piece))
        case .finishUpload: self
        }
    }
}

/// Answers about transfers.
package enum AdminTransferAnswer: Hashable, Sendable {
    case list([AdminTransfer])
    case one(AdminTransfer)
    /// Bytes of the file that are there after the piece.
    case taken(Int64)
}

extension AdminTransferAnswer: AdminFamily {
    static let all: [Self] = [
        .list(.sample), .one(.sample), .taken(.sample),
    ]

    var word: String {
        switch self {
        case .list: "transfers"
        case .one: "transfer"
        case .taken: "upload.taken"
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let transfers): try .list(fields("transfers", transfers))
        case .one(let one): try .one(fields.inline(one))
        case .taken(let offset): try .taken(fields("offset", offset))
        }
    }
}
