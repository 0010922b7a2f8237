package import ChatModel

/// Requests about uploads and downloads.
package enum AdminTransferRequest: AdminDefinitions {
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

    static let all: [Self] = [
        .list(.sample, withOver: .sample, limit: .sample), .change(.sample, .sample), .watch(.sample),
        .upload(.sample), .piece(.sample), .finishUpload,
    ]

    static let more: [Self] =
        [.list(nil, withOver: false, limit: 100)] + AdminTransferAction.allCases.map { .change(.sample, $0) }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let owner, let withOver, let limit):
            fields.look("transfer.list", role: .observer)
            fields.ctl("transfer list", examples: ["", "--all --of ming"])
            let rows = 1...AdminProtocol.fileRows
            return try .list(
                fields("owner", owner, .option("of", "NAME", "option.transferOwner")),
                withOver: fields("over", withOver, .flag("all", "option.allTransfers")),
                limit: fields("limit", limit, in: rows, .number("limit", rows, "option.limit", hasUsual: true)))
        case .change(let key, let action):
            fields.change(
                "transfer.change", role: .helper, .text(key.text),
                inverse: action.inverse.map { .transfers(.change(key, $0)) })
            fields.asks(
                "console.transfers.\(action.rawValue)", ["console.transfers.\(action.rawValue)Consequence"],
                of: [key.text], isFinal: action.inverse == nil)
            fields.ctl(
                "transfer \(action.word)", says: "ctl.transfer.changed", ["key": key.text],
                examples: ["th-tabcdefghijklmnopqrstuvwxyz"])
            return try .change(
                fields("transfer", key, .argument("KEY", "argument.transfer", refusal: "ctl.badTransfer")),
                fields("action", action))
        case .watch(let owner):
            fields.look("transfer.watch", role: .observer)
            fields.ctl("transfer watch", examples: ["", "--of ming"])
            return try .watch(fields("owner", owner, .option("of", "NAME", "option.transferOwner")))
        case .upload(let upload):
            fields.change("upload.open", .text(upload.owner.text))
            return try .upload(fields.inline(upload))
        // A piece is part of an upload that is in the journal already.
        case .piece(let piece):
            fields.look("upload.piece")
            return try .piece(fields.inline(piece))
        case .finishUpload:
            fields.look("upload.finish")
            return self
        }
    }
}

/// Answers about transfers.
package enum AdminTransferAnswer: AdminFamily {
    case list([AdminTransfer])
    case one(AdminTransfer)
    /// Bytes of the file that are there after the piece.
    case taken(Int64)

    static let all: [Self] = [.list(.sample), .one(.sample), .taken(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let transfers): try .list(fields.named("transfers")("transfers", transfers))
        case .one(let one): try .one(fields.named("transfer").inline(one))
        case .taken(let offset): try .taken(fields.named("upload.taken")("offset", offset))
        }
    }
}
