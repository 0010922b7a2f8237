package import ChatModel

// Devices as push SDKs register them.
extension AppReads {
    /// Reads an installation; `nil` for an unknown object ID.
    package func installation(_ objectID: ObjectID) throws(StoreError) -> Installation? {
        let sql: StaticString = """
            SELECT i.object_id, u.name, i.device_type, i.device_token, i.installation_id, i.fields, i.created_at,
                i.updated_at
            FROM installation i LEFT JOIN user u ON u.id = i.user_id WHERE i.object_id = ?
            """
        return try self.transaction.connection.first(sql, objectID.text, read: Self.installation)
    }

    /// All devices, by object id; `limit` is 1...1000.
    package func installations(after: String, limit: Int) throws(StoreError) -> [Installation] {
        let sql: StaticString = """
            SELECT i.object_id, u.name, i.device_type, i.device_token, i.installation_id, i.fields, i.created_at,
                i.updated_at
            FROM installation i LEFT JOIN user u ON u.id = i.user_id WHERE i.object_id > ? ORDER BY i.object_id LIMIT ?
            """
        return try self.transaction.connection.query(
            sql, after, try ReadTransaction.page(limit), read: Self.installation)
    }

    /// Number of devices that are bound to nobody.
    func unboundInstallations() throws(StoreError) -> Int64 {
        let sql: StaticString = "SELECT count(*) FROM installation WHERE user_id IS NULL"
        return try self.transaction.connection.first(sql) { row throws(StoreError) in row.int64(0) } ?? 0
    }

    /// The devices of a person, the one heard of last first.
    package func installations(of user: UserID) throws(StoreError) -> [Installation] {
        let sql: StaticString = """
            SELECT i.object_id, u.name, i.device_type, i.device_token, i.installation_id, i.fields, i.created_at,
                i.updated_at
            FROM installation i JOIN user u ON u.id = i.user_id WHERE i.user_id = ? ORDER BY i.updated_at DESC, i.id DESC
            """
        return try self.transaction.connection.query(sql, user, read: Self.installation)
    }

    /// The device that has this token or calls itself so.
    package func installation(device: String) throws(StoreError) -> Installation? {
        guard !device.isEmpty else { return nil }
        let sql: StaticString = """
            SELECT object_id FROM installation WHERE installation_id = ?1
            UNION ALL SELECT object_id FROM installation WHERE device_token = ?1 LIMIT 1
            """
        let id =
            try self.transaction.connection.first(sql, device) { row throws(StoreError) in ObjectID(row.text(0)) }
            ?? nil
        return try id.flatMap { (id) throws(StoreError) in try self.installation(id) }
    }

    private static func installation(_ row: Row) throws(StoreError) -> Installation {
        guard let objectID = ObjectID(row.text(0)) else { throw Row.damaged("installation") }
        return Installation(
            objectID: objectID, person: row.optionalText(1).flatMap { UserName($0) }, deviceType: row.optionalText(2),
            deviceToken: row.optionalText(3), installationID: row.optionalText(4),
            fields: row.optionalText(5).map { Array($0.utf8) }, createdAtMilliseconds: row.int64(6),
            updatedAtMilliseconds: row.int64(7))
    }
}

extension AppWrites {
    /// Registers a device. One that is known by its own name or its token is the same one again.
    ///
    /// - Throws: `invalid` beyond `AppLimits`, and for one with neither a name nor a token.
    package func register(_ patch: InstallationPatch) throws(StoreError) -> Installation {
        let names = [patch.installationID, patch.deviceToken].compactMap { $0 }.filter { !$0.isEmpty }
        guard !names.isEmpty else { throw .invalid("a device has an installationId or a deviceToken") }
        for name in names {
            if let known = try self.transaction.reading.apps.installation(device: name) {
                return try self.change(known.objectID, patch)
            }
        }
        let objectID = ObjectID(atMilliseconds: self.transaction.wallMilliseconds)
        try self.transaction.connection.run(
            "INSERT INTO installation (object_id, created_at, updated_at) VALUES (?1, ?2, ?2)", objectID.text,
            self.transaction.wallMilliseconds)
        let made = try self.change(objectID, patch)
        try self.transaction.connection.run(
            """
            DELETE FROM installation WHERE id IN (
                SELECT id FROM installation WHERE user_id IS NULL ORDER BY updated_at DESC, id DESC LIMIT -1 OFFSET ?)
            """, AppLimits.unboundDevices)
        return made
    }

    /// Changes what is known of a device. A name or token that another one has moves to this one.
    ///
    /// - Throws: `notFound`; `invalid` beyond `AppLimits`.
    package func change(_ objectID: ObjectID, _ patch: InstallationPatch) throws(StoreError) -> Installation {
        for text in [patch.deviceType, patch.deviceToken, patch.installationID] {
            guard text?.utf8.count ?? 0 <= AppLimits.deviceTextBytes else {
                throw .invalid("a device's token and names have at most \(AppLimits.deviceTextBytes) bytes")
            }
        }
        if let fields = patch.fields { try Self.checkFields(fields) }
        // Two rows for one device would leave it with whom it had before.
        try self.transaction.connection.run(
            """
            DELETE FROM installation WHERE object_id <> ?1 AND ((?2 <> '' AND device_token = ?2)
                OR (?3 <> '' AND installation_id = ?3))
            """, objectID.text, patch.deviceToken, patch.installationID)
        try self.transaction.connection.run(
            """
            UPDATE installation SET updated_at = max(updated_at, ?6),
                device_type = CASE WHEN ?2 IS NULL THEN device_type ELSE nullif(?2, '') END,
                device_token = CASE WHEN ?3 IS NULL THEN device_token ELSE nullif(?3, '') END,
                installation_id = CASE WHEN ?4 IS NULL THEN installation_id ELSE nullif(?4, '') END,
                fields = CASE WHEN ?5 IS NULL THEN fields ELSE nullif(?5, '{}') END
            WHERE object_id = ?1
            """, objectID.text, patch.deviceType, patch.deviceToken, patch.installationID,
            patch.fields.map { String(decoding: $0, as: UTF8.self) }, self.transaction.wallMilliseconds)
        guard let changed = try self.transaction.reading.apps.installation(objectID) else {
            throw .notFound("the installation")
        }
        try self.keepFromUndo(objectID)
        return changed
    }

    /// Somebody signed in on a device: it is theirs from now on, and nobody else's. One that never registered is not
    /// remembered.
    ///
    /// - Parameter device: what it calls itself, or its token.
    package func bindInstallation(_ device: String, to user: UserID) throws(StoreError) {
        guard let objectID = try self.transaction.reading.apps.installation(device: device)?.objectID else { return }
        try self.transaction.connection.run(
            "UPDATE installation SET user_id = ?, updated_at = max(updated_at, ?) WHERE object_id = ?", user,
            self.transaction.wallMilliseconds, objectID.text)
        try self.keepFromUndo(objectID)
        try self.transaction.connection.run(
            """
            UPDATE installation SET user_id = NULL WHERE id IN (
                SELECT id FROM installation WHERE user_id = ? ORDER BY updated_at DESC, id DESC LIMIT -1 OFFSET ?)
            """, user, AppLimits.devicesPerPerson)
    }

    private static let keepFromUndoSQL = SQL(
        """
        DELETE FROM import_row WHERE kind = \(ImportedRowKind.device)
            AND id = (SELECT id FROM installation WHERE object_id = ?)
        """)

    /// A device that was heard of here is one of ours: taking an import back, which had brought it, leaves it.
    private func keepFromUndo(_ objectID: ObjectID) throws(StoreError) {
        try self.transaction.connection.run(Self.keepFromUndoSQL, objectID.text)
    }

    /// Somebody signed out on a device: it is nobody's, unless another person came meanwhile.
    package func releaseInstallation(_ device: String, from user: UserID) throws(StoreError) {
        guard let objectID = try self.transaction.reading.apps.installation(device: device)?.objectID else { return }
        try self.transaction.connection.run(
            "UPDATE installation SET user_id = NULL WHERE object_id = ? AND user_id = ?", objectID.text, user)
    }

    /// - Returns: whether there was one.
    package func deleteInstallation(_ objectID: ObjectID) throws(StoreError) -> Bool {
        try self.transaction.connection.run("DELETE FROM installation WHERE object_id = ?", objectID.text)
        return self.transaction.connection.changes > 0
    }
}
