import ByteCodec
import ChatModel
package import Store

/// Rows of the class `_Installation`. Pure. Source: LeanCloud push guide, class `_Installation`.
package enum DeviceRow {
    /// Members that are no fields of an app's own.
    private static let ownNames: Set<String> = [
        "objectId", "deviceType", "deviceToken", "installationId", "createdAt", "updatedAt", "ACL",
    ]

    /// Reads a row.
    ///
    /// - Parameter line: a line of `classes/_Installation.jsonl`.
    package static func read(_ line: [UInt8]) throws(RowProblem) -> ImportedDevice {
        let row = try SourceRow(parsing: line)
        guard let id = try row.text("objectId") else { throw .noID }
        guard let objectID = ObjectID(id) else { throw .badID("objectId") }
        guard let created = row.date("createdAt") ?? row.date("updatedAt") else { throw .noTime }
        var patch = InstallationPatch(
            deviceType: try Self.text("deviceType", row), deviceToken: try Self.text("deviceToken", row),
            installationID: try Self.text("installationId", row))
        let own = row.members.filter { !Self.ownNames.contains($0.name) && !$0.value.isNull }
        let fields = JSONValue.object(own).serialized()
        guard fields.count <= AppLimits.fieldsBytes else { throw .tooLong("fields", fields.count) }
        patch.fields = own.isEmpty ? nil : fields
        var device = ImportedDevice(
            objectID: objectID, patch: patch, createdAtMilliseconds: created,
            updatedAtMilliseconds: max(created, row.date("updatedAt") ?? created))
        device.channels = row.texts("channels")
        return device
    }

    private static func text(_ name: String, _ row: SourceRow) throws(RowProblem) -> String? {
        guard let text = try row.text(name) else { return nil }
        guard text.utf8.count <= AppLimits.deviceTextBytes else { throw .tooLong(name, text.utf8.count) }
        return text
    }
}
