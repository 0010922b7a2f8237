/// Version 26: how clients of our own draw messages of apps' kinds, see `KindRenderer`.
let migration26Renderers = Migration(
    version: 26, sql: "ALTER TABLE message_kind ADD COLUMN renderer TEXT NOT NULL DEFAULT '';")
