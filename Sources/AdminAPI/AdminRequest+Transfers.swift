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

extension AdminTransferRequest: AdminOperations {
    static let all: [Self] = [
        .list(.sample, withOver: .sample, limit: .sample), .change(.sample, .sample), .watch(.sample),
        .upload(.sample), .piece(.sample), .finishUpload,
    ]

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

/// What the server answers about transfers.
package enum AdminTransferAnswer: Hashable, Sendable {
    case list([AdminTransfer])
    case one(AdminTransfer)
    /// A piece was taken; so many bytes of the file are there.
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
