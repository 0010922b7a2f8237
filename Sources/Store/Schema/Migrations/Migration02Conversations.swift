/// Version 2: what a conversation, a membership and one person's view of a conversation hold, and the log of
/// commands.
let migration02Conversations = Migration(
    version: 2,
    sql: """
        ALTER TABLE conversation ADD COLUMN logo TEXT;
        ALTER TABLE conversation ADD COLUMN notice TEXT;
        -- is_system: an account of the server or of one of its robots.
        ALTER TABLE user ADD COLUMN is_system INTEGER NOT NULL DEFAULT 0;

        -- own_last_sequence, own_last_countable: the newest message the person sent as a member, and its countable; 0
        -- for none.
        -- muted_until: may not send before then, UTC milliseconds.
        -- revision: of the conversation, when what others see of the row changed last.
        -- joined_at: 0 for who joined before this column.
        ALTER TABLE member ADD COLUMN own_last_sequence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN own_last_countable INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN muted_until INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN joined_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN nickname TEXT;
        CREATE INDEX member_by_revision ON member (conversation_id, revision);

        -- One pass over the messages; memory for people in conversations, not for messages.
        CREATE TEMP TABLE own_last (
            conversation_id INTEGER NOT NULL,
            sender_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            countable INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, sender_id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO own_last (conversation_id, sender_id, sequence, countable)
        SELECT conversation_id, sender_id, sequence, countable FROM message WHERE true
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence, countable = excluded.countable
            WHERE excluded.sequence > sequence;
        UPDATE member SET own_last_sequence = last.sequence, own_last_countable = last.countable
        FROM own_last AS last
        WHERE last.conversation_id = member.conversation_id AND last.sender_id = member.user_id
            AND last.sequence > member.joined_sequence;
        DROP TABLE own_last;

        -- Who left or was removed, so that devices that were away learn of it.
        CREATE TABLE former_member (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER NOT NULL REFERENCES user (id),
            role INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            left_at INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX former_member_by_revision ON former_member (conversation_id, revision);

        -- Who gets what is said now without being a member.
        CREATE TABLE listener (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER NOT NULL REFERENCES user (id),
            added_at INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX listener_by_user ON listener (user_id, conversation_id);

        -- One person's view of one conversation; no row means nothing was set.
        -- extra_version: change number of the last change of draft or reading place.
        -- marked_unread, marked_at: a badge set by hand, and the head at that time; an own message after it ends it.
        -- hidden_through: not in the list until there is a later message. cleared_through: history up to it is gone.
        -- settings: a JSON object of further switches.
        CREATE TABLE preference (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            pinned INTEGER NOT NULL DEFAULT 0,
            muted INTEGER NOT NULL DEFAULT 0,
            saved INTEGER NOT NULL DEFAULT 0,
            browse_to INTEGER NOT NULL DEFAULT 0,
            keep_sequence INTEGER NOT NULL DEFAULT 0,
            keep_offset INTEGER NOT NULL DEFAULT 0,
            extra_version INTEGER NOT NULL DEFAULT 0,
            marked_unread INTEGER NOT NULL DEFAULT 0,
            marked_at INTEGER NOT NULL DEFAULT 0,
            hidden_through INTEGER,
            cleared_through INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            remark TEXT,
            draft TEXT,
            settings TEXT,
            PRIMARY KEY (user_id, conversation_id)
        ) STRICT, WITHOUT ROWID;

        -- Commands for clients, kept for those who are away.
        -- conversation_id: whom it is about; audience_id: whose members and listeners see it, which differs for a topic
        -- that has no members of its own; both NULL when it goes to the people in command_receiver.
        -- channel, kind: the conversation as clients are told it.
        CREATE TABLE command (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id INTEGER NOT NULL,
            conversation_id INTEGER REFERENCES conversation (id),
            audience_id INTEGER REFERENCES conversation (id),
            sender_id INTEGER NOT NULL REFERENCES user (id),
            sent_at INTEGER NOT NULL,
            channel TEXT NOT NULL COLLATE BINARY,
            kind INTEGER NOT NULL,
            content_kind INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            wire INTEGER NOT NULL,
            expire INTEGER NOT NULL,
            client_token BLOB,
            topic TEXT,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX command_by_audience ON command (audience_id, sequence) WHERE audience_id IS NOT NULL;

        CREATE TABLE command_receiver (
            user_id INTEGER NOT NULL REFERENCES user (id),
            sequence INTEGER NOT NULL REFERENCES command (sequence) ON DELETE CASCADE,
            PRIMARY KEY (user_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX command_receiver_by_sequence ON command_receiver (sequence);

        -- How far a person has acknowledged commands.
        CREATE TABLE command_position (
            user_id INTEGER PRIMARY KEY REFERENCES user (id),
            sequence INTEGER NOT NULL
        ) STRICT;
        """)
