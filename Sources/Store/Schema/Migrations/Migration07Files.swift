/// Version 7: contents, files, who refers to them, links, and transfers.
let migration07Files = Migration(
    version: 7,
    sql: """
        -- A content on the disk. state: 0 ready, 1 being removed, 2 damaged. refs: files that have it.
        CREATE TABLE object (
            id INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            provider TEXT NOT NULL,
            size INTEGER NOT NULL,
            stored_size INTEGER NOT NULL,
            codec INTEGER NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            refs INTEGER NOT NULL DEFAULT 0,
            checked_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX object_to_check ON object (checked_at) WHERE state = 0;
        CREATE INDEX object_unused ON object (id) WHERE refs = 0;

        -- state: 0 on its way, 1 complete. object_id: NULL until complete. is_held: stays although nothing refers to it.
        -- refs: rows of file_reference and file_holder. unreferenced_at: since when there are none; NULL otherwise.
        -- conversation_id: what it was uploaded for.
        CREATE TABLE file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            foreign_id TEXT UNIQUE,
            object_id INTEGER REFERENCES object (id),
            owner_id INTEGER NOT NULL REFERENCES user (id),
            name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            size INTEGER NOT NULL,
            metadata TEXT,
            state INTEGER NOT NULL DEFAULT 0,
            is_held INTEGER NOT NULL DEFAULT 0,
            refs INTEGER NOT NULL DEFAULT 0,
            unreferenced_at INTEGER,
            conversation_id INTEGER REFERENCES conversation (id),
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX file_by_owner ON file (owner_id, state, size);
        CREATE INDEX file_by_object ON file (object_id);
        CREATE INDEX file_unreferenced ON file (unreferenced_at) WHERE unreferenced_at IS NOT NULL;

        -- Messages that name a file. link_id: the link they name it by, 0 for its own key.
        CREATE TABLE file_reference (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            file_id INTEGER NOT NULL REFERENCES file (id),
            link_id INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (conversation_id, sequence, file_id, link_id),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX file_reference_by_file ON file_reference (file_id);
        CREATE INDEX file_reference_by_link ON file_reference (link_id) WHERE link_id > 0;

        -- Pictures. kind: 1 a person's, 2 the small one of a person, 3 a conversation's, 4 its small one.
        CREATE TABLE file_holder (
            kind INTEGER NOT NULL,
            holder_id INTEGER NOT NULL,
            file_id INTEGER NOT NULL REFERENCES file (id),
            PRIMARY KEY (kind, holder_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX file_holder_by_file ON file_holder (file_id);

        -- kind: 0 to read a file, 1 to upload one. class: of the transfer that an upload link makes. used_at: of a link to
        -- read when a message first named it, of one to upload when it was used.
        CREATE TABLE file_link (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            kind INTEGER NOT NULL,
            class INTEGER NOT NULL DEFAULT 0,
            file_id INTEGER REFERENCES file (id),
            conversation_id INTEGER REFERENCES conversation (id),
            owner_id INTEGER NOT NULL REFERENCES user (id),
            purpose TEXT,
            used_at INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX file_link_by_file ON file_link (file_id);
        CREATE INDEX file_link_unused ON file_link (kind, owner_id) WHERE used_at IS NULL;
        CREATE INDEX file_link_to_upload ON file_link (used_at) WHERE kind = 1;

        CREATE TABLE transfer (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            direction INTEGER NOT NULL,
            class INTEGER NOT NULL,
            state INTEGER NOT NULL,
            owner_id INTEGER NOT NULL REFERENCES user (id),
            file_key TEXT NOT NULL,
            file_name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            size INTEGER,
            offset INTEGER NOT NULL DEFAULT 0,
            provider TEXT NOT NULL,
            error TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT;
        CREATE INDEX transfer_by_owner ON transfer (owner_id, created_at);
        CREATE INDEX transfer_unfinished ON transfer (owner_id, direction) WHERE state < 3;
        CREATE INDEX transfer_over ON transfer (updated_at) WHERE state >= 3;
        """)
