/// Version 24: changes of people, and conversations that are gone, in the feed, for who was away.
let migration24Feed = Migration(
    version: 24,
    sql: """
        CREATE TABLE person_feed (
            position INTEGER PRIMARY KEY,
            person_id INTEGER NOT NULL REFERENCES user (id),
            receiver_id INTEGER REFERENCES user (id)
        ) STRICT;
        CREATE INDEX person_feed_by_receiver ON person_feed (receiver_id, position);
        CREATE INDEX person_feed_by_person ON person_feed (person_id, receiver_id);
        CREATE TABLE gone_feed (
            user_id INTEGER NOT NULL REFERENCES user (id),
            position INTEGER NOT NULL,
            conversation_id INTEGER NOT NULL,
            PRIMARY KEY (user_id, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX gone_feed_by_position ON gone_feed (position);
        -- What changed of people before is in no feed: whoever was away since begins anew.
        UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'position') WHERE key = 'feed_from';
        """)
