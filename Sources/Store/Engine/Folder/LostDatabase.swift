import Glibc

/// A data folder in which a server has run and whose database is gone. A start must not make a new one there: people would
/// find an empty server, and the log that may still hold their messages would be thrown away.
enum LostDatabase: Hashable {
    /// There is no database, but something that only a server leaves behind.
    case isMissing(folder: String, trace: String)
    /// The file has no bytes.
    case isEmpty(String)
    /// The file is a database without tables.
    case hasNoTables(String)

    /// Files that a server makes in its folder after the database, so that none of them exists at a first start.
    static let traces = [
        "teahouse.db-wal", "files", "tls", "app.key", "wukong-manager-token", "setup-token", "last-verify.json",
        "ballast", "log",
    ]

    /// Looks at the names in the folder; opens nothing.
    init?(in folder: String) {
        var status = stat()
        if stat(DataFolder.databasePath(in: folder), &status) == 0 {
            guard status.st_size == 0 else { return nil }
            self = .isEmpty(folder)
        } else {
            guard let trace = Self.traces.first(where: { access("\(folder)/\($0)", F_OK) == 0 }) else { return nil }
            self = .isMissing(folder: folder, trace: trace)
        }
    }

    var error: StoreError { .invalid(self.description) }

    var description: String {
        let (folder, what) =
            switch self {
            case .isMissing(let folder, let trace): (folder, "there is no teahouse.db beside \(trace)")
            case .isEmpty(let folder): (folder, "teahouse.db is empty")
            case .hasNoTables(let folder): (folder, "teahouse.db has no tables")
            }
        return """
            a server has run in \(folder), but its database is gone: \(what). Put the last backup back; to begin anew, \
            name another folder or move this one away
            """
    }
}

/// True when a folder has no database yet, and never had one.
///
/// - Throws: `invalid` when it had one that is gone.
func isNewFolder(_ folder: String) throws(StoreError) -> Bool {
    if let lost = LostDatabase(in: folder) { throw lost.error }
    return access(DataFolder.databasePath(in: folder), F_OK) != 0
}

/// Describes a folder whose database is gone; `nil` when there is one, or never was. Opens nothing.
package func lostDatabase(in folder: String) -> String? { LostDatabase(in: folder)?.description }
