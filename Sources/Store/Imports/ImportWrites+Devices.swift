package import ChatModel

/// A device as another server kept it.
package struct ImportedDevice: Hashable, Sendable {
    /// Object ID.
    package var objectID: ObjectID
    /// Kind, token and name of the device, and its other fields.
    package var patch: InstallationPatch
    /// Names of its channels, among which apps put the client that has signed in on it.
    package var channels: [String] = []
    /// UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// When it was heard of last, UTC milliseconds.
    package var updatedAtMilliseconds: Int64

    package init(
        objectID: ObjectID, patch: InstallationPatch, createdAtMilliseconds: Int64, updatedAtMilliseconds: Int64
    ) {
        self.objectID = objectID
        self.patch = patch
        self.createdAtMilliseconds = createdAtMilliseconds
        self.updatedAtMilliseconds = updatedAtMilliseconds
    }
}

/// Outcome of importing one device.
package enum ImportedDeviceOutcome: Hashable, Sendable {
    case made
    /// It was here, and its source has heard of it later.
    case updated
    case unchanged
    /// It has registered itself here.
    case kept
    /// It cannot be here: the reason for the operator.
    case refused(String)
}

// Devices that another server kept.
extension ImportWrites {
    /// Brings a device. One that registered itself here stays as it is.
    ///
    /// - Throws: `notFound` for an import that is not under way.
    package func addDevice(_ row: ImportedDevice, to number: Int64) throws(StoreError) -> ImportedDeviceOutcome {
        _ = try self.underWay(number)
        let names = [row.patch.installationID, row.patch.deviceToken].compactMap { $0 }.filter { !$0.isEmpty }
        guard !names.isEmpty else { return .refused("it has neither an installationId nor a deviceToken") }
        let reading = self.transaction.reading.apps
        if let known = try reading.installation(row.objectID) {
            guard known.updatedAtMilliseconds < row.updatedAtMilliseconds else { return .unchanged }
            return try self.write(row) ? .updated : .kept
        }
        for name in names where try reading.installation(device: name) != nil { return .kept }
        let person = try self.person(of: row)
        if person == nil, try reading.unboundInstallations() >= AppLimits.unboundDevices {
            return .refused("there are \(AppLimits.unboundDevices) devices of nobody already")
        }
        try self.connection.run(
            "INSERT INTO installation (object_id, user_id, created_at, updated_at) VALUES (?, ?, ?, ?)",
            row.objectID.text, person, row.createdAtMilliseconds, row.updatedAtMilliseconds)
        let id = self.connection.lastInsertedID
        guard try self.write(row) else { throw .notFound("the device") }
        try self.note(id, as: .device, of: number)
        return .made
    }

    /// - Returns: false, and nothing is written, where another device has its name or its token.
    private func write(_ row: ImportedDevice) throws(StoreError) -> Bool {
        for name in [row.patch.installationID, row.patch.deviceToken].compactMap({ $0 }) where !name.isEmpty {
            if let other = try self.transaction.reading.apps.installation(device: name)?.objectID,
                other != row.objectID
            {
                return false
            }
        }
        try self.connection.run(
            """
            UPDATE installation SET device_type = nullif(?2, ''), device_token = nullif(?3, ''),
                installation_id = nullif(?4, ''), fields = nullif(?5, '{}'), updated_at = ?6
            WHERE object_id = ?1
            """, row.objectID.text, row.patch.deviceType, row.patch.deviceToken, row.patch.installationID,
            row.patch.fields.map { String(decoding: $0, as: UTF8.self) }, row.updatedAtMilliseconds)
        return true
    }

    /// The one person whom the channels name; `nil` for none or several, and for one who has as many devices as may be.
    private func person(of row: ImportedDevice) throws(StoreError) -> UserID? {
        var found: UserID?
        for name in Set(row.channels).compactMap({ UserName($0) }) {
            guard let user = try self.memory.user(named: name), !user.isDeleted, user.id != .system else { continue }
            guard found == nil else { return nil }
            found = user.id
        }
        guard let found, try self.transaction.reading.apps.installations(of: found).count < AppLimits.devicesPerPerson
        else { return nil }
        return found
    }
}
