package import ChatModel

/// Requests about files.
package enum AdminFileRequest: AdminDefinitions {
    case list(AdminFileQuery)
    case show(FileKey)
    /// Reads and checks the content of one file, or all contents; events report the progress.
    case verify(FileKey?)
    /// Removes files that nothing refers to; a dry run only lists them.
    case collect(isDryRun: Bool)
    case delete(FileKey)
    case send(AdminFileSend)

    static let all: [Self] = [
        .list(.sample), .show(.sample), .verify(.sample), .collect(isDryRun: .sample), .delete(.sample),
        .send(.sample),
    ]

    static let more: [Self] = [.list(AdminFileQuery())]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let list):
            fields.look("file.list", role: .observer)
            fields.ctl(
                "file list", examples: ["", "--of ming --sort size --limit 20", "--orphans --json"])
            return try .list(fields.inline(list))
        case .show(let key):
            fields.look("file.show", role: .observer, key.text)
            fields.ctl("file show", examples: [FileKey.example])
            return try .show(fields("file", key, .file))
        case .verify(let key):
            fields.look("file.verify", role: .observer)
            fields.ctl("file verify", examples: ["", FileKey.example])
            return try .verify(
                fields("file", key, .argument("KEY", "argument.fileOrAll", isOptional: true, refusal: "ctl.badFile")))
        case .collect(let isDryRun):
            fields.change("file.collect", isChange: !isDryRun)
            fields.ctl("file gc", summary: "command.ctl.file.collect", examples: ["--dry-run", ""])
            return try .collect(isDryRun: fields("dryRun", isDryRun, .flag("dry-run", "option.dryRun")))
        case .delete(let key):
            fields.change("file.delete", .file(key))
            fields.asks(
                "console.files.delete", ["console.files.deleteConsequence"], of: [key.text], isFinal: true)
            fields.ctl(
                "file delete", says: "ctl.file.deleted", evenForNone: true, ["key": key.text],
                examples: [FileKey.example])
            return try .delete(fields("file", key, .file))
        case .send(let send):
            fields.change("file.send", .text(send.from.text))
            return try .send(fields.inline(send))
        }
    }
}

extension FileKey {
    /// Key in examples of commands.
    fileprivate static let example = "th-fabcdefghijklmnopqrstuvwxyz"
}

extension CommandPlace {
    fileprivate static let file = argument("KEY", "argument.file", refusal: "ctl.badFile")
}

/// Answers about files.
package enum AdminFileAnswer: AdminFamily {
    case list([AdminFile], FileTotals)
    case one(AdminFileDetail)
    case checked(AdminFileCheck)
    case collected(AdminCollection)

    static let all: [Self] = [.list(.sample, .sample), .one(.sample), .checked(.sample), .collected(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let files, let totals): try .list(fields.named("files")("files", files), fields("totals", totals))
        case .one(let one): try .one(fields.named("file").inline(one))
        case .checked(let checked): try .checked(fields.named("files.checked").inline(checked))
        case .collected(let collected): try .collected(fields.named("files.collected").inline(collected))
        }
    }
}
