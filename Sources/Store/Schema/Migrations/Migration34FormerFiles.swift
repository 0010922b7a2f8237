/// Version 34: files that came with an import, and where they were before.
let migration34FormerFiles = Migration(
    version: 34,
    sql: """
        ALTER TABLE app_file ADD COLUMN import INTEGER;
        CREATE TABLE former_file (
            address TEXT PRIMARY KEY COLLATE BINARY,
            path TEXT NOT NULL COLLATE BINARY,
            object_id TEXT NOT NULL REFERENCES app_file (object_id) ON DELETE CASCADE,
            here TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX former_file_by_path ON former_file (path);
        CREATE INDEX former_file_by_object ON former_file (object_id);
        """)
