/// Version 17: the operator's rules for what people are shown of the messages of others.
let migration17Filter = Migration(
    version: 17,
    sql: """
        -- receiver_id, sender_id, kind, word: NULL for all. replacement, as_kind: NULL for a rule that drops.
        CREATE TABLE filter_rule (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            receiver_id INTEGER REFERENCES user (id),
            sender_id INTEGER REFERENCES user (id),
            kind INTEGER,
            word TEXT,
            replacement TEXT,
            as_kind INTEGER
        ) STRICT;
        """)
