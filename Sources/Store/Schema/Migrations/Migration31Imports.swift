/// Version 31: what was imported from other servers, and the further names of conversations that came by it.
let migration31Imports = Migration(
    version: 31,
    sql: """
        CREATE TABLE import (
            number INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            origin TEXT NOT NULL COLLATE BINARY,
            state INTEGER NOT NULL,
            operator TEXT NOT NULL,
            begun_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            counts TEXT NOT NULL
        ) STRICT;
        CREATE TABLE import_conversation (
            conversation_id INTEGER NOT NULL,
            import INTEGER NOT NULL REFERENCES import (number),
            is_new INTEGER NOT NULL,
            digest INTEGER,
            revision INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL DEFAULT 0,
            last_sequence INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (conversation_id, import)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX import_conversation_by_import ON import_conversation (import);
        CREATE TABLE conversation_alias (
            foreign_id TEXT PRIMARY KEY COLLATE BINARY,
            conversation_id INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX conversation_alias_by_conversation ON conversation_alias (conversation_id);
        """)
