/// Version 16: what apps that keep their people, devices and files with this server know of them.
let migration16Apps = Migration(
    version: 16,
    sql: """
        -- A person's row in an app: what they sign in with and the app's own fields, a JSON object.
        CREATE TABLE app_user (
            user_id INTEGER PRIMARY KEY REFERENCES user (id),
            username TEXT NOT NULL UNIQUE COLLATE BINARY,
            email TEXT UNIQUE COLLATE BINARY,
            phone TEXT UNIQUE COLLATE BINARY,
            fields TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;

        -- user_id: who signed in on the device last; NULL for nobody. fields: a JSON object.
        CREATE TABLE installation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            object_id TEXT NOT NULL UNIQUE,
            user_id INTEGER REFERENCES user (id),
            device_type TEXT,
            device_token TEXT,
            installation_id TEXT,
            fields TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX installation_by_token ON installation (device_token) WHERE device_token IS NOT NULL;
        CREATE UNIQUE INDEX installation_by_name ON installation (installation_id) WHERE installation_id IS NOT NULL;
        CREATE INDEX installation_by_user ON installation (user_id, updated_at) WHERE user_id IS NOT NULL;
        CREATE INDEX installation_unbound ON installation (updated_at) WHERE user_id IS NULL;

        -- link_id: through which the content comes and is read; NULL for a file elsewhere, whose address is url.
        CREATE TABLE app_file (
            object_id TEXT PRIMARY KEY,
            owner_id INTEGER NOT NULL REFERENCES user (id),
            link_id INTEGER UNIQUE REFERENCES file_link (id) ON DELETE CASCADE,
            url TEXT,
            name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            metadata TEXT,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX app_file_elsewhere ON app_file (owner_id, created_at) WHERE url IS NOT NULL;

        -- Files that are named in an app's own fields. kind: 1 of a person, 2 of a conversation.
        CREATE TABLE field_file (
            kind INTEGER NOT NULL,
            holder_id INTEGER NOT NULL,
            file_id INTEGER NOT NULL REFERENCES file (id),
            PRIMARY KEY (kind, holder_id, file_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX field_file_by_file ON field_file (file_id);
        """)
