import ChatModel

/// References from messages to files. Confined to the writer's thread.
struct FileReferences {
    let connection: Connection

    /// A file that a body names, found before anything is written.
    struct Named {
        var file: FileID
        /// 0 for the file's own key.
        var link: Int64
        /// By the link of an app's file: who has it can read it anyway, and the app may have uploaded it for nobody in
        /// particular.
        var isOfApp = false
    }

    enum Finding {
        case named([Named])
        case refusal(PublishRefusal)
    }

    /// Finds the existing files that a body names. A name without a file is ordinary text.
    func find(_ mentions: [FileMention], by actor: Actor) throws(StoreError) -> Finding {
        let reading = ReadTransaction(self.connection, UserNames())
        var named: [Named] = []
        for mention in mentions {
            if try self.isPlaceOfApp(mention.key) { return .refusal(.fileIncomplete) }
            guard let found = try self.lookUp(mention.key), let file = try reading.files.file(found.file) else {
                continue
            }
            if !found.isOfApp, try !reading.files.canRead(file, actor) { return .refusal(.noSuchFile) }
            guard file.state == .complete else { return .refusal(.fileIncomplete) }
            named.append(found)
        }
        return .named(named)
    }

    private static let lookUpSQL = SQL(
        """
        SELECT l.file_id, l.id, EXISTS (SELECT 1 FROM app_file a WHERE a.link_id = l.id) FROM file_link l
        WHERE l.key = ? AND l.kind = \(LinkKind.read) AND l.file_id IS NOT NULL
            AND (l.used_at IS NULL OR EXISTS (SELECT 1 FROM file_reference r WHERE r.link_id = l.id)
                OR EXISTS (SELECT 1 FROM field_file d WHERE d.file_id = l.file_id))
        """)

    private func lookUp(_ key: RandomKey) throws(StoreError) -> Named? {
        switch key.kind {
        case .file:
            try self.connection.first("SELECT id FROM file WHERE key = ?", key.text) { row throws(StoreError) in
                Named(file: FileID(rawValue: row.int64(0)), link: 0)
            }
        case .link:
            // A link that is dead stays dead, whoever writes it again.
            try self.connection.first(
                Self.lookUpSQL, key.text
            ) { row throws(StoreError) in
                Named(file: FileID(rawValue: row.int64(0)), link: row.int64(1), isOfApp: row.int64(2) != 0)
            }
        case .transfer: nil
        }
    }

    private static let isPlaceOfAppSQL = SQL(
        """
        SELECT 1 FROM file_link l JOIN app_file a ON a.link_id = l.id WHERE l.key = ? AND l.kind = \(LinkKind.upload)
        """)

    /// True for the link of an app's file whose content has not arrived.
    private func isPlaceOfApp(_ key: RandomKey) throws(StoreError) -> Bool {
        guard key.kind == .link else { return false }
        return try self.connection.first(
            Self.isPlaceOfAppSQL, key.text
        ) { (_) throws(StoreError) in true } ?? false
    }

    func add(_ named: [Named], to place: MessagePlace, at wall: Int64) throws(StoreError) {
        for one in named {
            try self.connection.run(
                "INSERT OR IGNORE INTO file_reference (conversation_id, sequence, file_id, link_id) VALUES (?, ?, ?, ?)",
                place.conversation, place.sequence, one.file, one.link)
            guard self.connection.changes > 0 else { continue }
            try self.connection.run(
                "UPDATE file SET refs = refs + 1, unreferenced_at = NULL WHERE id = ?", one.file)
            if one.link > 0 {
                try self.connection.run(
                    "UPDATE file_link SET used_at = coalesce(used_at, ?) WHERE id = ?", wall, one.link)
            }
        }
    }

    /// A message names nothing any more.
    func removeAll(of place: MessagePlace, at wall: Int64) throws(StoreError) {
        let files = try self.connection.query(
            "SELECT file_id FROM file_reference WHERE conversation_id = ? AND sequence = ?", place.conversation,
            place.sequence
        ) { row throws(StoreError) in FileID(rawValue: row.int64(0)) }
        guard !files.isEmpty else { return }
        try self.connection.run(
            "DELETE FROM file_reference WHERE conversation_id = ? AND sequence = ?", place.conversation, place.sequence)
        for file in files { try self.release(file, at: wall) }
    }

    /// One reference or holder less.
    func release(_ file: FileID, at wall: Int64) throws(StoreError) {
        try self.connection.run(
            """
            UPDATE file SET refs = refs - 1, unreferenced_at = CASE WHEN refs = 1 THEN ? ELSE unreferenced_at END
            WHERE id = ?
            """, wall, file)
    }
}
