/// Version 28: requests to join teams, and announcements of the operator, in the feed, for who was away.
let migration28Concerns = Migration(
    version: 28,
    sql: """
        ALTER TABLE team_request ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX team_request_by_position ON team_request (position);
        ALTER TABLE notice_receiver ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX notice_receiver_by_position ON notice_receiver (user_id, position);
        -- What changed of them before is in no feed: whoever was away since begins anew.
        UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'position') WHERE key = 'feed_from';
        """)
