import ChatModel

// Files: what refers to what, counted again.
extension Verifier {
    func checkFiles() throws(StoreError) {
        try self.noteFile(
            """
            SELECT hex(o.hash) FROM object o
            WHERE length(o.hash) <> 32 OR o.codec NOT BETWEEN 0 AND 1 OR o.state NOT BETWEEN 0 AND 2 OR o.size < 0
                OR o.stored_size < 0 OR o.refs <> (SELECT count(*) FROM file f WHERE f.object_id = o.id)
            """
        ) { "The content \($0) is counted wrongly: keep the folder and report it." }
        try self.noteFile(
            """
            SELECT f.key FROM file f LEFT JOIN object o ON o.id = f.object_id
            WHERE f.state NOT BETWEEN 0 AND 1 OR (f.state = \(FileState.complete)) <> (o.id IS NOT NULL)
                OR (f.state = \(FileState.complete) AND (o.size <> f.size OR o.state = \(ObjectState.going)))
            """
        ) { "The file \($0) and its content do not fit: have it uploaded again." }
        try self.noteFile(
            """
            SELECT f.key FROM file f WHERE f.refs <>
                (SELECT count(*) FROM file_reference r WHERE r.file_id = f.id)
                + (SELECT count(*) FROM file_holder h WHERE h.file_id = f.id)
                + (SELECT count(*) FROM field_file d WHERE d.file_id = f.id)
                OR (f.state = \(FileState.complete) AND (f.refs = 0) <> (f.unreferenced_at IS NOT NULL))
            """
        ) { "What refers to the file \($0) is counted wrongly: keep the folder and report it." }
        try self.checkFileReferences()
        try self.noteFile(
            """
            SELECT f.key FROM file_holder h JOIN file f ON f.id = h.file_id
            WHERE f.state <> \(FileState.complete) OR h.kind NOT BETWEEN \(FileHolderKind.person) AND \(FileHolderKind.smallOfConversation)
                OR (h.kind <= \(FileHolderKind.smallOfPerson) AND NOT EXISTS (SELECT 1 FROM user u WHERE u.id = h.holder_id))
                OR (h.kind > \(FileHolderKind.smallOfPerson) AND NOT EXISTS (SELECT 1 FROM conversation c WHERE c.id = h.holder_id))
            """
        ) { "The file \($0) is the picture of nobody: keep the folder and report it." }
        try self.noteFile(
            """
            SELECT f.key FROM field_file d JOIN file f ON f.id = d.file_id
            WHERE f.state <> \(FileState.complete) OR d.kind NOT BETWEEN \(FieldHolderKind.person) AND \(FieldHolderKind.imported)
                OR (d.kind = \(FieldHolderKind.person) AND NOT EXISTS (SELECT 1 FROM app_user a WHERE a.user_id = d.holder_id))
                OR (d.kind = \(FieldHolderKind.conversation) AND NOT EXISTS (SELECT 1 FROM conversation c WHERE c.id = d.holder_id))
                OR (d.kind = \(FieldHolderKind.imported) AND NOT EXISTS (SELECT 1 FROM import i WHERE i.number = d.holder_id))
            UNION SELECT a.object_id FROM app_file a LEFT JOIN file_link l ON l.id = a.link_id
            WHERE (a.url IS NULL) = (l.id IS NULL) OR (l.id IS NOT NULL AND l.owner_id <> a.owner_id)
                OR (a.import IS NOT NULL AND l.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM field_file d
                    WHERE d.kind = \(FieldHolderKind.imported) AND d.holder_id = a.import AND d.file_id = l.file_id))
            UNION SELECT m.object_id FROM former_file m LEFT JOIN app_file a ON a.object_id = m.object_id
            WHERE a.link_id IS NULL
            """
        ) { "The file \($0) of an app is nobody's, or nowhere: keep the folder and report it." }
        try self.noteFile(
            """
            SELECT l.key FROM file_link l LEFT JOIN file f ON f.id = l.file_id
            WHERE l.kind NOT BETWEEN \(LinkKind.read) AND \(LinkKind.upload) OR (l.kind = \(LinkKind.read)
                AND (f.id IS NULL OR f.state <> \(FileState.complete)))
            """
        ) { "The link \($0) leads nowhere: keep the folder and report it." }
        try self.noteFile(
            """
            SELECT t.key FROM transfer t LEFT JOIN file f ON f.key = t.file_key
            WHERE t.state NOT BETWEEN 0 AND 5 OR t.direction NOT BETWEEN 0 AND 1 OR t.class NOT BETWEEN 0 AND 2
                OR t.offset < 0 OR (t.size IS NOT NULL AND t.offset > t.size)
                OR (t.state < \(TransferState.succeeded) AND t.expires_at IS NULL)
                OR (t.direction = \(TransferDirection.upload) AND t.state < \(TransferState.succeeded)
                    AND (f.id IS NULL OR f.state <> \(FileState.uploading)))
            UNION SELECT f.key FROM file f WHERE f.state = \(FileState.uploading) AND NOT EXISTS (
                SELECT 1 FROM transfer t WHERE t.file_key = f.key AND t.direction = \(TransferDirection.upload)
                    AND t.state < \(TransferState.succeeded))
            """
        ) { "The transfer \($0) stands where none can: cancel it, or restore the last backup." }
    }

    func noteFile(_ sql: SQLText, _ text: (String) -> String) throws(StoreError) {
        for what in try self.connection.query(SQL(sql), read: { row throws(StoreError) in row.text(0) }) {
            self.notes.add(.file, text(what))
        }
    }
}
