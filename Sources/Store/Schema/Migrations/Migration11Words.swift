/// Version 11: the word list, what it watches, and the message kinds of apps.
let migration11Words = Migration(
    version: 11,
    sql: """
        -- folded: the word as it is compared. action: refuse, mask, flag.
        CREATE TABLE word_rule (
            folded TEXT PRIMARY KEY COLLATE BINARY,
            word TEXT NOT NULL,
            action TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- The newest 10,000. conversation_id: 0 for a transient message to nowhere yet. sequence: 0 for a transient one.
        CREATE TABLE flagged (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            sender_id INTEGER NOT NULL REFERENCES user (id),
            word TEXT NOT NULL
        ) STRICT;

        -- required, files: names of fields as a JSON array.
        CREATE TABLE message_kind (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL COLLATE BINARY UNIQUE,
            version INTEGER NOT NULL,
            required TEXT NOT NULL,
            files TEXT NOT NULL,
            degrade TEXT NOT NULL,
            type_title TEXT NOT NULL,
            summary TEXT NOT NULL,
            digest TEXT NOT NULL,
            disabled INTEGER NOT NULL
        ) STRICT;
        """)
