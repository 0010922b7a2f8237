/// Version 21: marks of the people and conversations that the trial mode made.
let migration21Trial = Migration(
    version: 21,
    sql: """
        ALTER TABLE user ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX user_in_trial ON user (id) WHERE trial = 1;
        CREATE INDEX conversation_in_trial ON conversation (id) WHERE trial = 1;
        """)
