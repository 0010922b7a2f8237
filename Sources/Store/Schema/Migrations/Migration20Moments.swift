/// Version 20: moments by which clients ask for what is new: see `Sequencer`.
let migration20Moments = Migration(
    version: 20,
    sql: """
        -- patched_at: no two are the same from now on. Those of earlier versions are pulled apart, in their order.
        WITH apart AS (
            SELECT conversation_id, sequence,
                number + max(patched_at - number) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) AS moment
            FROM (
                SELECT conversation_id, sequence, patched_at,
                    row_number() OVER (ORDER BY patched_at, conversation_id, sequence) AS number
                FROM message_extra WHERE patched_at > 0))
        UPDATE message_extra SET patched_at = apart.moment FROM apart
        WHERE apart.conversation_id = message_extra.conversation_id AND apart.sequence = message_extra.sequence
            AND apart.moment <> message_extra.patched_at;
        CREATE UNIQUE INDEX message_extra_by_moment ON message_extra (patched_at) WHERE patched_at > 0;
        INSERT OR REPLACE INTO meta (key, value) SELECT 'moments_until', max(
            coalesce((SELECT max(patched_at) FROM message_extra WHERE patched_at > 0), 0),
            coalesce((SELECT max(at) FROM conversation_event), 0),
            coalesce((SELECT max(read_at) FROM member), 0));
        """)
