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

    /// Most bytes of a path, and of the name of an app.
    private static let maximumTextBytes = 1_024

    /// - Returns: `nil` when there is no manifest, or none of a pull from this kind of server.
    /// - Throws: `newerFolder`; `input` for a path that is not below the folder, and what is too long.
    package init?(_ path: String, kind: String = PulledFolder.leanCloud) throws(PullError) {
        guard let bytes = try Disk.read(path + "/manifest.json"), let value = try? JSONValue(parsing: bytes),
            value["kind"]?.string == kind
        else { return nil }
        let format = value["format"]?.integer ?? 0
        guard format == Manifest.format else { throw .newerFolder(format: format) }
        self.app = value["app"]?.string ?? ""
        self.source = value["source"]?.string ?? ""
        for table in value["tables"]?.array ?? [] {
            guard let file = table["path"]?.string else { continue }
            // A folder may have been changed by hand, and nothing outside of it is read.
            guard Self.isBelow(file) else {
                throw .input(path: path + "/manifest.json", reason: "it names \(file.prefix(100)), no file of a pull")
            }
            self.tables.append(TableFile(path: file, rows: table["rows"]?.integer ?? 0))
        }
        guard self.app.utf8.count <= Self.maximumTextBytes else {
            throw .input(path: path + "/manifest.json", reason: "the name of its app is too long")
        }
    }

    /// True for a path that leads to something below the folder.
    private static func isBelow(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return path.utf8.count <= Self.maximumTextBytes
            && !parts.contains { $0.isEmpty || $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }
    }
}
