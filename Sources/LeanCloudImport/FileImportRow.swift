import ByteCodec
import ChatModel
import LeanCloudQuery
package import Store

/// Rows of the class `_File`. Pure.
package enum FileImportRow {
    /// Reads a row.
    ///
    /// - Parameter line: a line of `classes/_File.jsonl`.
    package static func read(_ line: [UInt8]) throws(RowProblem) -> ImportedFile {
        let row = try SourceRow(parsing: line)
        guard let id = try row.text("objectId") else { throw .noID }
        guard let objectID = ObjectID(id) else { throw .badID("objectId") }
        guard let created = row.date("createdAt") ?? row.date("updatedAt") else { throw .noTime }
        guard let address = try row.text("url") else { throw .noContent }
        guard address.utf8.count <= AppLimits.addressBytes else { throw .tooLong("url", address.utf8.count) }
        let said = row["metaData"]
        guard said == nil || said?.object != nil else { throw .badMember("metaData") }
        let metadata = said.flatMap { $0.object?.isEmpty == false ? $0.serialized() : nil }
        if let metadata, metadata.count > FileTextLimits.metadataBytes { throw .tooLong("metaData", metadata.count) }
        let name = Self.name(row["name"]?.string ?? "")
        let type = MediaType.resolved(declared: row["mime_type"]?.string ?? "", name: name)
        var file = ImportedFile(
            objectID: objectID, name: name,
            mediaType: type == MediaType.unknown || type.utf8.count > FileTextLimits.mediaTypeBytes ? "" : type,
            metadata: metadata, createdAtMilliseconds: created, address: address)
        let key = row["key"]?.string
        file.link = key.flatMap { FileLinkKey($0) }
        // Source: leancloud/javascript-sdk, src/file.js: `withURL` says so; the REST API gives such a row no bucket.
        let isExternal = said?["__source"]?.string == "external"
        file.isElsewhere = isExternal || (key == nil && row["bucket"]?.string == nil)
        return file
    }

    /// A name and nothing else: without what leads into folders, and without characters that do not print.
    private static func name(_ text: String) -> String {
        let last = text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let shown = last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return String(String.UnicodeScalarView(shown.prefix(FileTextLimits.nameScalars)))
    }
}
