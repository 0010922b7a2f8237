/// Version 12: what the operator set for conversations. Which sign-ins exclude each other, and what was set over
/// the file, are rows of `setting`.
let migration12Settings = Migration(
    version: 12,
    sql: """
        -- kind, role: of a conversation and in it; -1 for all. value: as operators write it.
        CREATE TABLE session_setting (
            name TEXT NOT NULL,
            kind INTEGER NOT NULL,
            role INTEGER NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (name, kind, role)
        ) STRICT, WITHOUT ROWID;
        """)
