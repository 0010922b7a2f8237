/// Version 18: conversations that end.
let migration18Expiry = Migration(
    version: 18,
    sql: """
        -- Deleted ones of which messages are left: they go a few at a time, and nobody reaches them.
        CREATE TABLE gone_conversation (
            conversation_id INTEGER PRIMARY KEY
        ) STRICT;
        -- What refers to a conversation or a message is found when it goes.
        CREATE INDEX message_mark_by_message ON message_mark (conversation_id, sequence);
        CREATE INDEX hidden_count_by_conversation ON hidden_count (conversation_id);
        CREATE INDEX shown_count_by_conversation ON shown_count (conversation_id);
        CREATE INDEX delivered_by_conversation ON delivered (conversation_id);
        CREATE INDEX preference_by_conversation ON preference (conversation_id);
        CREATE INDEX reminder_by_conversation ON reminder (conversation_id);
        CREATE INDEX command_by_conversation ON command (conversation_id) WHERE conversation_id IS NOT NULL;
        CREATE INDEX file_by_conversation ON file (conversation_id) WHERE conversation_id IS NOT NULL;
        CREATE INDEX file_link_by_conversation ON file_link (conversation_id) WHERE conversation_id IS NOT NULL;
        CREATE INDEX notice_team_by_conversation ON notice_team (conversation_id);
        """)
