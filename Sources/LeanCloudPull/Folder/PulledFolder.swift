import ByteCodec

/// Contents of a folder that a pull has finished, as its manifest says.
package struct PulledFolder: Sendable {
    /// A table of the folder.
    package struct TableFile: Hashable, Sendable {
        /// Path below the folder.
        package var path: String
        /// Lines of the file.
        package var rows: Int64
    }

    /// Kind of a folder that came from LeanCloud.
    package static let leanCloud = "leancloud-pull"
    /// Kind of a folder that came from a WuKongIM server.
    package static let wuKongIM = "wukongim-pull"

    /// App that was pulled.
    package var app: String
    /// Address of the API that it was pulled from.
    package var source: String
    /// Tables, sorted by their paths.
    package var tables: [TableFile] = []

    /// - Returns: `nil` when there is no manifest, or none of a pull from this kind of server.
    package init?(_ path: String, kind: String = PulledFolder.leanCloud) throws(PullError) {
        guard let bytes = try Disk.read(path + "/manifest.json"), let value = try? JSONValue(parsing: bytes),
            value["kind"]?.string == kind
        else { return nil }
        let format = value["format"]?.integer ?? 0
        guard format == Manifest.format else { throw .newerFolder(format: format) }
        self.app = value["app"]?.string ?? ""
        self.source = value["source"]?.string ?? ""
        for table in value["tables"]?.array ?? [] {
            guard let path = table["path"]?.string else { continue }
            self.tables.append(TableFile(path: path, rows: table["rows"]?.integer ?? 0))
        }
    }
}
