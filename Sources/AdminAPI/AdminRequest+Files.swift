package import ChatModel

/// Requests about files.
package enum AdminFileRequest: Hashable, Sendable {
    case list(AdminFileQuery)
    case show(FileKey)
    /// Reads and checks the content of one file, or all contents; events report the progress.
    case verify(FileKey?)
    /// Removes files that nothing refers to; a dry run only lists them.
    case collect(isDryRun: Bool)
    case delete(FileKey)
    case send(AdminFileSend)
}

extension AdminFileRequest: AdminDefinitions {
    static let all: [Self] = [
        .list(.sample), .show(.sample), .verify(.sample), .collect(isDryRun: .sample), .delete(.sample),
        .send(.sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let list):
            fields.look("file.list")
            return try .list(fields.inline(list))
        case .show(let key):
            fields.look("file.show", key.text)
            fields.line(ctl("file show", .word(key.text)))
            return try .show(fields("file", key))
        case .verify(let key):
            fields.look("file.verify")
            fields.line(ctl("file verify", .word(key?.text)))
            return try .verify(fields("file", key))
        case .collect(let isDryRun):
            fields.change("file.collect", isChange: !isDryRun)
            fields.line(ctl("file gc", .flag("dry-run", isDryRun)))
            return try .collect(isDryRun: fields("dryRun", isDryRun))
        case .delete(let key):
            fields.change("file.delete", .file(key))
            fields.line(ctl("file delete", .word(key.text)))
            return try .delete(fields("file", key))
        case .send(let send):
            fields.change("file.send", .text(send.from.text))
            return try .send(fields.inline(send))
        }
    }
}

/// Answers about files.
package enum AdminFileAnswer: Hashable, Sendable {
    case list([AdminFile], AdminFileTotals)
    case one(AdminFileDetail)
    case checked(AdminFileCheck)
    case collected(AdminCollection)
}

extension AdminFileAnswer: AdminFamily {
    static let all: [Self] = [
        .list(.sample, .sample), .one(.sample), .checked(.sample), .collected(.sample),
    ]

    var word: String {
        switch self {
        case .list: "files"
        case .one: "file"
        case .checked: "files.checked"
        case .collected: "files.collected"
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let files, let totals): try .list(fields("files", files), fields("totals", totals))
        case .one(let one): try .one(fields.inline(one))
        case .checked(let checked): try .checked(fields.inline(checked))
        case .collected(let collected): try .collected(fields.inline(collected))
        }
    }
}
