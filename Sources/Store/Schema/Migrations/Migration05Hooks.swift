/// Version 5: the events that wait for a receiver outside.
let migration05Hooks = Migration(
    version: 5,
    sql: """
        -- event: 0 a stored message (conversation_id, message_sequence), 1 a body that was worded before.
        -- Written in the transaction of the message, so that a crash loses no event; see HookQueue.
        -- sequence grows while anything waits and begins anew after that: AUTOINCREMENT would cost each message three
        -- microseconds more, and nothing names an event that has gone.
        CREATE TABLE hook_queue (
            sequence INTEGER PRIMARY KEY,
            event INTEGER NOT NULL,
            conversation_id INTEGER,
            message_sequence INTEGER,
            body BLOB,
            created_at INTEGER NOT NULL
        ) STRICT;
        """)
