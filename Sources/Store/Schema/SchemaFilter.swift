/// The operator's rules for what people are shown of the messages of others.
enum SchemaFilter {
    static let sql = """
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
        """
}
