/// Version 25: links by which people come in, see `Invitation`.
let migration25Invitations = Migration(
    version: 25,
    sql: """
        CREATE TABLE invitation (
            number INTEGER PRIMARY KEY,
            code_hash BLOB NOT NULL UNIQUE,
            inviter_id INTEGER NOT NULL REFERENCES user (id),
            name TEXT,
            display_name TEXT,
            created_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            used_by INTEGER REFERENCES user (id),
            used_at INTEGER
        ) STRICT;
        """)
