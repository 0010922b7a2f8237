/// What schema version 2 adds: the events that wait for a receiver outside.
enum SchemaHooks {
    static let sql = """
        -- event: 0 a stored message (conversation_id, message_sequence), 1 a body that was worded before.
        -- Written in the transaction of the message, so that a crash loses no event; see HookQueue.
        CREATE TABLE hook_queue (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            event INTEGER NOT NULL,
            conversation_id INTEGER,
            message_sequence INTEGER,
            body BLOB,
            created_at INTEGER NOT NULL
        ) STRICT;
        """
}
