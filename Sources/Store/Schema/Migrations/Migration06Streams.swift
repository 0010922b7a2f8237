/// Version 6: messages that are written step by step.
let migration06Streams = Migration(
    version: 6,
    sql: """
        -- Where each strand of a message stands. number: of its last step, counted over all strands of the message.
        -- status: 0 open, 1 closed, 2 failed, 3 cancelled. visibility: 0 everyone, 1 its sender, 2 restricted.
        -- snapshot: JSON text.
        CREATE TABLE message_stream (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            key TEXT NOT NULL COLLATE BINARY,
            status INTEGER NOT NULL,
            number INTEGER NOT NULL,
            event_id TEXT NOT NULL,
            event_type TEXT NOT NULL,
            visibility INTEGER NOT NULL,
            occurred_at INTEGER NOT NULL,
            snapshot BLOB,
            end_reason INTEGER NOT NULL DEFAULT 0,
            error TEXT,
            PRIMARY KEY (conversation_id, sequence, key)
        ) STRICT, WITHOUT ROWID;
        """)
