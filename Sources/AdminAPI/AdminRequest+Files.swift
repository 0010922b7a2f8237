package import ChatModel

/// What an operator can ask about files.
package enum AdminFileRequest: Hashable, Sendable {
    case list(AdminFileQuery)
    case show(FileKey)
    /// Reads the content of one file, or all contents, and checks them; events tell how far it is.
    case verify(FileKey?)
    /// Removes what nobody needs, or says what that is.
    case collect(isDryRun: Bool)
    case delete(FileKey)
    case send(AdminFileSend)
}

extension AdminFileRequest {
    var word: String {
        switch self {
        case .list: "file.list"
        case .show: "file.show"
        case .verify: "file.verify"
        case .collect: "file.collect"
        case .delete: "file.delete"
        case .send: "file.send"
        }
    }

    var isChange: Bool {
        switch self {
        case .list, .show, .verify, .collect(isDryRun: true): false
        case .collect, .delete, .send: true
        }
    }

    var subject: String? {
        switch self {
        case .list, .verify, .collect: nil
        case .show(let key), .delete(let key): key.text
        case .send(let send): send.from.text
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let query): query.write(to: &fields)
        case .show(let key), .delete(let key): fields.text("file", key.text)
        case .verify(let key): fields.text("file", key?.text)
        case .collect(let isDryRun): fields.flag("dryRun", isDryRun)
        case .send(let send): send.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of files.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "file.list": self = .list(try AdminFileQuery(with))
        case "file.show": self = .show(try with.fileKey("file"))
        case "file.verify": self = .verify(try with.optionalText("file") == nil ? nil : with.fileKey("file"))
        case "file.collect": self = .collect(isDryRun: try with.flag("dryRun"))
        case "file.delete": self = .delete(try with.fileKey("file"))
        case "file.send": self = .send(try AdminFileSend(with))
        default: return nil
        }
    }
}

/// What the server answers about files.
package enum AdminFileAnswer: Hashable, Sendable {
    case list([AdminFile], AdminFileTotals)
    case one(AdminFileDetail)
    case checked(AdminFileCheck)
    case collected(AdminCollection)
}

extension AdminFileAnswer {
    var word: String {
        switch self {
        case .list: "files"
        case .one: "file"
        case .checked: "files.checked"
        case .collected: "files.collected"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let files, let totals):
            fields.records("files", files)
            fields.record("totals", totals)
        case .one(let detail): detail.write(to: &fields)
        case .checked(let check): check.write(to: &fields)
        case .collected(let collection): collection.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of files.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "files": self = .list(try with.records("files"), try with.record("totals"))
        case "file": self = .one(try AdminFileDetail(with))
        case "files.checked": self = .checked(try AdminFileCheck(with))
        case "files.collected": self = .collected(try AdminCollection(with))
        default: return nil
        }
    }
}
