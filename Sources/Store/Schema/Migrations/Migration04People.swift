/// Version 4: profiles, friends, and tokens that find their person alone.
let migration04People = Migration(
    version: 4,
    sql: """
        -- attributes, settings: JSON objects; settings are seen by their owner only.
        -- change: of the profile, a number that grows over the whole store.
        ALTER TABLE user ADD COLUMN attributes TEXT;
        ALTER TABLE user ADD COLUMN settings TEXT;
        ALTER TABLE user ADD COLUMN avatar TEXT;
        ALTER TABLE user ADD COLUMN change INTEGER NOT NULL DEFAULT 0;

        -- Two rows for each friendship, one in each list. A removed one stays, so that devices learn of it.
        CREATE TABLE friend (
            owner_id INTEGER NOT NULL REFERENCES user (id),
            other_id INTEGER NOT NULL REFERENCES user (id),
            remark TEXT,
            is_removed INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (owner_id, other_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX friend_by_change ON friend (owner_id, change);

        -- state: 0 waiting, 1 accepted, 2 refused, 3 discarded by the one who was asked.
        CREATE TABLE friend_request (
            asker_id INTEGER NOT NULL REFERENCES user (id),
            other_id INTEGER NOT NULL REFERENCES user (id),
            text TEXT NOT NULL,
            token TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (asker_id, other_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX friend_request_by_other ON friend_request (other_id, change);

        -- Keys that never leave the server.
        CREATE TABLE secret (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO secret (name, value) VALUES ('bare_token', randomblob(32));

        -- bare_hash: of the token alone, under the key above. NULL for a token that was issued before this column and
        -- was not used since.
        ALTER TABLE device_token ADD COLUMN bare_hash BLOB;
        CREATE INDEX device_token_by_bare_hash ON device_token (bare_hash) WHERE bare_hash IS NOT NULL;
        """)
