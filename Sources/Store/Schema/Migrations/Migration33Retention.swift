/// Version 33: what went for its age or number is recorded, and what may not go.
let migration33Retention = Migration(
    version: 33,
    sql: """
        CREATE TABLE purged_history (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            countable INTEGER NOT NULL,
            messages INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE legal_hold (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER REFERENCES user (id),
            conversation_id INTEGER REFERENCES conversation (id),
            reason TEXT NOT NULL,
            operator TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            CHECK ((user_id IS NULL) <> (conversation_id IS NULL))
        ) STRICT;
        CREATE INDEX legal_hold_by_user ON legal_hold (user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX legal_hold_by_conversation ON legal_hold (conversation_id) WHERE conversation_id IS NOT NULL;
        CREATE TABLE retention_run (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            begun_at INTEGER NOT NULL,
            conversation_id INTEGER NOT NULL,
            conversations INTEGER NOT NULL,
            messages INTEGER NOT NULL,
            message_bytes INTEGER NOT NULL,
            attachments INTEGER NOT NULL,
            attachment_bytes INTEGER NOT NULL
        ) STRICT;
        """)
