/// Version 19: what a person has looked at beside messages.
let migration19Seen = Migration(
    version: 19,
    sql: """
        -- seen: 1 when who was asked has opened the list of requests since this one came.
        ALTER TABLE friend_request ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
        """)
