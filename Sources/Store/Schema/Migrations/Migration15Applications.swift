/// Version 15: the app whose clients speak LeanCloud's protocols, and whose session tokens were taken back.
let migration15Applications = Migration(
    version: 15,
    sql: """
        -- One row. Keys are sealed with the key in the file app.key of the data folder: who reads the database alone has
        -- none of them. previous_*: counts until the time beside it, UTC milliseconds; NULL for none.
        CREATE TABLE application (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            app_id TEXT NOT NULL,
            app_key BLOB NOT NULL,
            master_key BLOB NOT NULL,
            previous_app_key BLOB,
            previous_app_key_until INTEGER,
            previous_master_key BLOB,
            previous_master_key_until INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT;

        -- How often all session tokens of a person were taken back: an older token says a smaller count.
        CREATE TABLE session_revocation (
            user_id INTEGER PRIMARY KEY REFERENCES user (id),
            count INTEGER NOT NULL
        ) STRICT;
        INSERT INTO secret (name, value) VALUES ('session_token', randomblob(32));
        """)
