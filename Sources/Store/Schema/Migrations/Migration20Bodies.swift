/// Version 20: bodies that are not stored as they were sent, and bodies of edits.
let migration20Bodies = Migration(
    version: 20,
    sql: """
        -- message.body_hash: XXH64 of the body as it was stored; of what earlier versions stored with a kind above 0, of the
        -- body as it was sent, which the server may have completed (meta.completed_until: the ids of these messages).
        -- sent_hash: of the body as it was sent; NULL when that is the stored one.
        ALTER TABLE message ADD COLUMN sent_hash INTEGER;
        -- body_hash: XXH64 of the body; NULL for those of earlier versions.
        ALTER TABLE message_edit ADD COLUMN body_hash INTEGER;
        INSERT INTO meta (key, value)
        SELECT 'completed_until', value FROM meta WHERE key = 'ids_until'
            AND (EXISTS (SELECT 1 FROM message_kind) OR EXISTS (SELECT 1 FROM audit WHERE word = 'kind.set'));
        """)
