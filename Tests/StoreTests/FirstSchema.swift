import ChatModel

@testable import Store

/// The schema of version 1 as it was shipped, from which `migrations` begin.
enum FirstSchema {
    static let sql = """
        -- What the database says about itself: epoch, node_id, created_at, the numbers reserved ahead
        -- (see Sequencer), and how far client tokens are indexed (see TokenIndex).
        CREATE TABLE meta (
            key TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE user (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE COLLATE BINARY,
            external_id TEXT UNIQUE COLLATE BINARY,
            display_name TEXT,
            password_hash TEXT,
            role INTEGER NOT NULL DEFAULT 0,
            disabled INTEGER NOT NULL DEFAULT 0,
            send_banned INTEGER NOT NULL DEFAULT 0,
            allowlist_only INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        ) STRICT;

        -- Only the hash of a token is kept: who reads the database cannot sign in with it.
        CREATE TABLE device_token (
            token_hash BLOB PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES user (id),
            device_class TEXT NOT NULL,
            device_level INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            last_seen_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_token_by_user ON device_token (user_id, device_class);

        -- list: 0 blocked, 1 allowed.
        CREATE TABLE personal_list (
            owner_id INTEGER NOT NULL REFERENCES user (id),
            list INTEGER NOT NULL,
            other_id INTEGER NOT NULL REFERENCES user (id),
            PRIMARY KEY (owner_id, list, other_id)
        ) STRICT, WITHOUT ROWID;

        -- direct_low and direct_high: the two people of a direct conversation, the smaller id first.
        -- change: a number that grows over the whole store with every message and every change of a conversation.
        CREATE TABLE conversation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind INTEGER NOT NULL,
            flags INTEGER NOT NULL DEFAULT 0,
            head INTEGER NOT NULL DEFAULT 0,
            head_countable INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            active_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            creator_id INTEGER NOT NULL REFERENCES user (id),
            member_count INTEGER NOT NULL DEFAULT 0,
            direct_low INTEGER REFERENCES user (id),
            direct_high INTEGER REFERENCES user (id),
            channel TEXT COLLATE BINARY,
            foreign_id TEXT COLLATE BINARY,
            title TEXT,
            attributes TEXT
        ) STRICT;
        CREATE UNIQUE INDEX conversation_by_channel ON conversation (channel, kind) WHERE channel IS NOT NULL;
        CREATE UNIQUE INDEX conversation_by_pair ON conversation (direct_low, direct_high)
            WHERE direct_low IS NOT NULL;
        CREATE UNIQUE INDEX conversation_by_foreign_id ON conversation (foreign_id) WHERE foreign_id IS NOT NULL;

        -- list: 0 denied, 1 allowed (in force when it has an entry).
        CREATE TABLE conversation_list (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            list INTEGER NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user (id),
            PRIMARY KEY (conversation_id, list, user_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE member (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER NOT NULL REFERENCES user (id),
            role INTEGER NOT NULL DEFAULT 0,
            read_sequence INTEGER NOT NULL,
            read_countable INTEGER NOT NULL,
            own_countable_since_read INTEGER NOT NULL DEFAULT 0,
            joined_sequence INTEGER NOT NULL,
            change INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX member_by_user ON member (user_id, conversation_id);

        -- Messages that count as unread, withheld from a person who did not send them.
        CREATE TABLE hidden_count (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            PRIMARY KEY (user_id, conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;

        -- countable: how many messages up to and including this one count as unread.
        -- There is no index on id: within a conversation ids rise with the sequence.
        -- body_hash: XXH64 of the body as it was sent.
        CREATE TABLE message (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            id INTEGER NOT NULL,
            sender_id INTEGER NOT NULL,
            sent_at INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            countable INTEGER NOT NULL,
            wire INTEGER NOT NULL,
            expire INTEGER NOT NULL DEFAULT 0,
            body_hash INTEGER NOT NULL,
            client_token BLOB,
            topic TEXT,
            foreign_id TEXT COLLATE BINARY,
            body BLOB NOT NULL,
            PRIMARY KEY (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_by_foreign_id ON message (foreign_id) WHERE foreign_id IS NOT NULL;

        -- Client tokens inside the horizon, for spotting a resend: see TokenIndex.
        -- key: a hash of conversation, sender and token. day: of the message, for pruning.
        CREATE TABLE client_token (
            key INTEGER PRIMARY KEY,
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            day INTEGER NOT NULL
        ) STRICT;

        -- How far the devices of one class of one person acknowledged receipt.
        CREATE TABLE delivered (
            user_id INTEGER NOT NULL REFERENCES user (id),
            device_class TEXT NOT NULL,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            PRIMARY KEY (user_id, device_class, conversation_id)
        ) STRICT, WITHOUT ROWID;

        -- What the operator changed at run time.
        CREATE TABLE setting (
            key TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}

extension Connection {
    /// Makes an empty database as a build of an earlier `version` made it.
    func makeDatabase(ofVersion version: Int) throws {
        try self.script(FirstSchema.sql)
        for step in migrations where step.version <= version { try step.run(on: self) }
        for (key, value): (String, Int64) in [
            ("epoch", 2), ("node_id", 0), ("created_at", 1), ("token_seed", 3), ("clock_believed", 1),
        ] {
            try self.run("INSERT INTO meta (key, value) VALUES (?, ?)", key, value)
        }
        try self.run("INSERT INTO user (id, name, role, created_at) VALUES (0, ?, 1, 1)", systemUserName)
        try self.script("PRAGMA user_version = \(version)")
    }
}
