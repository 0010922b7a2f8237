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

extension AdminFileRequest: AdminOperations {
    static let all: [Self] = [
        .list(.sample), .show(.sample), .verify(.sample), .collect(isDryRun: .sample), .delete(.sample),
        .send(.sample),
    ]

    /// Word, audit entry, `ctl` command and inverse of the request.
    package var operation: AdminOperation {
        switch self {
        case .list: .look("file.list")
        case .show(let key): .look("file.show", key.text, ctl: ctl("file show", .word(key.text)))
        case .verify(let key): .look("file.verify", ctl: ctl("file verify", .word(key?.text)))
        case .collect(isDryRun: true): .look("file.collect", ctl: ctl("file gc", .flag("dry-run", true)))
        case .collect(isDryRun: false): .change("file.collect", ctl: ctl("file gc"))
        case .delete(let key): .change("file.delete", key.text, ctl: ctl("file delete", .word(key.text)))
        case .send(let send): .change("file.send", send.from.text)
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let list): try .list(fields.inline(list))
        case .show(let file): try .show(fields("file", file))
        case .verify(let file): try .verify(fields("file", file))
        case .collect(let dryRun): try .collect(isDryRun: fields("dryRun", dryRun))
        case .delete(let file): try .delete(fields("file", file))
        case .send(let send): try .send(fields.inline(send))
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
