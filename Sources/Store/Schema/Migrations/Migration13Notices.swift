/// Version 13: accounts that were deleted, and what the operator announces to people.
let migration13Notices = Migration(
    version: 13,
    sql: """
        -- When the account was deleted, UTC milliseconds; its name and its messages stay.
        ALTER TABLE user ADD COLUMN deleted_at INTEGER;
        CREATE INDEX personal_list_by_other ON personal_list (other_id);
        CREATE INDEX team_request_by_inviter ON team_request (inviter_id) WHERE inviter_id IS NOT NULL;

        -- sender: the operator's name. through_id: the people up to this number have it, or are none of those it is
        -- for. last_id: the newest person when it was made; later ones do not get it. sent_at: NULL while it is being
        -- sent.
        CREATE TABLE notice (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            body TEXT NOT NULL,
            sender TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            through_id INTEGER NOT NULL DEFAULT 0,
            last_id INTEGER NOT NULL,
            receivers INTEGER NOT NULL DEFAULT 0,
            confirmed INTEGER NOT NULL DEFAULT 0,
            sent_at INTEGER
        ) STRICT;
        CREATE INDEX notice_on_its_way ON notice (number) WHERE sent_at IS NULL;
        -- Whose members it is for; none for every person.
        CREATE TABLE notice_team (
            number INTEGER NOT NULL REFERENCES notice (number),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            PRIMARY KEY (number, conversation_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE notice_receiver (
            number INTEGER NOT NULL REFERENCES notice (number),
            user_id INTEGER NOT NULL REFERENCES user (id),
            confirmed_at INTEGER,
            PRIMARY KEY (number, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX notice_receiver_by_user ON notice_receiver (user_id, number);
        """)
