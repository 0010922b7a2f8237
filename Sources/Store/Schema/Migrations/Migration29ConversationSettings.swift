/// Version 29: settings of single conversations.
let migration29ConversationSettings = Migration(
    version: 29,
    sql: """
        CREATE TABLE conversation_setting (
            conversation_id INTEGER NOT NULL REFERENCES conversation(id),
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (conversation_id, name)
        ) STRICT, WITHOUT ROWID;
        """)
