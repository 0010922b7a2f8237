/// Version 32: sequences that a restore has passed over are recorded.
let migration32Jumps = Migration(
    version: 32,
    sql: """
        CREATE TABLE sequence_jump (
            floor INTEGER PRIMARY KEY,
            epoch INTEGER NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE sequence_gap (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, first)
        ) STRICT, WITHOUT ROWID;
        """)
