/// Version 22: one order of messages and events, see `StorePosition`.
let migration22Positions = Migration(
    version: 22,
    sql: """
        ALTER TABLE conversation ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN read_position INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN own_position INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE change_feed (
            position INTEGER PRIMARY KEY,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER REFERENCES user (id),
            kind INTEGER NOT NULL,
            sequence INTEGER,
            person_id INTEGER REFERENCES user (id)
        ) STRICT;
        CREATE INDEX change_feed_by_conversation ON change_feed (conversation_id, position);
        CREATE INDEX change_feed_by_user ON change_feed (user_id, position) WHERE user_id IS NOT NULL;
        -- Above every id that was given: clients go on from here.
        INSERT INTO meta (key, value) SELECT 'position', max(
            coalesce((SELECT value FROM meta WHERE key = 'ids_until'), 0),
            coalesce((SELECT max(id) FROM command), 0),
            coalesce((SELECT max(m.id) FROM conversation c
                JOIN message m ON m.conversation_id = c.id AND m.sequence = c.head), 0));
        -- What changed before is in no feed.
        INSERT INTO meta (key, value) SELECT 'feed_from', value FROM meta WHERE key = 'position';
        """)
