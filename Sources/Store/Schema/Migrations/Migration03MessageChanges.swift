/// Version 3: what people do to messages after they were sent: each row keeps the conversation's revision at its
/// last change.
let migration03MessageChanges = Migration(
    version: 3,
    sql: """
        -- What everyone sees. withdrawn: 1 recalled, 2 deleted for all, 3 one after the other.
        -- edit_count: the number of the newest row in message_edit. reader_count: rows in message_reader.
        -- attributes_revision: of their last change.
        CREATE TABLE message_extra (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            withdrawn INTEGER NOT NULL DEFAULT 0,
            withdrawn_by INTEGER REFERENCES user (id),
            withdrawn_at INTEGER,
            edit_count INTEGER NOT NULL DEFAULT 0,
            pinned INTEGER NOT NULL DEFAULT 0,
            reader_count INTEGER NOT NULL DEFAULT 0,
            attributes TEXT,
            attributes_revision INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (conversation_id, sequence),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_extra_by_revision ON message_extra (conversation_id, revision);

        -- Number 0 is the body as it was sent, moved here when the message was withdrawn; 1 and up are edits.
        CREATE TABLE message_edit (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            number INTEGER NOT NULL,
            editor_id INTEGER NOT NULL REFERENCES user (id),
            edited_at INTEGER NOT NULL,
            is_json INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (conversation_id, sequence, number),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;

        -- Who reported a message as read whose sender asked for it.
        CREATE TABLE message_reader (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user (id),
            read_at INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, sequence, user_id),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;

        -- What one person alone sees: hidden (deleted for oneself), heard (its voice was played).
        CREATE TABLE message_mark (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            hidden INTEGER NOT NULL DEFAULT 0,
            heard INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (user_id, conversation_id, sequence),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_mark_by_revision ON message_mark (user_id, conversation_id, revision);

        CREATE TABLE message_reaction (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user (id),
            name TEXT NOT NULL COLLATE BINARY,
            removed INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, sequence, user_id, name),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_reaction_by_revision ON message_reaction (conversation_id, revision);

        -- Messages that are pinned or once were.
        CREATE TABLE message_pin (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            pinned INTEGER NOT NULL,
            changed_by INTEGER NOT NULL REFERENCES user (id),
            changed_at INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, sequence),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_pin_by_revision ON message_pin (conversation_id, revision);
        CREATE INDEX message_pinned ON message_pin (conversation_id) WHERE pinned = 1;

        -- change: a number that grows over the whole store. sequence: NULL for one without a message.
        CREATE TABLE reminder (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER,
            publisher_id INTEGER NOT NULL REFERENCES user (id),
            kind INTEGER NOT NULL,
            text TEXT NOT NULL,
            data TEXT,
            locates INTEGER NOT NULL,
            done INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT;
        CREATE INDEX reminder_by_user ON reminder (user_id, change);
        CREATE INDEX reminder_by_message ON reminder (conversation_id, sequence) WHERE sequence IS NOT NULL;
        """)
