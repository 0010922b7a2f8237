/// Version 14: names that are the same for everybody, what LeanCloud's apps keep with a conversation and a
/// message, and the log of what happened to conversations.
let migration14Objects = Migration(
    version: 14,
    sql: """
        -- foreign_id: the object id of every conversation; those of before this column get one that nobody can guess.
        UPDATE conversation SET foreign_id =
            printf('%08x', min(max(created_at / 1000, 0), 4294967295)) || lower(hex(randomblob(8)))
        WHERE foreign_id IS NULL;
        -- updated_at: when card, members or what they may do changed last.
        -- member_set: the hash of the people for whom it is the only one; NULL for one that may exist beside others.
        -- fields: a JSON object of an app's own fields beside name and attributes.
        -- expires_at: a temporary one is gone then.
        ALTER TABLE conversation ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation ADD COLUMN member_set BLOB;
        ALTER TABLE conversation ADD COLUMN fields TEXT;
        ALTER TABLE conversation ADD COLUMN expires_at INTEGER;
        UPDATE conversation SET updated_at = max(created_at, active_at);
        CREATE UNIQUE INDEX conversation_by_member_set ON conversation (member_set) WHERE member_set IS NOT NULL;
        CREATE INDEX conversation_by_expiry ON conversation (expires_at) WHERE expires_at IS NOT NULL;
        CREATE INDEX conversation_by_kind ON conversation (kind, active_at);

        -- remove_mode: TeamRemoveMode.
        ALTER TABLE team ADD COLUMN remove_mode INTEGER NOT NULL DEFAULT 0;

        -- read_at: when the reading position moved last. acked_sequence, acked_at: how far any device acknowledged
        -- receipt, and when. 0 for never.
        ALTER TABLE member ADD COLUMN read_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN acked_sequence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN acked_at INTEGER NOT NULL DEFAULT 0;

        -- is_visit: of a room, who came in alone. visit_until: when a visitor without a session is taken out; NULL for
        -- visitors who are here, and for those an app has put there.
        ALTER TABLE listener ADD COLUMN is_visit INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE listener ADD COLUMN visit_until INTEGER;
        CREATE INDEX listener_by_end ON listener (visit_until) WHERE visit_until IS NOT NULL;

        -- envelope: a JSON object, see MessageEnvelope.
        ALTER TABLE message ADD COLUMN envelope TEXT;
        -- wire: of the body, when it is another than the message's.
        ALTER TABLE message_edit ADD COLUMN envelope TEXT;
        ALTER TABLE message_edit ADD COLUMN wire INTEGER;
        -- patched_at: when it was last edited or taken back.
        ALTER TABLE message_extra ADD COLUMN patched_at INTEGER NOT NULL DEFAULT 0;
        UPDATE message_extra SET patched_at = max(coalesce(withdrawn_at, 0), coalesce((
            SELECT max(edited_at) FROM message_edit AS d
            WHERE d.conversation_id = message_extra.conversation_id AND d.sequence = message_extra.sequence
                AND d.number > 0), 0));
        CREATE INDEX message_extra_by_patch ON message_extra (conversation_id, patched_at) WHERE patched_at > 0;

        -- Messages for some only that count as unread, by those who may see them: the heads do not count them.
        CREATE TABLE shown_count (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            PRIMARY KEY (user_id, conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;

        -- Which device of a person holds a tag: another one must insist.
        CREATE TABLE tag_holder (
            user_id INTEGER NOT NULL REFERENCES user (id),
            tag TEXT NOT NULL COLLATE BINARY,
            device_id TEXT NOT NULL,
            changed_at INTEGER NOT NULL,
            PRIMARY KEY (user_id, tag)
        ) STRICT, WITHOUT ROWID;

        -- The newest days of what happened, for devices that were away. kind: see EventLog. payload: a JSON object.
        CREATE TABLE conversation_event (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            at INTEGER NOT NULL,
            actor_id INTEGER NOT NULL REFERENCES user (id),
            kind INTEGER NOT NULL,
            payload TEXT NOT NULL
        ) STRICT;
        CREATE INDEX conversation_event_by_conversation ON conversation_event (conversation_id, at);
        CREATE INDEX conversation_event_by_time ON conversation_event (at);
        -- Whom it happened to.
        CREATE TABLE conversation_event_person (
            user_id INTEGER NOT NULL REFERENCES user (id),
            at INTEGER NOT NULL,
            number INTEGER NOT NULL REFERENCES conversation_event (number) ON DELETE CASCADE,
            PRIMARY KEY (user_id, at, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX conversation_event_person_by_number ON conversation_event_person (number);
        """)
