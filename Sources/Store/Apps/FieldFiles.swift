import ChatModel

/// Kinds of `field_file`; the numbers are stored.
enum FieldHolderKind: Int64 {
    case person = 1
    case conversation = 2
    /// Files that an import brought: they are the app's, whether something names them or not.
    case imported = 3
}

/// Owner of fields that name a file: the file is kept as long as the fields name it.
enum FieldHolder {
    /// An app's fields of a person.
    case person(UserID)
    /// Attributes and fields of a conversation.
    case conversation(ConversationID)

    var kind: FieldHolderKind {
        switch self {
        case .person: .person
        case .conversation: .conversation
        }
    }

    var id: Int64 {
        switch self {
        case .person(let user): user.rawValue
        case .conversation(let id): id.rawValue
        }
    }
}

extension FileReferences {
    /// Keeps the files that are named in somebody's or something's own fields now, and lets go of the others.
    ///
    /// What the actor may not read, or what is not here yet, is text like any other; what was kept already stays for as
    /// long as it is named, whoever writes the rest.
    func keep(
        namedIn fields: [[UInt8]], of holder: FieldHolder, by actor: Actor, at wall: Int64
    ) throws(StoreError) {
        let before = try self.kept(of: holder)
        var wanted: Set<FileID> = []
        for mention in fields.flatMap({ FileMention.scan($0) }) {
            guard case .named(let all) = try self.find([mention], by: .operator) else { continue }
            for file in all.map(\.file) where !wanted.contains(file) {
                if before.contains(file) {
                    wanted.insert(file)
                } else if case .named(let seen) = try self.find([mention], by: actor) {
                    wanted.formUnion(seen.map(\.file))
                }
            }
        }
        for file in wanted.subtracting(before).sorted() {
            try self.connection.run(
                "INSERT INTO field_file (kind, holder_id, file_id) VALUES (?, ?, ?)", holder.kind.rawValue, holder.id,
                file)
            try self.connection.run("UPDATE file SET refs = refs + 1, unreferenced_at = NULL WHERE id = ?", file)
        }
        for file in before.subtracting(wanted).sorted() {
            try self.connection.run(
                "DELETE FROM field_file WHERE kind = ? AND holder_id = ? AND file_id = ?", holder.kind.rawValue,
                holder.id, file)
            try self.release(file, at: wall)
        }
    }

    private func kept(of holder: FieldHolder) throws(StoreError) -> Set<FileID> {
        let files = try self.connection.query(
            "SELECT file_id FROM field_file WHERE kind = ? AND holder_id = ?", holder.kind.rawValue, holder.id
        ) { row throws(StoreError) in FileID(rawValue: row.int64(0)) }
        return Set(files)
    }
}

extension AppWrites {
    /// Sees to the files that a conversation names in its attributes and fields as they are in the database now.
    func keepFiles(of id: ConversationID, by actor: Actor) throws(StoreError) {
        let texts = try self.transaction.connection.first(
            "SELECT attributes, fields FROM conversation WHERE id = ?", id
        ) {
            row throws(StoreError) in [row.optionalBlob(0), row.optionalBlob(1)].compactMap { $0 }
        }
        try FileReferences(connection: self.transaction.connection).keep(
            namedIn: texts ?? [], of: .conversation(id), by: actor, at: self.transaction.wallMilliseconds)
    }
}
