/// Version 24: changes of people in the feed, for who was away.
let migration24PersonFeed = Migration(
    version: 24,
    sql: """
        CREATE TABLE person_feed (
            position INTEGER PRIMARY KEY,
            person_id INTEGER NOT NULL REFERENCES user (id),
            receiver_id INTEGER REFERENCES user (id)
        ) STRICT;
        CREATE INDEX person_feed_by_receiver ON person_feed (receiver_id, position);
        CREATE INDEX person_feed_by_person ON person_feed (person_id, receiver_id);
        -- What changed of people before is in no feed: whoever was away since begins anew.
        UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'position') WHERE key = 'feed_from';
        """)
